# What scripts/demo and scripts/test share: installing what is missing, configuring, building. Sourced by bash.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
cd "$root"
jobs="$(nproc)"

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

installed() { [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | cut -c1-2)" = ii ]; }
available() { [[ "$(apt-cache policy "$1" 2>/dev/null)" =~ Candidate:\ [^\(] ]]; }

# The newest LLVM that is installed with its archives; else the newest that apt offers; else nothing.
llvm_version() {
  local version
  for version in 22 21 20 19; do
    if [ -e "/usr/lib/llvm-$version/lib/libLLVMSupport.a" ]; then echo "$version"; return; fi
  done
  for version in 22 21 20 19; do
    if available "llvm-$version-dev"; then echo "$version"; return; fi
  done
}

# as_root command...: runs it as root, or says what to run and stops.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    sudo "$@"
  else
    fail "packages are missing; run this as root, then start again:
  apt-get update && apt-get install -y ${wanted[*]}"
  fi
}

# install_missing package...: those, and what the build itself needs. Does nothing where all of it is there.
install_missing() {
  command -v apt-get >/dev/null || { say "no apt-get here: what CONTRIBUTING.md lists must be installed"; return 0; }
  local llvm package
  wanted=()
  for package in cmake ninja-build g++ libfmt-dev libisl-dev libgmp-dev zlib1g-dev libgtest-dev libboost-context-dev \
                 python3 python3-numpy "$@"; do
    installed "$package" || wanted+=("$package")
  done
  llvm="$(llvm_version)"
  if [ -z "$llvm" ]; then
    [ "$(id -u)" != 0 ] || apt-get update -q
    llvm="$(llvm_version)"
    [ -n "$llvm" ] || fail "apt offers no llvm-19-dev or later; see https://apt.llvm.org"
  fi
  for package in "llvm-$llvm-dev" "llvm-$llvm-tools"; do
    installed "$package" || wanted+=("$package")
  done
  [ "${#wanted[@]}" = 0 ] && return 0

  say "installing ${wanted[*]}"
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${wanted[@]}"
}

# build preset [target...]: configures where needed and builds, with ninja's own progress.
build() {
  local preset="$1"
  shift
  say "configuring build/$preset"
  mkdir -p build
  cmake --preset "$preset" >"build/$preset.log" 2>&1 || { cat "build/$preset.log"; fail "configuring failed"; }
  grep -E '^-- (LLVM|NVRTC|Python|The CXX)' "build/$preset.log" || true
  say "building with $jobs jobs"
  cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
}

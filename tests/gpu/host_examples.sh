#!/bin/sh
# Builds the programs of examples/host against an installed tree and runs them on this machine's GPU.
#
# usage: host_examples.sh PREFIX [BUILD_FOLDER]
#
# Needs CMake, a C++17 compiler and, for all but the first programs, the CUDA toolkit; nothing where BUILD_FOLDER holds the programs
# already. Each program checks its own result; 77 from one means that it lacks something here. Ends with 1 where one fails, with 77
# where none could run. CDSL_ARCHS names the architectures of the library that is compiled ahead of time (90a).
set -u
prefix=$(cd "${1:?usage: host_examples.sh PREFIX [BUILD_FOLDER]}" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${2:-$(mktemp -d)}

if [ ! -x "$build/jit_saxpy" ]; then
  cmake -S "$here/examples/host" -B "$build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release -DARCHS="${CDSL_ARCHS:-90a}" || exit 1
  cmake --build "$build" -j || exit 1
fi

failed=0 passed=0
for name in jit_saxpy c_program image_pipeline typed_jit typed_aot streams_and_threads cuda_graph cublas_chain; do
  if [ ! -x "$build/$name" ]; then
    echo "SKIP $name: not built here (no toolkit, or no NVRTC)"
    continue
  fi
  LD_LIBRARY_PATH="$prefix/lib:$prefix/lib64:${LD_LIBRARY_PATH:-}" "$build/$name" cuda
  status=$?
  case $status in
    0) echo "PASS $name"; passed=$((passed + 1)) ;;
    77) echo "SKIP $name" ;;
    127) echo "SKIP $name: a library that it was linked with is not here" ;;
    *) echo "FAIL $name: $status"; failed=1 ;;
  esac
done
[ $failed -eq 0 ] && [ $passed -eq 0 ] && exit 77
exit $failed

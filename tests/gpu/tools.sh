#!/usr/bin/env bash
# What run, verify and bench do on a GPU and no simulator can show.
# usage: tools.sh CUOPTC    (from the root of the repository, on a machine with a GPU and NVRTC)
# LARGE=N: another size for what is to lie above 2^31; PYTHON: the interpreter
set -u
cuoptc=$(realpath "$1")
examples=$(realpath examples)
inputs=$(realpath tests/lit/tools/Inputs)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export CDSL_CACHE_DIR=
python=${PYTHON:-python3}
failures=0
large=${LARGE:-2200000000}   # elements of a byte: above 2^31

# check NAME PATTERN STATUS COMMAND...: the command ends with STATUS and says PATTERN
check() {
  local name=$1 pattern=$2 status=$3
  shift 3
  "$@" > out.txt 2>&1
  local got=$?
  if [ "$got" -eq "$status" ] && grep -Eq -- "$pattern" out.txt; then
    echo "ok   $name"
  else
    echo "FAIL $name: status $got, wanted $status and /$pattern/"
    head -20 out.txt | sed 's/^/     /'
    failures=$((failures + 1))
  fi
}

echo "--- red zones"
for name in saxpy softmax gemm_bias_gelu heat2d histogram; do
  check "zones stay whole: $name" '^ok ' 0 "$cuoptc" verify "$examples/$name.cdsl" --device=cuda --sizes 1,2,33,257
done
# Loop IR of one store, edited to miss its buffer.
echo 'fn scale(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i] + 1; }' > one.cdsl
"$cuoptc" one.cdsl --O0 --emit=loop-ir > one.lir
sed '/^kernel/,$ s/^    y\[i\] = \(.*;\)$/    y[i + N] = \1/' one.lir > behind.lir
sed '/^kernel/,$ s/^    y\[i\] = \(.*;\)$/    y[i - 1] = \1/' one.lir > before.lir
check "a store behind the buffer" "20 bytes of the red zone after 'y' were overwritten, the first at byte 20" 4 \
  "$cuoptc" verify behind.lir --device=cuda -DN=5
check "a store before the buffer" "4 bytes of the red zone before 'y' were overwritten, the first at byte -4" 4 \
  "$cuoptc" verify before.lir --device=cuda -DN=5

echo "--- large sizes"
check "above 2^31 elements, by a sample" "1000 of $large elements checked" 0 \
  "$cuoptc" verify "$inputs/large.cdsl" --fn bytes --device=cuda -DN="$large"
check "rows, by a sample" ' elements checked: .*within bounds' 0 "$cuoptc" verify "$examples/softmax.cdsl" --device=cuda -DM=20000 -DN=8192
check "a product, by a sample" ' elements checked: ' 0 "$cuoptc" verify "$inputs/large.cdsl" --fn product --device=cuda -DM=4096 -DN=4096 -DK=4096

echo "--- bench"
check "ceilings and figures" 'reaches [0-9.]+ [GT]B/s, [0-9.]+ TFLOP/s in f32' 0 "$cuoptc" bench "$inputs/large.cdsl" --fn scale -DN=64k,1M,64M
cat out.txt
"$cuoptc" bench "$inputs/large.cdsl" --fn scale -DN=64M --json > bench.json && "$python" - <<'PY' || failures=$((failures + 1))
import json
row = json.load(open("bench.json"))[0]
c = row["ceilings"]
print("ceilings", c, "clock", row["clock_mhz"], "cold", row["cold"])
assert 200 < row["clock_mhz"] < 4000, "SM clock"
assert 50 < c["gb_per_s"] < 20000 and 1000 < c["gflop32_per_s"] < 500000 and c["gflop64_per_s"] > 0, "ceilings"
cold = row["cold"]
assert cold["min_us"] <= cold["p10_us"] <= cold["median_us"] <= cold["p90_us"], "quantiles"
assert 40 < cold["percent_of_memory"] < 115, "a scaling of 64M elements runs at memory speed"
print("ok   json")
PY
check "CSV" '^.*scale,N=1024,.*,cold,' 0 "$cuoptc" bench "$inputs/large.cdsl" --fn scale -DN=1k --csv --min-time=0.05
check "types" 'T=bf16' 0 "$cuoptc" bench "$inputs/two.cdsl" --fn half -DT=f16,bf16 -DN=1M --md --min-time=0.05
check "run once" 'launched, not timed' 0 "$cuoptc" bench "$inputs/scale.cdsl" -DN=1M -DS=2 --run-once
check "timeline" 'cold' 0 "$cuoptc" bench "$inputs/scale.cdsl" -DN=4 -DS=2 --min-time=0.05 --timeline=trace.json
check "timeline: spans" '^$' 0 "$python" -c "
import runpy, sys
sys.argv = ['timeline.py', 'trace.json', '3']
runpy.run_path('$inputs/timeline.py')
print()"
check "timeline: the GPU works after the host asked" '^ok' 0 "$python" -c "
import json
spans = [e for e in json.load(open('trace.json'))['traceEvents'] if e['ph'] == 'X']
ask = [e['ts'] for e in spans if e['name'].startswith('launch scale')]
ran = [e['ts'] for e in spans if e['tid'] == 1 and e['name'].startswith('scale')]
assert all(b > a - 100 for a, b in zip(ask, ran)), (ask, ran)
assert all(0 <= e['dur'] < 1e6 for e in spans)
print('ok')"

echo "--- run"
"$python" - <<'PY'
import struct
for name, first in (("x", 0), ("fine", 4)):
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }".ljust(117) + b"\n"
    open(name + ".npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<8f", *range(first, first + 8)))
PY
check "dump" 'y: f32' 0 "$cuoptc" run "$inputs/steps.cdsl" --in x=fine.npy --device=cuda --dump root
check "dump: values" '^ok' 0 "$python" -c "
import struct
root = struct.unpack('<8f', open('root.npy', 'rb').read()[-32:])
assert all(abs(r - (k + 1) ** 0.5) < 1e-5 for k, r in enumerate(root)), root
print('ok')"
check "trap-nan names the statement" 'steps.cdsl:3: root\[0\] is NaN' 4 "$cuoptc" run "$inputs/steps.cdsl" --in x=x.npy --device=cuda --trap-nan
check "trap-nan: a loop" 'rounds.cdsl:3: .* is NaN' 4 "$cuoptc" run "$inputs/rounds.cdsl" --in x=x.npy --device=cuda --trap-nan
check "trap-nan: none" 'y: f32' 0 "$cuoptc" run "$inputs/steps.cdsl" --in x=fine.npy --device=cuda --trap-nan

echo "--- machine code"
if "$cuoptc" "$inputs/scale.cdsl" --emit=fatbin --arch=native -o scale.fatbin 2> out.txt; then
  check "the driver loads the fat binary" '^0' 0 "$python" -c "
import ctypes
cuda, context, module = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxSetCurrent(context)
print(cuda.cuModuleLoadData(ctypes.byref(module), open('scale.fatbin', 'rb').read()))"
else
  check "no fat binary without nvFatbin" 'libnvfatbin.so was not found' 0 cat out.txt
fi
"$cuoptc" "$inputs/scale.cdsl" --emit=cubin --arch=native -o scale.cubin && check "line tables lead to the .cdsl" 'scale.cdsl' 0 grep -a scale.cdsl scale.cubin

echo
[ "$failures" -eq 0 ] && echo "all held" || echo "$failures failed"
exit "$((failures > 0))"

"""Hand-written .lir files: the asynchronous, cluster and matrix nodes of Loop IR, one each (lane/), and whole kernels in
tile form (tile/).

usage: lane_nodes.py CUOPTC sim | cuda          run every program and compare it with the reference evaluator
       lane_nodes.py CUOPTC nvrtc LIBRARY       compile the CUDA C++ of every program, for each architecture that has its nodes
       lane_nodes.py CUOPTC nvcc NVCC           the same with the host launcher, for sm_90a
from the root of the repository. Exits 77 where the device or the library is missing.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "nvrtc"))
import compile as nvrtc_compile

SKIPPED = 77
FOLDERS = [pathlib.Path("tests/gpu/lane"), pathlib.Path("tests/gpu/tile")]
NO_DEVICE = 3
# Of the others only sm_90a has all nodes.
ARCHITECTURES = {"cp_async": ["sm_80", "sm_90a"], "mma": ["sm_80", "sm_90a"], "mma_types": ["sm_80", "sm_90a"],
                 "named_barrier": ["sm_75", "sm_90a"], "cluster_sum": ["sm_90"], "tensor_map": ["sm_90"],
                 "cp_async_gemm": ["sm_80", "sm_90a"], "stream_k_gemm": ["sm_80", "sm_90a"],
                 "lookback_scan": ["sm_75", "sm_90a"], "grid_softmax": ["sm_75", "sm_90a"], "cluster_softmax": ["sm_90"],
                 "wave_stencil": ["sm_80", "sm_90a"], "attention": ["sm_90"]}
# Sizes of programs that leave them open; tails are among them.
SIZES = {"cp_async_gemm": ["M=200 N=136 K=200", "M=129 N=8 K=40"],
         "wgmma_gemm": ["M=300 N=40 K=328", "M=72 N=264 K=72"],
         "stream_k_gemm": ["M=200 N=133 K=197", "M=300 N=300 K=40"],
         "lookback_scan": ["N=100001", "N=2048"], "cluster_softmax": ["M=5 N=13000", "M=1 N=8"],
         "grid_softmax": ["M=3 N=100004", "M=2 N=4"],
         "attention": ["H=2 S=150", "H=1 S=64"], "wave_stencil": ["M=70 N=300", "M=1 N=4"]}


def run(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def verify(cuoptc, program, device):
    faults = []
    for sizes in SIZES.get(program.stem, [""]):
        done = run([cuoptc, "verify", program, f"--device={device}", *[f"-D{size}" for size in sizes.split()]])
        if done.returncode == NO_DEVICE:
            print(f"skipped: {done.stderr.strip()}")
            sys.exit(SKIPPED)
        faults += [done.stdout, done.stderr] if done.returncode != 0 else []
    return faults


def compile_kernels(cuoptc, program, library):
    faults = []
    for arch in ARCHITECTURES.get(program.stem, ["sm_90a"]):
        text = run([cuoptc, program, f"--arch={arch}", "-o", "-"])
        if text.returncode != 0:
            faults.append(f"{arch}: {text.stderr}")
            continue
        status, log = nvrtc_compile.compile_text(library, text.stdout, program.stem + ".cu", arch)
        lines = [line for line in log.splitlines() if "warning" in line]
        faults += [f"{arch}: {log}"] if status != 0 else [f"{arch}: {line}" for line in lines]
    return faults


def compile_file(cuoptc, program, nvcc):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / (program.stem + ".cu")
        text = run([cuoptc, program, "--arch=sm_90a", "-o", source])
        if text.returncode != 0:
            return [text.stderr]
        done = run([nvcc, "-std=c++17", "-gencode=arch=compute_90a,code=sm_90a", "-c", source, "-o", source.with_suffix(".o")])
        return [done.stderr] if done.returncode != 0 or "warning" in done.stderr else []


def main():
    cuoptc, what = sys.argv[1:3]
    programs = [path for folder in FOLDERS for path in sorted(folder.glob("*.lir"))]
    library = nvrtc_compile.load(sys.argv[3]) if what == "nvrtc" else None
    failed = 0
    for program in programs:
        if what == "nvrtc":
            faults = compile_kernels(cuoptc, program, library)
        elif what == "nvcc":
            faults = compile_file(cuoptc, program, sys.argv[3])
        else:
            faults = verify(cuoptc, program, what)
        failed += bool(faults)
        print(f"{'FAIL' if faults else 'ok  '} {program}", *faults, sep="\n  ", flush=True)
    print(f"{len(programs) - failed} passed, {failed} failed")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())

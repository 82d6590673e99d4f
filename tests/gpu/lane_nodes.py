"""The asynchronous, cluster and matrix nodes of Loop IR, one hand-written .lir file each (lane/).

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
FOLDER = pathlib.Path("tests/gpu/lane")
NO_DEVICE = 3
# Of the others only sm_90a has all nodes.
ARCHITECTURES = {"cp_async": ["sm_80", "sm_90a"], "mma": ["sm_80", "sm_90a"], "mma_types": ["sm_80", "sm_90a"],
                 "named_barrier": ["sm_75", "sm_90a"], "cluster_sum": ["sm_90"], "tensor_map": ["sm_90"]}


def run(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def verify(cuoptc, program, device):
    done = run([cuoptc, "verify", program, f"--device={device}"])
    if done.returncode == NO_DEVICE:
        print(f"skipped: {done.stderr.strip()}")
        sys.exit(SKIPPED)
    return [] if done.returncode == 0 else [done.stdout, done.stderr]


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
    programs = sorted(FOLDER.glob("*.lir"))
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

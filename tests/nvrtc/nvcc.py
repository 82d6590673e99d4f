"""Compiles the .cu of every example with nvcc, host launcher included: no error, no warning.

usage: nvcc.py CUOPTC NVCC, from the root of the repository. Exits 77 where nvcc is missing or cannot compile at all.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
FLAGS = ["-std=c++17", "-arch=sm_90a", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra", "-c"]


def compile_file(nvcc, source):
    """What nvcc has to say about a file; nothing where it is content."""
    done = subprocess.run([nvcc, *FLAGS, str(source), "-o", str(source.with_suffix(".o"))], capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode != 0 else ""


def check(cuoptc, nvcc, example, scratch):
    source = scratch / f"{example.stem}.cu"
    done = subprocess.run([cuoptc, str(example), "-o", str(source)], capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else compile_file(nvcc, source)


def main():
    cuoptc, nvcc = sys.argv[1:]
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        probe = scratch / "probe.cu"
        probe.write_text("#include <cuda_runtime.h>\n__global__ void probe() {}\n")
        try:
            complaint = compile_file(nvcc, probe)
        except OSError as error:
            complaint = str(error)
        if complaint:
            print(f"skipped: no nvcc that compiles an empty kernel: {complaint}")
            return SKIPPED

        examples = sorted(pathlib.Path("examples").glob("*.cdsl"))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            complaints = list(pool.map(lambda example: check(cuoptc, nvcc, example, scratch), examples))
    for example, complaint in zip(examples, complaints):
        print(f"FAIL {example}\n{complaint}" if complaint else f"ok   {example}")
    failed = sum(map(bool, complaints))
    print(f"{len(examples) - failed} passed, {failed} failed in {time.monotonic() - start:.0f} s")
    return 1 if failed or not examples else 0


if __name__ == "__main__":
    sys.exit(main())

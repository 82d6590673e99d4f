"""Compiles .cdsl programs with cuoptc and NVRTC (and some with nvcc): a table of registers and spills per kernel.

usage: compile_all.py --cuoptc PATH [--nvrtc LIBRARY] [--nvcc PATH] [--arch sm_90a ...] [--flags=...] FILES...

Fails on a compile error, a warning, a spill, or a text that differs between two runs. Exits 77 where NVRTC is missing.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import compile as nvrtc_test  # noqa: E402

ARCHITECTURES = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"]
STANDARDS = ["c++17", "c++20"]


def emitted(cuoptc, program, arch, flags):
    command = [cuoptc, str(program), f"--arch={arch}", "-o", "-", *flags]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def kernels_of(log):
    """Yields kernel, registers and spilled bytes from ptxas's report."""
    pattern = (r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
               r"(\d+) bytes spill loads.*?Used (\d+) registers")
    for name, stack, stores, loads, registers in re.findall(pattern, log, re.DOTALL):
        yield name, int(registers), int(stores) + int(loads), int(stack)


def check_nvrtc(nvrtc, name, text, arch, verbose):
    status, log = nvrtc_test.compile_text(nvrtc, text, name + ".cu", arch)
    if status != 0:
        return [log]
    faults = [line for line in log.splitlines() if "warning" in line.lower()]
    for kernel, registers, spilled, stack in kernels_of(log):
        if verbose:
            print(f"  {arch} {kernel}: {registers} registers, {spilled} bytes spilled, {stack} bytes of stack")
        if spilled:
            faults.append(f"{kernel} spills {spilled} bytes")
    return faults


def check_nvcc(nvcc, name, text, arch, standard):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / (name + ".cu")
        source.write_text(text)
        command = [nvcc, f"-std={standard}", f"-arch={arch}", "-Xcompiler", "-Wall,-Wextra", "-c", str(source),
                   "-o", str(source) + ".o"]
        run = subprocess.run(command, capture_output=True, text=True)
        return [run.stdout + run.stderr] if run.returncode or "warning" in run.stderr else []


def check_program(arguments, nvrtc, program, with_nvcc):
    faults = []
    for arch in arguments.arch:
        code, text, errors = emitted(arguments.cuoptc, program, arch, arguments.flags.split())
        if code != 0:
            return [f"cuoptc: {errors.strip()}"]
        if emitted(arguments.cuoptc, program, arch, arguments.flags.split())[1] != text:
            faults.append(f"{arch}: the text differs between two runs")
        found = check_nvrtc(nvrtc, program.stem, text, arch, arguments.verbose)
        faults += [f"{arch}: {fault}" for fault in found]
    if with_nvcc:
        for standard in STANDARDS:
            arch = arguments.arch[0]
            found = check_nvcc(arguments.nvcc, program.stem, emitted(arguments.cuoptc, program, arch, [])[1], arch, standard)
            faults += [f"nvcc {standard}: {fault}" for fault in found]
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuoptc", required=True)
    parser.add_argument("--nvrtc", default="/usr/local/cuda/lib64/libnvrtc.so")
    parser.add_argument("--nvcc", default="")
    parser.add_argument("--nvcc-every", type=int, default=5, help="one program in so many goes through nvcc too")
    parser.add_argument("--arch", nargs="+", default=ARCHITECTURES)
    parser.add_argument("--flags", default="", help="more options for cuoptc")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    nvrtc = nvrtc_test.load(arguments.nvrtc)
    failed = 0
    for number, program in enumerate(arguments.files):
        faults = check_program(arguments, nvrtc, program, arguments.nvcc and number % arguments.nvcc_every == 0)
        failed += bool(faults)
        print("FAIL" if faults else "ok", program, *faults, sep="\n  " if faults else " ", flush=True)
    print(f"{len(arguments.files)} programs, {len(arguments.arch)} architectures, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Compiles the .cu of every example and test program with NVRTC for one architecture: no error, no
warning, and in an example no spill.

usage: compile.py CUOPTC NVRTC_LIBRARY ARCH, from the root of the repository. Exits 77 where NVRTC or the architecture is
missing.
"""
import ctypes
import pathlib
import re
import subprocess
import sys
import time

SKIPPED = 77
PROGRAMS = ["examples", "tests/programs", "tests/run/faults"]
KERNELS = "tests/lit/tile"   # Loop IR; for architectures with clusters


def load(path):
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        print(f"skipped: NVRTC cannot be loaded: {error}")
        sys.exit(SKIPPED)


def knows(nvrtc, arch):
    count = ctypes.c_int()
    nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count))
    archs = (ctypes.c_int * count.value)()
    nvrtc.nvrtcGetSupportedArchs(archs)
    return int(re.sub(r"\D", "", arch)) in list(archs)


def compile_text(nvrtc, text, name, arch):
    """Returns NVRTC's status and its log, which holds ptxas's report of registers and spills."""
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None)
    flags = [f"--gpu-architecture={arch}", "--std=c++17", "--ptxas-options=-v"]
    options = (ctypes.c_char_p * len(flags))(*[flag.encode() for flag in flags])
    status = nvrtc.nvrtcCompileProgram(program, len(flags), options)
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return status, log.value.decode(errors="replace")


def faults_of(cuoptc, nvrtc, program, arch):
    run = subprocess.run([cuoptc, str(program), f"--arch={arch}", "-o", "-"], capture_output=True, text=True)
    if run.returncode != 0:
        return [f"cuoptc: {run.stderr}"]
    status, log = compile_text(nvrtc, run.stdout, program.stem + ".cu", arch)
    if status != 0:
        return [log]
    lines = log.splitlines()
    spills = [line for line in lines if re.search(r"[1-9]\d* bytes spill", line)] if program.parent.name == "examples" else []
    return spills + [line for line in lines if "warning" in line]


def main():
    cuoptc, library, arch = sys.argv[1:]
    nvrtc = load(library)
    if not knows(nvrtc, arch):
        print(f"skipped: this NVRTC does not know {arch}")
        return SKIPPED
    programs = [path for folder in PROGRAMS for path in sorted(pathlib.Path(folder).glob("*.cdsl"))]
    if int(re.sub(r"\D", "", arch)) >= 90:
        programs += sorted(pathlib.Path(KERNELS).glob("*.lir"))
    start, failed = time.monotonic(), 0
    for program in programs:
        faults = faults_of(cuoptc, nvrtc, program, arch)
        failed += bool(faults)
        print(f"{'FAIL' if faults else 'ok  '} {program}", *faults, sep="\n  ", flush=True)
    print(f"{len(programs) - failed} passed, {failed} failed in {time.monotonic() - start:.0f} s")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())

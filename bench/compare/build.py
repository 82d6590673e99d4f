"""Compiles a .cu of this folder into a shared library with nvcc, once for each text, and loads it."""
import ctypes
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c++17", "-O3", "-shared", "-Xcompiler", "-fPIC"]


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("CDSL_BENCH_CACHE") or pathlib.Path(base) / "cdsl-bench")


def find_nvcc():
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.access(nvcc, os.X_OK):
        raise RuntimeError("nvcc is not on the PATH and not in /usr/local/cuda/bin; the clock and the library peers need it")
    return nvcc


def compile_library(name, architecture="sm_90a", libraries=()):
    """Path of the shared library made of NAME.cu."""
    source = HERE / f"{name}.cu"
    nvcc = find_nvcc()
    command = [nvcc, *FLAGS, f"-arch={architecture}", *[f"-l{library}" for library in libraries]]
    key = hashlib.sha256(source.read_bytes() + " ".join(command).encode()).hexdigest()[:16]
    target = cache_folder() / f"{name}-{key}.so"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            made = pathlib.Path(scratch) / target.name
            done = subprocess.run([*command, str(source), "-o", str(made)], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"nvcc refused {source.name}: {(done.stderr or done.stdout).strip()[:2000]}")
            made.rename(target)
    return target


def load(name, architecture="sm_90a", libraries=()):
    return ctypes.CDLL(str(compile_library(name, architecture, libraries)))

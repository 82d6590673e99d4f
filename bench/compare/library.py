"""NVIDIA's own libraries as peers, through library.cu: CUB, cuBLAS and cuBLASLt with algorithm search.

Each method prepares its storage once and returns what to run; that launches on the current stream and returns its result.
"""
import ctypes

import torch

from . import build

LIBRARIES = ("cublas", "cublasLt")
TYPES = {torch.float32: 0, "tf32": 1, torch.float16: 2, torch.bfloat16: 3}


def address(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def stream():
    return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)


class LibraryError(Exception):
    """A function of library.cu failed."""


class Product:
    """A plan of cuBLASLt, freed with the last reference to it."""

    def __init__(self, functions, *arguments):
        self.functions, self.handle = functions, ctypes.c_void_p()
        functions.call("lt_create", ctypes.byref(self.handle), *arguments)

    def __del__(self):
        if self.handle:
            self.functions.library.lt_destroy(self.handle)


class Library:
    def __init__(self, architecture="sm_90a"):
        self.library = build.load("library", architecture, LIBRARIES)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            raise LibraryError(f"{name} gave {code}")

    def cub(self, name, x, out, *sizes, result=None):
        """Runs a function of CUB with scratch memory that is taken once."""
        sizes = [ctypes.c_int64(size) for size in sizes]
        need = ctypes.c_size_t()
        self.call(name, stream(), address(x), address(out), *sizes, None, ctypes.byref(need))
        scratch = torch.empty(max(need.value, 1), dtype=torch.uint8, device=x.device)

        def run():
            self.call(name, stream(), address(x), address(out), *sizes, address(scratch), ctypes.byref(need))
            return out if result is None else result(out)
        return run

    def total(self, x):
        return self.cub("cub_sum", x, x.new_empty(()), x.numel())

    def row_sum(self, x):
        return self.cub("cub_row_sum", x, x.new_empty(x.shape[0]), *x.shape)

    def row_argmax(self, x):
        found = torch.empty(x.shape[0], 2, dtype=torch.int32, device=x.device)
        return self.cub("cub_row_argmax", x, found, *x.shape, result=lambda pairs: pairs[:, 0])

    def running_total(self, x):
        return self.cub("cub_running_total", x, torch.empty_like(x), x.numel())

    def histogram(self, x):
        return self.cub("cub_histogram", x, torch.empty(256, dtype=torch.int32, device=x.device), x.numel())

    def transpose(self, x):
        if x.dtype != torch.float32:
            return None
        out = x.new_empty(x.shape[1], x.shape[0])

        def run():
            self.call("blas_transpose", stream(), address(x), address(out), *x.shape)
            return out
        return run

    def matrix_vector(self, a, x):
        out = a.new_empty(a.shape[0])

        def run():
            self.call("blas_matrix_vector", stream(), address(a), address(x), address(out), *a.shape)
            return out
        return run

    def product(self, a, b, bias=None, tf32=False):
        """Row-major matrices, or batches of them; with a bias also GELU, in one kernel."""
        batch = a.shape[0] if a.dim() == 3 else 1
        m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
        out = a.new_empty(*a.shape[:-1], n)
        plan = Product(self, TYPES["tf32" if tf32 else a.dtype], batch, *[ctypes.c_int64(size) for size in (m, n, k)],
                       address(bias) if bias is not None else None)
        self.call("lt_search", plan.handle, address(a), address(b), address(out), stream())

        def run():
            self.call("lt_run", plan.handle, address(a), address(b), address(out), stream())
            return out
        return run

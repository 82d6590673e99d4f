"""The device side of the clock: device.cu, with the memory that it needs."""
import ctypes

import torch

from . import build

FLUSH_BYTES = 256 * 2 ** 20
HEAD_START_NS = 100_000


class Device:
    """Launches on the current stream of PyTorch."""

    def __init__(self):
        major, minor = torch.cuda.get_device_capability()
        self.architecture = f"sm_{major}{minor}" + ("a" if major >= 9 else "")
        self.library = build.load("device", self.architecture)
        self.library.bench_error.restype = ctypes.c_char_p
        self.written = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
        self.read = torch.ones(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
        self.sink = torch.zeros(4, device="cuda")

    def call(self, name, *arguments):
        code = getattr(self.library, name)(ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), *arguments)
        if code != 0:
            raise RuntimeError(f"{name}: {self.library.bench_error(code).decode() if code > 0 else 'no such kernel'}")

    def begin(self):
        self.call("bench_begin")

    def end(self):
        self.call("bench_end")

    def flush(self):
        """An L2 that holds nothing of a sample, and time for the host to launch ahead."""
        self.call("bench_wait", ctypes.c_ulonglong(HEAD_START_NS))
        self.call("bench_flush", ctypes.c_void_p(self.written.data_ptr()), ctypes.c_void_p(self.read.data_ptr()),
                  ctypes.c_size_t(FLUSH_BYTES), ctypes.c_void_p(self.sink.data_ptr()))

    def floors(self, mix, total_bytes):
        """What to run for each variant of a kernel that does nothing but read and write these streams."""
        reads, writes = mix
        vectors = total_bytes // (16 * (reads + writes))
        streams = [torch.ones(vectors * 4, device="cuda") for _ in range(reads + writes)]
        pointers = (ctypes.c_void_p * len(streams))(*[stream.data_ptr() for stream in streams])

        def runner(which):
            def run():
                # The tensors are named so that they live as long as what runs on them.
                self.call("bench_floor", reads, writes, which, pointers, ctypes.c_size_t(vectors),
                          ctypes.c_void_p(self.sink.data_ptr()))
                return streams
            return run
        return [runner(which) for which in range(self.library.bench_floor_variants())]

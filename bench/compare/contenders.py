"""Who takes part: how each contender is made ready for a row. Each `prepare_*` returns a Contender, or None where the workload
has nothing for it, and may raise: the row goes on without it.

    ours                 this compiler, through its C interface, at default settings
    eager, compile       PyTorch as it is, and compiled (Inductor; `max-autotune` for products as long as its time lasts)
    eager_channels_last  PyTorch on images whose channels lie innermost
    jax, cupy            JAX compiled as a whole, CuPy
    library              CUB, cuBLAS, cuBLASLt with algorithm search
"""
import dataclasses
import os

import torch

from . import cdsl
from .clock import Contender

ELEMENTS = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.uint8: "u8", torch.int32: "i32",
            torch.int64: "i64"}


@dataclasses.dataclass
class Tools:
    """What contenders share from row to row."""
    library_path: str | None = None       # of libcdsl.so
    cache_folder: str | None = None       # of our kernels; "" for none
    architecture: str = "sm_90a"
    autotune: bool = True                 # whether torch.compile may still search
    runtime: object = None                # ours
    peers: object = None                  # library.Library
    plans: dict = dataclasses.field(default_factory=dict)   # what ours runs, by row


def current_stream():
    return torch.cuda.current_stream().cuda_stream if torch.cuda.is_available() else 0


def dense(tensor):
    if not tensor.is_contiguous():
        raise ValueError("ours is handed dense tensors only")
    return cdsl.Dense(tensor.data_ptr(), ELEMENTS[tensor.dtype], tuple(tensor.shape), tensor.element_size())


def poison(tensor):
    """Fills it with bits that no result has: NaN, or -1."""
    tensor.view(-1).view(torch.uint8).fill_(255)


def prepare_ours(workload, inputs, tools):
    row = workload.row
    if tools.runtime is None:
        path = tools.library_path or os.environ.get("CDSL_LIBRARY") or "libcdsl.so"
        tools.runtime = cdsl.Library(path).runtime(None if inputs[0].is_cuda else "sim", tools.cache_folder)
    kernel = tools.runtime.kernel(row.program)
    outputs = [torch.empty(shape, dtype=dtype, device=inputs[0].device) for dtype, shape in workload.outputs()]
    arguments = kernel.bind(row.given | row.sizes, [dense(x) for x in inputs], [dense(y) for y in outputs])
    arguments.prepare(current_stream())
    try:
        tools.plans[row.name] = arguments.plan()
    except cdsl.CdslError as error:
        tools.plans[row.name] = str(error)

    def run():
        arguments.launch(current_stream())
        return outputs

    def checked():
        """On poisoned outputs, and with what our kernels have to report."""
        for tensor in outputs:
            poison(tensor)
        run()
        tools.runtime.synchronize(current_stream())
        return outputs
    return Contender("ours", run, checked=checked)


def prepare_eager(workload, inputs, tools):
    return workload.torch and Contender("eager", lambda: workload.torch(*inputs))


def prepare_compile(workload, inputs, tools):
    function = workload.torch if workload.compiled is None else workload.compiled
    if not function:
        return None
    torch._dynamo.reset()
    mode = "max-autotune-no-cudagraphs" if workload.autotuned and tools.autotune else None
    compiled = torch.compile(function, mode=mode, dynamic=False)
    compiled(*inputs)
    return Contender("compile", lambda: compiled(*inputs))


def prepare_eager_channels_last(workload, inputs, tools):
    return workload.channels_last and Contender("eager_channels_last", workload.channels_last(*inputs))


def prepare_jax(workload, inputs, tools):
    if not workload.jax:
        return None
    import jax
    # JAX knows no 64-bit integers unless all are; indices fit.
    arrays = [jax.dlpack.from_dlpack(x.int() if x.dtype == torch.int64 else x) for x in inputs]
    function = jax.jit(workload.jax)
    jax.block_until_ready(function(*arrays))
    return Contender("jax", lambda: jax.block_until_ready(function(*arrays)), waits=True)


def prepare_cupy(workload, inputs, tools):
    if not workload.cupy:
        return None
    import cupy
    arrays = [cupy.from_dlpack(x) for x in inputs]

    def run():
        with cupy.cuda.ExternalStream(current_stream()):
            return workload.cupy(cupy, *arrays)
    return Contender("cupy", run)


def prepare_library(workload, inputs, tools):
    if not workload.library:
        return None
    if tools.peers is None:
        from .library import Library
        tools.peers = Library(tools.architecture)
    run = workload.library(tools.peers, *inputs)
    return run and Contender("library", run)


PREPARE = {"ours": prepare_ours, "eager": prepare_eager, "compile": prepare_compile,
           "eager_channels_last": prepare_eager_channels_last, "jax": prepare_jax, "cupy": prepare_cupy,
           "library": prepare_library}


def as_torch(result):
    """A contender's result as a list of tensors of PyTorch."""
    parts = result if isinstance(result, (tuple, list)) else [result]
    return [part if isinstance(part, torch.Tensor) else torch.from_dlpack(part) for part in parts]

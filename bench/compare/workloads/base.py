"""What a workload has to say for itself: data, the same computation for each contender, and what is right.

Tensors come in the order of the program's parameters, results in the order of its outputs. A contender that a workload has no
method for does not take part. Methods are called with the inputs and may use `self.sizes` (by attribute), `self.row` and
`self.dtype`.
"""
import types

import torch

from ..checking import Values, bound

DTYPES = {"f32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "u8": torch.uint8}

REGISTRY = {}


def workload(name):
    """Makes a class the workload of this name in suite.tsv."""
    def register(cls):
        REGISTRY[name] = cls
        return cls
    return register


class Maker:
    """Fresh random tensors on a device."""

    def __init__(self, device, seed):
        self.device = device
        self.generator = torch.Generator(device).manual_seed(seed)

    def normal(self, *shape, dtype=torch.float32):
        return torch.randn(*shape, device=self.device, generator=self.generator).to(dtype)

    def integers(self, end, *shape, dtype=torch.int64):
        return torch.randint(0, end, shape, device=self.device, generator=self.generator, dtype=dtype)


class Workload:
    autotuned = False        # torch.compile searches among its own kernels and the library's
    jax_precision = None     # of products of f32

    def __init__(self, row):
        self.row = row
        self.sizes = types.SimpleNamespace(**row.sizes)
        self.dtype = DTYPES[row.type]

    def inputs(self, make):
        """Tensors in the order of the program's parameters."""
        raise NotImplementedError

    def outputs(self):
        """(dtype, shape) of each output."""
        raise NotImplementedError

    def outputs_like(self, *shapes):
        return [(self.dtype, shape) for shape in shapes]

    # The contenders: `torch` is run as it is and compiled; `jax` is handed arrays; `cupy` the module and arrays; `library` is
    # handed bench/compare/library.py and says how to run it. `channels_last` rearranges inputs and returns what to run.
    torch = compiled = jax = cupy = library = channels_last = None

    def exact(self, *wide):
        """The results from float64 inputs, a tensor or a tuple."""
        return self.torch(*wide)

    def scale(self, *wide):
        """The scale of each result (checking.py), a tensor or a tuple; None where nothing cancels."""
        return None

    def tolerance(self):
        return bound(stored=self.dtype)

    def expected(self, *inputs):
        """How each result is to be checked."""
        wide = [x.double() if x.is_floating_point() else x for x in inputs]
        wants = as_tuple(self.exact(*wide))
        scales = as_tuple(self.scale(*wide)) or (None,) * len(wants)
        return [Values(want, scale, self.tolerance()) for want, scale in zip(wants, scales, strict=True)]


class Linear(Workload):
    """Sums of products with factors that are inputs: each term's square is the same sum over squares."""

    def scale(self, *wide):
        squares = [x * x if x.is_floating_point() else x for x in wide]
        return tuple(part.sqrt_() for part in as_tuple(self.exact(*squares)))


def as_tuple(results):
    if results is None:
        return ()
    return tuple(results) if isinstance(results, (tuple, list)) else (results,)

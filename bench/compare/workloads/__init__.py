"""The workloads of bench/suite.tsv by name. Needs PyTorch; JAX and CuPy only where their contenders are asked for."""
from . import attention, elementwise, layout, normalise, pairs, products, reductions, scatters, stencils  # noqa: F401
from .base import REGISTRY, Maker

__all__ = ["Maker", "make"]


def make(row):
    return REGISTRY[row.workload](row)

"""Results whose place depends on the data."""
import torch

from ..checking import Same, bound
from .base import Linear, Workload, workload


@workload("histogram")
class Histogram(Workload):
    def inputs(self, make):
        return (make.integers(256, self.sizes.N, dtype=torch.uint8),)

    def outputs(self):
        return [(torch.int32, (256,))]

    def torch(self, x):
        return torch.bincount(x, minlength=256)

    compiled = False

    def cupy(self, cupy, x):
        return cupy.histogram(x, bins=256, range=(0, 256))[0]

    def library(self, library, x):
        return library.histogram(x)

    def expected(self, x):
        return [Same(torch.bincount(x, minlength=256))]


@workload("scatter_add")
class ScatterAdd(Linear):
    def inputs(self, make):
        return make.integers(self.sizes.M, self.sizes.N, dtype=torch.int32), make.normal(self.sizes.N)

    def outputs(self):
        return self.outputs_like((self.sizes.M,))

    def torch(self, to, v):
        return torch.zeros(self.sizes.M, device=v.device, dtype=v.dtype).index_add_(0, to, v)

    def jax(self, to, v):
        import jax.numpy as jnp
        return jnp.zeros(self.sizes.M, jnp.float32).at[to].add(v)

    def tolerance(self):
        return bound(terms=64 + 4 * self.sizes.N // self.sizes.M)

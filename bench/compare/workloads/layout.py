"""Permutations of axes: results are equal bit for bit."""
from ..checking import Same
from .base import Workload, workload


class Permutation(Workload):
    order = ()

    def shape(self):
        raise NotImplementedError

    def inputs(self, make):
        return (make.normal(*self.shape(), dtype=self.dtype),)

    def outputs(self):
        return self.outputs_like(tuple(self.shape()[axis] for axis in self.order))

    def torch(self, x):
        return x.permute(self.order).contiguous()

    def jax(self, x):
        import jax.numpy as jnp
        return jnp.transpose(x, self.order)

    def expected(self, x):
        return [Same(self.torch(x))]


@workload("transpose")
class Transpose(Permutation):
    order = (1, 0)

    def shape(self):
        return self.sizes.M, self.sizes.N

    def library(self, library, x):
        return library.transpose(x)


@workload("heads_first")
class HeadsFirst(Permutation):
    order = (0, 2, 1, 3)

    def shape(self):
        s = self.sizes
        return s.B, s.S, s.H, s.D


@workload("reverse_axes")
class ReverseAxes(Permutation):
    order = (3, 2, 1, 0)

    def shape(self):
        s = self.sizes
        return s.I, s.J, s.K, s.L

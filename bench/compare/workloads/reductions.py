"""Sums, greatest elements and running totals."""
import torch

from ..checking import Best, bound
from .base import Linear, Workload, workload


class OfRows(Linear):
    def inputs(self, make):
        return (make.normal(self.sizes.M, self.sizes.N),)

    def tolerance(self):
        return bound(terms=self.sizes.N)


@workload("sum_all")
class SumAll(Linear):
    def inputs(self, make):
        return (make.normal(self.sizes.N),)

    def outputs(self):
        return self.outputs_like(())

    def torch(self, x):
        return x.sum()

    jax = torch

    def cupy(self, cupy, x):
        return cupy.sum(x)

    def library(self, library, x):
        return library.total(x)

    def tolerance(self):
        return bound(terms=self.sizes.N)


@workload("row_sum")
class RowSum(OfRows):
    def outputs(self):
        return self.outputs_like((self.sizes.M,))

    def torch(self, x):
        return x.sum(1)

    jax = torch

    def library(self, library, x):
        return library.row_sum(x)


@workload("column_sum")
class ColumnSum(OfRows):
    def outputs(self):
        return self.outputs_like((self.sizes.N,))

    def torch(self, x):
        return x.sum(0)

    jax = torch

    def tolerance(self):
        return bound(terms=self.sizes.M)


@workload("row_argmax")
class RowArgmax(Workload):
    def inputs(self, make):
        return (make.normal(self.sizes.M, self.sizes.N),)

    def outputs(self):
        return [(torch.int32, (self.sizes.M,))]

    def torch(self, x):
        return x.argmax(1)

    jax = torch

    def library(self, library, x):
        return library.row_argmax(x)

    def expected(self, x):
        return [Best(-x, scale=1.0)]


@workload("cumsum")
class Cumsum(Linear):
    def inputs(self, make):
        return (make.normal(self.sizes.N),)

    def outputs(self):
        return self.outputs_like((self.sizes.N,))

    def torch(self, x):
        return x.cumsum(0)

    def jax(self, x):
        import jax.numpy as jnp
        return jnp.cumsum(x)

    def cupy(self, cupy, x):
        return cupy.cumsum(x)

    def library(self, library, x):
        return library.running_total(x)

    def tolerance(self):
        return bound(terms=self.sizes.N)


@workload("row_cumsum")
class RowCumsum(OfRows):
    def outputs(self):
        return self.outputs_like((self.sizes.M, self.sizes.N))

    def torch(self, x):
        return x.cumsum(1)

    def jax(self, x):
        import jax.numpy as jnp
        return jnp.cumsum(x, 1)

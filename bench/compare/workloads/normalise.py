"""Rows that are reduced and then gone over once more."""
import torch
import torch.nn.functional as F

from ..checking import bound
from .base import Workload, workload


class Rows(Workload):
    def outputs(self):
        return self.outputs_like((self.sizes.M, self.sizes.N))

    def tolerance(self):
        return bound(terms=self.sizes.N, stored=self.dtype)


@workload("softmax")
class Softmax(Rows):
    def inputs(self, make):
        return (make.normal(self.sizes.M, self.sizes.N, dtype=self.dtype),)

    def torch(self, x):
        return torch.softmax(x, -1)

    def jax(self, x):
        import jax
        return jax.nn.softmax(x, -1)

    def tolerance(self):
        # Some sixteen roundings of the exponent, which reaches 10.
        return bound(terms=self.sizes.N, stored=self.dtype, extra=2.0 ** -20)


@workload("layernorm")
class LayerNorm(Rows):
    def inputs(self, make):
        s = self.sizes
        return make.normal(s.M, s.N, dtype=self.dtype), make.normal(s.N, dtype=self.dtype), make.normal(s.N, dtype=self.dtype)

    def torch(self, x, gain, shift):
        return F.layer_norm(x, (self.sizes.N,), gain, shift, 1e-5)

    def jax(self, x, gain, shift):
        import jax.numpy as jnp
        y = x.astype(jnp.float32)
        off = y - y.mean(-1, keepdims=True)
        return (off / jnp.sqrt((off ** 2).mean(-1, keepdims=True) + 1e-5) * gain + shift).astype(x.dtype)

    def scale(self, x, gain, shift):
        # Where a row has one element, or equal ones, what is left of x - mean is rounding.
        return (shift.abs() + gain.abs()).expand_as(x)


@workload("rmsnorm")
class RmsNorm(Rows):
    def inputs(self, make):
        return make.normal(self.sizes.M, self.sizes.N, dtype=self.dtype), make.normal(self.sizes.N, dtype=self.dtype)

    def torch(self, x, gain):
        return F.rms_norm(x, (self.sizes.N,), gain, 1e-6)

    def jax(self, x, gain):
        import jax.numpy as jnp
        y = x.astype(jnp.float32)
        return (y / jnp.sqrt((y * y).mean(-1, keepdims=True) + 1e-6) * gain).astype(x.dtype)


@workload("cross_entropy")
class CrossEntropy(Workload):
    def inputs(self, make):
        return make.normal(self.sizes.M, self.sizes.N, dtype=self.dtype), make.integers(self.sizes.N, self.sizes.M)

    def outputs(self):
        return [(torch.float32, (self.sizes.M,))]

    def torch(self, logits, target):
        return F.cross_entropy(logits.float(), target, reduction="none")

    def jax(self, logits, target):
        import jax
        import jax.numpy as jnp
        logs = jax.nn.log_softmax(logits.astype(jnp.float32), -1)
        return -jnp.take_along_axis(logs, target[:, None], 1)[:, 0]

    def exact(self, logits, target):
        return F.cross_entropy(logits, target, reduction="none")

    def scale(self, logits, target):
        return logits.abs().max(-1).values + 1

    def tolerance(self):
        return bound(terms=self.sizes.N)

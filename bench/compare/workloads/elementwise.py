"""Maps of elements and of records."""
import torch
import torch.nn.functional as F

from ..checking import bound
from .base import Workload, workload


@workload("saxpy")
class Saxpy(Workload):
    def inputs(self, make):
        return make.normal(self.sizes.N), make.normal(self.sizes.N)

    def outputs(self):
        return self.outputs_like((self.sizes.N,))

    def torch(self, x, y):
        return self.row.given["a"] * x + y

    jax = torch

    def scale(self, x, y):
        return (6.25 * x * x + y * y).sqrt()


@workload("bias_gelu_residual")
class BiasGeluResidual(Workload):
    def inputs(self, make):
        s = self.sizes
        return (make.normal(s.M, s.N, dtype=self.dtype), make.normal(s.N, dtype=self.dtype),
                make.normal(s.M, s.N, dtype=self.dtype))

    def outputs(self):
        return self.outputs_like((self.sizes.M, self.sizes.N))

    def torch(self, x, bias, residual):
        return F.gelu(x + bias, approximate="tanh") + residual

    def jax(self, x, bias, residual):
        import jax
        return jax.nn.gelu(x + bias, approximate=True) + residual

    def scale(self, x, bias, residual):
        return x.abs() + bias.abs() + residual.abs()


@workload("field_x")
class FieldX(Workload):
    """The peers see records of three as rows of a matrix; the product keeps them from handing out a view."""

    def inputs(self, make):
        return (make.normal(self.sizes.N, 3),)

    def outputs(self):
        return self.outputs_like((self.sizes.N,))

    def torch(self, p):
        return p[:, 0] * 1.0

    jax = torch

    def tolerance(self):
        return 0.0


@workload("particle_update")
class ParticleUpdate(Workload):
    """Records x y z vx vy vz m q."""

    def inputs(self, make):
        return (make.normal(self.sizes.N, 8),)

    def outputs(self):
        return self.outputs_like((self.sizes.N, 8))

    def torch(self, p):
        return torch.cat(self.parts(p), 1)

    def jax(self, p):
        import jax.numpy as jnp
        return jnp.concatenate(self.parts(p), 1)

    def parts(self, p):
        x, v, m = p[:, 0:3], p[:, 3:6], p[:, 6:7]
        v2 = v * 0.99 + 0.01 / (m * m + 1.0)
        return [x + 0.01 * v2, v2, p[:, 6:8]]

    def scale(self, p):
        scale = torch.zeros_like(p)
        scale[:, 0:6] = p[:, 0:6].abs() + 0.01
        return scale


@workload("branchy")
class Branchy(Workload):
    def inputs(self, make):
        return (make.normal(self.sizes.N),)

    def outputs(self):
        return self.outputs_like((self.sizes.N,))

    def torch(self, x):
        return torch.where(x > 0.5, x * 2.0, x + 1.0)

    def jax(self, x):
        import jax.numpy as jnp
        return jnp.where(x > 0.5, x * 2.0, x + 1.0)

    def scale(self, x):
        return x.abs()


@workload("black_scholes")
class BlackScholes(Workload):
    def inputs(self, make):
        n = self.sizes.N
        return make.normal(n).abs() + 1, make.normal(n).abs() + 1, make.normal(n).abs() + 0.1

    def outputs(self):
        return self.outputs_like((self.sizes.N,), (self.sizes.N,))

    def prices(self, s, k, t, log, sqrt, erf, exp):
        d1 = (log(s / k) + (0.02 + 0.5 * 0.09) * t) / (0.3 * sqrt(t))
        d2 = d1 - 0.3 * sqrt(t)

        def below(d):
            return 0.5 * (1 + erf(d * 0.7071067811865476))
        owed = k * exp(-0.02 * t)
        return s * below(d1) - owed * below(d2), owed * below(-d2) - s * below(-d1)

    def torch(self, s, k, t):
        return self.prices(s, k, t, torch.log, torch.sqrt, torch.erf, torch.exp)

    def jax(self, s, k, t):
        import jax
        import jax.numpy as jnp
        return self.prices(s, k, t, jnp.log, jnp.sqrt, jax.lax.erf, jnp.exp)

    def scale(self, s, k, t):
        return s + k, s + k

    def tolerance(self):
        return bound(terms=256)

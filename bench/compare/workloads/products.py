"""Products of matrices and what is one at heart."""
import torch
import torch.nn.functional as F

from ..checking import bound
from .base import Linear, workload


class Product(Linear):
    autotuned = True
    terms = 1

    @property
    def jax_precision(self):
        return "highest" if self.row.type == "f32" else None

    def tolerance(self):
        # Matrix units round sums of 16-bit factors as if at 2^-21; tf32 rounds each factor to 2^-11 at best, 2^-10 if cut off.
        unit = 2.0 ** -24 if self.row.type == "f32" else 2.0 ** -21
        return bound(self.terms, unit, self.dtype, extra=8 * 2.0 ** -10 if self.row.type == "tf32" else 0.0)


@workload("matmul")
class Matmul(Product):
    """A[M, K] B[K, N], or a batch of them."""

    @property
    def terms(self):
        return self.sizes.K

    def inputs(self, make):
        s = self.sizes
        batch = (s.B,) if hasattr(s, "B") else ()
        return make.normal(*batch, s.M, s.K, dtype=self.dtype), make.normal(*batch, s.K, s.N, dtype=self.dtype)

    def outputs(self):
        s = self.sizes
        return self.outputs_like(((s.B,) if hasattr(s, "B") else ()) + (s.M, s.N))

    def torch(self, a, b):
        return a @ b

    def jax(self, a, b):
        import jax.numpy as jnp
        return jnp.matmul(a, b, precision=self.jax_precision)

    def library(self, library, a, b):
        return library.product(a, b, tf32=self.row.type == "tf32")


@workload("gemm_bias_gelu")
class GemmBiasGelu(Product):
    @property
    def terms(self):
        return self.sizes.K

    def inputs(self, make):
        s = self.sizes
        return make.normal(s.M, s.K, dtype=self.dtype), make.normal(s.K, s.N, dtype=self.dtype), make.normal(s.N, dtype=self.dtype)

    def outputs(self):
        return self.outputs_like((self.sizes.M, self.sizes.N))

    def torch(self, a, b, bias):
        return F.gelu(a @ b + bias, approximate="tanh")

    def jax(self, a, b, bias):
        import jax
        import jax.numpy as jnp
        return jax.nn.gelu(jnp.matmul(a, b) + bias, approximate=True)

    def library(self, library, a, b, bias):
        return library.product(a, b, bias=bias)

    def scale(self, a, b, bias):
        return ((a * a) @ (b * b) + bias * bias).sqrt_()


@workload("gemv")
class Gemv(Product):
    autotuned = False

    @property
    def terms(self):
        return self.sizes.N

    def inputs(self, make):
        return make.normal(self.sizes.M, self.sizes.N), make.normal(self.sizes.N)

    def outputs(self):
        return self.outputs_like((self.sizes.M,))

    def torch(self, a, x):
        return a @ x

    def jax(self, a, x):
        import jax.numpy as jnp
        return jnp.matmul(a, x, precision="highest")

    def library(self, library, a, x):
        return library.matrix_vector(a, x)


@workload("contract")
class Contract(Product):
    @property
    def terms(self):
        return self.sizes.E * self.sizes.F

    def inputs(self, make):
        s = self.sizes
        return make.normal(s.P, s.E, s.Q, s.F), make.normal(s.S, s.F, s.R, s.E)

    def outputs(self):
        s = self.sizes
        return self.outputs_like((s.P, s.Q, s.R, s.S))

    def torch(self, a, b):
        return torch.einsum("aebf,dfce->abcd", a, b)

    def jax(self, a, b):
        import jax.numpy as jnp
        return jnp.einsum("aebf,dfce->abcd", a, b, precision="highest")


@workload("conv2d")
class Conv2d(Product):
    autotuned = False

    @property
    def terms(self):
        return self.sizes.C * self.sizes.KH * self.sizes.KW

    def inputs(self, make):
        s = self.sizes
        return make.normal(s.N, s.C, s.H, s.W), make.normal(s.O, s.C, s.KH, s.KW)

    def outputs(self):
        s = self.sizes
        return self.outputs_like((s.N, s.O, s.H - s.KH + 1, s.W - s.KW + 1))

    def torch(self, x, k):
        return F.conv2d(x, k)

    def channels_last(self, x, k):
        x, k = x.contiguous(memory_format=torch.channels_last), k.contiguous(memory_format=torch.channels_last)
        return lambda: F.conv2d(x, k)

    def jax(self, x, k):
        import jax
        return jax.lax.conv_general_dilated(x, k, (1, 1), "VALID", precision="highest")

    def exact(self, x, k):
        # As products with the windows of one image after another: float64 convolutions are no strength of any library.
        s = self.sizes
        flat = k.reshape(s.O, -1)
        images = [flat @ F.unfold(image[None], (s.KH, s.KW))[0] for image in x]
        return torch.stack(images).reshape(self.outputs()[0][1])

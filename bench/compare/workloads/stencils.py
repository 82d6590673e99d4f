"""Neighbours in a grid."""
import torch.nn.functional as F

from ..checking import bound
from .base import Linear, workload


class Padded(Linear):
    """The inside is computed, the rim is 0."""

    def inside(self, x):
        raise NotImplementedError

    def torch(self, x):
        return F.pad(self.inside(x), (1,) * (2 * x.dim()))

    def jax(self, x):
        import jax.numpy as jnp
        return jnp.pad(self.inside(x), 1)

    def exact(self, x):
        # Where there is no inside, slices would overlap the wrong way.
        return self.torch(x) if min(x.shape) > 2 else x * 0

    def tolerance(self):
        return bound(terms=8)


@workload("jacobi2d")
class Jacobi(Padded):
    def inputs(self, make):
        return (make.normal(self.sizes.H, self.sizes.W),)

    def outputs(self):
        return self.outputs_like((self.sizes.H, self.sizes.W))

    def inside(self, x):
        return 0.2 * (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])


@workload("heat3d")
class Heat(Padded):
    def inputs(self, make):
        s = self.sizes
        return (make.normal(s.D, s.H, s.W),)

    def outputs(self):
        s = self.sizes
        return self.outputs_like((s.D, s.H, s.W))

    def inside(self, x, middle=-6):
        c = x[1:-1, 1:-1, 1:-1]
        return c + 0.1 * (x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1] + x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1]
                          + x[1:-1, 1:-1, :-2] + x[1:-1, 1:-1, 2:] + middle * c)

    def scale(self, x):
        # All terms positive: the middle would cancel what the neighbours add.
        return F.pad(self.inside(x.abs(), middle=6), (1,) * 6) if min(x.shape) > 2 else x * 0


@workload("box5x5")
class Box(Linear):
    def inputs(self, make):
        return make.normal(self.sizes.H, self.sizes.W), make.normal(5, 5)

    def outputs(self):
        return self.outputs_like((self.sizes.H, self.sizes.W))

    def torch(self, x, w):
        return F.conv2d(x[None, None], w[None, None], padding=2)[0, 0]

    def jax(self, x, w):
        import jax
        return jax.lax.conv_general_dilated(x[None, None], w[None, None], (1, 1), ((2, 2), (2, 2)), precision="highest")[0, 0]

    def exact(self, x, w):
        # As shifted copies: no library's convolution of float64 is needed.
        h, width = x.shape
        padded = F.pad(x, (2, 2, 2, 2))
        return sum(padded[a:a + h, b:b + width] * w[a, b] for a in range(5) for b in range(5))

    def tolerance(self):
        return bound(terms=25)

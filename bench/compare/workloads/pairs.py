"""Each of many with each of many others."""
import torch

from ..checking import Best, bound
from .base import Workload, workload


@workload("nbody")
class NBody(Workload):
    """Records x y z m; the pull on each is a record of three. Eagerly it does not fit in memory."""
    SOFT = 1e-3

    def inputs(self, make):
        return (make.normal(self.sizes.N, 4),)

    def outputs(self):
        return self.outputs_like((self.sizes.N, 3))

    def compiled(self, p):
        d = p[None, :, :3] - p[:, None, :3]
        near = torch.rsqrt((d * d).sum(-1) + self.SOFT)
        return ((p[None, :, 3] * near ** 3)[..., None] * d).sum(1)

    def jax(self, p):
        import jax
        d = p[None, :, :3] - p[:, None, :3]
        near = jax.lax.rsqrt((d * d).sum(-1) + self.SOFT)
        return ((p[None, :, 3] * near ** 3)[..., None] * d).sum(1)

    def rows_of(self, p, combine):
        """Some bodies after another, since all pairs at once do not fit."""
        out = torch.empty(len(p), 3, dtype=p.dtype, device=p.device)
        for start in range(0, len(p), 512):
            d = p[None, :, :3] - p[start:start + 512, None, :3]
            pull = (p[None, :, 3] * torch.rsqrt((d * d).sum(-1) + self.SOFT) ** 3)[..., None] * d
            out[start:start + 512] = combine(pull)
        return out

    def exact(self, p):
        return self.rows_of(p, lambda pull: pull.sum(1))

    def scale(self, p):
        return self.rows_of(p, lambda pull: (pull * pull).sum(1).sqrt())

    def tolerance(self):
        return bound(terms=self.sizes.N)


@workload("nearest")
class Nearest(Workload):
    """|c|^2 - 2 x c decides: |x|^2 is the same for all centres."""
    autotuned = True
    jax_precision = "highest"

    def inputs(self, make):
        return make.normal(self.sizes.M, self.sizes.D), make.normal(self.sizes.N, self.sizes.D)

    def outputs(self):
        return [(torch.int32, (self.sizes.M,))]

    def costs(self, x, c):
        return (c * c).sum(1)[None] - 2 * x @ c.T

    def torch(self, x, c):
        return self.costs(x, c).argmin(1)

    def jax(self, x, c):
        import jax.numpy as jnp
        return jnp.argmin((c * c).sum(1)[None] - 2 * jnp.matmul(x, c.T, precision="highest"), 1)

    def expected(self, x, c):
        x, c = x.double(), c.double()
        scale = (c * c).sum(1).max() + 2 * x.norm(dim=1).max() * c.norm(dim=1).max()
        return [Best(self.costs(x, c), scale=float(scale), tolerance=bound(terms=self.sizes.D))]

"""Scaled dot-product attention."""
import math

import torch
import torch.nn.functional as F

from ..checking import bound
from .base import Workload, workload


@workload("attention")
class Attention(Workload):
    causal = False

    def shape(self):
        s = self.sizes
        return s.B, s.H, s.S, s.D

    def inputs(self, make):
        return tuple(make.normal(*self.shape(), dtype=self.dtype) for _ in range(3))

    def outputs(self):
        return self.outputs_like(self.shape())

    def torch(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)

    def exact(self, q, k, v):
        return self.heads(q, k, v, lambda p, values: p @ values)

    def scale(self, q, k, v):
        return self.heads(q, k, v, lambda p, values: ((p * p) @ (values * values)).sqrt())

    def heads(self, q, k, v, combine):
        """One head after another, since all weights at once do not fit."""
        s = self.sizes
        out = torch.empty_like(q)
        hidden = torch.ones(s.S, s.S, dtype=torch.bool, device=q.device).triu(1) if self.causal else None
        for b in range(s.B):
            for h in range(s.H):
                scores = q[b, h] @ k[b, h].T / math.sqrt(s.D)
                if hidden is not None:
                    scores.masked_fill_(hidden, -math.inf)
                out[b, h] = combine(torch.softmax(scores, -1), v[b, h])
        return out

    def tolerance(self):
        # Weights may be rounded to the type of the values before they are multiplied.
        return bound(self.sizes.S, 2.0 ** -21, self.dtype, extra=5 * 2.0 ** -8)


@workload("causal_attention")
class CausalAttention(Attention):
    causal = True

"""How far a result is from float64, and how far it may be.

An error is |got - want| / (scale + |want|), the greatest over all elements of an output. `scale` is the size of a typical
partial result: the root of the sum of squares of what is added up, since terms of either sign cancel and the sum of their
absolute values would hide a lost term. It is 0 where nothing cancels.
"""
import dataclasses
import math

import torch

# Greatest relative error of one rounding, by type of the result.
ROUNDING = {torch.float32: 2.0 ** -24, torch.float16: 2.0 ** -11, torch.bfloat16: 2.0 ** -8}
CHUNK = 2 ** 25


def slack(contender, outputs):
    """How many times the tolerance a contender is allowed. Peers may round between operations where ours rounds once, in 16 bits
    too: a softmax that rounds x - max to bf16 is off by several per cent."""
    if contender == "ours":
        return 1
    return 16 if any(dtype in (torch.float16, torch.bfloat16) for dtype, _ in outputs) else 4


def bound(terms=1, unit=2.0 ** -24, stored=torch.float32, extra=0.0):
    """What rounding may do to a sum of so many terms, in an order that is not known, stored once. Chains of more than 2^16
    additions are not expected of anyone."""
    store = 1.25 * ROUNDING[stored] if stored != torch.float32 else 0.0
    return (2 * min(math.ceil(math.sqrt(terms)), 256) + 8) * unit + store + extra


def as_number(error):
    """NaN counts as infinitely wrong."""
    return math.inf if math.isnan(error) else error


@dataclasses.dataclass
class Values:
    """Real numbers, with an error that is allowed."""
    want: torch.Tensor
    scale: torch.Tensor | None
    tolerance: float

    def __post_init__(self):
        if self.scale is not None and self.scale.shape != self.want.shape:
            raise ValueError(f"the scale has shape {tuple(self.scale.shape)}, not {tuple(self.want.shape)}")

    def error(self, got):
        if got.shape != self.want.shape:
            raise ValueError(f"the result has shape {tuple(got.shape)}, not {tuple(self.want.shape)}")
        got, want = got.reshape(-1), self.want.reshape(-1)
        scale = self.scale.reshape(-1) if self.scale is not None else None
        worst = 0.0
        for start in range(0, want.numel(), CHUNK):
            part = slice(start, start + CHUNK)
            size = want[part].abs() + (scale[part] if scale is not None else 0)
            # The least normal f32 keeps 0 / 0 out; a value where 0 is due is still infinitely wrong.
            off = (got[part].double() - want[part]).abs() / size.clamp_min(2.0 ** -126)
            worst = max(worst, as_number(off.max().item()))
        return worst


@dataclasses.dataclass
class Same:
    """Elements that must be equal: the error is the number of those that are not."""
    want: torch.Tensor
    tolerance: float = 0.0

    def error(self, got):
        if got.shape != self.want.shape:
            raise ValueError(f"the result has shape {tuple(got.shape)}, not {tuple(self.want.shape)}")
        got, want = got.reshape(-1), self.want.reshape(-1)
        return float(sum((got[at:at + CHUNK] != want[at:at + CHUNK]).sum().item() for at in range(0, want.numel(), CHUNK)))


@dataclasses.dataclass
class Best:
    """Places of the least of `costs` in each row: what the cost there is above the least one, over `scale`. Equals may win."""
    costs: torch.Tensor
    scale: float
    tolerance: float = 0.0

    def error(self, got):
        if got.shape != self.costs.shape[:1]:
            raise ValueError(f"the result has shape {tuple(got.shape)}, not {tuple(self.costs.shape[:1])}")
        at = got.long()
        if at.numel() and not (0 <= at.min().item() and at.max().item() < self.costs.shape[1]):
            return math.inf
        above = self.costs.gather(1, at[:, None])[:, 0] - self.costs.min(1).values
        return as_number(above.max().item()) / self.scale


def compare(expected, results, slack=1):
    """What is recorded of a contender's results: its worst error, and whether each output is within its tolerance."""
    if len(results) != len(expected):
        raise ValueError(f"{len(results)} results instead of {len(expected)}")
    errors = [one.error(got) for one, got in zip(expected, results)]
    worst = max(errors)
    return {"max_error": worst if math.isfinite(worst) else None, "tolerance": slack * max(one.tolerance for one in expected),
            "ok": all(error <= slack * one.tolerance for error, one in zip(errors, expected))}

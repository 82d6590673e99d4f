"""Inputs that have broken tools of this kind, with what must come out. The programs are in faults/*.cdsl."""
from dataclasses import dataclass, field

import numpy as np

inf, nan = np.inf, np.nan
INT_MIN = -2 ** 31


@dataclass
class Fault:
    """One call of one fn. Tensors are (type, values); results too. `error` is what the message must say instead."""
    file: str
    fn: str
    given: dict
    expect: dict = field(default_factory=dict)
    error: str = None
    note: str = ""
    tolerance: float = 0.0

    @property
    def name(self):
        return f"{self.file}.{self.fn}" + (f" ({self.note})" if self.note else "")


def i32(*values):
    return "i32", np.array(values)


def f32(*values):
    return "f32", np.array(values, np.float64)


def counted(*shape):
    return np.arange(int(np.prod(shape))).reshape(shape)


def launch_limits():
    x = counted(10923, 6, 4, 8) % 1000
    yield Fault("launch_limits", "sums", dict(X=("i32", x)), dict(Y=("i32", x.sum(axis=3))))
    for shape in ((93288, 2, 2), (2, 2, 93288)):
        x = counted(*shape)
        yield Fault("launch_limits", "add_one", dict(X=("i32", x)), dict(Y=("i32", x + 1)), note=f"{shape}")
    for a in (65535, 65536, 65537):
        x = counted(a, 3)
        yield Fault("launch_limits", "double", dict(X=("i32", x)), dict(Y=("i32", x * 2)), note=str(a))


def empty():
    for shape in ((0, 0), (10, 0), (0, 10)):
        x = np.zeros(shape)
        yield Fault("empty", "twice", dict(X=("f32", x)), dict(Y=("f32", x)), note=f"{shape}")
    x = np.zeros((3, 0, 5))
    yield Fault("empty", "add_one", dict(X=("f32", x)), dict(Y=("f32", x)))
    five = np.zeros((5, 0))
    yield Fault("empty", "folds", dict(X=("f32", five)), dict(
        S=f32(*[0] * 5), P=f32(*[1] * 5), G=f32(*[-inf] * 5), L=f32(*[inf] * 5), C=i32(*[0] * 5)))
    yield Fault("empty", "integer_folds", dict(X=("i32", five)), dict(
        G=i32(*[INT_MIN] * 5), L=i32(*[2 ** 31 - 1] * 5)))
    yield Fault("empty", "place", dict(X=("f32", five)), dict(A=i32(*[-1] * 5)), note="reported")
    for shape in ((1, 1, 1), (1, 1, 7), (7, 1, 1), (513, 1, 3), (0, 4, 2)):
        x = counted(*shape)
        yield Fault("empty", "whole", dict(X=("i32", x)), dict(S=("i32", x.sum())), note=f"{shape}")


def broadcast():
    b = counted(2, 4) + 1.0
    for rows in (1, 2):
        a = counted(rows, 4) - 1.5
        yield Fault("broadcast", "scale", dict(A=("f32", a), B=("f32", b)), dict(Y=("f32", a * b)), note=f"{rows} rows")
    yield Fault("broadcast", "scale", dict(A=("f32", np.zeros((3, 4))), B=("f32", b)), error="M", note="3 rows for 2")
    x, v = counted(3, 4, 1, 1, 64) * 0.5, counted(64) * 2.0
    yield Fault("broadcast", "shift", dict(X=("f32", x), V=("f32", v)), dict(Y=("f32", x + v)))


def tiles():
    yield Fault("tiles", "parts", dict(X=i32(1)), dict(Y=i32(*[6] * 100 + [1] * 156)))
    a, b = counted(100, 100) % 17 - 8, counted(100, 100) % 13 - 6
    yield Fault("tiles", "product", dict(A=("i32", a), B=("i32", b)), dict(C=("i32", a @ b)))
    x = -1.0 - (counted(7, 1000) * 37 % 1000) / 1000
    yield Fault("tiles", "folds", dict(X=("f32", x)), dict(
        G=("f32", x.max(axis=1)), P=("f32", np.full(7, inf)), A=("i32", x.argmax(axis=1))), tolerance=1e-6)
    x = counted(37) + 1.0
    yield Fault("tiles", "delayed", dict(X=("f32", x)), dict(Y=("f32", np.concatenate([[0, 0], x[:-2]]))))
    for shape in ((1, 3), (5, 7)):
        x = counted(*shape)
        yield Fault("tiles", "moved", dict(X=("f16", x)), dict(Y=("f16", x[:, 1:])), note=f"{shape}")
    for shape in ((2, 64, 31), (2, 63, 33)):
        x = counted(*shape) % 251
        yield Fault("tiles", "turned", dict(X=("bf16", x)), dict(Y=("bf16", x.swapaxes(1, 2))), note=f"{shape}")


def not_a_number():
    for n in (7, 256, 5000):
        x = np.tile(np.sin(np.arange(n)), (4, 1)).astype(np.float32).astype(np.float64)
        at = [int(x[0].argmax()), 0, n // 2, n - 1]
        for row, place in list(enumerate(at))[1:]:
            x[row, place] = nan
        top = np.array([x[0].max(), nan, nan, nan])
        least = np.array([x[0].min(), nan, nan, nan])
        yield Fault("not_a_number", "greatest", dict(X=("f32", x)), dict(G=("f32", top), A=i32(*at)), note=str(n))
        yield Fault("not_a_number", "plain_greatest", dict(X=("f32", x)), dict(G=("f32", top), L=("f32", least)),
                    note=str(n))
    x = counted(257, 257) * 131 % 8
    yield Fault("not_a_number", "least", dict(X=("f32", x)), dict(A=("i32", x.argmin(axis=1))))
    yield Fault("not_a_number", "pair", dict(a=f32(-0.0, 0.0, nan, 1), b=f32(0.0, -0.0, 1, nan)),
                dict(most=f32(0.0, 0.0, nan, nan), fewest=f32(-0.0, -0.0, nan, nan)))
    yield Fault("not_a_number", "plain_greatest", dict(X=("f32", np.array([[-0.0, 0.0], [0.0, -0.0]]))),
                dict(G=f32(0.0, 0.0), L=f32(-0.0, -0.0)), note="zeros")
    yield Fault("not_a_number", "angle", dict(x=f32(0.0)), dict(y=f32(0.0)))
    yield Fault("not_a_number", "product", dict(X=("f32", counted(50))), dict(P=("f32", np.array(0.0))))


def rewriting():
    yield Fault("rewriting", "zeroed", dict(X=f32(1, inf, nan, -2)), dict(Y=f32(0, nan, nan, -0.0), Z=f32(0, nan, nan, 0)))
    yield Fault("rewriting", "overflows", dict(a=f32(89), x=f32(1e20)), dict(Y=f32(inf), Z=f32(inf)))
    yield Fault("rewriting", "replaced", dict(X=f32(nan, 1, -inf)), dict(Y=f32(0, 1, -inf)))
    yield Fault("rewriting", "cube", dict(X=f32(-2)), dict(Y=f32(-8)), tolerance=1e-6)
    rng = np.random.default_rng(1)
    a, b, c, d = (rng.uniform(-1, 1, 33) for _ in range(4))
    yield Fault("rewriting", "products", dict(A=("f64", a), B=("f64", b), C=("f64", c), D=("f64", d)),
                dict(Y=("f64", a * b + c * d), Z=("f64", a * b + c * d)), tolerance=1e-15)
    yield Fault("rewriting", "halved", dict(X=f32(2.0 ** -126), W=f32(2.0 ** -149)),
                dict(Y=f32(2.0 ** -127), Z=f32(2.0 ** -148)))
    tiny = float(np.float32(1e-40))
    yield Fault("rewriting", "roots", dict(X=f32(tiny)),
                dict(L=f32(np.log(tiny)), S=f32(np.sqrt(tiny)), R=f32(tiny ** -0.5)), tolerance=1e-6)


def integers():
    yield Fault("integers", "divided", dict(a=-85), dict(Y=("i32", np.array(18410))))
    yield Fault("integers", "quotients", dict(a=i32(-5, 5, 7, -7, INT_MIN, 9), b=i32(2, -2, 0, 0, -1, 3)),
                dict(Q=i32(-2, -2, 0, 0, INT_MIN, 3), R=i32(-1, 1, 7, -7, 0, 0),
                     FQ=i32(-3, -3, 0, 0, INT_MIN, 3), FR=i32(1, -1, 7, -7, 0, 0)))
    yield Fault("integers", "folded", dict(x=i32(9)), dict(Q=i32(-2, -2, 0, INT_MIN), R=i32(-1, 1, 5, 9)))
    yield Fault("integers", "halfway", dict(a=1), dict(Y=("i32", np.array(-1))))
    bytes_ = np.array([-128, -5, 0, 127])
    yield Fault("integers", "divide_bytes", dict(X=("i8", bytes_), d=1), dict(Y=("i8", bytes_)))
    yield Fault("integers", "offset", dict(X=i32(*range(9))), dict(Y=i32(*range(2, 9))))
    yield Fault("integers", "infinite", dict(big=65535.0, X=("f16", np.ones(3))), dict(Y=("f16", np.full(3, nan))))
    yield Fault("integers", "absolute", dict(X=("i8", bytes_)), dict(Y=("i8", np.array([-128, 5, 0, 127]))))
    yield Fault("integers", "narrowed", dict(X=("i8", np.arange(-128, 128))), dict(Y=("i8", np.zeros(256))))
    yield Fault("integers", "shifted",
                dict(X=("u8", np.array([3, 1, 1, 200, 200])), by=i32(7, 8, -1, 1, 9)),
                dict(Y=("u8", np.array([128, 0, 0, 144, 0])), Z=("i8", np.array([0, 0, 0, -28, -1]))))
    yield Fault("integers", "unsigned_sum", dict(x=0xFFFFFFF0), dict(Y=("i32", np.array(-15))))
    yield Fault("integers", "unsigned_constant", dict(x=0), dict(Y=("i32", np.array(-15))))
    yield Fault("integers", "compared", dict(x=i32(100, 100, 100, 100)), dict(Y=("i32", np.array(0))))
    yield Fault("integers", "wide", dict(a=299999, b=9007199254740993),
                dict(Y=("i32", np.array(2)), Z=("i64", np.array(9007199254740993))))
    yield Fault("integers", "saturated", dict(X=f32(inf, 510, -200, nan, -1.9, 1e30)),
                dict(A=("i8", np.array([127, 127, -128, 0, -1, 127])), B=("u8", np.array([255, 255, 0, 0, 0, 255])),
                     C=i32(2 ** 31 - 1, 510, -200, 0, -1, 2 ** 31 - 1),
                     D=("u64", np.array([2 ** 64 - 1, 510, 0, 0, 0, 2 ** 64 - 1], np.uint64))))
    yield Fault("integers", "truth", dict(X=f32(0.5, -0.3, 0.0, -0.0, nan)),
                dict(Y=("bool", np.array([True, True, False, False, True]))))
    yield Fault("integers", "literals", dict(x=0), dict(
        A=("i64", np.array(2 ** 32)), B=("i32", np.array(INT_MIN)), C=("i64", np.array(-2 ** 63)),
        D=("u64", np.array(2 ** 64 - 1, np.uint64))))


def accumulators():
    yield Fault("accumulators", "sums", dict(x=("bf16", np.ones(512))), dict(S=("bf16", np.array(512.0))))
    with_nan = np.where(np.arange(512) == 300, nan, 1)
    yield Fault("accumulators", "sums", dict(x=("bf16", with_nan)), dict(S=("bf16", np.array(nan))), note="NaN")
    yield Fault("accumulators", "shares", dict(x=("bf16", np.ones(512))), dict(Y=("bf16", np.full(512, 1 / 512))))
    for n in (4096, 8192, 32768):
        yield Fault("accumulators", "half_sums", dict(x=("f16", np.ones(n))), dict(S=("f16", np.array(float(n)))),
                    note=str(n))
    for n in (1, 2, 3, 31, 33, 1000):
        x = counted(n) % 256 - 128
        yield Fault("accumulators", "bytes", dict(x=("i8", x)), dict(S=("i32", x.sum())), note=str(n))
    yield Fault("accumulators", "columns", dict(X=("i32", np.array([[1, 2, 3], [4, 5, 6]]))), dict(Y=i32(5, 7, 9)))
    a = np.linspace(-1, 2, 33)
    yield Fault("accumulators", "pairs", dict(A=("f64", a)),
                dict(S=("f64", np.exp(-np.subtract.outer(a, a) ** 2).sum(axis=1)), G=("f64", np.outer(a, a).max(axis=1))),
                tolerance=1e-13)


def ordering():
    yield Fault("ordering", "reversed", dict(X=i32(*range(48))), dict(Y=i32(*range(47, -1, -1))))
    yield Fault("ordering", "doubled", dict(A=i32(*[21] * 16)),
                dict(A=i32(21, *range(1, 16)), B=i32(42, *range(2, 32, 2))))
    u = np.zeros((102, 17))
    u[0, 8] = u[1, 8] = 1
    out = u.copy()
    for t in range(100):
        out[t + 2, 1:-1] = (2 * out[t + 1, 1:-1] + 0.2 * (out[t + 1, 2:] - 2 * out[t + 1, 1:-1] + out[t + 1, :-2])
                            - out[t, 1:-1])
    yield Fault("ordering", "wave", dict(U=("f64", u), c=0.2), dict(U=("f64", out)), tolerance=1e-10)
    x = counted(1000)
    yield Fault("ordering", "shifted_onto_itself", dict(A=("i32", x)), dict(A=("i32", np.concatenate([[0], x[:-1]]))))
    x = x * 37 % 101
    wide = x.copy()
    wide[1:-1] = x[:-2] + x[2:]
    yield Fault("ordering", "neighbours", dict(A=("i32", x)), dict(A=("i32", wide)))
    x = counted(65, 65)
    yield Fault("ordering", "turned", dict(A=("i32", x)), dict(A=("i32", x.T)))
    a, b = counted(3, 5) - 7.0, counted(2, 3, 5) * 0.5
    yield Fault("ordering", "rectified", dict(A=("f32", a), B=("f32", b)),
                dict(A=("f32", np.maximum(a, 0)), Y=("f32", a + b)))
    b = np.linspace(-3, 3, 33)
    yield Fault("ordering", "twice", dict(A=("f64", b * 0), B=("f64", b)), dict(A=("f64", np.sin(np.sin(b)))),
                tolerance=1e-14)
    u, t = np.zeros((2, 2)), counted(2, 2, 2, 2, 2) + 1.0
    u[1, 0] = 1
    yield Fault("ordering", "contraction", dict(U=("f32", u), T=("f32", t)),
                dict(B=("f32", np.einsum("ac,iayzw->ciyzw", u, t))))
    x, mask = counted(64, 33) * 1.0, counted(64) % 3
    yield Fault("ordering", "masked", dict(X=("f32", x), mask=("i32", mask)),
                dict(S=("f32", np.where(mask != 0, x.sum(axis=1), -1))))


RECORD = np.dtype([("class", np.float32), ("union", np.int32)], align=True)


def names():
    yield Fault("names", "double", dict(asm=f32(1, 2, 3), do=f32(4, 5, 6)), {"float": f32(10, 14, 18)})
    x, v = counted(3, 5) * 1.0, counted(5) + 1.0
    yield Fault("names", "main", dict(threadIdx=("f32", x), NULL=("f32", v)),
                dict(atomicAdd=("f32", x @ v), half=("f32", x - v)))
    before = np.array([(1.5, 7), (2.5, -7)], RECORD)
    after = np.array([(2.5, 6), (3.5, -8)], RECORD)
    yield Fault("names", "kernel", dict(register_=("record", before)), dict(operator=("record", after)))
    yield Fault("names", "clamp_", dict(min=f32(1, 2), max=f32(3, 4), clamp=f32(5, 6)), dict(volatile=f32(20, 36)))


def faults():
    """Every case."""
    for family in (launch_limits, empty, broadcast, tiles, not_a_number, rewriting, integers, accumulators, ordering,
                   names):
        yield from family()

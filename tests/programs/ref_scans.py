"""References for scans, pooling over rows, histograms, gathers and integer recurrences."""
import numpy as np

from problem import Of, integers, problem, uniform
from philox import rand
from ref_layers import softmax

ROWS = [dict(N=1, D=1), dict(N=2, D=3), dict(N=5, D=7), dict(N=3, D=33), dict(N=7, D=31)]
VECTORS = [dict(N=1), dict(N=2), dict(N=3), dict(N=31), dict(N=33), dict(N=257)]


@problem(inputs=dict(x=uniform("f32[N, D]", 0.7, 1.4)), outputs=dict(y="f32"), sizes=ROWS)
def cumprod(x):
    return dict(y=np.cumprod(x, axis=1))


@problem(inputs=dict(x="f32[N, D]"), outputs=dict(y="f32"), sizes=ROWS)
def cumsum_reverse(x):
    return dict(y=np.cumsum(x[:, ::-1], axis=1)[:, ::-1])


@problem(inputs=dict(x="f32[N, D]", mask=integers("bool[N, D]", 0, 2)), outputs=dict(y="f32"), sizes=ROWS)
def masked_cumsum(x, mask):
    return dict(y=np.cumsum(np.where(mask, x, 0), axis=1))


@problem(inputs=dict(x="f32[N]"), outputs=dict(y="f32"), sizes=VECTORS)
def diff(x):
    return dict(y=np.diff(x))


def few_values(rng, N, H, Wd):
    return rng.integers(-3, 4, (N, H, Wd))


@problem(inputs=dict(x=Of("f32", few_values)), outputs=dict(v="f32", p="i32"),
         sizes=[dict(N=1, H=1, Wd=1), dict(N=2, H=3, Wd=5), dict(N=3, H=7, Wd=31), dict(N=1, H=33, Wd=5)])
def argmin_two_axes(x, N):
    flat = x.reshape(N, -1)
    return dict(v=flat.min(axis=1), p=flat.argmin(axis=1))


@problem(inputs=dict(x=integers("i32[N]", -20, 280), wgt="f32[N]"), outputs=dict(h="f32"), sizes=VECTORS)
def histogram_weighted(x, wgt):
    inside = (x >= 0) & (x < 256)
    return dict(h=np.bincount(x[inside], wgt[inside], minlength=256))


BINS = [dict(N=2, npt=1), dict(N=3, npt=7), dict(N=33, npt=5), dict(N=201, npt=31)]


@problem(inputs=dict(data=uniform("f64[N]", 0, 1), r=uniform("f64[N]", 0, 1)), outputs=dict(y="f64"), sizes=BINS,
         params=["npt"])
def azimint_hist(data, r, npt):
    total, _ = np.histogram(r, npt, weights=data)
    hits, _ = np.histogram(r, npt)
    return dict(y=total / hits)


@problem(inputs=dict(data=uniform("f64[N]", 0, 1), r=uniform("f64[N]", 0, 1)), outputs=dict(y="f64"), sizes=BINS,
         params=["npt"])
def azimint_naive(data, r, npt):
    hi = r.max()
    y = np.full(npt, np.nan)
    for b in range(npt):
        inside = (hi * b / npt <= r) & (r < hi * (b + 1) / npt)
        if inside.any():
            y[b] = data[inside].mean()
    return dict(y=y)


@problem(inputs=dict(data=integers("u8[N]", 0, 256)), outputs=dict(y="u16"), sizes=VECTORS)
def crc16(data):
    c = 0xFFFF
    for byte in data.tolist():
        for k in range(8):
            odd = (c ^ (byte >> k)) & 1
            c = (c >> 1) ^ (0x8408 if odd else 0)
    c = ~c & 0xFFFF
    return dict(y=np.uint64((c & 0xFF) << 8 | c >> 8))


@problem(inputs=dict(p=integers("i64[M, N]", 0, 1000), q=integers("i64[M, N]", 0, 1000), a=4, b=3, c=9),
         outputs=dict(y="i64"), sizes=[dict(M=1, N=1), dict(M=3, N=5), dict(M=31, N=33)])
def int64_compute(p, q, a, b, c):
    return dict(y=np.clip(p, 2, 10) * a + q * b + c)


@problem(inputs=dict(x="f32[N, I]", K=uniform("f32[O, I]", -0.3, 0.3), b="f32[O]", seed=20240607),
         outputs=dict(y="f32"), sizes=[dict(N=1, I=1, O=1), dict(N=3, I=5, O=7), dict(N=7, I=3, O=31)])
def dropout_softmax(x, K, b, seed):
    v1 = x @ K.T + b
    kept = rand(seed, np.arange(v1.size)).reshape(v1.shape) >= np.float32(0.2)
    return dict(y=softmax(np.where(kept, v1 / 0.8, 0)))


@problem(inputs=dict(s=integers("u8[N]", 0, 4)), outputs=dict(T="i32"),
         sizes=[dict(N=1), dict(N=2), dict(N=3), dict(N=7), dict(N=19)])
def nussinov(s, N):
    T = np.zeros((N + 1, N + 1), np.int64)
    for i in reversed(range(N)):
        for j in range(i + 1, N):
            pairs = int(s[i] + s[j] == 3) if i < j - 1 else 0
            splits = [T[i, k] + T[k + 1, j] for k in range(i + 1, j)]
            T[i, j] = max([T[i, j - 1], T[i + 1, j], T[i + 1, j - 1] + pairs, 0] + splits)
    return dict(T=T[:N, :N])


@problem(inputs=dict(path0=Of("i32", lambda rng, N: np.where(rng.uniform(size=(N, N)) < 0.3, 999,
                                                             rng.integers(1, 20, (N, N))))),
         outputs=dict(path="i32"), sizes=[dict(N=1), dict(N=2), dict(N=7), dict(N=19)])
def floyd_warshall(path0, N):
    path = path0.copy()
    for k in range(N):
        for i in range(N):
            for j in range(N):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])
    return dict(path=path)


def row_starts(rng, M, Z):
    return np.concatenate([[0], np.sort(rng.integers(0, Z + 1, M - 1)), [Z]])


@problem(inputs=dict(row=Of("u32", row_starts), col=Of("u32", lambda rng, Z, N: rng.integers(0, N, Z)),
                     val="f64[Z]", x="f64[N]"),
         outputs=dict(y="f64"), sizes=[dict(M=1, N=1, Z=1), dict(M=3, N=5, Z=7), dict(M=31, N=7, Z=33)])
def spmv(row, col, val, x, M, N):
    dense = np.zeros((M, N))
    for i in range(M):
        for t in range(int(row[i]), int(row[i + 1])):
            dense[i, int(col[t])] += val[t]
    return dict(y=dense @ x)


@problem(inputs=dict(A=integers("i8[M, K]", -128, 128), B=integers("i8[K, N]", -128, 128), scale="f32[N]"),
         outputs=dict(C="f32"), sizes=[dict(M=1, K=1, N=1), dict(M=3, K=7, N=5), dict(M=31, K=33, N=7)])
def gemm_int8(A, B, scale):
    return dict(C=(A @ B) * scale)

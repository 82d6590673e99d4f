"""References for the examples, other than those on images."""
import math

import numpy as np

from problem import Of, integers, problem, uniform
from ref_convolutions import conv
from ref_layers import normalised, softmax

VECTORS = [dict(N=1), dict(N=2), dict(N=31), dict(N=1028)]
PLANES = [dict(M=1, N=1), dict(M=2, N=31), dict(M=33, N=1), dict(M=31, N=100)]


@problem(inputs=dict(x="f32[N]", y="f32[N]", a=2.5), outputs=dict(r="f32"), sizes=VECTORS, file="examples/saxpy")
def saxpy(x, y, a):
    return dict(r=a * x + y)


@problem(inputs=dict(x=uniform("f32[N]", -4, 4)), outputs=dict(y="f32"), sizes=VECTORS, file="examples/branchy")
def branchy(x):
    return dict(y=np.where(x < 0, np.sin(x) * np.exp(x), np.where(x > 1, np.sqrt(x - 1) + np.log(x), x)))


def normal_distribution(v):
    return np.vectorize(math.erfc, otypes=[float])(-v / np.sqrt(2)) / 2


@problem(inputs=dict(spot=uniform("f32[N]", 5, 30), strike=uniform("f32[N]", 1, 100), years=uniform("f32[N]", 0.25, 10),
                     rate=0.02, vol=0.3),
         outputs=dict(call="f32", put="f32"), sizes=VECTORS, file="examples/black_scholes")
def black_scholes(spot, strike, years, rate, vol):
    """The put by the parity of puts and calls."""
    spread = vol * np.sqrt(years)
    d1 = np.log(spot / strike) / spread + rate * years / spread + spread / 2
    owed = strike * np.exp(-rate * years)
    call = spot * normal_distribution(d1) - owed * normal_distribution(d1 - spread)
    return dict(call=call, put=call - spot + owed)


POINT = np.dtype([(n, np.float32) for n in "xyz"], align=True)
BODY = np.dtype([(n, np.float32) for n in "xyzm"], align=True)
PARTICLE = np.dtype([(n, np.float32) for n in ("x", "y", "z", "vx", "vy", "vz", "m", "q")], align=True)


def records(dtype, low, high):
    def make(rng, N):
        fields = len(dtype.names)
        return rng.uniform(low, high, (N, fields)).astype(np.float32).view(dtype)[..., 0]
    return Of("record", make)


@problem(inputs=dict(p=records(POINT, -1, 1)), outputs=dict(z="f32"), sizes=VECTORS, file="examples/point_field_aos")
def point_field_aos(p):
    return dict(z=p["z"])


@problem(inputs=dict(p=records(POINT, -1, 1)), outputs=dict(z="f32"), sizes=VECTORS, file="examples/point_field_soa")
def point_field_soa(p):
    return dict(z=p["z"])


@problem(inputs=dict(p=records(PARTICLE, 0.5, 2), E=0.5, dt=0.125), outputs=dict(r="record"), sizes=VECTORS,
         file="examples/particle_push")
def particle_push(p, E, dt):
    r = p.copy()
    r["vx"] = p["vx"] + dt * E * p["q"].astype(float) / p["m"]
    for place, speed in (("x", r["vx"]), ("y", p["vy"]), ("z", p["vz"])):
        r[place] = p[place] + dt * speed
    return dict(r=r)


@problem(inputs=dict(X="f32[M, N]"), outputs=dict(Y="f32"), sizes=PLANES, file="examples/transpose")
def transpose(X):
    return dict(Y=X.T)


@problem(inputs=dict(X="bf16[B, S, H, D]"), outputs=dict(Y="bf16"), tolerance=0, file="examples/permute_batched",
         sizes=[dict(B=1, S=1, H=1, D=1), dict(B=2, S=33, H=3, D=31)])
def permute_batched(X):
    return dict(Y=X.swapaxes(1, 2))


@problem(inputs=dict(X="f32[I, J, K, L]"), outputs=dict(Y="f32"), tolerance=0, file="examples/permute_4d",
         sizes=[dict(I=1, J=1, K=1, L=1), dict(I=2, J=31, K=3, L=33)])
def permute_4d(X):
    return dict(Y=X.transpose())


@problem(inputs=dict(x="f32[N]", y="f32[N]"), outputs=dict(s="f32"), sizes=VECTORS, file="examples/dot")
def dot(x, y):
    return dict(s=x @ y)


@problem(inputs=dict(X="f32[M, N]"), outputs=dict(s="f32"), sizes=PLANES, file="examples/row_sum")
def row_sum(X):
    return dict(s=X.sum(axis=1))


@problem(inputs=dict(X="f32[M, N]"), outputs=dict(s="f32"), sizes=PLANES, file="examples/column_sum")
def column_sum(X):
    return dict(s=X.sum(axis=0))


@problem(inputs=dict(X=integers("f32[M, N]", -9, 9)), outputs=dict(v="f32", at="i32"), sizes=PLANES,
         file="examples/argmax")
def argmax(X):
    return dict(v=X.max(axis=1), at=X.argmax(axis=1))


@problem(inputs=dict(x="f32[N]"), outputs=dict(y="f32"), sizes=VECTORS, file="examples/running_total")
def running_total(x):
    return dict(y=np.cumsum(x))


@problem(inputs=dict(X=uniform("f32[M, N]", -9, 9)), outputs=dict(Y="f32"), sizes=PLANES, file="examples/softmax")
def softmax_example(X):
    return dict(Y=softmax(X))


@problem(inputs=dict(X="bf16[M, N]", gain=uniform("bf16[N]", 0.5, 2), shift="bf16[N]"), outputs=dict(Y="bf16"),
         sizes=PLANES, file="examples/layer_norm")
def layer_norm(X, gain, shift):
    return dict(Y=normalised(X, (1,)) * gain + shift)


PRODUCTS = [dict(M=1, N=1, K=1), dict(M=2, N=31, K=33), dict(M=33, N=31, K=100), dict(M=31, N=40, K=64)]


@problem(inputs=dict(A="bf16[M, K]", B="bf16[K, N]", bias="bf16[N]"), outputs=dict(C="bf16"), sizes=PRODUCTS,
         file="examples/gemm_bias_gelu")
def gemm_bias_gelu(A, B, bias):
    v = A @ B + bias
    return dict(C=v * normal_distribution(v))


@problem(inputs=dict(A="f32[B, M, K]", W="f32[B, K, N]"), outputs=dict(C="f32"), file="examples/batched_gemm",
         sizes=[dict(B=3, **sizes) for sizes in PRODUCTS[:3]])
def batched_gemm(A, W):
    return dict(C=A @ W)


@problem(inputs=dict(Q="bf16[B, H, S, D]", K="bf16[B, H, S, D]", V="bf16[B, H, S, D]"), outputs=dict(O="bf16"),
         sizes=[dict(B=1, H=1, S=1, D=1), dict(B=1, H=2, S=2, D=31), dict(B=2, H=1, S=33, D=7)],
         file="examples/causal_attention")
def causal_attention(Q, K, V, S, D):
    scores = Q @ K.swapaxes(2, 3) / np.sqrt(D)
    return dict(O=softmax(np.where(np.tri(S, dtype=bool), scores, -np.inf)) @ V)


@problem(inputs=dict(p=records(BODY, 0.1, 1), soft=0.5), outputs=dict(acc="record"), file="examples/nbody",
         sizes=[dict(N=1), dict(N=2), dict(N=33), dict(N=100)])
def nbody(p, soft):
    place = np.stack([p[n].astype(float) for n in "xyz"], axis=1)
    apart = place[None, :, :] - place[:, None, :]
    weight = p["m"] / ((apart ** 2).sum(axis=2) + soft ** 2) ** 1.5
    pull = (weight[:, :, None] * apart).sum(axis=1)
    return dict(acc=pull.astype(np.float32).view(POINT)[..., 0])


@problem(inputs=dict(x="f32[N, C, L]", w="f32[O, C, K]"), outputs=dict(y="f32"), params=["S", "D"], file="examples/conv1d",
         sizes=[dict(N=1, C=1, L=9, O=1, K=3, S=3, D=4), dict(N=2, C=3, L=100, O=5, K=3, S=2, D=4),
                dict(N=1, C=2, L=33, O=31, K=1, S=1, D=1)])
def conv1d(x, w, S, D):
    return dict(y=conv(x, w, S, 0, D))


@problem(inputs=dict(x="f32[N, C, H, W]", k="f32[O, C, KH, KW]", bias="f32[O]"), outputs=dict(y="f32"),
         params=["S", "P", "D"], file="examples/conv2d",
         sizes=[dict(N=1, C=1, H=1, W=1, O=1, KH=1, KW=1, S=1, P=0, D=1),
                dict(N=1, C=3, H=11, W=13, O=2, KH=3, KW=5, S=2, P=1, D=2)])
def conv2d(x, k, bias, S, P, D):
    return dict(y=conv(x, k, S, P, D) + bias[None, :, None, None])


@problem(inputs=dict(x="c64[N]"), outputs=dict(y="c64"), file="examples/dft",
         sizes=[dict(N=1), dict(N=2), dict(N=31), dict(N=100)])
def dft(x):
    return dict(y=np.fft.fft(x))


@problem(inputs=dict(x=integers("u8[N]", 0, 256)), outputs=dict(h="i32"), sizes=VECTORS, file="examples/histogram")
def histogram(x):
    return dict(h=np.bincount(x.astype(np.int64), minlength=256))


@problem(inputs=dict(acc="f32[M]", to=Of("i32", lambda rng, N, M: rng.integers(0, M, N)), v="f32[N]"),
         outputs=dict(acc="f32"), file="examples/scatter_add",
         sizes=[dict(N=1, M=1), dict(N=31, M=2), dict(N=1028, M=33)])
def scatter_add(acc, to, v):
    return dict(acc=acc + np.bincount(to, v, minlength=len(acc)))

"""References for activations, softmax, normalisation and losses."""
import numpy as np

from problem import Of, integers, problem, uniform

ROWS = [dict(N=1, D=1), dict(N=2, D=3), dict(N=5, D=7), dict(N=3, D=33), dict(N=7, D=31)]
IMAGES = [dict(N=1, C=1, H=1, Wd=1), dict(N=2, C=3, H=5, Wd=7), dict(N=3, C=2, H=1, Wd=33)]


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def normalised(x, axes, eps=1e-5):
    mu = x.mean(axis=axes, keepdims=True)
    return (x - mu) / np.sqrt(((x - mu) ** 2).mean(axis=axes, keepdims=True) + eps)


def along_channels(v, rank):
    """A vector over axis 1 of an array of this rank."""
    return v.reshape((1, -1) + (1,) * (rank - 2))


@problem(inputs=dict(x=uniform("f32[N, D]", -4, 4)), outputs=dict(y="f32"), sizes=ROWS)
def selu(x):
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    return dict(y=scale * np.where(x > 0, x, alpha * np.expm1(x)))


@problem(inputs=dict(x=uniform("f32[N, D]", -4, 4)), outputs=dict(y="f32"), sizes=ROWS)
def new_gelu(x):
    return dict(y=0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))))


@problem(inputs=dict(x=uniform("f32[N, D]", -9, 9)), outputs=dict(y="f32"), sizes=ROWS)
def log_softmax(x):
    top = x.max(axis=1, keepdims=True)
    return dict(y=x - top - np.log(np.exp(x - top).sum(axis=1, keepdims=True)))


@problem(inputs=dict(x="f32[N, C, H, Wd]", gam=uniform("f32[C]", 0.5, 2), bet="f32[C]"), outputs=dict(y="f32"),
         sizes=IMAGES)
def batchnorm(x, gam, bet):
    return dict(y=along_channels(gam, 4) * normalised(x, (0, 2, 3)) + along_channels(bet, 4))


@problem(inputs=dict(x="f32[N, G, D, H, Wd]", gam=uniform("f32[G, D]", 0.5, 2), bet="f32[G, D]"),
         outputs=dict(y="f32"),
         sizes=[dict(N=1, G=1, D=1, H=1, Wd=2), dict(N=2, G=3, D=2, H=3, Wd=5), dict(N=1, G=8, D=3, H=1, Wd=7)])
def groupnorm(x, gam, bet):
    return dict(y=gam[None, :, :, None, None] * normalised(x, (2, 3, 4)) + bet[None, :, :, None, None])


@problem(inputs=dict(x="bf16[N, D]", gam=uniform("bf16[D]", 0.5, 2), bet="bf16[D]"), outputs=dict(y="bf16"),
         sizes=ROWS)
def layernorm_bf16(x, gam, bet):
    return dict(y=gam * normalised(x, (1,)) + bet)


@problem(inputs=dict(x="f32[N, C, H, Wd]"), outputs=dict(y="f32"), sizes=IMAGES)
def frobenius(x):
    return dict(y=x / np.linalg.norm(x))


@problem(inputs=dict(pred=uniform("f32[N, C]", -5, 5), target=integers("i64[N]", 0, 3)), outputs=dict(y="f32"),
         sizes=[dict(N=1, C=3), dict(N=7, C=5), dict(N=33, C=31)])
def cross_entropy(pred, target):
    chosen = softmax(pred)[np.arange(len(target)), target]
    return dict(y=-np.log(chosen).mean())


@problem(inputs=dict(pred=uniform("f32[N, D]", -2, 2), target="f32[N, D]"), outputs=dict(y="f32"), sizes=ROWS)
def huber(pred, target):
    d = np.abs(pred - target)
    return dict(y=np.where(d < 1, d ** 2 / 2, d - 0.5).mean())


def probabilities(rng, N, D):
    return softmax(rng.uniform(0, 1, (N, D)))


def probabilities_with_zeros(rng, N, D):
    return np.where(rng.uniform(0, 1, (N, D)) < 0.2, 0, probabilities(rng, N, D))


@problem(inputs=dict(pred=Of("f32", probabilities), target=Of("f32", probabilities_with_zeros)),
         outputs=dict(y="f32"), sizes=ROWS)
def kldiv(pred, target):
    here = target > 0
    return dict(y=(target[here] * np.log(target[here] / pred[here])).sum() / len(pred))


@problem(inputs=dict(Q="f32[B, H, I, D]", K="f32[B, H, J, D]", V="f32[B, H, J, D]"), outputs=dict(y="f32"),
         sizes=[dict(B=1, H=1, I=1, J=1, D=1), dict(B=2, H=1, I=3, J=5, D=7), dict(B=1, H=2, I=7, J=31, D=5)])
def attention(Q, K, V, D):
    scores = np.einsum("bhid,bhjd->bhij", Q, K) / np.sqrt(D)
    return dict(y=np.einsum("bhij,bhjd->bhid", softmax(scores), V))


@problem(inputs=dict(x="f32[N, D]"), outputs=dict(y="f32"), sizes=ROWS)
def call_fn(x):
    return dict(y=(x - x.mean(axis=1, keepdims=True)) / x.max(axis=1, keepdims=True))


@problem(inputs=dict(x="f32[N, D]"), outputs=dict(mu="f32", va="f32"), sizes=ROWS)
def reducer_welford(x):
    return dict(mu=x.mean(axis=1), va=x.var(axis=1))


def logistic(v):
    return 1 / (1 + np.exp(-v))


RECURRENT = [dict(T=1, B=1, I=1, H=1), dict(T=3, B=2, I=5, H=3), dict(T=5, B=1, I=3, H=7)]


@problem(inputs=dict(x="f32[T, B, I]", Wx="f32[3, H, I]", Wh="f32[3, H, H]", b="f32[3, H]", h0="f32[B, H]"),
         outputs=dict(h="f32"), sizes=RECURRENT)
def gru_repeat(x, Wx, Wh, b, h0):
    h = h0
    for step in x:
        from_x = [step @ Wx[s].T + b[s] for s in range(3)]
        from_h = [h @ Wh[s].T for s in range(3)]
        z, r = logistic(from_x[0] + from_h[0]), logistic(from_x[1] + from_h[1])
        h = (1 - z) * np.tanh(from_x[2] + r * from_h[2]) + z * h
    return dict(h=h)


@problem(inputs=dict(x="f32[T, B, I]", Wx="f32[4, H, I]", Wh="f32[4, H, H]", b="f32[4, H]", h0="f32[B, H]",
                     c0="f32[B, H]"),
         outputs=dict(hs="f32", cs="f32"), sizes=RECURRENT)
def lstm(x, Wx, Wh, b, h0, c0):
    h, c, hs, cs = h0, c0, [], []
    for step in x:
        i, f, g, o = (step @ Wx[s].T + h @ Wh[s].T + b[s] for s in range(4))
        c = logistic(f) * c + logistic(i) * np.tanh(g)
        h = logistic(o) * np.tanh(c)
        hs.append(h)
        cs.append(c)
    return dict(hs=np.array(hs), cs=np.array(cs))


@problem(inputs=dict(c2="f32[N, H, Wd, 16]", fc1=uniform("f32[16 * (H // 2) * (Wd // 2), 120]", -0.1, 0.1),
                     b1="f32[120]"),
         outputs=dict(y="f32"), sizes=[dict(N=1, H=2, Wd=3), dict(N=2, H=5, Wd=5)])
def lenet_tail(c2, fc1, b1, N, H, Wd):
    whole = c2[:, :H // 2 * 2, :Wd // 2 * 2].reshape(N, H // 2, 2, Wd // 2, 2, 16)
    flat = whole.max(axis=(2, 4)).reshape(N, -1)
    return dict(y=np.maximum(flat @ fc1 + b1, 0))

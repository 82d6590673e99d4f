"""References for convolutions, transposed convolutions and pooling of any rank.

One routine scatters or gathers over the offsets of the kernel; everything else is a set of its parameters.
"""
import itertools

import numpy as np

from problem import problem, uniform
from ref_layers import along_channels, normalised


def as_tuple(value, rank):
    return (value,) * rank if np.isscalar(value) else tuple(value)


def windows(x, kernel, stride, padding, dilation, fill=0.0):
    """Yields (offset, view) for each kernel offset: the elements of x under it, for every output point."""
    rank = x.ndim - 2
    stride, padding, dilation = (as_tuple(v, rank) for v in (stride, padding, dilation))
    padded = np.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in padding], constant_values=fill)
    out = [(padded.shape[2 + a] - dilation[a] * (kernel[a] - 1) - 1) // stride[a] + 1 for a in range(rank)]
    for offset in itertools.product(*(range(k) for k in kernel)):
        yield offset, padded[(slice(None), slice(None)) + tuple(
            slice(dilation[a] * offset[a], dilation[a] * offset[a] + stride[a] * (out[a] - 1) + 1, stride[a])
            for a in range(rank))]


def conv(x, k, stride=1, padding=0, dilation=1):
    """y[n, o, ...] = sum over c and offsets of x[n, c, stride * . + dilation * offset - padding] * k[o, c, offset]."""
    return sum(np.einsum("nc...,oc->no...", view, k[(slice(None), slice(None)) + offset])
               for offset, view in windows(x, k.shape[2:], stride, padding, dilation))


def conv_transposed(x, k, stride=1, padding=0, dilation=1, out_padding=0, groups=1):
    """Each input element adds its kernel to the output at stride * . + dilation * offset - padding."""
    rank = x.ndim - 2
    stride, padding, dilation = (as_tuple(v, rank) for v in (stride, padding, dilation))
    kernel, size = k.shape[2:], x.shape[2:]
    per_in, per_out = k.shape[0] // groups, k.shape[1]
    whole = [(size[a] - 1) * stride[a] + dilation[a] * (kernel[a] - 1) + 1 + out_padding for a in range(rank)]
    y = np.zeros((x.shape[0], per_out * groups, *whole))
    for g in range(groups):
        inside, outside = slice(g * per_in, (g + 1) * per_in), slice(g * per_out, (g + 1) * per_out)
        for offset in itertools.product(*(range(e) for e in kernel)):
            at = tuple(slice(dilation[a] * offset[a], dilation[a] * offset[a] + stride[a] * (size[a] - 1) + 1, stride[a])
                       for a in range(rank))
            y[(slice(None), outside) + at] += np.einsum(
                "nc...,co->no...", x[:, inside], k[(inside, slice(None)) + offset])
    return y[(slice(None), slice(None)) + tuple(slice(padding[a], whole[a] - padding[a]) for a in range(rank))]


def pooled(x, kernel, reduce, stride, padding=0, dilation=1, fill=0.0):
    views = [view for _, view in windows(x, kernel, stride, padding, dilation, fill)]
    return reduce(np.array(views), axis=0)


@problem(inputs=dict(x="f32[N, C, L]", k="f32[O, C, 3]"), outputs=dict(y="f32"),
         sizes=[dict(N=1, C=1, L=9, O=1), dict(N=2, C=3, L=13, O=5), dict(N=1, C=5, L=33, O=3)])
def conv1d_dilated_strided(x, k):
    return dict(y=conv(x, k, stride=3, dilation=4))


@problem(inputs=dict(x="f32[N, C, H, Wd]", k="f32[O, C, 5, 9]"), outputs=dict(y="f32"),
         sizes=[dict(N=1, C=1, H=5, Wd=17, O=1), dict(N=2, C=3, H=7, Wd=19, O=2)])
def conv2d_dilated_asym(x, k):
    return dict(y=conv(x, k, padding=(2, 4), dilation=(2, 3)))


@problem(inputs=dict(x="f32[N, C, H, Wd]", k="f32[O, C, KH, KW]", b="f32[O]"), outputs=dict(y="f32"),
         params=["S", "P", "D"],
         sizes=[dict(N=1, C=1, H=1, Wd=1, O=1, KH=1, KW=1, S=1, P=0, D=1),
                dict(N=2, C=3, H=13, Wd=11, O=2, KH=11, KW=11, S=4, P=2, D=1),
                dict(N=1, C=2, H=7, Wd=9, O=3, KH=3, KW=2, S=2, P=1, D=3),
                dict(N=1, C=1, H=5, Wd=31, O=2, KH=3, KW=5, S=3, P=0, D=2)])
def conv2d_symbolic(x, k, b, S, P, D):
    return dict(y=conv(x, k, S, P, D) + along_channels(b, 4))


@problem(inputs=dict(x="f32[N, C, D, H, Wd]", k="f32[O, C, 3, 5, 7]"), outputs=dict(y="f32"),
         sizes=[dict(N=1, C=1, D=3, H=5, Wd=7, O=1), dict(N=2, C=3, D=5, H=7, Wd=9, O=2)])
def conv3d(x, k):
    return dict(y=conv(x, k))


@problem(inputs=dict(x="f32[N, C, H, Wd]", k="f32[C, 1, 3, 1]"), outputs=dict(y="f32"),
         sizes=[dict(N=1, C=1, H=3, Wd=1), dict(N=2, C=3, H=5, Wd=7), dict(N=1, C=8, H=33, Wd=3)])
def depthwise2d(x, k):
    return dict(y=sum(k[:, 0, i, 0][None, :, None, None] * x[:, :, i:x.shape[2] - 2 + i] for i in range(3)))


@problem(inputs=dict(x="f32[N, C, L]", k="f32[C, O, 5]"), outputs=dict(y="f32"),
         sizes=[dict(N=1, C=1, L=1, O=1), dict(N=2, C=3, L=7, O=5), dict(N=1, C=2, L=33, O=3)])
def convt1d_dilated(x, k):
    return dict(y=conv_transposed(x, k, dilation=3))


@problem(inputs=dict(x="f32[N, C, L]", k="f32[C, O, 3]"), outputs=dict(y="f32"),
         sizes=[dict(N=1, C=1, L=1, O=1), dict(N=2, C=3, L=7, O=5), dict(N=1, C=2, L=33, O=3)])
def convt1d_strided_dilated(x, k):
    return dict(y=conv_transposed(x, k, stride=2, padding=1, dilation=2))


@problem(inputs=dict(x="f32[N, C, H, Wd]", k="f32[C, O, 3, 3]"), outputs=dict(y="f32"), params=["S", "P", "D"],
         sizes=[dict(N=1, C=1, H=1, Wd=1, O=1, S=1, P=0, D=1), dict(N=2, C=3, H=3, Wd=5, O=2, S=5, P=1, D=2),
                dict(N=1, C=2, H=7, Wd=3, O=3, S=2, P=2, D=3), dict(N=1, C=2, H=5, Wd=5, O=1, S=1, P=1, D=1)])
def convt2d_symbolic(x, k, S, P, D):
    return dict(y=conv_transposed(x, k, S, P, D))


@problem(inputs=dict(x="f32[N, 32, D, H, Wd]", k=uniform("f32[32, 8, 3, 5, 7]", -0.2, 0.2)), outputs=dict(y="f32"),
         sizes=[dict(N=1, D=1, H=1, Wd=1), dict(N=1, D=1, H=2, Wd=3)])
def convt3d_grouped(x, k):
    return dict(y=conv_transposed(x, k, stride=2, padding=(1, 2, 3), out_padding=1, groups=4))


@problem(inputs=dict(x="f32[N, C, H, Wd]", k=uniform("f32[C, O, 5, 5]", -0.3, 0.3), b="f32[O]",
                     g=uniform("f32[O]", 0.5, 2), t="f32[O]", g2=uniform("f32[O]", 0.5, 2), t2="f32[O]"),
         outputs=dict(y="f32"), sizes=[dict(N=1, C=1, H=3, Wd=3, O=8), dict(N=2, C=3, H=5, Wd=7, O=16)])
def convt2d_bn_pool_gn(x, k, b, g, t, g2, t2, O):
    v1 = conv_transposed(x, k, padding=1) + along_channels(b, 4)
    v3 = np.tanh(along_channels(g, 4) * normalised(v1, (0, 2, 3)) + along_channels(t, 4))
    v4 = pooled(v3, (2, 2), np.max, stride=2)
    groups = v4.reshape(len(v4), 8, O // 8, *v4.shape[2:])
    return dict(y=along_channels(g2, 4) * normalised(groups, (2, 3, 4)).reshape(v4.shape) + along_channels(t2, 4))


@problem(inputs=dict(x="f32[N, C, D, H, Wd]", k="f32[C, O, 3, 3, 3]", b="f32[O]",
                     scale=uniform("f32[1, O, 1, 1, 1]", 0.5, 2)),
         outputs=dict(y="f32"),
         sizes=[dict(N=1, C=1, D=2, H=2, Wd=2, O=1), dict(N=2, C=3, D=3, H=5, Wd=4, O=2)])
def convt3d_pool_softmax3(x, k, b, scale):
    v1 = pooled(x, (2, 2, 2), np.mean, stride=2)
    v2 = conv_transposed(v1, k, stride=2, padding=1, out_padding=1) + along_channels(b, 5)
    e = np.exp(np.clip(v2, 0, 1))
    return dict(y=e / e.sum(axis=(2, 3, 4), keepdims=True) * scale)


@problem(inputs=dict(x="f32[N, C, H, Wd]"), outputs=dict(y="f32"),
         sizes=[dict(N=1, C=1, H=11, Wd=11), dict(N=2, C=3, H=13, Wd=35), dict(N=1, C=2, H=7, Wd=11)])
def avgpool2d(x):
    return dict(y=pooled(x, (11, 11), np.mean, stride=11))


LENGTHS = [dict(N=1, C=1, L=14), dict(N=2, C=3, L=17), dict(N=1, C=2, L=33)]


@problem(inputs=dict(x="f32[N, C, L]"), outputs=dict(y="f32"), sizes=LENGTHS)
def maxpool1d(x):
    return dict(y=pooled(x, (8,), np.max, stride=1, padding=4, dilation=3, fill=-np.inf))


@problem(inputs=dict(x="f32[N, C, L]"), outputs=dict(y="f32"), sizes=LENGTHS)
def maxpool1d_no_inf(x):
    return maxpool1d(x)


@problem(inputs=dict(x="f32[N, H, Wd, C1]", k1="f32[1, 1, C1, C2]", k2="f32[3, 3, C2, C2]", k3="f32[1, 1, C2, C1]"),
         outputs=dict(y="f32"),
         sizes=[dict(N=1, H=1, Wd=1, C1=1, C2=1), dict(N=3, H=3, Wd=5, C1=2, C2=3), dict(N=5, H=1, Wd=2, C1=3, C2=2)])
def resnet_block(x, k1, k2, k3):
    def norm(t):
        return (t - t.mean(axis=0)) / np.sqrt(t.std(axis=0) + 1e-5)

    def channels_last(t, k, padding=0):
        return np.moveaxis(conv(np.moveaxis(t, 3, 1), k.transpose(3, 2, 0, 1), padding=padding), 1, 3)

    p = channels_last(x, k1, padding=1)
    a = np.maximum(norm(p), 0)
    b = np.maximum(norm(channels_last(a, k2)), 0)
    return dict(y=np.maximum(norm(channels_last(b, k3)) + x, 0))

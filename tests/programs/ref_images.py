"""References for the examples on images and grids."""
import numpy as np

from problem import integers, problem, uniform

PICTURES = [dict(H=1, W=1), dict(H=2, W=7), dict(H=7, W=1), dict(H=31, W=33)]
PAD = dict(clamp=dict(mode="edge"), wrap=dict(mode="wrap"), symmetric=dict(mode="symmetric"),
           reflect=dict(mode="reflect"), zero=dict(mode="constant"), fill=dict(mode="constant", constant_values=128))


def box(mode):
    """The reference of one boundary mode: pad as NumPy does, then the mean of 25 moved views."""
    def filtered(u):
        H, W = u.shape
        padded = np.pad(u, 2, **PAD[mode])
        return dict(v=sum(padded[a:a + H, b:b + W] for a in range(5) for b in range(5)) / 25)

    filtered.__name__ = f"box_{mode}"
    return problem(inputs=dict(u=uniform("f32[H, W]", 0, 255)), outputs=dict(v="f32"), sizes=PICTURES,
                   file="examples/box_filter", fn=f"box_{mode}")(filtered)


for each in PAD:
    box(each)


@problem(inputs=dict(img=integers("u8[H, W]", 0, 256)), outputs=dict(edges="u8"), sizes=PICTURES, file="examples/sobel")
def sobel(img):
    u = np.pad(img.astype(np.int64), 1, mode="edge")
    down, right = u[2:] - u[:-2], u[:, 2:] - u[:, :-2]
    gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    gx = right[:-2] + 2 * right[1:-1] + right[2:]
    return dict(edges=np.minimum(np.floor(np.sqrt((gx ** 2 + gy ** 2).astype(np.float32))), 255).astype(np.uint64))


@problem(inputs=dict(u0="f32[H, W]", steps=3, c=0.125), outputs=dict(u="f32"), sizes=PICTURES, file="examples/heat2d")
def heat2d(u0, steps, c):
    u = u0
    for _ in range(steps):
        p = np.pad(u, 1, mode="edge")
        u = u + c * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)
    return dict(u=u)


@problem(inputs=dict(u0="f32[D, H, W]", steps=2, c=0.1), outputs=dict(u="f32"), file="examples/heat3d",
         sizes=[dict(D=1, H=1, W=1), dict(D=2, H=5, W=3), dict(D=3, H=3, W=33), dict(D=5, H=7, W=6)])
def heat3d(u0, steps, c):
    u = u0.copy()
    for _ in range(steps):
        new = u.copy()
        for at in np.ndindex(*(max(n - 2, 0) for n in u.shape)):
            d, h, w = (k + 1 for k in at)
            around = u[d - 1, h, w] + u[d + 1, h, w] + u[d, h - 1, w] + u[d, h + 1, w] + u[d, h, w - 1] + u[d, h, w + 1]
            new[d, h, w] = u[d, h, w] + c * (around - 6 * u[d, h, w])
        u = new
    return dict(u=u)


@problem(inputs=dict(steps=12), outputs=dict(n="i32"), params=["H", "W"], sizes=PICTURES, file="examples/mandelbrot")
def mandelbrot(steps, H, W):
    """In single precision, since the count of a point on the edge depends on rounding."""
    x, y = np.arange(W, dtype=np.float32) / np.float32(W), np.arange(H, dtype=np.float32) / np.float32(H)
    c = (x * np.float32(3) - np.float32(2.25))[None, :] + np.complex64(1j) * (
        y * np.float32(2.5) - np.float32(1.25))[:, None]
    z, n = c.astype(np.complex64), np.zeros((H, W), np.int64)
    for _ in range(steps):
        inside = z.real ** 2 + z.imag ** 2 <= 4
        n += inside
        z = np.where(inside, z * z + c, z)
    return dict(n=n)

"""References for programs on complex numbers."""
import numpy as np

from problem import Of, integers, problem, uniform


@problem(inputs=dict(t1=uniform("f64[N]", 0, 1), p1=uniform("f64[N]", 0, 1), t2=uniform("f64[N]", 0, 1),
                     p2=uniform("f64[N]", 0, 1)),
         outputs=dict(y="f64"), sizes=[dict(N=1), dict(N=2), dict(N=31), dict(N=257)])
def arc_distance(t1, p1, t2, p2):
    """The angle between two unit vectors, from the length of their difference."""
    def point(t, p): return np.array([np.cos(t) * np.cos(p), np.cos(t) * np.sin(p), np.sin(t)])
    return dict(y=2 * np.arcsin(np.linalg.norm(point(t1, p1) - point(t2, p2), axis=0) / 2))


@problem(inputs=dict(ham="c128[3, N, N]", z=uniform("c128[Z]", 0, 1), y="c128[N, M]"),
         outputs=dict(p0="c128", p1="c128"),
         sizes=[dict(N=1, M=1, Z=1), dict(N=2, M=3, Z=5), dict(N=5, M=3, Z=7), dict(N=7, M=1, Z=3)])
def contour_integral(ham, z, y):
    p0 = p1 = 0
    for point in z:
        x = np.linalg.solve(point * ham[0] + ham[1] + ham[2] / point, y)
        x = -x if abs(point) < 1 else x
        p0, p1 = p0 + x, p1 + point * x
    return dict(p0=p0, p1=p1)


@problem(inputs=dict(xr="f64[N]", xi="f64[N]"), outputs=dict(yr="f64", yi="f64"), params=["R", "K"],
         sizes=[dict(N=1, R=3, K=0), dict(N=2, R=2, K=1), dict(N=3, R=3, K=1), dict(N=27, R=3, K=3),
                dict(N=32, R=2, K=5), dict(N=25, R=5, K=2)])
def stockham_fft(xr, xi):
    y = np.fft.fft(xr + 1j * xi)
    return dict(yr=y.real, yi=y.imag)


VIEW = dict(xmin=-2.25, xmax=0.75, ymin=-1.25, ymax=1.25, maxiter=lambda maxiter: maxiter, horizon=2.0)
VIEWS = [dict(XN=2, YN=2, maxiter=3), dict(XN=7, YN=5, maxiter=9), dict(XN=31, YN=17, maxiter=12),
         dict(XN=3, YN=33, maxiter=1)]


def plane(xmin, xmax, XN, ymin, ymax, YN):
    return np.linspace(xmin, xmax, XN)[None, :] + 1j * np.linspace(ymin, ymax, YN)[:, None]


@problem(inputs=VIEW, outputs=dict(zr="f64", zi="f64", cnt="i64"), sizes=VIEWS, params=["XN", "YN"])
def mandelbrot1(xmin, xmax, ymin, ymax, maxiter, horizon, XN, YN):
    c = plane(xmin, xmax, XN, ymin, ymax, YN)
    z, cnt = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for n in range(maxiter):
        live = np.abs(z) < horizon
        cnt[live] = n
        z[live] = z[live] ** 2 + c[live]
    cnt[cnt == maxiter - 1] = 0
    return dict(zr=z.real, zi=z.imag, cnt=cnt)


@problem(inputs=VIEW, outputs=dict(zout="c128", cnt="i64"), sizes=VIEWS, params=["XN", "YN"])
def mandelbrot2(xmin, xmax, ymin, ymax, maxiter, horizon, XN, YN):
    c = plane(xmin, xmax, XN, ymin, ymax, YN)
    zout, cnt = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for at, point in np.ndenumerate(c):
        z = 0
        for n in range(maxiter):
            z = z * z + point
            if abs(z) > horizon:
                zout[at], cnt[at] = z, n + 1
                break
    return dict(zout=zout, cnt=cnt)


COMPLEX = np.dtype([("re", np.float64), ("im", np.float64)], align=True)


def blocks(shape):
    """An input of records {re, im} whose shape is named by sizes."""
    def make(rng, **sizes):
        extents = tuple(sizes[s] for s in shape.split())
        return rng.uniform(-1, 1, extents + (2,)).view(COMPLEX)[..., 0]
    return Of("record", make)


@problem(inputs=dict(nb=Of("i32", lambda rng, NA, NB: (np.arange(NA)[:, None] - NB // 2 + np.arange(NB)) % NA),
                     dH=blocks("NA NB N3 NO NO"), G=blocks("NK NE NA NO NO"), D=blocks("NQ NW NA NB N3 N3")),
         outputs=dict(Sigma="record"),
         sizes=[dict(NA=1, NB=1, N3=1, NO=1, NK=1, NE=1, NQ=1, NW=1),
                dict(NA=3, NB=2, N3=3, NO=2, NK=2, NE=3, NQ=2, NW=2), dict(NA=2, NB=3, N3=1, NO=3, NK=1, NE=2, NQ=1, NW=3)])
def scattering(nb, dH, G, D, NK, NE, NA, NO, NQ, NW, NB, N3):
    dH, G, D = (np.ascontiguousarray(t).view(np.complex128) for t in (dH, G, D))
    sigma = np.zeros((NK, NE, NA, NO, NO), np.complex128)
    for k, E, a in np.ndindex(NK, NE, NA):
        for q, w, b, i, j in np.ndindex(NQ, min(NW, E + 1), NB, N3, N3):
            sigma[k, E, a] += G[k, E - w, nb[a, b]] @ dH[a, b, i] @ dH[a, b, j] * D[q, w, a, b, i, j]
    return dict(Sigma=sigma.view(COMPLEX))

"""References for stencils, time loops and filters."""
import numpy as np

from problem import problem, uniform


def second_difference(s, axis):
    inner = [slice(1, -1)] * s.ndim
    ahead, behind = list(inner), list(inner)
    ahead[axis], behind[axis] = slice(2, None), slice(None, -2)
    return s[tuple(ahead)] - 2 * s[tuple(inner)] + s[tuple(behind)]


@problem(inputs=dict(A0="f64[N, N, N]", steps=lambda steps: steps), outputs=dict(A="f64"),
         sizes=[dict(N=1, steps=2), dict(N=3, steps=0), dict(N=5, steps=3), dict(N=7, steps=2)])
def heat_3d(A0, steps):
    A = A0.copy()
    for _ in range(2 * steps):
        inner = (slice(1, -1),) * 3
        A[inner] = A[inner] + 0.125 * sum(second_difference(A, axis) for axis in range(3))
    return dict(A=A)


@problem(inputs=dict(A="f64[N]", B="f64[N]", steps=lambda steps: steps), outputs=dict(A="f64", B="f64"),
         sizes=[dict(N=1, steps=3), dict(N=2, steps=3), dict(N=7, steps=0), dict(N=33, steps=5)])
def jacobi_1d(A, B, steps):
    A, B = A.copy(), B.copy()
    third = np.full(3, 0.33333)
    for _ in range(steps):
        if len(A) > 2:
            B[1:-1] = np.convolve(A, third, "valid")
            A[1:-1] = np.convolve(B, third, "valid")
    return dict(A=A, B=B)


@problem(inputs=dict(A="f64[N, N]", steps=lambda steps: steps), outputs=dict(A="f64"),
         sizes=[dict(N=1, steps=2), dict(N=3, steps=5), dict(N=5, steps=2), dict(N=11, steps=3)])
def seidel_2d(A, N, steps):
    A = A.copy()
    for _ in range(steps):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                A[i, j] = A[i - 1:i + 2, j - 1:j + 2].sum() / 9
    return dict(A=A)


def tridiagonal(off, diagonal, right):
    """Solves for all columns of `right` at once, with 1 beyond both ends."""
    n = len(right)
    matrix = diagonal * np.eye(n) + off * (np.eye(n, k=1) + np.eye(n, k=-1))
    right = right.copy()
    right[0] -= off
    right[-1] -= off
    return np.linalg.solve(matrix, right)


@problem(inputs=dict(u0="f64[N, N]", steps=lambda steps: steps), outputs=dict(u="f64"),
         sizes=[dict(N=1, steps=2), dict(N=2, steps=1), dict(N=3, steps=2), dict(N=7, steps=3), dict(N=11, steps=2)])
def adi(u0, N, steps):
    """Both half steps are implicit systems; the sweeps of the program solve them by elimination."""
    u = u0.copy()
    if N < 3:
        return dict(u=u)
    m1, m2 = 2 * N ** 2 / steps, N ** 2 / steps
    a, b, d, e = -m1 / 2, 1 + m1, -m2 / 2, 1 + m2
    for _ in range(steps):
        right = -d * u[1:-1, :-2] + (1 + 2 * d) * u[1:-1, 1:-1] - d * u[1:-1, 2:]
        v = np.ones((N, N - 2))
        v[1:-1] = tridiagonal(a, b, right)
        right = -a * v[:-2] + (1 + 2 * a) * v[1:-1] - a * v[2:]
        u[1:-1, 1:-1] = tridiagonal(d, e, right.T).T
        u[1:-1, [0, -1]] = 1
    return dict(u=u)


def filtered(x, ahead, back, b1, b2):
    """A causal and an anti-causal recurrence along axis 0, added."""
    n = len(x)
    def at(s, i): return s[i] if 0 <= i < n else 0.0
    p, q = np.zeros_like(x), np.zeros_like(x)
    for i in range(n):
        p[i] = ahead[0] * x[i] + ahead[1] * at(x, i - 1) + b1 * at(p, i - 1) + b2 * at(p, i - 2)
    for i in reversed(range(n)):
        q[i] = back[0] * at(x, i + 1) + back[1] * at(x, i + 2) + b1 * at(q, i + 1) + b2 * at(q, i + 2)
    return p + q


ALPHA = 0.25
K = (1 - np.exp(-ALPHA)) ** 2 / (1 + 2 * ALPHA * np.exp(-ALPHA) - np.exp(2 * ALPHA))


@problem(inputs=dict(x=uniform("f32[W, H]", 0, 1), a1=K, a2=K * np.exp(-ALPHA) * (ALPHA - 1),
                     a3=K * np.exp(-ALPHA) * (ALPHA + 1), a4=-K * np.exp(-2 * ALPHA), b1=2 ** -ALPHA,
                     b2=-np.exp(-2 * ALPHA)),
         outputs=dict(y="f32"),
         sizes=[dict(W=1, H=1), dict(W=2, H=3), dict(W=5, H=7), dict(W=3, H=31), dict(W=33, H=5)])
def deriche(x, a1, a2, a3, a4, b1, b2):
    m = filtered(x.T, (a1, a2), (a3, a4), b1, b2).T
    return dict(y=filtered(m, (a1, a2), (a3, a4), b1, b2))


def poisson(q, b, dx, dy, west, east):
    """Interior of one Jacobi step; west and east are q moved along x."""
    return ((east + west) * dy ** 2 + (q[2:] + q[:-2]) * dx ** 2
            - dx ** 2 * dy ** 2 * b) / (2 * (dx ** 2 + dy ** 2))


@problem(inputs=dict(p="f64[NY, NX]", b="f64[NY, NX]", dx=0.3, dy=0.5, nit=lambda nit: nit), outputs=dict(p="f64"),
         sizes=[dict(NY=3, NX=3, nit=2), dict(NY=2, NX=2, nit=1), dict(NY=5, NX=7, nit=4), dict(NY=9, NX=4, nit=3)])
def cavity_pressure(p, b, dx, dy, nit):
    p = p.copy()
    for _ in range(nit):
        p[1:-1, 1:-1] = poisson(p[:, 1:-1], b[1:-1, 1:-1], dx, dy, p[1:-1, :-2], p[1:-1, 2:])
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0
    return dict(p=p)


def east(f):
    return np.roll(f, -1, axis=1)[1:-1]


def west(f):
    return np.roll(f, 1, axis=1)[1:-1]


CHANNEL = dict(dx=0.4, dy=0.5, dt=0.05, rho=1.0, nu=0.3, F=1.0)


@problem(inputs=dict(u0=uniform("f64[NY, NX]", -0.1, 0.1), v0=uniform("f64[NY, NX]", -0.1, 0.1),
                     p0=uniform("f64[NY, NX]", 0.9, 1.1), most=lambda most: most, **CHANNEL),
         outputs=dict(u="f64", v="f64", p="f64", steps="i64"), params=["nit"],
         sizes=[dict(NY=3, NX=1, nit=2, most=3), dict(NY=5, NX=7, nit=3, most=4), dict(NY=5, NX=3, nit=2, most=500),
                dict(NY=7, NX=2, nit=0, most=2)])
def channel_flow(u0, v0, p0, dx, dy, dt, rho, nu, F, nit, most):
    u, v, p, steps, change = u0.copy(), v0.copy(), p0.copy(), 0, 1.0
    while change > 0.001 and steps < most:
        ux, vx = (east(u) - west(u)) / (2 * dx), (east(v) - west(v)) / (2 * dx)
        uy, vy = (u[2:] - u[:-2]) / (2 * dy), (v[2:] - v[:-2]) / (2 * dy)
        b = rho * ((ux + vy) / dt - ux ** 2 - 2 * uy * vx - vy ** 2)
        for _ in range(nit):
            p[1:-1] = poisson(p, b, dx, dy, west(p), east(p))
            p[-1], p[0] = p[-2], p[1]

        def moved(f):
            """Advection and diffusion of f by the old velocity."""
            at = f[1:-1]
            return (at - u[1:-1] * dt / dx * (at - west(f)) - v[1:-1] * dt / dy * (at - f[:-2])
                    + nu * dt / dx ** 2 * (east(f) - 2 * at + west(f))
                    + nu * dt / dy ** 2 * (f[2:] - 2 * at + f[:-2]))

        new_u, new_v = np.zeros_like(u), np.zeros_like(v)
        new_u[1:-1] = moved(u) - dt / (2 * rho * dx) * (east(p) - west(p)) + F * dt
        new_v[1:-1] = moved(v) - dt / (2 * rho * dy) * (p[2:] - p[:-2])
        change = (new_u.sum() - u.sum()) / new_u.sum()
        u, v, steps = new_u, new_v, steps + 1
    return dict(u=u, v=v, p=p, steps=np.int64(steps))

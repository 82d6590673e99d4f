"""References for matrix products, factorisations and triangular solves."""
import numpy as np

from problem import Of, problem, uniform

SQUARE = [dict(N=1), dict(N=2), dict(N=3), dict(N=7), dict(N=19)]
PLANES = [dict(M=1, N=1), dict(M=2, N=3), dict(M=7, N=5), dict(M=5, N=31), dict(M=33, N=3)]


def positive_definite(rng, N):
    half = rng.uniform(-1, 1, (N, N))
    return half @ half.T + N * np.eye(N)


def dominant(rng, N):
    return rng.uniform(-1, 1, (N, N)) + N * np.eye(N)


@problem(inputs=dict(A="f64[I, K]", B="f64[K, J]", C="f64[J, M]", D="f64[M, L]"), outputs=dict(G="f64"),
         sizes=[dict(I=1, K=1, J=1, M=1, L=1), dict(I=3, K=5, J=2, M=7, L=1), dict(I=7, K=3, J=11, M=5, L=13)])
def k3mm(A, B, C, D):
    return dict(G=np.linalg.multi_dot([A, B, C, D]))


@problem(inputs=dict(a="f64[N, N]"), outputs=dict(y="f64"), sizes=SQUARE)
def go_fast(a):
    return dict(y=a + np.tanh(a).trace())


@problem(inputs=dict(A="f32[N, N]", B="f32[N, N]"), outputs=dict(y="f32"), sizes=SQUARE)
def matmul_triangular(A, B):
    return dict(y=np.triu(A) @ np.triu(B))


@problem(inputs=dict(A="f64[N, N]", u1="f64[N]", v1="f64[N]", u2="f64[N]", v2="f64[N]", x="f64[N]", w="f64[N]",
                     y="f64[N]", z="f64[N]", alpha=1.5, beta=1.2),
         outputs=dict(A="f64", x="f64", w="f64"), sizes=SQUARE)
def gemver(A, u1, v1, u2, v2, x, w, y, z, alpha, beta):
    new = A + np.outer(u1, v1) + np.outer(u2, v2)
    x = x + beta * new.T @ y + z
    return dict(A=new, x=x, w=w + alpha * new @ x)


@problem(inputs=dict(C="f64[M, N]", A="f64[M, M]", B="f64[M, N]", alpha=1.5, beta=1.2), outputs=dict(C="f64"),
         sizes=PLANES)
def symm(C, A, B, alpha, beta):
    whole = np.tril(A) + np.tril(A, -1).T
    return dict(C=beta * C + alpha * whole @ B)


@problem(inputs=dict(B="f64[M, N]", A="f64[M, M]", alpha=1.5), outputs=dict(B="f64"), sizes=PLANES)
def trmm(B, A, alpha):
    unit = np.tril(A, -1) + np.eye(len(A))
    return dict(B=alpha * unit.T @ B)


def varied_or_not(rng, N, M):
    """The last column hardly varies, so that its deviation is replaced by 1."""
    return rng.uniform(-1, 1, (N, M)) * np.where(np.arange(M) == M - 1, 0.01, 2) + np.arange(M)


@problem(inputs=dict(data=Of("f64", varied_or_not)), outputs=dict(corr="f64"), sizes=PLANES)
def correlation(data, N, M):
    sd = data.std(axis=0)
    z = (data - data.mean(axis=0)) / (np.sqrt(N) * np.where(sd <= 0.1, 1, sd))
    corr = z.T @ z
    np.fill_diagonal(corr, 1)
    return dict(corr=corr)


@problem(inputs=dict(A=Of("f64", positive_definite)), outputs=dict(F="f64"), sizes=SQUARE)
def cholesky(A):
    return dict(F=np.linalg.cholesky(A) + np.triu(A, 1))


def lu_factors(A):
    """Unit lower and upper factor without pivoting, by Schur complements."""
    rest, lower, upper = A.copy(), np.eye(len(A)), np.zeros_like(A)
    for k in range(len(A)):
        upper[k] = np.where(np.arange(len(A)) >= k, rest[k], 0)
        lower[k + 1:, k] = rest[k + 1:, k] / rest[k, k]
        rest = rest - np.outer(np.where(np.arange(len(A)) > k, lower[:, k], 0), upper[k])
    return lower, upper


@problem(inputs=dict(A=Of("f64", dominant)), outputs=dict(A="f64"), sizes=SQUARE)
def lu(A, N):
    lower, upper = lu_factors(A)
    return dict(A=lower - np.eye(N) + upper)


@problem(inputs=dict(A=Of("f64", dominant), b="f64[N]"), outputs=dict(x="f64"), sizes=SQUARE)
def ludcmp(A, b):
    return dict(x=np.linalg.solve(A, b))


@problem(inputs=dict(L=Of("f64", dominant), b="f64[N]"), outputs=dict(x="f64"), sizes=SQUARE + [dict(N=33)])
def trisolv(L, b):
    return dict(x=np.linalg.solve(np.tril(L), b))


def decaying(rng, N):
    return rng.uniform(-0.5, 0.5, N) * 0.6 ** np.arange(N)


@problem(inputs=dict(r=Of("f64", decaying)), outputs=dict(y="f64"), sizes=SQUARE + [dict(N=33)])
def durbin(r, N):
    """The solution of T y = -r, where T is the symmetric Toeplitz matrix of 1, r[0], r[1], ..."""
    column = np.concatenate([[1.0], r[:-1]])
    toeplitz = column[np.abs(np.subtract.outer(np.arange(N), np.arange(N)))]
    return dict(y=np.linalg.solve(toeplitz, -r))


@problem(inputs=dict(A=uniform("f64[M, N]", 0, 1)), outputs=dict(A="f64", Q="f64", R="f64"),
         sizes=[dict(M=1, N=1), dict(M=3, N=2), dict(M=7, N=5), dict(M=19, N=7)])
def gramschmidt(A, M, N):
    """A = Q R with a positive diagonal of R; column k of A is left as R[k, k] * Q[:, k]."""
    Q, R = np.linalg.qr(A)
    signs = np.where(np.diag(R) < 0, -1, 1)
    Q, R = Q * signs, R * signs[:, None]
    return dict(Q=Q, R=np.triu(R), A=Q * np.diag(R))

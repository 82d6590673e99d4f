"""Philox4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011), as `rand` uses it."""
import numpy as np

MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
WEYL = 0x9E3779B9, 0xBB67AE85
MASK = np.uint64(0xFFFFFFFF)


def philox(counter, key):
    """Four 32-bit words for each counter, a sequence of four arrays of uint64 below 2^32; key is two integers."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        a, b = MULTIPLIERS[0] * c0, MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (b >> np.uint64(32)) ^ c1 ^ np.uint64(k0), b & MASK, (
            a >> np.uint64(32)) ^ c3 ^ np.uint64(k1), a & MASK
        k0, k1 = (k0 + WEYL[0]) & 0xFFFFFFFF, (k1 + WEYL[1]) & 0xFFFFFFFF
    return c0, c1, c2, c3


def rand(seed, index):
    """Uniform multiples of 2^-24 in [0, 1): word `index & 3` of the block counted by `index >> 2`, keyed by the seed."""
    index = np.atleast_1d(np.asarray(index)).astype(np.uint64)
    block = index >> np.uint64(2)
    zero = np.zeros_like(block)
    words = philox((block & MASK, block >> np.uint64(32), zero, zero), (seed & 0xFFFFFFFF, seed >> 32))
    word = np.choose((index & np.uint64(3)).astype(int), words)
    return (word >> np.uint64(8)).astype(np.float64) * 2.0 ** -24

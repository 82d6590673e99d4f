"""Element types of the language as NumPy arrays, and how results are compared.

f16, f32, f64, the integers, bool, c64 and c128 are NumPy's own types. bf16 and the two f8 have none: an array of them
is held as its bit patterns (uint16, uint8), which is also how they stand in an .npy file.
"""
import numpy as np

NATIVE = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128,
}
BITS = {"bf16": np.uint16, "f8e4m3": np.uint8, "f8e5m2": np.uint8}
TOLERANCE = {"f64": 1e-10, "c128": 1e-10, "f32": 1e-4, "c64": 1e-4, "bf16": 1e-2, "f16": 1e-2,
             "f8e4m3": 0.13, "f8e5m2": 0.26}


def _f8_values(exponent_bits, mantissa_bits, has_inf):
    """The value of each of the 256 bit patterns of an 8-bit float."""
    bias = 2 ** (exponent_bits - 1) - 1
    values = np.empty(256)
    for bits in range(256):
        sign = -1.0 if bits & 0x80 else 1.0
        exponent = (bits & 0x7F) >> mantissa_bits
        mantissa = bits & (2 ** mantissa_bits - 1)
        if has_inf and exponent == 2 ** exponent_bits - 1:
            values[bits] = np.nan if mantissa else sign * np.inf
        elif not has_inf and (bits & 0x7F) == 0x7F:
            values[bits] = np.nan
        elif exponent == 0:
            values[bits] = sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
        else:
            values[bits] = sign * (1 + mantissa / 2 ** mantissa_bits) * 2.0 ** (exponent - bias)
    return values


F8 = {"f8e4m3": _f8_values(4, 3, False), "f8e5m2": _f8_values(5, 2, True)}


def _to_bf16(values):
    """Round to nearest even, to bit patterns."""
    bits = np.atleast_1d(np.asarray(values, np.float32)).view(np.uint32)
    rounded = (bits + (((bits >> 16) & 1) + np.uint32(0x7FFF))) >> 16
    quiet = (bits >> 16) | 0x40
    return np.where(np.isnan(values), quiet, rounded).astype(np.uint16).reshape(np.shape(values))


def _to_f8(values, table):
    """The nearest pattern, the even one of two equally near; what is too large becomes the pattern that is nearest."""
    patterns = [p for p in range(256) if np.isfinite(table[p]) and not (p == 0x80)]
    patterns.sort(key=lambda p: table[p])
    ladder = table[patterns]
    values = np.asarray(values, np.float64)
    above = np.clip(np.searchsorted(ladder, values), 1, len(ladder) - 1)
    low, high = ladder[above - 1], ladder[above]
    take_high = (values - low > high - values) | (
        (values - low == high - values) & (np.asarray(patterns)[above] % 2 == 0))
    return np.where(take_high, np.asarray(patterns)[above], np.asarray(patterns)[above - 1]).astype(np.uint8)


def encode(values, dtype):
    """An array of ordinary numbers as it stands in memory under a type of the language."""
    if dtype == "bf16":
        return _to_bf16(values)
    if dtype in F8:
        return _to_f8(values, F8[dtype])
    return np.ascontiguousarray(values, NATIVE[dtype]).reshape(np.shape(values))


def decode(array, dtype):
    """Back to numbers wide enough to compute a reference with: float64, complex128, int64, uint64 or bool."""
    if dtype == "bf16":
        high = np.atleast_1d(array).astype(np.uint32) << 16
        return high.view(np.float32).astype(np.float64).reshape(array.shape)
    if dtype in F8:
        return F8[dtype][array]
    kind = np.dtype(NATIVE[dtype]).kind
    wide = {"f": np.float64, "c": np.complex128, "i": np.int64, "u": np.uint64, "b": np.bool_}[kind]
    return array.astype(wide)


def _record_mismatch(actual, expected):
    if actual.dtype != expected.dtype:
        return f"stored as {actual.dtype}, expected {expected.dtype}"
    for name in actual.dtype.names:
        part, wanted = actual[name], expected[name]
        dtype = "record" if part.dtype.names else next(d for d in NATIVE if part.dtype == NATIVE[d])
        difference = mismatch(part, wanted, dtype)
        if difference:
            return f"field {name}: {difference}"
    return None


def mismatch(actual, expected, dtype, tolerance=None):
    """None where the two agree, else a line that says where and by how much they do not.

    Floats: |actual - expected| <= t + t * |expected|, with NaN and infinities equal to themselves. Integers: equal.
    A "record" is compared field by field, each by its own type.
    """
    if dtype == "record":
        return _record_mismatch(actual, expected)
    stored = np.dtype(BITS.get(dtype) or NATIVE[dtype])
    if actual.dtype != stored:
        return f"stored as {actual.dtype}, expected {stored}"
    actual = decode(actual, dtype)
    expected = np.asarray(expected)
    if actual.shape != expected.shape:
        return f"shape {actual.shape}, expected {expected.shape}"
    if tolerance is None:
        tolerance = TOLERANCE.get(dtype, 0)
    with np.errstate(invalid="ignore"):
        same = actual == expected
        if actual.dtype.kind in "fc":
            same |= np.isnan(actual) & np.isnan(expected)
            finite = np.isfinite(actual) & np.isfinite(expected)
            same |= finite & (np.abs(actual - expected) <= tolerance + tolerance * np.abs(expected))
    if same.all():
        return None
    wrong = np.argwhere(~same)
    at = tuple(int(i) for i in wrong[0])
    return f"{len(wrong)} of {actual.size} differ, first at {list(at)}: {actual[at]!r}, expected {expected[at]!r}"

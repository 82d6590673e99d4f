"""The programs and edge values of run_sweep.py: every operator of docs/functions.tsv for every type that it takes, every
conversion, and every scatter operator."""
import csv
import itertools
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import numpy as np  # noqa: E402

from support.values import F8, NATIVE, encode  # noqa: E402

INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["f32", "f64"]
SMALL_FLOATS = ["f16", "bf16", "f8e4m3", "f8e5m2"]
COMPLEX = ["c64", "c128"]
TYPES = ["bool", *INTEGERS, *SMALL_FLOATS, *FLOATS, *COMPLEX]
EVALUATED = dict.fromkeys(SMALL_FLOATS, "f32")
COMPONENT = {"c64": "f32", "c128": "f64", "f32": "c64", "f64": "c128"}
CLASSES = {"N": INTEGERS + FLOATS, "I": INTEGERS, "F": FLOATS, "B": ["bool"], "C": COMPLEX}
PREFIX = {"neg": "-", "~": "~", "!": "!"}
SCATTERS = {"+=": INTEGERS + SMALL_FLOATS + FLOATS + COMPLEX, "*=": INTEGERS + SMALL_FLOATS + FLOATS + COMPLEX,
            "min=": INTEGERS + SMALL_FLOATS + FLOATS, "max=": INTEGERS + SMALL_FLOATS + FLOATS,
            "&=": ["bool", *INTEGERS], "|=": ["bool", *INTEGERS], "^=": ["bool", *INTEGERS]}
COUNTS = [-2**63, -65, -1, 0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 2**32, 2**32 + 1, 2**63 - 1]
REAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 3.0, 100.0, -7.25, 1e-3, 127.5, -128.5, 32767.5, 65504.0, 65520.0, 1e10,
        -2.0**31, 2.0**31, 2.0**63, -2.0**63, 2.0**64, np.inf, -np.inf, np.nan]


def edges(dtype):
    """The values of a type at which operators go wrong."""
    if dtype == "bool":
        return np.array([False, True])
    if dtype in INTEGERS:
        limits = np.iinfo(NATIVE[dtype])
        wanted = [limits.min, limits.min + 1, -7, -3, -2, -1, 0, 1, 2, 3, 5, 8, 31, 100, limits.max // 2 + 1, limits.max - 1, limits.max]
        return np.array(sorted({v for v in wanted if limits.min <= v <= limits.max}), NATIVE[dtype])
    if dtype in COMPLEX:
        parts = [0.0, -0.0, 1.0, -1.5, 3.0]
        return np.array([complex(re, im) for re in parts for im in parts], NATIVE[dtype])
    if dtype in F8:
        return np.arange(256, dtype=np.uint8)
    if dtype in SMALL_FLOATS:
        with np.errstate(over="ignore"):
            return encode(np.array(REAL + [6e-8, -6e-8, 6.1e-5], np.float32), dtype)
    limits = np.finfo(NATIVE[dtype])
    extremes = [limits.max, -limits.max, limits.tiny, -limits.tiny, limits.smallest_subnormal, 1 + limits.eps, 1 - limits.epsneg]
    return np.array(REAL + [float(v) for v in extremes], NATIVE[dtype])


def operators():
    """(name, types of the operands, type of the result) of each signature in the table, letters as there."""
    with open(HERE.parents[1] / "docs/functions.tsv", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
            for signature in row["types"].split(";"):
                operands, _, result = (part.strip() for part in signature.partition("->"))
                operands = operands.replace("...", "N").split()
                if row["name"] not in ("rand", "select"):
                    yield row["name"], operands, result


def spelled(name, arguments):
    if name in PREFIX:
        return f"{PREFIX[name]}({arguments[0]})"
    if name.isidentifier():
        return f"{name}({', '.join(arguments)})"
    return f"({arguments[0]}) {name} ({arguments[1]})"


def result_type(letter, dtype):
    if letter in ("component", "C") and letter != dtype:
        return COMPONENT[dtype] if letter == "component" or dtype in FLOATS else dtype
    return {"B": "bool", "i32": "i32", "i64": "i64"}.get(letter, dtype)


def operator_lines(dtype):
    """(output, its type, expression) of each operator that takes the type."""
    lines = []
    for name, operands, result in operators():
        if dtype not in CLASSES.get(operands[0], []):
            continue
        values = ["x[i]", "y[i]", "z[i]"]
        for k, letter in enumerate(operands):
            if letter == "J":
                values[k] = "count[i]"
            elif letter in ("i32", "i64"):
                values[k] = f"{letter}(count[i])"
        lines.append((f"o{len(lines)}", result_type(result, dtype), spelled(name, values[:len(operands)])))
    lines.append((f"o{len(lines)}", dtype, "if i % 2 == 0 { x[i] } else { y[i] }"))
    if dtype in COMPLEX:
        lines.append((f"o{len(lines)}", COMPONENT[dtype], "x[i].re"))
        lines.append((f"o{len(lines)}", COMPONENT[dtype], "x[i].im"))
    return lines


def converts(source, to):
    return not (source in COMPLEX and to not in COMPLEX + ["bool"])


def cast_lines(dtype):
    return [(f"to_{to}", to, f"{to}(x[i])") for to in TYPES if converts(dtype, to)]


def operator_program(dtype, lines):
    outputs = ", ".join(f"{name}: {kind}[N]" for name, kind, _ in lines)
    body = "".join(f"  {name}[i] = {text};\n" for name, _, text in lines)
    return (f"fn sweep(x: {dtype}[N], y: {dtype}[N], z: {dtype}[N], count: i64[N]) -> ({outputs}) {{\n{body}}}\n")


def operands(dtype):
    """All pairs of edge values, with a third operand and a count that take turns."""
    values = edges(dtype)
    if len(values) > 64:
        values = values[::8]
    x, y = (np.array(side, values.dtype) for side in zip(*itertools.product(values, values)))
    z = np.resize(values[::-1], len(x))
    return {"x": x, "y": y, "z": z, "count": np.resize(np.array(COUNTS, np.int64), len(x))}


def scatter_program(dtype):
    """All scatters of the type: two updates of an element (of three, the order would show), and one element that keeps its
    start."""
    chosen = [op for op, types in SCATTERS.items() if dtype in types]
    outputs = ", ".join(f"o{k}: {dtype}[M], d{k}: {dtype}[M]" for k in range(len(chosen)))
    body = "".join(f"  scatter[i in 0..N] o{k}[to[i]] {op} x[i];\n"
                   f"  scatter deterministic[i in 0..N] d{k}[to[i]] {op} x[i];\n" for k, op in enumerate(chosen))
    return f"fn sweep<M: size>(x: {dtype}[N], to: i32[N]) -> ({outputs}) {{\n{body}}}\n"


def scatter_inputs(dtype):
    x = np.tile(edges(dtype), 2)
    count = len(x) // 2
    return {"x": x, "to": np.concatenate([np.arange(count), (np.arange(count) + 5) % count]).astype(np.int32)}


def sweeps():
    """(name, source, inputs, sizes) of each program."""
    for dtype in TYPES:
        if dtype not in SMALL_FLOATS:
            yield f"operators {dtype}", operator_program(dtype, operator_lines(dtype)), operands(dtype), {}
        yield f"casts {dtype}", operator_program(dtype, cast_lines(dtype)), \
            {"x": edges(dtype), "y": edges(dtype), "z": edges(dtype), "count": np.zeros(len(edges(dtype)), np.int64)}, {}
        inputs = scatter_inputs(dtype)
        yield f"scatters {dtype}", scatter_program(dtype), inputs, {"M": len(inputs["x"]) // 2 + 1}

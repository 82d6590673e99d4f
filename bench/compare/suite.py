"""The rows of the suite: bench/suite.tsv, one line each. Needs nothing but Python.

A row is a program (bench/suite/NAME.cdsl), the sizes at which it is measured, the bytes or operations that it has to move or
do, and the bar. Each has small sizes too, to try everything out where there is little memory and no GPU.
"""
import csv
import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[1]
TYPES = {"f32", "tf32", "bf16", "f16", "u8"}
BARS = {"roof", "best", "tflops"}


@dataclasses.dataclass(frozen=True)
class Bar:
    """What ours must reach: a fraction of the roof, so many times the best peer, or TFLOP/s."""
    kind: str
    value: float

    def __str__(self):
        return {"roof": f"roof >= {self.value:.2f}", "best": f"x best >= {self.value:.2f}",
                "tflops": f">= {self.value:g} TFLOP/s"}[self.kind]


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    workload: str    # of bench/compare/workloads: data, peers and reference
    type: str        # of the elements; tf32 are f32 that may be rounded before they are multiplied
    sizes: dict
    given: dict      # scalar parameters
    mix: tuple       # large streams read and written, where memory is the bound: (2, 1); else ()
    bytes: int       # that must move
    flops: int       # 0 where nobody counts them
    bar: Bar
    small: tuple     # size sets for tests

    @property
    def program(self):
        return FOLDER / "suite" / f"{self.name}.cdsl"


def evaluate(formula, sizes):
    """The value of `2*M*N`: sums, differences and products of sizes and integers."""
    if formula == "-":
        return 0
    if not re.fullmatch(r"[\w+\-*() ]+", formula):
        raise ValueError(f"{formula!r} is no formula over sizes")
    return eval(formula, {"__builtins__": {}}, dict(sizes))


def words(cell):
    return [] if cell == "-" else cell.split()


def pairs(items, kind):
    return {name: kind(value) for name, value in (item.split("=") for item in items)}


def parse_row(cells, small=False):
    sets = tuple(pairs(item.split(","), int) for item in words(cells["small"]))
    sizes = sets[-1] if small else pairs(words(cells["sizes"]), int)
    kind, value = cells["bar"].split()
    if kind not in BARS or cells["type"] not in TYPES:
        raise ValueError(f"{cells['name']}: no such bar or type")
    mix = re.fullmatch(r"(\d)r(\d)w", cells["mix"])
    return Row(cells["name"], cells["workload"], cells["type"], sizes, pairs(words(cells["given"]), float),
               tuple(int(part) for part in mix.groups()) if mix else (), evaluate(cells["bytes"], sizes),
               evaluate(cells["flops"], sizes), Bar(kind, float(value)),
               sets)


def load(only="", small=False, path=FOLDER / "suite.tsv"):
    """Rows in order whose name matches; `small`: at the last of their small sizes."""
    with open(path, newline="") as table:
        return [parse_row(cells, small) for cells in csv.DictReader(table, delimiter="\t") if re.search(only, cells["name"])]

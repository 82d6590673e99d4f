"""What a reference is made of: sizes, inputs, and the formula.

    @problem(inputs=dict(x="f32[N, D]"), outputs=dict(y="f32"), sizes=[dict(N=1, D=3)])
    def cumprod(x):
        return dict(y=np.cumprod(x, axis=1))

The function has the name of its program. It gets, by the names of its parameters, inputs as float64 (or complex128,
int64, bool) after they were rounded to the type of the program, and sizes. An input is "type[extents]" with uniform
random numbers, a number, a function of the sizes and earlier inputs that it names, or an Of.
"""
import inspect
import re
from dataclasses import dataclass
from typing import Callable

import numpy as np

from support.values import decode, encode

REGISTRY = {}


@dataclass
class Problem:
    name: str
    reference: Callable
    inputs: dict
    outputs: dict
    sizes: list
    params: tuple = ()          # sizes that no input carries, passed with -D
    tolerance: float = None
    file: str = None            # "examples/saxpy" where it is not tests/programs/NAME
    fn: str = None              # where it is not the last of the file


def problem(inputs, outputs, sizes, params=(), tolerance=None, file=None, fn=None):
    """Registers a reference under the name of its function."""
    def register(function):
        name = function.__name__
        path = file or f"tests/programs/{name}"
        REGISTRY[name] = Problem(name, function, inputs, outputs, sizes, tuple(params), tolerance, path, fn)
        return function
    return register


@dataclass
class Of:
    """An input made by a function: make(rng, sizes and earlier inputs by name) gives ordinary numbers.

    The type is one of the language, or "record" for an array whose dtype is already that of the record.
    """
    dtype: str
    make: Callable


def uniform(dtype, low=-1.0, high=1.0):
    """An input of this type and shape, "f32[N, D]", with numbers in [low, high)."""
    element, extents = re.fullmatch(r"(\w+)\[(.*)\]", dtype).groups()

    def make(rng, **sizes):
        shape = tuple(eval(extents + ",", {}, sizes)) if extents else ()
        numbers = rng.uniform(low, high, shape)
        return numbers + 1j * rng.uniform(low, high, shape) if element in ("c64", "c128") else numbers

    return Of(element, make)


def integers(dtype, low, high):
    """An input of this type and shape with integers in [low, high)."""
    element, extents = re.fullmatch(r"(\w+)\[(.*)\]", dtype).groups()

    def make(rng, **sizes):
        return rng.integers(low, high, tuple(eval(extents + ",", {}, sizes)), dtype=np.int64)

    return Of(element, make)


def call_by_name(function, *positional, **known):
    """Calls a function with those of the known values that it names, or all where it takes **."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind == p.VAR_KEYWORD for p in parameters):
        return function(*positional, **known)
    names = [p.name for p in parameters][len(positional):]
    return function(*positional, **{n: known[n] for n in names if n in known})


def build(entry, sizes, seed):
    """(stored, expected) of one size set: inputs as they stand in memory, results as plain numbers."""
    rng = np.random.default_rng(seed)
    stored, known = {}, dict(sizes)
    for name, spec in entry.inputs.items():
        if isinstance(spec, str):
            spec = uniform(spec)
        if not isinstance(spec, Of):
            value = call_by_name(spec, **known) if callable(spec) else spec
            stored[name] = known[name] = value
            continue
        numbers = call_by_name(spec.make, rng, **known)
        if spec.dtype == "record":
            stored[name] = known[name] = numbers
            continue
        stored[name] = encode(numbers, spec.dtype)
        known[name] = decode(stored[name], spec.dtype)
    with np.errstate(all="ignore"):
        expected = call_by_name(entry.reference, **known)
    return stored, expected

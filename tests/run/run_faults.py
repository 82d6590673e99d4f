"""Runs the cases of faults.py on the reference evaluator and on the simulator, and compares what they write. Each file
of faults/ is also compiled to CUDA, those included whose tensors are too large to run.

usage: run_faults.py --cuoptc PATH [--only REGEX] [--device eval|sim] [-j N]
"""
import argparse
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import numpy as np  # noqa: E402

from faults import faults  # noqa: E402
from support.jobs import call, run_all  # noqa: E402
from support.values import encode, mismatch  # noqa: E402


def stored(dtype, values):
    return np.asarray(values) if dtype == "record" else encode(values, dtype)


def zero_signs_differ(actual, expected):
    """Equal zeros of different sign, where the expected array has zeros and nothing else would show it."""
    both = (actual == 0) & (expected == 0)
    return bool((np.signbit(actual) != np.signbit(expected))[both].any())


def compare(name, path, dtype, values, tolerance):
    if not path.exists():
        return f"no {name}.npy"
    actual = np.load(path)
    difference = mismatch(actual, np.asarray(values), dtype, tolerance)
    if not difference and dtype in ("f32", "f64") and zero_signs_differ(actual, np.asarray(values, np.float64)):
        difference = f"a zero has the wrong sign in {actual!r}"
    return difference and f"{name}: {difference}"


def check(fault, device, options):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        command = [options.cuoptc, "run", str(HERE / "faults" / f"{fault.file}.cdsl"), f"--fn={fault.fn}",
                   f"--device={device}", f"--out-dir={scratch / 'out'}"]
        (scratch / "out").mkdir()
        for name, value in fault.given.items():
            if isinstance(value, tuple):
                np.save(scratch / f"{name}.npy", stored(*value))
                value = scratch / f"{name}.npy"
            command.append(f"--in={name}={value}")
        code, text = call(command, options.timeout)
        if fault.error is not None:
            if code != 1 or fault.error not in text:
                return [f"{device}: exit code {code}, expected an error that names {fault.error}"] + text.splitlines()[:8]
            return []
        if code != 0:
            return [f"{device}: exit code {code}"] + text.splitlines()[:8]
        found = (compare(name, scratch / "out" / f"{name}.npy", dtype, values, fault.tolerance)
                 for name, (dtype, values) in fault.expect.items())
        return [f"{device}: {line}" for line in found if line]


def compiles(path, options):
    """The whole file as CUDA text, twice the same."""
    first, second = (call([options.cuoptc, str(path), "-o", "-"], options.timeout) for _ in range(2))
    if first[0] != 0:
        return [f"exit code {first[0]}"] + first[1].splitlines()[:8]
    return [] if first == second else ["two runs print different text"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuoptc", required=True)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--device", choices=["eval", "sim", "cuda"], action="append")
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS")
    parser.add_argument("-j", type=int, dest="workers")
    options = parser.parse_args()
    devices = options.device or ["eval", "sim"]
    cases = {path.name: path for path in sorted((HERE / "faults").glob("*.cdsl"))}
    cases.update((fault.name, fault) for fault in faults())
    cases = {name: case for name, case in cases.items() if re.search(options.only, name)}

    def both(name):
        if isinstance(cases[name], pathlib.Path):
            return compiles(cases[name], options), "compiles"
        return [line for device in devices for line in check(cases[name], device, options)], " ".join(devices)

    sys.exit(run_all(list(cases), both, options.workers))


if __name__ == "__main__":
    main()

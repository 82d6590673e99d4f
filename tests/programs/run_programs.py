"""Compiles and runs every program of this folder, and every example, and compares their results with NumPy.

usage: run_programs.py --cuoptc PATH [--device eval|sim] [--only REGEX] [-j N] [--list]
"""
import argparse
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import numpy as np  # noqa: E402

from problem import build  # noqa: E402
from reference import problems  # noqa: E402
from support.jobs import call, run_all  # noqa: E402
from support.values import mismatch  # noqa: E402


def argument(name, value, folder):
    """--in for one input: a file for a tensor, the number itself for a scalar."""
    if isinstance(value, np.ndarray):
        path = folder / f"{name}.npy"
        np.save(path, value)
        return f"--in={name}={path}"
    return f"--in={name}={value!r}" if not isinstance(value, float) else f"--in={name}={float(value)!r}"


def check_sizes(entry, sizes, seed, options):
    """Lines that say what went wrong at one size set."""
    stored, expected = build(entry, sizes, seed)
    shown = " ".join(f"{name}={value}" for name, value in sizes.items())
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        out = scratch / "out"
        out.mkdir()
        command = [options.cuoptc, "run", str(ROOT / f"{entry.file}.cdsl"), f"--device={options.device}",
                   f"--out-dir={out}"]
        command += [f"--fn={entry.fn}"] if entry.fn else []
        command += [argument(name, value, scratch) for name, value in stored.items()]
        command += [f"-D{name}={sizes[name]}" for name in entry.params]
        code, text = call(command, options.timeout)
        if code != 0:
            return [f"{shown}: exit code {code}"] + text.splitlines()[:8]
        failures = []
        for name, dtype in entry.outputs.items():
            path = out / f"{name}.npy"
            if not path.exists():
                failures.append(f"{shown}: no {name}.npy")
                continue
            difference = mismatch(np.load(path), expected[name], dtype, entry.tolerance)
            if difference:
                failures.append(f"{shown}: {name}: {difference}")
        return failures


def check(entry, options):
    failures = []
    for seed, sizes in enumerate(entry.sizes):
        failures += check_sizes(entry, sizes, seed, options)
    return failures, f"{len(entry.sizes)} sizes"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuoptc")
    parser.add_argument("--device", choices=["eval", "sim", "cuda"], default="eval")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS")
    parser.add_argument("-j", type=int, dest="workers")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    options = parser.parse_args()

    entries = {entry.name: entry for entry in problems() if re.search(options.only, entry.name)}
    programs = {path.relative_to(ROOT).with_suffix("").as_posix()
                for folder in (HERE, ROOT / "examples") for path in folder.glob("*.cdsl")}
    missing = programs ^ {entry.file for entry in problems()}
    if missing:
        sys.exit("program without reference, or reference without program: " + ", ".join(sorted(missing)))
    if options.list:
        print("\n".join(entries))
        return
    if not options.cuoptc:
        parser.error("--cuoptc is required")
    sys.exit(run_all(list(entries), lambda name: check(entries[name], options), options.workers))


if __name__ == "__main__":
    main()

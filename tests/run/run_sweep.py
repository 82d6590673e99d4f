"""Every operator, conversion and scatter for every type on edge values (NaN, -0, infinities, least and greatest, counts
outside the width): `cuoptc verify` compares a device with the reference evaluator.

usage: run_sweep.py --cuoptc PATH [--device sim|cuda] [--only REGEX] [--flags=--strict] [-j N]
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import numpy as np  # noqa: E402

from support.jobs import call, run_all  # noqa: E402
from sweep import sweeps  # noqa: E402


def check(case, options):
    source, inputs, sizes = case
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "sweep.cdsl").write_text(source)
        command = [os.path.abspath(options.cuoptc), "verify", str(scratch / "sweep.cdsl"), f"--device={options.device}",
                   *options.flags.split()]
        for name, values in inputs.items():
            np.save(scratch / f"{name}.npy", values)
            command.append(f"--in={name}={scratch / name}.npy")
        command += [f"-D{name}={value}" for name, value in {"N": len(inputs["x"]), **sizes}.items()]
        code, text = call(command, options.timeout)
        lines = text.splitlines()
        if code != 0 or not lines or not lines[0].startswith("ok"):
            return [f"exit code {code}"] + lines[:16], ""
        return [], lines[0].partition(": ")[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuoptc", required=True)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--device", choices=["sim", "cuda"], default="sim")
    parser.add_argument("--flags", default="", help="more options of cuoptc verify")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS")
    parser.add_argument("-j", type=int, dest="workers")
    options = parser.parse_args()
    chosen = {name: case for name, *case in sweeps() if re.search(options.only, name)}
    sys.exit(run_all(list(chosen), lambda name: check(chosen[name], options), options.workers))


if __name__ == "__main__":
    main()

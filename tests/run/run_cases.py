"""Runs `cuoptc verify` over the table of examples, types and sizes: the simulator against the reference evaluator.

usage: run_cases.py --cuoptc PATH [--only REGEX] [--device sim | --each-pass] [--flags=--strict] [-j N]

A row of cases.tsv is a file, the types of its generic parameter, scalars, and size sets; `-` stands for none.
"""
import argparse
import csv
import itertools
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support.jobs import call, run_all  # noqa: E402


def words(cell):
    return [] if cell == "-" else cell.split()


def cases():
    """(name, arguments) of every combination in the table."""
    with open(ROOT / "tests/run/cases.tsv", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            for kind, sizes in itertools.product(words(row["types"]) or [None], words(row["sizes"])):
                defines = ([kind] if kind else []) + sizes.split(",")
                arguments = [row["file"] + ".cdsl"]
                arguments += [f"-D{define}" for define in defines]
                arguments += [f"--in={scalar}" for scalar in words(row["given"])]
                yield f"{row['file']} {' '.join(defines)}", arguments


# Sets of sizes that take the evaluator more steps are left out. Without --sizes: those of `border_sizes`, for minutes.
EACH_PASS = ["--each-pass", "--most-steps=8000"]


def passes():
    """(name, arguments) of every file and type: sizes are those of EACH_PASS."""
    for name, arguments in cases():
        kept = [argument for argument in arguments if not re.fullmatch(r"-D\w+=\d+", argument)]
        yield " ".join(kept), kept


def check(arguments, options):
    way = [*EACH_PASS, *([f"--sizes={options.sizes}"] if options.sizes else [])] if options.each_pass else [f"--device={options.device}"]
    command = [os.path.abspath(options.cuoptc), "verify", *arguments, *way, *options.flags.split()]
    code, text = call(command, options.timeout, ROOT)
    lines = text.splitlines()
    if code != 0 or not lines or any(line.startswith("skip") for line in lines):
        return [f"exit code {code}"] + lines[:8], ""
    return [], " | ".join(line.partition(": ")[2] for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuoptc", required=True)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--device", default="sim")
    parser.add_argument("--flags", default="", help="more options of cuoptc verify")
    parser.add_argument("--each-pass", action="store_true", help="what every pass made, at sizes on borders")
    parser.add_argument("--sizes", default="", help="of --each-pass")
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS")
    parser.add_argument("-j", type=int, dest="workers")
    options = parser.parse_args()
    chosen = {name: arguments for name, arguments in (passes() if options.each_pass else cases()) if re.search(options.only, name)}
    sys.exit(run_all(list(chosen), lambda name: check(chosen[name], options), options.workers))


if __name__ == "__main__":
    main()

"""Checks every program of bench/suite, and verifies it on the simulator at the small sizes of bench/suite.tsv.

usage: run_suite.py --cuoptc PATH [--only REGEX] [--device sim] [-j N]
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench")]

from compare import suite  # noqa: E402
from support.jobs import call, run_all  # noqa: E402


def run(options, *arguments):
    """Lines that say what went wrong; what is skipped counts."""
    code, text = call([options.cuoptc, *arguments], 120)
    lines = text.splitlines()
    failed = code != 0 or any(line.startswith("skip") for line in lines)
    return [f"{' '.join(arguments)}: exit code {code}", *lines[:8]] if failed else []


def check(row, options):
    program = str(row.program)
    if re.search(r"^\s*schedule\b", row.program.read_text(), re.MULTILINE):
        return ["it has a schedule, but bars hold for default settings"], ""
    full = [f"-D{name}={value}" for name, value in row.sizes.items()]
    failures = run(options, "check", program) + run(options, program, *full, "-o", "/dev/null")
    for sizes in row.small:
        chosen = [f"-D{name}={value}" for name, value in sizes.items()]
        given = [f"--in={name}={value!r}" for name, value in row.given.items()]
        failures += run(options, "verify", program, *chosen, *given, f"--device={options.device}")
    return failures, f"{len(row.small)} sizes"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuoptc", required=True)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--device", default="sim")
    parser.add_argument("-j", type=int, dest="workers")
    options = parser.parse_args()
    rows = {row.name: row for row in suite.load(options.only)}
    strays = {path.stem for path in suite.FOLDER.glob("suite/*.cdsl")} ^ {row.name for row in suite.load()}
    if strays:
        sys.exit("program without a row, or row without a program: " + ", ".join(sorted(strays)))
    sys.exit(run_all(list(rows), lambda name: check(rows[name], options), options.workers))


if __name__ == "__main__":
    main()

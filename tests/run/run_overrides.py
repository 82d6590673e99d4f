"""Overrules every decision of every example, and of the layouts of records, with what `explain` offers, and verifies each
result on the simulator.

usage: run_overrides.py --cuoptc PATH [--only REGEX] [--seed N] [-j N]

A combination of overrides either verifies, or is refused with a sentence that names a key and the choices that it has.
"""
import argparse
import concurrent.futures
import csv
import itertools
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support.jobs import TIME_FACTOR, call, run_all  # noqa: E402

MOST = 20                 # combinations a function
FEW, MANY = 4000, 40000   # points of a launch that is simulated, about
USER_ERROR = 1            # exit status
RECORDS = "tests/run/types/layouts_chosen"    # each way to reach records


def numbers(sizes):
    return [int(size.partition("=")[2]) for size in sizes.split(",")]


def points(sizes):
    return math.prod(numbers(sizes))


def largest(sets, limit, passes):
    """The set of the most points within a limit whose last size passes; where none does, of those within the limit."""
    small = [sizes for sizes in sets if points(sizes) <= limit] or sets[:1]
    return max([sizes for sizes in small if passes(numbers(sizes)[-1])] or small, key=points)


def examples():
    """(file, -D.. to explain at, [-D.. of the sizes to run at], --in=.. of the scalars) of each row of cases.tsv."""
    with open(ROOT / "tests/run/cases.tsv", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            if not row["file"].startswith("examples/") and row["file"] != RECORDS:
                continue
            sets = row["sizes"].split()
            odd = largest(sets, FEW, lambda size: size % 2 == 1)
            whole = largest(sets, MANY, lambda size: size % 4 == 0)     # rows of whole vectors
            scalars = [] if row["given"] == "-" else row["given"].split()
            defines = [[f"-D{size}" for size in sizes.split(",")] for sizes in (max(sets, key=points), odd, whole)]
            explained_at = defines[0] + [f"-D{scalar}" for scalar in scalars]
            yield row["file"] + ".cdsl", explained_at, defines[1:], [f"--in={scalar}" for scalar in scalars]


def overrides_of(report):
    """{key: its possible choices, the one taken first}; statements of one tensor share a key."""
    choices = {}
    for decision in report["decisions"]:
        if "key" not in decision:
            continue
        possible = [other["choice"] for other in decision["alternatives"] if other["predicted_us"] is not None]
        known = choices.setdefault(decision["key"], [])
        if decision["pass"] == "layout":
            # What a caller laid out takes none of them; else explain names some of the widths.
            possible = possible[:1] if decision["choice"] == "direct" else [*possible, "aosoa(2)", "aosoa(64)"]
        known += [choice for choice in [decision["choice"], *possible] if choice not in known]
    return choices


def combinations(choices, rng):
    """Each override by itself, one that no key has, then several at once; at most MOST."""
    singles = [{key: choice} for key, each in choices.items() for choice in each]
    rng.shuffle(singles)
    wrong = [{rng.choice(sorted(choices)): "nonsense"}] if choices else []
    made = wrong + singles[:MOST - len(wrong)]
    several = [dict((key, rng.choice(choices[key])) for key in rng.sample(sorted(choices), count))
               for count in (rng.randint(2, len(choices)) for _ in range(MOST) if len(choices) > 1)]
    # What leaves out a key that hangs on another's choice is likelier to be possible.
    return made + several[:MOST - len(made)]


def refusal_fault(chosen, code, text):
    """None where a refusal says what it has to."""
    if code != USER_ERROR:
        return f"exit code {code}"
    for line in text.splitlines():
        if any(f"--set {key}={choice}: " in line for key, choice in chosen.items()):
            return None if "possible: " in line else "no possible choices: " + line
    return "no sentence about a key: " + text[:300]


class Overriding:
    """One function of an example."""

    def __init__(self, file, function, choices, sizes, given, options):
        self.command = [os.path.abspath(options.cuoptc), "verify", file, f"--fn={function}", "--device=sim", *given]
        self.choices, self.sizes, self.options = choices, sizes, options
        self.rng = random.Random(f"{options.seed} {file} {function}")

    def check(self):
        verified = refused = 0
        failures = []
        # Sizes that are open, then such as make whole vectors, then known ones.
        ways = itertools.cycle([self.sizes[0], self.sizes[1], [*self.sizes[1], "--specialize"]])
        for chosen, way in zip(combinations(self.choices, self.rng), ways):
            arguments = [*way, *(f"--set={key}={choice}" for key, choice in chosen.items())]
            code, text = call([*self.command, *arguments], self.options.timeout, ROOT)
            if code == 0 and "ok " in text and "skip" not in text:
                verified += 1
                fault = "a choice that is none was taken" if "nonsense" in chosen.values() else None
            else:
                refused += 1
                fault = refusal_fault(chosen, code, text)
            if fault:
                failures += [" ".join([*self.command[1:], *arguments]), "  " + fault]
                if "FAIL" in text or code not in (0, USER_ERROR):
                    failures += ["  " + line for line in text.splitlines()[:6]]
        return failures, f"{verified} verified, {refused} refused"


def explained(file, defines, options):
    """The report of each function of a file."""
    command = [os.path.abspath(options.cuoptc), "explain", file, "--json", *defines]
    done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout * TIME_FACTOR, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command[1:])}: exit code {done.returncode}\n{done.stderr}")
    reports = json.loads(done.stdout)
    return reports if isinstance(reports, list) else [reports]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuoptc", required=True)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60, metavar="SECONDS")
    parser.add_argument("-j", type=int, dest="workers")
    options = parser.parse_args()
    chosen = [example for example in examples() if re.search(options.only, example[0])]
    with concurrent.futures.ThreadPoolExecutor(options.workers or os.cpu_count()) as pool:
        reports = list(pool.map(lambda example: explained(example[0], example[1], options), chosen))
    units = {}
    for (file, _, sizes, given), functions in zip(chosen, reports):
        for report in functions:
            name = f"{file} {report['function']}"
            units[name] = Overriding(file, report["function"], overrides_of(report), sizes, given, options)
    sys.exit(run_all(list(units), lambda name: units[name].check(), options.workers))


if __name__ == "__main__":
    main()

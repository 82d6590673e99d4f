"""Programs that must fail: every .cdsl file of tests/lit/errors says in its CHECK lines which errors it has, and `cuoptc check`
must report exactly those (file, line, column, code) and no other, and exit with exactly 1. FileCheck, which runs the same files,
looks at messages, notes and fixes; it would let another file's name or another exit status pass.

usage: check_errors.py --cuoptc PATH [--least N] [-j N]
"""
import argparse
import collections
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))

from support.jobs import call, run_all  # noqa: E402

# // CHECK: circle.cdsl:[[@LINE+1]]:8: error: {{.*}} [C0003]
EXPECTED = re.compile(r"//\s*CHECK[A-Z-]*:\s*(?P<file>[^\s:\[]*):(?P<line>\[\[@LINE(?P<by>[+-]\d+)?\]\]|\d+):(?P<column>\d+): error: .*\[(?P<code>C\d{4})\]")
REPORTED = re.compile(r"^(?P<file>.+):(?P<line>\d+):(?P<column>\d+): error: .* \[(?P<code>C\d{4})\]$", re.MULTILINE)
UNPLACED = re.compile(r"^(?!.*:\d+:\d+: ).*\berror: .*$", re.MULTILINE)


def expected(path):
    """(file, line, column, code) of each CHECK line for an error; the file is that of the test where no other is named."""
    found = []
    for number, text in enumerate(path.read_text().splitlines(), 1):
        match = EXPECTED.search(text)
        if not match:
            continue
        line = int(match["line"]) if match["line"].isdigit() else number + int(match["by"] or 0)
        name = match["file"] or path.name
        place = path if path.name == name else path.parent / "Inputs" / name
        found.append((str(place), line, int(match["column"]), match["code"]))
    return found


def reported(text):
    return [(m["file"], int(m["line"]), int(m["column"]), m["code"]) for m in REPORTED.finditer(text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuoptc", required=True)
    parser.add_argument("--least", type=int, default=120, help="so many programs there must be")
    parser.add_argument("-j", type=int, dest="workers")
    options = parser.parse_args()
    paths = {path.name: path for path in sorted((TESTS / "lit" / "errors").glob("*.cdsl"))}

    def check(name):
        wanted = expected(paths[name])
        if not wanted:
            return ["no CHECK line says which error it has"], ""
        code, text = call([options.cuoptc, "check", str(paths[name])], 60)
        wrong = [] if code == 1 else [f"exit status {code}, not 1"]
        got, want = collections.Counter(reported(text)), collections.Counter(wanted)
        wrong += [f"missing: {error}" for error in (want - got).elements()]
        wrong += [f"not expected: {error}" for error in (got - want).elements()]
        wrong += [f"without a place: {line}" for line in UNPLACED.findall(text)]
        return wrong, " ".join(error[3] for error in wanted)

    status = run_all(list(paths), check, options.workers)
    if len(paths) < options.least:
        print(f"{len(paths)} programs, {options.least} are wanted")
        status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()

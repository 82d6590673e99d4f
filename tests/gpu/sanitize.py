"""Every example under the four tools of compute-sanitizer, at small odd sizes.

usage: sanitize.py CUOPTC [-j N] [--only REGEX]      from the root of the repository, on a machine with a GPU
Each run is `cuoptc verify --device=cuda`, whose values count too. Exits 77 where compute-sanitizer is missing.
"""
import argparse
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from run_cases import cases  # noqa: E402
from support.jobs import call, run_all  # noqa: E402

TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
FOUND = 9


def chosen():
    """The last size set of each example: the largest, and still small."""
    by_file = {}
    for _, arguments in cases():
        by_file.setdefault(arguments[0], []).append(arguments)
    for file, sets in by_file.items():
        yield file, sets[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cuoptc")
    parser.add_argument("-j", type=int, dest="workers", default=4)
    parser.add_argument("--only", default="", metavar="REGEX")
    options = parser.parse_args()
    sanitizer = shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")
    if sanitizer is None:
        print("skipped: compute-sanitizer is not here")
        sys.exit(77)
    jobs = {f"{tool} {' '.join(arguments)}": (tool, arguments) for _, arguments in chosen() for tool in TOOLS
            if re.search(options.only, arguments[0])}

    def check(name):
        tool, arguments = jobs[name]
        command = [sanitizer, "--tool", tool, "--error-exitcode", str(FOUND), options.cuoptc, "verify", *arguments, "--device=cuda"]
        code, text = call(command, 300)
        return ([] if code == 0 else [f"exit code {code}"] + text.splitlines()[:12]), ""

    sys.exit(run_all(list(jobs), check, options.workers))


if __name__ == "__main__":
    main()

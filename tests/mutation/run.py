"""Runs the tests against each mutant of mutants.tsv and writes results.tsv: which test killed it, or that none did.

usage: run.py [--build build/mutants] [-j N] [--only NUMBER,...] [--steps REGEX]

First every step runs without a mutant: it must pass, its time says where it stands in the order and how long is a hang, and its trace says which mutants it comes by at all. Then each mutant runs the steps that come by it, until one fails.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

from mutate import ROOT, drawn
from steps import steps

RESULTS = pathlib.Path(__file__).with_name("results.tsv")
HEAD = "number\tfile\tline\trule\tmutated\tfate\tby\treason"
workers = threading.local()
folders = []


def call(step, environment, timeout):
    """Exit status of a step, -1 for one that hangs. lit keeps what tests write in a folder of each worker."""
    if not hasattr(workers, "folder"):
        workers.folder = tempfile.TemporaryDirectory()
        folders.append(workers.folder)
    command = [str(word).replace("out=@", f"out={workers.folder.name}") for word in step.command]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                               start_new_session=True,
                               env={**os.environ, "TMPDIR": workers.folder.name, **environment})
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return -1


def baseline(step, known):
    """{seconds, reached} of a step without a mutant; kept from the last time where nothing that it depends on has changed."""
    stamp = [f"{path}:{os.stat(path).st_mtime_ns}" for path in step.depends] + [str(word) for word in step.command]
    if known.get(step.name, {}).get("stamp") == stamp:
        return known[step.name]
    with tempfile.NamedTemporaryFile("r") as trace:
        start = time.monotonic()
        status = call(step, {"CDSL_MUTANT_TRACE": trace.name}, 600)
        return {"stamp": stamp, "status": status, "seconds": time.monotonic() - start,
                "reached": sorted({int(line) for line in trace.read().split()})}


def all_baselines(build, jobs, wanted):
    kept = build / "mutation_baseline.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    listed = [step for step in steps(build) if re.search(wanted, step.name)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda step: baseline(step, known), listed))
    passed = {step.name: data for step, data in zip(listed, found) if data["status"] == 0}
    kept.write_text(json.dumps(known | passed))
    failed = [step.name for step, data in zip(listed, found) if data["status"] != 0]
    if failed:
        sys.exit("These fail without a mutant: " + ", ".join(failed))
    print(f"{len(listed)} steps pass without a mutant, in {sum(data['seconds'] for data in found):.0f} s")
    # What looks at text kills most, then what looks at parts; what executes whole programs takes long. Of a kind, fast ones first.
    kinds = ["golden", "unit", "lit"]
    rank = {step.name: kinds.index(kind) if (kind := step.name.split(".")[0]) in kinds else len(kinds) for step in listed}
    return sorted(zip(listed, found), key=lambda pair: (rank[pair[0].name], pair[1]["seconds"]))


def fate_of(number, order):
    """(fate, test): killed by a test, survived all that come by it, or never reached."""
    reached = [(step, data) for step, data in order if number in data["reached"]]
    for step, data in reached:
        status = call(step, {"CDSL_MUTANT": str(number)}, 3 * data["seconds"] + 10)
        # A test that fails now without the mutant too (an interrupted build, a full disk) kills nothing.
        if status != 0 and call(step, {}, 600) == 0:
            return "killed", step.name + (" (hangs)" if status == -1 else "")
    return ("survived", f"{len(reached)} tests") if reached else ("unreached", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/mutants")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", metavar="NUMBER,...")
    parser.add_argument("--steps", default="", metavar="REGEX", help="of these steps alone, for a first look")
    options = parser.parse_args()
    mutants, lost = drawn()
    if lost:
        sys.exit("mutants.tsv is not in step with the sources: tests/mutation/mutate.py check")
    # Rows of mutants that do not run now, and what was written by hand about those that do.
    rows = {}
    if RESULTS.exists():
        rows = {int(row.split("\t")[0]): row.split("\t") for row in RESULTS.read_text().splitlines()[1:]}
    chosen = {int(number) for number in options.only.split(",")} if options.only else {number for number, _ in mutants}

    order = all_baselines(options.build.resolve(), options.j, options.steps)
    running = [(number, site) for number, site in mutants if number in chosen]
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        futures = {pool.submit(fate_of, number, order): (number, site) for number, site in running}
        for future in concurrent.futures.as_completed(futures):
            (number, site), (fate, test) = futures[future], future.result()
            line = re.sub(r"\s+", " ", site.context)
            old = rows.get(number, [""] * 8)
            reason = old[7] if fate != "killed" and old[4] == line else ""
            rows[number] = [str(number), site.file, str(site.line), site.rule, line, fate, test, reason]
            print(*rows[number], sep="  ", flush=True)
            with open(RESULTS, "w") as table:
                print(HEAD, *("\t".join(rows[key]) for key in sorted(rows)), sep="\n", file=table)
    fates = [row[5] for row in rows.values()]
    print(f"{fates.count('killed')} of {len(fates)} killed, {fates.count('survived')} survived, {fates.count('unreached')} unreached")
    sys.exit(fates.count("killed") < 80)


if __name__ == "__main__":
    main()

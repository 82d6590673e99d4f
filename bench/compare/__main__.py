#!/usr/bin/env python3
"""Measures ours and the peers on one GPU, row by row of bench/suite.tsv.

usage: python3 bench/compare --lib build/default/library/libcdsl.so [--only REGEX] [--time SECONDS] [--resume FILE.json] ...
       python3 bench/compare --report FILE.json

Each row is written to the result file as soon as it is whole, raw samples and errors with it; the table follows from that file.
"""
import argparse
import pathlib
import secrets
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
# The package is imported by its name: its modules shall not stand in the way of anybody's `clock` or `report`.
sys.path[0] = str(HERE.parent)

from compare import report, suite  # noqa: E402
from compare.supervisor import OutOfTime, Supervisor, WorkerDied  # noqa: E402

CONTENDERS = ["ours", "eager", "compile", "jax", "cupy", "library", "eager_channels_last", "floor"]


def parse(arguments):
    parser = argparse.ArgumentParser(prog="bench/compare", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose name matches")
    parser.add_argument("--time", type=float, default=float("inf"), metavar="SECONDS", help="stop then; what is whole is kept")
    parser.add_argument("--resume", metavar="FILE", help="go on with this result: rows that are whole are not measured again")
    parser.add_argument("--out", metavar="FILE", help="result; default: that of --resume, else bench/results/compare.json")
    parser.add_argument("--contenders", default=",".join(CONTENDERS), metavar="LIST", help="default: %(default)s")
    parser.add_argument("--samples", type=int, default=13, metavar="N", help="of each contender; fewer where they are slow (default 13)")
    parser.add_argument("--budget", type=float, default=3.0, metavar="SECONDS", help="that a contender's samples may take (default 3)")
    parser.add_argument("--autotune", type=float, default=120, metavar="SECONDS",
                        help="that torch.compile may spend on searches in all rows together (default 120)")
    parser.add_argument("--ours-limit", type=float, default=30, metavar="SECONDS", help="after which ours counts as hanging (default 30)")
    parser.add_argument("--lib", metavar="PATH", help="libcdsl.so; default: $CDSL_LIBRARY, else that of the loader")
    parser.add_argument("--cache", metavar="FOLDER", help="of our kernels; an empty name for none")
    parser.add_argument("--seed", type=int, help="of the data; default: a new one each row")
    parser.add_argument("--report", metavar="FILE", help="only print the table of a result, recomputed from its raw samples")
    parser.add_argument("--dry", action="store_true", help="small sizes without a GPU: all but the times, which mean nothing")
    parser.add_argument("--verbose", action="store_true", help="print where contenders failed")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.contenders = [name for name in options.contenders.split(",") if name]
    unknown = set(options.contenders) - set(CONTENDERS)
    if unknown:
        parser.error(f"no such contender: {', '.join(sorted(unknown))}; there are {', '.join(CONTENDERS)}")
    return options


def is_whole(record, contenders):
    return "error" not in record and set(contenders) <= set(record.get("contenders", []))


def commit():
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True)
    return done.stdout.strip() or None


def start_results(options, rows):
    """Results to go on with, and where they go."""
    results = report.load(options.resume) if options.resume and pathlib.Path(options.resume).exists() else {}
    results = {"runs": results.get("runs", []), "rows": results.get("rows", [])}
    results["runs"].append({"commit": commit(), "date": time.strftime("%Y-%m-%d %H:%M:%S %z"), "samples": options.samples,
                            "roof_TBps": report.ROOF_TBPS, "dry": options.dry, "arguments": [word.rsplit("/", 1)[-1] for word in sys.argv[1:]]})
    whole = {record["name"] for record in results["rows"] if is_whole(record, options.contenders)}
    return results, [row for row in rows if row.name not in whole]


def command_for(row, options, autotune_left):
    return {"row": row.name, "contenders": options.contenders, "samples": options.samples, "budget": options.budget,
            "ours_limit": options.ours_limit, "verbose": options.verbose, "autotune": autotune_left > 20,
            "seed": options.seed if options.seed is not None else secrets.randbits(48)}


def say(text):
    print(text, file=sys.stderr, flush=True)


def measure_all(rows, results, options, out):
    """Measures and stores row by row; the number of rows that time was too short for."""
    deadline = time.monotonic() + options.time
    supervisor = Supervisor([sys.executable, "-u", str(HERE), "--worker"],
                            {"lib": options.lib, "cache": options.cache, "dry": options.dry}, deadline, say)
    autotune_left = options.autotune
    try:
        for index, row in enumerate(rows):
            record = {"name": row.name, **supervisor.measure(command_for(row, options, autotune_left)), "run": len(results["runs"]) - 1}
            autotune_left -= record.get("autotune_seconds", 0) if record.get("notes", {}).get("compile") == "max-autotune" else 0
            results["runs"][-1]["machine"] = supervisor.machine
            results["rows"] = [other for other in results["rows"] if other["name"] != row.name] + [record]
            report.store(out, report.recompute(results, suite.load()))
            done = next(other for other in results["rows"] if other["name"] == row.name)
            say(f"{index + 1}/{len(rows)} " + report.line(report.cells(done)) + f" {record.get('seconds', 0):.1f} s")
    except OutOfTime:
        return len(rows) - index
    finally:
        supervisor.drop()
    return 0


def main():
    options = parse(sys.argv[1:])
    if options.worker is not None:
        from compare.worker import main as work
        return work(options.worker)
    if options.report:
        print(report.table(report.recompute(report.load(options.report), suite.load(options.only))), end="")
        return 0
    out = pathlib.Path(options.out or options.resume or HERE.parent / "results/compare.json")
    results, rows = start_results(options, suite.load(options.only))
    try:
        left = measure_all(rows, results, options, out)
    except WorkerDied as death:
        say(f"bench/compare: {death}")
        return 1
    if results["rows"]:
        text = report.table(report.recompute(results, suite.load()))
        out.with_suffix(".md").write_text(text)
        print(text, end="")
    if left:
        say(f"bench/compare: time is up, {left} rows are left; go on with --resume {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

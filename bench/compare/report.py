"""From raw samples to figures: everything that is shown is computed here, from the file alone. Needs nothing but Python.

A peer whose result is wrong is no peer. The best one is that of the least median. `ratio` is its time over ours: above 1, ours is
faster.
"""
import json
import math
import os
import pathlib
import statistics

ROOF_TBPS = 4.265      # device-to-device copy of one H200, bench/README.md
NOT_SLOWER = 0.99
CAP = 2.0              # of a row in the geometric mean


def medians(record):
    return {name: statistics.median(times) for name, times in record.get("samples_us", {}).items() if times}


def figures(record, row):
    """What follows from the raw samples of a row."""
    times = medians(record)
    checks = record.get("checks", {})
    ours, floor = times.pop("ours", None), times.pop("floor", None)
    right = {name: time for name, time in times.items() if checks.get(name, {}).get("ok")}
    best = min(right, key=right.get, default=None)

    def roof(time):
        return row.bytes / time / (ROOF_TBPS * 1e6) if time and row.mix else None

    def tflops(time):
        return row.flops / time / 1e6 if time and row.flops else None
    check = checks.get("ours", {})
    found = {"ours_us": ours, "peers_us": times, "best_peer": best, "ratio": right[best] / ours if best and ours else None,
             "roof": roof(ours), "tflops": tflops(ours), "floor_us": floor, "floor_roof": roof(floor),
             "best_peer_roof": roof(right.get(best)), "best_peer_tflops": tflops(right.get(best)), "bar": str(row.bar),
             "verified": bool(check.get("ok")), "max_error": check.get("max_error"), "tolerance": check.get("tolerance")}
    found["bar_met"], found["bar_by"] = judge(found, row.bar)
    return found


def judge(found, bar):
    """Whether the bar is met, and what decided it. None where a figure that it needs was not measured."""
    if found["ours_us"] is None or not found["verified"]:
        return False, "ours was not measured" if found["ours_us"] is None else "ours is not verified"
    if found["ratio"] is None:
        return None, "no peer was measured"
    if found["ratio"] < NOT_SLOWER:
        return False, "slower than the best peer"
    if bar.kind == "best":
        return found["ratio"] >= bar.value, "best peer"
    if bar.kind == "tflops":
        return found["tflops"] >= bar.value, "TFLOP/s"
    # A plain kernel that does nothing else does not get there: its floor is the bar.
    floor = found["floor_roof"]
    by_floor = floor is not None and floor < bar.value
    return found["roof"] >= (floor if by_floor else bar.value), "floor" if by_floor else "roof"


def summary(records):
    """Over the rows that count: those whose ours is verified and that have a peer."""
    ratios = [min(record["ratio"], CAP) for record in records if record.get("ratio") and record["verified"]]
    return {"rows": len(records), "rows_in_mean": len(ratios),
            "geometric_mean": math.exp(statistics.fmean(math.log(ratio) for ratio in ratios)) if ratios else None,
            "bars_met": sum(record["bar_met"] is True for record in records),
            "not_slower": sum((record.get("ratio") or 0) >= NOT_SLOWER for record in records),
            "verified": sum(record["verified"] for record in records)}


def recompute(results, rows):
    """Puts figures beside the raw samples of each row, and their sum below."""
    named = {row.name: row for row in rows}
    kept = [record for record in results["rows"] if record["name"] in named]
    kept.sort(key=lambda record: list(named).index(record["name"]))
    results["rows"] = [{"name": record["name"], **figures(record, named[record["name"]]), **raw(record)} for record in kept]
    results["summary"] = summary(results["rows"])
    return results


RAW = ("seed", "run", "contenders", "samples_us", "checks", "errors", "notes", "error", "autotune_seconds", "plan", "seconds")


def raw(record):
    return {key: record[key] for key in RAW if key in record}


def load(path):
    with open(path) as file:
        return json.load(file)


def store(path, results):
    """All or nothing: a run that is stopped leaves the last whole file."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(f".{os.getpid()}.part")
    scratch.write_text(json.dumps(results, indent=1, allow_nan=False) + "\n")
    scratch.replace(path)


def number(value, form):
    return "-" if value is None else format(value, form)


COLUMNS = ["workload", "ours", "eager", "compile", "JAX", "CuPy", "library", "best peer", "best/ours", "roof or TFLOP/s", "floor",
           "bar", "met", "error"]


def cells(record):
    peers = dict(record["peers_us"])
    eager = min((peers[name] for name in ("eager", "eager_channels_last") if name in peers), default=None)
    reached = f"{record['roof']:.3f}" if record["roof"] is not None else number(record["tflops"], ".1f") + " TFLOP/s"
    met = {True: "yes", False: "no", None: "?"}[record["bar_met"]] + (" (floor)" if record["bar_by"] == "floor" else "")
    check = "ok" if record["verified"] else "WRONG" if record["ours_us"] is not None else "none"
    return [record["name"], number(record["ours_us"], ".1f"), number(eager, ".1f"),
            *[number(peers.get(name), ".1f") for name in ("compile", "jax", "cupy", "library")], record["best_peer"] or "-",
            number(record["ratio"], ".2f"), reached if record["ours_us"] is not None else "-", number(record["floor_roof"], ".3f"),
            record["bar"], met, f"{check} {number(record['max_error'], '.1e')}"]


def line(texts):
    return "| " + " | ".join(texts) + " |"


def table(results):
    """Markdown: a row each, what failed, and the sum."""
    dry = any(run.get("dry") for run in results["runs"])
    shown = ["A dry run: small sizes on the host, whose times and bars mean nothing.", ""] if dry else []
    shown += [line(COLUMNS), line(["---"] + ["---:"] * 6 + ["---"] + ["---:"] * 3 + ["---"] * 3)]
    shown += [line(cells(record)) for record in results["rows"]]
    total = results["summary"]
    shown += ["", f"{total['bars_met']} of {total['rows']} bars met; {total['verified']} verified, {total['not_slower']} not slower than "
              f"the best peer; geometric mean of best-peer/ours, capped at {CAP:g}: {number(total['geometric_mean'], '.3f')} over "
              f"{total['rows_in_mean']} rows. Times in microseconds, medians."]
    failures = [f"- {record['name']}: {name}: {' '.join(text.split())[:300]}" for record in results["rows"]
                for name, text in [*record.get("errors", {}).items(), *([("row", record["error"])] if "error" in record else [])]]
    failures += [f"- {record['name']}: {name}: error {number(check['max_error'], '.2e')} is above {check['tolerance']:.2e}"
                 for record in results["rows"] for name, check in record.get("checks", {}).items() if not check["ok"]]
    return "\n".join(shown + (["", "What did not work:", *failures] if failures else [])) + "\n"

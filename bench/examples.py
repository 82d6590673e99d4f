"""Times of all examples on the GPU: the general path, decisions without sizes, decisions with the sizes as constants.

usage: examples.py CUOPTC RESULT.json [NAME...]      from the root of the repository
Sizes are those of bench/examples.tsv; each run is `cuoptc bench` (cold L2, median). Values are checked by `cuoptc verify`.
"""
import json
import pathlib
import subprocess
import sys

MODES = {"general": ["--O0"], "decided": [], "specialized": ["--specialize"]}


def bench(cuoptc, name, arguments, options):
    command = [cuoptc, "bench", f"examples/{name}.cdsl", *arguments, *options, "--json", "--min-time=0.03", "--max-time=0.03", "--samples=10"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout)[0] if done.returncode == 0 else {"error": done.stderr.strip()}


def main():
    cuoptc, result = sys.argv[1:3]
    only = sys.argv[3:]
    rows = []
    for line in pathlib.Path("bench/examples.tsv").read_text().splitlines():
        name, arguments = line.split("\t")
        if only and name not in only:
            continue
        row = {"name": name, "arguments": arguments}
        for mode, options in MODES.items():
            row[mode] = bench(cuoptc, name, arguments.split(), options)
        rows.append(row)
        times = [row[m]["cold"]["median_us"] if row[m] and "cold" in row[m] else float("nan") for m in MODES]
        # Whatever ends the run early, what is measured is kept.
        pathlib.Path(result).write_text(json.dumps({"command": "bench/examples.py CUOPTC RESULT.json", "rows": rows}, indent=1))
        print(f"{name:18}" + "".join(f"{t:12.2f}" for t in times) + f"   x{times[0] / times[2]:.1f}", flush=True)


if __name__ == "__main__":
    main()

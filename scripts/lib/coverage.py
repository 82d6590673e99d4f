"""Line coverage of folders, from the counters that a build with --coverage left.

usage: coverage.py BUILD FOLDER...

A line of a header counts once, however many units read it: it ran if it ran in any. Prints each folder's share, the files below
80 % with the lines that did not run, and fails where a folder is below 90 %.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAST, LOW = 90.0, 80.0


def counted(notes):
    """{(file, line): count} of one unit."""
    run = subprocess.run(["gcov", "--json-format", "--stdout", notes], capture_output=True, text=True, cwd=notes.parent)
    out = {}
    for document in run.stdout.splitlines():
        data = json.loads(document)
        for file in data["files"]:
            path = pathlib.Path(data["current_working_directory"], file["file"]).resolve()
            if not path.is_relative_to(ROOT):
                continue
            name = path.relative_to(ROOT).as_posix()
            for line in file["lines"]:
                key = (name, line["line_number"])
                out[key] = max(out.get(key, 0), line["count"])
    return out


def ranges(numbers):
    """"3-5 9" of sorted line numbers."""
    out = []
    for number in numbers:
        if out and number == out[-1][1] + 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def main():
    build, folders = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    notes = sorted(path for folder in folders for path in (build / folder).rglob("*.gcno"))
    lines = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for unit in pool.map(counted, notes):
            for key, count in unit.items():
                lines[key] = max(lines.get(key, 0), count)
    files = collections.defaultdict(dict)
    for (name, line), count in lines.items():
        if name.split("/")[0] in folders:
            files[name][line] = count > 0

    low = []
    for folder in folders:
        ran = [hit for name, hits in files.items() if name.startswith(folder + "/") for hit in hits.values()]
        share = 100 * sum(ran) / max(len(ran), 1)
        print(f"{folder:10} {share:5.1f} % of {len(ran)} lines")
        if share < LEAST:
            low.append(folder)
    for name, hits in sorted(files.items()):
        share = 100 * sum(hits.values()) / len(hits)
        if share < LOW:
            print(f"  {share:5.1f} %  {name}: {ranges(sorted(line for line, hit in hits.items() if not hit))}")
    if low:
        sys.exit(f"below {LEAST:.0f} %: " + ", ".join(low))


if __name__ == "__main__":
    main()

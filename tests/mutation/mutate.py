"""Draws 100 mutants of passes/ and codegen/, and writes the sources that hold them.

usage: mutate.py draw [-j N]    draws by the seed, asks the compiler which sites compile, and writes mutants.tsv
       mutate.py check          whether every site of mutants.tsv is still in the sources; refreshes nothing
       mutate.py write FOLDER   writes the mutated copies there and prints, a line each, the sources that have one

Sites are ordered by a hash of the seed and of the site's own text, not of its place: an edit of one file leaves the mutants of all
others as they are. A site that does not compile as a run-time choice (a constant expression, a narrowing) is passed over.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

from sites import sites_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = pathlib.Path(__file__).with_name("mutants.tsv")
SEED, COUNT = 5, 100
HEAD = "number\tfile\tline\tcolumn\trule\tcontext"


def all_sites():
    """Those of every source, by key, in the order in which they are drawn."""
    out = {}
    for folder in ("passes", "codegen"):
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            for site in sites_of(path.relative_to(ROOT).as_posix(), path.read_text()):
                out.setdefault(site.key(), site)
    return dict(sorted(out.items(), key=lambda item: hashlib.sha256(f"{SEED}|{item[0]}".encode()).digest()))


def mutated_text(file, sites):
    """The file with a choice at every one of `sites`, which are (number, site) and do not overlap."""
    text = (ROOT / file).read_text()
    for number, site in sorted(sites, key=lambda item: -item[1].start):
        text = text[:site.start] + site.form.replace("@", f"cdsl_mutant({number})") + text[site.end:]
    return f'#include "mutant.h"\n#line 1 "{file}"\n{text}'


def compiles(site, folder):
    copy = folder / (hashlib.sha256(site.key().encode()).hexdigest()[:16] + ".cpp")
    copy.write_text(mutated_text(site.file, [(0, site)]))
    run = subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-w", f"-I{ROOT}", f"-I{ROOT / 'include'}",
                          f"-I{TABLE.parent}", copy], capture_output=True)
    copy.unlink()
    return run.returncode == 0


def draw(jobs):
    """The first COUNT sites that compile and overlap none before them."""
    chosen, waiting = [], list(all_sites().values())
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while len(chosen) < COUNT:
            batch, waiting = waiting[:COUNT - len(chosen)], waiting[COUNT - len(chosen):]
            for site, fits in zip(batch, pool.map(lambda s: compiles(s, pathlib.Path(folder)), batch)):
                apart = all(s.file != site.file or s.end <= site.start or site.end <= s.start for s in chosen)
                if fits and apart:
                    chosen.append(site)
    with open(TABLE, "w") as table:
        print(HEAD, file=table)
        for number, site in enumerate(chosen):
            print(number, site.file, site.line, site.column, site.rule, site.context, sep="\t", file=table)


def drawn():
    """[(number, site)] of mutants.tsv, and the rows whose site is no longer in the sources."""
    sites, found, lost = all_sites(), [], []
    for row in TABLE.read_text().splitlines()[1:]:
        number, file, _, _, rule, context = row.split("\t")
        site = sites.get("|".join((file, rule, context)))
        if site is None:
            lost.append(row)
        else:
            found.append((int(number), site))
    return found, lost


def write(folder):
    files = {}
    for number, site in drawn()[0]:
        files.setdefault(site.file, []).append((number, site))
    for file, sites in files.items():
        copy, text = folder / file, mutated_text(file, sites)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text() != text:
            copy.write_text(text)
        print(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("action", choices=("draw", "check", "write"))
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("-j", type=int, default=2)
    options = parser.parse_args()
    if options.action == "draw":
        draw(options.j)
    elif options.action == "write":
        write(options.folder)
    elif lost := drawn()[1]:
        print("The sources have changed where these mutants stood; `tests/mutation/mutate.py draw` takes the next ones "
              "(then run tests/mutation/run.py again):", *lost, sep="\n")
        sys.exit(1)


if __name__ == "__main__":
    main()

"""Holds README.md against ids.txt and the tests: every case has a line, and what a line names exists.

usage: check_index.py      from anywhere
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def text(path):
    return (ROOT / path).read_text() if (ROOT / path).is_file() else ""


UNIT = {(m[1], m[2]) for folder in ("unit", "embed") for path in (ROOT / "tests" / folder).rglob("*.cpp")
        for m in re.finditer(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.M)}
SECTIONS = set(re.findall(r"^#+ (\d+(?:\.\d+)?) ", text("docs/language.md"), re.M))


def exists(name):
    kind, _, rest = name.partition(":")
    if kind == "faults":
        file, _, function = rest.partition(".")
        return re.search(rf"\bfn {re.escape(function)}\(", text(f"tests/run/faults/{file}.cdsl"))
    if kind == "case":
        return f'@case("{rest}")' in text("tests/faults/cases.py")
    if kind == "gpu":
        return f'@case("{rest}"' in text("tests/gpu/faults.py")
    if kind == "unit":
        return tuple(rest.split(".", 1)) in UNIT
    if kind == "family":
        return f'yield "{rest}"' in text("tests/fuzz/families.py")
    if rest:
        return rest.strip() in text(kind)
    return (ROOT / name).exists()


def is_name(word):
    return "/" in word or re.match(r"(faults|case|gpu|unit|family):", word)


def main():
    wanted = (HERE / "ids.txt").read_text().split()
    rows = re.findall(r"^\| ([A-Z]+-\d+) \| (.*) \|$", (HERE / "README.md").read_text(), re.M)
    wrong = [f"{case} has {n} lines" for case in wanted for n in [sum(row[0] == case for row in rows)] if n != 1]
    wrong += [f"{case} is no case of ids.txt" for case, _ in rows if case not in wanted]
    for case, line in rows:
        names = [word for word in re.findall(r"`([^`]+)`", line) if is_name(word)]
        wrong += [f"{case}: no {name}" for name in names if not exists(name)]
        sections = re.findall(r"\*\*rule\*\* (\d+(?:\.\d+)?)", line)
        wrong += [f"{case}: docs/language.md has no section {section}" for section in sections if section not in SECTIONS]
        if not names and not sections and not (case.startswith("TUNE-") and line == "no tuner yet"):
            wrong.append(f"{case}: names neither a test nor a rule")
    print("\n".join(wrong) if wrong else f"{len(rows)} cases")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

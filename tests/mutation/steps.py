"""The tests that mutants are held against, as steps of a second or so: one process each, which fails where its test does.

What a GPU, a toolkit or minutes are needed for is left out.
"""
import dataclasses
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/run"))

import run_cases  # noqa: E402

UNIT_PROGRAMS = ("api", "arithmetic", "async", "bind", "codegen", "ir", "loop", "machine", "passes", "predict", "runtime", "sim", "tile",
                 "verify")
LIT_FOLDERS = ("passes", "tools", "tile", "ir", "hostile", "accept", "warnings")
WAYS = ("", "--O0", "--strict", "--specialize")


@dataclasses.dataclass
class Step:
    name: str
    command: list
    depends: list  # files whose change may change what the test says


def steps(build):
    cuoptc, python = build / "bin/cuoptc", sys.executable
    yield from golden(cuoptc, python)
    yield from unit(build)
    yield from lit(build, cuoptc, python)
    for name, script, rows, ways in (
            ("cases", "run/run_cases.py", sorted({name.split()[0] for name, _ in run_cases.cases()}), WAYS),
            ("programs", "programs/run_programs.py", sorted(p.stem for p in (ROOT / "tests/programs").glob("*.cdsl")), None),
            ("bench", "bench/run_suite.py", sorted(p.stem for p in (ROOT / "bench/suite").glob("*.cdsl")), None),
            ("overrides", "run/run_overrides.py", [""], None), ("faults", "run/run_faults.py", [""], None),
            ("sweep", "run/run_sweep.py", [""], ("", "--strict"))):
        path = ROOT / "tests" / script
        for way in ways or [None]:
            for row in rows:
                extra = (["--device", "sim"] if name == "programs" else []) + ([f"--flags={way}"] if way else [])
                yield Step(".".join(filter(None, (name, row, (way or "").strip("-")))),
                           [python, path, "--cuoptc", cuoptc, "-j1", *([f"--only=^{re.escape(row)}( |$)"] if row else []), *extra],
                           [cuoptc, path, ROOT / "tests/run/cases.tsv"])
    yield Step("lane_nodes", [python, ROOT / "tests/gpu/lane_nodes.py", cuoptc, "sim"], [cuoptc])
    least = ROOT / "tests/random/regressions/least.cdsl"
    for data in ("usual", "edges", "negative"):
        for way in ("", "--O0", "--specialize"):
            yield Step(f"regressions.{data}{way}", [cuoptc, "verify", least, "--device=sim", f"--data={data}", "-DM=2", "-DN=33",
                                                   *way.split()], [cuoptc, least])
    random = build / "tests/random/cdsl_random" if (build / "tests/random/cdsl_random").exists() else build / "bin/cdsl_random"
    for seed in range(1, 41, 10):
        yield Step(f"random.{seed}", [random, "--seed", str(seed), "--count", "10", "--time", "120", "-j", "1", "--shrink", "0"], [random])


def golden(cuoptc, python):
    for folder, kept, options in (("examples", "", []), ("tests/gpu/lane", "lane/", ["--arch=sm_90a"])):
        for source in sorted((ROOT / folder).glob("*.*")):
            text = ROOT / f"tests/golden/{kept}{source.stem}.cu"
            if text.exists():
                yield Step(f"golden.{kept}{source.stem}", [python, ROOT / "tests/golden/golden.py", cuoptc, f"{folder}/{source.name}",
                                                           text, *options], [cuoptc, text, source])


def unit(build):
    for program in UNIT_PROGRAMS:
        binary = build / f"bin/unit_{program}"
        listed = subprocess.run([binary, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
        for suite in re.findall(r"^(\S+)\.", listed, re.MULTILINE):
            yield Step(f"unit.{program}.{suite}", [binary, f"--gtest_filter={suite}.*", "--gtest_fail_fast"], [binary])


def lit(build, cuoptc, python):
    """The line that runs lit is CMake's: it stands in a test of ctest."""
    kept = (build / "tests/lit/CTestTestfile.cmake").read_text()
    line = re.findall(r'"([^"]*)"', kept[kept.index("add_test("):kept.index(")\n", kept.index("add_test("))])
    runner = line[:next(k for k, word in enumerate(line) if word == "-v")]
    for folder in LIT_FOLDERS:
        for path in sorted((ROOT / "tests/lit" / folder).glob("*.*")):
            name = path.relative_to(ROOT / "tests/lit").as_posix()
            yield Step(f"lit.{name}", [*runner, "-q", "-j1", "--param", "out=@", build / "tests/lit" / name], [cuoptc, path])

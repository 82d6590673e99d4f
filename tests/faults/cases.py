"""Fault cases about schedules, targets and the command line: what cuoptc does with each, by the names of README.md.

usage: cases.py --cuoptc PATH [--only REGEX] [-j N]
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.jobs import TIME_FACTOR, call, run_all  # noqa: E402

PROGRAMS = str(HERE / "programs.cdsl")
ARCHITECTURES = ["sm_80", "sm_90", "sm_90a"]
CASES = {}


def case(name):
    def keep(function):
        assert name not in CASES, name
        CASES[name] = function
        return function
    return keep


class Compiler:
    """Each call checks the exit status, and returns what was said."""

    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())

    def __call__(self, *arguments, status=0, path=None):
        code, text = call([path or self.path, *arguments], 120)
        assert code == status, f"{' '.join(map(str, arguments))}: exit status {code}, not {status}\n{text[:1500]}"
        return text

    def verify(self, function, *arguments):
        return self("verify", PROGRAMS, f"--fn={function}", "--device=sim", *arguments)

    def emit(self, function, *arguments):
        return self(PROGRAMS, f"--fn={function}", "-o", "-", *arguments)


def threads(text):
    return [int(n) for n in re.findall(r"__launch_bounds__\((\d+)", text)]


@case("LIM-1")
def any_tile_of_a_transpose(cuoptc):
    for tile in ("tile.i.j", "tile.j.i", "flat", "general"):
        code, text = call([cuoptc.path, "verify", PROGRAMS, "--fn=transposed", "--device=sim", "-DM=19", "-DN=700", "--set", f"Y.map={tile}"], 120)
        assert code == 0 or (code == 1 and "possible: " in text), text
    assert "65535" not in cuoptc.emit("transposed", "-DM=196", "-DN=262144"), "no axis of the grid is filled to its limit"


@case("LIM-5")
def expressions_keep_their_grouping(cuoptc):
    for n in (100, 128):
        cuoptc.verify("product", f"-DM={n}", f"-DN={n}", f"-DK={n}", "--set", "C.map=product")


@case("LIM-6")
def never_more_than_1024_threads(cuoptc):
    text = cuoptc(PROGRAMS, "--fn=product", "--set", "C.threads=2048", "-o", "-", status=1)
    assert "--set C.threads=2048: no such choice; possible: " in text, text
    assert "a block has 1 to 1024 threads" in cuoptc(PROGRAMS, "--fn=product", "--set", "threads=1025", "-o", "-", status=1)
    for function in ("product", "doubled", "copied", "transposed", "counted", "rows"):
        found = threads(cuoptc.emit(function))
        assert found and max(found) <= 1024, (function, found)


@case("LIM-9")
def tiles_beyond_shared_memory(cuoptc):
    text = cuoptc(PROGRAMS, "--fn=product", "--set", "C.tile=1024x1024x64", "-o", "-", status=1)
    assert "--set C.tile=1024x1024x64: " in text and "possible: " in text, text


@case("TILE-1")
def bands_of_tiles(cuoptc):
    for columns in (9, 11, 15):
        cuoptc.verify("product", "-DM=70", f"-DN={columns * 64 - 3}", "-DK=3", "--set", "C.raster=8")


@case("TILE-3")
def widths_that_are_no_power_of_two(cuoptc):
    for width in (24, 40, 48, 96):
        cuoptc.verify("doubled", "-DM=5", f"-DN={width}")
        cuoptc.verify("doubled", "-DM=5", f"-DN={width + 1}", "--set", f"threads={width}")


@case("TILE-7")
def every_target(cuoptc):
    for architecture in ARCHITECTURES:
        for more in ([], ["--O0"], ["--strict"], ["--set", "threads=256"]):
            assert "__global__" in cuoptc.emit("copied", "-DN=1000", f"--arch={architecture}", *more)


@case("DEEP-4")
def unrolling_is_capped(cuoptc):
    text = cuoptc.emit("rows")
    assert len(text) < 100_000, f"{len(text)} bytes"
    cuoptc.verify("rows")


@case("DEEP-6")
def a_split_reduction_is_compiled_quickly(cuoptc):
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch, "split.cdsl")
        path.write_text("fn split(X: f32[A, 4, 4, 2]) -> (S: f32) { S = sum[a, i, j, k](X[a, i, j, k]); }\n")
        start = time.monotonic()
        cuoptc(str(path), "-DA=1000000", "-o", "-")
        assert time.monotonic() - start < 5 * TIME_FACTOR
        assert "registers" in cuoptc("explain", str(path), "-DA=1000000", "--estimate")


@case("MSG-2")
def an_unknown_target_is_named(cuoptc):
    text = cuoptc(PROGRAMS, "--fn=copied", "--arch=sm_999", "-o", "-", status=2)
    assert "sm_999" in text, text


@case("DRV-4")
def emitted_text_includes_nothing_of_a_toolkit_on_the_device(cuoptc):
    for function in ("product", "doubled", "transposed", "counted"):
        text = cuoptc.emit(function)
        device = re.sub(r"#ifndef __CUDACC_RTC__.*?#endif[^\n]*\n", "", text, flags=re.S)
        assert not re.search(r"^\s*#\s*include", device, re.M), re.search(r"^\s*#\s*include.*", device, re.M).group()


@case("DET-1")
def the_same_text_in_any_process(cuoptc):
    source = str(HERE.parent.parent / "examples" / "softmax.cdsl")
    texts = set()
    for k in range(100):
        os.environ["CDSL_UNUSED"] = "x" * (97 * k)      # moves the stack; the loader moves everything else
        texts.add(cuoptc(source, "-o", "-"))
    assert len(texts) == 1


@case("SEC-3")
def no_process_is_ever_started(cuoptc):
    """Whatever files are called, nothing of them is run: there is no shell, and no other program."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch, "$(touch x)`touch x`;touch x '\"")
        folder.mkdir()
        source = folder / "a b;touch x\n.cdsl"
        source.write_text("import \"$(touch y).cdsl\";\nfn f(x: f32[N]) -> (y: f32[N]) { y[i] = d(x[i]); }\n")
        (folder / "$(touch y).cdsl").write_text("def d(v) = v + 1;\n")
        for command in (["-o", str(folder / "out $(touch z).cu"), "-MD"], ["verify", "--device=sim", "-DN=3"], ["check"], ["explain", "--estimate", "-DN=9"],
                        ["library", "--jit", "--name=lib", "-o", str(folder / "out $(touch z).h")], ["bench", "--device=sim", "-DN=3", "--max-time=0.1"]):
            code, text = call([cuoptc.path, *command, str(source)], 60, folder=scratch)
            assert code in (0, 2, 3), (command, code, text)
        left = {p.name for p in pathlib.Path(scratch).rglob("*")} & {"x", "y", "z"}
        assert not left, left
    calls = re.compile(r"(?<![\w:.>])(?:std::|::)?(system|popen|exec[lv]p?e?|posix_spawnp?|v?fork|ExecuteAndWait|ExecuteNoWait)\s*\(")
    root = HERE.parent.parent
    for folder in ("dsl", "frontend", "passes", "codegen", "runtime", "api", "library", "tools"):
        for path in (p for kind in ("*.cpp", "*.h") for p in (root / folder).rglob(kind)):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                assert not calls.search(line), f"{path.relative_to(root)}:{number} starts a process"


@case("CINT-7")
def long_names(cuoptc):
    name = "n" * 300
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch, "long.cdsl")
        steps = "".join(f"t{k + 1}[i] = t{k}[i] * 2 + {k};\n" for k in range(60))
        path.write_text(f"fn {name}(x: f32[N]) -> (y: f32[N]) {{ t0[i] = x[i];\n{steps} y[i] = t60[i]; }}\n")
        cuoptc("verify", str(path), "--device=sim", "-DN=33")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuoptc", required=True)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("-j", type=int, dest="workers")
    options = parser.parse_args()
    cuoptc = Compiler(options.cuoptc)

    def check(name):
        try:
            CASES[name](cuoptc)
        except AssertionError as failure:
            return str(failure).splitlines() or ["an assertion"], ""
        return [], CASES[name].__name__

    sys.exit(run_all([name for name in CASES if re.search(options.only, name)], check, options.workers))


if __name__ == "__main__":
    main()

"""usage: large.py CUOPTC FOLDER: sources of 10 MB, valid and nonsense. Each ends with its exit status and, where it fails, a located
error, within 20 s of processor time and 1 GiB.
"""
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

cuoptc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
FACTOR = float(os.environ.get("CDSL_TIME_FACTOR", "1"))
BYTES = 10 << 20
FN = "fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]%s; }\n"
WORDS = "fn f ( ) { } [ ] x y i = + - * ; , : -> if else 1 0.5 let in .. sum f32".split()
chosen = random.Random(1)


def repeated(unit):
    return unit * (BYTES // len(unit))


CASES = {
    "comment": (0, "/*" + "x" * BYTES + "*/ " + FN % ""),
    "lines": (0, repeated("// nothing\n") + FN % ""),
    "functions": (0, "".join(f"fn f{k}(x: f32[N]) -> (y: f32[N]) {{ y[i] = x[i] * {k} + 1; }}\n" for k in range(BYTES // 66))),
    "schedules": (1, FN % "" + repeated("schedule f { y: vector(4); }\n")),
    "sum": (1, FN % repeated(" + x[i]")),
    "statements": (1, "fn f(x: f32[N]) -> (y: f32[N]) { t0[i] = x[i];" + "".join(f"t{k + 1}[i]=t{k}[i]+1;\n" for k in range(BYTES // 24)) + " }"),
    "words": (1, " ".join(chosen.choices(WORDS, k=BYTES // 3))),
    "bytes": (1, bytes(chosen.choices(range(256), k=BYTES)).decode("latin-1")),
    "parentheses": (1, "(" * BYTES),
    "name": (1, "a" * BYTES),
    "digits": (1, FN % (" + " + "9" * BYTES)),
}

for name, (wanted, text) in CASES.items():
    path = folder / f"{name}.cdsl"
    path.write_bytes(text.encode("latin-1"))
    with tempfile.TemporaryFile() as said:
        child = os.posix_spawn(cuoptc, [cuoptc, "check", str(path)], os.environ,
                               file_actions=[(os.POSIX_SPAWN_DUP2, said.fileno(), 1), (os.POSIX_SPAWN_DUP2, said.fileno(), 2)])
        _, status, usage = os.wait4(child, 0)
        said.seek(0)
        output = said.read().decode(errors="replace")
    seconds, mebibytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10
    print(f"{name}: {seconds:.1f} s, {mebibytes} MiB")
    assert os.waitstatus_to_exitcode(status) == wanted, (name, status, output[:500])
    assert wanted == 0 or re.search(rf"{name}\.cdsl:\d+:\d+: error: .*\[C\d{{4}}\]", output), (name, output[:500])
    assert len(output) < 100_000, name
    assert seconds < 20 * FACTOR and (FACTOR > 1 or mebibytes < 1024), (name, seconds, mebibytes)
    path.unlink()

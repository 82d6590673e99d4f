"""usage: literals.py CUOPTC FOLDER: file names, comments, names and settings that try to leave the literal, comment or identifier
in which emitted text holds them. Read by a C++ preprocessor, with and without trigraphs, each text must be the one that a plain
name gives, but for #line.
"""
import itertools
import pathlib
import re
import shutil
import subprocess
import sys

cuoptc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
compiler = next((path for path in map(shutil.which, ("g++", "c++", "clang++")) if path), None)

BODY = """struct class_ { union: f32; }
// 1: */ #error out
/* 2: // \\ */
fn copy(x: f32[N], s: i32) -> (y: f32[N]) {   // 3: ends in a backslash \\
  y[i] = x[i] /* 4: ??/ */ + 1;               // 5: ends in a trigraph ??/
  // 6: "quote 'and R"(raw
}
"""
PLAIN = "plain"
NAMES = ['q"uote', 'q"; #error out; "', "back\\", "back\\\\", "trigraph??/", "*" + "\u2215", "end *", "* end", "new\nline", "new\r\n#error out\n", "new\n#error out",
         "\\\n#error out", "tab\there", "R\"(raw", "// comment", "%s%n", "-", "--help", "-o", " lead", "trail ", "'", "\u202e", "\x7f", "\x01", "é", "\udcff",
         "#error out", "??/\n#error out", "$(touch x)", "`touch x`", "a;touch x", "|touch x", "&touch x&", "*", "?", "[a]", "{a,b}", "~", "$HOME", "a" * 200]


def source(name):
    path = folder / (name.replace("/", "_") + ".cdsl")
    path.write_text(BODY)
    return path


def run(*arguments, wanted=0, **how):
    done = subprocess.run([cuoptc, *map(str, arguments)], capture_output=True, **how)
    assert done.returncode == wanted, (arguments, done.returncode, done.stderr[:600])
    return done.stdout


def tokens(text, *flags):
    """What a preprocessor leaves of the device's part."""
    text = re.sub(rb"^[ \t]*#[ \t]*include[^\n]*", b"", text, flags=re.M)
    done = subprocess.run([compiler, "-E", "-P", "-x", "c++", "-std=c++17", "-w", *flags, "-"], input=text, capture_output=True)
    assert done.returncode == 0, done.stderr[:1000]
    return done.stdout


def same(text, plain, what):
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", text), f"{what!r}: a control character in the text"
    if compiler is None:
        return
    for flags in itertools.product(("-trigraphs", "-Wno-trigraphs"), ("-D__CUDACC_RTC__", "-UX")):
        assert tokens(text, *flags) == tokens(plain, *flags), f"{what!r} changes the text"


plain = run(source(PLAIN), "-DN=9", "-o", "-")
for name in NAMES:
    path = source(name)
    same(run("-DN=9", "-o", "-", path), plain, name)
    # Every subcommand that writes files.
    out = folder / "out"
    out.mkdir()
    target = out / (path.stem + ".cu")
    run("-DN=9", "-MD", "-o", target, path)
    same(target.read_bytes(), plain, name)
    run("run", "-DN=3", "-Ds=1", "--random=1", "--device=sim", f"--out-dir={out}", path)
    run("library", "--jit", "--name=lib", "-o", out / (path.stem + ".h"), path)
    run("check", path)
    left = sorted(p.name for p in out.iterdir() if not p.name.startswith(path.stem))
    assert left in ([], ["y.npy"]), (name, left)
    shutil.rmtree(out)
assert not pathlib.Path("x").exists()

# What a mistake in such a file says is one line with its place, whatever it is called.
for name in NAMES:
    path = folder / (name.replace("/", "_") + ".bad.cdsl")
    path.write_text("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = q; }\n")
    said = subprocess.run([cuoptc, "check", str(path)], capture_output=True)
    assert said.returncode == 1 and b":1:41: error: " in said.stderr, (name, said)
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", said.stderr), (name, said.stderr)

# Settings and definitions.
for hostile in ('"', "*/", "\n#error out", "??/", "\\", "%s", "\x1b[31m", "é" * 300):
    for arguments in (["--set", f"y.map={hostile}"], ["--set", f"{hostile}=1"], [f"-DN={hostile}"], [f"-D{hostile}=1"], [f"--arch={hostile}"], [f"--fn={hostile}"]):
        done = subprocess.run([cuoptc, str(folder / "plain.cdsl"), "-o", "-", *arguments], capture_output=True)
        assert done.returncode in (1, 2) and done.stdout == b"", (arguments, done)
        assert b"error" in done.stderr, (arguments, done)

"""usage: names.py CUOPTC FOLDER: compiles files whose names would hurt a careless compiler."""
import pathlib
import shutil
import subprocess
import sys

cuoptc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
TEXT = "fn copy(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }\n"

for name in ["a b", "it's", 'q"uote', "$(touch x)", ";touch x", "new\nline", "back\\slash", "back\\", "*", "tab\there", "-o",
             "percent%s", "star*", "\x1b[31m", "ünïcode", "#line 1", "%d"]:
    source, output = folder / (name + ".cdsl"), folder / (name + ".cu")
    source.write_text(TEXT)
    done = subprocess.run([cuoptc, "-MD", "-o", str(output), str(source)], capture_output=True)
    assert done.returncode == 0, (name, done)
    assert done.stdout == b"", name
    text = output.read_text()
    for line in text.splitlines():
        assert "touch x" not in line or line.startswith(("//", "#line")), (name, line)
    assert "\x1b" not in text, name
    code = subprocess.run([cuoptc, "verify", "-DN=3", "--device=sim", str(source)], capture_output=True)
    assert code.returncode == 0, (name, code)
assert not pathlib.Path("x").exists()

relative = subprocess.run([cuoptc, "--", "-o.cdsl"], cwd=folder, capture_output=True, text=True)
assert relative.returncode == 0 and "__global__" in relative.stdout, relative

piped = subprocess.run([cuoptc, "-"], input=TEXT, capture_output=True, text=True)
assert piped.returncode == 0 and "<stdin>" in piped.stdout, piped

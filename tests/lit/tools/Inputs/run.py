"""usage: run.py CUOPTC PROGRAMS FOLDER: inputs and outputs of `cuoptc run`, good and bad."""
import pathlib
import shutil
import subprocess
import sys

import numpy as np

cuoptc, programs, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)


def run(*arguments, program="scale"):
    return subprocess.run([cuoptc, "run", str(programs / f"{program}.cdsl"), *arguments], capture_output=True, text=True)


def refused(code, words, *arguments, program="scale"):
    done = run(*arguments, program=program)
    assert done.returncode == code, (code, done)
    assert words in done.stderr, (words, done.stderr)
    assert done.stdout == "", done.stdout


x = np.arange(5, dtype=np.float32)
np.save(folder / "x.npy", x)
np.save(folder / "wide.npy", x.astype(np.float64))
np.save(folder / "square.npy", np.zeros((2, 2), np.float32))
np.save(folder / "reversed.npy", np.asfortranarray(x[::-1]))
(folder / "cut.npy").write_bytes((folder / "x.npy").read_bytes()[:-1])
(folder / "text.npy").write_text("hello")
given = ["--in", f"x={folder}/x.npy", "--in", "a=2.5", "--in", "steps=1", "-DS=2"]

for device in ("sim", "eval"):
    done = run(*given, f"--device={device}", f"--out-dir={folder}/new/{device}")
    assert done.returncode == 0 and done.stdout == "", done
    assert (np.load(folder / "new" / device / "y.npy") == 2.5 * x * 2 + 1).all()

refused(2, "'scale' also needs --in a=NUMBER --in steps=NUMBER -DS=NUMBER", "--in", f"x={folder}/x.npy", "--device=sim")
refused(2, "'scale' has no input 'stepz', did you mean 'steps'?", *given, "--in", "stepz=1", "--device=sim")
refused(2, "--in steps=2.5: '2.5' is no value of type i32", *given[:4], "--in", "steps=2.5", "-DS=2", "--device=sim")
for name, words in {"wide": "it holds '<f8', f32 (<f4) is needed", "cut": "more elements than", "text": "no .npy file",
                    "missing": "No such file"}.items():
    refused(2, words, "--in", f"x={folder}/{name}.npy", *given[2:], "--device=sim")
refused(1, "has rank 1, the argument has rank 2", "--in", f"x={folder}/square.npy", *given[2:], "--device=sim")
refused(1, "-DN=6, but axis 0 of 'x' has extent 5", *given, "-DN=6", "--device=sim")
refused(2, "which fn? --fn is one of double, quarter", program="two")
refused(2, "size N is not given (-DN=...)", "--random", "1", "-DS=2", "--device=sim")
refused(2, "exceed", "--random", "1", "-DS=2", "-DN=9999999999999", "--device=sim")
refused(2, "cannot create folder", *given, f"--out-dir={folder}/x.npy/sub", "--device=sim")

"""Compares the .cu that cuoptc prints with the one that was kept, or keeps it where CUOPTC_BLESS is set.

usage: golden.py CUOPTC EXAMPLE GOLDEN [OPTION...], from the root of the repository, so that no path of a machine gets into the text
"""
import difflib
import os
import pathlib
import subprocess
import sys

cuoptc, example, golden = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
run = subprocess.run([cuoptc, example, "-o", "-", *sys.argv[4:]], capture_output=True, text=True)
if run.returncode != 0:
    sys.exit(f"cuoptc failed with exit code {run.returncode}:\n{run.stderr}")
if os.environ.get("CUOPTC_BLESS"):
    golden.write_text(run.stdout)
    sys.exit(0)
if not golden.exists():
    sys.exit(f"{golden} does not exist; CUOPTC_BLESS=1 keeps what cuoptc prints now")

kept = golden.read_text()
if run.stdout != kept:
    lines = difflib.unified_diff(kept.splitlines(), run.stdout.splitlines(), str(golden), "cuoptc", lineterm="")
    sys.exit("\n".join(lines))

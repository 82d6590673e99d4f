"""Runs the compiler over many cases at once and says how each ended."""
import concurrent.futures
import os
import subprocess
import sys
import time


# Instrumented programs are several times as slow.
TIME_FACTOR = float(os.environ.get("CDSL_TIME_FACTOR", "1"))


def call(command, timeout, folder=None):
    """Exit code and joined output of one command, run in a folder; one that hangs is stopped and says so."""
    timeout *= TIME_FACTOR
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=timeout, cwd=folder)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return -1, f"no end within {timeout} s"


def run_all(names, check, workers=None):
    """Calls check(name) for each name; it returns (failures, note). Prints a line each and a closing line.

    Returns the exit code: 0 where nothing failed.
    """
    passed = failed = 0
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        for name, (failures, note) in zip(names, pool.map(check, names)):
            if failures:
                failed += 1
                print(f"FAIL {name}")
                for line in failures:
                    print(f"     {line}")
            else:
                passed += 1
                print(f"ok   {name}  {note}")
            sys.stdout.flush()
    print(f"{passed} passed, {failed} failed in {time.monotonic() - start:.0f} s")
    return 1 if failed else 0

"""usage: exits.py N command...: succeeds when the command exits with exactly N."""
import subprocess
import sys

wanted, command = int(sys.argv[1]), sys.argv[2:]
got = subprocess.run(command).returncode
if got != wanted:
    sys.exit(f"exit code {got}, but {wanted} was wanted")

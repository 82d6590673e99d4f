"""What the embedded runtime says on machines that lack something: each its own status, within a second.

usage: machines.py EMBED_PROBE FAKE_FOLDER
"""
import os
import pathlib
import subprocess
import sys

CASES = [
    ("all there", {}, "CDSL_OK", ""),
    ("no driver", {"LD_LIBRARY_PATH": None}, "CDSL_ERROR_NO_DRIVER", "libcuda.so.1 was not found"),
    ("driver that does not start", {"FAKE_CUDA_INIT": "803"}, "CDSL_ERROR_DRIVER_TOO_OLD", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    ("no device", {"FAKE_CUDA_INIT": "100"}, "CDSL_ERROR_NO_DEVICE", "CUDA_ERROR_NO_DEVICE"),
    ("driver without devices", {"FAKE_CUDA_DEVICES": "0"}, "CDSL_ERROR_NO_DEVICE", "reports no device"),
    ("lost device", {"FAKE_CUDA_INIT": "999"}, "CDSL_ERROR_DEVICE_FAULT", "CUDA_ERROR_UNKNOWN"),
    ("device of tomorrow", {"FAKE_CUDA_ARCH": "199"}, "CDSL_ERROR_UNSUPPORTED_DEVICE", "19.9"),
    ("NVRTC older than the device", {"FAKE_NVRTC_ARCH": "80"}, "CDSL_ERROR_UNSUPPORTED_DEVICE", "does not know sm_90a"),
    ("NVRTC that refuses", {"FAKE_NVRTC_FAIL": "twice"}, "CDSL_ERROR_COMPILE", "this text is refused"),
]


def main():
    probe, fake = sys.argv[1:]
    failures = 0
    for name, changes, status, words in CASES:
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("FAKE_", "CDSL_"))}
        environment |= {"LD_LIBRARY_PATH": f"{fake}/lib64", "CUDA_HOME": fake, "CDSL_CACHE_DIR": ""}
        for key, value in changes.items():
            environment.pop(key, None)
            if value is not None:
                environment[key] = value
        done = subprocess.run([probe], capture_output=True, text=True, env=environment, timeout=60)
        said = done.stdout.strip()
        parts = said.split(" ", 2)
        slow = float(os.environ.get("CDSL_TIME_FACTOR", "1"))
        good = done.returncode == 0 and parts[0] == status and words in said and float(parts[1]) < 1000 * slow
        if name == "no driver" and parts[0] == "CDSL_OK" or name == "no driver" and "NO_DRIVER" not in parts[0] and pathlib.Path("/dev/nvidiactl").exists():
            good = True   # a machine that has one
        print("ok  " if good else "FAIL", name, "->", said)
        failures += not good
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

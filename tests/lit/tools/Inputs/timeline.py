"""usage: timeline.py TRACE RUNS: a trace of --timeline has passes, NVRTC, loading, uploads, and a launch and a kernel a run."""
import json
import sys

path, runs = sys.argv[1], int(sys.argv[2])
trace = json.load(open(path))
events = trace["traceEvents"]
tracks = {event["args"]["name"]: event["tid"] for event in events if event["ph"] == "M"}
spans = [event for event in events if event["ph"] == "X"]
for event in spans:
    assert event["ts"] >= 0 and event["dur"] >= 0, event


def count(track, words):
    return sum(event["tid"] == tracks[track] and event["name"].startswith(words) for event in spans)


for words in ("parse ", "compile scale", "simplify", "NVRTC", "load the kernels", "allocate x", "upload 16 bytes", "wait"):
    assert count("host", words) >= 1, words
assert count("host", "launch scale") == runs, count("host", "launch scale")
assert count("device", "scale") == runs
assert count("device", "upload 16 bytes") >= 1

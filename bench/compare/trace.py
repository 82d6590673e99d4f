"""Takes a profiler's trace apart into samples. Needs nothing but Python.

Each sample stands between two marker kernels of fixed names. Its time is device time, from the start of the first kernel, copy
or fill between them to the end of the last: gaps between kernels count, what was before the first does not.
"""
import decimal
import json

BEGIN, END = "cdsl_sample_begin", "cdsl_sample_end"
ON_DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}


class TraceError(Exception):
    """The trace does not hold the samples that were taken."""


def device_events(path):
    """(name, start, end) in nanoseconds, by start, of all work of the device in a trace of Kineto's."""
    with open(path) as file:
        # As decimals: a time stamp in microseconds has more digits than a double holds.
        trace = json.load(file, parse_float=decimal.Decimal)
    found = []
    for event in trace["traceEvents"]:
        if event.get("ph") == "X" and str(event.get("cat", "")).lower() in ON_DEVICE:
            start = int(decimal.Decimal(event["ts"]) * 1000)
            found.append((event["name"], start, start + int(decimal.Decimal(event["dur"]) * 1000)))
    return sorted(found, key=lambda event: event[1:])


def split(events, expected):
    """A list for each sample: its events. `events` come by start; `expected` is the number of samples that were taken."""
    samples, inside = [], None
    for event in events:
        name = event[0]
        if BEGIN in name:
            if inside is not None:
                raise TraceError(f"sample {len(samples)} has no end")
            inside = []
        elif END in name:
            if inside is None:
                raise TraceError(f"an end without a beginning after sample {len(samples)}")
            samples.append(inside)
            inside = None
        elif inside is not None:
            inside.append(event)
    if inside is not None or len(samples) != expected:
        raise TraceError(f"the trace holds {len(samples)} of {expected} samples")
    return samples


def duration_us(sample):
    """Microseconds from the start of the first to the end of the last; None where nothing ran."""
    return (max(end for _, _, end in sample) - min(start for _, start, _ in sample)) / 1000 if sample else None

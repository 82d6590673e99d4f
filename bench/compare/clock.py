"""One clock for everything: device time from CUPTI, through PyTorch's profiler.

All contenders of a row are measured in one session, a sample of each in turn. Before each sample the L2 is flushed; marker
kernels stand around it (trace.py). Those that launch on streams of their own are given an idle device and waited for.
"""
import dataclasses
import os
import statistics
import tempfile
import time
import typing

import torch
from torch.profiler import ProfilerActivity, profile

from . import trace


@dataclasses.dataclass
class Contender:
    """What is measured. `run` launches on the current stream and returns its result; with `waits` it launches elsewhere, and
    returns once that is done. `checked` runs it once, for its result alone."""
    name: str
    run: typing.Callable
    waits: bool = False
    checked: typing.Callable | None = None


def interleaved(counts):
    """Which contender each sample is of: rounds, in which every one that still has samples to give gives one."""
    return [name for turn in range(max(counts.values(), default=0)) for name, count in counts.items() if turn < count]


def affordable(seconds, samples, budget=3.0):
    """How many samples of so long a run fit into the budget, at least one."""
    return max(1, min(samples, int(budget / max(seconds, 1e-9))))


def synchronize():
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def wall_seconds(run):
    """Of one run on an idle device, launch included."""
    synchronize()
    start = time.perf_counter()
    run()
    synchronize()
    return time.perf_counter() - start


class Clock:
    def __init__(self, device):
        self.device = device

    def sample(self, contender):
        self.device.flush()
        self.device.begin()
        if contender.waits:
            torch.cuda.synchronize()
        contender.run()
        self.device.end()

    def settle(self):
        """The profiler drops work near the ends of its window, as the clocks of host and device differ a little."""
        self.device.flush()
        torch.cuda.synchronize()
        time.sleep(0.01)

    def session(self, order):
        """The trace of one sample of each in `order`, and of one more of the first that is not counted."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            with profile(activities=[ProfilerActivity.CUDA]) as profiler:
                self.settle()
                for contender in order[:1] + order:
                    self.sample(contender)
                torch.cuda.synchronize()
                self.settle()
            profiler.export_chrome_trace(path)
            return trace.split(trace.device_events(path), len(order) + 1)[1:]

    def measure(self, contenders, counts):
        """Microseconds of each sample, by the contender's name; a trace that lost samples is taken once more."""
        named = {contender.name: contender for contender in contenders}
        order = [named[name] for name in interleaved(counts)]
        try:
            found = self.session(order)
        except trace.TraceError:
            found = self.session(order)
        times = {name: [] for name in named}
        for contender, sample in zip(order, found):
            times[contender.name].append(trace.duration_us(sample))
        return {name: [one for one in values if one is not None] for name, values in times.items()}

    def best_floor(self, runs, samples=5):
        """The fastest of a floor's variants."""
        fitting = []
        for which, run in enumerate(runs):
            try:
                run()
                fitting.append(Contender(f"floor{which}", run))
            except RuntimeError:
                continue    # the variant does not fit this size or device
        times = self.measure(fitting, {one.name: samples for one in fitting})
        least = min(fitting, key=lambda one: statistics.median(times[one.name] or [float("inf")]))
        return Contender("floor", least.run)


class HostClock:
    """For dry runs without a GPU: times of the host, which mean nothing."""

    def measure(self, contenders, counts):
        return {one.name: [wall_seconds(one.run) * 1e6 for _ in range(counts[one.name])] for one in contenders}

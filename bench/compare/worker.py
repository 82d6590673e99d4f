"""The process that holds the GPU: measures one row after another as it is told, and says what it is about to do.

It may die or hang in any contender (a fault in a kernel takes the whole context along); the supervisor then starts another.
Commands come as JSON lines on standard input, answers go as JSON lines to a descriptor of their own.
"""
import gc
import json
import os
import sys
import threading
import time
import traceback

# Seconds until a phase counts as hanging; a contender that searches is given more.
LIMITS = {"start": 180, "data": 60, "reference": 120, "measure": 120, "floor": 60, "compile": 120, "library": 120, "jax": 120}
AUTOTUNE_LIMIT = 300


def set_environment():
    """Before any of the peers is imported."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", str(min(16, os.cpu_count() or 1)))


def describe(error):
    text = f"{type(error).__name__}: {error}".strip()
    return text if len(text) <= 600 else text[:600] + " ..."


class Measurement:
    """One row: data, reference, contenders one after another, then all of them on one clock."""

    def __init__(self, session, row, command):
        self.session, self.row, self.command = session, row, command
        self.record = {"name": row.name, "seed": command["seed"], "contenders": [], "samples_us": {}, "checks": {},
                       "errors": dict(command.get("skip", {})), "notes": {}}
        self.expected, self.prepared, self.counts = None, [], {}

    def prepare_data(self):
        from . import workloads
        self.session.phase("data")
        self.workload = workloads.make(self.row)
        self.inputs = self.workload.inputs(workloads.Maker(self.session.device_name, self.command["seed"]))
        self.session.synchronize()
        self.session.phase("reference")
        self.expected = self.workload.expected(*self.inputs)
        self.session.synchronize()

    def enter(self, name):
        """Makes one contender ready and checks its result. What it cannot do is recorded."""
        from .clock import affordable, wall_seconds
        from .contenders import PREPARE
        start = time.monotonic()
        try:
            contender = PREPARE[name](self.workload, self.inputs, self.session.tools)
            if not contender:
                return
            self.check(contender)
            seconds = wall_seconds(contender.run)
            if seconds < 0.5:
                # The first run may still have loaded or compiled something.
                seconds = wall_seconds(contender.run)
            self.counts[name] = affordable(seconds, self.command["samples"], self.command["budget"])
            self.prepared.append(contender)
        except Exception as error:  # noqa: BLE001  whatever a contender does, the row goes on
            self.record["errors"][name] = describe(error)
            if self.command.get("verbose"):
                traceback.print_exc()
            self.session.free()
        if name == "compile" and self.workload.autotuned:
            self.record["notes"]["compile"] = "max-autotune" if self.session.tools.autotune else "default mode"
            self.record["autotune_seconds"] = time.monotonic() - start

    def check(self, contender):
        from .checking import compare, slack
        from .contenders import as_torch
        result = as_torch((contender.checked or contender.run)())
        self.session.synchronize()
        allowed = slack(contender.name, self.workload.outputs())
        self.record["checks"][contender.name] = compare(self.expected, result, allowed)

    def measure(self):
        session = self.session
        if self.row.mix and "floor" in self.command["contenders"] and session.device is not None:
            session.phase("floor")
            try:
                self.prepared.append(session.floor(self.row))
                self.counts["floor"] = self.command["samples"]
            except Exception as error:  # noqa: BLE001
                self.record["errors"]["floor"] = describe(error)
        session.phase("measure", LIMITS["measure"])
        self.record["samples_us"] = session.clock.measure(self.prepared, self.counts)
        for contender in self.prepared:
            if contender.name == "ours":
                # Once more after many runs: what one of them left behind would show.
                before = self.record["checks"]["ours"]
                self.check(contender)
                after = self.record["checks"]["ours"]
                self.record["checks"]["ours"] = after if before["ok"] else before

    def run(self):
        start = time.monotonic()
        self.prepare_data()
        for name in self.command["contenders"]:
            if name in self.record["errors"] or name == "floor":
                continue
            self.session.phase(name, self.limit(name))
            self.enter(name)
            self.session.synchronize()
        if self.prepared:
            self.measure()
        self.record["contenders"] = list(self.command["contenders"])
        self.record["plan"] = self.session.tools.plans.get(self.row.name)
        self.record["seconds"] = round(time.monotonic() - start, 2)
        return self.record

    def limit(self, name):
        if name == "ours":
            return self.command["ours_limit"]
        if name == "compile" and self.workload.autotuned and self.session.tools.autotune:
            return AUTOTUNE_LIMIT
        return LIMITS.get(name, 60)


class Session:
    """What lasts from row to row: the clock, the tools of the contenders, the floors that were found."""

    def __init__(self, options, answer):
        self.answer = answer
        self.phase("start")
        import torch

        from .clock import Clock, HostClock
        from .contenders import Tools
        self.torch, self.floors, self.device = torch, {}, None
        self.tools = Tools(options["lib"], options["cache"])
        if options["dry"]:
            self.device_name, self.clock = "cpu", HostClock()
            return
        if not torch.cuda.is_available():
            raise RuntimeError("PyTorch sees no CUDA device")
        from .device import Device
        torch.backends.cudnn.benchmark = True
        torch.backends.cudnn.allow_tf32 = False
        self.device_name, self.device = "cuda", Device()
        self.clock = Clock(self.device)
        self.tools.architecture = self.device.architecture
        # Long before its first row; whoever needs it then compiles it once more, should this have failed.
        threading.Thread(target=self.build_ahead, daemon=True).start()

    def build_ahead(self):
        from . import build
        from .library import LIBRARIES
        try:
            build.compile_library("library", self.tools.architecture, LIBRARIES)
        except (OSError, RuntimeError):
            pass

    def phase(self, name, limit=None):
        self.answer({"phase": name, "limit": limit or LIMITS.get(name, 60)})

    def synchronize(self):
        """A context that a fault has killed fails here: the row ends, and so does this process."""
        from .clock import synchronize
        try:
            synchronize()
        except Exception as error:  # noqa: BLE001
            self.answer({"fatal": describe(error)})
            os._exit(3)

    def floor(self, row):
        key = (row.mix, row.bytes)
        if key not in self.floors:
            runs = self.device.floors(*key)
            self.floors[key] = runs.index(self.clock.best_floor(runs).run)
        from .clock import Contender
        return Contender("floor", self.device.floors(*key)[self.floors[key]])

    def measure(self, row, command):
        self.torch.backends.cuda.matmul.allow_tf32 = row.type == "tf32"
        self.tools.autotune = command["autotune"]
        try:
            return Measurement(self, row, command).run()
        finally:
            self.free()

    def free(self):
        """Memory that nobody holds goes back, so that whoever is next may have it, JAX and our library too."""
        gc.collect()
        if self.device is not None:
            self.torch.cuda.empty_cache()


def machine():
    """What the figures were taken on."""
    import importlib.metadata

    import torch

    versions = {}
    for package in ("torch", "triton", "jax", "jaxlib", "cupy-cuda13x", "cupy-cuda12x", "cupy", "numpy"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    found = {"device": "none", "cuda": torch.version.cuda, "versions": versions, "python": sys.version.split()[0]}
    if torch.cuda.is_available():
        properties = torch.cuda.get_device_properties(0)
        found.update(device=properties.name, processors=properties.multi_processor_count, memory_bytes=properties.total_memory)
    return found


def main(descriptor):
    set_environment()
    channel = os.fdopen(descriptor, "w", buffering=1)

    def answer(message):
        channel.write(json.dumps(message) + "\n")
    from . import suite
    options = json.loads(sys.stdin.readline())
    rows = {row.name: row for row in suite.load(small=options["dry"])}
    try:
        session = Session(options, answer)
        answer({"ready": machine()})
    except Exception as error:  # noqa: BLE001
        answer({"fatal": describe(error)})
        return 3
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer({"row": session.measure(rows[command["row"]], command)})
        except Exception as error:  # noqa: BLE001
            traceback.print_exc()
            answer({"failed": describe(error)})
    return 0

"""The fault cases that only a GPU shows, each by its name in tests/faults/README.md.

usage: faults.py LIBCDSL [--only REGEX] [--memory GiB]      on a machine with a GPU, NVRTC and PyTorch; exits 77 where there is none
Cases that need more device memory than --memory are skipped. What may kill a context runs in a process of its own.
"""
import argparse
import ctypes
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
PROGRAMS = ROOT / "tests/gpu/faults/programs.cdsl"

try:
    import torch
except ImportError:
    torch = None
from compare.cdsl import CdslError, Dense, Library  # noqa: E402

CASES = []       # (id, GiB, function)


def case(name, gib=1.0):
    def keep(function):
        CASES.append((name, gib, function))
        return function
    return keep


class Machine:
    """The library, and tensors of torch as arguments of its kernels."""

    def __init__(self, path):
        self.cdsl = Library(path)
        self.runtime = self.cdsl.runtime("cuda", "")

    def kernel(self, name, defines=(), settings=()):
        return self.runtime.kernel(PROGRAMS, defines, name, settings)

    def run(self, kernel, inputs, outputs, stream=0, **given):
        arguments = bind(kernel, inputs, outputs, given)
        arguments.launch(stream)
        return arguments

    def wait(self, stream=0):
        self.runtime.synchronize(stream)


NAMES = {} if torch is None else {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16",
                                  torch.int32: "i32"}


def bind(kernel, inputs, outputs, given):
    dense = [Dense(t.data_ptr(), NAMES[t.dtype], tuple(t.shape), t.element_size()) for t in (*inputs, *outputs)]
    arguments = kernel.bind(given, dense[:len(inputs)], dense[len(inputs):])
    strides = {tuple(t.shape): t.stride() for t in inputs if not t.is_contiguous()}
    for place, parameter in zip(arguments.array, kernel.parameters()):
        if place.tensor and parameter.strided:
            tensor = place.tensor.contents
            shape = tuple(tensor.extents[:tensor.rank])
            if shape in strides:
                kept = (ctypes.c_int64 * tensor.rank)(*strides[shape])
                arguments.kept.append(kept)
                tensor.strides = kept
    return arguments


def randoms(*shape, dtype=None):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype or torch.float32)


def poisoned(*shape, dtype=None):
    return torch.full(shape, float("nan"), device="cuda", dtype=dtype or torch.float32)


def equal(got, want, what=""):
    if not torch.equal(got, want):
        wrong = int((got != want).sum())
        raise AssertionError(f"{what}{wrong} of {want.numel()} elements differ")


def near(got, want, tolerance):
    off = ((got.double() - want).abs() / want.abs().clamp_min(1.0)).max().item()
    if not off <= tolerance:
        raise AssertionError(f"relative error {off:.3g}, {tolerance:.3g} allowed")


@case("IDX-1", 27)
def more_than_two_to_the_31(machine):
    x = torch.empty(4096, 64, 112, 112, device="cuda").normal_()
    m, y = randoms(64), torch.full_like(x, float("nan"))
    machine.run(machine.kernel("less_channel"), [x, m], [y])
    machine.wait()
    for first in range(0, 4096, 256):       # all elements, in parts
        equal(y[first:first + 256], x[first:first + 256] - m.view(1, 64, 1, 1), f"images from {first}: ")


@case("IDX-2", 13)
def pattern_past_two_to_the_31(machine):
    n = 3_270_680_000
    y = torch.full((n,), float("nan"), device="cuda", dtype=torch.float16)
    machine.run(machine.kernel("signs"), [], [y], N=n)
    machine.wait()
    equal(y.view(-1, 2), torch.tensor([1.0, -1.0], device="cuda", dtype=torch.float16).expand(n // 2, 2))


@case("IDX-3", 6)
def rows_far_apart(machine):
    x = torch.empty(8, 67_108_864, device="cuda", dtype=torch.bfloat16).normal_()
    y = poisoned(64, 8_388_608, dtype=torch.bfloat16)
    machine.run(machine.kernel("window"), [x], [y])
    machine.wait()
    equal(y[32:40], x[:, :8_388_608], "rows 32 to 39: ")
    equal(y[:32], torch.zeros_like(y[:32]), "rows 0 to 31: ")
    equal(y[40:], torch.zeros_like(y[40:]), "rows from 40: ")


@case("IDX-6", 7)
def gathered_rows(machine):
    x = torch.empty(24901, 131072, device="cuda", dtype=torch.float16).normal_()
    chosen = torch.tensor([16383, 16384, 24900], device="cuda", dtype=torch.int32)
    y = poisoned(3, 131072, dtype=torch.float16)
    machine.run(machine.kernel("chosen_rows"), [x, chosen], [y])
    machine.wait()
    equal(y, x[chosen.long()])


@case("LIM-7")
def many_live_values(machine):
    for threads in (None, 512):
        x, y = torch.rand(100_003, device="cuda", dtype=torch.float64), poisoned(100_003, dtype=torch.float64)
        settings = [] if threads is None else [f"Y.threads={threads}"]
        machine.run(machine.kernel("many_values", settings=settings), [x], [y])
        machine.wait()
        k = torch.arange(60, device="cuda", dtype=torch.float64)
        near(y, (torch.sqrt(x[:, None] + k) * torch.sin(x[:, None] * k)).sum(1), 1e-12)


@case("LIM-8")
def large_block_of_many_registers(machine):
    a, b, c = randoms(512, 512), randoms(512, 512), poisoned(512, 512)
    for threads in (256, 512, 1024):
        try:
            machine.run(machine.kernel("product", settings=[f"C.threads={threads}"]), [a, b], [c])
            machine.wait()
        except CdslError as error:
            if "no such choice" not in str(error) and "threads" not in str(error):
                raise
            continue
        near(c, a.double() @ b.double(), 1e-3)


@case("BCAST-3")
def reversed_view(machine):
    # torch has no negative strides: the address of the last element and a stride of -1 say the same.
    x, f, y, z = randoms(1000), randoms(31), poisoned(1000), poisoned(1000)
    kernel = machine.kernel("reverse_filter")
    arguments = bind(kernel, [x, f], [y], {})
    backwards = (ctypes.c_int64 * 1)(-1)
    tensor = arguments.array[0].tensor.contents
    tensor.data, tensor.strides = x.data_ptr() + 999 * 4, backwards
    arguments.launch()
    machine.run(kernel, [x.flip(0).contiguous(), f], [z])
    machine.wait()
    equal(y, z)


@case("BCAST-4")
def transposed_parent(machine):
    parent, v = randoms(3, 70, 33), randoms(33)
    x, y = parent.transpose(1, 2), poisoned(3, 33, 70)
    machine.run(machine.kernel("biased"), [x, v], [y])
    machine.wait()
    equal(y, x + v.view(1, 33, 1))


@case("TILE-4")
def blocked_transpose(machine):
    x, y = randoms(512, 1024), poisoned(1024, 512)
    machine.run(machine.kernel("turned"), [x], [y])
    machine.wait()
    equal(y, x.t())


@case("VEC-1")
def one_element_off(machine):
    for m, n in ((1, 3), (5, 7), (33, 129), (64, 4097), (64, 4096)):
        whole = randoms(m * n + 1, dtype=torch.float16)
        for first in (0, 1):
            x, y = whole[first:first + m * n].view(m, n), poisoned(m, n - 1, dtype=torch.float16)
            machine.run(machine.kernel("shifted"), [x], [y])
            machine.wait()
            equal(y, x[:, 1:])


@case("VEC-2")
def batched_transpose(machine):
    for m, n in ((4096, 64), (4095, 63)):
        x, y = randoms(2, m, n, dtype=torch.bfloat16), poisoned(2, n, m, dtype=torch.bfloat16)
        machine.run(machine.kernel("swapped"), [x], [y])
        machine.wait()
        equal(y, x.transpose(1, 2))


@case("ALG-4")
def power_of_a_negative(machine):
    x, y = torch.tensor([-2.0, 2.0, -0.5], device="cuda"), poisoned(3)
    machine.run(machine.kernel("cube"), [x], [y])
    machine.wait()
    near(y, torch.tensor([-8.0, 8.0, -0.125], device="cuda", dtype=torch.float64), 1e-6)


def runs_alike(machine, name, inputs, outputs, wants, tolerance, runs):
    """The first run within the tolerance, all others equal to it bit for bit."""
    kernel, first = machine.kernel(name), None
    for _ in range(runs):
        for output in outputs:
            output.fill_(float("nan"))
        machine.run(kernel, inputs, outputs)
        machine.wait()
        if first is None:
            first = [output.clone() for output in outputs]
            for output, want in zip(outputs, wants):
                near(output, want, tolerance)
        for output, before in zip(outputs, first):
            equal(output, before, "between two runs ")


@case("SYNC-1")
def block_reduction_in_a_loop(machine):
    x = randoms(37, 1000, 64)
    runs_alike(machine, "planes", [x], [poisoned(37, 64)], [x.double().sum(1)], 1e-4, 100)


@case("SYNC-5")
def moments(machine):
    for n in (128, 1000, 4097):
        x = randoms(65, n)
        wide = x.double()
        runs_alike(machine, "moments", [x], [poisoned(65), poisoned(65)], [wide.mean(1), wide.var(1, unbiased=False)], 1e-5, 100)


@case("SYNC-6")
def tiled_product(machine):
    a, b = randoms(256, 64), randoms(64, 192)
    runs_alike(machine, "product", [a, b], [poisoned(256, 192)], [a.double() @ b.double()], 1e-4, 50)


@case("SYNC-9")
def reductions_many_times(machine):
    for n in (1, 33, 1000, 100_003):
        x = randoms(n)
        runs_alike(machine, "total", [x], [poisoned()], [x.double().sum()], 1e-3, 50)


@case("DET-2")
def sums_are_repeatable(machine):
    x = randoms(10_000_000)
    runs_alike(machine, "total", [x], [poisoned()], [x.double().sum()], 1e-1, 50)


@case("RUN-5")
def producer_and_consumer(machine):
    stream = torch.cuda.Stream()
    x, y, z = randoms(1 << 24), poisoned(1 << 24), poisoned(1 << 24)
    torch.cuda.synchronize()
    for _ in range(20):
        y.fill_(float("nan"))
        torch.cuda.synchronize()
        machine.run(machine.kernel("add_one"), [x], [y], stream.cuda_stream)
        machine.run(machine.kernel("twice"), [y], [z], stream.cuda_stream)
        machine.wait(stream.cuda_stream)
        equal(z, (x + 1) * 2)


@case("RUN-6")
def callers_context(machine):
    before = torch.cuda.current_device()
    x, y = randoms(1000), poisoned(1000)
    machine.run(machine.kernel("add_one"), [x], [y])
    machine.wait()
    assert torch.cuda.current_device() == before
    equal(y, x + 1)


def bad_launch(machine):
    """A kernel that reads memory which nobody has."""
    x, y = randoms(1000), poisoned(1000)
    arguments = bind(machine.kernel("add_one"), [x], [y], {})
    arguments.array[0].tensor.contents.data = 0x7F0000000000
    arguments.launch()


@case("RUN-1")
def a_fault_has_one_code(machine):
    run_apart("""
bad_launch(machine)
said = []
for _ in range(3):
    try:
        machine.wait()
        said.append("no error")
    except CdslError as error:
        said.append(str(error).split(":")[0])
print(said)
""", "['CDSL_ERROR_DEVICE_FAULT', 'CDSL_ERROR_DEVICE_FAULT', 'CDSL_ERROR_DEVICE_FAULT']")


@case("RUN-2")
def a_fault_seen_later(machine):
    run_apart("""
x, y = randoms(1000), poisoned(1000)
clean = bind(machine.kernel("twice"), [x], [y], {})
clean.prepare()
bad_launch(machine)
try:
    clean.launch()
    machine.wait()
    print("no error")
except CdslError as error:
    print(error)
""", "CDSL_ERROR_DEVICE_FAULT")


@case("RUN-7")
def a_fork(machine):
    run_apart("""
import os
x, y = randoms(1000), poisoned(1000)
machine.run(machine.kernel("add_one"), [x], [y])
machine.wait()
arguments = bind(machine.kernel("twice"), [x], [y], {})
child = os.fork()
if child == 0:
    try:
        arguments.launch()
        machine.wait()
        os._exit(1)
    except CdslError as error:
        print("child:", error, flush=True)
        os._exit(0)
status = os.waitpid(child, 0)[1]
machine.run(machine.kernel("twice"), [x], [y])
machine.wait()
equal(y, x * 2)
print("child ended with", os.waitstatus_to_exitcode(status), "and the parent goes on")
""", "child ended with 0 and the parent goes on")


@case("RUN-8")
def the_exit_code_is_kept(machine):
    work = 'x, y = randoms(1000), poisoned(1000)\nmachine.run(machine.kernel("add_one"), [x], [y])\n'
    for end, code in (("", 0), ("machine.wait(); sys.exit(7)", 7), ("raise SystemExit(3)", 3)):
        run_apart(work + end, None, code)


def run_apart(text, wanted, code=0):
    """The text in a process of its own, which must print `wanted` or nothing at all, and end with `code`."""
    done = subprocess.run([sys.executable, __file__, LIBRARY, "--text", text], capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    if done.returncode != code:
        raise AssertionError(f"exit status {done.returncode}, not {code}: {said[-1000:]}")
    if wanted is None and said.strip() or wanted is not None and wanted not in said:
        raise AssertionError(f"said: {said[-1000:]}")


def main():
    global LIBRARY
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--memory", type=float, default=1e9, metavar="GiB")
    parser.add_argument("--text", help=argparse.SUPPRESS)
    options = parser.parse_args()
    LIBRARY = options.library
    if torch is None or not torch.cuda.is_available():
        print("skipped: PyTorch and a GPU are not here")
        sys.exit(77)
    if options.text is not None:
        exec(options.text, globals() | {"machine": Machine(LIBRARY)})
        return
    machine, failures = Machine(LIBRARY), 0
    for name, gib, function in CASES:
        if not re.search(options.only, name):
            continue
        if gib > options.memory:
            print(f"skip {name}: it takes {gib} GiB")
            continue
        start = time.time()
        try:
            function(machine)
            print(f"ok   {name} {function.__name__} in {time.time() - start:.1f} s", flush=True)
        except (AssertionError, CdslError, RuntimeError, subprocess.TimeoutExpired) as error:
            failures += 1
            print(f"FAIL {name} {function.__name__}: {error}", flush=True)
        torch.cuda.empty_cache()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

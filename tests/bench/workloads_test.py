"""Data, references, peers and our programs agree, at small sizes on the CPU. Skipped where PyTorch is missing.

Our programs run in the simulator (`cuoptc run`, the environment's CUOPTC), which shows that inputs, outputs and their order are
those of the programs.
"""
import dataclasses
import functools
import importlib.util
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import paths  # noqa: F401
from compare import suite

HAS = {name: importlib.util.find_spec(name) is not None for name in ("torch", "jax", "numpy")}
RECORDS = {"field_x": {"p": "xyz"}, "particle_update": {"p": ["x", "y", "z", "vx", "vy", "vz", "m", "q"], "r": None},
           "nbody": {"p": "xyzm", "pull": None}}


@functools.lru_cache(maxsize=None)
def cases():
    """(row at small sizes, workload, inputs, expected) of every row and size set."""
    from compare import workloads
    found = []
    for row in suite.load():
        for seed, sizes in enumerate(row.small):
            small = dataclasses.replace(row, sizes=sizes)
            one = workloads.make(small)
            inputs = one.inputs(workloads.Maker("cpu", seed))
            found.append((small, one, inputs, one.expected(*inputs)))
    return found


def has_inside(row):
    """Peers compute a stencil's inside by slices, and need one."""
    return row.workload not in ("jacobi2d", "heat3d") or min(row.sizes.values()) > 2


def names_of(row):
    """Tensor inputs and outputs of a program, in order."""
    text = re.search(r"\bfn\b[^{]*", row.program.read_text()).group(0)
    before, _, after = text.partition("->")
    return re.findall(r"(\w+): \w+\[", before), re.findall(r"(\w+): \w+(?=[\[)])", after)


def save(path, tensor, fields):
    """A .npy as cuoptc reads it: bf16 as bit patterns, records as structures."""
    import numpy as np
    import torch
    array = tensor.view(torch.int16).numpy().view(np.uint16) if tensor.dtype == torch.bfloat16 else tensor.numpy()
    if fields:
        array = array.copy().view([(field, array.dtype) for field in fields])[:, 0]
    np.save(path, array)


def load(path, dtype, shape):
    import numpy as np
    import torch
    array = np.load(path)
    if array.dtype.names:
        array = array.view([("all", array.dtype[0], shape[-1])])["all"]
    tensor = torch.from_numpy(np.ascontiguousarray(array.view(np.int16) if dtype == torch.bfloat16 else array))
    return tensor.view(dtype).reshape(shape)


def run_ours(row, one, inputs):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ins, outs = names_of(row)
        command = [os.environ["CUOPTC"], "run", str(row.program), "--device=sim", f"--out-dir={folder}"]
        for name, tensor in zip(ins, inputs, strict=True):
            save(folder / f"in-{name}.npy", tensor, RECORDS.get(row.workload, {}).get(name))
            command.append(f"--in={name}={folder}/in-{name}.npy")
        command += [f"--in={name}={value!r}" for name, value in row.given.items()]
        command += [f"-D{name}={value}" for name, value in row.sizes.items()]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return [load(folder / f"{name}.npy", dtype, shape) for name, (dtype, shape) in zip(outs, one.outputs(), strict=True)]


def spoilt(tensor):
    """Results with one element taken from its neighbour; where all are alike, with one that is off by a half."""
    flat = tensor.clone().reshape(-1)
    middle = len(flat) // 2
    other = flat[middle - 1].clone()
    if len(flat) == 1 or other == flat[middle]:
        flat[middle] = flat[middle] * 1.5 + 1
    else:
        flat[middle] = other
    return flat.reshape(tensor.shape)


@unittest.skipUnless(HAS["torch"], "PyTorch is missing")
class WorkloadsTest(unittest.TestCase):
    def compare(self, row, one, expected, results, contender):
        from compare.checking import compare, slack
        from compare.contenders import as_torch
        found = compare(expected, as_torch(results), slack(contender, one.outputs()))
        self.assertTrue(found["ok"], f"{contender}: {found}")

    def test_eager_is_right(self):
        for row, one, inputs, expected in cases():
            if one.torch and has_inside(row):
                with self.subTest(row.name, **row.sizes):
                    self.compare(row, one, expected, one.torch(*inputs), "eager")

    def test_what_compiles_is_right_before_it_is_compiled(self):
        for row, one, inputs, expected in cases():
            if one.compiled:
                with self.subTest(row.name, **row.sizes):
                    self.compare(row, one, expected, one.compiled(*inputs), "compile")

    @unittest.skipUnless(HAS["jax"], "JAX is missing")
    def test_jax_is_right(self):
        import jax
        import torch
        for row, one, inputs, expected in cases():
            if one.jax and has_inside(row):
                with self.subTest(row.name, **row.sizes):
                    arrays = [jax.dlpack.from_dlpack(x.int() if x.dtype == torch.int64 else x) for x in inputs]
                    self.compare(row, one, expected, jax.jit(one.jax)(*arrays), "jax")

    @unittest.skipUnless("CUOPTC" in os.environ, "CUOPTC is not set")
    def test_ours_is_right_in_the_simulator(self):
        for row, one, inputs, expected in cases():
            with self.subTest(row.name, **row.sizes):
                self.compare(row, one, expected, run_ours(row, one, inputs), "ours")

    def test_channels_last_is_right(self):
        for row, one, inputs, expected in cases():
            if one.channels_last:
                self.compare(row, one, expected, one.channels_last(*inputs)(), "eager_channels_last")

    def test_one_wrong_element_is_found(self):
        from compare.checking import compare
        for row, one, inputs, expected in cases():
            function = one.torch or one.compiled
            if min(row.sizes.values()) < 3 or row.workload == "sum_all":
                continue
            with self.subTest(row.name, **row.sizes):
                results = function(*inputs)
                results = list(results) if isinstance(results, tuple) else [results]
                results[-1] = spoilt(results[-1])
                self.assertFalse(compare(expected, results)["ok"])

    def test_poison_is_found(self):
        import torch
        from compare.checking import compare
        from compare.contenders import poison
        for row, one, inputs, expected in cases():
            with self.subTest(row.name, **row.sizes):
                results = [torch.zeros(shape, dtype=dtype) for dtype, shape in one.outputs()]
                for tensor in results:
                    poison(tensor)
                self.assertFalse(compare(expected, results)["ok"])


if __name__ == "__main__":
    unittest.main()

"""The structures that Python hands to the library against the header that a C compiler reads."""
import ctypes
import os
import pathlib
import subprocess
import tempfile
import unittest

import paths
from compare import cdsl

STRUCTURES = {"cdsl_runtime_options": cdsl.RuntimeOptions, "cdsl_module_options": cdsl.ModuleOptions,
              "cdsl_parameter": cdsl.Parameter, "cdsl_tensor": cdsl.Tensor, "cdsl_argument": cdsl.Argument}


def layout_in_c(folder):
    """Sizes, offsets and values as the header has them."""
    lines = ["#include <cdsl/cdsl.h>", "#include <stdio.h>", "int main(void) {"]
    for name, structure in STRUCTURES.items():
        lines.append(f'  printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'  printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for field, _ in structure._fields_]
    lines += [f'  printf("{name} %d\\n", (int)CDSL_{name.upper()});' for name in cdsl.TYPES + cdsl.ROLES]
    source = pathlib.Path(folder) / "layout.c"
    source.write_text("\n".join([*lines, "}"]) + "\n")
    program = source.with_suffix("")
    subprocess.run([os.environ.get("CC", "cc"), f"-I{paths.ROOT}/include", "-DCDSL_STATIC", str(source), "-o", str(program)], check=True)
    found = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    return dict(line.split() for line in found.splitlines())


class LayoutTest(unittest.TestCase):
    def test_structures_and_numbers_are_those_of_the_header(self):
        with tempfile.TemporaryDirectory() as folder:
            found = layout_in_c(folder)
        for name, structure in STRUCTURES.items():
            self.assertEqual(int(found[name]), ctypes.sizeof(structure), name)
            for field, _ in structure._fields_:
                self.assertEqual(int(found[f"{name}.{field}"]), getattr(structure, field).offset, f"{name}.{field}")
        for names in (cdsl.TYPES, cdsl.ROLES):
            self.assertEqual([int(found[name]) for name in names], list(range(len(names))))


class FakeKernel:
    def __init__(self, *parameters):
        self.found = parameters

    def parameters(self):
        return self.found


def parameter(name, role, kind, item, rank):
    return cdsl.Parameter(name.encode(), cdsl.ROLES.index(role), cdsl.TYPES.index(kind), item, rank, 1, b"", 0)


class ArgumentsTest(unittest.TestCase):
    def test_scalars_by_name_tensors_in_order(self):
        kernel = FakeKernel(parameter("x", "input", "f32", 4, 2), parameter("a", "scalar", "f32", 4, 0),
                            parameter("r", "output", "bf16", 2, 1))
        bound = cdsl.Arguments(kernel, {"a": 2.5}, [cdsl.Dense(64, "f32", (3, 5), 4)], [cdsl.Dense(128, "bf16", (3,), 2)])
        x, a, r = bound.array
        self.assertEqual((x.tensor.contents.data, x.tensor.contents.rank, list(x.tensor.contents.extents[:2])), (64, 2, [3, 5]))
        self.assertFalse(a.tensor)
        self.assertEqual((a.scalar_type, a.scalar.f), (cdsl.TYPES.index("f64"), 2.5))
        self.assertEqual((r.tensor.contents.data, r.tensor.contents.type), (128, cdsl.TYPES.index("bf16")))

    def test_trailing_axes_are_the_fields_of_a_record(self):
        kernel = FakeKernel(parameter("p", "input", "record", 12, 1))
        bound = cdsl.Arguments(kernel, {}, [cdsl.Dense(64, "f32", (7, 3), 4)], [])
        tensor = bound.array[0].tensor.contents
        self.assertEqual((tensor.rank, tensor.extents[0], tensor.type), (1, 7, cdsl.TYPES.index("record")))

    def test_what_does_not_fit_is_refused(self):
        kernel = FakeKernel(parameter("x", "input", "f32", 4, 1))
        for tensors in ([cdsl.Dense(64, "i32", (7,), 4)], [cdsl.Dense(64, "f32", (7,), 4)] * 2):
            with self.assertRaises(cdsl.CdslError):
                cdsl.Arguments(kernel, {}, tensors, [])


if __name__ == "__main__":
    unittest.main()

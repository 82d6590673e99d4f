"""Our library through bench/compare/cdsl.py, on the simulator. Skipped where CDSL_LIBRARY names none."""
import array
import os
import unittest

import paths  # noqa: F401
from compare import cdsl, suite


def dense(values, kind, *shape):
    address, _ = values.buffer_info()
    return cdsl.Dense(address, kind, shape, values.itemsize)


def run(name, sizes, inputs, outputs):
    """Runs a row's program on the simulator; outputs are filled."""
    row = next(row for row in suite.load() if row.name == name)
    runtime = cdsl.Library(os.environ["CDSL_LIBRARY"]).runtime("sim", "")
    bound = runtime.kernel(row.program).bind(row.given | sizes, inputs, outputs)
    bound.prepare()
    bound.launch()
    runtime.synchronize()
    return bound


@unittest.skipUnless(os.environ.get("CDSL_LIBRARY"), "CDSL_LIBRARY is not set")
class SimulatedTest(unittest.TestCase):
    def test_scalars_and_plain_tensors(self):
        x, y, r = (array.array("f", values) for values in ([1, 2, 3], [10, 20, 30], [0] * 3))
        bound = run("saxpy_f32_128Mi", {}, [dense(x, "f32", 3), dense(y, "f32", 3)], [dense(r, "f32", 3)])
        self.assertEqual(list(r), [12.5, 25.0, 37.5])
        self.assertTrue(bound.plan().startswith("{"))

    def test_records(self):
        p, x = array.array("f", range(15)), array.array("f", [0] * 5)
        run("aos_field_x_f32_64Mi_points3", {}, [dense(p, "f32", 5, 3)], [dense(x, "f32", 5)])
        self.assertEqual(list(x), [0.0, 3.0, 6.0, 9.0, 12.0])

    def test_a_size_that_no_input_has(self):
        to, v, acc = array.array("i", [1, 3, 1]), array.array("f", [5, 6, 7]), array.array("f", [9] * 4)
        run("scatter_add_f32_64Mi_into_1Mi", {"M": 4}, [dense(to, "i32", 3), dense(v, "f32", 3)], [dense(acc, "f32", 4)])
        self.assertEqual(list(acc), [0.0, 12.0, 0.0, 6.0])

    def test_errors_are_told_in_the_librarys_words(self):
        runtime = cdsl.Library(os.environ["CDSL_LIBRARY"]).runtime("sim", "")
        with self.assertRaisesRegex(cdsl.CdslError, "CDSL_ERROR_"):
            runtime.kernel("no/such/program.cdsl")


if __name__ == "__main__":
    unittest.main()

"""The table of rows."""
import re
import unittest

import paths  # noqa: F401
from compare import suite


class SuiteTest(unittest.TestCase):
    def test_has_every_row_of_the_performance_bar(self):
        self.assertEqual(len(suite.load()), 44)

    def test_name_tells_type_and_sizes(self):
        for row in suite.load():
            with self.subTest(row.name):
                self.assertIn(f"_{row.type}_", row.name + "_")
                for number in re.findall(r"(?<=[_x])\d{3,}(?=[_x]|$)", row.name):
                    self.assertIn(int(number), row.sizes.values())
                for mebi in re.findall(r"_(\d+)Mi", row.name):
                    self.assertIn(int(mebi) * 2 ** 20, row.sizes.values())

    def test_small_sizes_name_every_size(self):
        for row in suite.load():
            for sizes in row.small:
                self.assertEqual(list(sizes), list(row.sizes), row.name)

    def test_bytes_and_operations(self):
        rows = {row.name: row for row in suite.load()}
        self.assertEqual(rows["saxpy_f32_128Mi"].bytes, 3 * 4 * 2 ** 27)
        self.assertEqual(rows["cross_entropy_bf16_8192x50257"].bytes, 2 * 8192 * 50257)
        self.assertEqual(rows["gemm_bf16_8192"].flops, 2 * 8192 ** 3)
        self.assertEqual(rows["conv2d_f32_32x64x112x112_k3x3_128"].flops, 2 * 32 * 128 * 110 * 110 * 64 * 9)
        self.assertEqual(rows["attention_causal_bf16_4x32x4096x128"].flops, 2 * 4 * 32 * 4096 ** 2 * 128)

    def test_every_memory_bar_has_a_mix_whose_streams_are_large(self):
        for row in suite.load():
            if row.bar.kind == "roof":
                self.assertTrue(row.mix, row.name)

    def test_small_rows_are_the_same_rows(self):
        small = suite.load("saxpy", small=True)[0]
        self.assertEqual(small.sizes, {"N": 1028})
        self.assertEqual(small.bytes, 12 * 1028)

    def test_formulas_are_arithmetic_and_nothing_else(self):
        self.assertEqual(suite.evaluate("2*(M+N)-1", {"M": 3, "N": 4}), 13)
        self.assertEqual(suite.evaluate("-", {}), 0)
        with self.assertRaises(ValueError):
            suite.evaluate("M.__class__", {"M": 3})
        with self.assertRaises(NameError):
            suite.evaluate("open(M)", {"M": 3})


if __name__ == "__main__":
    unittest.main()

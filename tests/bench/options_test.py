"""The command line of bench/compare."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import paths

COMPARE = [sys.executable, str(paths.ROOT / "bench/compare")]


class OptionsTest(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([*COMPARE, *arguments], capture_output=True, text=True)

    def test_unknown_contenders_are_named(self):
        done = self.run_it("--contenders", "ours,tvm")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such contender: tvm", done.stderr)

    def test_report_needs_no_gpu(self):
        raw = {"runs": [], "rows": [{"name": "saxpy_f32_128Mi", "samples_us": {"ours": [350.0], "jax": [362.0, 361.0, 363.0]},
                                     "checks": {name: {"max_error": 0.0, "tolerance": 1e-6, "ok": True} for name in ("ours", "jax")}}]}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "raw.json"
            path.write_text(json.dumps(raw))
            done = self.run_it("--report", str(path))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| saxpy_f32_128Mi | 350.0 |", done.stdout)
        self.assertIn("geometric mean of best-peer/ours, capped at 2: 1.034 over 1 rows", done.stdout)

    def test_rows_that_are_whole_are_not_measured_again(self):
        row = {"name": "saxpy_f32_128Mi", "samples_us": {}, "checks": {}, "errors": {}, "contenders": ["ours", "jax"], "run": 0}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "raw.json"
            path.write_text(json.dumps({"runs": [{}], "rows": [row]}))
            done = self.run_it("--resume", str(path), "--only", "^saxpy", "--contenders", "ours,jax")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(path.with_suffix(".md").exists())


if __name__ == "__main__":
    unittest.main()

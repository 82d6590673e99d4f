"""Figures from raw samples."""
import math
import pathlib
import tempfile
import unittest

import paths  # noqa: F401
from compare import report, suite

ROWS = {row.name: row for row in suite.load()}
SAXPY, SCATTER, NBODY = "saxpy_f32_128Mi", "scatter_add_f32_64Mi_into_1Mi", "nbody_f32_65536"


def record(name, ok=True, wrong=(), errors=None, **times):
    checks = {one: {"max_error": 1e-7, "tolerance": 1e-6, "ok": one not in wrong} for one in times if one != "floor"}
    if "ours" in checks:
        checks["ours"]["ok"] = ok
    samples = {one: [value * 1.5, value, value * 0.5] for one, value in times.items()}
    return {"name": name, "samples_us": samples, "checks": checks, "errors": errors or {}, "contenders": list(times), "run": 0}


def figures(one):
    return report.figures(one, ROWS[one["name"]])


def time_at(name, roof):
    return ROWS[name].bytes / (roof * report.ROOF_TBPS * 1e6)


class FiguresTest(unittest.TestCase):
    def test_medians_and_best_peer(self):
        found = figures(record(SAXPY, ours=350.0, eager=620.0, jax=362.0))
        self.assertEqual((found["ours_us"], found["best_peer"], found["peers_us"]), (350.0, "jax", {"eager": 620.0, "jax": 362.0}))
        self.assertAlmostEqual(found["ratio"], 362 / 350)
        self.assertAlmostEqual(found["roof"], 3 * 4 * 2 ** 27 / 350e-6 / 4.265e12)

    def test_a_peer_that_is_wrong_is_no_peer(self):
        self.assertEqual(figures(record(SAXPY, wrong=["jax"], ours=350.0, eager=620.0, jax=10.0))["best_peer"], "eager")

    def test_the_roof_decides(self):
        for reached, met in ((1.051, True), (1.049, False)):
            found = figures(record(SAXPY, ours=time_at(SAXPY, reached), jax=1e6, floor=time_at(SAXPY, 1.2)))
            self.assertEqual((found["bar_met"], found["bar_by"]), (met, "roof"))

    def test_the_floor_decides_where_it_lies_below_the_bar(self):
        for reached, met in ((1.01, True), (0.99, False)):
            found = figures(record(SAXPY, ours=time_at(SAXPY, reached), jax=1e6, floor=time_at(SAXPY, 1.0)))
            self.assertEqual((found["bar_met"], found["bar_by"]), (met, "floor"))

    def test_never_slower_than_the_best_peer(self):
        fast = time_at(SAXPY, 1.06)
        self.assertIs(figures(record(SAXPY, ours=fast, jax=fast * 0.98))["bar_met"], False)
        self.assertIs(figures(record(SAXPY, ours=fast, jax=fast * 0.995))["bar_met"], True)

    def test_bars_against_the_best_peer_and_in_operations(self):
        self.assertIs(figures(record(SCATTER, ours=100.0, jax=161.0))["bar_met"], True)
        self.assertIs(figures(record(SCATTER, ours=100.0, jax=159.0))["bar_met"], False)
        least = ROWS[NBODY].flops / 30e6
        self.assertIs(figures(record(NBODY, ours=least * 0.99, jax=1e5))["bar_met"], True)
        self.assertIs(figures(record(NBODY, ours=least * 1.01, jax=1e5))["bar_met"], False)

    def test_what_is_not_verified_or_not_measured_meets_no_bar(self):
        self.assertIs(figures(record(SAXPY, ok=False, ours=1.0, jax=362.0))["bar_met"], False)
        self.assertIs(figures(record(SAXPY, jax=362.0))["bar_met"], False)
        self.assertIsNone(figures(record(SAXPY, ours=1.0))["bar_met"])


class SummaryTest(unittest.TestCase):
    def results(self, *records):
        return report.recompute({"runs": [{}], "rows": list(records)}, suite.load())

    def test_geometric_mean_is_capped_and_leaves_out_what_does_not_count(self):
        results = self.results(record(SAXPY, ours=100.0, jax=1000.0), record(SCATTER, ours=100.0, jax=50.0),
                               record(NBODY, ok=False, ours=1.0, jax=50.0))
        self.assertAlmostEqual(results["summary"]["geometric_mean"], math.sqrt(2.0 * 0.5))
        self.assertEqual((results["summary"]["rows"], results["summary"]["rows_in_mean"]), (3, 2))

    def test_nothing_but_raw_samples_is_believed(self):
        results = self.results(record(SAXPY, ours=350.0, jax=362.0))
        results["rows"][0]["ours_us"] = 1.0
        results["rows"][0]["bar_met"] = True
        results["summary"]["geometric_mean"] = 99.0
        again = report.recompute(results, suite.load())
        self.assertEqual(again["rows"][0]["ours_us"], 350.0)
        self.assertAlmostEqual(again["summary"]["geometric_mean"], 362 / 350)

    def test_rows_have_what_is_asked_for_and_survive_a_file(self):
        results = self.results(record(NBODY, ours=1.0, jax=50.0), record(SAXPY, ours=350.0, jax=362.0))
        self.assertEqual([one["name"] for one in results["rows"]], [SAXPY, NBODY])    # in the order of the suite
        for key in ("name", "ours_us", "peers_us", "roof", "bar", "bar_met", "verified", "max_error", "samples_us", "errors"):
            self.assertIn(key, results["rows"][0])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "deeper" / "compare.json"
            report.store(path, results)
            self.assertEqual(report.load(path), results)
            self.assertEqual([one.name for one in path.parent.iterdir()], ["compare.json"])

    def test_the_table_tells_errors(self):
        failed = record(NBODY, errors={"ours": "CdslError: no\nsuch thing"}, jax=50.0)
        text = report.table(self.results(record(SAXPY, wrong=["eager"], ours=350.0, jax=362.0, eager=3.0), failed))
        self.assertIn("| saxpy_f32_128Mi | 350.0 | 3.0 | - | 362.0 |", text)
        self.assertIn("- nbody_f32_65536: ours: CdslError: no such thing", text)
        self.assertIn("- saxpy_f32_128Mi: eager: error 1.00e-07 is above 1.00e-06", text)
        self.assertIn("geometric mean", text)

    def test_a_row_that_could_not_be_measured_at_all(self):
        results = self.results({"name": SAXPY, "error": "data: out of memory", "errors": {}, "run": 0})
        self.assertIn("saxpy_f32_128Mi: row: data: out of memory", report.table(results))


if __name__ == "__main__":
    unittest.main()

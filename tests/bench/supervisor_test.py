"""A worker that hangs, crashes or gives up costs its row one contender, and the run nothing."""
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest

import paths
from compare.supervisor import OutOfTime, Supervisor, WorkerDied


class SupervisorTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.log = pathlib.Path(self.folder.name) / "log"

    def run_rows(self, script, rows=("a",), seconds=30.0):
        os.environ["FAKE_SCRIPT"], os.environ["FAKE_LOG"] = json.dumps(script), str(self.log)
        supervisor = Supervisor([sys.executable, str(paths.HERE / "fake_worker.py")], {}, time.monotonic() + seconds, lambda text: None)
        self.addCleanup(supervisor.drop)
        return [supervisor.measure({"row": row, "contenders": ["ours", "eager", "jax"]}) for row in rows]

    def starts(self):
        return self.log.read_text().count("start")

    def test_one_worker_serves_all_rows(self):
        records = self.run_rows({}, ("a", "b", "c"))
        self.assertEqual([record["name"] for record in records], ["a", "b", "c"])
        self.assertEqual(self.starts(), 1)

    def test_a_contender_that_hangs_is_left_out(self):
        first, second = self.run_rows({"a": {"ours": "hang"}}, ("a", "b"))
        self.assertEqual(first["errors"], {"ours": "no end within 0 s"})
        self.assertEqual(second["errors"], {})
        self.assertEqual(self.starts(), 2)

    def test_several_contenders_that_kill_the_worker(self):
        record = self.run_rows({"a": {"ours": "crash", "jax": "fatal"}})[0]
        self.assertEqual(record["errors"], {"ours": "the process ended with signal 9", "jax": "the context is dead"})
        self.assertEqual(self.starts(), 3)

    def test_a_row_that_cannot_be_set_up_is_an_error_of_the_row(self):
        first, second = self.run_rows({"a": {"data": "crash"}}, ("a", "b"))
        self.assertIn("data: the process ended with signal 9", first["error"])
        self.assertNotIn("error", second)

    def test_who_dies_while_all_are_measured_is_ours(self):
        self.assertEqual(self.run_rows({"a": {"measure": "crash"}})[0]["errors"], {"ours": "measure: the process ended with signal 9"})

    def test_a_failure_that_the_worker_survives(self):
        self.assertEqual(self.run_rows({"a": {"row": "failed"}})[0], {"error": "ValueError: no such row"})

    def test_the_time_box_ends_a_row_that_is_under_way(self):
        start = time.monotonic()
        with self.assertRaises(OutOfTime):
            self.run_rows({"a": {"data": "hang"}}, seconds=1.0)
        self.assertLess(time.monotonic() - start, 4)

    def test_a_worker_that_does_not_start(self):
        supervisor = Supervisor([sys.executable, "-c", "pass"], {}, time.monotonic() + 10, lambda text: None)
        with self.assertRaises(WorkerDied):
            supervisor.measure({"row": "a", "contenders": []})


if __name__ == "__main__":
    unittest.main()

"""Samples out of a profiler's trace."""
import json
import pathlib
import tempfile
import unittest

import paths  # noqa: F401
from compare import trace


def event(name, start, duration, category="kernel"):
    return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": 7, "ts": start, "dur": duration, "args": {"stream": 7}}


def sample(start, *inside):
    return [event(trace.BEGIN, start, 1.0), *inside, event(trace.END, start + 90.0, 1.0)]


class TraceTest(unittest.TestCase):
    def events(self, events):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
            return trace.device_events(path)

    def durations(self, events, expected):
        return [trace.duration_us(one) for one in trace.split(self.events(events), expected)]

    def test_time_runs_from_the_first_start_to_the_last_end(self):
        events = sample(100, event("a", 110, 5.5), event("b", 120, 2.25), event("Memset (Device)", 130, 1.0, "gpu_memset"))
        self.assertEqual(self.durations(events, 1), [21.0])

    def test_order_in_the_file_and_work_outside_do_not_matter(self):
        events = [event("flush", 0, 50), *sample(100, event("a", 110, 5)), event("flush", 195, 50), *sample(300, event("b", 320, 7))]
        self.assertEqual(self.durations(list(reversed(events)), 2), [5.0, 7.0])

    def test_overlapping_kernels_of_other_streams_count_once(self):
        self.assertEqual(self.durations(sample(100, event("a", 110, 40), event("b", 120, 10)), 1), [40.0])

    def test_events_of_the_host_and_annotations_are_no_work(self):
        events = sample(100, event("a", 110, 5), event("cudaLaunchKernel", 105, 60, "cuda_runtime"),
                        event("region", 101, 80, "gpu_user_annotation"))
        events += [{"ph": "i", "name": "Iteration Start", "ts": 0}, {"ph": "M", "name": "process_name", "args": {}}]
        self.assertEqual(self.durations(events, 1), [5.0])

    def test_a_sample_in_which_nothing_ran_has_no_time(self):
        self.assertEqual(self.durations(sample(100), 1), [None])

    def test_large_time_stamps_keep_their_nanoseconds(self):
        text = json.dumps({"traceEvents": sample(0, event("a", "START", 0.001))})
        text = text.replace('"START"', "7883452764077.541").replace('"ts": 90.0', '"ts": 7883452764099.999')
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            path.write_text(text)
            found = trace.split(trace.device_events(path), 1)[0]
        self.assertEqual(found, [("a", 7883452764077541, 7883452764077542)])

    def test_lost_markers_are_an_error(self):
        begin, inside, end = sample(100, event("a", 110, 5))
        for broken in ([begin, inside], [inside, end], [begin, event(trace.BEGIN, 105, 1), end]):
            with self.assertRaises(trace.TraceError):
                trace.split(self.events(broken), 1)
        with self.assertRaises(trace.TraceError):
            trace.split(self.events([begin, inside, end]), 2)


if __name__ == "__main__":
    unittest.main()

"""The order of samples, and traces that lost some. Skipped where PyTorch is missing."""
import importlib.util
import unittest

import paths  # noqa: F401

HAS_TORCH = importlib.util.find_spec("torch") is not None


@unittest.skipUnless(HAS_TORCH, "PyTorch is missing")
class ClockTest(unittest.TestCase):
    def test_contenders_take_turns_and_slow_ones_drop_out(self):
        from compare.clock import interleaved
        self.assertEqual(interleaved({"ours": 3, "jax": 1, "eager": 2}), ["ours", "jax", "eager", "ours", "eager", "ours"])
        self.assertEqual(interleaved({}), [])

    def test_slow_contenders_give_fewer_samples(self):
        from compare.clock import affordable
        self.assertEqual([affordable(seconds, 13) for seconds in (1e-4, 0.5, 2.0, 100.0)], [13, 6, 1, 1])

    def test_a_trace_that_lost_samples_is_taken_once_more(self):
        from compare import trace
        from compare.clock import Clock, Contender

        class Broken(Clock):
            sessions = 0

            def session(self, order):
                self.sessions += 1
                if self.sessions == 1:
                    raise trace.TraceError("lost")
                return [[("kernel", 1000 * place, 1000 * place + 500)] for place, _ in enumerate(order)]
        clock = Broken(None)
        contenders = [Contender("ours", None), Contender("jax", None)]
        self.assertEqual(clock.measure(contenders, {"ours": 2, "jax": 1}), {"ours": [0.5, 0.5], "jax": [0.5]})
        self.assertEqual(clock.sessions, 2)


if __name__ == "__main__":
    unittest.main()

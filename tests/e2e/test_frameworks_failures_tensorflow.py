"""A job of TensorFlow that fails names the worker that did."""

# rooms: view machine host
# needs: matrix frameworks-tensorflow
# busy

import unittest

from failing_case import FAKE, HOSTS, FailingCase, Meets, Ways
from framework_case import framework_or_skip
from support import TIMEOUT, run_tests

REASON = framework_or_skip("tensorflow")


@unittest.skipIf(REASON, REASON)
class TensorFlow(Ways, Meets, FailingCase):
    group = "tensorflow"
    name = "tensorflow"
    words = ("run", "--role", "worker=2")
    places = {"raise": HOSTS, "kill": FAKE, "absent": FAKE, "port": HOSTS, "lost": HOSTS}

    def test_one_rank_never_comes(self):
        """Its workers wait for ever."""
        done = self.fails("absent", 1, words=("run", "--role", "worker=2", "--timeout", "10"))
        self.assert_named(done, TIMEOUT, "longer than its time limit of 10 s")


run_tests()

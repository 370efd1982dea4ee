"""A job of JAX that fails names the process that did, not those whose watchers end them."""

# rooms: view machine host
# needs: matrix frameworks-jax
# busy

import signal
import unittest

from failing_case import FAKE, HOSTS, IN_VAIN, FailingCase, Meets, Ways
from framework_case import framework_or_skip
from support import run_tests

REASON = framework_or_skip("jax")


@unittest.skipIf(REASON, REASON)
class Jax(Ways, Meets, FailingCase):
    group = "jax"
    name = "jax"
    words = ("run", "--wireup", "none")
    without_port = (1, 128 + signal.SIGSEGV)  # it may touch the service that it has not got
    late = (128 + signal.SIGABRT, rf"SIGABRT.*JAX distributed service.*\n +{IN_VAIN}")
    places = {"raise": FAKE, "kill": HOSTS, "absent": FAKE, "port": HOSTS, "lost": HOSTS}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.own_names_lead_to_hosts()

    def test_the_first_rank_raises(self):
        """The one where the others' watchers look whether all are well."""
        done = self.fails("raise", 0)
        self.assert_named(done, 1, r"^muster: rank 0 on fake-0 exited with code 1 .*: BadBatch: ")


run_tests()

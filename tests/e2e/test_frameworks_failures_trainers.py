"""A job of accelerate, the Trainer or DeepSpeed that fails names the rank that did."""

# rooms: view machine host head
# needs: matrix frameworks-torch113
# busy
# long

import tempfile
import unittest

from failing_case import FAKE, HOSTS, FailingCase, Meets, Ways
from framework_case import framework_or_skip
from support import TIMEOUT, run_tests

REASON = framework_or_skip("torch113")


class TorchWays(Ways, Meets):
    group = "torch113"


@unittest.skipIf(REASON, REASON)
class Accelerate(TorchWays, FailingCase):
    name = "accelerate"
    places = {"raise": HOSTS, "kill": HOSTS, "absent": FAKE, "port": FAKE, "lost": FAKE}


@unittest.skipIf(REASON, REASON)
class Trainer(TorchWays, FailingCase):
    name = "trainer"
    places = {"raise": FAKE, "kill": FAKE, "absent": HOSTS, "port": HOSTS, "lost": HOSTS}

    def test_one_rank_never_comes(self):
        """On processors the Trainer's ddp_timeout has no effect."""
        done = self.fails("absent", 1, words=("run", "--timeout", "8"))
        self.assert_named(done, TIMEOUT, "longer than its time limit of 8 s")


@unittest.skipIf(REASON, REASON)
class DeepSpeed(TorchWays, FailingCase):
    name = "deepspeed"
    places = {"raise": HOSTS, "kill": FAKE, "absent": FAKE, "port": HOSTS, "lost": FAKE}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Where it compiles what it loads, once for all of them.
        folder = tempfile.TemporaryDirectory(prefix="muster-e2e-extensions-")
        cls.addClassCleanup(folder.cleanup)
        cls.variables = {"TORCH_EXTENSIONS_DIR": folder.name}


run_tests()

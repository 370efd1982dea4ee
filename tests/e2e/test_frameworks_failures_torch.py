"""A job of PyTorch or Lightning that fails names the rank that did, not those that noticed."""

# rooms: view machine host head front
# needs: frameworks-torch113
# busy
# long

import unittest

from failing_case import FAKE, HOSTS, FailingCase, Meets, Ways
from framework_case import framework_or_skip
from support import run_tests

REASON = framework_or_skip("torch113")


class TorchrunWays(Ways, Meets):
    group = "torch113"
    words = ("torchrun", "--nproc-per-node", "1")
    by_signal = by_loss = 1  # as torchrun has it for all failures


@unittest.skipIf(REASON, REASON)
class Ddp(TorchrunWays, FailingCase):
    name = "ddp"
    places = {"raise": HOSTS, "kill": FAKE, "absent": HOSTS, "port": FAKE, "lost": HOSTS}


@unittest.skipIf(REASON, REASON)
class Lightning(TorchrunWays, FailingCase):
    name = "lightning"
    own = ("--devices", "1", "--nodes", "2")
    places = {"raise": FAKE, "kill": HOSTS, "absent": FAKE, "port": HOSTS, "lost": FAKE}


run_tests()

"""examples/pipeline on ssh hosts that share no folder: trained, and killed until it is done."""

# rooms: pipeline cli head blobs
# busy
# long

import json
import os
import random
import signal
import subprocess
import unittest

from front_case import LabFrontCase
from support import ROOT, lab_or_skip, run_tests

REASON = lab_or_skip()
TORCH = os.path.isdir("/usr/lib/python3/dist-packages/torch")
FILE = os.path.join(ROOT, "examples", "pipeline", "pipeline.yml")
HOSTS = ("-H", "node1:2,node2:2")
TRAINED = "y = 3.00 x + -1.00, mean error 0.041"
KILLS = 20


@unittest.skipIf(REASON, REASON)
@unittest.skipUnless(TORCH, "Debian's python3-torch is missing")
class Trains(LabFrontCase):
    """The records lie in each host's own home."""

    name = "muster"

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def ends(self, *words):
        done = self.start_in_lab(*words).finish(300)
        self.assertEqual(done.code, 0, done)
        logs = self.start_in_lab("logs", "last/evaluate").finish()
        self.assertEqual(logs.lines, [TRAINED], logs)

    def show(self, run):
        done = self.start_in_lab("show", run, "--json").finish()
        self.assertEqual(done.code, 0, done)
        return json.loads(done.text)

    def test_once(self):
        self.ends("submit", FILE, *HOSTS)
        states = {step["state"] for step in self.show("last")["steps"]}
        self.assertIn("completed", states)
        self.assertLessEqual(states, {"completed", "reused"})
        self.assertEqual(set(self.show("last/train")["hosts"]), {"node1", "node2"})
        self.assert_hosts_clean()
        self.ends("rerun", "last")

    def test_killed_at_random_moments_it_comes_to_the_same_end(self):
        dice = random.Random(20)
        words = ("submit", FILE, *HOSTS, "--set", "inputs.points=4000")
        for _ in range(KILLS):
            one = self.start_in_lab(*words)
            try:  # a moment of its life
                one.popen.wait(dice.uniform(0.1, 3.5))
            except subprocess.TimeoutExpired:
                one.send(signal.SIGKILL)
            one.finish()
            self.assert_hosts_clean()
            if self.start_in_lab("show", "last").finish().code == 0:  # it had come so far
                words = ("rerun", "last")
        self.ends(*words)
        self.assert_hosts_clean()


if __name__ == "__main__":
    run_tests()

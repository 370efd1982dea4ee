"""MindSpore's workers find each other by a scheduler, train on processors, and take their leave."""

# rooms: plan front machine
# needs: matrix frameworks-mindspore
# busy

import os
import unittest

from framework_case import FrameworkCase, framework_or_skip
from own import port
from support import run_tests

REASON = framework_or_skip("mindspore")


@unittest.skipIf(REASON, REASON)
class MindSpore(FrameworkCase):
    group = "mindspore"

    def assert_numbered(self, done):
        """The numbers that msrun would give: those of the workers alone, per host for devices."""
        seen = self.assert_trained(done, world=2)
        self.assertNotIn("Do not set env from OpenMPI", done.errors)
        self.assertNotRegex(done.errors, r"is timed out|MS_WORKER_IP.* is not set")
        return [(one["rank"], one["numbers"], one["parameters"]) for one in seen]

    def test_two_hosts_of_which_one_has_the_scheduler_too(self):
        done = self.hosts("run", "-H", "node1:2,node2:1", "--role", "MS_SCHED=1", "--role",
                          "MS_WORKER=2", "python", self.program("mindspore"))
        self.assertEqual([numbers for _, numbers, _ in self.assert_numbered(done)], [
            {"RANK_ID": "0", "RANK_SIZE": "2", "DEVICE_ID": "0"},
            {"RANK_ID": "1", "RANK_SIZE": "2", "DEVICE_ID": "0"}])

    def test_simulated_nodes(self):
        done = self.here("run", "--fake-nodes", "2", "--role", "MS_SCHED=1", "--role",
                         "MS_WORKER=2", "python", self.program("mindspore"))
        self.assertEqual([rank for rank, *_ in self.assert_numbered(done)], [0, 1])

    def test_workers_compute_the_same_as_those_of_msrun(self):
        program = self.program("mindspore")
        done = self.here("run", "--role", "MS_WORKER=2", "--role", "MS_SCHED=1", "python", program)
        ours = self.assert_numbered(done)
        own = self.here("--worker_num", "2", "--local_worker_num", "2", "--master_port",
                        str(port()), "--join", "True", "--log_dir", self.path("logs"), program,
                        command=(os.path.join(os.path.dirname(self.python), "msrun"),))
        self.assertEqual(own.code, 0, own)
        logs = []
        for worker in range(2):
            with open(self.path("logs", f"worker_{worker}.log"), encoding="utf-8") as file:
                logs += [line for line in file.read().splitlines() if "SEEN " in line]
        own.out = "\n".join(logs).encode()
        self.assertEqual(self.assert_numbered(own), ours)


run_tests()

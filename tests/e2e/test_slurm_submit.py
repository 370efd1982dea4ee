"""Jobs that muster hands over to a real Slurm from a login node, and comes back to later."""

import json
import os
import re
import unittest

import test_slurm
from support import CANNOT_START, MUSTER, UNREACHABLE, run_tests, wait_until

REASON = test_slurm.REASON
TARGETS = """targets:
  cluster:
    slurm: {partition: main, time: 10}
  nowhere:
    slurm: {partition: absent}
  late:
    slurm: {partition: main, options: {begin: now+1hour}}
"""
JOB = """muster: 1
name: hello
command: %s
distribution: {type: mpi, node_count: %d, process_count_per_node: %d}
"""


class SubmitCase(test_slurm.SlurmCase):
    """The client is on the head, which sees the records as all nodes do."""

    def setUp(self):
        super().setUp()
        self.write("muster.yml", TARGETS)

    def job(self, command, nodes=2, per_node=1):
        return self.write("job.yml", JOB % (json.dumps(command), nodes, per_node))

    def call(self, *words, seconds=60, **more):
        return self.start([MUSTER, *words], **more).finish(seconds)

    def submit(self, *words, target="cluster", **more):
        return self.call("submit", "job.yml", "--target", target, *words, **more)

    def detached(self, command, *words, nodes=2, per_node=1, **more):
        """The run's name; it is in the queue, or further."""
        self.job(command, nodes, per_node)
        done = self.submit("--detach", *words, **more)
        self.assertEqual(done.code, 0, done)
        return done.text.strip()

    def shown(self, run):
        return json.loads(self.call("show", "--json", run).text)

    def until_state(self, run, *states, seconds=60):
        return wait_until(lambda: next((one for one in [self.shown(run)]
                                        if one["state"] in states), None), seconds, str(states))


@unittest.skipIf(REASON, REASON)
class Submitted(SubmitCase):

    def test_a_job_runs_on_hosts_of_the_queue_and_its_output_comes_back(self):
        self.job('echo "$RANK of $WORLD_SIZE on $(hostname)"; echo aside >&2', 2, 2)
        done = self.submit()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(sorted(done.lines), ["0 of 4 on node1", "1 of 4 on node1",
                                              "2 of 4 on node2", "3 of 4 on node2"])
        self.assertEqual(done.errors.count("aside"), 4, done.errors)
        record = self.shown("last")
        self.assertEqual((record["state"], record["hosts"], record["ranks"]),
                         ("completed", ["node1", "node2"], 4))
        self.assertEqual(record["scheduler"]["kind"], "slurm")
        self.assertRegex(record["scheduler"]["id"], r"^\d+$")


if __name__ == "__main__":
    run_tests()

"""TensorFlow finds its cluster in TF_CONFIG, and trains: workers alone, and parameter servers."""

# rooms: plan job front machine
# needs: frameworks-tensorflow
# busy

import json
import unittest

from framework_case import FrameworkCase, framework_or_skip
from support import run_tests

REASON = framework_or_skip("tensorflow")


class TensorFlowCase(FrameworkCase):
    group = "tensorflow"


@unittest.skipIf(REASON, REASON)
class MultiWorkerMirrored(TensorFlowCase):
    def assert_cluster(self, done, types):
        seen = self.assert_trained(done, world=2)
        self.assertEqual([one["type"] for one in seen], types, done)

    def test_one_worker_on_each_host(self):
        done = self.hosts("run", "-H", "node1:1,node2:1", "--role", "worker=2", "python",
                          self.program("tensorflow"))
        self.assert_cluster(done, ["worker", "worker"])

    def test_a_chief_and_a_worker(self):
        done = self.here("run", "--fake-nodes", "2", "--role", "chief=1", "--role", "worker=1",
                         "python", self.program("tensorflow"))
        self.assert_cluster(done, ["chief", "worker"])

    def test_a_job_of_tensorflow(self):
        job = self.job("python tensorflow_train.py", "{type: tensorflow, worker_count: 2}")
        self.assert_cluster(self.hosts("submit", job, "-H", "node1,node2"), ["worker", "worker"])


@unittest.skipIf(REASON, REASON)
class ParameterServers(TensorFlowCase):
    """They never end by themselves; muster ends them when nobody needs them any more."""

    ROLES = ("--role", "chief=1", "--role", "worker=2", "--role", "ps=2")
    JOB = "{type: tensorflow, worker_count: 2, parameter_server_count: 1}"

    def assert_served(self, done, serving):
        """These have waited for requests; the job's end by muster is no failure and no news."""
        serves = [json.loads(line.partition("SERVES ")[2]) for line in done.lines
                  if "SERVES " in line]
        self.assertEqual(sorted((one["type"], one["index"]) for one in serves), serving, done)
        self.assertNotRegex(done.errors, r"(?m)^muster: (rank|exit code|the other|then)", done)
        return serves

    def assert_directed(self, done):
        """One rank has learnt, on both workers, what both servers keep."""
        (chief,) = self.assert_trained(done, world=1)
        serves = self.assert_served(done, [("ps", 0), ("ps", 1), ("worker", 0), ("worker", 1)])
        self.assertEqual(chief["workers"], sorted(one["pid"] for one in serves
                                                  if one["type"] == "worker"))
        self.assertEqual(chief["devices"], [f"/job:ps/replica:0/task:{index}/device:CPU:0"
                                            for index in range(2)])

    def assert_shared(self, done):
        """Two workers without a chief have learnt what one server keeps, in all steps of both."""
        seen = self.assert_trained(done, world=2)
        self.assert_served(done, [("ps", 0)])
        self.assertEqual({(one["type"], one["steps"]) for one in seen}, {("worker", 128)})
        self.assertEqual([one["devices"] for one in seen], [["/job:ps/task:0"]] * 2)

    def test_a_chief_directs_on_two_hosts(self):
        self.assert_directed(self.hosts("run", "-H", "node1:3,node2:2", *self.ROLES, "python",
                                        self.program("tensorflow_servers")))

    def test_a_chief_directs_on_simulated_nodes(self):
        self.assert_directed(self.here("run", "--fake-nodes", "2", *self.ROLES, "python",
                                       self.program("tensorflow_servers")))

    def test_a_job_on_two_hosts(self):
        job = self.job("python tensorflow_servers_train.py", self.JOB)
        self.assert_shared(self.hosts("submit", job, "-H", "node1,node2"))

    def test_a_job_on_simulated_nodes(self):
        job = self.job("python tensorflow_servers_train.py", self.JOB)
        self.assert_shared(self.here("submit", job, "--fake-nodes", "2"))


run_tests()

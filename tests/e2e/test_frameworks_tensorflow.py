"""TensorFlow's MultiWorkerMirroredStrategy finds its cluster in TF_CONFIG, and trains."""

# rooms: plan job front
# needs: frameworks-tensorflow
# busy

import unittest

from framework_case import FrameworkCase, framework_or_skip
from support import run_tests

REASON = framework_or_skip("tensorflow")


@unittest.skipIf(REASON, REASON)
class TensorFlow(FrameworkCase):
    group = "tensorflow"

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


run_tests()

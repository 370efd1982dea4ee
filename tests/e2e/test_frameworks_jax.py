"""JAX trains on hosts and simulated nodes, with what muster says of its processes."""

# rooms: plan head host
# needs: frameworks-jax
# busy

import unittest

from framework_case import FrameworkCase, framework_or_skip
from support import run_tests

REASON = framework_or_skip("jax")


@unittest.skipIf(REASON, REASON)
class Jax(FrameworkCase):
    group = "jax"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.own_names_lead_to_hosts()  # where JAX's ranks meet on processors

    def assert_meets(self, done, world=4):
        seen = self.assert_trained(done, world)
        self.assertEqual({one["devices"] for one in seen}, {world})

    def test_ranks_on_two_hosts(self):
        self.assert_meets(self.hosts("run", "-H", "node1:2,node2:2", "python",
                                     self.program("jax")))

    def test_ranks_of_mpirun(self):
        self.assert_meets(self.hosts("mpirun", "-H", "node1:1,node2:1", "python",
                                     self.program("jax")), world=2)

    def test_ranks_without_mpi(self):
        self.assert_meets(self.here("torchrun", "--fake-nodes", "2", "--nproc-per-node", "1",
                                    self.program("jax")), world=2)

    def test_a_job_of_mpi(self):
        job = self.job("python jax_train.py", "{type: mpi, process_count_per_instance: 1}")
        self.assert_meets(self.here("submit", job, "--fake-nodes", "2"), world=2)


run_tests()

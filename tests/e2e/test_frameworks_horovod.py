"""Horovod, built with MPI and gloo, trains; its own horovodrun sees the same world."""

# rooms: plan pmix head host front job
# needs: matrix frameworks-horovod
# busy
# long

import os
import unittest

from framework_case import FrameworkCase, framework_or_skip
from support import run_tests

REASON = framework_or_skip("horovod")
PLACE = ("rank", "world", "local", "local_size", "cross", "cross_size", "mpi", "gloo")


@unittest.skipIf(REASON, REASON)
class Horovod(FrameworkCase):
    group = "horovod"
    HOSTS = ("-np", "4", "-H", "node1:2,node2:2")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Horovod 0.28 forgets HOROVOD_GLOO_IFACE for sets of ranks (InitializeForProcessSet), even
        # for the set of all: with gloo they meet where each host's own name leads.
        cls.own_names_lead_to_hosts()

    def assert_places(self, done, by, nodes=2):
        """Four ranks in all, so many on each node, which meet by MPI or by gloo."""
        seen = self.assert_trained(done)
        each = 4 // nodes
        for one in seen:
            cross, local = divmod(one["rank"], each)
            self.assertEqual([one[key] for key in PLACE],
                             [one["rank"], 4, local, each, cross, nodes, by == "mpi",
                              by == "gloo"], done)
        return [[one[key] for key in PLACE] for one in seen]

    def own(self, *words):
        """The places of the real horovodrun's ranks, on the lab's head and its hosts."""
        program = os.path.join(os.path.dirname(self.python), "horovodrun")
        done = self.launch(*words, command=[self.python, program], seconds=240)
        return self.assert_places(done, by="gloo")

    def test_gloo_as_under_its_own_launcher(self):
        words = (*self.HOSTS, "--gloo", "python", self.program("horovod"))
        places = self.assert_places(self.hosts("horovodrun", *words), by="gloo")
        self.assertEqual(places, self.own(*words))

    def test_mpi_on_two_hosts(self):
        done = self.hosts("horovodrun", *self.HOSTS, "--mpi", "python", self.program("horovod"))
        self.assert_places(done, by="mpi")

    def test_horovod_chooses_when_it_is_offered_both(self):
        done = self.here("horovodrun", "-np", "4", "python", self.program("horovod"))
        self.assert_places(done, by="mpi", nodes=1)

    def test_ranks_of_mpirun(self):
        done = self.hosts("mpirun", "-n", "4", "-H", "node1:2,node2:2", "python",
                          self.program("horovod"))
        self.assert_places(done, by="mpi")

    def test_simulated_nodes(self):
        for by in ("gloo", "mpi"):
            done = self.here("horovodrun", "--fake-nodes", "2", "-np", "4", f"--{by}", "python",
                             self.program("horovod"))
            self.assert_places(done, by=by)

    def test_a_job_whose_command_is_horovodrun(self):
        job = self.job("horovodrun -np 4 --hostfile $AZUREML_MPI_HOSTFILE python horovod_train.py",
                       "{type: mpi, process_count_per_instance: 2}")
        self.assert_places(self.hosts("submit", job, "-H", "node1:2,node2:2"), by="mpi")

    def test_a_job_of_mpi(self):
        job = self.job("python horovod_train.py", "{type: mpi, process_count_per_instance: 2}")
        self.assert_places(self.here("submit", job, "--fake-nodes", "2"), by="mpi")


run_tests()

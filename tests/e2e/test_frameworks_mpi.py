"""MPI from PyPI, under mpi4py: MPICH 5, Open MPI 5 and Intel MPI sum gradients.

Of these, Debian has older ones or none.
"""

# rooms: plan pmi pmix head host front
# needs: frameworks-mpis frameworks-impi

import os
import unittest

from framework_case import FrameworkCase, framework_or_skip, open_mpi_variables
from support import run_tests

REASON = framework_or_skip("mpis") or framework_or_skip("impi")


class MpiFrameworkCase(FrameworkCase):
    library = None  # as it names itself
    launcher = "mpiexec.hydra"  # its own, in the environment's folder of programs
    own_words = ("-n", "2")

    def assert_world(self, done, world=4):
        seen = self.assert_trained(done, world)
        self.assertTrue(all(one["library"].startswith(self.library) for one in seen), seen)
        return seen[0]["parameters"]

    def own(self):
        """The checksum of its own launcher's two ranks here."""
        program = os.path.join(os.path.dirname(self.python), self.launcher)
        done = self.here(*self.own_words, self.python, self.program("mpi4py"), command=(program,))
        return self.assert_world(done, world=2)


class Ways:
    """For each library."""

    def test_two_hosts(self):
        self.assert_world(self.hosts("run", "-H", "node1:2,node2:2", *self.passed(), "python",
                                     self.program("mpi4py")))

    def test_ranks_of_mpirun_compute_the_same_as_its_own_launchers(self):
        done = self.here("mpirun", "-np", "2", "python", self.program("mpi4py"))
        self.assertEqual(self.assert_world(done, world=2), self.own())

    def test_ranks_of_hydra(self):
        self.assert_world(self.here("mpiexec.hydra", "-n", "2", "python", self.program("mpi4py")),
                          world=2)

    def test_a_job_of_mpi(self):
        job = self.job("python mpi4py_train.py", "{type: mpi, process_count_per_instance: 2}")
        self.assert_world(self.here("submit", job, "--fake-nodes", "2"))


@unittest.skipIf(REASON, REASON)
class Mpich(Ways, MpiFrameworkCase):
    group = "mpis"
    library = "MPICH Version:      5."


@unittest.skipIf(REASON, REASON)
class OpenMpi(Ways, MpiFrameworkCase):
    group = "mpis"
    library = "Open MPI v5."
    launcher = "prterun"
    own_words = ("--allow-run-as-root", "--oversubscribe", "-np", "2")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.variables = open_mpi_variables(cls.python)


@unittest.skipIf(REASON, REASON)
class Intel(Ways, MpiFrameworkCase):
    group = "impi"
    library = "Intel(R) MPI Library 20"


run_tests()

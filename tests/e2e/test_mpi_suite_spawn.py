"""MPI_Comm_spawn: worlds that grow while they run, with both libraries."""

# rooms: machine pmi pmix head

import os
import unittest

from mpi_programs import MPICH, OPEN_MPI, MpiCase
from support import PYTHON, LabCase, lab_or_skip, run_tests

REASON = lab_or_skip()
MPI4PY = os.path.isdir("/usr/lib/python3/dist-packages/mpi4py")

PARENT = """
import sys
from mpi4py import MPI
children = MPI.COMM_SELF.Spawn(sys.executable, args=["-c", sys.argv[1]], maxprocs=2)
print("sum", children.reduce(None, op=MPI.SUM, root=MPI.ROOT))
children.Disconnect()
"""
CHILD = """
from mpi4py import MPI
parent = MPI.Comm.Get_parent()
assert MPI.COMM_WORLD.size == 2
parent.reduce(MPI.COMM_WORLD.rank + 20, op=MPI.SUM, root=0)
parent.Disconnect()
"""


class Spawn:
    def spawns(self, what, ranks=2, options=()):
        self.well("spawn", ranks, *options, words=(what,))

    def test_two_children(self):
        self.spawns("one")

    def test_only_the_root_knows_what(self):
        self.spawns("root", 3)

    def test_one_parent(self):
        self.spawns("one", 1)

    def test_again_and_again(self):
        self.spawns("again")

    def test_two_programs(self):
        self.spawns("many")

    def test_an_absent_program_is_an_error_that_can_be_caught(self):
        self.spawns("absent", 1)


class WithOpenMpi(Spawn, MpiCase):
    library = OPEN_MPI

    def test_each_parent_its_own_children(self):
        self.spawns("self")

    def test_on_simulated_hosts(self):
        self.spawns("one", 4, ("--fake-nodes", "2"))

    @unittest.skipUnless(MPI4PY, "python3-mpi4py is missing")
    def test_mpi4py(self):
        done = self.succeeds("--oversubscribe", "-n", "1", PYTHON, "-c", PARENT, CHILD)
        self.assertEqual(done.text, "sum 41\n")


class WithMpich(MpiCase):
    """MPICH's UCX device has no ports, without which it cannot spawn, under its own mpiexec
    neither: all that can be asked is that the job ends, and says so."""

    library = MPICH

    def test_the_library_says_that_it_cannot(self):
        done = self.muster("--oversubscribe", "-n", "2", self.library.program("spawn"), "one")
        if done.code == 0:
            self.assertIn("spawn ok with 2", done.text)  # one with another netmod
        else:
            self.assertRegex(done.errors, "Error in spawn call|not supported with ucx netmod")


@unittest.skipIf(REASON, REASON)
@unittest.skipIf(OPEN_MPI.missing(), OPEN_MPI.missing())
class OnHosts(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2, docker=True)

    def test_children_on_hosts(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                done = self.launches("-H", "node1:4,node2:4", "--map-by", "node", "-n", str(ranks),
                                     OPEN_MPI.program("spawn"), "one")
                self.assertIn(f"spawn ok with {ranks}", done.text.splitlines(), done)


if __name__ == "__main__":
    run_tests()

"""Faults in MPI wire-up: the right rank is named, the others end, nothing is left."""

# rooms: machine pmi pmix head

import os
import signal
import unittest

from mpi_programs import MPICH, OPEN_MPI, MpiCase
from own_place import own_shared_memory
from support import LOST, TIMEOUT, LabCase, lab_or_skip, run_tests, until

REASON = lab_or_skip()
NEVER = r"muster: rank 1 never called MPI_Init, while other ranks waited for it"


WAITED = "other ranks have waited in MPI_Init for 10 s for rank 1"
SHARED = "other jobs of this machine use the same /dev/shm"


def segments():
    """What MPI libraries and their servers keep in shared memory: looked up where it is ours."""
    return [] if SHARED else os.listdir("/dev/shm")


class Failures:
    """For both libraries."""

    def setUp(self):
        super().setUp()
        self.scratch = self.path("scratch")
        os.mkdir(self.scratch)

    def start_ranks(self, where, *options, **more):
        """Three, of which rank 1 does it."""
        return self.start("--oversubscribe", "-n", "3", *options,
                          self.library.program("failures"), where, "1",
                          env=self.environment(TMPDIR=self.scratch), **more)

    def assert_nothing_kept(self, done):
        self.assertEqual(os.listdir(self.scratch), [], done)
        until("shared memory given back", lambda: not segments())

    def run_ranks(self, where, *options):
        done = self.start_ranks(where, *options).finish()
        self.assert_nothing_kept(done)
        return done

    def assert_names(self, done, code, pattern):
        """In the first of muster's own lines."""
        self.assertEqual(done.code, code, done)
        own = [line for line in done.complaints.splitlines() if line.startswith("muster: ")]
        self.assertRegex(own[0], pattern, done)

    def test_dies_in_init(self):
        self.assert_names(self.run_ranks("in-init"), 142, r"rank 1 on \S+ was killed by .*SIGALRM")

    def test_dies_in_a_fence(self):
        self.assert_names(self.run_ranks("in-fence"), 142, r"rank 1 on \S+ was killed by .*SIGALRM")

    def test_dies_after_finalize(self):
        self.assert_names(self.run_ranks("after-finalize"), 9, r"rank 1 on \S+ exited with code 9")

    def test_never_comes(self):
        done = self.run_ranks("never", "--init-timeout", "2")
        self.assert_names(done, TIMEOUT, "not all ranks called MPI_Init within --init-timeout 2")
        self.assertRegex(done.errors, NEVER)

    def test_never_comes_and_somebody_wants_to_know(self):
        """One job is told of after 10 s, and interrupted; the other's time is over."""
        with open(self.path("told"), "wb") as told:
            patient = self.start_ranks("never", stderr=told)
        limited = self.start_ranks("never", "--timeout", "9")
        until("who is missing is told", lambda: WAITED.encode() in self.read("told"))
        patient.send(signal.SIGINT)
        ended = patient.finish()
        ended.err = self.read("told")
        done = limited.finish()
        self.assert_nothing_kept(done)
        self.assert_names(ended, 130, WAITED)
        self.assertRegex(ended.errors, NEVER)
        self.assert_names(done, TIMEOUT, "longer than its time limit of 9 s")
        self.assertRegex(done.errors, NEVER)

    def test_leaves_without_init_on_another_node(self):
        done = self.run_ranks("no-init", "--fake-nodes", "3")
        self.assert_names(done, 1, r"rank 1 on \S+ aborted .*ended without calling MPI_Init")

    def test_aborts(self):
        done = self.run_ranks("abort")
        self.assert_names(done, 7, r"rank 1 on \S+ aborted the job with code 7")
        self.assertRegex(done.errors, self.said_by_abort, done)

    def test_nobody_is_missed_in_a_world_that_formed(self):
        done = self.run_ranks("in-fence", "--init-timeout", "20")
        self.assertNotIn("never called", done.errors, done)


class Mpich(Failures, MpiCase):
    library = MPICH
    said_by_abort = r"application called MPI_Abort\(MPI_COMM_WORLD, 7\)"


class OpenMpi(Failures, MpiCase):
    library = OPEN_MPI
    said_by_abort = "with errorcode 7"


@unittest.skipIf(REASON, REASON)
class LostHost(LabCase):
    """A host goes while its ranks and those of another one are in MPI_Finalize."""

    @classmethod
    def setUpClass(cls):
        cls.lab_of(3)

    def lose(self, library, name, other):
        if library.missing():
            self.skipTest(library.missing())
        job = self.start_in_lab("-H", f"{name}:1,{other}:2", "--lease", "3", "--grace", "1",
                                library.program("failures"), "lost", "0")
        self.wait_for_files([f"ready.{rank}" for rank in range(3)])
        self.lab.kill_host(other)
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertRegex(done.complaints.splitlines()[0], other, done)
        self.assertNotIn("never called", done.errors, done)
        self.assert_hosts_clean()
        for host in ("head", name):
            shared = self.lab.path(host, "/dev/shm")
            until(f"shared memory given back on {host}", lambda: not os.listdir(shared))

    def test_of_open_mpi(self):
        self.lose(OPEN_MPI, "node1", "node2")

    def test_of_mpich(self):
        self.lose(MPICH, "node1", "node3")


if __name__ == "__main__":
    SHARED = own_shared_memory()
    run_tests()

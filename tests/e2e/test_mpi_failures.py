"""Faults in MPI wire-up: the right rank is named, the others end, nothing is left."""

import os
import unittest

from mpi_programs import MPICH, OPEN_MPI, MpiCase
from support import LOST, TIMEOUT, LabCase, lab_or_skip, run_tests, wait_until

REASON = lab_or_skip()
NEVER = r"muster: rank 1 never called MPI_Init, while other ranks waited for it"


def segments():
    """What MPI libraries and their servers keep in shared memory."""
    names = ("muster-", "mpich", "vader", "open_mpi", "pmix", "psm", "sm_segment")
    return {name for name in os.listdir("/dev/shm") if name.startswith(names)}


class Failures:
    """For both libraries."""

    def setUp(self):
        super().setUp()
        self.before = segments()
        self.scratch = self.path("scratch")
        os.mkdir(self.scratch)

    def run_ranks(self, where, *options, ranks=3, guilty=1):
        program = self.library.program("failures")
        done = self.muster("--oversubscribe", "-n", str(ranks), *options, program, where,
                           str(guilty), env=self.environment(TMPDIR=self.scratch))
        self.assertEqual(os.listdir(self.scratch), [], done)
        wait_until(lambda: not segments() - self.before, 5, "shared memory given back")
        return done

    def assert_names(self, done, code, pattern):
        """In the first of muster's own lines."""
        self.assertEqual(done.code, code, done)
        own = [line for line in done.errors.splitlines() if line.startswith("muster: ")]
        self.assertRegex(own[0], pattern, done)

    def test_dies_in_init(self):
        self.assert_names(self.run_ranks("in-init"), 142, r"rank 1 on \S+ was killed by .*SIGALRM")

    def test_dies_in_a_fence(self):
        self.assert_names(self.run_ranks("in-fence"), 142, r"rank 1 on \S+ was killed by .*SIGALRM")

    def test_dies_after_finalize(self):
        self.assert_names(self.run_ranks("after-finalize"), 9, r"rank 1 on \S+ exited with code 9")

    def test_never_comes(self):
        done = self.run_ranks("never", "--init-timeout", "0.3")
        self.assert_names(done, TIMEOUT, "not all ranks called MPI_Init within --init-timeout 0.3")
        self.assertRegex(done.errors, NEVER)

    def test_never_comes_and_the_time_is_over(self):
        done = self.run_ranks("never", "--timeout", "12")
        self.assert_names(done, TIMEOUT, "other ranks have waited in MPI_Init for 10 s for rank 1")
        self.assertIn("longer than its time limit of 12 s", done.errors)
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
        before = segments()
        job = self.start_in_lab("-H", f"{name}:1,{other}:2", "--lease", "1", "--grace", "1",
                                library.program("failures"), "lost", "0")
        self.wait_for_files([f"ready.{rank}" for rank in range(3)])
        self.lab.kill_host(other)
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertRegex(done.errors.splitlines()[0], other, done)
        self.assertNotIn("never called", done.errors, done)
        self.assert_hosts_clean(8)
        wait_until(lambda: not segments() - before, 8, "shared memory given back")

    def test_of_open_mpi(self):
        self.lose(OPEN_MPI, "node1", "node2")

    def test_of_mpich(self):
        self.lose(MPICH, "node1", "node3")


if __name__ == "__main__":
    run_tests()

"""Every kind of MPI program, with both libraries, on this machine and on its simulated hosts."""

# rooms: pmi pmix machine head
# busy
# long

import os
import shutil
import subprocess
import unittest

from mpi_programs import FLAGS, MPICH, OPEN_MPI, SOURCES, MpiCase
from support import Case, run_tests

# Ranks and options: odd and even numbers, even and uneven hosts, both ways to place them.
LAYOUTS = [(3, ()), (4, ("--fake-nodes", "2", "--map-by", "node")), (7, ("--fake-nodes", "4"))]
PORTS_NEED = "this MPICH (ch4:ucx) has no MPI_Open_port, under its own mpiexec neither"


class Programs:
    """One test a program; each in all layouts."""

    def in_all_layouts(self, name, words=(), layouts=None):
        for ranks, options in layouts or LAYOUTS:
            with self.subTest(ranks=ranks, options=options):
                self.well(name, ranks, *options, words=words)

    def test_hello(self):
        self.in_all_layouts("hello", layouts=[(1, ()), (2, ()), *LAYOUTS])

    def test_point_to_point(self):
        self.in_all_layouts("point_to_point")

    def test_collectives(self):
        self.in_all_layouts("collectives")

    def test_communicators(self):
        self.in_all_layouts("communicators", layouts=[(1, ()), *LAYOUTS])

    def test_one_sided(self):
        self.in_all_layouts("one_sided")

    def test_files(self):
        self.in_all_layouts("files", words=(self.folder,), layouts=LAYOUTS[:2])

    def test_threads(self):
        self.in_all_layouts("threads", layouts=LAYOUTS[:2])

    def test_attributes(self):
        self.in_all_layouts("attributes")

    def test_universe_is_the_number_of_slots(self):
        self.well("attributes", 3, "-H", "localhost:8", words=("8",))

    def test_names_are_published_to_all(self):
        for ranks, options in LAYOUTS[:2]:
            with self.subTest(ranks=ranks, options=options):
                self.well("published", ranks, *options)

    def test_many_ranks(self):
        self.well("hello", 64, seconds=120)

    def test_many_ranks_on_simulated_hosts(self):
        self.well("hello", 24, "--fake-nodes", "4", seconds=120)

    def test_the_name_is_this_hosts(self):
        done = self.well("hello", 2, words=("name",))
        own = os.uname().nodename
        self.assertEqual(sorted(line for line in done.text.splitlines() if " on " in line),
                         [f"0 on {own}", f"1 on {own}"])

    def test_abort_codes(self):
        # An exit code has eight bits; one that they all lose must not pass for success.
        for code, seen in ((1, 1), (42, 42), (255, 255), (300, 300 - 256), (256, 1), (0, 1)):
            for options in ((), ("--fake-nodes", "2")):
                with self.subTest(code=code, options=options):
                    done = self.muster("--oversubscribe", "-n", "3", *options,
                                       self.library.program("abort"), str(code), "1")
                    self.assertEqual(done.code, seen, done)
                    self.assertRegex(done.errors, r"muster: rank 1 on \S+ aborted the job")


class WithOpenMpi(Programs, MpiCase):
    library = OPEN_MPI

    def test_ports_connect_two_halves(self):
        for ranks, options in ((2, ()), (5, ()), (4, ("--fake-nodes", "2")),
                               (5, ("--fake-nodes", "2", "--map-by", "node"))):
            with self.subTest(ranks=ranks, options=options):
                self.well("names", ranks, *options)

    def test_join_over_a_socket(self):
        self.well("join", 2)


class WithMpich(Programs, MpiCase):
    library = MPICH

    def test_ports_are_refused_by_the_library_alone(self):
        """Nothing but MPICH itself stands between two halves of a world."""
        done = self.muster("--oversubscribe", "-n", "2", self.library.program("names"))
        if done.code == 0:
            return  # one with another netmod
        self.assertIn("not supported with ucx netmod", done.errors, PORTS_NEED)


@unittest.skipUnless(shutil.which("mpicc.openmpi") and shutil.which("mpicc.mpich"),
                     "needs both libraries")
class Both(Case):
    def test_one_after_the_other_in_one_job(self):
        """A script that runs programs of both: each finds its own wire-up."""
        first, second = OPEN_MPI.program("hello"), MPICH.program("hello")
        done = self.succeeds("-n", "2", "sh", "-c", '"$0" && "$1"', first, second)
        self.assertEqual(done.text.splitlines().count("hello ok with 2"), 2, done)


class PmixQueries(Case):
    """A client of PMIx itself asks what the MPI libraries of Debian 12 do not ask yet."""

    def test_process_sets(self):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "pmix"], check=True,
                               capture_output=True, text=True).stdout.split()
        program = self.path("queries")
        subprocess.run(["cc", *FLAGS, os.path.join(SOURCES, "queries.c"), "-o", program, *flags],
                       check=True)
        for words in (("-n", "2"), ("-n", "4", "--fake-nodes", "2")):
            done = self.succeeds("--oversubscribe", *words, program)
            self.assertEqual(done.text, "queries ok\n")


@unittest.skipUnless(os.path.exists("/usr/include/slurm/pmi2.h"), "libpmi2-0-dev is missing")
class Pmi2(Case):
    """Slurm's client library is the one that still speaks PMI-2."""

    def setUp(self):
        super().setUp()
        self.program = self.path("pmi2")
        subprocess.run(["cc", *FLAGS, os.path.join(SOURCES, "pmi2.c"), "-o", self.program,
                        "-lpmi2"], check=True)

    def test_identity_store_attributes_names(self):
        for words in (("-n", "1"), ("-n", "5"), ("-n", "4", "--fake-nodes", "2"),
                      ("-n", "7", "--fake-nodes", "3")):
            with self.subTest(words=words):
                done = self.succeeds("--oversubscribe", *words, self.program)
                self.assertEqual(done.text, f"pmi2 ok with {words[1]}\n")

    def test_abort_is_named(self):
        done = self.muster("--oversubscribe", "-n", "3", self.program, "abort")
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.errors, r"muster: rank 2 on \S+ aborted the job .*: as asked")


if __name__ == "__main__":
    run_tests()

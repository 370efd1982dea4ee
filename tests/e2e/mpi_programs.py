"""Compiles tests/mpi/*.c once for each MPI library, and runs them under muster."""

import os
import shutil
import signal
import subprocess
import tempfile

from support import ROOT, WAIT_SECONDS, Case

SOURCES = os.path.join(ROOT, "tests", "mpi")
# The headers give constants that stand for "none" sizes which the compiler believes.
FLAGS = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overflow",
         "-Wno-stringop-overread"]
# Debian's Open MPI leaves this component out, and the one it prefers cannot work over TCP between
# hosts (MPI_ERR_WIN) and crashes in MPI_Compare_and_swap on one, under its own mpirun too.
ONE_SIDED = {"OMPI_MCA_osc": "pt2pt,sm"}
FINALIZE_SECONDS = 2.0  # with a program that has said all: see `ends_or_hangs`

class Library:
    """One MPI library; its programs lie in a folder that goes with this process."""

    def __init__(self, name, package):
        self.name, self.package = name, package
        self.compiler = f"mpicc.{name}"
        self._folder = None

    def missing(self):
        there = shutil.which(self.compiler)
        return "" if there else f"{self.compiler} is missing: {self.package} has it"

    def program(self, name, *flags):
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix=f"muster-{self.name}-")
        path = os.path.join(self._folder.name, name)
        if not os.path.exists(path):
            source = os.path.join(SOURCES, f"{name}.c")
            subprocess.run([self.compiler, *FLAGS, source, "-o", path, "-lpthread", *flags],
                           check=True)
        return path

OPEN_MPI = Library("openmpi", "libopenmpi-dev")
MPICH = Library("mpich", "libmpich-dev")

def ends_or_hangs(case, job, said):
    """The end of a job of MPICH's, whose ranks say `said` when all is well.

    Between hosts they may hang in MPI_Finalize under any launcher, see test_mpi_hosts.MpichOnHosts.
    Then SIGTERM ends them; it may also come to a job that is just ending well.
    """
    case.assertEqual(job.line().decode(), said + "\n")
    try:
        case.assertEqual(job.finish(FINALIZE_SECONDS).code, 0)
    except subprocess.TimeoutExpired:
        job.send(signal.SIGTERM)
        case.assertIn(job.finish().code, (0, 128 + signal.SIGTERM))

class MpiCase(Case):
    """A Case for the programs of `library`."""

    library = None

    def setUp(self):
        if self.library.missing():
            self.skipTest(self.library.missing())
        super().setUp()

    def well(self, name, ranks, *options, words=(), seconds=WAIT_SECONDS, env=None):
        """The program ends well, and rank 0 says so, with that many ranks."""
        done = self.muster("--oversubscribe", "-n", str(ranks), *options,
                           self.library.program(name), *words, seconds=seconds,
                           env=self.environment(**ONE_SIDED, **(env or {})))
        self.assertEqual(done.code, 0, done)
        self.assertIn(f"{name} ok with {ranks}", done.text.splitlines(), done)
        return done

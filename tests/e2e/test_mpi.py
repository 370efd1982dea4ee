"""MPI programs, unmodified, find their world: MPICH through PMI, Open MPI through PMIx."""

# rooms: pmi pmix machine head

import functools
import os
import shutil
import subprocess
import tempfile
import unittest

from own_place import own_shared_memory
from support import PYTHON, Case, LabCase, lab_or_skip, run_tests

REASON = lab_or_skip()
SHARED = "other jobs of this machine use the same /dev/shm"
MPI4PY = os.path.isdir("/usr/lib/python3/dist-packages/mpi4py")

SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char** words) {
  if (count > 1 && !strcmp(words[1], "no-init") && !strcmp(getenv("RANK"), "1")) return 0;
  MPI_Init(&count, &words);
  int rank, size, one, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  one = rank + 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int last = rank == size - 1;
  if (count > 1 && !strcmp(words[1], "abort") && last) MPI_Abort(MPI_COMM_WORLD, 7);
  if (count > 1 && !strcmp(words[1], "leave") && last) exit(0);
  printf("%d of %d: %d\n", rank, size, sum);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
"""

# What those of srun, mpirun, MPI_Comm_spawn, Hydra, `flux run`, jsrun and aprun have.
OF_A_TASK = (
    {"SLURM_JOBID": "7", "SLURM_STEPID": "0", "SLURM_STEP_ID": "0", "SLURM_NODELIST": "n"},
    {"PMIX_NAMESPACE": "7", "PMIX_RANK": "0", "PMIX_SERVER_URI2": "7.0;tcp4://127.0.0.1:9",
     "PMIX_SERVER_TMPDIR": "/nowhere", "OMPI_MCA_ess": "pmi", "OMPI_MCA_orte_launch": "1"},
    {"OMPI_PARENT_PORT": "7.0:300"},
    {"PMI_FD": "7", "PMI_RANK": "0", "PMI_SIZE": "2"},
    {"FLUX_JOB_ID": "f7", "FLUX_TASK_RANK": "0", "FLUX_PMI_LIBRARY_PATH": "/nowhere"},
    {"JSM_JSRUN_PORT": "7", "JSM_NAMESPACE_RANK": "0"},
    {"ALPS_APP_ID": "7", "ALPS_APP_PE": "0"},
)

FOLDER = tempfile.TemporaryDirectory(prefix="muster-mpi-")  # goes with this process


@functools.cache
def compiled(compiler):
    """The path of the program, made with this compiler."""
    source, program = (os.path.join(FOLDER.name, name) for name in ("ranks.c", compiler))
    with open(source, "w", encoding="ascii") as file:
        file.write(SOURCE)
    subprocess.run([compiler, source, "-o", program], check=True)
    return program


class Mpi:
    """What holds for both libraries; `other` is a wire-up that a library does not speak."""

    def setUp(self):
        super().setUp()
        if not shutil.which(self.compiler):
            self.skipTest(f"{self.compiler} is missing: {self.package} has it")
        self.program = compiled(self.compiler)

    def test_the_world_forms(self):
        for ranks in (1, 2, 7):
            done = self.succeeds("--oversubscribe", "-n", str(ranks), self.program)
            total = ranks * (ranks + 1) // 2
            self.assertEqual(sorted(done.text.splitlines()),
                             sorted(f"{rank} of {ranks}: {total}" for rank in range(ranks)))

    def test_wrappers_need_no_flag(self):
        for wrapper in (["env", "A=1"], ["sh", "-c", '"$0" "$@"'], ["nice"]):
            done = self.succeeds("-n", "2", *wrapper, self.program)
            self.assertEqual(sorted(done.text.splitlines()), ["0 of 2: 3", "1 of 2: 3"])

    def test_abort_gives_its_code(self):
        done = self.muster("--oversubscribe", "-n", "3", self.program, "abort")
        self.assertEqual(done.code, 7, done)
        self.assertRegex(done.errors, r"muster: rank 2 on \S+ aborted the job with code 7")

    def test_a_rank_that_leaves_without_finalize_is_named(self):
        done = self.muster("--oversubscribe", "-n", "3", self.program, "leave")
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.errors, r"muster: rank 2 .*without MPI_Finalize")

    def test_a_rank_that_never_comes_is_named(self):
        done = self.muster("--oversubscribe", "-n", "3", self.program, "no-init")
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.errors, r"muster: rank 1 .*without calling MPI_Init")

    def test_without_its_wire_up_each_rank_is_alone(self):
        for wireup in ("none", self.other):
            done = self.succeeds("--wireup", wireup, "-n", "2", self.program)
            self.assertEqual(done.text.splitlines(), ["0 of 1: 1", "0 of 1: 1"])

    def test_a_task_of_another_launcher_around_does_not_matter(self):
        """Alone, a program takes each of these for a job that it is to join, and aborts."""
        for left in OF_A_TASK:
            env = self.environment(**left)
            with self.subTest(left):
                here = ("-H", "localhost:2", "-n", "2")  # whatever job there is around
                done = self.succeeds("--wireup", "none", *here, self.program, env=env)
                self.assertEqual(done.lines, ["0 of 1: 1"] * 2)
                done = self.succeeds(*here, self.program, env=env)
                self.assertEqual(sorted(done.lines), ["0 of 2: 3", "1 of 2: 3"])

    def test_nothing_is_left(self):
        if SHARED:
            self.skipTest(SHARED)
        self.succeeds("-n", "2", self.program)
        self.muster("-n", "2", self.program, "abort")
        self.assertEqual(os.listdir("/dev/shm"), [])


class Mpich(Mpi, Case):
    compiler, package, other = "mpicc.mpich", "libmpich-dev", "pmix"


class OpenMpi(Mpi, Case):
    compiler, package, other = "mpicc.openmpi", "libopenmpi-dev", "pmi1"

    def test_two_nodes_of_one_machine(self):
        done = self.succeeds("--fake-nodes", "2", "-n", "4", self.program)
        self.assertEqual(sorted(done.text.splitlines()),
                         [f"{rank} of 4: 10" for rank in range(4)])

    @unittest.skipUnless(MPI4PY, "python3-mpi4py is missing")
    def test_mpi4py(self):
        say = "from mpi4py import MPI; c = MPI.COMM_WORLD; print(c.rank, c.allreduce(1))"
        done = self.succeeds("--oversubscribe", "-n", "3", PYTHON, "-c", say)
        self.assertEqual(sorted(done.text.splitlines()), ["0 3", "1 3", "2 3"])


@unittest.skipIf(REASON, REASON)
@unittest.skipUnless(shutil.which("mpicc.openmpi"), "mpicc.openmpi is missing")
class OpenMpiOnHosts(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2, docker=True)

    def setUp(self):
        super().setUp()
        self.program = compiled("mpicc.openmpi")

    def test_the_world_forms_over_two_hosts(self):
        for layout in ("slot", "node"):
            done = self.launches("-H", "node1:2,node2:2", "-n", "4", "--map-by", layout,
                                 self.program)
            self.assertEqual(sorted(done.text.splitlines()),
                             [f"{rank} of 4: 10" for rank in range(4)])

    def test_abort_on_the_other_host(self):
        done = self.launch("-H", "node1:2,node2:2", "-n", "4", self.program, "abort")
        self.assertEqual(done.code, 7, done)
        self.assertRegex(done.errors, r"muster: rank 3 on node2 aborted the job with code 7")


if __name__ == "__main__":
    SHARED = own_shared_memory()
    run_tests()

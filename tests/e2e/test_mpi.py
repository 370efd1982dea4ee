"""MPI programs built with MPICH, unmodified: they find their world through the PMI server."""

import os
import shutil
import subprocess
import unittest

from support import Case

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


@unittest.skipUnless(shutil.which("mpicc.mpich"), "mpicc.mpich is missing: install libmpich-dev")
class Mpich(Case):
    def setUp(self):
        super().setUp()
        source, self.program = self.path("ranks.c"), self.path("ranks")
        with open(source, "w", encoding="ascii") as file:
            file.write(SOURCE)
        subprocess.run(["mpicc.mpich", source, "-o", self.program], check=True)

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
        self.assertRegex(done.errors, r"muster: rank 1 .*without MPI_Init")

    def test_without_wire_up_each_rank_is_alone(self):
        done = self.succeeds("--wireup", "none", "-n", "2", self.program)
        self.assertEqual(done.text.splitlines(), ["0 of 1: 1", "0 of 1: 1"])


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    unittest.main()

"""What real frameworks take their world for inside the jobs of a real Slurm, beside srun itself.

Lightning and JAX have rules of their own for Slurm, which must not mistake a rank of muster's for a
task of a step: see detection_case.py for the table.
"""

# rooms: front plan job batch
# needs: matrix frameworks-torch113 frameworks-jax
# busy

import os
import unittest

from detection_case import OF_TORCH, answers_in, asks, check_table
from framework_case import CALM, SECONDS, framework_or_skip, python_of
from support import MUSTER, run_tests
from test_slurm import REASON as NO_SLURM, SlurmCase

REASONS = {name: NO_SLURM or framework_or_skip(name) for name in ("torch113", "jax")}

LAYOUTS = {"2 on a node": ["-N", "1", "--ntasks-per-node=2"],
           "1 on a node": ["-N", "2", "--ntasks-per-node=1"]}
FRONTS = {"run": ["run"], "mpirun": ["mpirun"],
          "torchrun": ["torchrun", "--nproc_per_node", "{each}", "--no_python"],
          "horovodrun": ["horovodrun", "-np", "2"]}
JOBS = ("mpi", "pytorch")


class InSlurm(SlurmCase):
    group = None
    rules = ()

    def environment(self, **more):
        path = f"{os.path.dirname(python_of(self.group))}:{os.environ['PATH']}"
        return super().environment(PATH=path, DS_ACCELERATOR="cpu", **CALM, **more)

    def answers(self, options, *words):
        done = self.allocated(options, *words, seconds=SECONDS)
        self.assertEqual(done.code, 0, done)
        return answers_in(done.lines)

    def job(self, distribution, nodes):
        return self.write("job.yml", f"command: {' '.join(asks(self.rules))}\n"
                          f"distribution: {{type: {distribution}, "
                          f"process_count_per_instance: {2 // nodes}}}\n"
                          f"resources: {{instance_count: {nodes}}}\n")

    def rows(self):
        for layout, options in LAYOUTS.items():
            each, nodes = (2, 1) if layout.startswith("2") else (1, 2)
            ways = {name: [MUSTER, *(word.format(each=each) for word in words), *asks(self.rules)]
                    for name, words in FRONTS.items()}
            for name, words in ways.items():
                for rule, answer in self.answers(options, *words).items():
                    yield rule, f"salloc, {name}, {layout}", answer, "-"
            for name in JOBS:
                words = [MUSTER, "submit", self.job(name, nodes)]
                for rule, answer in self.answers(options, *words).items():
                    yield rule, f"salloc, job, {name}, {layout}", answer, "-"
            # Debian's Open MPI cannot be started by srun alone; these look for a world of MPI.
            rules = [rule for rule in self.rules
                     if rule not in ("mpi4py", "deepspeed", "lightning")]
            for rule, answer in self.answers(options, "srun", *asks(rules)).items():
                yield rule, f"srun alone, {layout}", "-", answer


@unittest.skipIf(REASONS["torch113"], REASONS["torch113"])
class Torch(InSlurm):
    group = "torch113"
    rules = OF_TORCH

    def test_what_torch_and_its_relatives_take_their_world_for(self):
        check_table(self, "slurm-torch113", self.rows())


@unittest.skipIf(REASONS["jax"], REASONS["jax"])
class Jax(InSlurm):
    group = "jax"
    rules = ("jax",)

    def test_what_jax_takes_its_world_for(self):
        check_table(self, "slurm-jax", self.rows())


if __name__ == "__main__":
    run_tests()

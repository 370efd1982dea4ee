"""MindSpore's start with mpirun, as its tutorial has it: folder, scripts, log folder.

net.py stands in for the network: it asks MPI who it is, as mindspore.communication does, takes its
part of the data, and averages gradients over all ranks.
"""

# rooms: front pmix head

import os
import unittest

from front_case import FrontCase, LabFrontCase
from support import PYTHON, LabCase, lab_or_skip, run_tests

REASON = lab_or_skip()
MPI4PY = os.path.isdir("/usr/lib/python3/dist-packages/mpi4py")

NET = """
import os, sys
from mpi4py import MPI
import numpy as np

world = MPI.COMM_WORLD
rank_id, rank_size = world.rank, world.size
assert os.environ['DATA_PATH'] == './MNIST_Data/train/'
assert rank_id == int(os.environ['OMPI_COMM_WORLD_RANK'])
data = np.random.default_rng(0).normal(size=(64, 4))[rank_id::rank_size]
weights = np.zeros(4)
for epoch in range(2):
    for step in range(0, 30, 10):
        gradient = data.T @ (data @ weights - data.sum(axis=1)) / len(data)
        weights -= 0.1 * world.allreduce(gradient) / rank_size
        loss = float(np.mean((data @ weights - data.sum(axis=1)) ** 2))
        print('epoch: %s, step: %s, loss is %s' % (epoch, step, loss))
print('weights', ' '.join('%.9f' % weight for weight in weights))
print('rank', rank_id, 'of', rank_size, file=sys.stderr)
"""

RUN_1 = r"""
export DATA_PATH=./MNIST_Data/train/
mpirun -n 4 -H {first}:2,{second}:2 --output-filename log_output --merge-stderr-to-stdout \
  python net.py
"""
RUN_2 = r"""
export DATA_PATH=./MNIST_Data/train/
HOSTFILE=$1
mpirun -n 4 --hostfile $HOSTFILE --output-filename log_output --merge-stderr-to-stdout \
  python net.py
"""


class Layout:
    """sample_code/startup_method, as the tutorial draws it."""

    def lay_out(self, first="localhost", second="localhost"):
        os.makedirs(self.path("sample_code", "startup_method"))
        where = os.path.join("sample_code", "startup_method")
        self.write(os.path.join(where, "net.py"), NET)
        self.write(os.path.join(where, "hostfile"), f"{first} slots=2\n{second} slots=2\n")
        self.write(os.path.join(where, "run_mpirun_1.sh"),
                   RUN_1.format(first=first, second=second))
        self.write(os.path.join(where, "run_mpirun_2.sh"), RUN_2)
        os.makedirs(self.path("bin"), exist_ok=True)
        os.symlink(PYTHON, self.path("bin", "python"))
        return self.path(where)

    def assert_logs(self, folder, ranks):
        logs = os.path.join(folder, "log_output", "1")
        self.assertEqual(sorted(os.listdir(logs)), [f"rank.{rank}" for rank in range(ranks)])
        weights = set()
        for rank in range(ranks):
            with open(os.path.join(logs, f"rank.{rank}", "stdout"), encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertRegex(lines[0], r"^epoch: 0, step: 0, loss is \d")
            weights |= {line for line in lines if line.startswith("weights")}
        self.assertEqual(len(weights), 1, "ranks have trained the same network")


@unittest.skipUnless(MPI4PY, "no mpi4py here")
class OneMachine(FrontCase, Layout):
    name = "mpirun"

    def test_single_machine_multi_card(self):
        folder = self.lay_out()
        env = self.environment(DATA_PATH="./MNIST_Data/train/",
                               PATH=f"{self.path('bin')}:{self.environment()['PATH']}")
        done = self.succeeds("-n", "8", "--output-filename", "log_output",
                             "--merge-stderr-to-stdout", "python", "net.py", env=env, cwd=folder)
        self.assert_logs(folder, 8)
        self.assertIn("epoch: 1, step: 20, loss is", done.text)


@unittest.skipIf(REASON, REASON)
@unittest.skipUnless(MPI4PY, "no mpi4py here")
class TwoHosts(LabFrontCase, Layout):
    name = "mpirun"

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def test_both_scripts(self):
        folder = self.lay_out(self.lab.address("node1"), self.lab.address("node2"))
        config = self.lab.write_ssh_config("by_address")
        self.write(os.path.join("bin", "ssh"),
                   f'#!/bin/sh\nexec /usr/bin/{config} "$@"\n', 0o755)
        for words in (["run_mpirun_1.sh"], ["run_mpirun_2.sh", "./hostfile"]):
            script = f'cd "{folder}" && rm -rf log_output && exec bash {" ".join(words)}'
            done = LabCase.start_in_lab(self, command=["sh", "-c", script]).finish()
            self.assertEqual(done.code, 0, done)
            self.assert_hosts_clean()
            self.assertEqual(done.text.count("epoch: 1, step: 20"), 4, done)
            self.assert_logs(folder, 4)


if __name__ == "__main__":
    run_tests()

"""Jobs with a launcher and three workers in real pods: Open MPI, MPICH, and PyTorch's DDP.

Pods are as restricted as everywhere: the ranks belong to a user without a name and without rights.
"""

# rooms: cluster kubernetes link pmix
# needs: kubernetes-nodes
# busy

import collections
import json
import re
import signal
import subprocess
import unittest

from kubernetes_case import POD_SECONDS, KubernetesCase, why_not
from support import run_tests

import image

# Each rank's part of the gradient is its number, so the mean tells whether all had theirs.
TRAIN = """
import os, torch, torch.distributed as dist
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
model(torch.full((1, 1), float(rank))).sum().backward()
assert model.module.weight.grad.item() == (size - 1) / 2, model.module.weight.grad
print(f"{rank} on {os.uname().nodename}")
dist.barrier()
if rank == 0:
    print(f"trained with {size}")
dist.destroy_process_group()
"""

REASON = why_not(nodes=2)
WORKERS = 3
RANKS = 2 * WORKERS
PATIENCE = 15.0  # with pods of a program that has said all
LAUNCHER = {"resources": {"limits": {"cpu": 0.2, "memory": "128Mi"}}}


@unittest.skipIf(REASON, REASON)
class Programs(KubernetesCase):
    options = {"nodes": 2}
    images = ("full",)

    def setUp(self):
        super().setUp()
        self.target(image=image.reference("full"))

    def write_parts(self, command, kind, **more):
        """A job in the form of seed 002, whose launcher and workers are told apart."""
        parts = {"worker": {"count": WORKERS, **more.pop("worker", {})}, **more}
        self.write("job.yml", json.dumps({
            "name": "job", "command": command, "code": {"path": "."}, "distributed": {kind: parts},
            "compute": {"target": "lab", "infrastructure": "k8s"}}))

    def assert_places(self, done, per_worker=2):
        """As many ranks in each worker's pod, and none in the launcher's."""
        found = dict(re.findall(r"^(\d+) on (\S+)$", done.text, re.MULTILINE))
        self.assertEqual(sorted(map(int, found)), list(range(per_worker * WORKERS)), done)
        places = collections.Counter(found.values())
        self.assertEqual(list(places.values()), [per_worker] * WORKERS, done)
        self.assertTrue(all("-worker" in place for place in places), done)

    def test_open_mpi_under_mpirun(self):
        self.write_parts(f"mpirun -np {RANKS} --allow-run-as-root /mpi/openmpi/hello name", "mpi",
                         worker={"slots_per": 2}, launcher=LAUNCHER)
        done = self.submits()
        self.assertIn(f"hello ok with {RANKS}\n", done.text, done)
        self.assert_places(done)
        self.removes()

    def test_open_mpi_without_a_launcher_in_the_command(self):
        """Else each copy within a pod says that the seccomp profile refuses it, see the manual."""
        self.write_job("exec /mpi/openmpi/collectives", nodes=WORKERS, per_node=2, kind="mpi",
                       environment_variables={"OMPI_MCA_btl_vader_single_copy_mechanism": "none"})
        done = self.submits()
        self.assertEqual(done.text, f"collectives ok with {RANKS}\n", done)
        self.removes()

    def test_mpich_under_mpiexec(self):
        """It may hang once all is said, see test_mpi_hosts.MpichOnHosts."""
        self.write_parts(f"mpiexec -n {RANKS} /mpi/mpich/hello", "mpi", worker={"slots_per": 2},
                         launcher=LAUNCHER)
        job = self.start_there("submit", "job.yml", "--target", "lab")
        self.hears(job.popen.stdout, f"hello ok with {RANKS}\n")
        try:
            self.assertEqual(job.finish(PATIENCE).code, 0)
        except subprocess.TimeoutExpired:
            job.send(signal.SIGTERM)  # may come to a job that is just ending well
            self.assertIn(job.finish(POD_SECONDS).code,
                          (0, 128 + signal.SIGINT, 128 + signal.SIGTERM))
        self.removes()

    def test_data_parallel_training(self):
        """The command runs once in each worker."""
        self.write("train.py", TRAIN)
        self.write_parts("python3 train.py", "pytorch")
        done = self.submits()
        self.assertIn(f"trained with {WORKERS}\n", done.text, done)
        self.assert_places(done, per_worker=1)
        self.removes()


if __name__ == "__main__":
    run_tests()

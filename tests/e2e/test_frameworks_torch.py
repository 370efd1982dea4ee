"""PyTorch's relatives train for real: Lightning, accelerate, Hugging Face's Trainer, DeepSpeed."""

# rooms: front plan job head host
# needs: frameworks-torch113
# busy

import unittest

from framework_case import FrameworkCase, framework_or_skip
from support import run_tests

REASON = framework_or_skip("torch113")


class TorchCase(FrameworkCase):
    group = "torch113"


@unittest.skipIf(REASON, REASON)
class Lightning(TorchCase):
    WORLD = ("--devices", "2", "--nodes", "2")

    def test_two_processes_on_each_host(self):
        done = self.hosts("torchrun", "-H", "node1,node2", "--nproc-per-node", "2",
                          self.program("lightning"), *self.WORLD)
        self.assert_trained(done)

    def test_one_process_of_mpi_on_each_host(self):
        """Where there is mpi4py, Lightning takes the world of MPI for its own, as under mpirun."""
        done = self.hosts("mpirun", "-H", "node1,node2", "-N", "1", "python",
                          self.program("lightning"), "--devices", "1", "--nodes", "2")
        self.assert_trained(done, world=2)

    def test_workers_that_it_starts_itself_on_each_host(self):
        """One process a node, as the example of Azure ML's manual has it: Lightning starts more."""
        done = self.hosts("mpirun", "-H", "node1,node2", "-N", "1", "python",
                          self.program("lightning"), *self.WORLD, "--without-mpi4py")
        seen = self.assert_trained(done)
        self.assertEqual({one["environment"] for one in seen}, {"LightningEnvironment"})

    def test_a_job_of_mpi_with_one_process_a_node(self):
        job = self.job(f"python lightning_train.py {' '.join(self.WORLD)} --without-mpi4py",
                       "{type: mpi, process_count_per_instance: 1}")
        self.assert_trained(self.here("submit", job, "--fake-nodes", "2"))

    def test_a_job_of_pytorch(self):
        job = self.job(f"python lightning_train.py {' '.join(self.WORLD)}",
                       "{type: pytorch, process_count_per_instance: 2}")
        seen = self.assert_trained(self.here("submit", job, "--fake-nodes", "2"))
        self.assertEqual({one["environment"] for one in seen}, {"LightningEnvironment"})


@unittest.skipIf(REASON, REASON)
class Accelerate(TorchCase):
    def test_ranks_of_torchrun(self):
        done = self.hosts("torchrun", "-H", "node1,node2", "--nproc-per-node", "2",
                          self.program("accelerate"))
        self.assert_trained(done)

    def test_ranks_on_simulated_nodes(self):
        done = self.here("run", "--fake-nodes", "2", "-n", "4", "python",
                         self.program("accelerate"))
        self.assert_trained(done)


@unittest.skipIf(REASON, REASON)
class Trainer(TorchCase):
    def test_a_job_of_pytorch(self):
        job = self.job("python trainer_train.py",
                       "{type: pytorch, process_count_per_instance: 2}")
        self.assert_trained(self.hosts("submit", job, "-H", "node1,node2"))

    def test_ranks_of_torch_distributed_launch(self):
        done = self.here("launch", "--fake-nodes", "2", "--nproc_per_node", "2", "--use_env",
                         self.program("trainer"))
        self.assert_trained(done)


@unittest.skipIf(REASON, REASON)
class DeepSpeed(TorchCase):
    def test_its_own_command_line(self):
        hostfile = self.write("hostfile", "node1 slots=2\nnode2 slots=2\n")
        done = self.hosts("deepspeed", "--hostfile", hostfile, self.program("deepspeed"))
        self.assert_trained(done)

    def test_ranks_on_simulated_nodes(self):
        done = self.here("run", "--fake-nodes", "2", "-n", "4", "python",
                         self.program("deepspeed"))
        self.assert_trained(done)


run_tests()

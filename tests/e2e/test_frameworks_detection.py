"""What real frameworks take their world for, under each front end and beside the original launcher.

See detection_case.py for the table. The original stands there only where it is installed and starts
ranks here.
"""

# rooms: front plan job
# needs: matrix frameworks-torch113 frameworks-jax frameworks-tensorflow
# busy

import shutil
import unittest

from detection_case import OF_TORCH, answers_in, asks, check_table
from framework_case import SECONDS, FrameworkCase, framework_or_skip
from support import run_tests

REASONS = {name: framework_or_skip(name) for name in ("torch113", "jax", "tensorflow")}

# Two ranks on one node, and one on each of two.
HOSTS = "node1:1,node2:1"
FRONTS = {
    "run": (["run", "-n", "2"], ["run", "-n", "2", "-H", HOSTS]),
    "mpirun": (["mpirun", "--oversubscribe", "-np", "2"], ["mpirun", "-np", "2", "-H", HOSTS]),
    "mpiexec.hydra": (["mpiexec.hydra", "-n", "2"],
                      ["mpiexec.hydra", "-n", "2", "-hosts", HOSTS]),
    "torchrun": (["torchrun", "--nproc_per_node", "2", "--no_python"],
                 ["torchrun", "-H", "node1,node2", "--nproc_per_node", "1", "--no_python"]),
    "torch.distributed.launch":
        (["launch", "--nproc_per_node", "2", "--use_env", "--no_python"],
         ["launch", "-H", "node1,node2", "--nproc_per_node", "1", "--use_env", "--no_python"]),
    "horovodrun": (["horovodrun", "-np", "2"], ["horovodrun", "-np", "2", "-H", HOSTS]),
    "deepspeed": (["deepspeed", "--num_gpus", "2", "--no_python", "--no_local_rank"],
                  ["deepspeed", "--hostfile", "hostfile", "--no_python", "--no_local_rank"]),
}
JOBS = {"no distribution": "", "mpi": "{type: mpi, process_count_per_instance: %d}",
        "pytorch": "{type: pytorch, process_count_per_instance: %d}",
        "tensorflow": "{type: tensorflow, worker_count: 2}"}
# As their users type it. Torch is Debian's, which takes no other value for where output goes on
# Python 3.11: its enumeration has no 0 there.
OUTPUT = ["--redirects", "2", "--tee", "2"]
ORIGINALS = {
    "mpirun": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np", "2"],
    "mpiexec.hydra": ["mpiexec.hydra", "-n", "2"],
    "torchrun": ["python", "-m", "torch.distributed.run", *OUTPUT, "--nproc_per_node", "2",
                 "--no_python"],
    "torch.distributed.launch": ["python", "-m", "torch.distributed.launch", *OUTPUT,
                                 "--nproc_per_node", "2", "--use_env", "--no_python"],
}


class DetectionCase(FrameworkCase):
    """Each way to start ranks, in one environment."""

    rules = ()
    variables = {"DS_ACCELERATOR": "cpu"}  # it would look for others for a while

    def setUp(self):
        super().setUp()
        self.write("hostfile", "node1 slots=1\nnode2 slots=1\n")

    def program(self):
        return asks(self.rules)

    def answers(self, done):
        """{rule: what the ranks answer}."""
        self.assertEqual(done.code, 0, done)
        return answers_in(done.lines)

    def of_job(self, distribution, nodes):
        lines = [f"command: {' '.join(self.program())}"]
        if distribution:
            spread = distribution % (2 // nodes) if "%" in distribution else distribution
            lines += [f"distribution: {spread}", f"resources: {{instance_count: {nodes}}}"]
        job = self.write("job.yml", "\n".join(lines) + "\n")
        return self.answers(self.here("submit", job, "--fake-nodes", str(nodes)))

    def of_original(self, name):
        words = ORIGINALS.get(name)
        if not words or not shutil.which(words[0], path=self.activated()["PATH"]):
            return {}
        if words[0] == "python" and "torch" not in self.rules:
            return {}
        env = self.environment()
        done = self.start(*words[1:], *self.program(), command=words[:1], env=env)
        return self.answers(done.finish(SECONDS))

    def rows(self):
        for name, (one, two) in FRONTS.items():
            beside = self.of_original(name)
            for rule, answer in self.answers(self.here(*one, *self.program())).items():
                yield rule, f"{name}, 2 on a node", answer, beside.get(rule, "-")
            for rule, answer in self.answers(self.hosts(*two, *self.program())).items():
                yield rule, f"{name}, 1 on a node", answer, "-"
        for name, distribution in JOBS.items():
            for nodes in (1, 2) if "%" in distribution else (2,) if distribution else (1,):
                layout = f"{2 // nodes} on a node" if distribution else "1 alone"
                for rule, answer in self.of_job(distribution, nodes).items():
                    yield rule, f"job, {name}, {layout}", answer, "-"


@unittest.skipIf(REASONS["torch113"], REASONS["torch113"])
class Torch(DetectionCase):
    group = "torch113"
    rules = OF_TORCH

    def test_what_torch_and_its_relatives_take_their_world_for(self):
        check_table(self, self.group, self.rows())


@unittest.skipIf(REASONS["jax"], REASONS["jax"])
class Jax(DetectionCase):
    group = "jax"
    rules = ("jax",)

    def test_what_jax_takes_its_world_for(self):
        check_table(self, self.group, self.rows())


@unittest.skipIf(REASONS["tensorflow"], REASONS["tensorflow"])
class TensorFlow(DetectionCase):
    group = "tensorflow"
    rules = ("tensorflow",)

    def test_what_tensorflow_takes_its_world_for(self):
        check_table(self, self.group, self.rows())


if __name__ == "__main__":
    run_tests()

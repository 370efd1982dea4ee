"""What real frameworks take their world for, under each front end and beside the original launcher.

tests/frameworks/detection-GROUP.table has the answers, a line for each rule and way to start ranks:

    rule | how the ranks are started | muster: answer | the original: answer

UPDATE_GOLDEN=1 writes it. The original stands only where it is installed and starts ranks here.
"""

# rooms: front plan job
# needs: matrix frameworks-torch113 frameworks-jax frameworks-tensorflow
# busy

import collections
import json
import os
import re
import shutil
import unittest

from framework_case import PROGRAMS, SECONDS, FrameworkCase, framework_or_skip
from support import MUSTER, ROOT, run_tests

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


def joined(answers):
    """One text for what all ranks answered; numbers in the order of the ranks."""
    if not isinstance(answers[0], dict):
        return " / ".join(sorted({str(one) for one in answers}))
    in_order = sorted(answers, key=lambda one: one["rank"])
    return ", ".join(f"{key} {' '.join(str(one[key]) for one in in_order)}"
                     for key in answers[0])


class DetectionCase(FrameworkCase):
    """Each way to start ranks, in one environment."""

    rules = ()
    variables = {"DS_ACCELERATOR": "cpu"}  # it would look for others for a while

    def setUp(self):
        super().setUp()
        self.write("hostfile", "node1 slots=1\nnode2 slots=1\n")

    def program(self):
        return ["python", os.path.join(PROGRAMS, "detects.py"), *self.rules]

    def answers(self, done):
        """{rule: what the ranks answer}."""
        self.assertEqual(done.code, 0, done)
        told = re.findall(r"DETECTS (\{.*\})$", "\n".join(done.lines), re.MULTILINE)
        rules = collections.defaultdict(list)
        for line in told:
            for rule, answer in json.loads(line).items():
                rules[rule].append(answer)
        return {rule: joined(answers) for rule, answers in rules.items()}

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

    def check_table(self):
        table = os.path.join(ROOT, "tests", "frameworks", f"detection-{self.group}.table")
        self.assert_golden(table, sorted(" | ".join(row) for row in self.rows()))


@unittest.skipIf(REASONS["torch113"], REASONS["torch113"])
class Torch(DetectionCase):
    group = "torch113"
    rules = ("torch", "lightning", "transformers", "accelerate", "deepspeed", "mpi4py")

    def test_what_torch_and_its_relatives_take_their_world_for(self):
        self.check_table()


@unittest.skipIf(REASONS["jax"], REASONS["jax"])
class Jax(DetectionCase):
    group = "jax"
    rules = ("jax",)

    def test_what_jax_takes_its_world_for(self):
        self.check_table()


@unittest.skipIf(REASONS["tensorflow"], REASONS["tensorflow"])
class TensorFlow(DetectionCase):
    group = "tensorflow"
    rules = ("tensorflow",)

    def test_what_tensorflow_takes_its_world_for(self):
        self.check_table()


if __name__ == "__main__":
    run_tests()

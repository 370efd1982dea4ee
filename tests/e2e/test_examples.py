"""The examples, as their README starts them."""

# rooms: plan host job cli
# long
# busy

import os
import re
import subprocess
import unittest

from support import MUSTER, PYTHON, ROOT, Case, LabCase, Running, lab_or_skip, run_tests

NO_LAB = lab_or_skip()
DATA = "/usr/share/datasets/fashion-mnist"
TORCH = "/usr/lib/python3/dist-packages/torch"
MISSING = [path for path in (DATA, TORCH) if not os.path.isdir(path)]


def example(name):
    return os.path.join(ROOT, "examples", name)


@unittest.skipIf(MISSING, f"missing (tools/setup demo installs them): {MISSING}")
class Training(Case):
    def accuracy(self, *words):
        done = self.succeeds(*words, PYTHON, example("train.py"), seconds=120)
        self.assertEqual(len(re.findall(r"(?m)^epoch \d+: loss \d", done.text)), 2, done)
        return float(re.search(r"(?m)^accuracy (\d\.\d+) on", done.text)[1])

    def test_accuracy_does_not_depend_on_the_number_of_ranks(self):
        found = [self.accuracy("-n", "1"), self.accuracy("-n", "2"),
                 self.accuracy("--fake-nodes", "2", "-n", "4")]
        self.assertGreaterEqual(min(found), 0.80)
        self.assertLessEqual(max(found) - min(found), 0.02)


@unittest.skipIf(MISSING, f"missing (tools/setup demo installs them): {MISSING}")
@unittest.skipIf(NO_LAB, NO_LAB)
class Restart(LabCase):
    """A run that was broken in step 40 ends like one that was not."""

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def script(self, name, *words):
        return [example("restart_from_checkpoint.py"), "--steps", "60", "--checkpoint",
                self.path(name), *words]

    def accuracy(self, text):
        return float(re.search(r"(?m)^accuracy (\d\.\d+) on 2", text)[1])

    def check_broken(self, text, expected):
        self.assertIn("round 1 begins after step 0\n", text)
        self.assertIn("round 2 begins after step 30\n", text)
        self.assertAlmostEqual(self.accuracy(text), expected, delta=0.02)

    def test_on_one_host_on_fake_nodes_and_on_hosts_with_and_without_ssh(self):
        unbroken = self.succeeds("-n", "2", PYTHON, *self.script("0.pt", "--fail-at", "0"),
                                 seconds=120)
        expected = self.accuracy(unbroken.text)
        again = ("-n", "2", "--max-restarts", "1")
        for number, options in enumerate([again, ("--fake-nodes", "2", *again)]):
            done = self.succeeds(*options, PYTHON, *self.script(f"1{number}.pt"), seconds=120)
            self.assertRegex(done.errors, r"muster: rank 1 .*a fault in step 40; restart 1 of 1")
            self.check_broken(done.text, expected)
        done = self.launch("-H", "node1,node2", *again, PYTHON, *self.script("2.pt"), seconds=120)
        self.assertEqual(done.code, 0, done)
        self.check_broken(done.text, expected)
        self.check_each_by_itself(expected)

    def check_each_by_itself(self, expected):
        nodes = [self.node(rank, *self.script("3.pt")) for rank in (0, 1)]
        first, second = [node.finish(120) for node in nodes]
        self.assertEqual((first.code, second.code), (0, 0), f"{first}\n{second}")
        self.check_broken(first.text, expected)
        self.assertIn("node 0 starts all ranks again (restart 1)", second.errors)

    def node(self, rank, *words):
        line = [MUSTER, "torchrun", "--max_restarts", "1", "--nnodes", "2", "--node_rank",
                str(rank), "--master_addr", self.lab.address("node1"), *words]
        started = self.lab.start(line, host=f"node{rank + 1}", cwd=self.folder,
                                 env=self.environment(PYTHON_EXEC=PYTHON),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        self.running.append(Running(started.popen))
        return self.running[-1]


@unittest.skipIf(MISSING, f"missing (tools/setup demo installs them): {MISSING}")
class MessagePassing(Case):
    def test_with_both_sets_of_names(self):
        for names in ("torch", "openmpi"):
            words = ["-n", "3", PYTHON, example("message_passing.py"), "--names", names]
            self.assertEqual(self.succeeds(*words).lines, [
                "Rank 0 sent data to Rank 1", "Rank 0 sent data to Rank 2",
                "Rank 1 has received data from rank 0", "Rank 2 has received data from rank 0"])


class Environment(Case):
    def test_each_rank_reports(self):
        done = self.succeeds("--fake-nodes", "2", "-n", "4", PYTHON, example("environment.py"))
        self.assertEqual(sorted(re.findall(r"(?m)^rank (\d) of 4: ", done.text)), list("0123"))
        for name in ("NODE_RANK", "OMPI_COMM_WORLD_RANK", "MASTER_PORT"):
            self.assertEqual(len(re.findall(rf"(?m)^  {name}=", done.text)), 4)


if __name__ == "__main__":
    run_tests()

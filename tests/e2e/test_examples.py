"""The examples, as their README starts them."""

import os
import re
import unittest

from support import PYTHON, ROOT, Case

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
class Restart(Case):
    def accuracy(self, name, *options, words=()):
        done = self.succeeds(*options, PYTHON, example("restart_from_checkpoint.py"),
                             "--checkpoint", self.path(name), *words, seconds=120)
        return done, float(re.search(r"(?m)^accuracy (\d\.\d+) on 2", done.text)[1])

    def test_a_run_that_was_broken_ends_like_one_that_was_not(self):
        broken, found = self.accuracy("a.pt", "-n", "2", "--max-restarts", "1")
        self.assertIn("round 1 begins after step 0\n", broken.text)
        self.assertIn("round 2 begins after step 30\n", broken.text)
        self.assertRegex(broken.errors, r"muster: rank 1 .*a fault in step 40; restart 1 of 1")
        _, expected = self.accuracy("b.pt", "-n", "2", words=("--fail-at", "0"))
        self.assertAlmostEqual(found, expected, delta=0.02)
        _, on_two = self.accuracy("c.pt", "--fake-nodes", "2", "-n", "2", "--max-restarts", "3")
        self.assertAlmostEqual(on_two, expected, delta=0.02)


@unittest.skipIf(MISSING, f"missing (tools/setup demo installs them): {MISSING}")
class MessagePassing(Case):
    def test_with_both_sets_of_names(self):
        for names in ("torch", "openmpi"):
            words = ["-n", "3", PYTHON, example("message_passing.py"), "--names", names]
            self.assertEqual(self.succeeds(*words, seconds=60).lines, [
                "Rank 0 sent data to Rank 1", "Rank 0 sent data to Rank 2",
                "Rank 1 has received data from rank 0", "Rank 2 has received data from rank 0"])


class Environment(Case):
    def test_each_rank_reports(self):
        done = self.succeeds("--fake-nodes", "2", "-n", "4", PYTHON, example("environment.py"))
        self.assertEqual(sorted(re.findall(r"(?m)^rank (\d) of 4: ", done.text)), list("0123"))
        for name in ("NODE_RANK", "OMPI_COMM_WORLD_RANK", "MASTER_PORT"):
            self.assertEqual(len(re.findall(rf"(?m)^  {name}=", done.text)), 4)


if __name__ == "__main__":
    unittest.main()

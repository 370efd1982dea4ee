"""What a training writes for TensorBoard comes into the run's record, where TensorBoard reads it.

Each host and the head has a disk of its own, see seed_case.
"""

# rooms: cli store blobs
# needs: matrix frameworks-tensorboard

import json
import os
import re
import subprocess
import unittest

from framework_case import PROGRAMS, framework_or_skip, python_of
from seed_case import SeedCase
from support import run_tests

REASON = framework_or_skip("tensorboard")
JOB = """type: command
outputs: {{logs: {{type: uri_folder}}}}
distribution: {{type: pytorch, process_count_per_instance: 1}}
resources: {{instance_count: 2}}
command: {python} {program} ${{{{outputs.logs}}}}
"""


@unittest.skipIf(REASON, REASON)
class TensorBoard(SeedCase):
    def test_a_training_on_two_hosts(self):
        python = python_of("tensorboard")
        self.put("job.yml", JOB.format(
            python=python, program=os.path.join(PROGRAMS, "tensorboard_train.py")), ["head"])
        done = self.types("muster submit job.yml")
        losses = json.loads(re.search("LOSSES (.*)", done.text)[1])
        self.assertLess(losses[-1], losses[0])
        record = json.loads(self.types("muster show last --json").text)
        folder = self.lab.path("head", os.path.join(record["folder"], "outputs", "logs"))
        read = subprocess.run([python, os.path.join(PROGRAMS, "tensorboard_reads.py"), folder],
                              stdout=subprocess.PIPE, check=True)
        (scalars,) = json.loads(read.stdout).values()
        (tag,) = scalars
        self.assertEqual(tag, "loss/train")
        self.assertEqual([step for step, _ in scalars[tag]], list(range(len(losses))))
        for (_, value), loss in zip(scalars[tag], losses):
            self.assertAlmostEqual(value, loss, places=5)  # single precision


if __name__ == "__main__":
    run_tests()

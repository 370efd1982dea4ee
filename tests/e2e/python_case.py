"""What the tests of the Python package share: a folder with sources and a target, and Python."""

import json
import os
import subprocess

from support import MUSTER, PYTHON, ROOT, WAIT_SECONDS, Case

PACKAGE = os.path.join(ROOT, "python")

SHOW = """
import os, sys
words = " ".join(sys.argv[1:])
print("rank {RANK} of {WORLD_SIZE} on node {NODE_RANK}:".format(**os.environ), words, flush=True)
"""

SPEC = """
name: train
inputs:
  script_arg_0: {type: Integer}
  script_arg_1: {type: String}
launcher:
  type: mpi
  additional_arguments: >-
    python3 ../../src/train.py {inputs.script_arg_0} '{inputs.script_arg_1}'
"""

TARGETS = """
targets:
  gpu-cluster:
    fake_nodes: 4
    without: [environment, gpus]
"""


class PythonCase(Case):
    def setUp(self):
        super().setUp()
        for folder in ("src/text-classification", "components/imagecnn-train", "bin"):
            os.makedirs(self.path(folder))
        for script in ("train.py", "launch.py", "text-classification/run_glue.py"):
            self.write(os.path.join("src", script), SHOW)
        self.write("components/imagecnn-train/entry.spec.yaml", SPEC)
        self.write("muster.yml", TARGETS)
        for name in ("python", "python3"):
            os.symlink(PYTHON, self.path("bin", name))

    def for_python(self, **more):
        env = self.environment(MUSTER=MUSTER, PYTHONPATH=PACKAGE,
                               MUSTER_RECORDS=self.path("records"),
                               MUSTER_DATASTORES=self.path("stores"), **more)
        env["PATH"] = self.path("bin") + ":" + env["PATH"]
        return env

    def python(self, program, *words, seconds=WAIT_SECONDS):
        """`python3 WORDS program.py` to its end."""
        path = self.write("program.py", program)
        return subprocess.run([PYTHON, *words, path], cwd=self.folder, env=self.for_python(),
                              capture_output=True, text=True, timeout=seconds,
                              check=False)

    def runs(self, program):
        done = self.python(program, "-m", "muster")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def notebook(self, *cells, metadata=None):
        """Carries out a notebook of these cells, from the folder above it."""
        self.write_notebook("books/book.ipynb", *cells, metadata=metadata)
        return self.carried_out()

    def write_notebook(self, path, *cells, metadata=None, tags=()):
        """`tags`: of its first cell."""
        text = [{"cell_type": "markdown", "metadata": {}, "source": ["# Title\n"]}]
        text += [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
                  "source": cell.splitlines(keepends=True)} for cell in cells]
        text[1]["metadata"]["tags"] = list(tags)
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        self.write(path, json.dumps({
            "cells": text, "metadata": metadata or {}, "nbformat": 4, "nbformat_minor": 2}))

    def carried_out(self, *words):
        return subprocess.run([PYTHON, "-m", "muster", *words, "books/book.ipynb"],
                              cwd=self.folder, env=self.for_python(), capture_output=True,
                              text=True, timeout=WAIT_SECONDS, check=False)

"""mldesigner's functions as components, and what is told before a job starts or while it runs."""

# rooms: front job cli

import json
import os
import re
import signal
import subprocess

from python_case import PythonCase
from support import PYTHON, USAGE, WAIT_SECONDS, run_tests

TARGETS = """
targets:
  cpu-cluster: {fake_nodes: 4, without: [environment, gpus]}
  elsewhere: {hosts: [host.invalid:4], without: [environment]}
"""

PARTS = """
from __future__ import annotations
import os
from pathlib import Path
from typing import Annotated as Said
from mldesigner import Input, Meta, Output, command_component
from mldesigner.dsl import group

@command_component(name="train_it", version="1", display_name="Train",
                   environment=dict(conda_file="./conda.yaml", image="busybox"))
def train(data: Input(type="uri_folder"), epochs: int, model: Output(type="uri_folder"),
          rate: float = 0.5, fast: bool = False,
          word: Input(type="string", optional=True) = None):
    \"\"\"Trains a little.\"\"\"
    print("trained", len(os.listdir(data)) > 0, epochs + 1, rate * 2, fast is True, word)
    (Path(model) / "kind").write_text(train.__name__)

@command_component
def one_more(n: Said[int, Meta(description="a number", max=9)]
             ) -> Said[int, Meta(type="integer", description="the next")]:
    return n + 1

@command_component()
def is_large(n: int) -> Output(type="boolean", is_control=True):
    return n > 2

@group
class Two:
    first: Said[int, Meta(description="with a default")] = None
    number: Output(type="integer")
    word: Output(type="string")

@command_component(distribution={"type": "tensorflow"})
def spread(epochs: Input(type="integer", min=1), model: Output(type="uri_folder")):
    print("tensorflow", os.environ["TF_CONFIG"].count("\\"worker\\""), epochs)

@command_component()
def plus(so_far: Input(type="uri_folder"), made: Output(type="uri_folder")
         ) -> Output(type="boolean", is_control=True):
    count = max([int(one) for one in os.listdir(so_far) if one.isdigit()], default=0) + 1
    (Path(made) / str(count)).touch()
    return count < 3

@command_component(distribution={"type": "mpi"}, resources={"instance_count": 2})
def both(n: int) -> Two:
    print("rank", os.environ["RANK"])
    return Two(number=n, first=n, word="seen")
"""

PROGRAM = """
from azure.ai.ml import Input, MLClient
from azure.ai.ml.dsl import pipeline
from mldesigner import dsl
from parts.functions import both, is_large, one_more, train
client = MLClient.from_config()

@pipeline(default_compute="cpu-cluster")
def whole(data):
    model = train(data=data, epochs=5, fast=True)
    four = one_more(n=3)
    large = is_large(n=four.outputs.output)
    chosen, other = one_more(n=1), one_more(n=2)
    dsl.condition(condition=large.outputs.output, true_block=chosen, false_block=[other])
    pair = both(n=3)
    last = one_more(n=pair.outputs.number)
    return {"model": model.outputs.model}

help(train)
job = client.jobs.create_or_update(whole(Input(type="uri_folder", path="./parts")))
client.jobs.stream(job.name)
job = client.jobs.get(job.name)
print({name: step.status for name, step in job.jobs.items()})
print(open(job.jobs["last"].outputs.output.path).read(),
      open(job.jobs["pair"].outputs.word.path).read(),
      open(job.outputs.model.path + "/kind").read())
try:
    client.components.get(name="train_it", version="1")
except Exception:
    assert client.components.create_or_update(train) is train
"""

JOB = """
from azure.ai.ml import MLClient, command, dsl
client = MLClient.from_config()
"""

LOOP = """
command: >-
  echo 1 | cat $[[${{inputs.so_far}}]] - > ${{outputs.lines}};
  if [ $(wc -l < ${{outputs.lines}}) -lt 3 ]; then echo True; else echo False; fi
  > ${{outputs.more}}
inputs: {so_far: {type: uri_file, optional: true}}
outputs: {lines: {type: uri_file}, more: {type: boolean, is_control: true}}
"""


class Designer(PythonCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("parts"))
        self.write("muster.yml", TARGETS)
        self.write("parts/functions.py", PARTS)
        self.write("parts/conda.yaml", "dependencies: [pip]\n")

    def program(self, text):
        return self.python(text, "-m", "muster")

    def runs(self, text):
        done = self.program(text)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def refused(self, text, line, *told):
        done = self.program(text)
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith(f"muster: error: program.py:{line}: "), done.stderr)
        for one in told:
            self.assertIn(one, done.stderr)
        return done.stderr

    def test_functions_are_steps(self):
        done = self.runs(PROGRAM)
        self.assertIn("Trains a little.", done.stdout)
        self.assertIn("model: trained True 6 1.0 True None\n", done.stdout)
        self.assertIn("pair: [0] rank 0\n", done.stdout)
        self.assertIn("pair: [1] rank 1\n", done.stdout)
        self.assertIn("{'model': 'Completed', 'four': 'Completed', 'large': 'Completed', "
                      "'chosen': 'Completed', 'other': 'Canceled', 'pair': 'Completed', "
                      "'last': 'Completed'}\n4 seen train\n", done.stdout)
        self.assertNotIn("no effect", done.stderr)

    def test_wrong_words_of_functions(self):
        made = "from parts.functions import train\n"
        self.refused(made + "train(epoch=3)\n", 2, "train_it has no input 'epoch'\n  hint: did you "
                     "mean epochs? its inputs are data, epochs, rate, fast, word")
        self.refused(made + "train(epochs=3)\n", 2, "train_it needs a value for 'data'")
        self.refused("from mldesigner import command_component\n"
                     "@command_component(nam='x')\ndef f(): pass\n", 2, "did you mean name?")

    def test_a_step_s_own_counts(self):
        done = self.runs(JOB + "from azure.ai.ml.entities import ResourceConfiguration\n"
                         "from parts.functions import spread\n@dsl.pipeline()\ndef whole():\n"
                         "    step = spread(epochs=1)\n    step.compute = 'cpu-cluster'\n"
                         "    step.resources = ResourceConfiguration(instance_count=2)\n"
                         "    step.distribution.worker_count = 2\n"
                         "    step.outputs.model.mode = 'upload'\n"
                         "client.jobs.stream(client.jobs.create_or_update(whole()).name)\n")
        self.assertEqual(done.stdout.count("tensorflow"), 2, done.stdout)
        self.refused(JOB + "from parts.functions import spread\nstep = spread(epochs=1)\n"
                     "step.distribution.worker_count = 2\nclient.jobs.create_or_update(step)\n", 7,
                     "cannot be submitted by itself with another distribution")

    def test_a_loop_of_a_function(self):
        done = self.runs(JOB + "from azure.ai.ml import Input\nfrom mldesigner import dsl as more\n"
                         "from parts.functions import plus\n@dsl.pipeline\ndef whole(data):\n"
                         "    body = plus(so_far=data)\n"
                         "    more.do_while(body=body, condition=body.outputs.output,\n"
                         "                  mapping={'made': body.inputs.so_far},\n"
                         "                  max_iteration_count=5)\n"
                         "    return {'made': body.outputs.made}\n"
                         "job = whole(Input(type='uri_folder', path='.'))\n"
                         "job.settings.default_compute = 'cpu-cluster'\n"
                         "assert client.jobs.validate(job).passed\n"
                         "job = client.jobs.create_or_update(job)\nclient.jobs.stream(job.name)\n"
                         "import os\n"
                         "print(os.listdir(client.jobs.get(job.name).outputs.made.path))\n")
        self.assertEqual(done.stdout, "['3']\n")

    def test_loops(self):
        self.write("count.yml", LOOP)
        done = self.runs(JOB + "from azure.ai.ml import load_component\n"
                         "from mldesigner import dsl as more\ncount = load_component('count.yml')\n"
                         "@dsl.pipeline(compute='cpu-cluster')\ndef whole():\n"
                         "    body = count()\n"
                         "    more.do_while(body=body, mapping={body.outputs.lines: 'so_far'},\n"
                         "                  condition=body.outputs.more, max_iteration_count=5)\n"
                         "    return {'lines': body.outputs.lines}\n"
                         "job = client.jobs.create_or_update(whole())\n"
                         "client.jobs.stream(job.name)\n"
                         "print(open(client.jobs.get(job.name).outputs.lines.path).read())\n")
        self.assertEqual(done.stdout, "1\n1\n1\n\n")

    def test_code_that_is_not_here_is_told_before_a_host_is_asked(self):
        made = JOB + "job = command(compute='elsewhere', command='python -u nosuch.py 3', code="
        told = self.refused(made + "'./nosuch')\nclient.jobs.create_or_update(job)\n", 4,
                            f"there is no folder {self.path('nosuch')}, which holds the code")
        self.assertNotIn("host.invalid", told)
        self.refused(made + "'./src')\nclient.jobs.create_or_update(job)\n", 4,
                     f"there is no script nosuch.py in {self.path('src')}, the code of the job")
        self.refused(made + "'./src')\n@dsl.pipeline()\ndef inner():\n    step = job()\n"
                     "@dsl.pipeline()\ndef whole():\n    one = inner()\n    two = inner()\n"
                     "client.jobs.create_or_update(whole())\n", 7, "there is no script nosuch.py")
        done = self.program(made.replace("nosuch", "train") +
                            "'./src')\nclient.jobs.create_or_update(job)\n")
        self.assertRegex(done.stderr, r"^muster: error: program\.py:5: host\.invalid: .*\n  hint: "
                                      r".*\n$")  # one error, and nothing behind it

    def test_notebooks_are_programs(self):
        os.mkdir(self.path("books"))
        self.write("books/muster.yml", TARGETS)
        done = self.notebook(
            "%load_ext autoreload\n%autoreload 2\nimport os\nos.makedirs('src', exist_ok=True)\n"
            "where = 'src'",
            "%%writefile {where}/train.py\nprint('trained here')\n",
            "from azure.ai.ml import MLClient, command\nclient = MLClient.from_config()\n"
            "job = command(code='./src', command='python3 train.py', compute='cpu-cluster')",
            "job = client.jobs.create_or_update(job)\nclient.jobs.stream(job.name)",
            "!echo from {where}\nnumber = 7 % 4\nnumber", "number;", "'%s' \\\n% number")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "Writing src/train.py\ntrained here\nfrom src\n3\n'3'\n")
        self.assertIn("muster: book.ipynb[cell 2]:1: %load_ext has no effect here\n", done.stderr)
        self.assertIn("muster: book.ipynb[cell 5]:1: run ", done.stderr)

    def test_mistakes_in_notebooks_name_their_cells(self):
        os.mkdir(self.path("books"))
        done = self.notebook("from azure.ai.ml import command", "\ncommand(comand='x')")
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertTrue(done.stderr.startswith("muster: error: book.ipynb[cell 3]:2: command() has "
                                               "no parameter 'comand'\n"), done.stderr)
        done = self.notebook("%%bash\nexit 4", "print('next')")
        self.assertEqual((done.returncode, done.stdout), (240, ""))
        self.assertIn("book.ipynb[cell 2]:1: the cell of %%bash ended with code 4\n", done.stderr)
        done = self.notebook("%%writefile\nx", "print('next')")
        self.assertIn("book.ipynb[cell 2]:1: %%writefile names no file\n", done.stderr)
        done = self.notebook("%%html\n<b>", "%env FOO=bar", "%cd ..", "!echo $FOO; basename $PWD")
        self.assertEqual(done.stdout, f"env: FOO=bar\nbar\n{os.path.basename(self.folder)}\n",
                         done.stderr)
        self.assertIn("book.ipynb[cell 2]:1: %%html has no effect here\n", done.stderr)
        for text in ("", "[]", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}'):
            self.write("books/book.ipynb", text)
            done = self.carried_out()
            self.assertEqual(done.stderr.splitlines()[0], "muster: error: book.ipynb:1: "
                             "book.ipynb is not a Jupyter notebook of format 4")
        done = self.notebook("def f():\n    raise KeyError('x')", "f()")
        self.assertEqual(re.findall(r'File "(.*)", line (\d+)', done.stderr),
                         [("book.ipynb[cell 3]", "1"), ("book.ipynb[cell 2]", "2")])
        done = self.notebook("%%R\nprint(1)")
        self.assertIn("muster: error: book.ipynb[cell 2]:1: muster cannot carry out a cell of "
                      "%%R\n  hint: it has bash, capture", done.stderr)

    def test_a_failed_job_is_told_in_one_line(self):
        done = self.program(JOB + "job = command(command='exit 3', compute='cpu-cluster')\n"
                            "client.jobs.stream(client.jobs.create_or_update(job).name)\n")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"^muster: program\.py:5: run (\S+) has started: .*\n"
                                      r"muster: error: run \1 failed: rank 0 on fake-0 exited with "
                                      r"code 3 \(pid \d+\)\n$")

    def test_an_interrupted_stream_says_that_the_job_goes_on(self):
        path = self.write("program.py", JOB + "job = client.jobs.create_or_update(command("
                          "command='echo begun; sleep 600', compute='cpu-cluster'))\n"
                          "open('name', 'w').write(job.name)\nclient.jobs.stream(job.name)\n")
        with subprocess.Popen([PYTHON, "-m", "muster", path], cwd=self.folder, text=True,
                              env=self.for_python(), start_new_session=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            self.assertEqual(running.stdout.readline(), "begun\n")
            os.killpg(running.pid, signal.SIGINT)
            _, told = running.communicate(timeout=WAIT_SECONDS)
        with open(self.path("name"), encoding="utf-8") as file:
            name = file.read()
        self.assertEqual(running.returncode, 130)
        self.assertEqual(re.sub(r".* has started: .*\n", "", told),
                         f"muster: run {name} goes on; to see it: muster logs -f {name}\n"
                         f"muster: to stop it: muster stop {name}, or "
                         f"client.jobs.begin_cancel('{name}')\n")
        self.runs(JOB + f"job = client.jobs.get('{name}')\nassert job.status == 'Running'\n"
                  f"client.jobs.begin_cancel('{name}').result()\n"
                  "assert client.jobs.get(job.name).status == 'Canceled'\n")


if __name__ == "__main__":
    run_tests()

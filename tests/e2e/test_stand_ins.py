"""Scripts that import Azure ML's SDK, in jobs that muster submit starts: muster's package,
installed beside the program, stands in for it.
"""

# rooms: front cli

import os
import shutil
import subprocess
import sys
import unittest

from install_case import PATH
from support import MUSTER, PYTHON, ROOT, Case, lab_or_skip, run_tests
from test_detection import SSH
from travel_case import JOB, TravelCase

REASON = lab_or_skip()
PLACE = "lib/python3.{}/dist-packages/muster".format(sys.version_info[1])

LOGS = """
import os, socket
from azureml.core.run import Run
Run.get_context().log("metric", 2)
print("logged by", os.environ["RANK"], "on", socket.gethostname())
"""

# As the Trainer of transformers, which logs to whatever it finds (integrations).
FINDS = """
from importlib.util import find_spec
found = all(find_spec(name) for name in ("azureml", "azureml.core", "azureml.core.run"))
print("found" if found else "none")
"""
TRAINER = """
from azureml.core.run import Run
run = Run.get_context()
if run:
    run.log("eval/loss", 0.5, description="eval/loss")
"""

# Azure ML's own, as far as that script goes.
REAL = """
class Run:
    @staticmethod
    def get_context():
        return Run()
    def log(self, name, value):
        print("the SDK has", name, value)
"""


def install(prefix, package=True):
    """The program under test, and the package."""
    os.makedirs(os.path.join(prefix, "bin"))
    shutil.copy(MUSTER, os.path.join(prefix, "bin", "muster"))
    if package:
        shutil.copytree(os.path.join(ROOT, "python", "muster"), os.path.join(prefix, PLACE),
                        ignore=shutil.ignore_patterns("__pycache__"))


class Here(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("src"))
        self.write("src/train.py", LOGS)
        self.write("job.yml", f"type: command\ncode: src\ncommand: {PYTHON} train.py\n")

    def submits(self, *words, **more):
        env = {**self.environment(), "PATH": PATH, "PYTHONDONTWRITEBYTECODE": "1", **more}
        env.pop("PYTHONPATH", None)
        return self.muster("submit", "job.yml", *words, env=env,
                           command=(self.path("prefix", "bin", "muster"),))

    def test_stand_ins_are_those_beside_the_program(self):
        install(self.path("prefix"))
        done = self.submits()
        self.assertEqual(done.code, 0, done)
        self.assertRegex(done.text, "^logged by 0 on ")
        told = self.muster("show", "last", command=(MUSTER,))
        self.assertIn("metric      metric=2", told.text)

    def test_the_steps_of_a_pipeline_have_them(self):
        install(self.path("prefix"))
        self.write("job.yml", "type: pipeline\njobs:\n  one: {type: command, code: src, "
                              f"command: {PYTHON} train.py}}\n")
        done = self.submits()
        self.assertEqual(done.code, 0, done)
        self.assertIn("one: logged by 0 on ", done.text)

    def test_what_the_user_has_installed_comes_first(self):
        install(self.path("prefix"))
        env = {"PYTHONUSERBASE": self.path("base")}
        site = subprocess.run([PYTHON, "-m", "site", "--user-site"], check=False, text=True,
                              env={**self.environment(), **env}, stdout=subprocess.PIPE).stdout
        sdk = os.path.join(site.strip(), "azureml", "core")
        os.makedirs(sdk)
        for name, text in (("../__init__.py", ""), ("__init__.py", ""), ("run.py", REAL)):
            self.write(os.path.join(sdk, name), text)
        self.assertRegex(self.submits(**env).text, "^the SDK has metric 2\nlogged by 0 on ")

    def test_a_trainer_that_finds_them_can_log(self):
        install(self.path("prefix"))
        self.write("src/train.py", FINDS + TRAINER)
        done = self.submits()
        self.assertEqual((done.code, done.text), (0, "found\n"), done)
        told = self.muster("show", "last", command=(MUSTER,)).text
        self.assertIn("metric      eval/loss=0.5 (step 0)", told)

    def test_an_old_python_has_no_sdk(self):
        install(self.path("prefix"))
        self.write("src/train.py", "import sys\nsys.version_info = (3, 7, 16)\n" + FINDS)
        done = self.submits()
        self.assertEqual((done.code, done.text), (0, "none\n"), done)

    def test_what_a_host_has_of_its_own_stays_and_comes_first(self):
        install(self.path("prefix"))
        os.mkdir(self.path("bin"))
        self.write("bin/ssh", SSH.replace("exec", "export PYTHONPATH=/own; exec"), 0o755)
        self.write("job.yml", "type: command\ncode: src\ncommand: echo $PYTHONPATH\n")
        found = self.submits("-H", "n1:1", PATH=self.path("bin") + ":" + PATH)
        self.assertRegex(found.text, r"^/own:/\S+/python/muster/in_ranks:"
                         rf"{self.path('prefix', PLACE)}/in_ranks\n$")

    def test_where_they_are_not_installed_a_hint_says_what_helps(self):
        install(self.path("prefix"), package=False)
        done = self.submits()
        self.assertEqual(done.code, 1, done)
        self.assertIn("stands in for Azure ML's SDK", done.errors)


@unittest.skipIf(REASON, REASON)
class OnHosts(TravelCase):
    def test_hosts_without_the_package_get_it_with_code_that_needs_it(self):
        install(self.at("head", "prefix"))
        self.put("src/train.py", "print('nothing to log')\n", ["head"])
        self.put("job.yml", JOB + f"{PYTHON} train.py\n", ["head"])
        submit = f"$PWD/prefix/bin/muster submit job.yml -H node1:1,node2:1 --agent-path {MUSTER}"
        self.types(submit)
        for host in ("node1", "node2"):
            self.assertEqual(len(self.cached(host)), 3, "more than its code")
        self.put("src/train.py", LOGS, ["head"])
        done = self.types(submit)
        self.assertEqual(sorted(line.split("] ")[-1] for line in done.lines), [
            "logged by 0 on node1", "logged by 1 on node2"], done)


if __name__ == "__main__":
    run_tests()

"""`make install`: the program and the Python package, for all users or in an environment."""

# rooms: cli

import os
import re
import shutil
import subprocess
import unittest

from install_case import PAGES, InstallCase
from support import MUSTER, PYTHON, ROOT, run_tests

# The package finds the program, and the program starts ranks.
SUBMITS = """
import muster
from muster import Experiment, ScriptRunConfig, Workspace
run = Experiment(Workspace.from_config(), "e").submit(ScriptRunConfig(command="echo so"))
assert run.wait() == 0, run.details()
print(muster.__file__)
"""


class Install(InstallCase):
    def test_a_prefix_gets_what_debians_python_looks_for(self):
        prefix = self.path("usr")
        os.mkdir(prefix)
        package = self.install(prefix)
        self.assertRegex(package, r"/lib/python3\.\d+/dist-packages/muster$")
        self.assertEqual(self.answer(f"{prefix}/bin/muster", "--version"), self.version())

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_man_finds_a_page_for_each_command(self):
        prefix = self.path("usr")
        os.mkdir(prefix)
        self.install(prefix)
        pages = sorted(page[:-len(".1")] for page in PAGES)
        self.assertLessEqual({"muster", *(f"muster-{name}" for name in self.commands())},
                             set(pages))
        for page in pages:
            with self.subTest(page):
                found = self.answer("man", "--path", page, PATH=f"{prefix}/bin:/usr/bin:/bin")
                self.assertEqual(found, f"{prefix}/share/man/man1/{page}.1\n")

    def commands(self):
        """But for those that print words of their own and have no options."""
        listed = re.findall(r"^  muster (\S+)  ", self.answer(MUSTER, "help"), re.MULTILINE)
        return [name for name in listed if name not in ("completion", "help", "version")]

    def pages(self):
        return {name: os.path.join(ROOT, f"docs/manual/muster-{name}.1")
                for name in self.commands()}

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_the_page_of_each_command_can_be_read(self):
        pages = self.pages()
        self.assertIn("run", pages)
        for name, page in pages.items():
            with self.subTest(name):
                text = self.answer("man", "-l", page, MANWIDTH="80", LANG="C.UTF-8")
                self.assertRegex(text, rf"(?m)^NAME\n +muster-{re.escape(name)} +- +\w")
                self.assertRegex(text, r"(?m)^OPTIONS$")

    def test_groups_of_options_are_those_of_the_page(self):
        """Where it has groups; and in the help each of them has options, and stands there once."""
        for name, page in self.pages().items():
            with self.subTest(name):
                told = self.answer(MUSTER, name, "--help", *(["all"] if name == "run" else []))
                groups = re.findall(r"^(\w[^\n]*):\n +-", told, re.MULTILINE)
                self.assertEqual(len(set(groups)), len(groups), groups)
                with open(page, encoding="utf-8") as file:
                    options = re.search(r'(?ms)^\.SH "?OPTIONS"?\n(.*?)^\.SH', file.read())[1]
                written = re.findall(r'(?m)^\.SS "?([^"\n]*)"?$', options)
                self.assertIn(written, ([], groups))

    def test_an_environment_gets_what_its_python_looks_for(self):
        venv = self.path("venv with a blank")
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", venv], check=True)
        package = self.install(venv)
        self.assertRegex(package, r"/lib/python3\.\d+/site-packages/muster$")
        program = self.write("submit.py", SUBMITS)
        for words, more in (((f"{venv}/bin/python",), {}),
                            (("python",), {"PATH": f"{venv}/bin:/usr/bin:/bin",
                                           "VIRTUAL_ENV": venv})):
            with self.subTest(words):
                told = self.answer(*words, program, **{"MUSTER_RECORDS": self.path("records"),
                                                       **more})
                self.assertEqual(told.splitlines()[-1], f"{package}/__init__.py")

    def test_the_ranks_python_is_the_environments(self):
        venv = self.path("venv")
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", venv], check=True)
        self.install(venv)
        told = self.answer("muster", "run", "--fake-nodes", "2", "-n", "2", "python", "-c",
                           "import sys; print(sys.prefix)",
                           PATH=f"{venv}/bin:/usr/bin:/bin", VIRTUAL_ENV=venv)
        self.assertEqual(told, f"{venv}\n{venv}\n")


if __name__ == "__main__":
    run_tests()

"""The manual's pages on frameworks: each of their commands and jobs starts, and sets what is said.

train.py stands in for the framework; tests/e2e/test_frameworks_*.py train with the real ones.
"""

# rooms: front plan job head host

import glob
import json
import os
import re
import shlex
import unittest

from support import MUSTER, PYTHON, ROOT, Case, LabCase, lab_or_skip, run_tests

REASON = lab_or_skip()
MANUAL = os.path.join(ROOT, "docs", "manual")
LINES_MAX = 40
SIZES = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "HOROVOD_SIZE", "PMI_SIZE")
TRAIN = f"""
import json, os
world = next(os.environ[name] for name in {SIZES} if name in os.environ)
os.write(1, ("SEEN " + json.dumps([int(world), sorted(os.environ)]) + "\\n").encode())
"""


def text_of(*names):
    with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
        return file.read()


class Page:
    """What a reader may copy from it, and what it promises."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        self.text = text_of(path)
        indented = [line.removeprefix("    ") for line in self.text.splitlines()
                    if line.startswith("    ")]
        self.commands = [line.split(" # ")[0] for line in indented if line.startswith("muster ")]
        self.jobs = re.findall(r"^command: .*\n(?:(?!command)\w+: .*\n)+",
                               "\n".join(indented) + "\n", re.MULTILINE)
        promise = re.search(r"Each rank gets (.*?)[.;]", self.text, re.DOTALL)
        self.promised = set(re.findall(r"`([A-Z_]+)`", promise[1] if promise else ""))
        # Not on what they were: that is Debian's, or another machine's.
        self.tested = re.findall(r"([a-z][a-z0-9-]*) (\d+(?:\.\d+)+)",
                                 self.text.partition("Tested with ")[2].partition(" on ")[0])


PAGES = [page for page in map(Page, sorted(glob.glob(os.path.join(MANUAL, "*.md"))))
         if page.tested]


class Texts(unittest.TestCase):
    def test_each_page_is_short_and_linked(self):
        readme = text_of("README.md")
        self.assertGreater(len(PAGES), 7)
        for page in PAGES:
            self.assertLessEqual(page.text.count("\n"), LINES_MAX, page.name)
            self.assertIn(f"(docs/manual/{page.name})", readme)

    def test_each_version_that_was_tested_is_one_of_the_lists(self):
        locked = "".join(map(text_of, glob.glob(os.path.join(ROOT, "tests/frameworks/*.txt"))))
        for page in PAGES:
            for name, version in page.tested:
                self.assertRegex(locked, rf"(?m)^{re.escape(name)}=={re.escape(version)}[.\s]",
                                 page.name)


@unittest.skipIf(REASON, REASON)
class Commands(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.write("bin/ssh", f'#!/bin/sh\nexec /usr/bin/ssh -F {self.lab.ssh_config} "$@"\n',
                   0o755)
        os.symlink(PYTHON, self.path("bin", "python"))
        for name in ("muster", "horovodrun"):
            os.symlink(MUSTER, self.path("bin", name))
        self.write("train.py", TRAIN)
        self.path_variable = {"PATH": f"{self.path('bin')}:{os.environ['PATH']}"}

    def environment(self, **more):
        return super().environment(**{**self.path_variable, **more})

    def run_line(self, line):
        """On the lab's head where it names hosts, else here."""
        words = shlex.split(line)
        if "node1" in line:
            return self.launch(*words[1:], command=[MUSTER])
        env = Case.environment(self, **self.path_variable)
        return self.start(*words[1:], command=(MUSTER,), env=env).finish()

    def assert_starts(self, done, page, promised=True):
        self.assertEqual(done.code, 0, done)
        seen = [json.loads(line.partition("SEEN ")[2]) for line in done.lines if "SEEN " in line]
        self.assertGreater(len(seen), 1, done)
        for world, names in seen:
            self.assertEqual(world, len(seen), done)
            self.assertEqual(page.promised - set(names) if promised else set(), set(), done)

    def test_each_command(self):
        for page in PAGES:
            self.assertTrue(page.commands, page.name)
            for line in page.commands:
                with self.subTest(page=page.name, command=line):
                    self.assert_starts(self.run_line(line), page)

    def test_each_job(self):
        for page in PAGES:
            for job in page.jobs:
                with self.subTest(page=page.name, job=job):
                    self.write("job.yml", job)
                    self.assert_starts(self.run_line("muster submit job.yml --fake-nodes 2"), page)


if __name__ == "__main__":
    run_tests()

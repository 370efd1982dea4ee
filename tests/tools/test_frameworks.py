"""tools/frameworks: what a build is kept by, that a killed one leaves nothing, and what is told."""

import contextlib
import io
import os
import pathlib
import subprocess
import unittest
from unittest import mock

from tool_case import PYTHON, ROOT, ToolCase, tool

frameworks = tool("frameworks")

TOOL = ROOT / "tools" / "frameworks"


class Frameworks(ToolCase):
    """With lists of their own, and a cache folder of their own."""

    def setUp(self):
        super().setUp()
        self.lists, self.cache = self.folder / "lists", self.folder / "cache"
        self.lists.mkdir()
        self.list_of("nothing", "# Nothing at all.\n")
        for patch in (mock.patch.object(frameworks, "LISTS", self.lists),
                      mock.patch.dict(os.environ, MUSTER_FRAMEWORKS=str(self.cache))):
            patch.start()
            self.addCleanup(patch.stop)

    def list_of(self, name, wanted, locked=""):
        (self.lists / f"{name}.in").write_text(wanted)
        (self.lists / f"{name}.txt").write_text(locked)

    @staticmethod
    def folder_of(name):
        return frameworks.Group(name).folder()

    def quietly_built(self, *names):
        """The folders that were told, and what was said meanwhile."""
        told, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(said):
            frameworks.build([frameworks.Group(name) for name in names])
        return list(map(pathlib.Path, told.getvalue().split())), said.getvalue()

    def test_a_build_is_kept_by_all_that_goes_into_it(self):
        before = self.folder_of("nothing")
        self.assertEqual(before, self.folder_of("nothing"))
        texts = (("# Nothing at all.\n", "six==1.17.0\n"),
                 ("# Nothing at all.\n# sees Debian's packages\n", ""),
                 ("# Nothing at all.\n# setting WITH=1\n", ""),
                 ("# Nothing at all.\n# setting WITH=2\n", ""))
        for wanted, locked in texts:
            self.list_of("nothing", wanted, locked)
            self.assertNotEqual(self.folder_of("nothing"), before, wanted)
            before = self.folder_of("nothing")
        (self.lists / "first.py").write_text("x = 1\n")
        self.list_of("nothing", "# Nothing at all.\n# starts with first\n")
        before = self.folder_of("nothing")
        (self.lists / "first.py").write_text("x = 2\n")
        self.assertNotEqual(self.folder_of("nothing"), before)

    def test_a_build_is_made_once_and_what_a_killed_one_left_goes(self):
        left = self.cache / "building.other.x"
        left.mkdir(parents=True)
        self.list_of("nothing", "# Nothing at all.\n# starts with first\n")
        (self.lists / "first.py").write_text("import builtins\nbuiltins.was_first = True\n")
        (folder,), said = self.quietly_built("nothing")
        self.assertFalse(left.exists())
        self.assertRegex(said, r"nothing: Nothing at all\.\n.*nothing: built in \d+ s, \d+ MB\n")
        words = [folder / "bin/python", "-c", "import sys; print(sys.prefix, was_first)"]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, f"{folder} True\n", "it knows where it lies now")
        self.assertNotIn(b"building.", (folder / "bin/pip").read_bytes())
        self.assertEqual(self.quietly_built("nothing"), ([folder], ""))

    def test_a_build_that_fails_leaves_nothing(self):
        self.list_of("wrong", "# No list of packages.\n", "=== no package\n")
        with self.assertRaises(frameworks.Failed) as failed:
            self.quietly_built("wrong")
        self.assertIn("failed: ", str(failed.exception))
        self.assertEqual(list(self.cache.glob("*wrong*")), [])

    def test_an_index_that_nobody_reaches_is_no_failure_of_a_test(self):
        self.list_of("far", "# Far away.\n", "six==1.17.0 --hash=sha256:" + "0" * 64 + "\n")
        away = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1",
                "PIP_NO_CACHE_DIR": "1", "PIP_FIND_LINKS": ""}
        with mock.patch.dict(os.environ, away), self.assertRaises(frameworks.Failed) as failed:
            self.quietly_built("far")
        self.assertEqual(failed.exception.code, frameworks.UNREACHABLE)

    def run_tool(self, *words):
        return subprocess.run([PYTHON, TOOL, *words], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.PIPE, check=False)

    def test_a_group_that_is_not_there_is_told_with_those_that_are(self):
        done = self.run_tool("jaxx")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"there is no group jaxx; there are: .*\bjax\b.*\btorch113\b")

    def test_where_tells_how_to_build_what_is_not_there(self):
        done = self.run_tool("--where", "jax")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "tools/frameworks: jax was not built; run: "
                                      "tools/frameworks jax\n")

    def test_every_list_says_what_it_is_for_and_is_locked(self):
        lines = self.run_tool("--list").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines],
                         sorted(file.stem for file in (ROOT / "tests/frameworks").glob("*.in")))
        for line in lines:
            name, state, *purpose = line.split()
            self.assertEqual(state, "-", line)
            self.assertTrue(purpose, line)
            locked = (ROOT / f"tests/frameworks/{name}.txt").read_text()
            self.assertRegex(locked, r"(?s)\S+==\S+ \\\n +--hash=sha256:")


if __name__ == "__main__":
    unittest.main()

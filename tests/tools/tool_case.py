"""What the tests of tools share: a build folder that ctest reads, with programs of a few lines."""

import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))


def tool(name):
    """The module that a tool without a suffix is."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class ToolCase(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="muster-tools-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        self.build = self.folder / "build"
        self.build.mkdir()
        (self.build / "CTestTestfile.cmake").touch()

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text)
        return file

    def add_program(self, name, text, properties=""):
        """A test of ctest that is a script in the test's folder."""
        file = self.write(f"{name}.py", text)
        with open(self.build / "CTestTestfile.cmake", "a", encoding="utf-8") as tests:
            tests.write(f'add_test({name} "{PYTHON}" "{file}" "-v")\n')
            if properties:
                tests.write(f"set_tests_properties({name} PROPERTIES {properties})\n")
        return file

    def run_tool(self, name, *words):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"),
                       "COLUMNS": "100"}
        return subprocess.run([PYTHON, str(ROOT / "tools" / name), *map(str, words)], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, env=environment,
                              check=False)

"""`make install` into environments with real frameworks: muster comes, no package is touched."""

# rooms: cli
# needs: matrix frameworks-torch113 frameworks-jax frameworks-tensorflow frameworks-mpis

import os
import shutil
import subprocess
import tempfile
import unittest

from framework_case import framework_or_skip, python_of
from install_case import InstallCase
from support import run_tests

# One module of each, which a rank imports.
GROUPS = {"torch113": "lightning_fabric", "jax": "jaxlib", "tensorflow": "keras",
          "mpis": "mpi4py"}
REASONS = {group: framework_or_skip(group) for group in GROUPS}


class Install(InstallCase):
    def copy_of(self, group):
        """Of an environment, by hard links, which need the same file system."""
        original = os.path.dirname(os.path.dirname(python_of(group)))
        folder = tempfile.mkdtemp(prefix="test.", dir=os.path.dirname(original))
        self.addCleanup(shutil.rmtree, folder)
        copy = os.path.join(folder, "venv")
        subprocess.run(["cp", "-al", original, copy], check=True)
        return copy

    def install_into(self, group):
        venv = self.copy_of(group)
        package = self.install(venv)
        said = self.answer("muster", "run", "-n", "2", "python", "-c",
                           f"import muster, {GROUPS[group]}; print(muster.__path__)",
                           PATH=f"{venv}/bin:/usr/bin:/bin", VIRTUAL_ENV=venv,
                           PYTHONDONTWRITEBYTECODE="1")
        self.assertEqual(said, f"{[package]}\n" * 2)


for name in GROUPS:
    case = unittest.skipIf(REASONS[name], REASONS[name])(
        lambda self, group=name: self.install_into(group))
    setattr(Install, f"test_{name}", case)


if __name__ == "__main__":
    run_tests()

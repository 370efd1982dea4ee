"""The Makefile's targets in any order: what one leaves in the build folder, the next can use.

cmake configures for real in a copy of the tree; what it would build is looked up, not built.
"""

# rooms: make

import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from support import ROOT, run_tests

COPIED = ("Makefile", "CMakeLists.txt", "CMakePresets.json", "src", "bench", "tests", "README.md",
          ".ci", "tools")
PROGRAMS = ("build/muster", "build/tests/sim", "build/bench/plan_binding")
# A target of its own set of packages, which the tests do not install.
BENCH = ["bench"] if glob.glob("/usr/lib/*/cmake/benchmark") else []

# `cmake --build FOLDER --target T...` becomes a question to ninja: could you make T?
CMAKE = f"""#!/bin/sh
[ "$1" = --build ] || exec {shutil.which("cmake")} "$@"
folder=$2; shift 2; [ $# = 0 ] || shift
exec ninja -C "$folder" -t query "${{@:-all}}"
"""
NOTHING = "#!/bin/sh\n"
with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
    MAKEFILE = file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


class Orders(unittest.TestCase):
    def setUp(self):
        self.tree = tempfile.mkdtemp(prefix="muster-make-")
        self.addCleanup(shutil.rmtree, self.tree, ignore_errors=True)
        for name in COPIED:
            here, there = os.path.join(ROOT, name), os.path.join(self.tree, name)
            if os.path.isdir(here):
                # Scripts that run meanwhile may write, and rename, what they have compiled.
                shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(here, there)
        write(f"{self.tree}/path/cmake", CMAKE)
        for program in ("ctest", "clang-format-14"):
            write(f"{self.tree}/path/{program}", NOTHING)
        # The set of packages that has it is not installed by the tests, either.
        write(f"{self.tree}/path/clang++", '#!/bin/sh\nexec c++ "$@"\n')
        for program in ("tools/setup", "tools/kubernetes", "tools/clang_tidy.py", "tools/durations",
                        "tools/stress", *PROGRAMS):
            write(f"{self.tree}/{program}", NOTHING)
        write(f"{self.tree}/bench/bench.py", "")

    def run_here(self, *words):
        path = f"{self.tree}/path:{os.environ['PATH']}"
        done = subprocess.run(words, cwd=self.tree, env={**os.environ, "PATH": path}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout[-3000:]}")
        return done.stdout

    def test_every_target_works_after_the_one_that_builds_least(self):
        for target in ("build", "test", *BENCH, "test-quick", "check-more", "sim", "lint", "stress",
                       "demo", "analyze", "kubernetes", "sanitize"):
            self.run_here("make", target)

    def test_every_target_works_after_the_tests(self):
        for target in ("test", "demo", "build", *BENCH, "check", "test"):
            self.run_here("make", target)

    def test_the_check_of_a_change_does_what_the_readme_says_first(self):
        with open(f"{self.tree}/README.md", encoding="utf-8") as file:
            wanted = [line.split()[1] for line in file if line.startswith("    make ")]
        told = self.run_here(".ci/run").splitlines()
        ran = [line.split()[-1] for line in told if line.startswith(".ci/run: make ")]
        self.assertEqual(wanted, ["demo", "test", "check"])
        self.assertEqual(ran, ["demo", "test", "check-more"])
        self.assertIn("test check-more", re.search("^check: (.*) ##", MAKEFILE, re.M)[1])


if __name__ == "__main__":
    run_tests()

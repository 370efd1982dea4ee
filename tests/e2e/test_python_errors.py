"""A Python rank that raised shows its exception and where in its own code, in the report."""

# rooms: host view

import os
import unittest

from support import MUSTER, PYTHON, UNTIL_GO, Case, run_tests

TORCH = os.path.isdir("/usr/lib/python3/dist-packages/torch")

RAISES = """import os
def inner(batch):
    raise ValueError("bad batch %d" % batch)
def outer():
    inner(40)
if os.environ["RANK"] == "1":
    outer()
"""
# What a JAX of some version has; its clean-up waits for all others, here for ever.
CLEANS_UP = """import atexit, os, signal
def clean_up():
    open("waits." + os.environ["RANK"], "w").close()
    signal.pause()
atexit.register(clean_up)
"""
IS_INITIALIZED = "def is_initialized():\n    return True\n"
STATE = "class State: client = object()\nglobal_state = State()\n"
RECORDED = """import os
from torch.distributed.elastic.multiprocessing.errors import record
def deep():
    raise KeyError("step 40")
@record
def main():
    if os.environ["RANK"] == "1":
        deep()
main()
"""


class PythonErrors(Case):
    def fails(self, *words, **more):
        done = self.muster(*words, seconds=120, **more)
        self.assertEqual(done.code, 1, done)
        return done.errors

    def test_the_exception_and_its_place_are_shown(self):
        self.write("t.py", RAISES)
        for words in (["-n", "2", PYTHON, "t.py"], ["-n", "2", "sh", "-c", f"exec {PYTHON} t.py"],
                      ["--fake-nodes", "2", "-n", "2", PYTHON, "t.py"]):
            errors = self.fails(*words)
            self.assertRegex(errors, r"muster: rank 1 on \S+ exited with code 1 \(pid \d+\): "
                             r"ValueError: bad batch 40\n")
            self.assertRegex(errors, r"    at \S*t.py:3 in inner: raise ValueError\(.*\)\n"
                             r"    at \S*t.py:5 in outer: inner\(40\)\n"
                             r"    at \S*t.py:7 in <module>: outer\(\)\n")

    def test_its_traceback_is_told_once(self):
        """The report has its frames, not its words again."""
        self.write("t.py", RAISES)
        self.write("job.yml", f"muster: 1\ncommand: {PYTHON} t.py\n"
                   "distribution: {type: mpi, process_count_per_node: 2}\n")
        submit = self.fails("job.yml", command=(MUSTER, "submit"))
        run = self.fails("-n", "2", PYTHON, "t.py")
        self.succeeds("-d", "-n", "2", "sh", "-c", f"{UNTIL_GO}; exec {PYTHON} t.py")
        follower = self.start("-f", "last", command=(MUSTER, "logs"))
        self.write("go", "")
        followed = follower.finish()
        self.assertEqual(followed.code, 1, followed)
        for errors in (submit, run, followed.errors):
            self.assertEqual(errors.count("Traceback"), 1, errors)
            self.assertEqual(errors.count("t.py:3 in inner"), 1, errors)

    def test_the_text_of_an_exit_is_the_cause(self):
        """No exception that a hook would see; the text is the last that stderr has, or is not."""
        for ends in ("raise SystemExit('bad batch 40')", "sys.exit('bad batch 40')",
                     "atexit.register(print, 'closed', file=sys.stderr); exit('bad batch 40')",
                     "sys.exit('bad batch 40\\nin data/7')"):
            with self.subTest(ends):
                self.write("t.py", f"import atexit, os, sys\nif os.environ['RANK'] == '1':\n"
                           f"    {ends}\n")
                self.assertRegex(self.fails("-n", "2", PYTHON, "t.py"),
                                 r"muster: rank 1 on \S+ exited with code 1 \(pid \d+\): "
                                 r"bad batch 40\n")

    def test_what_is_written_at_a_good_end_is_no_cause(self):
        self.write("t.py", "import atexit, sys\natexit.register(sys.stderr.write, 'bye\\n')\n"
                   "try:\n    raise SystemExit('caught')\nexcept SystemExit:\n    pass\n")
        self.assertEqual(self.succeeds("-n", "1", PYTHON, "t.py").errors, "bye\n")

    def test_a_good_end_that_prints_in_jax_is_none_that_failed(self):
        self.write("t.py", "import atexit, sys, types\njax = types.ModuleType('jax.distributed')\n"
                   "jax.is_initialized = lambda: True\nsys.modules['jax.distributed'] = jax\n"
                   "atexit.register(print, 'all done', file=sys.stderr)\n")
        self.assertEqual(self.succeeds("-n", "1", PYTHON, "t.py").errors, "all done\n")

    def test_a_warning_of_the_compiler_hides_no_exit(self):
        self.write("t.py", 'x = "\\d" if 1 is 1 else 0\nraise SystemExit("bad batch")\n')
        self.assertIn(": bad batch\n", self.fails("-n", "1", PYTHON, "t.py"))

    def test_a_rank_that_raised_does_not_wait_in_jax(self):
        """Whether a JAX has public names, those of its source, or neither, the cause is told."""
        for name, public, state in (("public", IS_INITIALIZED, ""), ("older", "", STATE)):
            with self.subTest(name):
                os.makedirs(self.path(name, "jax", "_src"))
                self.write(f"{name}/jax/__init__.py", "from jax import distributed\n"
                           "from jax._src import api\n" +
                           ("import jax._src.distributed\n" if state == STATE else ""))
                self.write(f"{name}/jax/distributed.py", public)
                self.write(f"{name}/jax/_src/__init__.py", "")
                self.write(f"{name}/jax/_src/api.py", CLEANS_UP)
                self.write(f"{name}/jax/_src/distributed.py", state)
                env = self.environment(PYTHONPATH=self.path(name))
                # The other rank waits in its clean-up, until it is ended.
                for ends in RAISES, RAISES.replace("raise ValueError", "raise SystemExit"):
                    self.write("t.py", "import jax\n" + ends)
                    self.assertIn(": bad batch 40\n", self.fails("-n", "2", PYTHON, "t.py",
                                                                 env=env))
                    self.assertFalse(os.path.exists(self.path("waits.1")))

    def test_a_jax_without_any_of_its_names_loses_no_more_than_time(self):
        os.makedirs(self.path("other", "jax"))
        self.write("other/jax/__init__.py", "import atexit\n"
                   "atexit.register(lambda: open('cleaned', 'w').close())\n")
        self.write("t.py", "import jax\n" + RAISES)
        errors = self.fails("-n", "2", PYTHON, "t.py",
                            env=self.environment(PYTHONPATH=self.path("other")))
        self.assertIn("ValueError: bad batch 40", errors)
        self.assertIn("t.py:4 in inner", errors)
        self.assertTrue(os.path.exists(self.path("cleaned")))

    def test_a_script_of_its_own_interpreter(self):
        self.write("t", f"#!{PYTHON}\n" + RAISES, 0o755)
        self.assertIn("t:4 in inner", self.fails("-n", "2", "./t"))

    def test_it_can_be_turned_off(self):
        self.write("t.py", RAISES)
        errors = self.fails("-n", "2", "--no-python-errors", PYTHON, "t.py")
        self.assertNotIn("    at ", errors)
        self.assertIn("ValueError: bad batch 40", errors)  # the last words are shown as ever

    def test_nothing_else_is_touched(self):
        os.mkdir(self.path("site"))
        self.write("site/sitecustomize.py", "print('own sitecustomize')\n")
        self.write("t.py", "import os, subprocess, sys\n"
                   "print(os.environ.get('PYTHONPATH'), [p for p in sys.path if '/proc/' in p])\n"
                   "sys.stdout.flush()\n"
                   "subprocess.run([sys.executable, '-c', 'raise SystemExit(0)'])\n"
                   "pid = os.fork()\nif pid == 0:\n    raise RuntimeError('of a child')\n"
                   "os.waitpid(pid, 0)\nos._exit(5)\n")
        env = self.environment(PYTHONPATH=self.path("site"))
        done = self.muster("-n", "1", PYTHON, "t.py", env=env)
        self.assertEqual(done.code, 5, done)
        self.assertEqual(done.text.splitlines(), ["own sitecustomize", f"{self.path('site')} []",
                                                  "own sitecustomize"], done)
        self.assertNotIn("    at ", done.errors)  # the rank itself raised nothing

    def test_each_torch_sees_the_name_of_its_time(self):
        versions = ("1.13.0", 2), ("2.1.2+cu121", 2), ("2.2.0", 1), ("2.11.0+cu130", 1)
        for version, names in versions:
            folder = self.path(version)
            os.makedirs(os.path.join(folder, "torch"))
            self.write(f"{version}/torch/version.py", "from typing import Optional\n"
                       f"__all__ = ['__version__', 'debug']\n__version__ = '{version}'\n")
            env = self.environment(PYTHONPATH=folder)
            program = ["--no-python", PYTHON, "-c", "import os, subprocess\n"
                       "subprocess.run(['sh', '-c', 'env | grep HANDLING=.$'])"]
            done = self.muster(*program, env=env, command=(MUSTER, "torchrun"))
            self.assertEqual(len(done.text.splitlines()), names, f"{version}: {done}")
            self.assertIn("TORCH_NCCL_ASYNC_ERROR_HANDLING=1\n", done.text)
            env["NCCL_ASYNC_ERROR_HANDLING"] = "0"  # the user's own
            done = self.muster(*program, env=env, command=(MUSTER, "torchrun"))
            self.assertIn("\nNCCL_ASYNC_ERROR_HANDLING=0\n", "\n" + done.text)

    def test_long_and_odd_exceptions_are_bounded(self):
        self.write("t.py", "raise ValueError('\\x1b[31m' + 'x' * 10 ** 6 + '\\u2603')\n")
        errors = self.fails("-n", "1", PYTHON, "t.py")
        report = errors[errors.index("muster: rank 0"):]  # what the rank said itself came before
        self.assertIn("ValueError", report)
        self.assertFalse("\x1b" in report, "a control character")
        self.assertLess(len(report), 20_000)

    def test_other_programs_have_no_file(self):
        done = self.succeeds("-n", "1", "sh", "-c", "echo ${TORCHELASTIC_ERROR_FILE-none}")
        self.assertEqual(done.text, "none\n")
        done = self.succeeds("--no_python", "sh", "-c", "echo ${TORCHELASTIC_ERROR_FILE-none}",
                             command=(MUSTER, "torchrun"))
        self.assertTrue(done.text.startswith("/proc/"), done)

    @unittest.skipUnless(TORCH, "there is no torch here")
    def test_what_record_writes_is_read(self):
        self.write("t.py", RECORDED)
        errors = self.fails("--nproc_per_node", "2", "t.py", command=(MUSTER, "torchrun"),
                            env=self.environment(PYTHON_EXEC=PYTHON))
        self.assertIn("KeyError: 'step 40'", errors)
        self.assertRegex(errors, r"    at \S*t.py:4 in deep: raise KeyError\(\"step 40\"\)\n")


if __name__ == "__main__":
    run_tests()

"""tools/stress: runs what is missing, keeps it, and ends its busy loops however it ends itself."""

import argparse
import json
import os
import select
import signal
import subprocess
import types
import unittest

from tool_case import PYTHON, ROOT, ToolCase, tool

import ctest_results
import loaded_ctest
import stress_results

stress = tool("stress")

LABELS = 'LABELS "script;room_base"'
WAIT_SECONDS = 60  # for an event of a process that this test has started
# Notes each of its runs; fails, is skipped or waits as the files beside it say.
SCRIPT = '''
import os, pathlib, sys
here = pathlib.Path(__file__).parent
name = pathlib.Path(__file__).stem
with open(here / "runs", "a") as runs:
    runs.write(name + "\\n")
if (here / "skip").exists():
    sys.exit(77)
if (here / "begun").exists() and len((here / "runs").read_text().split()) > 1:
    os.write(os.open(here / "begun", os.O_WRONLY), b"x")
    os.read(os.open(here / "never", os.O_RDONLY), 1)
if (here / "break").exists():
    print("evidence")
    sys.exit(1)
'''


class Lines(unittest.TestCase):
    def test_results_in_what_ctest_prints(self):
        lines = ["Test project /x\n", "    Start  1: a\n", "      Start 12: b\n",
                 " 1/14 Test  #1: a ...................   Passed    1.50 sec\n",
                 " 2/14 Test #12: b ...................***Failed    2.25 sec\n",
                 "why\n", "1/2 of it\n", "\n", "    Start  3: c\n",
                 " 3/14 Test  #3: c ...................***Skipped   0.01 sec\n",
                 "14/14 Test  #4: d ...................***Exception: SegFault  0.10 sec\n",
                 "\n", "50% tests passed, 2 tests failed out of 4\n", "after\n"]
        found = [(one.name, one.status, one.seconds, one.output.strip(), one.reason)
                 for one in loaded_ctest.results_in(lines)]
        self.assertEqual(found, [("a", "passed", 1.5, "", "Passed"),
                                 ("b", "failed", 2.25, "why\n1/2 of it", "Failed"),
                                 ("c", "skipped", 0.01, "", "Skipped"),
                                 ("d", "failed", 0.1, "", "Exception: SegFault")])


class Keys(ToolCase):
    """On a made-up repository."""

    CMAKE = ("function(room name)\nroom(base fmt)\nroom(plan base)\nroom(cli plan)\n"
             "room(head base)\n")

    def setUp(self):
        super().setUp()
        for name in ("base", "plan", "cli", "head"):
            (self.folder / "src" / name).mkdir(parents=True)
            self.write(f"src/{name}/a.cpp", name)
        (self.folder / "tests" / "e2e").mkdir(parents=True)
        self.write("src/CMakeLists.txt", self.CMAKE)
        self.write("tests/e2e/support.py", "")
        self.write("tests/e2e/test_a.py", "import test_b\n")
        self.write("tests/e2e/test_b.py", "")
        self.write("tests/e2e/test_c.py", "")

    def key(self, *rooms):
        stress_results.digest_of_file.cache_clear()
        program = ctest_results.Program("a", [PYTHON, str(self.folder / "tests/e2e/test_a.py")],
                                        {"LABELS": [f"room_{room}" for room in rooms]})
        return stress_results.key_of(program, self.folder)

    def test_rooms_that_are_linked(self):
        needed = stress_results.rooms_needed
        self.assertEqual(needed(["cli"], self.CMAKE), {"cli", "plan", "base"})
        self.assertEqual(needed(["head", "base"], self.CMAKE), {"head", "base"})
        self.assertEqual(needed([], self.CMAKE), set())

    def test_what_changes_the_key(self):
        for name, changes in [("src/plan/a.cpp", True), ("src/base/a.cpp", True),
                              ("src/cli/a.cpp", False), ("src/head/new.cpp", False),
                              ("src/plan/new.hpp", True), ("tests/e2e/support.py", True),
                              ("tests/e2e/test_a.py", True), ("tests/e2e/test_b.py", False),
                              ("tests/e2e/test_c.py", False)]:
            before = self.key("plan")
            if name == "tests/e2e/test_b.py":  # which test_a.py no longer imports
                self.write("tests/e2e/test_a.py", "import os\n")
                before = self.key("plan")
            self.write(name, "changed " + name)
            self.assertEqual(self.key("plan") != before, changes, name)

    def test_an_imported_script(self):
        before = self.key("plan")
        self.write("tests/e2e/test_b.py", "changed")
        self.assertNotEqual(self.key("plan"), before)

    def test_without_known_rooms_all_of_src_counts(self):
        for rooms in ([], ["plan", "attic"]):
            before = self.key(*rooms)
            self.write("src/head/a.cpp", f"changed for {rooms}")
            self.assertNotEqual(self.key(*rooms), before)


class Parts(ToolCase):
    def test_of_about_the_same_weight(self):
        weights = {"a": 9.0, "b": 5.0, "c": 4.0, "d": 1.0}
        self.assertEqual(stress_results.parts_of(weights, 2), {"a": 1, "b": 2, "c": 2, "d": 1})

    def test_are_cut_once(self):
        """Whatever becomes known between two calls, each script is in one part."""
        scripts = [types.SimpleNamespace(name=name, key="k") for name in "abcdef"]
        found = []
        for number in (1, 2, 3):
            results = stress_results.Results(self.folder / "results.jsonl")
            found += stress_results.part(scripts, number, 3, results)
            for weight, name in enumerate("fedcba"):
                results.add(program=name, loaded=False, status="passed", seconds=weight ** number)
        self.assertEqual(sorted(one.name for one in found), list("abcdef"))
        scripts[0].key = "changed"  # so they are cut anew, by what is known
        self.assertEqual([one.name for one in stress_results.part(scripts, 1, 3, results)], ["a"])

    def test_a_last_line_that_is_cut(self):
        file = self.write("results.jsonl", '{"program": "a"}\n{"prog')
        stress_results.Results(file).add(program="b")
        self.assertEqual([row["program"] for row in stress_results.Results(file).rows], ["a", "b"])


class Calls(ToolCase):
    def stress(self, *words, runs=2):
        done = self.run_tool("stress", "--build", self.build, "--runs", runs, "--loops", 1, *words)
        return done.returncode, done.stdout + done.stderr

    def runs(self):
        return (self.folder / "runs").read_text().split()

    def test_runs_are_kept_and_not_repeated(self):
        script = self.add_program("a", SCRIPT, LABELS)
        self.add_program("not_a_script", SCRIPT)
        code, told = self.stress()
        self.assertEqual((code, self.runs()), (0, ["a"] * 3), told)
        self.assertRegex(told, r"(?m)^a +2 +0 +\d+\.\d +\d+\.\d +\d+\.\d$")
        kept = self.folder / "cache" / "muster-stress" / "results.jsonl"
        rows = [json.loads(line) for line in kept.read_text().splitlines()]
        self.assertEqual([(row["loaded"], row["status"]) for row in rows],
                         [(False, "passed"), (True, "passed"), (True, "passed")])
        self.assertEqual(self.stress()[0], 0)
        self.assertEqual(self.runs(), ["a"] * 3)
        self.assertEqual(self.stress(runs=3)[0], 0)
        self.assertEqual(self.runs(), ["a"] * 4)
        script.write_text(SCRIPT + "# changed\n")
        self.assertEqual(self.stress()[0], 0)
        self.assertEqual(self.runs(), ["a"] * 7)

    def test_a_failure_stands_until_it_is_forgotten(self):
        self.add_program("a", SCRIPT, LABELS)
        self.assertEqual(self.stress()[0], 0)
        self.write("break", "")
        code, told = self.stress(runs=3)
        self.assertEqual(code, 1, told)
        file = next((self.folder / "cache" / "muster-stress" / "failed").iterdir())
        self.assertIn(f"whole output: {file}\nto repeat:    {PYTHON} ", told)
        self.assertEqual(file.read_text().strip(), "evidence")
        (self.folder / "break").unlink()
        self.assertEqual(self.stress(runs=3)[0], 1)
        self.assertEqual(self.run_tool("stress", "--forget", "^a$").stdout, "4 results dropped\n")
        self.assertFalse(file.exists())
        self.assertEqual(self.stress()[0], 0)

    def test_what_fails_without_load_is_not_run_under_load(self):
        self.add_program("a", SCRIPT, LABELS)
        self.write("break", "")
        code, told = self.stress()
        self.assertEqual((code, self.runs()), (1, ["a"]), told)
        self.assertIn("FAILED a without load (Failed, ", told)

    def test_a_skipped_script_is_tried_each_time(self):
        self.add_program("a", SCRIPT, LABELS + " SKIP_RETURN_CODE 77")
        self.write("skip", "")
        code, told = self.stress()
        self.assertEqual((code, self.runs()), (0, ["a"]), told)
        self.assertIn("\nskipped: a\n", told)
        (self.folder / "skip").unlink()
        self.assertEqual(self.stress()[0], 0)
        self.assertEqual(self.runs(), ["a"] * 4)

    def test_the_list_runs_nothing(self):
        self.add_program("a", SCRIPT, LABELS)
        self.add_program("b", SCRIPT, LABELS)
        code, told = self.stress("--list", "--only", "b")
        self.assertEqual(code, 0, told)
        self.assertIn("not run yet: b\n", told)
        self.assertFalse((self.folder / "runs").exists())

    def test_words_that_make_no_sense(self):
        self.add_program("a", SCRIPT, LABELS)
        for text in ("4/3", "0/3", "x", "1/2/3"):
            self.assertRaises(argparse.ArgumentTypeError, stress.part_words, text)
        for text in ("0", "1000", "-1", "x"):
            self.assertRaises(argparse.ArgumentTypeError, stress.run_count, text)
        self.assertEqual(stress.part_words(""), (1, 1))
        self.assertEqual(self.stress("--part", "4/3")[0], 2)
        code, told = self.stress("--only", "nothing")
        self.assertEqual(code, 1)
        self.assertIn("no test of", told)


class Ends(ToolCase):
    """The tool is ended while a script runs beside its busy loops."""

    def event(self, descriptor, what):
        ready = select.select([descriptor], [], [], WAIT_SECONDS)[0]
        self.assertTrue(ready, f"not within {WAIT_SECONDS} s: {what}")

    def started(self):
        """The tool, as soon as a script runs under load, and descriptors of its children."""
        self.add_program("a", SCRIPT, LABELS)
        os.mkfifo(self.folder / "begun")
        os.mkfifo(self.folder / "never")
        begun = os.open(self.folder / "begun", os.O_RDWR | os.O_NONBLOCK)
        never = os.open(self.folder / "never", os.O_RDWR)
        words = [PYTHON, str(ROOT / "tools" / "stress"), "--build", self.build, "--results",
                 self.folder / "results.jsonl", "--runs", "1", "--loops", "1"]
        tool_process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.addCleanup(tool_process.communicate)
        self.addCleanup(tool_process.kill)
        self.event(begun, "a script under load")
        with open(f"/proc/{tool_process.pid}/task/{tool_process.pid}/children",
                  encoding="ascii") as file:
            children = [os.pidfd_open(int(pid)) for pid in file.read().split()]
        for descriptor in (begun, never, *children):
            self.addCleanup(os.close, descriptor)
        return tool_process, never, children

    def ended_by(self, number, code):
        tool_process, _, children = self.started()
        self.assertEqual(len(children), 1 + 1)  # ctest and the loop
        tool_process.send_signal(number)
        told = tool_process.communicate(timeout=WAIT_SECONDS)[0]
        self.assertEqual(tool_process.returncode, code, told)
        self.assertIn("runs under load that are missing: 1\n", told)
        self.assertNotIn("FAILED", told)
        for child in children:
            self.event(child, "the end of a child")

    def test_by_ctrl_c(self):
        self.ended_by(signal.SIGINT, 130)

    def test_by_sigterm(self):
        self.ended_by(signal.SIGTERM, 143)

    def test_by_sigkill(self):
        tool_process, never, children = self.started()
        tool_process.kill()
        for child in children:
            self.event(child, "the end of a child")
        os.write(never, b"x")  # the script, which has nobody left, ends by itself


if __name__ == "__main__":
    unittest.main()

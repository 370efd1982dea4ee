"""tools/durations: cases are counted and named, failures shown with how to repeat them, and two
runs compared, with output as GoogleTest, unittest and ctest really write it."""

import contextlib
import io
import json
import subprocess
import unittest

from tool_case import PYTHON, ToolCase, tool

import ctest_results

durations = tool("durations")

GTEST = """Running main() from gmock_main.cc
[==========] Running 5 tests from 2 test suites.
[ RUN      ] Place.Fills
[       OK ] Place.Fills (0 ms)
[ RUN      ] Place.Wraps
place_test.cpp:7: Failure
Expected equality of these values: 1, 2
[  FAILED  ] Place.Wraps (3 ms)
[ RUN      ] Place.Later
[  SKIPPED ] Place.Later (0 ms)
[ RUN      ] All/Each.Size/0
[       OK ] All/Each.Size/0 (0 ms)
[ RUN      ] All/Each.Size/1
place_test.cpp:9: Failure
[  FAILED  ] All/Each.Size/1, where GetParam() = 2 (0 ms)
[==========] 5 tests from 2 test suites ran. (9 ms total)
[  FAILED  ] 2 tests, listed below:
[  FAILED  ] Place.Wraps
[  FAILED  ] All/Each.Size/1, where GetParam() = 2
"""

SCRIPT = '''
import sys
import unittest

class First(unittest.TestCase):
    def test_fine(self):
        """Has words of its own."""

    def test_wrong(self):
        print("noise without an end of line", end="", file=sys.stderr)
        self.assertEqual({"evidence": 1}, {})

    def test_broken(self):
        raise RuntimeError("broke")

    @unittest.skip("not here")
    def test_skipped(self):
        pass

    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)

@unittest.skip("nowhere")
class Second(unittest.TestCase):
    def test_fine(self):
        pass

unittest.main()
'''


class Cases(ToolCase):
    def test_of_gtest(self):
        self.assertEqual(ctest_results.count_of(GTEST), 5)
        self.assertEqual(ctest_results.cases_of(GTEST), {
            "Place.Fills": "passed", "Place.Wraps": "failed", "Place.Later": "skipped",
            "All/Each.Size/0": "passed", "All/Each.Size/1": "failed"})
        blocks = ctest_results.failing_output(GTEST)
        self.assertTrue(blocks.startswith("[ RUN      ] Place.Wraps\nplace_test.cpp:7"), blocks)
        self.assertTrue(blocks.endswith("] All/Each.Size/1, where GetParam() = 2 (0 ms)"), blocks)
        self.assertNotIn("Place.Fills", blocks)
        self.assertNotIn("listed below", blocks)

    def test_of_a_gtest_that_crashed(self):
        crashed = GTEST[:GTEST.index("[  FAILED  ] Place.Wraps")]
        self.assertEqual(ctest_results.count_of(crashed), 5)
        self.assertEqual(ctest_results.cases_of(crashed)["Place.Wraps"], "failed")
        self.assertIn("place_test.cpp:7", ctest_results.failing_output(crashed))

    def output_of_script(self):
        file = self.write("test_x.py", SCRIPT)
        return subprocess.run([PYTHON, str(file), "-v"], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, check=False).stdout

    def test_of_unittest(self):
        output = self.output_of_script()
        self.assertEqual(ctest_results.count_of(output), 6, output)
        self.assertEqual(ctest_results.cases_of(output), {
            "First.test_fine": "passed", "First.test_wrong": "failed",
            "First.test_broken": "failed", "First.test_skipped": "skipped",
            "First.test_parts": "failed", "Second.test_fine": "skipped"}, output)
        blocks = ctest_results.failing_output(output)
        self.assertTrue(blocks.startswith("=" * 70 + "\nERROR: test_broken"), blocks)
        self.assertIn("{'evidence': 1} != {}", blocks)
        self.assertNotIn("Ran 6", blocks)

    def test_of_a_unittest_that_was_ended(self):
        output = self.output_of_script()
        last = "test_wrong (__main__.First.test_wrong)"
        ended = output[:output.index(last) + len(last)]
        self.assertEqual(ctest_results.cases_of(ended)["First.test_wrong"], "failed")
        self.assertIn("test_wrong", ctest_results.failing_output(ended))

    def test_of_other_programs(self):
        self.assertEqual(ctest_results.count_of("fine\n"), 1)
        self.assertEqual(ctest_results.cases_of("fine\n"), {})
        self.assertEqual(ctest_results.failing_output("a\n" * 500).count("a"), 100)

    def test_bounded(self):
        text = "\n".join(map(str, range(100)))
        self.assertEqual(ctest_results.bounded(text, 100), text)
        self.assertEqual(ctest_results.bounded(text, 3), "0\n1\n... 97 lines are left out ...\n99")

    def test_a_narrow_table(self):
        lines = ctest_results.table(["program", "seconds"], [["a_long_name_of_it", "1.0"]], 20)
        self.assertEqual(lines, ["program      seconds", "a_long_nam…      1.0"])


class OneRun(ToolCase):
    def run_all(self, file="junit.xml"):
        subprocess.run(["ctest", "--test-dir", str(self.build), "--output-junit", file,
                        "--test-output-size-passed", "100000"], capture_output=True, check=False)
        return self.build / file

    def some_programs(self):
        self.add_program("e2e_x", SCRIPT, 'LABELS "script;group_e2e"')
        self.add_program("unit_x", f"print({GTEST!r})", "LABELS group_unit")
        self.add_program("other", "print('fine')")
        self.add_program("away", "raise SystemExit(77)", "SKIP_RETURN_CODE 77 LABELS group_e2e")
        self.add_program("off", "", "DISABLED TRUE LABELS group_e2e")
        with open(self.build / "CTestTestfile.cmake", "a", encoding="utf-8") as tests:
            tests.write('add_test(unbuilt "/nowhere/unbuilt")\n')

    def test_totals_and_failures(self):
        self.some_programs()
        done = self.run_tool("durations", self.run_all())
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stdout, r"(?m)^e2e +3 +8 +2 +\d+\.\d$")
        self.assertRegex(done.stdout, r"(?m)^unit +1 +5 +1 +\d+\.\d$")
        self.assertRegex(done.stdout, r"(?m)^all +6 +15 +3 +\d+\.\d$")
        self.assertRegex(done.stdout, r"skipped programs: \S+:away \S+:off\n")
        self.assertIn("(Unable to find executable)", done.stdout)
        self.assertRegex(done.stdout, rf"to repeat: +{PYTHON} \S+/e2e_x.py First.test_broken "
                                      "First.test_parts First.test_wrong\n")
        self.assertIn("2 of the programs failed", done.stdout)
        self.assertIn("-R '^(e2e_x|unbuilt)$' --output-on-failure", done.stdout)
        self.assertIn("RuntimeError: broke", done.stdout)
        self.assertIn("test_skipped", (self.build / "failed" / "e2e_x.log").read_text())

    def test_a_gtest_is_repeated_with_a_filter(self):
        program = ctest_results.Program("unit_x", [f"{ctest_results.ROOT}/build/tests/unit_x"], {})
        self.assertEqual(ctest_results.command_for(program, ["A.b", "C.d"]),
                         "build/tests/unit_x --gtest_filter=A.b:C.d")
        self.assertEqual(ctest_results.command_for(program, ["A.b"] * 11), "build/tests/unit_x")

    def test_a_script_of_another_build_names_its_binary(self):
        program = ctest_results.Program("e2e_x", [PYTHON, "/x/test_x.py", "-v"],
                                        {"ENVIRONMENT": ["MUSTER=/y/muster", "A=b"]})
        self.assertEqual(ctest_results.command_for(program, []),
                         f"MUSTER=/y/muster {PYTHON} /x/test_x.py")

    def test_json(self):
        self.some_programs()
        done = self.run_tool("durations", "--json", self.run_all())
        told = json.loads(done.stdout)
        self.assertEqual((told["groups"]["all"]["cases"], len(told["slowest"])), (15, 6))
        of_e2e = next(one for one in told["programs"] if one["program"] == "e2e_x")
        self.assertEqual((of_e2e["status"], of_e2e["cases"]), ("failed", 6))
        self.assertEqual(of_e2e["skipped"], ["First.test_skipped", "Second.test_fine"])
        self.assertIn("RuntimeError: broke", of_e2e["evidence"])

    def test_several_files(self):
        self.add_program("one", "print('fine')", "LABELS group_a")
        first = self.run_all()
        self.add_program("two", "print('fine')", "LABELS group_b")
        second = self.run_all("second.xml")
        done = self.run_tool("durations", first, second)
        self.assertEqual(done.returncode, 0, done)
        self.assertRegex(done.stdout, r"(?m)^a +1 +1 +0 .*\nb +1 +1 +0 .*\nall +2 +2 +0 ")

    def test_cut_output_and_a_time_limit_are_told(self):
        self.add_program("slow", "", "TIMEOUT 300")
        junit = self.write("build/junit.xml", f"""<testsuite><testcase name="slow" time="299.9"
            status="fail"><failure message=""/><system-out>{ctest_results.CUT} of 1024 bytes.]
            </system-out></testcase></testsuite>""")
        done = self.run_tool("durations", junit)
        self.assertIn("ended by ctest at its TIMEOUT of 300 s", done.stdout)
        self.assertIn("--test-output-size-passed 10000000", done.stdout)

    def test_a_file_that_is_missing(self):
        done = self.run_tool("durations", self.build / "none.xml")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertIn("none.xml", done.stderr)


def entry(program, names, skipped=(), group="e2e", **more):
    return {"program": program, "group": group, "build": "build", "status": "passed",
            "seconds": 1.0, "cases": len(names) or 1, "names": names, "skipped": list(skipped),
            "cut": False, **more}


class TwoRuns(unittest.TestCase):
    def compared(self, before, after):
        with contextlib.redirect_stdout(io.StringIO()) as told:
            code = durations.compare(before, after)
        return code, told.getvalue()

    def test_nothing_is_gone(self):
        runs = [entry("a", ["X.one", "X.two"]), entry("talk", [])]
        code, told = self.compared(runs, [*runs, entry("b", ["Y.one"])])
        self.assertEqual(code, 0, told)
        self.assertIn("gone: none", told)
        self.assertIn("new: 1\n  b  Y.one\n", told)
        self.assertRegex(told, r"(?m)^e2e +2 +3 +3 +4 +0 +0 +2 +3$")

    def test_cases_that_are_gone(self):
        code, told = self.compared([entry("a", ["X.one", "X.two"]), entry("talk", [])],
                                   [entry("a", ["X.one"])])
        self.assertEqual(code, 1, told)
        self.assertIn("gone: 2\n  a  X.two\n  talk  talk\n", told)

    def test_a_case_that_moved(self):
        code, told = self.compared([entry("a", ["X.one", "X.two"])],
                                   [entry("a", ["X.one"]), entry("b", ["X.two"])])
        self.assertEqual(code, 0, told)
        self.assertIn("moved to another program: 1\n  a -> b  X.two\n", told)

    def test_a_case_that_is_now_skipped(self):
        for program in ("a", "b"):
            code, told = self.compared([entry("a", ["X.one"])],
                                       [entry(program, ["X.one"], ["X.one"])])
            self.assertEqual(code, 1, told)
            self.assertIn(f"run before, now skipped: 1\n  {program}  X.one\n", told)
        code, told = self.compared([entry("talk", [])], [entry("talk", [], status="skipped")])
        self.assertEqual(code, 1, told)

    def test_the_build_folder_does_not_count(self):
        run = entry("a", ["X.one"])
        code, told = self.compared([run, {**run, "build": "other"}], [{**run, "build": "other"}])
        self.assertEqual(code, 0, told)

    def test_what_cannot_be_compared(self):
        _, told = self.compared([entry("a", ["X.one"], cases=2)], [entry("a", ["X.one"])])
        self.assertIn("because some are not named: a\n", told)


if __name__ == "__main__":
    unittest.main()

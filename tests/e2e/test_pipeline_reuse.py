"""Deterministic steps are reused, and code is that of the moment of the submit."""

# rooms: cli front store snapshot blobs

import os
import re

from pipeline_case import PipelineCase
from support import MUSTER, run_tests

TWO = """type: pipeline
settings: {force_rerun: %s}
jobs:
  make:
    component: ./make.yml
    inputs: {word: "${{parent.inputs.word}}", given: "${{parent.inputs.given}}"}
  use:
    component: ./use.yml
    inputs: {made: "${{parent.jobs.make.outputs.made}}"}
inputs:
  word: one
  given: {type: uri_file, path: given}
"""
MAKE = """$schema: commandComponent
is_deterministic: true
code: src
command: sh make.sh ${{inputs.word}} $(cat ${{inputs.given}}) > ${{outputs.made}}/made
inputs: {word: {type: string}, given: {type: uri_file}}
outputs: {made: {}}
"""
USE = """$schema: commandComponent
is_deterministic: true
code: other
command: echo $(cat ${{inputs.made}}/made) >> $DIR/used
inputs: {made: {}}
"""


class Reuses(PipelineCase):
    """Steps that are declared deterministic, and would do what they did before."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("src"))
        os.mkdir(self.path("other"))
        for name, text in (("two.yml", TWO % "false"), ("make.yml", MAKE), ("use.yml", USE),
                           ("given", "here"), ("src/make.sh", 'echo "$@"\n')):
            self.write(name, text)

    def states(self, *words):
        """Of both steps, after one more run; explain has said the same before."""
        planned = self.told("explain", "two.yml", *words).text
        self.submit(*words, file="two.yml")
        states = list(self.steps().values())
        reused = [bool(re.search(rf"(?m) {name} .*reused$", planned)) for name in ("make", "use")]
        self.assertEqual(reused, [state == "reused" for state in states], planned)
        return states

    def test_nothing_has_changed(self):
        self.assertEqual(self.states(), ["completed", "completed"])
        self.assertEqual(self.states(), ["reused", "reused"])
        self.assertEqual(self.read("used"), b"one here\n")
        made = self.show()["folder"] + "/steps/make/outputs/made/made"
        with open(made, encoding="utf-8") as file:
            self.assertEqual(file.read(), "one here\n")

    def test_what_a_result_depends_on(self):
        self.states()
        self.assertEqual(self.states("--set", "inputs.word=two"), ["completed", "completed"])
        self.write("given", "there")
        self.assertEqual(self.states(), ["completed", "completed"])
        self.write("src/make.sh", 'echo "$@" # the same\n')
        self.assertNotRegex(self.told("explain", "two.yml").text, "(?m) make .*reused$")
        self.submit(file="two.yml")
        self.assertEqual(self.steps(), {"make": "completed", "use": "reused"})
        self.write("make.yml", MAKE.replace("sh make.sh", "sh ./make.sh"))
        self.submit(file="two.yml")
        self.assertEqual(self.steps(), {"make": "completed", "use": "reused"})

    def test_results_that_are_not_as_they_were(self):
        self.states()
        made = self.show()["folder"] + "/steps/make/outputs/made/made"
        with open(made, "a", encoding="utf-8") as file:
            file.write("more")
        self.submit(file="two.yml")
        self.assertEqual(self.steps()["make"], "completed")
        for _ in range(2):
            self.told("rm", "last")
        self.assertEqual(self.states(), ["completed", "completed"])

    def runs(self, *words):
        """What explain cannot know: whether a step makes the same as before."""
        self.submit(*words, file="two.yml")
        return list(self.steps().values())

    def test_what_is_not_known_to_be_the_same_runs_again(self):
        self.write("make.yml", MAKE.replace("code: src\n", "").replace("make.sh", "src/make.sh"))
        self.runs()
        self.assertEqual(self.runs(), ["completed", "reused"], "it may read any file")
        self.assertEqual(self.runs("--no-snapshot"), ["completed", "completed"])
        self.write("make.yml", MAKE.replace("made: {}", "made: {path: made}"))
        self.runs()
        self.assertEqual(self.runs(), ["completed", "reused"], "others may write there")

    def test_unless_told_to_run_all(self):
        self.states()
        self.write("two.yml", TWO % "true")
        self.assertEqual(self.states(), ["completed", "completed"])


class Queues(PipelineCase):
    def test_code_is_that_of_the_moment_of_the_submit(self):
        os.mkdir(self.path("src"))
        self.write("src/say.sh", "echo before\n")
        self.write("wait.yml", "type: pipeline\njobs:\n"
                   "  first: {command: 'echo > $DIR/ready; while [ ! -e $DIR/go ]; do sleep 0.01; "
                   "done', outputs: {x: {}}}\n"
                   "  later: {command: sh say.sh, code: src, "
                   "inputs: {x: '${{parent.jobs.first.outputs.x}}'}}\n")
        one = self.start("wait.yml", command=(MUSTER, "submit"))
        self.wait_for_files(["ready"])
        self.write("src/say.sh", "echo after\n")
        self.write("go", "")
        self.assertEqual(one.finish().text, "later: before\n")
        self.assertEqual(self.told("rerun", "last/later").text, "later: before\n")
        self.assertEqual(self.told("rerun", "--fresh-code", "last/later").text, "later: after\n")

    def test_a_folder_of_code_that_has_gone(self):
        for name in "ab":
            os.mkdir(self.path(name))
            self.write(f"{name}/say.sh", f"echo {name}; test -e $DIR/go\n")
        self.write("two.yml", "type: pipeline\njobs:\n"
                   "  one: {command: sh say.sh || true, code: a}\n"
                   "  two: {command: sh say.sh, code: b}\n")
        self.submit(file="two.yml", code=1)
        os.rename(self.path("a"), self.path("gone"))
        os.rename(self.path("b"), self.path("also-gone"))
        self.write("go", "")
        self.assertEqual(self.told("rerun", "last").text, "two: b\n")


if __name__ == "__main__":
    run_tests()

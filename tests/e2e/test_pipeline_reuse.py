"""Deterministic steps are reused, and code is that of the moment of the submit."""

# rooms: cli front store snapshot blobs
# attacks

import os
import re

from pipeline_case import PipelineCase
from support import MUSTER, UNTIL_GO, no_small_disk, run_tests

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
        for name, text in (("two.yml", TWO % "false"), ("make.yml", MAKE),
                           ("use.yml", USE.replace("$DIR", self.folder)),  # it gets no DIR
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

    def runs_again(self, why):
        """The step make, each time; explain and the run say the same."""
        self.runs()
        self.assertEqual(self.runs(), ["completed", "reused"])
        self.assertRegex(self.told("explain", "two.yml").text, f"(?m)^make is not reused: {why}")
        self.assertRegex(self.submit(file="two.yml").errors,
                         f"(?m)^make: muster: make is not reused: {why}")

    def test_what_is_not_known_to_be_the_same_runs_again(self):
        script = self.path("src/make.sh")
        self.write("make.yml", MAKE.replace("code: src\n", "").replace("make.sh", script))
        self.runs_again("without a copy of its code: folder it may read any file$")
        self.assertEqual(self.runs("--no-snapshot"), ["completed", "completed"])
        self.write("make.yml", MAKE.replace("made: {}", "made: {path: made}"))
        self.runs_again("others may write to its output made, which has a path$")

    def test_inputs_and_code_that_cannot_be_compared(self):
        os.symlink("/dev/null", self.path("src/null"))
        self.runs_again("cannot read /dev/null: it is a device$")
        os.unlink(self.path("src/null"))
        os.mkdir(self.path("folder"))
        os.mkfifo(self.path("folder/pipe"))
        self.write("two.yml", (TWO % "false").replace("uri_file, path: given",
                                                      "uri_folder, path: folder"))
        self.write("make.yml", MAKE.replace("$(cat ${{inputs.given}})", "$(ls ${{inputs.given}})")
                   .replace("uri_file", "uri_folder"))
        self.runs_again(r"cannot read \S+/folder/pipe: it is a fifo$")

    def test_an_input_that_is_edited_while_a_step_runs(self):
        """What it has read may be either, so it is offered as neither."""
        text = f'echo > "{self.folder}/ready.0"; ' + UNTIL_GO.replace("$DIR", self.folder)
        self.write("src/make.sh", text + f'; cat "{self.folder}/given"\n')
        running = self.start("submit", "two.yml", command=(MUSTER,))
        self.wait_for_files(["ready.0"])
        self.write("given", "there\n")
        self.write("go", "")
        done = running.finish()
        self.assertEqual(done.code, 0, done)
        self.assertIn("make: muster: make is not reused later: its inputs changed while it ran\n",
                      done.errors)
        self.assertEqual(self.read("used"), b"there\n")
        self.write("given", "here")
        self.assertEqual(self.runs(), ["completed", "completed"])
        self.assertEqual(self.read("used"), b"there\nhere\n")
        self.assertEqual(self.runs(), ["reused", "reused"])

    def test_inputs_are_not_read_once_more_when_a_step_has_run(self):
        """The kernel says that nothing has changed: the time of access is the step's own."""
        if reason := no_small_disk():
            self.skipTest(reason)
        os.mkdir(self.path("disk"))
        self.write("two.yml", (TWO % "false").replace("path: given", "path: disk/given"))
        self.write("src/make.sh", f'stat -c %x "{self.folder}/disk/given" > "{self.folder}/seen"\n')
        script = ('mount -t tmpfs -o strictatime none "$DIR/disk"\n'
                  'given="$DIR/disk/given"; echo here > "$given"\n'
                  'until [ $(date +%s) -gt $(($(stat -c %Z "$given") + 3)) ]; do sleep 0.1; done\n'
                  f'{MUSTER} submit two.yml; stat -c %x "$given" > "$DIR/after"\n'
                  f'{MUSTER} submit two.yml; stat -c %x "$given" > "$DIR/last"\n')
        done = self.start(command=("unshare", "-m", "sh", "-ec", script)).finish()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.read("after"), self.read("seen"))
        self.assertNotEqual(self.read("last"), self.read("seen"), "times of access are kept")
        self.assertEqual(set(self.steps().values()), {"reused"})

    def test_outputs_that_cannot_be_compared(self):
        self.write("src/make.sh", 'mkfifo "$(dirname $0)/../outputs/made/pipe"; echo "$@"\n')
        done = self.submit(file="two.yml")
        self.assertRegex(done.errors, r"(?m)^make: muster: make is not reused later: cannot read "
                         r"\S+/made/pipe: it is a fifo$")

    def test_what_links_in_the_code_lead_to(self):
        self.write("far", "one\n")
        self.write("other-far", "one\n")
        os.symlink("../far", self.path("src/near"))
        self.write("src/make.sh", "cat near\n")
        self.runs()
        self.assertEqual(self.states(), ["reused", "reused"])
        self.write("far", "two\n")
        self.assertEqual(self.runs(), ["completed", "completed"])
        os.unlink(self.path("src/near"))
        os.symlink("../other-far", self.path("src/near"))
        self.assertEqual(self.runs()[0], "completed")

    def test_what_links_in_an_input_lead_to(self):
        self.write("far", "one\n")
        os.mkdir(self.path("folder"))
        os.symlink("../far", self.path("folder/near"))
        self.write("two.yml", (TWO % "false").replace("uri_file, path: given",
                                                      "uri_folder, path: folder"))
        self.write("make.yml", MAKE.replace("inputs.given}})", "inputs.given}}/near)")
                   .replace("uri_file", "uri_folder"))
        self.runs()
        self.assertEqual(self.states(), ["reused", "reused"])
        self.write("far", "two\n")
        self.assertEqual(self.runs(), ["completed", "completed"])
        os.chmod(self.path("far"), 0o600)
        self.assertEqual(self.runs()[0], "completed")

    def test_variables_of_the_shell(self):
        self.write("src/make.sh", "env\n")
        shell = self.environment(OTHER="1", PYTHONPATH="/a", TERM="dumb")
        self.told("submit", "two.yml", env=shell)
        made = self.show()["folder"] + "/steps/make/outputs/made/made"
        with open(made, encoding="utf-8") as file:
            got = dict(line.split("=", 1) for line in file.read().splitlines() if "=" in line)
        own = [one for one in got["PYTHONPATH"].split(":") if not one.endswith("/in_ranks")]
        self.assertEqual(own[-1], "/a")
        self.assertEqual([got[name] for name in ("HOME", "LANG")], [self.folder, "C.UTF-8"])
        self.assertEqual({"OTHER", "TERM", "DIR"} & set(got), set())
        for change, state in (({}, "reused"), ({"OTHER": "2", "TERM": "xterm"}, "reused"),
                              ({"PYTHONPATH": "/b"}, "completed"), ({"HOME": "/"}, "completed"),
                              ({"LD_LIBRARY_PATH": "/x"}, "completed"),
                              ({"VIRTUAL_ENV": "/v"}, "completed")):
            with self.subTest(change):
                records = {"MUSTER_RECORDS": self.path(".local/state/muster/runs")}
                self.told("submit", "two.yml", env={**shell, **records, **change})
                self.assertEqual(self.steps()["make"], state)

    def test_variables_that_are_named(self):
        self.write("src/make.sh", "echo $TOKEN\n")
        for value, state in (("1", "completed"), ("1", "reused"), ("2", "completed")):
            self.told("submit", "two.yml", "--secret", "TOKEN", env=self.environment(TOKEN=value))
            self.assertEqual(self.steps()["make"], state)

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

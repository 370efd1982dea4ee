"""Pipelines: steps pass on their outputs, share the hosts, are told one by one, and go on again."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import unittest
from xml.etree import ElementTree

from front_case import LabFrontCase
from support import (BAD_FILE, MUSTER, USAGE, Case, lab_or_skip, run_tests, state_of, survivors,
                     wait_until)

REASON = lab_or_skip()

# What each of three steps does is in a file beside them, and may change between two runs.
THREE = """type: pipeline
display_name: three
experiment_name: lines
inputs:
  word: hello
jobs:
  prepare:
    command: sh $DIR/prepare.sh ${{outputs.data}} ${{inputs.word}}
    inputs:
      word: ${{parent.inputs.word}}
    outputs:
      data: {type: uri_folder}
  train:
    command: sh $DIR/train.sh ${{inputs.data}} ${{outputs.model}}
    distribution: {type: pytorch, process_count_per_instance: 2}
    resources: {instance_count: 2}
    inputs:
      data: ${{parent.jobs.prepare.outputs.data}}
    outputs:
      model: ${{parent.outputs.model}}
  evaluate:
    command: sh $DIR/evaluate.sh ${{inputs.model}}
    inputs:
      model: ${{parent.jobs.train.outputs.model}}
outputs:
  model: {type: uri_folder}
"""

SCRIPTS = {
    "prepare.sh": 'echo "$2" > "$1/word"\n',
    "train.sh": 'cat "$1/word" > "$2/rank.$RANK"; echo "rank $RANK of $WORLD_SIZE"\n',
    "evaluate.sh": 'cat "$1"/rank.* > "$DIR/result"; echo evaluated\n',
}


def is_over(state):
    return state not in ("starting", "running")


class PipelineCase(Case):
    def setUp(self):
        super().setUp()
        self.write("three.yml", THREE)
        for name, text in SCRIPTS.items():
            self.write(name, text)

    def told(self, command, *words, code=0, seconds=60, **more):
        done = self.start(*words, command=(MUSTER, command), **more).finish(seconds)
        self.assertEqual(done.code, code, done)
        return done

    def submit(self, *words, file="three.yml", **more):
        return self.told("submit", file, *words, **more)

    def show(self, run="last"):
        return json.loads(self.told("show", run, "--json").text)

    def steps(self, run="last"):
        return {step["step"]: step["state"] for step in self.show(run)["steps"]}


class Runs(PipelineCase):
    def test_steps_in_order_with_what_the_ones_before_have_made(self):
        done = self.submit("--fake-nodes", "2")
        self.assertEqual(self.read("result"), b"hello\n" * 4)
        out = done.text.splitlines()
        self.assertEqual(sorted(out), ["evaluate: evaluated",
                                       *(f"train: rank {i} of 4" for i in range(4))], done)
        self.assertEqual(out[-1], "evaluate: evaluated")
        told = [re.sub(r" after .*", "", line) for line in done.errors.splitlines()]
        self.assertEqual(told, ["muster: prepare starts on fake-0", "muster: prepare completed",
                                "muster: train starts on fake-0, fake-1",
                                "muster: train completed", "muster: evaluate starts on fake-0",
                                "muster: evaluate completed"], done)

    def test_each_step_has_a_record_below_the_pipelines(self):
        self.submit("--fake-nodes", "2")
        run = self.show()
        self.assertEqual((run["state"], run["exit_code"], run["experiment"]),
                         ("completed", 0, "lines"))
        self.assertEqual([step["step"] for step in run["steps"]], ["prepare", "train", "evaluate"])
        for step in run["steps"]:
            self.assertEqual((step["state"], step["exit_code"]), ("completed", 0))
            own = self.show("last/" + step["step"])
            self.assertEqual(own["run"], f"{run['run']}/{step['step']}")
            self.assertEqual(own["folder"], f"{run['folder']}/steps/{step['step']}")
        self.assertEqual(sorted(os.listdir(run["outputs"]["model"])),
                         [f"rank.{i}" for i in range(4)])
        self.assertIn("[3] rank 3 of 4", self.told("logs", "last/train").text)
        self.assertEqual(self.told("logs", "last").text.splitlines(),
                         [*(f"train: [{i}] rank {i} of 4" for i in range(4)),
                          "evaluate: evaluated"])
        line = json.loads(self.told("logs", "last", "--json").text.splitlines()[-1])
        self.assertEqual((line["step"], line["line"]), ("evaluate", "evaluated"))
        self.assertRegex(self.told("ps").text, r"completed .* 3 of 3 steps completed +lines/")
        self.assertRegex(self.told("show", "last").text, r"(?m)^step +train +completed +\d")
        self.assertEqual(self.told("show", "last/trian", code=USAGE).text, "")

    def test_inputs_are_set_for_all_steps(self):
        self.submit("--fake-nodes", "2", "--set", "inputs.word=other words")
        self.assertEqual(self.read("result"), b"other\n" * 4, "the shell cuts it")

    def test_a_detached_one_is_told_once_its_first_steps_run(self):
        self.write("evaluate.sh", 'while [ ! -e "$DIR/go" ]; do sleep 0.01; done; echo seen\n')
        name = self.submit("--fake-nodes", "2", "--detach").text.strip()
        wait_until(lambda: self.steps(name)["train"] == "completed", 20, "train has completed")
        self.assertEqual(self.show(name)["state"], "running")
        self.write("go", "")
        followed = self.told("logs", "-f", name)
        self.assertEqual(followed.text.splitlines()[-1], "evaluate: seen")
        self.told("wait", name)

    def test_explain_starts_nothing(self):
        text = self.told("explain", "three.yml", "--fake-nodes", "2").text
        self.assertRegex(text, r"(?m)^● +train +2 nodes x 2 processes +fake-0, fake-1$")
        self.assertEqual(self.told("ps").text.count("three"), 0)
        plan = json.loads(self.told("explain", "three.yml", "--json", "--fake-nodes", "2").text)
        self.assertEqual([step["after"] for step in plan["steps"]], [[], ["prepare"], ["train"]])

    def test_an_output_that_is_one_file(self):
        self.write("file.yml", "type: pipeline\njobs:\n"
                   "  a: {command: 'echo one > ${{outputs.x}}', outputs: {x: {type: uri_file}}}\n"
                   "  b: {command: 'cat ${{inputs.x}}', "
                   "inputs: {x: '${{parent.jobs.a.outputs.x}}'}}\n")
        self.assertEqual(self.submit(file="file.yml").text, "b: one\n")
        self.told("rerun", "last/b")
        self.assertEqual(self.told("logs", "last/b").text, "one\n")

    def test_a_picture(self):
        self.submit("--fake-nodes", "2")
        text = self.told("graph", "last").text
        self.assertRegex(text, r'(?m)^  s1\["train<br>completed, \d\.\d s"\]$')
        self.assertIn("  s0 --> s1\n", text)
        picture = ElementTree.fromstring(self.told("graph", "--svg", "last").text)
        names = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(names, ["prepare", "train", "evaluate"])
        self.told("graph", "last/train", code=USAGE)

    def test_skipped_steps_and_what_needs_them(self):
        self.submit("--fake-nodes", "2", "--skip", "train")
        self.assertEqual(self.steps(), {"prepare": "completed", "train": "left out",
                                        "evaluate": "left out"})
        done = self.told("submit", "three.yml", "--skip", "trian", code=USAGE)
        self.assert_refused(done, USAGE, r"--skip .*no such step", "did you mean train")


CHOICE = """type: pipeline
inputs: {n: 3}
jobs:
  judge:
    command: if [ ${{inputs.n}} -gt 2 ]; then echo True; else echo false; fi > ${{outputs.large}}
    inputs: {n: "${{parent.inputs.n}}"}
    outputs: {large: {type: boolean, is_control: true}}
  choose:
    type: if_else
    condition: ${{parent.jobs.judge.outputs.large}}
    true_block: ${{parent.jobs.big}}
    false_block: ${{parent.jobs.little}}
  big: {command: "echo big > ${{outputs.word}}", outputs: {word: {type: uri_file}}}
  little: {command: echo little}
  after: {command: "cat ${{inputs.word}}", inputs: {word: "${{parent.jobs.big.outputs.word}}"}}
"""


class Inside(PipelineCase):
    """A pipeline that is submitted in a rank has that rank's hosts."""

    def test_hosts_of_the_job_around(self):
        self.write("in.yml", "type: pipeline\njobs:\n"
                   "  a: {command: 'echo $RANK', resources: {instance_count: 2}, "
                   "distribution: {type: mpi}}\n")
        done = self.succeeds("--fake-nodes", "2", "-n", "1", MUSTER, "submit", "in.yml",
                             "-H", "fake-0:2,fake-1:2")
        self.assertEqual(done.lines, ["a: 0", "a: 1"])


class Chooses(PipelineCase):
    """What a step writes decides what runs after it."""

    def test_one_branch_or_the_other(self):
        self.write("choice.yml", CHOICE)
        self.assertEqual(self.submit(file="choice.yml").text, "after: big\n")
        self.assertEqual(self.steps(), {"judge": "completed", "big": "completed",
                                        "little": "left out", "after": "completed"})
        self.assertEqual(self.submit("--set", "inputs.n=2", file="choice.yml").text,
                         "little: little\n")
        self.assertEqual(self.steps(), {"judge": "completed", "big": "left out",
                                        "little": "completed", "after": "left out"})

    def test_neither_true_nor_false(self):
        self.write("choice.yml", CHOICE.replace("echo True", "echo perhaps"))
        done = self.submit(file="choice.yml", code=1)
        self.assertRegex(done.errors, r"step judge failed.*: \S+/outputs/large of step judge "
                                      r"decides what runs next, and holds neither true nor false")


class Shares(PipelineCase):
    """Steps that run at the same time."""

    def many(self, count, do):
        steps = "".join(f"  s{i}:\n    command: {do}\n" for i in range(count))
        self.write("many.yml", "type: pipeline\njobs:\n" + steps)

    def most_at_once(self):
        """By the marks that each step leaves."""
        marks = sorted(self.read("marks").split(), key=lambda mark: mark[:-1])
        running = most = 0
        for mark in marks:
            running += 1 if mark.endswith(b"+") else -1
            most = max(most, running)
        return most

    DO = ('"echo $(date +%s%N)+ >> $DIR/marks; sleep 0.2; echo $(date +%s%N)- >> $DIR/marks"')

    def test_no_more_than_asked(self):
        self.many(7, self.DO)
        self.submit("-j", "3", file="many.yml")
        self.assertEqual(self.most_at_once(), 3)

    def test_no_more_than_the_slots_of_the_target(self):
        self.write("muster.yml", "targets:\n  small: {fake_nodes: 1, slots: 2}\n")
        self.many(6, self.DO)
        self.submit("--target", "small", file="many.yml")
        self.assertEqual(self.most_at_once(), 2)

    def test_lines_of_all_stay_whole(self):
        line = "x" * 3000
        self.many(4, f'"for i in $(seq 300); do echo {line}; done"')
        done = self.submit("-j", "4", file="many.yml")
        lines = done.text.splitlines()
        self.assertEqual(len(lines), 4 * 300)
        self.assertEqual({one.split(": ", 1)[1] for one in lines}, {line})


class Fails(PipelineCase):
    def test_a_failure_names_the_step_and_bars_what_needs_it(self):
        self.write("train.sh", "if [ $RANK = 1 ]; then exit 7; fi\n")
        done = self.submit("--fake-nodes", "2", code=7)
        self.assertEqual(self.steps(), {"prepare": "completed", "train": "failed",
                                        "evaluate": "blocked"})
        last = done.errors.splitlines()[-3:]
        self.assertRegex(last[0], r"^muster: the pipeline failed: step train failed with exit code "
                                  r"7: rank 1 on fake-0 exited with code 7 \(pid \d+\)$")
        self.assertEqual(last[1], "  1 of 3 steps completed, 1 failed; not run: evaluate")
        self.assertEqual(last[2], f"  muster rerun {self.show()['run']} goes on from there")
        self.assertEqual("\n".join(last) + "\n", self.told("report", "last").text)

    def test_a_rerun_goes_on_from_there(self):
        self.write("train.sh", "exit 7\n")
        self.submit("--fake-nodes", "2", "--set", "inputs.word=once", code=7)
        self.write("train.sh", SCRIPTS["train.sh"])
        self.write("prepare.sh", "exit 9\n")
        self.told("rerun", "last")
        self.assertEqual(self.steps(), {"prepare": "reused", "train": "completed",
                                        "evaluate": "completed"})
        self.assertEqual(self.read("result"), b"once\n" * 4)
        self.assertTrue(self.show("last/prepare")["reused_from"].endswith("/steps/prepare"))

    def test_a_step_is_tried_again(self):
        self.write("train.sh", '[ $RANK = 0 ] && mkdir "$DIR/tried" 2> /dev/null && exit 5\n'
                               + SCRIPTS["train.sh"])
        done = self.submit("--fake-nodes", "2", "--retries", "2")
        self.assertIn("muster: train starts on fake-0, fake-1, attempt 2\n", done.errors)
        self.assertEqual(self.read("result"), b"hello\n" * 4)
        self.assertEqual(sorted(os.listdir(self.show()["folder"] + "/steps")),
                         ["evaluate", "prepare", "train", "train@1"])
        self.assertEqual(self.show("last/train@1")["exit_code"], 5)

    def test_outputs_that_are_gone_are_made_again(self):
        self.submit("--fake-nodes", "2")
        shutil.rmtree(self.show("last/prepare")["outputs"]["data"])
        self.told("rerun", "last")
        self.assertEqual(self.steps()["prepare"], "completed")
        shutil.rmtree(self.show("last/prepare")["outputs"]["data"])
        done = self.told("rerun", "last/train", code=USAGE)
        self.assertIn("train needs prepare, whose outputs are not there", done.errors)

    def test_one_step_is_run_again_by_itself(self):
        self.submit("--fake-nodes", "2")
        self.write("prepare.sh", "exit 9\n")
        self.write("train.sh", 'cat "$1/word" > "$2/rank.$RANK"; echo again\n')
        self.told("rerun", "last/train")
        self.assertEqual(self.steps(), {"prepare": "reused", "train": "completed",
                                        "evaluate": "reused"})
        self.assertIn("again", self.told("logs", "last/train").text)

    def test_other_branches_go_on_unless_told(self):
        both = ("type: pipeline\nsettings: {continue_on_step_failure: %s}\njobs:\n"
                "  bad: {command: exit 3}\n"
                "  good: {command: 'while [ ! -e $DIR/go ]; do sleep 0.01; done'}\n")
        self.write("both.yml", both % "true")
        self.write("go", "")
        self.submit("-j", "2", file="both.yml", code=3)
        self.assertEqual(self.steps(), {"bad": "failed", "good": "completed"})
        os.unlink(self.path("go"))
        self.write("both.yml", both % "false")
        self.submit("-j", "2", file="both.yml", code=3)
        self.assertEqual(self.steps(), {"bad": "failed", "good": "stopped"})

    def test_mistakes_in_the_file_are_told_with_their_places(self):
        self.write("three.yml", THREE.replace("parent.jobs.prepare", "parent.jobs.prepaer"))
        done = self.told("submit", "three.yml", code=BAD_FILE)
        self.assertRegex(done.errors, r"three\.yml:\d+:\d+: .*prepaer")
        self.assertEqual(self.told("validate", "three.yml", code=BAD_FILE).errors, done.errors)


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
command: echo $(cat ${{inputs.made}}/made) >> $DIR/used
inputs: {made: {}}
"""


class Reuses(PipelineCase):
    """Steps that are declared deterministic, and would do what they did before."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("src"))
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


class Ends(PipelineCase):
    """Interrupted, stopped, killed: nothing is left, and it goes on again."""

    WAITS = 'echo > "$DIR/ready.$RANK"; exec sleep 3600\n'

    def begun(self):
        self.write("train.sh", self.WAITS)
        one = self.start("three.yml", "--fake-nodes", "2", command=(MUSTER, "submit"))
        self.wait_for_files([f"ready.{i}" for i in range(4)])
        return one

    def test_an_interrupt_ends_all_steps(self):
        one = self.begun()
        one.send(signal.SIGINT)
        done = one.finish()
        self.assertEqual(done.code, 130, done)
        self.assertEqual(self.steps(), {"prepare": "completed", "train": "stopped",
                                        "evaluate": "blocked"})
        self.assertEqual(self.show()["state"], "stopped")

    def test_one_step_is_stopped(self):
        one = self.begun()
        self.told("stop", "last/train")
        done = one.finish()
        self.assertNotEqual(done.code, 0, done)
        self.assertEqual(self.steps(), {"prepare": "completed", "train": "stopped",
                                        "evaluate": "blocked"})

    def test_stop_ends_a_pipeline(self):
        one = self.begun()
        self.told("stop", "last")
        self.assertEqual(one.finish().code, 130)

    def test_a_killed_one_leaves_nothing_and_goes_on(self):
        one = self.begun()
        one.send(signal.SIGKILL)
        one.finish()
        self.assert_nothing_left(10)
        self.assertEqual(self.show()["state"], "died")
        self.write("train.sh", SCRIPTS["train.sh"])
        self.told("rerun", "last")
        self.assertEqual(self.steps(), {"prepare": "reused", "train": "completed",
                                        "evaluate": "completed"})

    def test_interrupted_at_any_moment_of_its_beginning(self):
        self.write("many.yml", "type: pipeline\njobs:\n" + "".join(
            f"  s{i}: {{command: sleep 3600}}\n" for i in range(6)))
        dice = random.Random(3)
        for ignored in (False, True) * 8:
            how = ("sh", "-c", 'trap "" INT; exec "$@"', "-") if ignored else ()
            one = self.start("many.yml", "-j", "6", command=(*how, MUSTER, "submit"))
            wait_until(lambda: b"starts" in one.popen.stderr.read1(), 10, "a step starts")
            try:
                one.popen.wait(dice.uniform(0, 0.02))
            except subprocess.TimeoutExpired:
                one.send(signal.SIGINT)
            self.assertEqual(one.finish().code, 130)
            self.assertEqual(set(self.steps().values()) - {"blocked"}, {"stopped"})

    def test_a_reader_that_stands_still_keeps_nobody(self):
        self.write("loud.yml", "type: pipeline\njobs:\n  a: {command: yes | head -c 3000000}\n")
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        one = self.start("loud.yml", command=(MUSTER, "submit"), stdout=writer)
        os.close(writer)
        wait_until(lambda: self.listed() and self.steps().get("a") == "running", 10, "a runs")
        one.send(signal.SIGINT)
        wait_until(lambda: is_over(self.show()["state"]), 10, "it is over")
        one.send(signal.SIGINT)
        one.popen.wait(10)

    def listed(self):
        return "loud" in self.told("ps", "--all").text

    def test_a_reader_that_goes_away_ends_it(self):
        self.write("loud.yml", "type: pipeline\njobs:\n  a: {command: yes}\n")
        one = self.start("loud.yml", command=(MUSTER, "submit"))
        self.assertEqual(one.popen.stdout.readline(), b"a: y\n")
        one.popen.stdout.close()
        self.assertEqual(one.popen.wait(20), 141)

    def test_nohup_means_what_it_says(self):
        self.write("train.sh", self.WAITS)
        one = self.start("three.yml", "--fake-nodes", "2", command=("nohup", MUSTER, "submit"))
        self.wait_for_files([f"ready.{i}" for i in range(4)])
        one.send(signal.SIGHUP)
        one.send(signal.SIGTERM)
        self.assertEqual(one.finish().code, 143)

    def test_whoever_ignores_the_end_of_children_is_not_heard(self):
        done = self.start("three.yml", "--fake-nodes", "2", command=(
            "/usr/bin/python3", "-c", "import os, signal, sys; signal.signal(signal.SIGCHLD, "
            "signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])", MUSTER, "submit")).finish()
        self.assertEqual(done.code, 0, done)

    def test_a_rerun_that_is_interrupted_loses_nothing(self):
        self.write("two.yml", "type: pipeline\njobs:\n"
                   "  a: {command: 'echo a >> $DIR/ran'}\n"
                   "  w: {command: 'sh $DIR/w.sh'}\n")
        self.write("w.sh", "exit 3\n")
        self.submit(file="two.yml", code=3)
        self.write("w.sh", 'echo > "$DIR/ready"; exec sleep 3600\n')
        one = self.start("last/w", command=(MUSTER, "rerun"))
        self.wait_for_files(["ready"])
        one.send(signal.SIGINT)
        one.finish()
        self.write("w.sh", "exit 0\n")
        self.told("rerun", "last")
        self.assertEqual(self.steps(), {"a": "reused", "w": "completed"})
        self.assertEqual(self.read("ran"), b"a\n")

    def test_suspended_with_its_steps(self):
        one = self.begun()
        def asleep():
            return [pid for pid, words in survivors(self.mark).items() if words == "sleep 3600"]
        wait_until(lambda: len(asleep()) == 4, 10, "four ranks sleep")
        sleeping = asleep()
        one.send(signal.SIGTSTP)
        wait_until(lambda: {state_of(pid) for pid in [one.pid, *sleeping]} == {"T"}, 10, "stopped")
        one.send(signal.SIGCONT)
        wait_until(lambda: "T" not in {state_of(pid) for pid in sleeping}, 10, "continued")
        one.send(signal.SIGTERM)
        self.assertEqual(one.finish().code, 143)

    def test_killed_at_random_moments_it_comes_to_the_same_end(self):
        pause = 'sleep 0.0$(($$ % 10)); '
        for name, text in SCRIPTS.items():
            self.write(name, pause + text)
        dice = random.Random(14)
        command = ("submit", "three.yml", "--fake-nodes", "2")
        kills = 0
        for _ in range(60):
            one = self.start(*command[1:], command=(MUSTER, command[0]))
            try:
                one.popen.wait(dice.uniform(0.01, 0.35))
            except Exception:  # noqa: BLE001  (still running)
                one.send(signal.SIGKILL)
                kills += 1
            done = one.finish()
            self.assert_nothing_left(10)
            if done.code == 0:
                break
            if os.path.isdir(self.path(".local")) and "three" in self.told("ps", "--all").text:
                command = ("rerun", "last")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.read("result"), b"hello\n" * 4)
        self.assertGreater(kills, 0)


ON_HOSTS = """type: pipeline
jobs:
  left: &alone
    command: hostname > ${{outputs.name}}/host
    outputs: {name: {}}
    distribution: {type: mpi, process_count_per_instance: 2}
  right: *alone
  both:
    command: echo $RANK $(hostname) $(cat ${{inputs.left}}/host ${{inputs.right}}/host)
    inputs:
      left: ${{parent.jobs.left.outputs.name}}
      right: ${{parent.jobs.right.outputs.name}}
    resources: {instance_count: 2}
    distribution: {type: pytorch, process_count_per_instance: 2}
"""


@unittest.skipIf(REASON, REASON)
class OnHosts(LabFrontCase):
    """Steps get hosts of the list, and only these."""

    name = "muster"

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def environment(self, **more):
        """The records lie in a folder that all hosts share."""
        return super().environment(MUSTER_RECORDS=self.path("records"), **more)

    def test_steps_share_the_hosts(self):
        self.write("hosts.yml", ON_HOSTS)
        done = self.start_in_lab("submit", "hosts.yml", "-H", "node1:2,node2:2").finish(60)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.lines, [f"both: {rank} node{1 + rank // 2} node1 node2"
                                      for rank in range(4)], done)
        self.assert_hosts_clean(5)

    def test_a_killed_conductor_leaves_nothing_on_them(self):
        self.write("hosts.yml", ON_HOSTS.replace("echo $RANK", "echo > $DIR/ready.$RANK; sleep 3600"))
        one = self.start_in_lab("submit", "hosts.yml", "-H", "node1:2,node2:2")
        self.wait_for_files([f"ready.{rank}" for rank in range(4)])
        one.send(signal.SIGKILL)
        one.finish(20)
        self.assert_hosts_clean(15)


if __name__ == "__main__":
    run_tests()

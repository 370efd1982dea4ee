"""Pipelines: steps pass on their outputs, share the hosts, and are told one by one."""

# rooms: pipeline machine cli front job

import json
import os
import re
import shutil
from xml.etree import ElementTree

from pipeline_case import SCRIPTS, THREE, PipelineCase
from support import BAD_FILE, MUSTER, USAGE, run_tests, until


class Runs(PipelineCase):
    def test_steps_in_order_with_what_the_ones_before_have_made(self):
        done = self.submit("--fake-nodes", "2")
        self.assertEqual(self.read("result"), b"hello\n" * 4)
        out = done.text.splitlines()
        self.assertEqual(sorted(out), ["evaluate: evaluated",
                                       *(f"train: rank {i} of 4" for i in range(4))], done)
        self.assertEqual(out[-1], "evaluate: evaluated")
        told = [re.sub(r" after .*", "", line) for line in done.complaints.splitlines()]
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
        self.assertRegex(self.told("ps").text,
                         r"(?m)completed .* 3 of 3 steps completed +lines/three$")
        self.assertRegex(self.told("show", "last").text, r"(?m)^step +train +completed +\d")
        self.assertEqual(self.told("show", "last/trian", code=USAGE).text, "")

    def test_inputs_are_set_for_all_steps(self):
        self.submit("--fake-nodes", "2", "--set", "inputs.word=other words")
        self.assertEqual(self.read("result"), b"other\n" * 4, "the shell cuts it")

    def test_a_detached_one_is_told_once_its_first_steps_run(self):
        self.write("evaluate.sh", 'while [ ! -e "$DIR/go" ]; do sleep 0.01; done; echo seen\n')
        name = self.submit("--fake-nodes", "2", "--detach").text.strip()
        until("train has completed", lambda: self.steps(name)["train"] == "completed")
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


LOOP = """type: pipeline
inputs: {enough: 3}
outputs: {lines: {type: uri_file}}
jobs:
  count:
    command: >-
      echo 1 | cat $[[${{inputs.so_far}}]] - > ${{outputs.lines}};
      if [ $(wc -l < ${{outputs.lines}}) -lt ${{inputs.enough}} ]; then echo true; else echo 0; fi
      > ${{outputs.more}}
    inputs:
      so_far: {type: uri_file, optional: true}
      enough: ${{parent.inputs.enough}}
    outputs:
      lines: ${{parent.outputs.lines}}
      more: {type: boolean, is_control: true}
  loop:
    type: do_while
    body: ${{parent.jobs.count}}
    condition: more
    mapping: {lines: so_far}
    limits: {max_iteration_count: 5}
  tell:
    command: wc -l < ${{inputs.lines}}
    inputs: {lines: "${{parent.jobs.count.outputs.lines}}"}
  choose:
    type: if_else
    condition: ${{parent.jobs.count.outputs.more}}
    true_block: ${{parent.jobs.cut}}
    false_block: ${{parent.jobs.whole}}
  cut: {command: echo cut}
  whole: {command: echo whole}
"""


SWEEP = """type: pipeline
jobs:
  tune:
    type: sweep
    metrics_from: output
    trial: {command: "sh trial.sh ${{search_space.a}}", code: src}
    search_space: {a: {type: choice, values: [1, 3, 2]}}
    sampling_algorithm: grid
    objective: {goal: maximize, primary_metric: loss}
    limits: {max_total_trials: 3, max_concurrent_trials: 1}
"""


class Tunes(PipelineCase):
    """A step that is a sweep: its trials are runs within that of the step."""

    def test_trials_run_in_a_copy_of_the_code_and_can_be_named(self):
        os.mkdir(self.path("src"))
        self.write("src/trial.sh", "echo loss=$1; echo in $(basename $PWD); exit $(($1 / 3))\n")
        self.write("tune.yml", SWEEP)
        self.submit(file="tune.yml")
        self.assertEqual(self.steps("last/tune"), {"trial_0": "completed", "trial_1": "failed",
                                                   "trial_2": "completed"})
        one = self.show("last/tune/trial_1")
        self.assertRegex(one["run"], r"/tune/trial_1$")
        self.assertEqual(one["exit_code"], 1)
        self.assertCountEqual(self.told("logs", "last/tune/trial_2").lines, ["loss=2", "in code"])
        self.assertCountEqual(self.told("logs", "last").lines,
                              [f"tune/trial_{i}: {text}" for i, loss in enumerate((1, 3, 2))
                               for text in (f"loss={loss}", "in code")])
        self.assert_refused(self.told("rerun", "last/tune/trial_1", code=USAGE), USAGE,
                            "is a trial of a step", r"rerun \S+/tune$")


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

    def test_what_the_last_pass_of_a_loop_has_made(self):
        self.write("loop.yml", LOOP)
        for enough, says in ((3, "whole"), (9, "cut")):
            done = self.submit("--set", f"inputs.enough={enough}", file="loop.yml")
            passes = min(enough, 5)
            self.assertCountEqual(done.lines, [f"tell: {passes}", f"{says}: {says}"])
            steps = self.steps()
            self.assertEqual([steps[f"count.{i}"] for i in range(1, 6)],
                             ["completed"] * passes + ["left out"] * (5 - passes))
            made = self.show()["outputs"]["lines"]
            self.assertRegex(made, rf"/steps/count.{passes}/outputs/lines$")
            with open(made, encoding="utf-8") as lines:
                self.assertEqual(lines.read(), "1\n" * passes)

    def test_skipping_all_that_is_written_out(self):
        self.write("loop.yml", LOOP)
        done = self.submit("--skip", "count", file="loop.yml")
        self.assertEqual(set(self.steps().values()), {"left out"})
        self.assertIn("nothing ran: every step was left out", done.errors)

    def test_one_step_is_run_again_after_a_loop_that_ended_early(self):
        self.write("loop.yml", LOOP)
        self.submit(file="loop.yml")
        self.assertEqual(self.told("rerun", "last/tell").lines, ["tell: 3"])

    def test_neither_true_nor_false(self):
        self.write("choice.yml", CHOICE.replace("echo True", "echo perhaps"))
        done = self.submit(file="choice.yml", code=1)
        self.assertRegex(done.errors, r"judge failed after [^:]*: its output large decides what "
                                      "runs next, and holds 'perhaps', which is neither true nor")


VALUES = """type: pipeline
jobs:
  count:
    command: echo 7 > ${{outputs.n}}; echo some text > ${{outputs.s}}
    outputs: {n: {type: integer}, s: {type: string}}
  tell:
    command: echo "${{inputs.n}} and ${{inputs.s}}"; [ -f ${{inputs.file}} ]
    inputs:
      n: {type: integer, path: "${{parent.jobs.count.outputs.n}}"}
      s: {type: string, path: "${{parent.jobs.count.outputs.s}}"}
      file: {type: uri_file, path: "${{parent.jobs.count.outputs.n}}"}
"""


ITEMS = """type: pipeline
jobs:
  list:
    command: printf '%s' '[{"n":"1"},{"n":"2","w":"two"},{"n":"3"}]' > ${{outputs.all}}
    outputs: {all: {type: string}}
  each:
    command: echo "${{inputs.n}} ${{inputs.w}}" > ${{outputs.o}}/x; cat ${{outputs.o}}/x code.txt
    code: src
    inputs: {n: {type: integer}, w: {type: string, default: none}}
    outputs: {o: {type: uri_folder}}
  loop:
    type: parallel_for
    body: ${{parent.jobs.each}}
    items: ${{parent.jobs.list.outputs.all}}
"""


class Items(PipelineCase):
    """What a step has written is gone through by a later one."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("src"))
        self.write("src/code.txt", "code\n")

    def test_each_item_is_a_run(self):
        self.write("items.yml", ITEMS)
        done = self.submit(file="items.yml")
        self.assertCountEqual(done.lines, ["each: 0: 1 none", "each: 1: 2 two", "each: 2: 3 none"]
                              + [f"each: {i}: code" for i in range(3)])
        self.assertEqual(self.steps("last/each"), dict.fromkeys("012", "completed"))
        self.assertRegex(self.show("last/each/1")["outputs"]["o"], r"/each/steps/1/outputs/o$")
        self.assertIn("each", self.told("explain", "items.yml").text)

    def test_one_that_fails_and_none(self):
        self.write("items.yml", ITEMS.replace("x code.txt", "x; [ ${{inputs.n}} != 2 ]"))
        done = self.submit(file="items.yml", code=1)
        self.assertRegex(done.errors, r"each failed with exit code 1 after [^:]*: step 1 failed")
        self.write("items.yml", ITEMS.replace('[{"n":"1"},{"n":"2","w":"two"},{"n":"3"}]', "[]"))
        self.assertEqual(self.submit(file="items.yml").lines, [])

    def test_items_that_do_not_fit(self):
        for wrong, words in (('{"n":"2","w":"two"}', "item 1: the step each has no input 'k'"),
                             ('{"n":"1"}', "the input n has no value"),
                             ('[{"n":"1"}', "these items are not JSON")):
            self.write("items.yml", ITEMS.replace(wrong, wrong.replace('"n":"2"', '"k":"2"')
                                                  .replace('{"n":"1"}', "{}").replace("[{}", "{")))
            done = self.submit(file="items.yml", code=BAD_FILE)
            self.assertIn(words, done.errors)
            self.assertEqual(self.steps()["each"], "failed")


class Finale(PipelineCase):
    """A step that runs at the end, whatever has become of the others."""

    def finale(self, command, *words, code, settings=""):
        self.write("last.yml", f"type: pipeline\nsettings: {{on_finalize: tidy{settings}}}\njobs:\n"
                   f"  work: {{command: '{command}', outputs: {{o: }}}}\n"
                   "  tidy: {command: echo tidied}\n"
                   "  more: {command: 'true', inputs: {o: '${{parent.jobs.work.outputs.o}}'}}\n")
        return self.submit(*words, file="last.yml", code=code)

    def test_after_success_and_failure(self):
        self.assertEqual(self.finale("true", code=0).lines, ["tidy: tidied"])
        self.assertEqual(self.told("rerun", "last").lines, ["tidy: tidied"], "it ends each run")
        for settings in ("", ", continue_on_step_failure: false"):
            done = self.finale("exit 3", code=3, settings=settings)
            self.assertEqual(done.lines, ["tidy: tidied"])
            self.assertEqual(self.steps(),
                             {"work": "failed", "more": "blocked", "tidy": "completed"})
            self.assertIn("the pipeline failed: step work failed", done.errors)

    def test_what_it_cannot_be(self):
        self.write("last.yml", "type: pipeline\nsettings: {on_finalize: more}\njobs:\n"
                   "  work: {command: 'true', outputs: {o: }}\n"
                   "  more: {command: 'true', inputs: {o: '${{parent.jobs.work.outputs.o}}'}}\n")
        self.assert_refused(self.told("submit", "last.yml", code=BAD_FILE), BAD_FILE,
                            r"last.yml:5:39: the last step, more, also runs when")


class Values(PipelineCase):
    """What a step has written becomes a value of a later one, or a path."""

    def test_numbers_and_texts(self):
        self.write("values.yml", VALUES)
        self.assertEqual(self.submit(file="values.yml").lines, ["tell: 7 and some text"])
        self.assertEqual(self.told("rerun", "last/tell").lines, ["tell: 7 and some text"])

    def test_values_that_the_input_does_not_take(self):
        text = VALUES.replace("{type: integer, path:", "{type: integer, max: 6, path:")
        for value, words in (("7", "must be 6 or less, not 7"), ("a", "must be a whole number")):
            self.write("values.yml", text.replace("echo 7", f"echo {value}"))
            done = self.submit(file="values.yml", code=BAD_FILE)
            self.assertRegex(done.errors, rf"tell.inputs.n {words}")

    def test_a_folder_beside_a_value(self):
        self.write("both.yml", "type: pipeline\njobs:\n  a:\n    command: echo 1 > ${{outputs.v}}\n"
                   "    outputs: {m: {type: uri_folder}, v: {type: string}, w: {type: uri_file}}\n"
                   "  b: {command: 'false', inputs: {m: '${{parent.jobs.a.outputs.m}}'}}\n")
        self.submit(file="both.yml", code=1)
        self.told("rerun", "last", code=1)
        self.assertEqual(self.steps()["a"], "reused", "nobody reads what it has not written")

    def test_a_file_that_was_not_written(self):
        self.write("values.yml", VALUES.replace("echo 7 > ${{outputs.n}}; ", ""))
        done = self.submit(file="values.yml", code=1)
        self.assertRegex(done.errors, r"count failed after [^:]*: it has not written its output n "
                                      r"\(\S+/steps/count/outputs/n\)")
        self.assertEqual(self.steps(), {"count": "failed", "tell": "blocked"})

    def test_paths_that_are_not_there_are_told_before_anything_runs(self):
        self.write("three.yml", THREE.replace("sh $DIR/evaluate", "cat ${{inputs.x}}; sh $DIR/eval")
                   .replace("      model: ${{parent.jobs.train.outputs.model}}",
                            "      model: ${{parent.jobs.train.outputs.model}}\n"
                            "      x: {type: uri_file, path: ./gone}"))
        done = self.told("explain", "three.yml", "--fake-nodes", "2")
        self.assertRegex(done.errors, r"evaluate needs \S+/gone, which is not there yet")
        self.write("three.yml", THREE.replace("  prepare:\n", "  prepare:\n    code: nowhere\n"))
        for words in (["submit"], ["explain"]):
            done = self.told(*words, "three.yml", "--fake-nodes", "2", code=BAD_FILE)
            self.assert_refused(done, BAD_FILE, r"three\.yml:8:11: the folder of the code is not "
                                "there: 'nowhere'")
        self.told("submit", "three.yml", "--fake-nodes", "2", "--skip", "prepare")


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

    # The first wait for one another, then give too many the time to come.
    DO = ('"echo $(date +%%s%%N)+ >> $DIR/marks; '
          'until [ $(grep -c + $DIR/marks) -ge %d ]; do sleep 0.01; done; '
          'sleep 0.2; echo $(date +%%s%%N)- >> $DIR/marks"')

    def test_no_more_than_asked(self):
        self.many(7, self.DO % 3)
        self.submit("-j", "3", file="many.yml")
        self.assertEqual(self.most_at_once(), 3)

    def test_no_more_than_the_slots_of_the_target(self):
        self.write("muster.yml", "targets:\n  small: {fake_nodes: 1, slots: 2}\n")
        self.many(6, self.DO % 2)
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
        self.told("rerun", "last/train@1", code=USAGE)

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
                "  bad: {command: 'until [ -e $DIR/begun ]; do sleep 0.01; done; exit 3'}\n"
                "  good: {command: 'touch $DIR/begun; "
                "until [ -e $DIR/go ]; do sleep 0.01; done'}\n")
        self.write("both.yml", both % "true")
        self.write("go", "")
        self.submit("-j", "2", file="both.yml", code=3)
        self.assertEqual(self.steps(), {"bad": "failed", "good": "completed"})
        os.unlink(self.path("go"))
        os.unlink(self.path("begun"))
        self.write("both.yml", both % "false")
        self.submit("-j", "2", file="both.yml", code=3)
        self.assertEqual(self.steps(), {"bad": "failed", "good": "stopped"})

    def nested(self, makes="true", other="true"):
        self.write("nested.yml", "type: pipeline\noutputs: {o: {type: uri_folder}}\njobs:\n"
                   "  make:\n    command: 'echo made > ${{outputs.o}}/word; " + makes + "'\n"
                   "    outputs: {o: '${{parent.outputs.o}}'}\n"
                   "  other: {command: '" + other + "'}\n")
        self.write("outer.yml", "type: pipeline\njobs:\n  nested: {component: nested.yml}\n"
                   "  use:\n    command: 'cat ${{inputs.x}}/word; touch $DIR/go'\n"
                   "    inputs: {x: '${{parent.jobs.nested.outputs.o}}'}\n")

    def test_an_output_of_a_nested_pipeline_is_awaited_and_nothing_else_of_it(self):
        self.nested(other="until [ -e $DIR/go ]; do sleep 0.01; done")  # which `use` makes
        done = self.submit("-j", "2", file="outer.yml")
        self.assertIn("use: made", done.lines)
        self.nested(other="exit 3")
        done = self.submit("-j", "2", file="outer.yml", code=3)
        self.assertIn("use: made", done.lines)
        self.assertEqual(self.steps(), {"nested.make": "completed", "nested.other": "failed",
                                        "use": "completed"})
        self.nested(makes="exit 4")
        done = self.submit("-j", "2", file="outer.yml", code=4)
        self.assertNotIn("use: made", done.lines)
        self.assertEqual(self.steps()["nested.make"], "failed")
        self.assertNotIn(self.steps()["use"], ("completed", "failed"))

    def test_mistakes_in_the_file_are_told_with_their_places(self):
        self.write("three.yml", THREE.replace("parent.jobs.prepare", "parent.jobs.prepaer"))
        done = self.told("submit", "three.yml", code=BAD_FILE)
        self.assertRegex(done.errors, r"three\.yml:\d+:\d+: .*prepaer")
        self.assertEqual(self.told("validate", "three.yml", code=BAD_FILE).errors, done.errors)

    def test_a_step_is_removed_with_its_pipeline(self):
        self.write("one.yml", "type: pipeline\njobs: {prepare: {command: 'true'}}\n")
        self.submit(file="one.yml")
        done = self.told("rm", "last/prepare", code=USAGE)
        self.assertEqual(done.errors, "muster: error: last/prepare is a step: its record goes with "
                         "that of its pipeline\n  hint: muster rm last\n")
        self.told("rm", "last")

    def test_validate_looks_into_the_steps(self):
        os.makedirs(self.path("src"))
        self.write("src/a.py", "")
        self.write("train.yml", "type: command\ncode: ./gone\ncommand: python ${{inputs.x}}\n"
                   "inputs: {x: {type: uri_folder}}\n")
        self.write("steps.yml", """type: pipeline
inputs: {d: {type: uri_folder}, n: {type: integer}}
jobs:
  one:
    command: python b.py ${{inputs.d}} ${{inputs.n}}
    code: src
    inputs: {d: "${{parent.inputs.d}}", n: "${{parent.inputs.n}}"}
    outputs: {o: {}}
  two:
    command: torchrun --nproc_per_node four a.py ${{inputs.o}}
    code: src
    inputs: {o: "${{parent.jobs.one.outputs.o}}"}
  three: {component: train.yml, inputs: {x: "${{parent.inputs.d}}"}}
""")
        done = self.told("validate", "steps.yml", code=BAD_FILE)
        for told in (r"steps\.yml:5:21: the command starts 'b\.py'",
                     r"steps\.yml:10:14: torchrun would not start",
                     r"train\.yml:2:7: the folder of the code is not there: '\./gone'"):
            self.assertRegex(done.errors, told)
        self.write("names.yml", """type: pipeline
jobs:
  one:
    command: cat ${{inputs.x}}
    inputs: {x: {type: uri_file, path: "azureml:foo:1"}}
  two: {command: "true", environment: "file:env.yml"}
""")
        self.write("env.yml", "imge: x\n")
        done = self.told("validate", "names.yml", code=BAD_FILE)
        self.assertRegex(done.errors, r"names\.yml:5:40: .*'azureml:foo:1'")
        self.assertRegex(done.errors, r"env\.yml:1:1: unknown key 'imge'")
        self.write("foo", "")
        self.write("env.yml", "image: x\n")
        self.told("validate", "names.yml", "--set", "data.foo=foo")


if __name__ == "__main__":
    run_tests()

"""Outputs with a path: nothing is overwritten that no run of muster has written."""

# rooms: cli store front job
# attacks

import glob
import json
import os
import re
import shutil
import signal

from pipeline_case import PipelineCase
from support import BAD_FILE, MUSTER, run_tests

JOB = """command: echo $TEXT > ${{outputs.model}}/model
outputs: {model: {path: ./out%s}}
"""
STEPS = """type: pipeline
jobs:
  first: {command: 'echo 1 >> $DIR/ran; echo > ${{outputs.x}}/first', outputs: {x: {path: ./first}}}
  train:
    command: echo $TEXT > ${{outputs.model}}/model
    outputs: {model: "${{parent.outputs.model}}"}
outputs: {model: {path: ./out%s}}
"""
SWEEP = """type: sweep
trial: {command: 'echo $TEXT > ${{outputs.model}}/model; echo loss = ${{search_space.x}}'}
outputs: {model: {path: ./out%s}}
sampling_algorithm: grid
search_space: {x: {type: choice, values: [1, 2]}}
objective: {goal: minimize, primary_metric: loss}
limits: {max_total_trials: 2}
metrics_from: output
"""
ALL = {"job.yml": JOB, "steps.yml": STEPS, "sweep.yml": SWEEP}


class OutputPlaces(PipelineCase):
    def setUp(self):
        super().setUp()
        for name, text in ALL.items():
            self.write(name, text % "")
            self.write("over-" + name, text % ", overwrite: true")

    def run_it(self, file, *words, text="new", **more):
        return self.told("submit", file, *words, env=self.environment(TEXT=text), **more)

    def refused(self, done, what):
        place = self.path("out")
        said = f"could overwrite what no run of muster has written: {place} {what}"
        self.assertRegex(done.errors, re.escape(said) + "(\n|; )")
        self.assertIn("--force", done.errors)

    def model(self):
        return self.read("out/model").decode().strip()

    def test_the_users_files_stay(self):
        os.mkdir(self.path("out"))
        self.write("out/model", "mine\n")
        for file in ALL:
            with self.subTest(file):
                self.refused(self.run_it(file, code=BAD_FILE), "holds model")
                self.assertEqual(self.model(), "mine")
        self.assertFalse(os.path.exists(self.path("ran")), "no step has begun")
        self.assertEqual(self.told("ps", "--json").text, "[]\n", "nor is there a record")
        self.write("out/a", "")
        self.refused(self.run_it("job.yml", code=BAD_FILE), "holds a and 1 other")

    def test_a_plan_says_so_too(self):
        os.mkdir(self.path("out"))
        self.write("out/mine", "mine\n")
        for file in ALL:
            for words in (["explain", file], ["submit", "--dry-run", file], ["validate", file],
                          ["validate", "--target", "local", file]):
                with self.subTest(words):
                    done = self.told(*words)
                    self.assertIn("it would not start", done.errors)
                    self.refused(done, "holds mine")
                    self.assertEqual(self.told(*words[:-1], "over-" + file).errors, "")

    def test_programs_are_told_so_too(self):
        os.mkdir(self.path("out"))
        self.write("out/mine", "mine\n")
        for file in ALL:
            for words in (["explain", "--json", file], ["validate", "--json", file]):
                with self.subTest(words):
                    done = self.told(*words)
                    told = json.loads(done.text)["notices"]
                    self.assertEqual(len([one for one in told if "it would not start" in one]), 1)
                    done = self.told(*words[:-1], "over-" + file)
                    self.assertEqual(json.loads(done.text).get("notices", []), [])

    def test_a_file_is_the_users_too(self):
        self.write("out", "mine\n")
        self.write("file.yml", JOB.replace("/model\n", "\n") % ", type: uri_file")
        for file in ("job.yml", "file.yml"):
            self.refused(self.run_it(file, code=BAD_FILE), "is a file")
        done = self.run_it("file.yml", "--force")
        self.assertEqual(self.read("out"), b"new\n")
        self.assertEqual(done.errors, f"muster: {self.path('out')} was there before; the output "
                         "model may overwrite it\n")
        done = self.run_it("file.yml", "--force")
        self.assertEqual(done.errors, "", "a run of muster has written what is there now")

    def test_whoever_says_so_overwrites(self):
        for file in ALL:
            for words in ([file, "--force"], ["over-" + file]):
                with self.subTest(words):
                    os.makedirs(self.path("out"), exist_ok=True)
                    self.write("out/model", "mine\n")
                    done = self.run_it(*words)
                    self.assertEqual(self.model(), "new")
                    told = re.findall(r"muster: (\S+ was there before; .*)", done.errors)
                    self.assertEqual(len(told), 1, done)
                    if file != "sweep.yml":
                        self.assertEqual(told, [f"{self.path('out')} was there before; the output "
                                                "model may overwrite model in it"])
                    kept = glob.glob(self.path("out.before-*"))
                    self.assertEqual(len(kept), int(file == "sweep.yml"), "it replaces a folder")
                    for folder in kept:
                        self.assertIn(f"it is now {folder}\n", done.text + done.errors)
                        self.assertEqual(self.read(os.path.join(folder, "model")), b"mine\n")
                        shutil.rmtree(folder)

    def test_what_runs_have_written_may_be_written_anew(self):
        os.mkdir(self.path("out"))
        for number, file in enumerate(list(ALL) * 2):
            with self.subTest(number):
                self.run_it(file, text=str(number))
                self.assertEqual(self.model(), str(number))
        self.told("rerun", "last", env=self.environment(TEXT="again"))

    def test_what_the_user_adds_or_changes_is_the_users(self):
        self.run_it("job.yml")
        self.write("out/notes", "mine\n")
        self.refused(self.run_it("job.yml", code=BAD_FILE), "holds notes")
        self.refused(self.told("rerun", "last", code=BAD_FILE), "holds notes")
        done = self.told("rerun", "--force", "last", env=self.environment(TEXT="forced"))
        self.assertIn("the output model may overwrite notes in it\n", done.errors)
        self.assertEqual(self.model(), "forced")
        self.refused(self.run_it("job.yml", code=BAD_FILE), "holds notes")
        os.remove(self.path("out/notes"))
        self.run_it("job.yml")
        self.write("out/model", "changed by hand\n")
        self.refused(self.run_it("job.yml", code=BAD_FILE), "holds model")

    def test_what_a_killed_run_has_written(self):
        self.write("wait.yml", JOB.replace("/model\n", "/model; echo > $DIR/there; "
                                           "while [ ! -e $DIR/go ]; do sleep 0.01; done\n") % "")
        run = self.start("wait.yml", command=(MUSTER, "submit"))
        self.wait_for_files(["there"])
        run.popen.send_signal(signal.SIGKILL)
        run.finish()
        self.run_it("job.yml")
        self.assertEqual(self.model(), "new")
        self.write("out/notes", "mine\n")
        self.refused(self.run_it("job.yml", code=BAD_FILE), "holds notes")

    def test_two_runs_at_the_same_time(self):
        """The first one has the place, whatever the second one is and says."""
        for name, text in (("wait.yml", JOB), ("waits.yml", STEPS)):
            with self.subTest(name):
                self.write(name, text.replace("/model\n", "/model; echo > $DIR/there; "
                                              "while [ ! -e $DIR/go ]; do sleep 0.01; done; "
                                              "echo > ${{outputs.model}}/late\n") % "")
                run = self.start(name, command=(MUSTER, "submit"),
                                 env=self.environment(TEXT="first"))
                self.wait_for_files(["there"])
                runs = self.runs()
                running = max(runs)  # the latest, as names begin with the time
                for file in (*ALL, *("over-" + one for one in ALL)):
                    self.busy(self.run_it(file, code=BAD_FILE), running)
                self.busy(self.run_it("job.yml", "--force", code=BAD_FILE), running)
                self.assertEqual(self.runs(), runs, "who is refused leaves no record")
                self.write("go", "")
                self.assertEqual(run.finish().code, 0)
                self.assertEqual(self.model(), "first")
                self.assertTrue(os.path.exists(self.path("out/late")))
                self.run_it("job.yml")
                self.assertEqual(self.model(), "new")
                for file in ("there", "go"):
                    os.remove(self.path(file))

    def test_a_place_in_another_one(self):
        self.write("inner.yml", JOB.replace("./out", "./out/a/b") % "")
        waits = "/model; echo > $DIR/there; while [ ! -e $DIR/go ]; do sleep 0.01; done\n"
        for first, second in (("job.yml", "inner.yml"), ("inner.yml", "job.yml")):
            with self.subTest(first):
                self.write("wait.yml", self.read(first).decode().replace("/model\n", waits))
                run = self.start("wait.yml", command=(MUSTER, "submit"))
                self.wait_for_files(["there"])
                done = self.run_it(second, code=BAD_FILE)
                place = {"job.yml": self.path("out"), "inner.yml": self.path("out/a/b")}
                self.assertIn(f"cannot be written to {place[second]} now: the run "
                              f"{max(self.runs())} writes to {place[first]}\n", done.errors)
                self.assertIn("or say overwrite: true of this output", done.errors)
                told = self.run_it(second, "--force").errors
                self.assertIn(f"writes to {place[first]} at the same time as the output model is "
                              f"written to {place[second]}\n", told)
                self.write("go", "")
                self.assertEqual(run.finish().code, 0)
                for file in ("there", "go"):
                    os.remove(self.path(file))
                shutil.rmtree(self.path("out"))

    def test_a_run_that_the_writer_starts(self):
        """It is not told to wait for the run that waits for it."""
        command = (f"{MUSTER} submit $DIR/job.yml; echo $? > $DIR/code; {MUSTER} submit "
                   "$DIR/job.yml --force; echo $? > $DIR/forced")
        self.write("outer.yml", JOB.replace("echo $TEXT > ${{outputs.model}}/model", command) % "")
        done = self.run_it("outer.yml")
        self.assertEqual(self.read("code").decode().strip(), str(BAD_FILE))
        self.assertRegex(done.text + done.errors, f"the output model cannot be written to "
                         f"{self.path('out')}: the outer run \\S+, which started this one, writes "
                         "there\n")
        self.assertEqual(self.read("forced").decode().strip(), "0")
        self.assertNotIn("muster wait", done.text + done.errors)

    def test_two_steps_at_the_same_time(self):
        self.write("both.yml", """type: pipeline
jobs:
  a: {command: echo > $DIR/ran, outputs: {o: {path: ./out}}}
  b: {command: echo > $DIR/ran, outputs: {o: {path: ./out/b}}}
""")
        for words in (["validate"], ["submit", "--dry-run"], ["explain"], ["submit", "--force"]):
            with self.subTest(words):
                done = self.told(*words, "both.yml", code=BAD_FILE)
                self.assertIn("both.yml:4:43: the steps b and a may run at the same time, and "
                              f"write to {self.path('out/b')} and {self.path('out')} (a: both.yml:"
                              "3:43)\n", done.errors)
        self.assertFalse(os.path.exists(self.path("ran")))

    def runs(self):
        told = json.loads(self.told("ps", "--all", "--json").text)
        return [one["run"] for one in told if "/" not in one["run"]]

    def busy(self, done, run):
        self.assertRegex(done.errors, r"the output (model|x) cannot be written to \S+/(out|first) "
                         f"now: the run {run} writes there\n")
        self.assertIn(f"muster wait {run}", done.errors)


if __name__ == "__main__":
    run_tests()

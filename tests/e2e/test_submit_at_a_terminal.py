"""What muster submit, run -d and rm tell, or ask, a person at a terminal, and nobody else."""

# rooms: cli view

import json
import os
import pty
import re

from support import MUSTER, Case, run_tests, shown_at

JOB = """muster: 1
command: ${{inputs.do}}
distribution: {type: mpi, process_count_per_node: 2}
inputs:
  do: "true"
outputs:
  model:
"""

PIPELINE = """type: pipeline
jobs:
  one: {type: command, command: echo hello}
  two: {type: command, command: echo again}
"""

SWEEP = """type: sweep
trial: {command: "echo loss = ${{search_space.x}}"}
search_space:
  x: {type: choice, values: [1, 2]}
sampling_algorithm: grid
objective: {goal: minimize, primary_metric: loss}
limits: {max_total_trials: 2}
metrics_from: output
"""


class Watched(Case):
    """Somebody sits at a terminal: where the record is, and how to follow and stop the run."""

    def setUp(self):
        super().setUp()
        self.write("job.yml", JOB)

    def told(self, command, *words):
        done = self.start(*words, command=(MUSTER, command)).finish()
        self.assertEqual(done.code, 0, done)
        return done

    def show(self):
        return json.loads(self.told("show", "last", "--json").text)

    def seen(self, *words, command=("submit", "job.yml"), **environment):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        run = self.start(*words, command=(MUSTER, *command), stderr=theirs,
                         env=self.environment(**environment))
        os.close(theirs)
        done = run.finish()
        self.assertEqual(done.code, 0, done)
        return done.text, shown_at(ours)

    def test_a_run_in_the_foreground(self):
        text, told = self.seen("--set", "inputs.do=echo out")
        run = self.show()
        word = run["run"].rsplit("-", 1)[1]
        self.assertEqual(text, "out\nout\n")
        self.assertEqual(told, f"muster: run {word}, recorded in {run['folder']}\n"
                         f"muster: output model: {run['outputs']['model']}\n"
                         f"  muster logs -f {word}  # follow its output from another terminal\n"
                         f"  muster show {word}     # how it is, or how it ended and why\n"
                         f"  muster stop {word}     # stop it, as Ctrl-C does here\n")
        self.assertEqual(self.told("logs", word).text, "[0] out\n[1] out\n")

    def test_pipelines_and_sweeps_say_it_once(self):
        """The whole says it, and none of its steps."""
        self.write("pipeline.yml", PIPELINE)
        self.write("sweep.yml", SWEEP)
        for name in ("pipeline.yml", "sweep.yml"):
            with self.subTest(name):
                _, told = self.seen(command=("submit", name))
                run = self.show()
                word = run["run"].rsplit("-", 1)[1]
                self.assertTrue(told.startswith(
                    f"muster: run {word}, recorded in {run['folder']}\n"), told)
                typed = re.findall(r"(?m)^  muster (.*) (\S+) +# \w", told)
                expected = [(verb, word) for verb in ("logs -f", "show", "stop")]
                self.assertEqual(typed, expected, told)

    def test_a_pipeline_that_nobody_watches(self):
        self.write("pipeline.yml", PIPELINE)
        self.assertNotIn("logs -f", self.told("submit", "pipeline.yml").errors)

    def test_a_detached_run(self):
        for words in (("submit", "job.yml", "--detach"), ("run", "-d", "-n", "2", "true")):
            with self.subTest(words):
                text, told = self.seen(command=words)
                self.assertEqual(text, self.show()["run"] + "\n")
                word = text.strip().rsplit("-", 1)[1]
                typed = re.findall(rf"(?m)^  muster (.*) {word} +# \w", told)
                self.assertEqual(typed, ["logs -f", "show", "stop"], told)

    def test_rm_of_old_runs_asks(self):
        self.told("submit", "job.yml")
        run = self.show()["run"]
        for answer in ("n\n", "\n", "no, not yet\n", "\4", "y\n"):
            with self.subTest(answer):
                ours, theirs = pty.openpty()
                self.addCleanup(os.close, ours)
                one = self.start("--older-than", "0s", command=(MUSTER, "rm"), stdin=theirs)
                os.write(ours, answer.encode())
                done = one.finish()
                os.close(theirs)
                self.assertEqual(done.code, 0, done)
                self.assertIn(f"remove 1 run: {run}, with all that their records hold? [y/N] ",
                              done.errors)
                left = [each["run"] for each in json.loads(self.told("ps", "--all", "--json").text)]
                is_kept = answer != "y\n"
                self.assertEqual((left, "nothing was removed" in done.errors),
                                 ([run] if is_kept else [], is_kept), done)

    def test_output_that_goes_to_a_file_is_the_ranks_alone(self):
        """`muster submit job.yml > log` at a terminal: the log is clean, the person is told."""
        with open(self.path("log"), "wb") as log:
            ours, theirs = pty.openpty()
            self.addCleanup(os.close, ours)
            run = self.start("--set", "inputs.do=echo out", "job.yml", command=(MUSTER, "submit"),
                             stdout=log, stderr=theirs)
            os.close(theirs)
            self.assertEqual(run.popen.wait(), 0)
            told = shown_at(ours)
        self.assertEqual(self.read("log"), b"out\nout\n")
        self.assertIn(f"recorded in {self.show()['folder']}\n", told)

    def test_nobody_watches(self):
        """In the foreground stderr is kept for the ranks; detached, stdout has the name."""
        done = self.told("submit", "job.yml", "--set", "inputs.do=echo out")
        self.assertEqual((done.text, done.errors), ("out\nout\n", ""))
        for words in (("submit", "job.yml", "--detach"), ("run", "-d", "true")):
            done = self.told(*words)
            self.assertEqual((done.text, done.errors), (self.show()["run"] + "\n", ""))


if __name__ == "__main__":
    run_tests()

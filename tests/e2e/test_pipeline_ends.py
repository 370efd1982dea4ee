"""Pipelines that are interrupted, stopped or killed: nothing is left, and they go on again."""

# rooms: pipeline machine cli head sweep
# attacks

import contextlib
import functools
import glob
import os
import random
import re
import signal
import subprocess
import time
import unittest

from front_case import LabFrontCase
from pipeline_case import SCRIPTS, PipelineCase
from support import (ENDLESS, MUSTER, WAIT_SECONDS, by_age, descendants, lab_or_skip, run_tests,
                     state_of, survivors, until)

REASON = lab_or_skip()


def is_over(state):
    return state not in ("starting", "running")


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

    def test_what_writes_without_end_ends_at_once(self):
        """As much as is on its way then is still kept, which no loop makes more of."""
        command = f"'echo > $DIR/begun; {ENDLESS}'"
        self.write("steps.yml", f"type: pipeline\njobs: {{endless: {{command: {command}}}}}\n")
        self.write("trials.yml", f"type: sweep\ntrial: {{command: {command}}}\n"
                   "sampling_algorithm: grid\nmetrics_from: output\n"
                   "search_space: {x: {type: choice, values: [1]}}\n"
                   "objective: {goal: minimize, primary_metric: loss}\n")
        for name in ("steps.yml", "trials.yml"):
            with self.subTest(name):
                job = self.start(name, command=(MUSTER, "submit"), stdout=subprocess.DEVNULL)
                self.wait_for_files(["begun"])
                until("much output", lambda: self.bytes_kept() > 64 << 20)
                job.send(signal.SIGINT)
                job.until_said(b"received SIGINT")
                heard = self.bytes_kept()
                done = job.finish()
                self.assertEqual(done.code, 130, done)
                self.assertLess(self.bytes_kept() - heard, 512 << 20)
                self.told("rm", "last")
                os.remove(self.path("begun"))

    def bytes_kept(self):
        """Of all that is in the records."""
        found = 0
        for folder, _, names in os.walk(self.path(".local")):
            for name in names:
                with contextlib.suppress(FileNotFoundError):  # one that has been renamed
                    found += os.path.getsize(os.path.join(folder, name))
        return found

    def test_whoever_ends_a_batch_job_signals_its_steps_too(self):
        self.write("train.sh", "trap ': > \"$DIR/told.$RANK\"' TERM\n" + "trap 'exit 3' INT\n"
                   'echo > "$DIR/ready.$RANK"; until [ -e "$DIR/told.$RANK" ]; do sleep 0.1; done\n'
                   # Time for a signal too many, and far less than the 5 s of grace.
                   'sleep 0.5; : > "$DIR/saved.$RANK"\n')
        for step_first in (True, False):
            one = self.start("three.yml", "--fake-nodes", "2", command=(MUSTER, "submit"))
            self.wait_for_files([f"ready.{i}" for i in range(4)])
            pids = [self.show("last/train")["head"]["pid"], one.popen.pid]
            for pid in pids if step_first else reversed(pids):
                os.kill(pid, signal.SIGTERM)
            done = one.finish()
            self.assertEqual(done.code, 143, done)
            self.assertEqual(self.steps()["train"], "stopped")
            for name in ("ready", "told", "saved"):
                for i in range(4):
                    os.remove(self.path(f"{name}.{i}"))

    def test_one_step_is_stopped(self):
        one = self.begun()
        self.told("stop", "last/train")
        done = one.finish()
        self.assertNotEqual(done.code, 0, done)
        self.assertEqual(self.steps(), {"prepare": "completed", "train": "stopped",
                                        "evaluate": "blocked"})

    def test_a_step_that_the_pipeline_ends_says_why(self):
        os.mkfifo(self.path("meeting"))
        self.write("two.yml", "type: pipeline\n"
                   "settings: {continue_on_step_failure: false}\njobs:\n"
                   "  slow: {command: 'echo > $DIR/meeting; exec sleep 3600'}\n"
                   "  bad: {command: 'read line < $DIR/meeting; exit 3'}\n")
        done = self.submit("-j", "2", file="two.yml", code=3)
        self.assertIn("muster: ending slow, since bad failed\n", done.errors)
        self.assertRegex(done.errors, r"muster: slow stopped after .*: ended, since bad failed\n")
        self.assertNotRegex(done.errors, "SIGINT|same signal")  # nobody has sent one
        self.assertRegex(self.told("show", "last").text,
                         r"slow  stopped .* ended, since bad failed")

    def test_stop_ends_a_pipeline(self):
        one = self.begun()
        self.told("stop", "last")
        done = one.finish()
        self.assertEqual(done.code, 130)
        self.assertIn("muster: received SIGINT; ending 1 step; the same signal again kills it at "
                      "once\n", done.errors)
        self.assertEqual(done.errors.count("same signal"), 1, done.errors)
        self.assertRegex(done.errors, "muster: train stopped after .*: interrupted by signal 2 ")

    def test_a_killed_one_leaves_nothing_and_goes_on(self):
        one = self.begun()
        one.send(signal.SIGKILL)
        one.finish()
        self.assert_nothing_left()
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
            one.until_said(b"starts")
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
        until("a runs", lambda: self.listed() and self.steps().get("a") == "running")
        one.send(signal.SIGINT)
        until("it is over", lambda: is_over(self.show()["state"]))
        one.send(signal.SIGINT)
        one.popen.wait(WAIT_SECONDS)

    def listed(self):
        return "loud" in self.told("ps", "--all").text

    def test_a_reader_that_goes_away_ends_it(self):
        self.write("loud.yml", "type: pipeline\njobs:\n  a: {command: yes}\n")
        one = self.start("loud.yml", command=(MUSTER, "submit"))
        self.assertEqual(one.popen.stdout.readline(), b"a: y\n")
        one.popen.stdout.close()
        self.assertEqual(one.popen.wait(WAIT_SECONDS), 141)

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
        told = self.told("rerun", "last").errors
        self.assertEqual(self.steps(), {"a": "reused", "w": "completed"})
        self.assertEqual(sorted(re.findall(r"muster: (\w+ (?:starts|reused|completed))", told)),
                         ["a reused", "w completed", "w starts"])
        self.assertEqual(self.read("ran"), b"a\n")

    def test_the_folder_in_which_a_step_ran_is_taken_over(self):
        os.mkdir(self.path("src"))
        self.write("src/a.sh", "echo made > outputs/model; echo ran >> $DIR/ran\n")
        self.write("b.sh", "exit 3\n")
        self.write("two.yml", "type: pipeline\njobs:\n"
                   "  a: {code: src, command: sh a.sh}\n"
                   "  b: {command: 'sh $DIR/b.sh ${{inputs.run}}',\n"
                   "      inputs: {run: '${{parent.jobs.a.outputs.artifacts}}'}}\n")
        self.submit(file="two.yml", code=3)
        self.write("b.sh", 'cat "$1/outputs/model"; ls -d "$1/logs" "$1/a.sh" | wc -l\n')
        self.assertEqual(self.told("rerun", "last").text, "b: made\nb: 2\n")
        self.assertEqual(self.steps(), {"a": "reused", "b": "completed"})
        self.assertEqual(self.read("ran"), b"ran\n")

    def test_a_signal_while_outputs_are_taken_over(self):
        """The copy is ended, nothing of it stays, and the next rerun makes it."""
        self.write("prepare.sh", 'echo "$2" > "$1/word"; cd "$1" && seq 1500 | xargs touch\n')
        self.write("train.sh", "exit 7\n")
        self.submit("--fake-nodes", "2", code=7)
        first = self.show()["run"]
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                run = self.start(first, command=(MUSTER, "rerun"))
                outputs = until("a copy is made", functools.partial(self.half_copy, first))
                copier = by_age(descendants(run.popen.pid))[-1]
                os.kill(copier, signal.SIGSTOP)  # it is never done
                run.popen.send_signal(number)
                self.assertEqual(run.finish().code, 128 + number)
                self.assertEqual(self.show()["state"], "stopped")
                until("the half copy goes", lambda path=outputs: not os.path.exists(path))
                self.told("rm", "last")
        self.write("train.sh", SCRIPTS["train.sh"])
        self.told("rerun", first)
        self.assertEqual(self.steps()["prepare"], "reused")

    def test_a_signal_while_inputs_are_hashed(self):
        """What a deterministic step reads has no end."""
        os.mkdir(self.path("src"))
        self.write("step.yml", "$schema: commandComponent\nis_deterministic: true\ncode: src\n"
                   f"command: touch {self.path('ran')}\ninputs: {{given: {{type: uri_file}}}}\n")
        self.write("one.yml", "type: pipeline\nsettings: {force_rerun: false}\njobs:\n  one:\n"
                   "    component: ./step.yml\n    inputs: {given: {path: endless}}\n")
        self.write("endless", "")
        os.truncate(self.path("endless"), 4 << 40)
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                run = self.start("one.yml", command=(MUSTER, "submit"))
                until("the input is read", functools.partial(self.is_read, run, "endless"))
                run.send(number)
                self.assertEqual(run.finish().code, 128 + number)
                self.assertEqual(self.show()["state"], "stopped")
                self.assertEqual(self.steps(), {"one": "stopped"})
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_a_signal_while_code_is_laid_out(self):
        """Nothing of what was half made stays, though the program does not wait for that."""
        os.mkdir(self.path("many"))
        for number in range(5000):
            self.write(f"many/{number}", "")
        self.write("one.yml", "type: pipeline\njobs: {one: {type: command, code: many, "
                              "command: exec sleep 3600}}\n")
        run = self.start("one.yml", command=(MUSTER, "submit"))
        steps = self.path(".local/state/muster/runs/*/steps/")
        # On a fast machine it is there already.
        until("code is laid out", lambda: glob.glob(steps + ".new-one/code/*")
              or glob.glob(steps + "one"))
        run.send(signal.SIGINT)
        self.assertEqual(run.finish().code, 130)
        self.assertEqual(self.show()["state"], "stopped")
        until("half a record goes", lambda: not glob.glob(steps + ".new-one*"))

    def is_read(self, run, name):
        """Whether a process of the run has the file open."""
        for pid in descendants(run.popen.pid):
            try:
                files = f"/proc/{pid}/fd/"
                links = [os.readlink(files + file) for file in os.listdir(files)]
            except OSError:
                continue
            if self.path(name) in links:
                return True
        return False

    def half_copy(self, first):
        """The folder of one that a rerun has begun; else nothing."""
        records = self.path(".local/state/muster/runs")
        for name in os.listdir(records):
            outputs = os.path.join(records, name, "steps/prepare/outputs")
            if name[0] != "." and name != first and os.path.exists(outputs + "/data") \
                    and os.listdir(outputs + "/data"):
                return outputs
        return None

    def test_suspended_with_its_steps(self):
        one = self.begun()
        def asleep():
            return [pid for pid, words in survivors(self.mark).items() if words == "sleep 3600"]
        until("four ranks sleep", lambda: len(asleep()) == 4)
        sleeping = asleep()
        one.send(signal.SIGTSTP)
        until("stopped", lambda: {state_of(pid) for pid in [one.pid, *sleeping]} == {"T"})
        one.send(signal.SIGCONT)
        until("continued", lambda: "T" not in {state_of(pid) for pid in sleeping})
        one.send(signal.SIGTERM)
        self.assertEqual(one.finish().code, 143)

    def seconds_of(self, command):
        """What the pipeline takes here and now; of this run nothing is left."""
        began = time.monotonic()
        self.told(*command)
        seconds = time.monotonic() - began
        self.told("rm", "last")
        os.remove(self.path("result"))
        return seconds

    def test_killed_at_random_moments_it_comes_to_the_same_end(self):
        pause = 'sleep 0.0$(($$ % 10)); '
        for name, text in SCRIPTS.items():
            self.write(name, pause + text)
        dice = random.Random(14)
        command = ("submit", "three.yml", "--fake-nodes", "2")
        whole = self.seconds_of(command)
        kills = 0
        for number in range(60):
            one = self.start(*command[1:], command=(MUSTER, command[0]))
            try:  # a moment of its life, and later ones should the machine have become slower
                one.popen.wait(dice.uniform(0.03, 1) * whole * (1 + number / 10))
            except subprocess.TimeoutExpired:
                one.send(signal.SIGKILL)
                kills += 1
            done = one.finish()
            self.assert_nothing_left()
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

    def test_steps_share_the_hosts(self):
        self.write("hosts.yml", ON_HOSTS)
        done = self.start_in_lab("submit", "hosts.yml", "-H", "node1:2,node2:2").finish()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.lines, [f"both: {rank} node{1 + rank // 2} node1 node2"
                                      for rank in range(4)], done)
        self.assert_hosts_clean()

    def test_a_killed_conductor_leaves_nothing_on_them(self):
        self.write("hosts.yml",
                   ON_HOSTS.replace("echo $RANK", "echo > $DIR/ready.$RANK; sleep 3600; echo"))
        one = self.start_in_lab("submit", "hosts.yml", "-H", "node1:2,node2:2")
        self.wait_for_files([f"ready.{rank}" for rank in range(4)])
        one.send(signal.SIGKILL)
        one.finish()
        self.assert_hosts_clean()


if __name__ == "__main__":
    run_tests()

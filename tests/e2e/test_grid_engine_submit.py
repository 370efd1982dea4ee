"""Jobs that muster hands over to a real Grid Engine, and comes back to later."""

# rooms: front job batch queue store head pipeline cli
# needs: grid-engine

import datetime
import json
import os
import pty
import re
import subprocess
import unittest

import test_grid_engine
from support import CANNOT_START, MUSTER, Running, run_tests, shown_at, survivors, until

REASON = test_grid_engine.REASON
TARGETS = """targets:
  cluster: {grid_engine: {pe: mpi}}
  held: {grid_engine: {pe: mpi, options: {h: true}}}
  short: {grid_engine: {pe: mpi, resources: h_rt=3}}
  nowhere: {grid_engine: {pe: mpi, queue: absent}}
"""
JOB = """muster: 1
name: hello
command: %s
distribution: {type: mpi, node_count: %d, process_count_per_node: %d}
"""
PIPELINE = """type: pipeline
jobs:
  first:
    type: command
    command: %s
    compute: azureml:cluster
    outputs: {made: {type: uri_folder}}
  second:
    type: command
    command: cat ${{inputs.made}}/text
    compute: azureml:cluster
    inputs: {made: "${{parent.jobs.first.outputs.made}}"}
"""


@unittest.skipIf(REASON, REASON)
class Submitted(test_grid_engine.GridEngineCase):
    """The client is on the head, which sees the records as all nodes do."""

    def setUp(self):
        super().setUp()
        self.write("muster.yml", TARGETS)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def environment(self, **more):
        return self.engine.environment(E2E_MARK=self.mark, MUSTER_RECORDS=self.path("records"),
                                       **more)

    def call(self, *words):
        code, out, err = self.engine.run([MUSTER, *words], env=self.environment(), cwd=self.folder)
        return code, out.decode(), err.decode()

    def submit(self, command, *words, target="cluster", nodes=2, per_node=1):
        self.write("job.yml", JOB % (json.dumps(command), nodes, per_node))
        return self.call("submit", "job.yml", "--target", target, *words)

    def shown(self, run="last"):
        return json.loads(self.call("show", "--json", run)[1])

    def test_a_job_runs_on_hosts_of_the_queue_and_its_output_comes_back(self):
        code, out, err = self.submit('echo "$RANK of $WORLD_SIZE on $(hostname)"; echo aside >&2',
                                     nodes=2, per_node=2)
        self.assertEqual(code, 0, err)
        lines = sorted(out.splitlines())
        self.assertEqual([line[:6] for line in lines], [f"{rank} of 4" for rank in range(4)])
        self.assertEqual(sorted(line[-5:] for line in lines), ["node1"] * 2 + ["node2"] * 2)
        self.assertEqual(err.count("aside"), 4, err)
        record = self.shown()
        self.assertEqual((record["state"], record["ranks"], sorted(record["hosts"])),
                         ("completed", 4, ["node1", "node2"]))
        self.assertEqual(record["scheduler"]["kind"], "grid_engine")
        self.assertRegex(record["scheduler"]["id"], r"^\d+$")

    def test_a_person_at_a_terminal_is_told_what_to_type(self):
        self.write("job.yml", JOB % ("echo done", 1, 1))
        for words in ((), ("--detach",)):
            with self.subTest(words):
                ours, theirs = pty.openpty()
                self.addCleanup(os.close, ours)
                started = self.engine.start(
                    [MUSTER, "submit", "job.yml", "--target", "cluster", *words],
                    env=self.environment(TERM="dumb"), cwd=self.folder, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=theirs)
                os.close(theirs)
                self.running.append(Running(started.popen))
                self.running[-1].send = started.send
                done = self.running[-1].finish()
                self.assertEqual(done.code, 0, done)
                told = shown_at(ours)
                self.assertRegex(told, r"(?m)^muster: run (\S+), recorded in \S+\n"
                                       r"  muster logs -f \1 .*\n  muster show \1 .*\n"
                                       r"  muster stop \1 .*$")
                self.assertEqual(self.call("wait", "last")[0], 0)

    def test_the_code_of_a_rank_is_that_of_the_run(self):
        code, _, err = self.submit("[ $RANK != 1 ] || exit 7; sleep $E2E_MARK")
        self.assertEqual(code, 7, err)
        self.assertIn("rank 1", err)

    def test_names_of_jobs_and_folders_may_have_any_characters(self):
        home = self.folder
        for name in ("it's", 'a"b', "a b", "hé", "a$HOME", "a\\b", "a#b", "a,b:c"):
            with self.subTest(name):
                self.folder = os.path.join(home, name)
                os.makedirs(self.folder)
                self.write("muster.yml", TARGETS)
                self.write("job.yml", JOB.replace("hello", "hé") % ("pwd", 2, 1))
                code, out, err = self.call("submit", "job.yml", "--target", "cluster")
                self.assertEqual((code, out), (0, f"{self.folder}\n" * 2), err)
        self.folder = home

    def test_one_that_waits_is_shown_and_taken_out_of_the_queue(self):
        code, out, err = self.submit("true", "--detach", target="held")
        self.assertEqual(code, 0, err)
        run = out.strip()
        record = self.shown(run)
        self.assertEqual(record["state"], "queued")
        self.assertIn("held (hqw)", record["cause"])
        self.assertIn("queued", self.call("ps")[1])
        code, _, err = self.call("stop", run)
        self.assertEqual(code, 0, err)
        ended = self.shown(run)
        self.assertEqual((ended["state"], ended["exit_code"]), ("stopped", 143))
        self.assertIn("was cancelled before its run began", ended["cause"])
        self.assertEqual(self.engine.ask("qstat").strip(), "")

    def test_what_is_left_of_a_submission_that_was_killed_is_no_job(self):
        # Its qsub finds the end of its stdin, and nothing before.
        code, _, errors = self.engine.run(["qsub", "-terse"])
        self.assertNotEqual(code, 0)
        self.assertIn(b"no input read from stdin", errors)
        self.assertEqual(self.engine.ask("qstat").strip(), "")

    def begun(self, command):
        """A run of two ranks that have come as far as to write `ready.RANK`."""
        _, out, _ = self.submit(f"{command}; : > {self.folder}/ready.$RANK; "
                                "while :; do sleep 0.1; done", "--detach")
        until("two ranks",
              lambda: all(os.path.exists(self.path(f"ready.{rank}")) for rank in range(2)))
        return out.strip()

    def test_stop_ends_a_run_in_order(self):
        run = self.begun(f"trap ': > {self.folder}/told.$RANK; exit 0' TERM INT")
        code, _, err = self.call("stop", run)
        self.assertEqual(code, 0, err)
        record = self.shown(run)
        self.assertEqual((record["state"], record["exit_code"]), ("stopped", 130), record)
        self.assertTrue(all(os.path.exists(self.path(f"told.{rank}")) for rank in range(2)))
        until("all processes of the job have ended", lambda: not survivors(self.mark))
        until("the end of the job", lambda: not self.engine.ask("qstat").strip())

    def test_stop_ends_the_steps_of_a_pipeline_in_order(self):
        command = (f"trap ': > {self.folder}/told; exit 0' TERM INT; "
                   f": > {self.folder}/ready; while :; do sleep 0.1; done")
        self.write("pipe.yml", PIPELINE % json.dumps(command))
        _, out, _ = self.call("submit", "pipe.yml", "--target", "cluster", "--detach")
        until("the first step", lambda: os.path.exists(self.path("ready")))
        code, _, err = self.call("stop", out.strip())
        self.assertEqual(code, 0, err)
        record = self.shown()
        self.assertEqual((record["state"], record["exit_code"]), ("stopped", 130), record)
        self.assertEqual([one["state"] for one in record["steps"]], ["stopped", "blocked"])
        self.assertTrue(os.path.exists(self.path("told")))

    def test_a_pipeline_at_its_time_limit_ended_when_the_accounts_say(self):
        self.write("pipe.yml", PIPELINE % f"sleep {self.mark}")
        _, out, _ = self.call("submit", "pipe.yml", "--target", "short", "--detach")
        code, _, err = self.call("wait", out.strip())
        self.assertEqual(code, 246, err)
        record = self.shown()
        self.assertIn("reached its time limit", record["cause"])
        self.assertEqual([one["state"] for one in record["steps"]], ["stopped", "blocked"])
        self.assertEqual(record["steps"][0]["ended"], record["ended"])
        told = self.engine.ask("sh", "-c", "TZ=UTC0 qacct -j $0", record["scheduler"]["id"])
        at = re.search(r"end_time +(.*?) *\n", told)[1]
        ended = datetime.datetime.strptime(at, "%a %b %d %H:%M:%S %Y")
        self.assertEqual(record["ended"], f"{ended.isoformat()}.000Z")

    def test_a_run_that_asks_to_be_queued_again_is_followed_to_its_last_end(self):
        """Grid Engine starts a script that ends with 99 once more."""
        code, _, err = self.submit(f"[ -e {self.folder}/once ] || {{ : > {self.folder}/once; "
                                   "exit 99; }; exit 3", nodes=1)
        self.assertEqual(code, 3, err)
        record = self.shown()
        self.assertEqual((record["state"], record["exit_code"]), ("failed", 3))
        self.assertTrue(os.path.isdir(os.path.join(record["folder"], "attempt.1")))

    def test_qdel_ends_a_run_and_all_its_processes(self):
        run = self.begun("true")
        self.engine.ask("qdel", self.shown(run)["scheduler"]["id"])
        code, _, err = self.call("wait", run)
        self.assertEqual(code, 143, err)
        self.assertEqual(self.shown(run)["state"], "stopped")
        until("all processes of the job have ended", lambda: not survivors(self.mark))

    def test_a_refusal_is_in_its_own_words_and_tells_what_there_is(self):
        code, _, err = self.submit("true", target="nowhere")
        self.assertEqual(code, CANNOT_START)
        self.assertIn('Grid Engine refuses: job requests unknown queue "absent"', err)
        self.assertIn("queues here: test.q", err)

    def test_check_asks_without_submitting(self):
        code, out, err = self.submit("true", "--check")
        self.assertEqual(code, 0, err)
        self.assertIn("Grid Engine: it would be taken", out)
        code, _, err = self.submit("true", "--check", nodes=100, per_node=8)
        self.assertEqual(code, CANNOT_START)
        self.assertIn("only offers 16 slots", err)
        self.assertEqual(self.engine.ask("qstat").strip(), "")


if __name__ == "__main__":
    run_tests()

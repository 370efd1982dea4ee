"""Jobs that muster hands over to a real Slurm from a login node, and comes back to later."""

# rooms: front job batch queue store head pipeline cli
# needs: slurm

import json
import os
import pty
import subprocess
import unittest

import test_slurm
from support import (BAD_FILE, CANNOT_START, MUSTER, UNREACHABLE, UNTIL_GO, Running, run_tests,
                     shown_at, until)

REASON = test_slurm.REASON
TARGETS = """targets:
  cluster:
    slurm: {partition: main, time: 10, options: {comment: "it's # ours"}}
  nowhere:
    slurm: {partition: absent}
  late:
    slurm: {partition: main, options: {begin: now+1hour}}
  again:
    slurm: {partition: main, requeue: true}
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
    command: echo made on $(hostname) > ${{outputs.made}}/text
    compute: azureml:cluster
    outputs: {made: {type: uri_folder}}
  second:
    type: command
    command: cat ${{inputs.made}}/text
    compute: azureml:cluster
    inputs: {made: "${{parent.jobs.first.outputs.made}}"}
"""

AGAIN_SECONDS = 200  # until a job begins that was queued again
START = 'echo "start ${SLURM_RESTART_COUNT:-0}"'


class SubmitCase(test_slurm.SlurmCase):
    """The client is on the head, which sees the records as all nodes do."""

    def setUp(self):
        super().setUp()
        self.write("muster.yml", TARGETS)

    def job(self, command, nodes=2, per_node=1):
        return self.write("job.yml", JOB % (json.dumps(command), nodes, per_node))

    def begin(self, *words, out=subprocess.PIPE, err=subprocess.PIPE, **variables):
        """Called whatever the nodes do."""
        own = ["env", *(f"{name}={value}" for name, value in variables.items()), MUSTER]
        started = self.slurm.start([*own, *words], env=self.environment(), cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        running = Running(started.popen)
        running.send = started.send
        self.running.append(running)
        return running

    def follow(self, text, *words):
        """One that has printed the text, to whichever stream."""
        with open(self.path("followed"), "wb") as file:
            running = self.begin(*words, out=file, err=file)
        until(text, lambda: text in self.text("followed"))
        return running

    def call(self, *words, code=None, **variables):
        done = self.begin(*words, **variables).finish()
        if code is not None:
            self.assertEqual(done.code, code, done)
        return done

    def submit(self, *words, target="cluster", **more):
        return self.call("submit", "job.yml", "--target", target, *words, **more)

    def detached(self, command, *words, nodes=2, per_node=1, **more):
        """The run's name; it is in the queue, or further."""
        self.job(command, nodes, per_node)
        return self.submit("--detach", *words, code=0, **more).text.strip()

    def shown(self, run):
        return json.loads(self.call("show", "--json", run, code=0).text)

    def until_state(self, run, *states):
        return until(f"one of {states}", lambda: next((
            one for one in [self.shown(run)] if one["state"] in states), None))

    def go(self):
        self.write("go", "")


@unittest.skipIf(REASON, REASON)
class Submitted(SubmitCase):

    def test_a_job_runs_on_hosts_of_the_queue_and_its_output_comes_back(self):
        self.job('echo "$RANK of $WORLD_SIZE on $(hostname)"; echo aside >&2', 2, 2)
        done = self.submit(code=0)
        self.assertEqual(sorted(done.lines), ["0 of 4 on node1", "1 of 4 on node1",
                                              "2 of 4 on node2", "3 of 4 on node2"])
        self.assertEqual(done.errors.count("aside"), 4, done.errors)
        record = self.shown("last")
        self.assertEqual((record["state"], record["hosts"], record["ranks"]),
                         ("completed", ["node1", "node2"], 4))
        self.assertEqual(record["scheduler"]["kind"], "slurm")
        self.assertRegex(record["scheduler"]["id"], r"^\d+$")
        self.assertEqual(self.call("logs", "--rank", "3", "last", code=0).lines,
                         ["3 of 4 on node2"])

    def test_a_person_at_a_terminal_is_told_what_to_type(self):
        self.job("echo done")
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        done = self.begin("submit", "job.yml", "--target", "cluster", err=theirs).finish()
        os.close(theirs)
        self.assertEqual(done.code, 0, done)
        told = shown_at(ours)
        self.assertRegex(told, r"^muster: run (\S+), recorded in \S+\n  muster logs -f \1 .*\n"
                               r"  muster show \1 .*\n  muster stop \1 .*\n"
                               r"muster: .* is Slurm job ")

    def test_a_rank_that_fails_gives_the_run_its_code(self):
        self.job("exit $((RANK * 3))")
        done = self.submit(code=3)
        self.assertIn("rank 1", done.errors)
        self.assertEqual(self.call("wait", "last").code, 3)

    def test_the_job_is_that_of_its_submission_with_its_code(self):
        os.mkdir(self.path("src"))
        self.write("src/what", "then\n")
        self.write("job.yml", JOB % ('"cat what"', 1, 1) + "code: src\n")
        run = self.submit("--detach", target="late", code=0).text.strip()
        self.write("src/what", "now\n")
        self.write("job.yml", JOB % ('"echo changed"', 1, 1))
        job = self.shown(run)["scheduler"]["id"]
        self.slurm.run(["scontrol", "update", f"jobid={job}", "StartTime=now"])
        self.call("wait", run, code=0)
        self.assertEqual(self.call("logs", run, code=0).lines, ["then"])

    def test_a_dry_run_prints_the_script_and_asks_nobody(self):
        self.job("true", 2, 3)
        script = self.submit("--dry-run", code=0, PATH="/nowhere").text
        self.assertIn("#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=3\n", script)
        self.assertIn("#SBATCH --partition=main\n#SBATCH --time=10\n", script)
        self.assertRegex(script, r"\nexec \S*muster submit job.yml --target cluster\n$")
        self.assertEqual(json.loads(self.call("ps", "--json", code=0).text), [])

    def test_a_check_has_slurms_answer(self):
        self.job("true")
        self.assertRegex(self.submit("--check", code=0).text, r"Slurm: it would start at \S+")
        done = self.call("validate", "job.yml", "--target", "nowhere", code=CANNOT_START)
        self.assertIn("nvalid partition", done.errors)
        self.assertEqual(self.jobs(), [])

    def test_what_slurm_refuses_is_told_in_its_words_with_ours(self):
        self.job("true")
        done = self.submit(target="nowhere", code=CANNOT_START)
        self.assertIn("invalid partition specified: absent", done.errors)
        self.assertIn("partitions here: main", done.errors)
        record = self.shown("last")
        self.assertEqual((record["state"], record["exit_code"]), ("failed", CANNOT_START))

    def test_a_slurm_that_is_not_there_is_told(self):
        self.job("true")
        done = self.submit(code=UNREACHABLE, SLURM_CONF=self.write("slurm.conf", ""))
        self.assertIn("Slurm does not answer", done.errors)
        done = self.submit(code=CANNOT_START, PATH="/nowhere")
        self.assertIn("there is no sbatch here", done.errors)

    def test_without_a_record_there_is_no_job_and_no_sbatch(self):
        self.job("true")
        done = self.submit(code=CANNOT_START, MUSTER_RECORDS=self.write("file", "") + "/records")
        self.assertIn("cannot keep a record", done.errors)
        self.assertEqual(self.slurm.lab.children_named("head", "sbatch"), [])
        self.assertEqual(self.jobs(), [])

    def test_what_is_left_of_a_submission_that_was_killed_is_no_job(self):
        # Its sbatch finds the end of its stdin, and nothing before.
        code, _, errors = self.slurm.run(["sbatch", "--parsable"], env=self.environment())
        self.assertNotEqual(code, 0)
        self.assertIn(b"empty", errors)
        self.assertEqual(self.jobs(), [])

    # ---- runs that wait, and those that are ended from elsewhere --------------------------------

    def test_a_run_that_waits_is_queued_and_can_be_stopped(self):
        run = self.detached("true", target="late")
        record = self.shown(run)
        self.assertEqual((record["state"], record["exit_code"]), ("queued", None))
        self.assertRegex(record["cause"], r"BeginTime; queued since 20\S+ \d\d:\d\d; "
                                          "expected to start at 20")
        listed = json.loads(self.call("ps", "--json", code=0).text)
        self.assertEqual([(one["run"], one["state"]) for one in listed], [(run, "queued")])
        self.assertIn("still runs", self.call("rm", run).errors)
        self.assertEqual(self.call("logs", run, code=0).text, "")
        self.call("gc", "--max-size", "0", code=0)
        following = self.begin("wait", run)
        self.call("stop", run, code=0)
        ended = self.shown(run)
        self.assertEqual(ended["state"], "stopped")
        self.assertIn("before its run began", ended["cause"])
        self.assertEqual(following.finish().code, ended["exit_code"])
        self.call("rm", run, code=0)
        self.assertFalse(os.path.exists(record["folder"]))

    def test_a_job_that_somebody_cancels_is_no_longer_queued(self):
        run = self.detached("true", target="late")
        job = self.shown(run)["scheduler"]["id"]
        self.slurm.run(["scancel", job])
        ended = json.loads(self.call("show", run, "--json", code=0, TZ="Asia/Kolkata").text)
        self.assertEqual((ended["state"], ended["exit_code"]), ("stopped", 143))
        self.assertIn("was cancelled before its run began", ended["cause"])
        told = self.slurm.run(["squeue", "-h", "--states=all", "-o", "%e", "-j", job],
                              env=self.environment(SLURM_TIME_FORMAT="%FT%T.000Z", TZ="UTC0"))[1]
        self.assertEqual(ended["ended"], max(told.decode().strip(), ended["created"]))

    def test_gc_asks_for_runs_that_ended_in_the_queue(self):
        cancelled, waiting = (self.detached("true", target="late") for _ in range(2))
        self.slurm.run(["scancel", self.shown(cancelled)["scheduler"]["id"]])
        gc = ("gc", "--max-size", "0", "--json")
        done = self.call(*gc, code=0, PATH="/nowhere")
        self.assertEqual(json.loads(done.text)["runs"], [], done)
        self.assertEqual(done.errors.count("no squeue here; of runs in the queue of Slurm"), 1)
        done = self.call(*gc, code=0)
        self.assertEqual(json.loads(done.text)["runs"], [cancelled], done)
        self.call("stop", waiting, code=0)

    def test_who_follows_hears_why_it_waits_and_ends_it_with_ctrl_c(self):
        self.job("true")
        following = self.follow("BeginTime", "submit", "job.yml", "--target", "late")
        following.send(2)
        done = following.finish()
        self.assertEqual(done.code, 143, done)
        self.assertEqual(self.jobs(), [])

    def test_a_run_is_followed_stopped_and_run_again(self):
        run = self.detached(f'echo begun; {UNTIL_GO}', nodes=2)
        following = self.follow("[0] begun", "logs", "-f", run)
        self.until_state(run, "running")  # the other host's rank may begin later
        self.call("stop", run, code=0)
        ended = self.shown(run)
        self.assertEqual((ended["state"], ended["exit_code"]), ("stopped", 130))
        following.finish()
        self.go()
        again = self.call("rerun", run, code=0).text.strip()
        self.call("wait", again, code=0)
        self.assertEqual(self.call("logs", again, code=0).lines, ["[0] begun", "[1] begun"])
        self.assertNotEqual(self.shown(again)["scheduler"]["id"], ended["scheduler"]["id"])

    def test_scancel_of_a_run_ends_it_in_order(self):
        run = self.detached(UNTIL_GO)
        self.until_state(run, "running")
        self.slurm.run(["scancel", self.shown(run)["scheduler"]["id"]])
        self.call("wait", run, code=143)
        self.assertEqual(self.shown(run)["state"], "stopped")

    def test_a_head_that_is_killed_is_told_by_its_job(self):
        run = self.detached(UNTIL_GO)
        record = self.until_state(run, "running")
        self.slurm.lab.run(["kill", "-9", str(record["head"]["pid"])], record["head"]["host"])
        self.call("wait", run, code=245)
        self.assertRegex(self.shown(run)["cause"], "the script of Slurm job \\d+ ended")

    def queued_again(self, run):
        """Until the job of a run of the target `again` is in the queue once more."""
        job = self.until_state(run, "running")["scheduler"]["id"]
        until("the first start", lambda: "start 0" in self.call("logs", run).text)
        self.slurm.run(["scontrol", "requeue", job])
        until("the job in the queue", lambda: "JobState=PENDING" in self.state(job))

    def test_a_job_that_is_queued_again_runs_again_under_its_name(self):
        run = self.detached(f"{START}; {UNTIL_GO}; exit 3", target="again", nodes=1)
        self.until_state(run, "running")
        waiting = self.begin("wait", run)
        following = self.begin("logs", "-f", run)
        self.queued_again(run)
        record = self.shown(run)
        self.assertEqual((record["state"], record["exit_code"], record["ended"], record["hosts"]),
                         ("queued", None, None, []))
        listed = json.loads(self.call("ps", "--json", code=0).text)
        self.assertEqual([(one["run"], one["state"]) for one in listed], [(run, "queued")])
        self.assertIn("still runs", self.call("rm", run).errors)
        self.call("gc", "--max-size", "0", code=0)
        # Not StartTime=now: slurmd refuses a job that it has just ended (AuthInfo of the lab).
        until("the second start", lambda: "start 1" in self.call("logs", run).text, AGAIN_SECONDS)
        self.assertEqual((waiting.popen.poll(), following.popen.poll()), (None, None))
        self.go()
        self.assertEqual(waiting.finish().code, 3)
        self.assertEqual(following.finish().lines, ["start 0", "start 1"])
        self.call("wait", run, code=3)
        self.assertEqual(self.shown(run)["state"], "failed")

    def test_a_run_that_is_queued_again_can_be_stopped_there(self):
        run = self.detached(f"{START}; {UNTIL_GO}", target="again", nodes=1)
        self.queued_again(run)
        self.call("stop", run, code=0)
        ended = self.shown(run)
        self.assertEqual((ended["state"], ended["exit_code"]), ("stopped", 143))
        listed = self.call("ps", "--json", code=0, SLURM_CONF="/nowhere")  # nobody is asked
        self.assertEqual([one["state"] for one in json.loads(listed.text)], ["stopped"])

    # ---- pipelines, and scripts without a record ------------------------------------------------

    def test_a_pipeline_is_one_head_that_starts_its_steps(self):
        self.write("pipe.yml", PIPELINE)
        done = self.call("submit", "pipe.yml", "--target", "cluster", code=0)
        self.assertIn("made on node1", done.text)
        record = self.shown("last")
        self.assertEqual([one["state"] for one in record["steps"]], ["completed"] * 2)
        self.assertEqual(record["scheduler"]["kind"], "slurm")
        self.assertEqual(self.call("logs", "last/second", code=0).lines, ["made on node1"])

    def test_a_pipeline_that_is_run_again_goes_on_where_it_failed(self):
        self.write("muster.yml", TARGETS)
        text = PIPELINE.replace("command: cat", "command: '[ -e $DIR/go ] && cat").replace(
            "made}}/text\n    compute: azureml:cluster\n    inputs",
            "made}}/text'\n    compute: azureml:cluster\n    inputs")
        self.write("pipe.yml", text)
        self.call("submit", "pipe.yml", "--target", "cluster", code=1)
        self.go()
        self.assertIn("made on node1", self.call("rerun", "last", code=0).text)
        self.assertEqual([one["state"] for one in self.shown("last")["steps"]],
                         ["reused", "completed"])

    def test_a_run_submitted_by_a_rank_of_another_is_a_job_of_its_own(self):
        self.job('echo "$SLURM_JOB_ID $SLURM_JOB_NUM_NODES"')
        done = self.allocated(["-N", "1", "-n", "1"], MUSTER, "run", "-x", "MUSTER_RECORDS",
                              MUSTER, "submit", "job.yml", "--target", "cluster")
        self.assertEqual(done.code, 0, done)
        jobs = [one["scheduler"]["id"] for one in json.loads(self.call("ps", "--json").text)
                if "scheduler" in one]
        self.assertEqual(done.lines, [f"{jobs[0]} 2"] * 2)

    def test_an_exported_script_runs_by_sbatch_alone(self):
        self.job('echo "$RANK on $(hostname)" > $DIR/rank.$RANK')
        export = ("export", "slurm", "job.yml", "--target", "cluster", "-o", "job.sh")
        self.call(*export, code=0)
        self.assertIn(f"exec {MUSTER} submit", self.text("job.sh"))
        path = os.path.dirname(MUSTER) + ":" + os.environ["PATH"]
        self.call(*export, code=0, PATH=path)
        self.assertIn("exec muster submit", self.text("job.sh"))
        done = self.start(["sbatch", "--parsable", "job.sh"],
                          env=self.environment(PATH=path)).finish()
        self.assertRegex(done.text, r"^\d+$")
        self.wait_for("rank.0", "rank.1")
        self.until_no_job()
        self.assertEqual(self.text("rank.1"), "1 on node2\n")

    def test_an_array_is_a_script_whose_tasks_are_runs_of_their_own(self):
        self.write("muster.yml", "targets: {cluster: {slurm: {partition: main, array: 3-4}}}\n")
        self.job('echo "$RANK" > $DIR/task.$SLURM_ARRAY_TASK_ID.$RANK')
        self.assertIn("would be many runs", self.submit(code=BAD_FILE).errors)
        self.call("export", "slurm", "job.yml", "--target", "cluster", "-o", "job.sh", code=0)
        self.assertIn("#SBATCH --array=3-4\n", self.text("job.sh"))
        path = os.path.dirname(MUSTER) + ":" + os.environ["PATH"]
        self.start(["sbatch", "--parsable", "job.sh"], env=self.environment(PATH=path)).finish()
        self.wait_for(*(f"task.{task}.{rank}" for task in (3, 4) for rank in (0, 1)))
        self.until_no_job()
        records = json.loads(self.call("ps", "--all", "--json", code=0).text)
        self.assertEqual([one["state"] for one in records], ["completed"] * 2)

    def test_what_the_job_cannot_do_is_told_with_its_own_last_words(self):
        self.write("muster.yml", "targets: {cluster: {slurm: {muster: /nowhere/muster}}}\n")
        self.job("true")
        done = self.submit()
        self.assertIn("before its run began", done.errors)
        self.assertIn("/nowhere/muster", self.shown("last")["cause"])
        self.assertFalse(self.shown("last")["state"] in ("queued", "completed"))


if __name__ == "__main__":
    run_tests()

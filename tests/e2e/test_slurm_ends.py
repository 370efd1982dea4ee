"""How Slurm ends, holds up and starts again what muster runs in it."""

# rooms: batch head link machine pipeline cli
# long
# needs: slurm

import datetime
import glob
import json
import os
import re
import unittest

import test_slurm
from support import MUSTER, UNREACHABLE, UNTIL_GO, kill_all, run_tests, until

REASON = test_slurm.REASON
LIMIT_SECONDS = 180  # Slurm counts time limits in minutes, and looks for them twice in one
AGAIN_SECONDS = 200  # until a job begins that was queued again
END = "SLURM_TIME_FORMAT=%s squeue -h -j $SLURM_JOB_ID -o %e"
STEPS = """type: pipeline
jobs:
  long: {type: command, command: sleep 300, outputs: {made: {type: uri_folder}}}
  next:
    type: command
    command: ls ${{inputs.made}}
    inputs: {made: "${{parent.jobs.long.outputs.made}}"}
"""


@unittest.skipIf(REASON, REASON)
class TimeLimits(test_slurm.SlurmCase):
    """This Slurm does not set SLURM_JOB_END_TIME: squeue is asked."""

    def test_the_end_of_the_job_is_told_before_it_comes_and_is_the_cause(self):
        job = self.batch(["-N", "3", "-n", "3", "-t", "1"],
                         f"exec {MUSTER} run --notice USR1@50 sh -c '"
                         'trap ": > $DIR/told.$RANK" USR1; : > $DIR/ready.$RANK; '
                         "while :; do sleep 0.05; done'")
        self.wait_for("ready.0", "ready.1", "ready.2")
        self.write("steps.yml", STEPS)
        script = self.write("steps.sh", f"#!/bin/sh\nexec {MUSTER} submit steps.yml\n")
        code, out, _ = self.slurm.run(["sbatch", "--parsable", "-t", "1", "-e",
                                       self.path("steps.err"), script],
                                      env=self.environment(), cwd=self.folder)
        pipeline = out.decode().strip()
        self.assertEqual(code, 0)
        self.wait_for("told.0", "told.1", "told.2")
        self.assertIn("JobState=RUNNING", self.state(job))
        self.until_no_job(job, pipeline, seconds=LIMIT_SECONDS)
        self.assert_told_before(self.events_with("notice"))
        for name in ("err", "steps.err"):
            self.assertIn("the time limit of the batch job around was reached", self.text(name))
        self.assertIn("exit code 246", self.text("err"))
        code, out, _ = self.slurm.run([MUSTER, "show", "last", "--json"], env=self.environment())
        record = json.loads(out)
        self.assertEqual((code, record["state"], record["exit_code"]), (0, "failed", 246))
        self.assertEqual([one["state"] for one in record["steps"]], ["stopped", "blocked"])

    def events_with(self, name):
        """All events of the run that has one of this name."""
        for path in glob.glob(self.path("records/*/events.jsonl")):
            with open(path, encoding="utf-8") as file:
                events = [json.loads(line) for line in file]
            if name in [one["event"] for one in events]:
                return events
        return self.fail(f"no run has an event {name}")

    def assert_told_before(self, events):
        """By one notice, and all ranks had it before the first one was ended."""
        names = [one["event"] for one in events]
        self.assertEqual(names.count("notice"), 1, events)
        self.assertLess(names.index("notice"), names.index("rank_ended"), events)
        end = datetime.datetime.fromisoformat(events[names.index("rank_ended")]["time"])
        told = [os.stat(self.path(f"told.{rank}")).st_mtime for rank in range(3)]
        self.assertLess(max(told), end.timestamp())

    def test_a_signal_that_slurm_sends_to_all_steps_is_for_the_ranks(self):
        """scancel --signal, sbatch --signal: agents get it, too, and it is not for them."""
        running = self.start(["salloc", "-Q", "-N", "2", "-n", "2", MUSTER, "run", "sh", "-c",
                              'trap ": > $DIR/told.$RANK" USR1; : > "$DIR/ready.$RANK"; '
                              f'{UNTIL_GO}'])
        self.wait_for("ready.0", "ready.1")
        self.slurm.ask("scancel", "-s", "USR1", self.jobs()[0].split()[0])
        self.wait_for("told.0", "told.1")
        self.write("go", "")
        done = running.finish()
        self.assertEqual(done.code, 0, done)

    def test_ranks_know_when_their_job_ends(self):
        script = f'echo "${{MUSTER_DEADLINE-none}} $({END})"'

        def on_two_hosts():
            done = self.muster(["-N", "2", "-n", "2", "-t", "7"], "sh", "-c", script)
            return [line.split() for line in done.lines]

        def on_one_host():
            _, out = self.batch_to_end(["-N", "1", "-t", "7"],
                                       f"exec {MUSTER} run sh -c '{script}'")
            return [line.split() for line in out.splitlines()]
        for run, ranks in ((on_two_hosts, 2), (on_one_host, 1)):
            # Ranks do not wait long for a squeue that is slow.
            told = until("ranks that know", lambda run=run: next(
                (found for found in [run()] if "none" not in str(found)), None))
            self.assertEqual(len(told), ranks)
            for deadline, end in told:
                self.assertEqual(deadline, end)

    def test_a_job_without_a_limit_has_no_deadline(self):
        done = self.muster(["-N", "2", "-n", "2"], "sh", "-c", "echo ${MUSTER_DEADLINE-none}")
        self.assertEqual(done.lines, ["none", "none"])


@unittest.skipIf(REASON, REASON)
class Troubles(test_slurm.SlurmCase):
    """A run ends with a name, and leaves nothing. Daemons and cables come to harm."""

    own = True
    options = {"losable": True}

    RANKS = ': > "$DIR/ready.$RANK"; sleep "$E2E_MARK"'

    def held(self, *options):
        """A run on three hosts, of an allocation that outlives one of them."""
        running = self.start(["salloc", "-Q", "--no-kill", "-N", "3", "-n", "3", MUSTER, "run",
                              *options, "sh", "-c", self.RANKS])
        self.wait_for("ready.0", "ready.1", "ready.2")
        return running

    def no_ranks_on(self, *names):
        def none():
            return not any(self.slurm.lab.strangers(name, self.mark.encode()) for name in names)
        until("no rank", none)

    def test_a_node_that_is_down_is_named(self):
        running = self.held()
        self.slurm.stop("slurmd", "node2")
        kill_all(self.slurm.lab.strangers("node2", self.mark.encode()))
        done = running.finish()
        self.slurm.start_slurmd("node2")
        self.assertNotEqual(done.code, 0)
        self.assertIn("node2: the link to its agent broke", done.errors)
        self.no_ranks_on("node1", "node2", "node3")

    def test_a_node_that_slurm_gives_no_steps_is_named_and_no_other(self):
        """Slurm refuses a step on all hosts with the same words for each of them."""
        script = self.write("down.sh", f"""#!/bin/sh
scontrol update NodeName=node2 State=DOWN Reason=test || exit 1
{MUSTER} run --start-timeout 15 true
code=$?
scontrol update NodeName=node2 State=RESUME
exit $code
""", 0o755)
        try:
            done = self.allocated(["--no-kill", "-N", "3", "-n", "3"], script)
        finally:
            self.slurm.wait_until_idle()
        self.assertEqual(done.code, UNREACHABLE, done)
        self.assertRegex(done.errors, "error: node2: ")
        self.assertNotRegex(done.errors, "error: node[13]: ")

    def test_a_host_without_its_cable_is_named(self):
        self.spend_service()  # Slurm itself may have missed the host, and takes its time then
        running = self.held("--lease", "3")
        self.slurm.lab.pull_cable("node2")
        try:
            done = running.finish()
            self.no_ranks_on("node1", "node2", "node3")
        finally:
            self.slurm.lab.plug_cable("node2")
        self.assertNotEqual(done.code, 0)
        self.assertIn("node2", done.errors)

    def test_a_step_that_slurm_does_not_start_is_told_with_what_holds_it(self):
        """As with a Slurm, or a site, where steps cannot overlap."""
        self.write("srun", """#!/bin/sh
for word; do
  shift
  [ "$word" = --overlap ] || set -- "$@" "$word"
done
exec /usr/bin/srun "$@"
""", 0o755)
        script = self.write("held.sh", f"""#!/bin/sh
srun -N2 -n4 --exact sh -c ': > "$DIR/holds.$SLURM_PROCID"; exec sleep "$E2E_MARK"' & other=$!
while ! [ -e "$DIR/holds.0" ]; do sleep 0.05; done
PATH="$DIR:$PATH" {MUSTER} run --start-timeout 8 true
code=$?
kill $other
exit $code
""", 0o755)
        done = self.allocated(["-N", "2", "--ntasks-per-node=2"], script)
        self.assertEqual(done.code, UNREACHABLE, done)
        self.assertRegex(done.errors, r"waiting for node\d: Slurm starts no step there; it has "
                         r"\d+\.0 \(sh\); end that step, or start it with srun --overlap "
                         r"\(\d+ s so far, at most 8 s\)")
        self.assertRegex(done.errors, r"error: node[12](, node2)?: Slurm starts no step there")


@unittest.skipIf(REASON, REASON)
class Again(test_slurm.SlurmCase):
    """Jobs that Slurm starts more than once, or in many parts."""

    def test_a_requeue_is_a_restart_for_ranks(self):
        job = self.batch(["-N", "2", "-n", "2", "--requeue", "--open-mode=append"],
                         f"exec {MUSTER} run sh -c '"
                         ': > "$DIR/ready.$RANK.${MUSTER_RESTART_COUNT:-0}"; '
                         '[ -n "$SLURM_RESTART_COUNT" ] || exec sleep "$E2E_MARK"; '
                         "echo again $MUSTER_RESTART_COUNT'")
        self.wait_for("ready.0.0", "ready.1.0")
        self.slurm.ask("scontrol", "requeue", job)
        # A job that was queued again begins some time later.
        until("the requeue", lambda: "Restarts=1" in self.state(job))
        self.wait_for("ready.0.1", "ready.1.1", seconds=AGAIN_SECONDS)
        until("the second start", lambda: self.text("out").count("again 1\n") == 2)

    def test_each_task_of_an_array_is_a_run_of_its_own(self):
        self.batch(["-N", "1", "-n", "2", "--array=1-3"],
                   f"{MUSTER} run sh -c 'echo x > \"$DIR/$SLURM_ARRAY_TASK_ID.$RANK\"'")
        self.wait_for(*(f"{task}.{rank}" for task in (1, 2, 3) for rank in (0, 1)))
        self.until_no_job()
        done = self.start([MUSTER, "ps", "-a"]).finish()
        self.assertEqual(len(re.findall("completed", done.text)), 3, done)


@unittest.skipIf(REASON, REASON)
class Devices(test_slurm.SlurmCase):
    """GPUs as gres.conf has them: two device files on each node."""

    options = {"gres": True}

    def test_each_rank_has_the_devices_of_its_host(self):
        done = self.allocated(["-N", "2", "--ntasks-per-node=2", "--gres=gpu:2"], MUSTER, "run",
                              "--gpus-per-rank", "1", "sh", "-c",
                              'echo "$RANK $(hostname) ${CUDA_VISIBLE_DEVICES-none}"')
        self.assertEqual((done.code, done.lines), (0, ["0 node1 0", "1 node1 1", "2 node2 0",
                                                       "3 node2 1"]), done)

    def test_deepspeed_has_a_rank_for_each_device(self):
        """salloc tells of none in the environment."""
        done = self.allocated(["-N", "2", "--gres=gpu:2"], MUSTER, "deepspeed", "--no_python",
                              "--no_local_rank", "sh", "-c", 'echo "$RANK $(hostname)"')
        self.assertEqual((done.code, sorted(done.lines)),
                         (0, ["0 node1", "1 node1", "2 node2", "3 node2"]), done)

    def test_the_list_of_the_head_does_not_reach_other_hosts(self):
        show = "'echo \"$(hostname) $CUDA_VISIBLE_DEVICES\"'"
        script = self.write("head.sh", "#!/bin/sh\nexport CUDA_VISIBLE_DEVICES=7\n"
                            f"exec {MUSTER} run sh -c {show}\n", 0o755)
        done = self.allocated(["-N", "2", "-n", "2", "--gres=gpu:2"], script)
        self.assertEqual(done.code, 0, done)
        self.assertEqual([line.split()[0] for line in done.lines], ["node1", "node2"])
        self.assertNotIn("7", [line.split()[-1] for line in done.lines])


if __name__ == "__main__":
    run_tests()

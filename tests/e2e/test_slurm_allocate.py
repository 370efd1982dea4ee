"""`muster run --slurm`: hosts that a real Slurm is asked for, and gets back at the end."""

# rooms: front batch queue head cli
# long
# needs: slurm

import json
import signal
import unittest

import test_slurm
from support import (CANNOT_START, MUSTER, TIMEOUT, USAGE, UNTIL_GO, WAIT_SECONDS, kill_all,
                     run_tests, until)

REASON = test_slurm.REASON
WHO = test_slurm.WHO
LIMIT_SECONDS = 180  # Slurm counts time limits in minutes, and looks for them twice in one
STAYS = ': > "$DIR/ready.$RANK"; exec sleep "$E2E_MARK"'


class AllocateCase(test_slurm.SlurmCase):
    def asking(self, *words, env=(), **more):
        return self.start(["env", *env, MUSTER, "run", "--slurm", *words], **more)

    def asked(self, *words, code=0, **more):
        done = self.asking(*words, **more).finish()
        self.assertEqual(done.code, code, done)
        return done

    def no_ranks(self):
        def none():
            return not any(self.slurm.lab.strangers(name, self.mark.encode())
                           for name in self.slurm.lab.names)
        until("no rank", none)


@unittest.skipIf(REASON, REASON)
class Hosts(AllocateCase):
    def test_ranks_are_on_the_hosts_that_slurm_gives(self):
        done = self.asked("-N", "2", "--per-node", "2", "sh", "-c", WHO)
        self.assertEqual(sorted(done.lines), ["0 node1", "1 node1", "2 node2", "3 node2"])
        self.assertEqual(done.errors, "")
        self.until_no_job()

    def test_without_nodes_it_gives_what_the_ranks_need(self):
        script = 'echo "$SLURM_JOB_NUM_NODES $WORLD_SIZE"'
        done = self.asked("-n", "20", "sh", "-c", script)
        self.assertEqual(done.lines, ["2 20"] * 20)

    def test_options_of_salloc_are_passed_on(self):
        done = self.asked("-N", "1", "-p", "main", "-t", "7", "--slurm-option", "nodelist=node3",
                          "--slurm-option", "comment=it's ours", "sh", "-c",
                          'hostname; scontrol -o show job "$SLURM_JOB_ID"')
        self.assertIn("node3", done.lines)
        self.assertRegex(done.text, r"TimeLimit=00:07:00 .*Comment=it's ours")

    def test_input_and_codes_are_those_of_any_run(self):
        path = self.write("typed", "hello\n")
        with open(path, "rb") as typed:
            done = self.asked("-N", "2", "--stdin", "1", "sh", "-c",
                              '[ "$RANK" = 0 ] || cat; exit $((RANK * 3))', stdin=typed, code=3)
        self.assertEqual(done.lines, ["hello"])
        self.assertIn("rank 1 on node2 exited with code 3", done.errors)
        self.until_no_job()

    def test_two_runs_have_jobs_of_their_own(self):
        script = 'echo "$SLURM_JOB_ID $(hostname)"'
        both = [self.slurm.start([MUSTER, "run", "--slurm", "-N", "2", "sh", "-c", script],
                                 env=self.environment(), cwd=self.folder, stdout=-1, stderr=-1)
                for _ in range(2)]
        outs = [one.popen.communicate(timeout=WAIT_SECONDS)[0].decode().splitlines()
                for one in both]
        self.assertEqual([len(one) for one in outs], [2, 2])
        self.assertFalse({line.split()[0] for line in outs[0]} &
                         {line.split()[0] for line in outs[1]})

    def test_within_a_job_it_asks_for_another_one(self):
        script = 'echo "$SLURM_JOB_NUM_NODES $(hostname)"'
        done = self.allocated(["-N", "1", "-n", "1"], MUSTER, "run", "--slurm", "-N", "2", "sh",
                              "-c", script)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(sorted(done.lines), ["2 node1", "2 node2"])

    def test_a_detached_run_can_be_waited_for_and_run_again(self):
        run = self.asked("--detach", "-N", "2", "sh", "-c",
                         UNTIL_GO + '; echo "$SLURM_JOB_ID $RANK"').text.strip()

        def call(*words):
            return self.slurm.ask("env", f"MUSTER_RECORDS={self.path('records')}", MUSTER, *words)

        def jobs(run):
            call("wait", run)
            return sorted({line.split()[1] for line in call("logs", run).split("\n")[:-1]})
        self.assertEqual(json.loads(call("show", "--json", run))["state"], "running")
        self.write("go", "")
        first = jobs(run)
        second = jobs(self.start(["env", MUSTER, "rerun", "-d", run]).finish().text.strip())
        self.assertEqual((len(first), len(second)), (1, 1))
        self.assertNotEqual(first, second)
        self.until_no_job()


@unittest.skipIf(REASON, REASON)
class Refusals(AllocateCase):
    def test_what_slurm_refuses_is_told_in_its_words(self):
        done = self.asked("-N", "2", "-p", "absent", "true", code=CANNOT_START)
        self.assertIn("Slurm refuses: invalid partition specified: absent", done.errors)
        self.assertIn("partitions here: main", done.errors)

    def test_a_slurm_that_is_not_there_is_told(self):
        done = self.asked("true", code=CANNOT_START, env=["PATH=/nowhere"])
        self.assertIn("there is no salloc here", done.errors)

    def test_options_without_it_are_told(self):
        for words in (["-N", "2"], ["-p", "main"], ["--slurm-option", "gres=gpu"],
                      ["--slurm", "-H", "node1"], ["--slurm", "--slurm-option", "Q=1"]):
            done = self.start([MUSTER, "run", *words, "true"]).finish()
            self.assertEqual(done.code, USAGE, done)
            self.assertIn("hint: ", done.errors)

    def test_a_dry_run_shows_what_would_be_asked_and_asks_nobody(self):
        done = self.asked("--dry-run", "-N", "2", "--per-node", "8", "--gpus-per-rank", "1", "true",
                          env=["PATH=/nowhere"])
        self.assertIn("salloc --gpus-per-node=8 --nodes=2 --ntasks-per-node=8", done.text)


@unittest.skipIf(REASON, REASON)
class Ends(AllocateCase):
    def on_two_hosts(self, *words):
        running = self.asking("-N", "2", *words, "sh", "-c", STAYS)
        self.wait_for("ready.0", "ready.1")
        return running

    def waiting(self):
        """One whose job waits, and has said so."""
        with open(self.path("told"), "wb") as told:
            waiting = self.asking("--slurm-option", "begin=now+1hour", "true", stderr=told)
        until("the reason", lambda: "BeginTime; queued since 20" in self.text("told"))
        return waiting

    def test_ctrl_c_withdraws_a_request(self):
        waiting = self.waiting()
        waiting.send(signal.SIGINT)
        self.assertEqual(waiting.finish().code, 130)
        self.assertIn("the request for hosts was withdrawn: signal 2 (SIGINT)", self.text("told"))
        self.assertEqual(self.jobs(), [])

    def test_why_a_request_is_never_met_is_told(self):
        with open(self.path("told"), "wb") as told:
            waiting = self.asking("-n", "70", "true", stderr=told)
        until("the reason", lambda: "waits: PartitionConfig: the partition has too few nodes with "
              "what it asks for" in self.text("told"))
        waiting.send(signal.SIGINT)
        self.assertEqual(waiting.finish().code, 130)

    def test_scancel_of_a_request_is_told(self):
        waiting = self.waiting()
        job = self.jobs()[0].split()[0]
        self.slurm.ask("scancel", job)
        self.assertEqual(waiting.finish().code, 143, self.text("told"))
        self.assertIn(f"muster: Slurm job {job} was cancelled before its run began\n",
                      self.text("told"))

    def test_a_request_does_not_outlive_who_made_it(self):
        self.waiting().send(signal.SIGKILL)
        self.until_no_job()

    def test_ctrl_c_ends_the_ranks_and_gives_the_hosts_back(self):
        running = self.on_two_hosts()
        running.send(signal.SIGINT)
        done = running.finish()
        self.assertEqual(done.code, 130, done)
        self.no_ranks()
        self.until_no_job()

    def test_hosts_come_back_when_the_run_is_killed(self):
        self.on_two_hosts().send(signal.SIGKILL)
        self.no_ranks()
        self.until_no_job()

    def test_scancel_is_told(self):
        running = self.on_two_hosts()
        job = self.jobs()[0].split()[0]
        self.slurm.ask("scancel", job)
        done = running.finish()
        self.assertEqual(done.code, 143, done)
        self.assertIn(f"the hosts were taken away: Slurm job {job} was ended", done.errors)
        self.assertIn("interrupted by signal 15 (SIGTERM)", done.errors)
        self.no_ranks()

    def test_the_time_limit_is_the_cause(self):
        done = self.on_two_hosts("-t", "1").finish(LIMIT_SECONDS)
        self.assertEqual(done.code, TIMEOUT, done)
        self.assertIn("has reached its time limit", done.errors)
        self.no_ranks()

    def test_a_lost_node_is_named(self):
        running = self.on_two_hosts()
        kill_all(self.slurm.lab.children_named("node2", "muster"))
        done = running.finish()
        self.assertNotEqual(done.code, 0)
        self.assertIn("node2", done.errors)
        self.until_no_job()


if __name__ == "__main__":
    run_tests()

"""Runs of a Slurm that keeps accounts: how they ended is known when it has forgotten their jobs."""

# rooms: batch queue store cli
# long
# needs: slurm-accounts

import json
import os
import sys
import unittest

import test_slurm
import test_slurm_submit
from support import CANNOT_START, UNTIL_GO, WAIT_SECONDS, run_tests, until

import slurm as slurm_module

LIMIT_SECONDS = 240  # a minute's limit, which is looked for twice in one, and to be forgotten
LOST_SECONDS = 180   # until a node is missed, and the job that it took along is forgotten
TARGETS = """targets:
  cluster:
    slurm: {partition: main, account: ours}
  late:
    slurm: {partition: main, options: {begin: now+1hour}}
  short:
    slurm: {partition: main, time: 1, setup: [": > $DIR/begun", sleep 300]}
  stranger:
    slurm: {partition: main, account: nobodys}
"""


def why_not():
    reason = slurm_module.why_not(accounts=True)
    if reason and not test_slurm.REASON:
        print(f"SKIPPED: no accounts of a Slurm here: {reason}", file=sys.stderr)
    return reason


REASON = why_not()


class AccountsCase(test_slurm_submit.SubmitCase):
    """Nobody asks for a run before Slurm's controller has forgotten its job."""

    options = {"accounts": True, "lines": ("MinJobAge=2",)}

    def setUp(self):
        super().setUp()
        self.write("muster.yml", TARGETS)

    def job_of(self, run):
        """Without a question to Slurm; until a head has begun, the last event has it."""
        with open(self.path(f"records/{run}/events.jsonl"), encoding="utf-8") as file:
            last = json.loads(file.readlines()[-1])
        if last["event"] == "queued":
            return last["id"]
        with open(self.path(f"records/{run}/spec.json"), encoding="utf-8") as file:
            return json.load(file)["scheduler"]["id"]

    def forgotten(self, *jobs, seconds=WAIT_SECONDS):
        def none():
            return all(self.slurm.run(["squeue", "--states=all", f"--jobs={job}"])[0] != 0
                       for job in jobs)
        until(f"slurmctld forgets {jobs}", none, seconds)

    def begun(self):
        """A run on one host, and its head."""
        run = self.detached(f': > "$DIR/begun"; {UNTIL_GO}', nodes=1)
        self.wait_for("begun")
        return run, self.shown(run)["head"]


@unittest.skipIf(REASON, REASON)
class Accounts(AccountsCase):

    def accounts_asked(self):
        with open(self.slurm.accounts.log, encoding="utf-8") as file:
            return file.read().count("DBD_GET_JOBS_COND: called")

    def test_many_that_were_cancelled_in_the_queue_are_told_by_one_question(self):
        runs = [self.detached("true", target="late") for _ in range(4)]
        jobs = [self.job_of(run) for run in runs]
        self.slurm.run(["scancel", *jobs])
        self.forgotten(*jobs)
        before = self.accounts_asked()
        listed = json.loads(self.call("ps", "--json", code=0).text)
        self.assertEqual(self.accounts_asked() - before, 1)
        self.assertEqual([(one["run"], one["state"], one["exit_code"]) for one in listed],
                         [(run, "stopped", 143) for run in runs])
        self.assertIn("was cancelled before its run began", listed[0]["cause"])
        self.call("ps", code=0)
        self.assertEqual(self.accounts_asked() - before, 1)

    def test_one_that_came_to_its_time_limit_before_it_began_is_told_so(self):
        run = self.detached("true", target="short", nodes=1)
        self.wait_for("begun")
        self.forgotten(self.job_of(run), seconds=LIMIT_SECONDS)
        ended = self.shown(run)
        self.assertEqual((ended["state"], ended["exit_code"]), ("failed", 246))
        self.assertIn("reached its time limit on node1", ended["cause"])

    def test_one_whose_head_was_killed_is_told_with_the_code_of_its_script(self):
        run, head = self.begun()
        self.slurm.lab.run(["kill", "-9", str(head["pid"])], head["host"])
        self.forgotten(self.job_of(run))
        self.call("wait", run, code=137)
        self.assertRegex(self.shown(run)["cause"],
                         r"the script of Slurm job \d+ ended with exit code 137 on node1")

    def test_an_account_that_is_not_there_is_refused_with_what_to_do(self):
        self.job("true")
        done = self.submit(target="stranger", code=CANNOT_START)
        self.assertIn("Slurm refuses: Invalid account or account/partition combination specified",
                      done.errors)
        self.assertIn("sacctmgr show associations user=$USER lists yours", done.errors)
        self.submit(code=0)
        self.assertTrue(os.path.exists(self.shown("last")["folder"]))


@unittest.skipIf(REASON, REASON)
class Lost(AccountsCase):
    own = True
    options = {**AccountsCase.options, "losable": True}

    def test_one_whose_node_was_lost_is_told_with_that_node(self):
        self.spend_service()  # Slurm takes its time to look for a node that has been away
        run, head = self.begun()
        self.slurm.lab.pull_cable(head["host"])
        self.slurm.lab.run(["kill", "-9", str(head["pid"])], head["host"])
        self.forgotten(self.job_of(run), seconds=LOST_SECONDS)
        ended = self.shown(run)
        self.assertEqual((ended["state"], ended["exit_code"]), ("failed", 245), ended)
        self.assertRegex(ended["cause"], r"ended with one of its nodes \(NODE_FAIL\) on node1")


if __name__ == "__main__":
    run_tests()

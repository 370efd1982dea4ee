"""Records of runs: kept by submit and run, told by show, logs, wait, stop; whole after a kill."""

import json
import os
import random
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import time
import unittest

from support import (LOST, MUSTER, READY, UNTIL_GO, USAGE, Case, run_tests, state_of, survivors,
                     wait_until)

JOB = """muster: 1
name: line
experiment: lines
command: ${{inputs.do}}
distribution: {type: mpi, process_count_per_node: 2}
inputs:
  do: "true"
outputs:
  model:
"""


class RecordCase(Case):
    def setUp(self):
        super().setUp()
        self.write("job.yml", JOB)
        self.addCleanup(self.stop_all)

    def stop_all(self):
        listed = self.start("--all", "--json", command=(MUSTER, "ps")).finish()
        for run in json.loads(listed.text):
            if run["state"] in ("starting", "running"):
                self.start(run["run"], command=(MUSTER, "stop")).finish(60)

    def ready(self, *more):
        """The two ranks of a detached run have come this far."""
        names = ["ready.0", "ready.1", *more]
        wait_until(lambda: all(os.path.exists(self.path(name)) for name in names), 20, str(names))

    def told(self, command, *words, code=0, **more):
        done = self.start(*words, command=(MUSTER, command), **more).finish(60)
        self.assertEqual(done.code, code, done)
        return done

    def submit(self, do, *words, code=0, **more):
        return self.told("submit", "job.yml", "--set", "inputs.do=" + do, *words, code=code, **more)

    def detach(self, do, *words):
        return json.loads(self.submit(do, "--detach", "--json", *words).text)

    def show(self, run="last"):
        return json.loads(self.told("show", run, "--json").text)

    def go(self):
        self.write("go", "")

    def records(self):
        folder = self.path(".local", "state", "muster", "runs")
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))


class Kept(RecordCase):
    def test_a_submitted_job(self):
        self.submit("echo out $RANK; echo err $RANK >&2")
        run = self.show()
        self.assertEqual((run["state"], run["exit_code"], run["cause"]), ("completed", 0, None))
        self.assertEqual((run["name"], run["experiment"], run["ranks"]), ("line", "lines", 2))
        self.assertEqual(run["outputs"], {"model": self.path("outputs", "model")})
        self.assertEqual(run["command"][-1], "echo out $RANK; echo err $RANK >&2")
        self.assertEqual(sorted(os.listdir(run["folder"])),
                         ["events.jsonl", "plan.json", "report.json", "spec.json", "streams"])
        for name in ("plan.json", "report.json", "spec.json"):
            with open(os.path.join(run["folder"], name), encoding="utf-8") as file:
                json.load(file)
        with open(os.path.join(run["folder"], "events.jsonl"), encoding="utf-8") as file:
            events = [json.loads(line)["event"] for line in file]
        self.assertEqual((events[0], events[-1]), ("created", "ended"))
        self.assertEqual(sorted(events[1:-1]), ["rank_ended"] * 2 + ["rank_started"] * 2
                         + ["running"])

    def test_nobody_else_may_read_it(self):
        self.submit("true")
        self.assertEqual(stat.S_IMODE(os.stat(self.show()["folder"]).st_mode), 0o700)

    def test_secrets_of_the_environment_are_not_kept(self):
        self.submit("true", env=self.environment(API_TOKEN="hush-hush"))
        found = subprocess.run(["grep", "-r", "hush-hush", self.show()["folder"]],
                               stdout=subprocess.PIPE, check=False)
        self.assertEqual(found.stdout, b"")

    def test_a_failure_with_its_cause(self):
        done = self.submit("exit $((RANK * 3))", code=3)
        run = self.show()
        self.assertEqual((run["state"], run["exit_code"]), ("failed", 3))
        self.assertRegex(run["cause"], r"^rank 1 on \S+ exited with code 3 \(pid \d+\)$")
        self.assertEqual(self.told("report", "last").text, done.errors)

    def test_a_run(self):
        self.succeeds("-n", "3", "true")
        run = self.show()
        self.assertEqual((run["state"], run["ranks"], run["streams"]), ("completed", 3, None))
        done = self.told("logs", "last", code=USAGE)
        self.assertIn("was not kept", done.errors)

    def test_a_run_whose_program_is_missing(self):
        self.muster("-n", "1", "no-such-program")
        run = self.show()
        self.assertEqual((run["state"], run["exit_code"]), ("failed", 244))
        self.assertIn("no-such-program", run["cause"])

    def test_a_run_that_keeps_none(self):
        self.succeeds("--no-record", "true")
        self.succeeds("true", env=self.environment(MUSTER_NO_RECORD="1"))
        self.assertFalse(os.path.exists(self.path(".local")))

    def test_what_is_refused_is_no_run(self):
        self.assertEqual(self.muster("-n", "0", "true").code, USAGE)
        self.assertFalse(os.path.exists(self.path(".local")))

    def test_a_run_never_fails_for_its_record(self):
        self.write("file", "")
        for place in ("/proc/none", self.path("file", "below")):
            env = self.environment(MUSTER_RECORDS=place)
            done = self.succeeds("-n", "2", "echo", "x", env=env)
            self.assertEqual((done.out, done.err), (b"x\nx\n", b""))
            done = self.submit("echo x", env=env)
            self.assertEqual(done.out, b"x\nx\n")
            self.assertRegex(done.errors, r"^muster: cannot keep a record in .*\n$")
        env = self.environment()
        del env["HOME"]
        self.assertEqual(self.succeeds("echo", "x", env=env).err, b"")

    def test_two_writers_at_once(self):
        started = [self.start("-n", "2", "true") for _ in range(12)]
        for one in started:
            self.assertEqual(one.finish().code, 0)
        runs = json.loads(self.told("ps", "--json").text)
        self.assertEqual(len(runs), 12)
        self.assertEqual({run["state"] for run in runs}, {"completed"})


class Detached(RecordCase):
    def test_it_goes_on_and_can_be_awaited(self):
        run = self.detach(READY + UNTIL_GO + "; echo done; exit 7")
        self.assertEqual((run["state"], run["exit_code"]), ("running", None))
        self.assertEqual(self.show(run["run"])["state"], "running")
        waiting = self.start(run["run"], command=(MUSTER, "wait"))
        following = self.start("-f", "last", command=(MUSTER, "logs"))
        self.ready()
        self.assertIsNone(waiting.popen.poll())
        self.assertIsNone(following.popen.poll())
        self.go()
        self.assertEqual(waiting.finish().code, 7)
        self.assertRegex(following.finish().text, r"\[[01]\] done\n")
        self.assertEqual(self.show(run["run"])["exit_code"], 7)

    def test_it_outlives_its_terminal(self):
        words = ["submit", "job.yml", "--detach", "--set", "inputs.do=" + READY + UNTIL_GO]
        shell = f"{MUSTER} {' '.join(repr(word) for word in words)} >name; read line"
        session = self.start("-c", shell, command=("sh",), stdin=subprocess.PIPE,
                             start_new_session=True)
        self.ready("name")
        wait_until(lambda: self.read("name"), 10, "the name of the run")
        os.killpg(session.pid, signal.SIGHUP)
        session.finish()
        run = self.show()
        os.kill(run["head"]["pid"], signal.SIGHUP)
        self.assertEqual(self.show()["state"], "running")
        self.go()
        self.told("wait", "last")
        self.assertEqual(self.show()["state"], "completed")

    def test_what_cannot_start_is_told_here(self):
        self.write("job.yml", "muster: 1\ncommand: [no-such-program]\n")
        done = self.told("submit", "job.yml", "--detach", code=244)
        self.assertIn("no-such-program", done.errors)
        self.assertEqual(self.show()["state"], "failed")
        self.write("job.yml", "muster: 1\ncomand: x\n")
        self.assertIn("unknown key", self.told("submit", "job.yml", "-d", code=241).errors)

    def test_it_needs_a_record(self):
        done = self.submit("true", "--detach", code=244, env=self.environment(
            MUSTER_RECORDS="/proc/none"))
        self.assertIn("cannot keep a record", done.errors)

    def test_stop(self):
        run = self.detach("trap 'echo asked; exit 5' INT; " + READY + UNTIL_GO)
        self.ready()
        stopped = json.loads(self.told("stop", "--json", run["run"]).text)
        self.assertEqual((stopped["state"], stopped["exit_code"]), ("stopped", 130))
        self.assertEqual(self.told("logs", "last").lines, ["[0] asked", "[1] asked"])
        again = self.told("stop", "last")
        self.assertIn("stopped with exit code 130", again.text)

    def test_stop_of_one_that_is_suspended(self):
        one = self.start("job.yml", "--set", "inputs.do=" + READY + UNTIL_GO,
                         command=(MUSTER, "submit"))
        self.ready()
        one.send(signal.SIGTSTP)
        wait_until(lambda: state_of(one.pid) == "T", 10, "a suspended muster")
        self.assertEqual(self.show()["state"], "running")
        self.told("stop", "last")
        self.assertEqual(one.finish().code, 130)

    def test_logs_of_one_rank(self):
        self.detach("echo out $RANK; echo err $RANK >&2")
        self.told("wait", "last")
        done = self.told("logs", "last")
        self.assertEqual(done.text, "[0] out 0\n[1] out 1\n")
        self.assertEqual(done.errors, "[0] err 0\n[1] err 1\n")
        self.assertEqual(self.told("logs", "last", "--rank", "1").text, "out 1\n")
        self.assertEqual(self.told("logs", "last", "--rank", "1", "--err").text, "err 1\n")
        self.assertIn("has no rank 2", self.told("logs", "last", "--rank", "2", code=USAGE).errors)


class Died(RecordCase):
    def kill(self, head):
        os.kill(head, signal.SIGKILL)
        wait_until(lambda: state_of(head) in ("", "Z", "X"), 10, "the head has died")

    def test_it_is_shown_with_its_cause(self):
        run = self.detach(READY + UNTIL_GO)
        self.kill(run["head"]["pid"])
        run = self.show()
        self.assertEqual((run["state"], run["exit_code"]), ("died", None))
        self.assertIn("ended without a report", run["cause"])
        self.assertIsNotNone(run["ended"])
        self.assertIn("ended without a report", self.told("wait", "last", code=LOST).errors)
        self.assertIn("died", self.told("ps").text)
        self.told("rm", "last")
        self.assertEqual(self.records(), [])

    def test_killed_at_any_moment(self):
        """Each record can be read, and one whose muster ended by itself is finished."""
        luck = random.Random(4)
        ended = 0
        for i in range(40):
            words = (["run", "-n", "2", "sh", "-c", "exit 9"] if i % 2 else
                     ["submit", "job.yml", "--set", "inputs.do=exit 9"])
            one = self.start(*words, command=(MUSTER,))
            time.sleep(luck.uniform(0, 0.02))  # a moment of its life, not a wait for something
            one.send(signal.SIGKILL)
            ended += one.finish().code == 9
        runs = json.loads(self.told("ps", "--all", "--json").text)
        self.assertEqual(len(runs), len(self.records()))
        states = [run["state"] for run in runs]
        self.assertEqual(set(states) - {"died", "failed"}, set(), states)
        self.assertGreaterEqual(states.count("failed"), ended)
        for run in runs:
            self.assertTrue(run["cause"], run)

    def test_the_process_that_was_typed_may_die(self):
        one = self.start("job.yml", "--detach", "--set", "inputs.do=" + READY + UNTIL_GO,
                         command=(MUSTER, "submit"))
        one.send(signal.SIGKILL)
        one.finish()
        there = [self.path("ready.0"), self.path("ready.1")]
        wait_until(lambda: all(map(os.path.exists, there)) or not survivors(self.mark), 20,
                   "the run, or nothing of it")
        if survivors(self.mark):  # else it died before it had a child
            self.go()
            self.told("wait", "last")
            self.assertEqual(self.show()["state"], "completed")

    def test_another_host_is_not_judged(self):
        run = self.detach(READY + UNTIL_GO)
        self.kill(run["head"]["pid"])
        path = os.path.join(run["folder"], "spec.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r'("head": \{\s*"host": )"[^"]*"', r'\1"elsewhere"', text))
        run = self.show()
        self.assertEqual(run["state"], "unknown")
        self.assertIn("elsewhere", run["cause"])


class Found(RecordCase):
    def test_other_folders_are_no_records(self):
        self.submit("true")
        runs = self.path(".local", "state", "muster", "runs")
        os.mkdir(os.path.join(runs, "zebra"))
        os.mkdir(os.path.join(runs, "2026"))
        self.assertEqual(self.show()["state"], "completed")
        self.assertEqual(len(json.loads(self.told("ps", "--json").text)), 1)

    def test_by_part_of_a_name(self):
        self.submit("true")
        run = self.show()["run"]
        for word in (run, run[:-2], run.split("-")[-1], "last"):
            self.assertEqual(self.show(word)["run"], run)
        self.submit("true")
        done = self.told("show", "2", code=USAGE)
        self.assertIn("2 runs are called 2...", done.errors)

    def test_none(self):
        self.assertIn("no run yet", self.told("show", "last", code=USAGE).errors)
        self.submit("true")
        word = self.show()["run"].split("-")[-1]
        done = self.told("show", word[:-1] + "x", code=USAGE)
        self.assertIn("no run " + word[:-1] + "x", done.errors)
        self.assertIn("did you mean " + word, done.errors)

    def test_ps(self):
        self.submit("true")
        self.succeeds("true")
        self.submit("exit 4", "--experiment", "other", code=4)
        lines = self.told("ps").text.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertIn("lines/line", lines[1])
        self.assertIn("failed 4", lines[3])
        self.assertEqual(len(self.told("ps", "-n", "1").text.splitlines()), 2)
        runs = json.loads(self.told("ps", "--experiment", "other", "--json").text)
        self.assertEqual([run["exit_code"] for run in runs], [4])

    def test_rm(self):
        run = self.detach(READY + UNTIL_GO)
        self.assertIn("still runs", self.told("rm", run["run"], code=USAGE).errors)
        self.go()
        self.told("wait", "last")
        self.told("rm", run["run"])
        self.assertEqual(self.records(), [])
        self.assertFalse(os.path.exists(run["folder"]))

    def test_rerun(self):
        self.submit("echo hello")
        self.write("job.yml", "muster: 1\ncommand: echo changed\n")
        self.assertEqual(self.told("rerun", "last").lines, ["hello", "hello"])
        again = json.loads(self.told("rerun", "last", "--detach", "--json").text)
        self.told("wait", again["run"])
        self.assertEqual(self.told("logs", "last").lines, ["[0] hello", "[1] hello"])
        self.assertEqual(len(self.records()), 3)


class Indexed(RecordCase):
    def setUp(self):
        super().setUp()
        for code in range(3):
            self.muster("-n", "1", "sh", "-c", f"exit {code}")
        self.file = self.path(".local", "state", "muster", "runs", ".index.sqlite")

    def codes(self, *words):
        runs = json.loads(self.told("ps", "--json", *words).text)
        return [run["exit_code"] for run in runs]

    def test_it_is_only_a_memory(self):
        self.assertEqual(self.codes(), [0, 1, 2])
        size = os.path.getsize(self.file)
        self.assertGreater(size, 0)
        for damage in (b"", b"no database", bytes(size)):
            with open(self.file, "wb") as file:
                file.write(damage)
            self.assertEqual(self.codes(), [0, 1, 2], damage[:20])
            self.assertEqual(self.codes(), [0, 1, 2], damage[:20])
        os.remove(self.file)
        self.assertEqual(self.codes(), [0, 1, 2])

    def test_torn_pages(self):
        self.codes()
        with open(self.file, "r+b") as file:
            file.seek(4096)
            file.write(os.urandom(4096))
        self.assertEqual(self.codes(), [0, 1, 2])
        self.assertEqual(self.codes(), [0, 1, 2])

    def test_it_is_used(self):
        """What it says is believed: no record is read again."""
        self.codes()
        run = self.show()
        os.remove(os.path.join(run["folder"], "report.json"))
        self.assertEqual(self.codes(), [0, 1, 2])
        self.assertEqual(self.told("reindex").text, "3 runs\n")
        self.assertEqual(self.codes(), [0, 1, None])

    def test_a_locked_one_stops_nobody(self):
        self.codes()
        other = sqlite3.connect(self.file, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN EXCLUSIVE")
        self.assertEqual(self.codes(), [0, 1, 2])

    def test_what_was_removed_is_forgotten(self):
        self.codes()
        self.told("rm", "last")
        self.assertEqual(self.codes(), [0, 1])
        shutil.rmtree(self.show()["folder"])
        self.assertEqual(self.codes(), [0])

    def test_reindex_sweeps(self):
        runs = os.path.dirname(self.file)
        for name in (".new-x", ".gone-y"):
            os.makedirs(os.path.join(runs, name, "below"))
        self.assertEqual(self.told("reindex").text, "3 runs\n")
        self.assertEqual([name for name in os.listdir(runs) if name.startswith(".")],
                         [".index.sqlite"])

    def test_many_readers(self):
        started = [self.start("--json", command=(MUSTER, "ps")) for _ in range(8)]
        for one in started:
            self.assertEqual(len(json.loads(one.finish().text)), 3)


class LeftBehind(RecordCase):
    def test_nothing_of_a_detached_run(self):
        self.detach("sleep 60 & wait")
        self.told("stop", "last")
        wait_until(lambda: not survivors(self.mark), 10, "all its processes gone")


if __name__ == "__main__":
    run_tests()

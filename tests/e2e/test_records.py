"""Records of runs: kept by submit and run, told by show, logs, wait, stop; whole after a kill."""

# rooms: store cli head

import json
import os
import pty
import random
import re
import signal
import stat
import subprocess
import time
import unittest

from support import (BAD_FILE, CANNOT_START, ENDLESS, LOST, MUSTER, READY, UNTIL_GO, USAGE, Case,
                     run_tests, state_of, survivors, until)

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

# Each rank writes into its output.
WRITES = JOB.replace("${{inputs.do}}", "echo > ${{outputs.model}}/$RANK")


class RecordCase(Case):
    def setUp(self):
        super().setUp()
        self.write("job.yml", JOB)
        self.addCleanup(self.stop_all)

    def stop_all(self):
        listed = self.start("--all", "--json", command=(MUSTER, "ps")).finish()
        for run in json.loads(listed.text):
            if run["state"] in ("starting", "running"):
                self.start(run["run"], command=(MUSTER, "stop")).finish()

    def ready(self, *more):
        """The two ranks of a detached run have come this far."""
        names = ["ready.0", "ready.1", *more]
        until(str(names), lambda: all(os.path.exists(self.path(name)) for name in names))

    def told(self, command, *words, code=0, **more):
        done = self.start(*words, command=(MUSTER, command), **more).finish()
        self.assertEqual(done.code, code, done)
        return done

    def submit(self, do, *words, code=0, **more):
        return self.told("submit", "job.yml", "--set", "inputs.do=" + do, *words, code=code, **more)

    def detach(self, do, *words):
        return json.loads(self.submit(do, "--detach", "--json", *words).text)

    def show(self, run="last", **more):
        return json.loads(self.told("show", run, "--json", **more).text)

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
        self.assertEqual(run["outputs"], {"model": os.path.join(run["folder"], "outputs/model")})
        self.assertEqual(run["command"][-1], "echo out $RANK; echo err $RANK >&2")
        self.assertEqual(sorted(os.listdir(run["folder"])),
                         ["events.jsonl", "outputs", "plan.json", "report.json", "spec.json",
                          "streams", "times"])
        for name in ("plan.json", "report.json", "spec.json"):
            with open(os.path.join(run["folder"], name), encoding="utf-8") as file:
                json.load(file)
        with open(os.path.join(run["folder"], "events.jsonl"), encoding="utf-8") as file:
            events = [json.loads(line)["event"] for line in file]
        self.assertEqual((events[0], events[-1]), ("created", "ended"))
        self.assertEqual(sorted(events[1:-1]), ["rank_ended"] * 2 + ["rank_started"] * 2
                         + ["running"])

    def modes(self):
        """Of the folder of all records, its index and the last record."""
        runs = self.path(".local", "state", "muster", "runs")
        return [stat.S_IMODE(os.stat(path).st_mode)
                for path in (runs, os.path.join(runs, ".index.sqlite"), self.show()["folder"])]

    def test_nobody_else_may_read_it(self):
        self.submit("true")
        self.told("ps")
        self.assertEqual(self.modes(), [0o700, 0o600, 0o700])
        for path in (self.path(".local", "state", "muster", "runs"), self.show()["folder"]):
            os.chmod(path, 0o755)  # as an earlier version left the first of them
        os.chmod(self.path(".local", "state", "muster", "runs", ".index.sqlite"), 0o644)
        self.submit("true")
        self.told("ps")
        self.assertEqual(self.modes(), [0o700, 0o600, 0o700])

    @unittest.skipIf(os.geteuid() != 0, "only root may be somebody else")
    def test_another_user_reads_nothing(self):
        self.submit("true secret-word")
        self.told("ps")
        os.chmod(self.folder, 0o755)
        runs = self.path(".local", "state", "muster", "runs")
        tried = subprocess.run(["sh", "-c", 'ls "$0"; cat "$0"/.index.sqlite "$0"/*/*', runs],
                               user=65534, group=65534, extra_groups=[], cwd="/",
                               capture_output=True, check=False)
        self.assertEqual(tried.stdout, b"")
        self.assertNotEqual(tried.returncode, 0)

    def test_a_folder_of_others_keeps_its_mode(self):
        os.mkdir(self.path("team"), 0o755)
        env = self.environment(MUSTER_RECORDS=self.path("team"))
        self.submit("true", env=env)
        self.told("ps", env=env)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("team")).st_mode), 0o755)
        index = os.stat(self.path("team", ".index.sqlite"))
        self.assertEqual(stat.S_IMODE(index.st_mode), 0o600)

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

    def test_all_of_it_as_json(self):
        # A rank that fails ends the others, which may not have said anything yet.
        self.submit("echo out; echo err $RANK >&2; [ $RANK = 1 ] || exec touch $DIR/said; "
                    "while [ ! -e $DIR/said ]; do sleep 0.01; done; exit 3", code=3)
        run = self.show()
        told = json.loads(self.told("report", "last", "--json").text)
        self.assertEqual(told.pop("report"), self.told("report", "last").text)
        self.assertEqual(told, run)
        done = self.told("logs", "last", "--json")
        self.assertEqual(done.errors, "")
        self.assertEqual([json.loads(line) for line in done.lines],
                         [{"rank": rank, "stream": stream, "line": line} for rank in (0, 1)
                          for stream, line in (("stderr", f"err {rank}"), ("stdout", "out"))])
        self.assertEqual(len(self.told("logs", "last", "--json", "--rank", "1").lines), 2)
        self.assertEqual(json.loads(self.told("reindex", "--json").text), {"runs": 1})
        done = self.told("rerun", "last", "--json", code=USAGE)
        self.assertIn("--json works only with --detach", done.errors)
        self.assertEqual(len(self.records()), 1)

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
        self.succeeds("true", env=self.environment(MUSTER_RECORD="no"))
        self.succeeds("--no-record", "true", env=self.environment(MUSTER_RECORD="yes"))
        self.assertFalse(os.path.exists(self.path(".local")))

    def test_launchers_keep_one_when_told_to(self):
        lines = {"mpirun": ["-n", "2"], "mpiexec.hydra": ["-n", "2"], "horovodrun": ["-np", "2"],
                 "torchrun": ["--nproc_per_node", "2", "--no_python"],
                 "deepspeed": ["--num_gpus", "2", "--no_python", "--no_local_rank"]}
        for name, words in lines.items():
            self.told(name, *words, "true")
        self.assertFalse(os.path.exists(self.path(".local")))
        env = self.environment(MUSTER_RECORD="yes")
        os.symlink(MUSTER, self.path("mpirun"))
        self.assertEqual(self.start("-n", "2", "echo", "x", command=(self.path("mpirun"),),
                                    env=env).finish().lines, ["x", "x"])
        self.assertEqual(self.told("rerun", "last", env=env).lines, ["x", "x"])
        self.assertEqual(len(self.records()), 2)
        for name, words in lines.items():
            self.told(name, *words, "true", env=env)
            self.assertEqual(self.show()["ranks"], 2, name)
        self.assertEqual(len(self.records()), 2 + len(lines))
        done = self.muster("true", env=self.environment(MUSTER_RECORD="/records"))
        self.assert_refused(done, USAGE, "MUSTER_RECORD must be yes or no, not '/records'")

    def test_what_a_command_starts_has_no_record_of_its_own(self):
        self.submit("muster run -n 1 echo x", env=self.environment(MUSTER_RECORD="yes"))
        self.assertEqual(len(self.records()), 1)

    def test_what_is_refused_is_no_run(self):
        self.assertEqual(self.muster("-n", "0", "true").code, USAGE)
        self.assertFalse(os.path.exists(self.path(".local")))

    def test_a_run_never_fails_for_its_record(self):
        self.write("file", "")
        self.write("plain.yml", JOB.replace('"true"', "echo x").replace("model:", "").replace(
            "outputs:", "").rstrip())
        for place in ("/proc/none", self.path("file", "below")):
            env = self.environment(MUSTER_RECORDS=place)
            done = self.succeeds("-n", "2", "echo", "x", env=env)
            self.assertEqual(done.out, b"x\nx\n")
            self.assertRegex(done.errors, r"^muster: cannot keep a record in .*\n$")
            done = self.told("submit", "plain.yml", env=env)
            self.assertEqual(done.out, b"x\nx\n")
            self.assertRegex(done.errors, r"^muster: cannot keep a record in .*\n$")
            done = self.submit("echo x", env=env, code=CANNOT_START)
            self.assert_refused(done, CANNOT_START, "cannot keep a record in ",
                                "hint: MUSTER_RECORDS names another folder")
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

    def test_a_rank_without_end_keeps_no_other_from_being_followed(self):
        self.detach(READY + f"[ $RANK = 0 ] && {ENDLESS}; echo x; sleep 600")
        self.ready()
        following = subprocess.Popen([MUSTER, "logs", "-f", "last"], stdout=subprocess.PIPE,
                                     env=self.environment())
        self.addCleanup(following.wait)
        self.addCleanup(following.kill)
        self.addCleanup(following.stdout.close)
        self.assertIn(b"[1] x\n", following.stdout)
        subprocess.run([MUSTER, "logs", "last"], stdout=subprocess.DEVNULL, check=True,
                       env=self.environment())  # what is there by now ends

    def test_it_outlives_its_terminal(self):
        words = ["submit", "job.yml", "--detach", "--set", "inputs.do=" + READY + UNTIL_GO]
        shell = f"{MUSTER} {' '.join(repr(word) for word in words)} >name; read line"
        session = self.start("-c", shell, command=("sh",), stdin=subprocess.PIPE,
                             start_new_session=True)
        self.ready("name")
        until("the name of the run", lambda: self.read("name"))
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
        until("the record says so", lambda: self.show()["state"] == "running")
        one.send(signal.SIGTSTP)
        until("a suspended muster", lambda: state_of(one.pid) == "T")
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
        until("the head has died", lambda: state_of(head) in ("", "Z", "X"))

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
        until("the run, or nothing of it",
              lambda: all(map(os.path.exists, there)) or not survivors(self.mark))
        if survivors(self.mark):  # else it died before it had a child
            self.go()
            self.told("wait", "last")
            self.assertEqual(self.show()["state"], "completed")

    def test_a_report_that_cannot_be_written(self):
        """The events still tell how the run ended, and muster says what is missing."""
        one = self.start("job.yml", "--set", "inputs.do=" + READY + UNTIL_GO + "; exit 6",
                         command=(MUSTER, "submit"))
        self.ready()
        run = self.show()
        os.mkdir(os.path.join(run["folder"], "report.json"))  # in the way
        self.go()
        done = one.finish()
        self.assertEqual(done.code, 6)
        self.assertIn("cannot write the report in " + run["folder"], done.errors)
        run = self.show()
        self.assertEqual((run["state"], run["exit_code"]), ("failed", 6))
        self.assertIn("exited with code 6", run["cause"])
        self.told("wait", "last", code=6)

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

    def test_by_what_its_job_is_called(self):
        self.submit("true")
        first = self.records()[0]
        for called in ("line", "lines/line"):
            self.assertEqual(self.show(called)["run"], first)
        self.detach(f"{READY} {UNTIL_GO}")
        self.ready()
        second = self.records()[1]
        for called in ("line", "lines/line"):
            self.assertEqual(self.show(called)["run"], second, "the one that has not ended")
        self.assertIn(f"{second} stopped with", self.told("stop", "line").text)
        both = self.told("show", "line", code=USAGE)
        self.assertEqual(both.errors, f"muster: error: 2 runs are called line, the last is {second}"
                         "\n  hint: write which: `muster ps` lists them\n")
        self.told("rm", "lines/line", code=USAGE)
        self.told("rm", first)
        self.told("rm", "lines/line")
        self.assertEqual(self.records(), [])
        self.assertIn("no run line", self.told("show", "line", code=USAGE).errors)

    def test_none(self):
        self.assertEqual(self.told("ps", "--json").text, "[]\n")
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

    def listed(self, *words):
        return [run["exit_code"] for run in json.loads(self.told("ps", "--json", *words).text)]

    def test_the_index_is_asked_for_tags(self):
        """No record is read again, for a table as for JSON."""
        self.submit("true", "--set", "tags.stage=dev")
        self.submit("true")
        run = json.loads(self.told("ps", "--json", "--tag", "stage").text)[0]
        os.remove(os.path.join(run["folder"], "report.json"))
        self.assertEqual(self.listed("--tag", "stage=dev", "--state", "completed"), [0])
        self.assertEqual(len(self.told("ps", "--tag", "stage").text.splitlines()), 2)

    def test_by_tags(self):
        self.write("job.yml", JOB + "tags: {stage: dev, size: 3}\n")
        self.submit("true")
        self.submit("exit 4", "--set", "tags.stage=a=b", "--set=tags.own=", code=4)
        self.assertEqual(self.show()["tags"], {"stage": "a=b", "own": "", "size": "3"})
        self.assertIn("tag         stage=a=b\n", self.told("show", "last").text)
        for _ in range(2):  # from the records, then from the index
            self.assertEqual(self.listed("--tag", "stage=dev"), [0])
            self.assertEqual(self.listed("--tag", "stage=a=b"), [4])
            self.assertEqual(self.listed("--tag", "size=3", "--tag", "own"), [4])
            self.assertEqual(self.listed("--tag", "size"), [0, 4])
            self.assertEqual(self.listed("--tag", "size=4"), [])
            self.assertEqual(self.listed("--state", "failed", "--experiment", "lines"), [4])
            self.assertEqual(self.listed("--state", "died", "--state", "completed"), [0])
            self.assertEqual(len(self.told("ps", "--state", "failed").text.splitlines()), 2)

    def age(self, run, days):
        """As if it had ended so long ago."""
        path = os.path.join(run["folder"], "report.json")
        then = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - days * 86400))
        with open(path, encoding="utf-8") as file:
            told = {**json.load(file), "ended": then}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(told, file, separators=(",", ":"))

    def test_rm_of_what_is_selected(self):
        for code in (0, 4, 5):
            self.submit(f"exit {code}", code=code)
            self.age(self.show(), 31 - 2 * code)
        live = self.detach(READY + UNTIL_GO)
        self.assertEqual(self.listed("--older-than", "27d"), [0])
        done = self.told("rm", "--older-than", "22d", "--dry-run")
        self.assertEqual(len(done.text.splitlines()), 3, done)
        self.assertIn("2 runs would be removed", done.errors)
        told = self.told("rm", "--state", "failed", "--dry-run", "--json").text.splitlines()
        self.assertEqual([json.loads(line)["exit_code"] for line in told], [4, 5])
        self.assertEqual(len(self.records()), 4)
        self.assertRegex(self.told("rm", "--older-than", "27d").text, "^removed 1 run: [^ ]+\n$")
        self.assertEqual(self.told("rm", "--older-than", "27d").text, "removed 0 runs\n")
        self.assertRegex(self.told("rm", "--experiment", "lines").text,
                         "^removed 2 runs: [^ ]+, [^ ]+\n$")
        self.assertEqual(self.listed(), [None])
        self.go()
        self.told("wait", live["run"])

    def test_rm_asks_a_person(self):
        self.submit("true")
        for answer, left in (("n\n", 1), ("\n", 1), ("yes\n", 0)):
            ours, theirs = pty.openpty()
            one = self.start("--state", "completed", command=(MUSTER, "rm"), stdin=theirs)
            os.write(ours, answer.encode())
            done = one.finish()
            os.close(ours)
            os.close(theirs)
            self.assertIn("remove 1 run: ", done.errors)
            self.assertEqual((done.code, len(self.records())), (0, left), done)

    def test_rm_of_what_cannot_be_read(self):
        self.submit("true")
        run = self.show()
        for name in ("report.json", "spec.json"):
            self.write(os.path.join(run["folder"], name), "{")
        self.assertIn("cannot be read", self.told("show", "last", code=BAD_FILE).errors)
        self.told("rm", "last")
        self.assertEqual(self.records(), [])

    def test_outputs_go_with_the_record(self):
        self.write("job.yml", WRITES.replace("$RANK", "$RANK; echo > ${{outputs.other}}/$RANK") +
                   "  other: {path: kept}\n")
        self.told("submit", "job.yml")
        run = self.show()
        self.assertEqual(sorted(os.listdir(run["outputs"]["model"])), ["0", "1"])
        self.assertEqual(run["outputs"]["other"], self.path("kept"))
        self.assertIn("model: " + run["outputs"]["model"], self.told("show", "last").text)
        self.told("rerun", "last")
        again = self.show()
        self.assertNotEqual(again["outputs"]["model"], run["outputs"]["model"])
        self.assertEqual(sorted(os.listdir(again["outputs"]["model"])), ["0", "1"])
        self.told("rm", run["run"], "last")
        self.assertFalse(os.path.exists(run["outputs"]["model"]))
        self.assertEqual(sorted(os.listdir(self.path("kept"))), ["0", "1"])

    def test_outputs_without_a_record(self):
        env = self.environment()
        del env["HOME"]
        self.write("job.yml", WRITES)
        done = self.told("submit", "job.yml", env=env)
        self.assertIn("outputs without a path lie in " + self.path("outputs"), done.errors)
        self.assertEqual(sorted(os.listdir(self.path("outputs", "model"))), ["0", "1"])

    def test_records_in_a_folder_seen_from_here(self):
        env = self.environment(MUSTER_RECORDS="own/records")
        self.write("job.yml", WRITES)
        self.told("submit", "job.yml", env=env)
        run = self.show(env=env)
        self.assertEqual(os.path.dirname(run["folder"]), self.path("own/records"))
        self.assertEqual(sorted(os.listdir(run["outputs"]["model"])), ["0", "1"])
        self.assertEqual(json.loads(self.told("ps", "--json", env=env).text), [run])

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


class LeftBehind(RecordCase):
    def test_nothing_of_a_detached_run(self):
        self.detach("sleep 3600 & wait")
        self.told("stop", "last")
        until("all its processes gone", lambda: not survivors(self.mark))


if __name__ == "__main__":
    run_tests()

"""Checkpoints: a folder that a run's restarts and reruns go on from."""

# rooms: store cli job front
# attacks

import contextlib
import fcntl
import json
import os
import shutil
import signal
import tempfile

from support import (BAD_FILE, MUSTER, UNTIL_GO, USAGE, Case, by_age, descendants, run_tests,
                     until)

# Counts how often it has run, and fails as long as it was not often enough.
COUNT = """muster: 1
checkpoints: true
inputs: {enough: 3}
command: |
  echo . >> $MUSTER_CHECKPOINTS/runs
  n=$(wc -l < $MUSTER_CHECKPOINTS/runs)
  echo run $n
  [ $n -ge ${{inputs.enough}} ]
"""


def opens(pid, path):
    """Whether a process has it open."""
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            if os.readlink(f"/proc/{pid}/fd/{number}") == path:
                return True
    return False


class CheckpointCase(Case):
    def told(self, command, *words, code=0, **more):
        done = self.start(*words, command=(MUSTER, command), **more).finish()
        self.assertEqual(done.code, code, done)
        return done

    def submit(self, text=COUNT, *words, code=0, **more):
        self.write("job.yml", text)
        return self.told("submit", "job.yml", *words, code=code, **more)

    def show(self, run="last"):
        return json.loads(self.told("show", run, "--json").text)


class Reruns(CheckpointCase):
    def test_each_goes_on_from_the_one_before(self):
        self.assertEqual(self.submit(code=1).lines, ["run 1"])
        first = self.show()["folder"]
        self.assertEqual(self.told("rerun", "last", code=1).lines, ["run 2"])
        self.assertEqual(self.told("rerun", os.path.basename(first)).lines, ["run 3"])
        last = self.show()["folder"]
        self.assertTrue(os.path.isdir(last + "/checkpoints"))
        self.assertFalse(os.path.islink(last + "/checkpoints"))
        self.assertEqual(os.path.realpath(first + "/checkpoints"), last + "/checkpoints")
        self.assertEqual(self.told("gc").errors, "", "a rerun has left nothing that is unknown")

    def test_they_are_moved_with_all_records(self):
        self.submit(code=1)
        self.told("rerun", "last", code=1)
        records = os.path.dirname(self.show()["folder"])
        moved = self.path("moved")
        shutil.move(records, moved)
        first = sorted(name for name in os.listdir(moved) if name[0] != ".")[0]
        done = self.told("rerun", first, env={"MUSTER_RECORDS": moved})
        self.assertEqual(done.lines, ["run 3"])

    def failed_on_another_disk(self):
        """The folder of a record that was moved there: a link."""
        self.submit(code=1)
        first = self.show()["folder"]
        disk = tempfile.mkdtemp(dir="/dev/shm")
        self.addCleanup(shutil.rmtree, disk)
        shutil.move(first, disk + "/run")
        os.symlink(disk + "/run", first)
        return first

    def test_a_record_that_was_moved_to_another_disk(self):
        first = self.failed_on_another_disk()
        os.mkfifo(first + "/checkpoints/pipe")
        done = self.told("rerun", "last", code=1)
        self.assertEqual(done.lines, ["run 2"])
        self.assertRegex(done.errors,
                         r"(?m)^muster: not copied from \S+/checkpoints: pipe \(a fifo\)$")
        last = self.show()["folder"]
        self.assertFalse(os.path.islink(last + "/checkpoints"))
        self.assertEqual(os.listdir(last + "/checkpoints"), ["runs"])
        self.assertEqual(self.told("rerun", os.path.basename(first)).lines, ["run 3"])

    def test_holes_stay_holes_on_another_disk(self):
        first = self.failed_on_another_disk()
        with open(first + "/checkpoints/sparse", "wb") as file:
            file.truncate(1 << 30)
        self.told("rerun", "last", code=1)
        last = self.show()["folder"] + "/checkpoints"
        self.assertNotEqual(os.stat(last).st_dev, os.stat(first + "/").st_dev)
        facts = os.stat(last + "/sparse")
        self.assertEqual(facts.st_size, 1 << 30)
        self.assertLess(facts.st_blocks * 512, 1 << 20)

    def test_a_signal_while_they_are_copied(self):
        """From another disk: nothing of the copy stays, and the next rerun makes it."""
        first = self.failed_on_another_disk()
        for number in range(1500):
            open(f"{first}/checkpoints/{number}", "wb").close()
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                run = self.start(os.path.basename(first), command=(MUSTER, "rerun"))
                copy = until("a copy is made", lambda: self.half_copy(first))
                copier = by_age(descendants(run.popen.pid))[-1]
                os.kill(copier, signal.SIGSTOP)  # it is never done
                run.popen.send_signal(number)
                self.assertEqual(run.finish().code, 128 + number)
                self.assertEqual(self.show()["state"], "stopped")
                until("the half copy goes", lambda path=copy: not os.path.exists(path + "/runs"))
                self.assertEqual(len(os.listdir(first + "/checkpoints")), 1501)
        self.assertEqual(self.told("rerun", "last", code=1).lines, ["run 2"])
        self.assertTrue(os.path.islink(first + "/checkpoints"))
        self.assertFalse(os.path.exists(first + "/checkpoints.gone"))

    def test_a_signal_while_another_run_takes_others(self):
        """It has the lock for as long as it copies."""
        self.submit(code=1)
        records = os.path.dirname(self.show()["folder"])
        with open(os.path.join(records, ".checkpoints"), "w", encoding="ascii") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(number):
                    run = self.start("last", command=(MUSTER, "rerun"))
                    until("it comes to the lock", lambda run=run: opens(run.popen.pid, lock.name))
                    run.popen.send_signal(number)
                    self.assertEqual(run.finish().code, 128 + number)
                    self.assertEqual(self.show()["state"], "stopped")
        self.assertEqual(self.told("rerun", "last", code=1).lines, ["run 2"])

    def half_copy(self, first):
        """The folder of one that a rerun has begun; else nothing."""
        records = os.path.dirname(first)
        for name in os.listdir(records):
            copy = os.path.join(records, name, "checkpoints")
            if name[0] != "." and name != os.path.basename(first) and os.path.exists(copy) \
                    and os.listdir(copy):
                return copy
        return None

    def test_they_outlive_the_record_that_made_them(self):
        self.submit(code=1)
        first = self.show()["run"]
        self.told("rerun", "last", code=1)
        self.told("rm", "-y", first)
        self.assertEqual(self.told("rerun", "last").lines, ["run 3"])

    def test_a_new_submit_and_fresh_checkpoints_begin_with_none(self):
        self.submit(code=1)
        first = self.show()["run"]
        self.assertEqual(self.submit(code=1).lines, ["run 1"])
        self.assertEqual(self.told("rerun", "--fresh-checkpoints", first, code=1).lines, ["run 1"])
        self.assertEqual(self.told("rerun", first, code=1).lines, ["run 2"], "it has kept its own")

    def test_a_run_that_still_writes_them_keeps_them(self):
        text = "muster: 1\ncheckpoints: true\ncommand: "
        text += f'echo > "$DIR/ready.0"; {UNTIL_GO}; ls $MUSTER_CHECKPOINTS\n'
        self.write("job.yml", text)
        job = self.start("submit", "job.yml", command=(MUSTER,))
        self.wait_for_files(["ready.0"])
        done = self.told("rerun", "last", code=USAGE)
        self.assertRegex(done.errors, r"\S+-\w+ still runs, and its checkpoints are to be taken")
        self.assertIn("--fresh-checkpoints", done.errors)
        self.write("go", "")
        self.assertEqual(job.finish().code, 0)

    def test_a_job_that_slurm_queues_again(self):
        slurm = {**self.environment(), "SLURM_JOB_ID": "7", "SLURM_CLUSTER_NAME": "c"}
        again = {**slurm, "SLURM_RESTART_COUNT": "1"}
        self.assertEqual(self.submit(code=1, env=slurm).lines, ["run 1"])
        self.assertEqual(self.submit(code=1, env=again).lines, ["run 2"])
        self.assertEqual(self.submit("# another job\n" + COUNT, "--set", "inputs.enough=9",
                                     code=1, env=again).lines, ["run 1"], "of the same script")
        self.assertEqual(self.submit(env={**again, "SLURM_RESTART_COUNT": "2"}).lines, ["run 3"])
        self.assertEqual(self.submit(code=1, env=slurm).lines, ["run 1"], "the same words again")

    def test_the_same_command_twice_in_a_job_of_slurm(self):
        text = "muster: 1\ncheckpoints: true\ncommand: cat $MUSTER_CHECKPOINTS/* ; "
        text += "echo $SEED >> $MUSTER_CHECKPOINTS/seeds; exit 1\n"
        slurm = {**self.environment(), "SLURM_JOB_ID": "7", "SLURM_CLUSTER_NAME": "c"}
        again = {**slurm, "SLURM_RESTART_COUNT": "1"}
        for env, lines in ((slurm, [[], []]), (again, [["1"], ["2"]])):
            for seed in (1, 2):
                done = self.submit(text, code=1, env={**env, "SEED": str(seed)})
                self.assertEqual(done.lines, lines[seed - 1])

    def test_a_folder_of_the_users_behind_a_link(self):
        for name in ("checkpoints", "other"):
            with self.subTest(name):
                scratch = self.path("scratch", name)
                os.makedirs(scratch)
                self.submit("muster: 1\ncheckpoints: true\ncommand: ls -A $MUSTER_CHECKPOINTS/; "
                            "rmdir $MUSTER_CHECKPOINTS || rm $MUSTER_CHECKPOINTS; "
                            f"ln -sn {scratch} $MUSTER_CHECKPOINTS; echo > {scratch}/x; "
                            "exit 1\n", code=1)
                self.assertEqual(self.told("rerun", "last", code=1).lines, ["x"])
                self.told("rm", "-y", "last")
                self.assertEqual(os.listdir(scratch), ["x"])

    def test_they_are_not_begun_anew_without_a_word(self):
        self.submit(code=1)
        first = self.show()["run"]
        self.told("rerun", "last", code=1)
        self.told("rm", "-y", "last")
        done = self.told("rerun", first, code=USAGE)
        self.assertRegex(done.errors, rf"the checkpoints of {first} are gone")
        self.assertEqual(self.told("rerun", "--fresh-checkpoints", first, code=1).lines, ["run 1"])


class Places(CheckpointCase):
    def test_a_folder_of_the_users(self):
        text = COUNT.replace("true", "./keep/here")
        self.assertEqual(self.submit(text, code=1).lines, ["run 1"])
        self.assertEqual(self.submit(text, code=1).lines, ["run 2"])
        self.assertEqual(self.read("keep/here/runs"), b".\n" * 2)

    def test_without_a_record(self):
        self.write("job.yml", COUNT)
        done = self.start("submit", "job.yml", command=("env", "-u", "HOME", MUSTER)).finish()
        self.assert_refused(done, BAD_FILE, r"job.yml:2:14: there is no record in which",
                            "MUSTER_RECORDS")

    def test_none(self):
        done = self.submit("muster: 1\ncheckpoints: false\ncommand: "
                           "echo ${MUSTER_CHECKPOINTS-none}\n")
        self.assertEqual(done.lines, ["none"])


class Items(CheckpointCase):
    def test_each_goes_on_by_itself(self):
        body = "\n".join("    " + line for line in (
            "command: |", "  echo . >> $MUSTER_CHECKPOINTS/runs",
            "  n=$(wc -l < $MUSTER_CHECKPOINTS/runs)",
            "  echo ran $n; [ $n -ge ${{inputs.enough}} ]", "checkpoints: true",
            "inputs: {enough: {type: integer}}"))
        text = ("type: pipeline\njobs:\n  list:\n    command: "
                "printf '[{\"enough\":1},{\"enough\":2}]' > ${{outputs.all}}\n"
                "    outputs: {all: {type: string}}\n  each:\n" + body + "\n"
                "  loop: {type: parallel_for, body: each, "
                "items: \"${{parent.jobs.list.outputs.all}}\"}\n")
        done = self.submit(text, code=1)
        self.assertCountEqual(done.lines, ["each: 0: ran 1", "each: 1: ran 1"])
        self.assertEqual(self.told("rerun", "last").lines, ["each: 1: ran 2"])


class Secrets(CheckpointCase):
    def test_one_that_the_file_gives_a_value(self):
        done = self.submit("muster: 1\ncommand: echo $KEY\nsecrets: KEY\n"
                           "environment_variables: {KEY: shown}\n", code=BAD_FILE,
                           env={**self.environment(), "KEY": "hidden"})
        self.assert_refused(done, BAD_FILE, r"job.yml:3:10: 'KEY' is a secret, and has a value in",
                            "environment_variables")


class Steps(CheckpointCase):
    def test_attempts_and_reruns_of_a_pipeline(self):
        step = COUNT[COUNT.index("checkpoints"):].replace("${{inputs.enough}}", "4")
        step = step.replace("inputs: {enough: 3}\n", "")
        text = "type: pipeline\njobs:\n  count:\n" + "".join(
            f"    {line}\n" for line in step.splitlines())
        done = self.submit(text, "--retries", "1", code=1)
        self.assertEqual(done.lines, ["count: run 1", "count: run 2"])
        self.assertEqual(self.told("rerun", "last").lines, ["count: run 3", "count: run 4"])
        self.assertEqual(self.told("rerun", "last/count", code=0).lines, ["count: run 5"])
        self.assertEqual(self.told("rerun", "--fresh-checkpoints", "last/count", code=1).lines,
                         ["count: run 1", "count: run 2"])


if __name__ == "__main__":
    run_tests()

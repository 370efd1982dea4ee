"""muster gc: what no record needs goes, and old records when told so; all else stays."""

# rooms: store blobs cli model
# attacks

import fcntl
import json
import os
import shutil
import subprocess
import time

from pipeline_case import PipelineCase
from support import BAD_FILE, MUSTER, UNTIL_GO, USAGE, Case, run_tests, until

JOB = """muster: 1
code: src
outputs:
  model:
command: |
  """
OLD = 1_000_000_000  # a time of change, in seconds


class GcCase(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("src"))
        self.put("then\n")
        self.records = self.path(".local/state/muster/runs")

    def put(self, text):
        self.write("src/a.txt", text)

    def told(self, command, *words, code=0, **more):
        done = self.start(*words, command=(MUSTER, command), **more).finish()
        self.assertEqual(done.code, code, done)
        return done

    def submit(self, text=None, do="true"):
        """Returns its name; text: what the code of that run holds."""
        if text:
            self.put(text)
        self.write("job.yml", JOB + do)
        self.told("submit", "job.yml")
        return json.loads(self.told("show", "last", "--json").text)["run"]

    def gc(self, *words, code=0):
        return json.loads(self.told("gc", "--json", *words, code=code).text)

    def runs(self):
        return sorted(name for name in os.listdir(self.records) if name[0] == "2")

    def hidden(self):
        return sorted(name for name in os.listdir(self.records) if name.startswith((".new", ".go")))

    def blobs(self):
        return [name for _, _, names in os.walk(self.records + "/.blobs") for name in names
                if len(name) == 62]

    def ended(self, run, days):
        """As if it had ended so many days ago."""
        path = os.path.join(self.records, run, "report.json")
        then = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - days * 86400))
        with open(path, encoding="utf-8") as file:
            told = {**json.load(file), "ended": then}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(told, file, separators=(",", ":"))

    def leave(self, *parts, content=None, old=True):
        """A file, or a folder with one, that nobody has touched for long."""
        path = os.path.join(self.records, *parts)
        if content is None:
            os.makedirs(path)
            with open(os.path.join(path, "file"), "w", encoding="utf-8") as file:
                file.write("x" * 100_000)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        if old:
            os.utime(path, (OLD, OLD))
        return path


class Unneeded(GcCase):
    def test_nothing_to_do(self):
        self.assertEqual(self.told("gc").text, "nothing to remove\n")
        self.submit()
        done = self.told("gc")
        self.assertEqual((done.text, done.err), ("nothing to remove\n", b""), done)
        self.assertEqual(len(self.blobs()), 1)
        self.assertEqual(self.gc()["bytes"], 0)

    def test_code_that_no_record_names(self):
        first = self.submit("one\n")
        self.submit("two\n")
        shutil.rmtree(os.path.join(self.records, first))
        done = self.told("gc", "--dry-run")
        self.assertRegex(done.text, r"^would remove 1 file of code that no record names: .*\n"
                         r"would free .*\n$")
        self.assertEqual(len(self.blobs()), 2)
        done = self.told("gc")
        self.assertRegex(done.text, r"^removed 1 file of code that no record names: 4\.1 kB\n"
                         r"freed 4\.1 kB\n$")
        self.assertEqual(len(self.blobs()), 1)
        self.assertEqual(self.told("rerun", "last").code, 0)

    def test_what_killed_processes_left(self):
        run = self.submit()
        gone = [self.leave(".new-20200101-000000.000-kufari"), self.leave(".gone-kufari"),
                self.leave(run, ".travel"), self.leave(run, "mark", content="x"),
                self.leave(run, "steps/a/.travel"), self.leave(run, "steps/.new-b"),
                self.leave(run, ".travel.gone-7"), self.leave(run, "steps/.new-c.gone-7"),
                self.leave(".blobs", "new-1-2-3", content="half")]
        young = self.leave(".new-20200101-000000.000-young", old=False)
        held = self.leave(".new-20200101-000000.000-held")
        with open(os.path.join(held, "events.jsonl"), "w", encoding="utf-8") as events:
            fcntl.lockf(events, fcntl.LOCK_EX)
            os.utime(held, (OLD, OLD))
            self.assertEqual(self.gc("--dry-run")["leftovers"]["count"], len(gone))
            self.assertEqual([os.path.exists(path) for path in gone], [True] * len(gone))
            told = self.gc()
        self.assertEqual(told["leftovers"]["count"], len(gone))
        self.assertGreaterEqual(told["leftovers"]["bytes"], 500_000)
        self.assertEqual([os.path.exists(path) for path in gone], [False] * len(gone))
        self.assertTrue(os.path.exists(young) and os.path.exists(held))
        self.assertEqual(self.runs(), [run])
        self.assertEqual(self.gc()["leftovers"]["count"], 1)  # whose lock has gone

    def test_jobs_of_slurm(self):
        env = self.environment(SLURM_JOB_ID="7")
        self.write("job.yml", JOB.replace("code:", "checkpoints: true\ncode:") + "true")
        self.told("submit", "job.yml", env=env)
        links = os.listdir(self.records + "/.queued")
        self.assertEqual(self.gc()["unknown"], [])
        self.assertEqual(os.listdir(self.records + "/.queued"), links)
        self.told("rm", "last")
        self.assertEqual(self.gc()["leftovers"]["count"], len(links))
        self.assertEqual(os.listdir(self.records + "/.queued"), [])

    def test_what_runs_keeps_what_it_needs_for_a_while(self):
        do = f'echo > "$DIR/ready.0"; {UNTIL_GO}'
        self.write("job.yml", JOB + do)
        job = self.start("job.yml", command=(MUSTER, "submit"))
        self.wait_for_files(["ready.0"])
        run, = self.runs()
        mark = self.leave(run, "mark", content="x")
        self.assertEqual(self.gc("--older-than", "0s", "--max-size", "0")["records"]["count"], 0)
        self.assertTrue(os.path.exists(mark))
        self.assertEqual((self.runs(), len(self.blobs())), ([run], 1))
        self.write("go", "")
        self.assertEqual(job.finish().code, 0)

    def test_what_muster_does_not_know(self):
        self.submit()
        self.leave("notes", content="mine")
        self.leave("zebra")
        self.leave("20200101-000000.000-empty")
        self.leave(".blobs", "own", content="mine")
        self.leave("odd\nname", content="")
        os.symlink("/etc", os.path.join(self.records, "20200101-000000.000-link"))
        told = self.gc("--older-than", "0s")
        self.assertEqual(sorted(told["unknown"]), sorted([
            "20200101-000000.000-empty", "20200101-000000.000-link", ".blobs/own", "notes",
            "odd\nname", "zebra"]))
        done = self.told("gc")
        self.assertRegex(done.errors, r"^muster: \S+/runs holds what muster does not know; it "
                         r"stays: .*odd\\nname.*\n$")
        for name in ("notes", "zebra/file", "20200101-000000.000-empty/file", ".blobs/own"):
            self.assertTrue(os.path.exists(os.path.join(self.records, name)), name)

    def test_nobody_knows_what_a_damaged_manifest_names(self):
        first, second = self.submit("one\n"), self.submit("two\n")
        shutil.rmtree(os.path.join(self.records, first))
        self.write(os.path.join(self.records, second, "code.manifest"), "?")
        done = self.told("gc")
        self.assertEqual(len(self.blobs()), 2)
        self.assertIn(f"cannot be read in {self.records}: {second}/code.manifest; muster rm",
                      done.errors)
        self.told("rm", second)
        self.told("gc")
        self.assertEqual(self.blobs(), [])

    def test_a_record_on_a_disk_that_is_not_mounted(self):
        run = self.submit("one\n")
        record = os.path.join(self.records, run)
        os.mkdir(self.path("disk"))
        shutil.move(record, self.path("disk", run))
        os.symlink(self.path("disk", run), record)
        os.rename(self.path("disk"), self.path("away"))
        self.assertIn(f"cannot be read in {self.records}: {run}; ", self.told("gc").errors)
        self.assertEqual(len(self.blobs()), 1)
        os.rename(self.path("away"), self.path("disk"))
        self.assertEqual(self.told("gc").errors.count("cannot be read"), 0)
        self.assertEqual(self.told("rerun", run).code, 0)

    def test_a_folder_of_others(self):
        os.makedirs(self.path("home/.new-thing"))
        os.utime(self.path("home/.new-thing"), (OLD, OLD))
        self.write("home/letter", "mine")
        env = self.environment(MUSTER_RECORDS=self.path("home"))
        done = self.told("gc", "--older-than", "0s", env=env, code=USAGE)
        self.assertIn("there are no records of muster in " + self.path("home"), done.errors)
        self.assertEqual(sorted(os.listdir(self.path("home"))), [".new-thing", "letter"])
        os.mkdir(self.path("empty"))
        env = self.environment(MUSTER_RECORDS=self.path("empty"))
        self.assertEqual(self.told("gc", env=env).text, "nothing to remove\n")


class Old(GcCase):
    def test_by_age(self):
        runs = [self.submit(f"{i}\n") for i in range(4)]
        for i, run in enumerate(runs):
            self.ended(run, 40 - 10 * i)
        done = self.told("gc", "--older-than", "15d", "--dry-run")
        self.assertRegex(done.text, r"^would remove 3 records of ended runs: .*\nwould remove 3 "
                         r"files of code that no record names: 12 kB\nwould free .*\n$")
        self.assertEqual(self.runs(), runs)
        told = self.gc("--older-than", "15d")
        self.assertEqual(told["runs"], runs[:3])
        self.assertEqual((told["records"]["count"], told["code"]["count"]), (3, 3))
        self.assertEqual((self.runs(), len(self.blobs()), self.hidden()), (runs[3:], 1, []))
        self.assertEqual([run["run"] for run in json.loads(self.told("ps", "--json").text)],
                         runs[3:])

    def test_by_size(self):
        do = "head -c 1000000 /dev/urandom > ${{outputs.model}}/x"
        runs = [self.submit(do=do) for _ in range(4)]
        self.ended(runs[2], 9)  # the oldest
        done = self.told("gc", "--max-size", "2.9MB", "--dry-run")
        self.assertRegex(done.text, r"what stays takes 2\.\d MB\n$")
        told = self.gc("--max-size", "2.9MB", "--dry-run")
        self.assertEqual(told["runs"], sorted([runs[0], runs[2]]))
        told = self.gc("--max-size", "2.9MB")
        self.assertEqual(told["runs"], sorted([runs[0], runs[2]]))
        self.assertGreater(told["bytes"], 2_000_000)
        self.assertLess(told["stays"], 2_900_000)
        self.assertEqual(self.runs(), [runs[1], runs[3]])
        self.assertEqual(self.told("rerun", "last").code, 0)

    def test_what_runs_may_be_more_than_it_should(self):
        do = (f'head -c 1000000 /dev/zero > ${{{{outputs.model}}}}/x; echo > "$DIR/ready.0"; '
              f'{UNTIL_GO}')
        self.submit()
        self.write("job.yml", JOB + do)
        job = self.start("job.yml", command=(MUSTER, "submit"))
        self.wait_for_files(["ready.0"])
        done = self.told("gc", "--max-size", "100kB")
        self.assertRegex(done.errors, r"stay, more than 100 kB: runs that have not ended")
        self.assertEqual(len(self.runs()), 1)
        self.write("go", "")
        self.assertEqual(job.finish().code, 0)

    def test_links_are_not_followed(self):
        os.mkdir(self.path("data"))
        self.write("data/mine", "x")
        data = self.path("data")
        run = self.submit(do=f"ln -s {data} ${{{{outputs.model}}}}/a; ln -s {data} here; "
                          f"chmod 500 ${{{{outputs.model}}}}")
        os.symlink(data, os.path.join(self.records, run, "steps"))
        os.symlink(data, os.path.join(self.records, ".gone-x"))
        self.gc("--older-than", "0s")
        self.assertEqual(self.runs(), [])
        self.assertEqual(self.read("data/mine"), b"x")
        self.assertEqual(os.listdir(data), ["mine"])

    def test_another_file_system_is_not_entered(self):
        run = self.submit()
        place = os.path.join(self.records, run, "outputs/model")
        done = subprocess.run(["mount", "-t", "tmpfs", "none", place], capture_output=True,
                              check=False)
        if done.returncode != 0:
            self.skipTest("only root may mount")
        self.write(os.path.join(place, "mine"), "x")
        try:
            told = self.gc("--older-than", "0s", code=BAD_FILE)
            self.assertEqual(told["failed"],
                             [f".gone-{run}/outputs/model (Invalid cross-device link)"])
            hidden = place.replace(run, ".gone-" + run)
            with open(os.path.join(hidden, "mine"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "x")
        finally:
            for mounted in (place, place.replace(run, ".gone-" + run)):
                subprocess.run(["umount", "-l", mounted], capture_output=True, check=False)
        self.assertEqual(self.gc()["leftovers"]["count"], 1)
        self.assertEqual(self.hidden(), [])

    def test_words(self):
        for words in (["--max-size", "much"], ["--max-size", "50"], ["--older-than", "30"],
                      ["last"]):
            self.told("gc", *words, code=USAGE)


class Budget(GcCase):
    DO = "head -c 1000000 /dev/urandom > ${{outputs.model}}/x"

    def submit_with(self, budget, *words, code=0):
        self.write("job.yml", JOB + self.DO)
        env = self.environment(MUSTER_RECORDS_BUDGET=budget)
        return self.told("submit", "job.yml", *words, env=env, code=code)

    def test_the_oldest_go_when_a_run_has_ended(self):
        first = self.submit(do=self.DO)
        self.submit("other\n", do=self.DO)
        self.assertEqual(self.submit_with("10MB").errors, "")
        self.assertEqual(len(self.runs()), 3)
        done = self.submit_with("3.5MB")
        self.assertEqual(done.errors, f"muster: {first} went, since MUSTER_RECORDS_BUDGET is "
                         "3.5MB\n")
        self.assertEqual(len(self.runs()), 3)
        self.assertNotIn(first, self.runs())
        self.submit_with("1.5MB", "--detach")
        self.told("wait", "last")
        until(lambda: f"one run, not {self.runs()}", lambda: len(self.runs()) == 1)
        until(lambda: f"one file of code, not {self.blobs()}", lambda: len(self.blobs()) == 1)

    def test_what_has_just_ended_stays(self):
        self.submit_with("1kB")
        self.submit_with("1kB")
        run, = self.runs()
        self.assertTrue(os.path.exists(os.path.join(self.records, run, "outputs/model/x")))

    def test_nothing_is_measured_without_one(self):
        self.submit()
        self.submit_with("")
        for run in self.runs():
            self.assertNotIn(".bytes", os.listdir(os.path.join(self.records, run)))
        self.submit_with("1GB")
        for run in self.runs():
            self.assertIn(".bytes", os.listdir(os.path.join(self.records, run)))

    def test_what_is_no_size(self):
        for words in ("much", "50"):
            done = self.submit_with(words, code=USAGE)
            self.assertIn(f"MUSTER_RECORDS_BUDGET must be a size with its unit, not '{words}'",
                          done.errors)
            done = self.told("submit", "job.yml", code=USAGE,
                             env=self.environment(MUSTER_CACHE_BUDGET=words))
            self.assertIn(f"MUSTER_CACHE_BUDGET must be a size with its unit, not '{words}'",
                          done.errors)

    def test_of_a_pipeline(self):
        self.submit(do=self.DO)
        self.write("pipe.yml", "type: pipeline\njobs:\n  a:\n    command: echo x\n")
        self.told("submit", "pipe.yml", env=self.environment(MUSTER_RECORDS_BUDGET="500kB"))
        self.assertEqual(len(self.runs()), 1)


class Read(GcCase):
    """Inputs of a run that lie in the record of another."""

    USE = """muster: 1
inputs: {o: {type: %s, path: %s, mode: download}}
outputs: {size: {}}
command: |
  echo > "$DIR/ready.0"; """ + UNTIL_GO + """; cat ${{inputs.o}}%s
"""

    def make(self):
        run = self.submit(do="echo made > ${{outputs.model}}/x")
        return os.path.join(self.records, run, "outputs/model")

    def begun(self, kind, path, rest=""):
        self.write("use.yml", self.USE % (kind, path, rest))
        job = self.start("use.yml", command=(MUSTER, "submit"))
        self.wait_for_files(["ready.0"])
        return job

    def ends_well(self, job):
        self.write("go", "")
        done = job.finish()
        self.assertEqual((done.code, done.text), (0, "made\n"), done)
        self.gc("--older-than", "0s")
        self.assertEqual(self.runs(), [])

    def test_a_folder(self):
        job = self.begun("uri_folder", self.make(), "/x")
        made, use = self.runs()
        for words in (("--max-size", "1B"), ("--older-than", "0s")):
            self.assertEqual(self.gc(*words)["runs"], [])
        self.assertIn(f"{made} (needed by {use})", self.told("gc", "--max-size", "1B").errors)
        self.ends_well(job)

    def test_a_file_by_another_path(self):
        os.symlink(self.make(), self.path("latest"))
        job = self.begun("uri_file", self.path("latest/x"))
        self.assertEqual(self.gc("--max-size", "1B")["runs"], [])
        self.ends_well(job)

    def test_of_a_step(self):
        path = self.make()
        step = self.USE % ("uri_folder", path, "/x")
        step = "".join("    " + line + "\n" for line in step.splitlines()[1:])
        self.write("pipe.yml", "type: pipeline\njobs:\n  a:\n" + step)
        job = self.start("pipe.yml", command=(MUSTER, "submit"))
        self.wait_for_files(["ready.0"])
        self.assertEqual(self.gc("--max-size", "1B")["runs"], [])
        self.write("go", "")
        done = job.finish()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(len(self.gc("--max-size", "1B")["runs"]), 2)

    def test_when_another_run_ends(self):
        job = self.begun("uri_folder", self.make(), "/x")
        runs = self.runs()
        self.write("job.yml", JOB + "true")
        self.told("submit", "job.yml", env=self.environment(MUSTER_RECORDS_BUDGET="1kB"))
        self.assertEqual(self.runs()[:2], runs)
        self.ends_well(job)


class AtOnce(GcCase):
    def test_while_runs_take_snapshots(self):
        """None of them loses what it has just kept, and nothing is left at the end."""
        texts = [f"{i % 3}\n" for i in range(12)]
        jobs = []
        for i, text in enumerate(texts):
            os.makedirs(self.path(f"own.{i}/src"))
            self.write(f"own.{i}/src/a.txt", text)
            self.write(f"own.{i}/job.yml", JOB + "cat a.txt")
            jobs.append(self.start(f"own.{i}/job.yml", command=(MUSTER, "submit")))
            jobs.append(self.start("--json", "--older-than", "1d", command=(MUSTER, "gc")))
            jobs.append(self.start(command=(MUSTER, "gc")))
        done = [job.finish() for job in jobs]
        self.assertEqual([one.code for one in done], [0] * len(jobs), done)
        self.assertEqual([one.text for one in done[::3]], texts)
        runs = self.runs()
        self.assertEqual(len(runs), len(texts))
        for run in runs:
            self.told("rerun", run)
        self.gc()
        self.assertEqual(len(self.blobs()), 3)

    def test_two_that_remove_the_same(self):
        for _ in range(6):
            self.submit(do="mkdir -p d/e/f; for i in $(seq 60); do echo > d/e/f/$i; done")
        both = [self.start("--json", "--older-than", "0s", command=(MUSTER, "gc"))
                for _ in range(4)]
        done = [one.finish() for one in both]
        self.assertEqual([one.code for one in done], [0] * 4, done)
        self.told("gc", "--older-than", "0s")
        self.assertEqual((self.runs(), self.hidden(), self.blobs()), ([], [], []))

    def test_a_run_that_is_about_to_start_is_told(self):
        first = self.submit("one\n")
        shutil.rmtree(os.path.join(self.records, first))
        with open(os.path.join(self.records, ".blobs/lock"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            done = self.told("gc", "--older-than", "0s")
            self.assertIn("muster: a run is about to start", done.errors)
            self.assertEqual(done.text, "nothing to remove\n")
            self.assertTrue(self.gc()["busy"])
        self.assertEqual(len(self.blobs()), 1)
        self.assertFalse(self.gc()["busy"])
        self.assertEqual(self.blobs(), [])


MAKE = """type: pipeline
settings: {force_rerun: false}
jobs:
  make:
    component: ./make.yml
  use:
    command: sh $DIR/use.sh ${{inputs.made}}
    inputs: {made: "${{parent.jobs.make.outputs.made}}"}
"""
COMPONENT = """$schema: commandComponent
is_deterministic: true
code: src
command: echo x > ${{outputs.made}}/x
outputs: {made: {}}
"""


class Reused(PipelineCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("src"))
        self.write("make.yml", COMPONENT)
        self.write("two.yml", MAKE)
        self.write("use.sh", "cat $1/x\n")
        self.records = self.path(".local/state/muster/runs")

    def runs(self):
        return sorted(name for name in os.listdir(self.records) if name[0] == "2")

    def gc(self, *words):
        return json.loads(self.told("gc", "--json", *words).text)

    def offers(self):
        return os.listdir(self.records + "/.steps")

    def test_what_another_pipeline_reuses(self):
        self.submit(file="two.yml")
        self.submit(file="two.yml")
        self.assertEqual(self.steps()["make"], "reused")
        first, second = self.runs()
        told = self.gc("--max-size", "1kB", "--dry-run")
        self.assertEqual(told["runs"], [first, second])  # the first one after its user
        path = os.path.join(self.records, second, "report.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        os.unlink(path)  # as if it were under way on another host
        spec = os.path.join(self.records, second, "spec.json")
        with open(spec, encoding="utf-8") as file:
            told = json.load(file)
        told["head"]["host"] = "elsewhere"
        with open(spec, "w", encoding="utf-8") as file:
            json.dump(told, file)
        events = os.path.join(self.records, second, "events.jsonl")
        with open(events, encoding="utf-8") as file:
            lines = [line for line in file if '"ended"' not in line]
        with open(events, "w", encoding="utf-8") as file:
            file.writelines(lines)
        done = self.told("gc", "--older-than", "0s")
        self.assertIn("records whose outputs others use stay as long as those: "
                      f"{first} (needed by {second})\n", done.errors)
        self.assertEqual(self.runs(), [first, second])
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.assertEqual(self.gc("--older-than", "0s")["runs"], [first, second])
        self.assertEqual(self.runs(), [])
        self.assertEqual(self.offers(), [])

    def test_a_step_that_outlives_its_conductor(self):
        self.write("pipe.yml", "type: pipeline\njobs:\n  a:\n    command: echo x\n")
        self.submit(file="pipe.yml")
        run, = self.runs()
        record = os.path.join(self.records, run)
        trial = os.path.join(record, "steps/a/steps/trial_0")
        os.makedirs(trial)
        for step, name in (("steps/a", f"{run}/a"), ("steps/a/steps/trial_0", f"{run}/a/trial_0")):
            with open(os.path.join(record, step, "events.jsonl"), "a", encoding="utf-8") as events:
                fcntl.lockf(events, fcntl.LOCK_EX)
                for words in (("--older-than", "0s"), ("--max-size", "0")):
                    self.assertEqual(self.gc(*words)["runs"], [])
                self.assertEqual(self.told("rm", "--older-than", "0s").text, "removed 0 runs\n")
                done = self.told("rm", run, code=USAGE)
                self.assertIn(f"{run} stays: its step {name} still runs", done.errors)
                self.assertIn(f"muster stop {name}", done.errors)
            self.assertEqual(self.runs(), [run])
        self.assertEqual(self.gc("--older-than", "0s")["runs"], [run])

    def test_what_a_rerun_goes_on_from(self):
        self.write("use.sh", "exit 3\n")
        self.submit(file="two.yml", code=3)
        self.write("use.sh", "true\n")
        self.told("rerun", "last")
        self.assertEqual(len(self.runs()), 2)
        first, second = self.runs()
        told = self.gc("--older-than", "0s", "--dry-run")
        self.assertEqual(told["runs"], [first, second])
        events = os.path.join(self.records, second, "steps/use/events.jsonl")
        with open(events, "a", encoding="utf-8") as file:  # as if the rerun were under way
            fcntl.lockf(file, fcntl.LOCK_EX)
            self.assertIn(f"{first} (needed by {second})",
                          self.told("gc", "--older-than", "0s").errors)
        self.assertEqual(self.runs(), [first, second])

    def test_the_older_goes_before_its_reruns(self):
        """Each has copies of what it took over."""
        job = COMPONENT.replace("is_deterministic: true", "is_deterministic: false")
        self.write("make.yml", job.replace("echo x", "head -c 1000000 /dev/zero"))
        self.write("use.sh", "exit 3\n")
        self.submit(file="two.yml", code=3)
        self.told("rerun", "last", code=3)
        self.write("use.sh", "true\n")
        self.told("rerun", "last")
        runs = self.runs()
        self.assertEqual(self.steps(), {"make": "reused", "use": "completed"})
        self.assertEqual(self.gc("--max-size", "2.5MB")["runs"], runs[:1])
        self.assertEqual(self.gc("--max-size", "1.5MB")["runs"], runs[1:2])
        self.assertEqual(self.runs(), runs[2:])
        made = os.path.join(self.records, runs[2], "steps/make/outputs/made/x")
        self.assertEqual(os.path.getsize(made), 1_000_000)
        self.told("rerun", "last")
        self.assertEqual(self.steps(), {"make": "reused", "use": "reused"})

    def test_entries_of_runs_that_have_gone(self):
        self.submit(file="two.yml")
        self.assertEqual(len(self.offers()), 1)
        self.assertEqual(self.gc()["reuse"]["count"], 0)
        self.told("rm", "last")
        self.assertRegex(self.told("gc", "--dry-run").text,
                         r"^would remove 1 entry for reuse of a run that has gone: ")
        self.assertEqual(self.gc()["reuse"]["count"], 1)
        self.assertEqual(self.offers(), [])
        self.submit(file="two.yml")
        self.assertEqual(self.steps()["make"], "completed")


if __name__ == "__main__":
    run_tests()

"""Twenty at the same instant: whoever finds something free has taken it, or is told who has it."""

# rooms: store cli blobs snapshot pipeline head machine plan
# attacks

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import socket
import uuid

from support import (BAD_FILE, MUSTER, NO_SLOTS, PYTHON, ROOT, UNTIL_GO, USAGE, Case, run_tests,
                     until)
from test_fetched_inputs import Server

MANY = 20

# Says which runs have written to its checkpoints, and stays until all others have ended.
CHECKPOINTS = f"""muster: 1
checkpoints: true
command: |
  echo . >> $MUSTER_CHECKPOINTS/runs
  echo run $(wc -l < $MUSTER_CHECKPOINTS/runs)
  {UNTIL_GO}
"""

PIPELINE = """$schema: https://azuremlschemas.azureedge.net/latest/pipelineJob.schema.json
type: pipeline
display_name: many
outputs: {model: {type: uri_folder}}
jobs:
  one:
    command: echo one > ${{outputs.model}}/weights
    outputs: {model: {type: uri_folder}}
  two:
    command: cat ${{inputs.from}}/weights > ${{outputs.model}}/weights
    inputs: {from: '${{parent.jobs.one.outputs.model}}'}
    outputs: {model: '${{parent.outputs.model}}'}
"""

# Makes what conda would, as far as a rank sees it, and writes down that it was called.
CONDA = f"""#!/bin/sh
echo called >> "$DIR/calls"
while [ "$1" != -p ]; do shift; done
mkdir -p "$2/bin"
ln -s {PYTHON} "$2/bin/python"
seq 200 | while read i; do echo $i > "$2/$i"; done
"""
PACKAGES = """muster: 1
environment: {conda: {dependencies: [mkl]}}
command: ls $CONDA_PREFIX | wc -l
"""
# Only one at a time finds no folder there.
ALONE = """muster: 1
command: mkdir $DIR/here && echo $SLURM_JOB_ID >> $DIR/ran && rmdir $DIR/here
"""

# As many versions of a model, and tags of a run, as it is told to make; who made which.
REGISTERS = """import sys
from muster.record import add_notes
from muster.registers import Register
who, record = sys.argv[1:]
for one in range(10):
    print(Register("models").put("net", None, {"path": f"/{who}/{one}"}), f"/{who}/{one}")
    Register("schedules").put("daily", "1", {"path": f"/{who}"})
    add_notes(record, "tags", {f"{who}.{one}": "set"})
"""
# Lists what another program makes and removes all the time.
COMES_AND_GOES = """from muster.registers import Register
while True:
    Register("schedules").put("gone", "1", {})
    Register("schedules").remove("gone")
"""
LISTS = """import subprocess, sys
from muster.assets import Schedules
from muster.registers import Register
Register("schedules").put("kept", "1", {})
other = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
try:
    for _ in range(1000):
        assert "kept" in [one.name for one in Schedules().list()]
finally:
    other.kill()
"""
# Of a name that is new each time only one may have it: the others are told so.
NEW_NAMES = """import os, sys
from muster.mlflow_client import create_experiment
from muster.tracking import DEFAULT, MlflowException, Store
who, folder = sys.argv[1:]
os.environ["MLFLOW_TRACKING_URI"] = folder
store = Store(folder, "shared", DEFAULT)
for one in range(10):
    for make in (lambda: create_experiment(f"new {one}"), lambda: store.param(f"p{one}", who)):
        try:
            make()
            print("made")
        except MlflowException:
            print("refused")
store.call(f"called by {who}") if who == "0" else store.end("FINISHED")
"""

# A file system that has no hard links; whoever looks never finds what is not whole yet.
NO_LINKS = """import errno, os
def link(source, target, **more):
    raise OSError(errno.EPERM, "no hard links here")
renamed = os.replace
def replace(source, target):
    assert not os.path.exists(target) or os.path.getsize(target) > 0, target
    renamed(source, target)
os.link, os.replace = link, replace
"""


class ManyAtOnce(Server):
    request_queue_size = MANY


class SameInstant(Case):
    @contextlib.contextmanager
    def gate(self):
        """What starts meanwhile by at_gate() goes on when this ends."""
        with open(self.path("gate"), "w", encoding="utf-8") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            yield
            until("all before the gate", lambda: all(self.waits(one) for one in self.running))

    def waits(self, one):
        """Ends of a test's earlier commands are no reason to wait."""
        if one.popen.poll() is not None:
            return True
        with open(f"/proc/{one.popen.pid}/wchan", encoding="ascii") as place:
            return "lock" in place.read()

    def at_gate(self, *words, **more):
        return self.start(self.path("gate"), *words, command=("flock", "-s", "-o"), **more)

    def many(self, *words):
        with self.gate():
            started = [self.at_gate(*(one(i) if callable(one) else one for one in words))
                       for i in range(MANY)]
        return started

    def told(self, *words, code=0):
        done = self.start(*words, command=(MUSTER,)).finish()
        self.assertEqual(done.code, code, done)
        return done

    def runs(self):
        return json.loads(self.told("ps", "--all", "--json").text)

    def test_reruns_that_go_on_from_checkpoints(self):
        self.write("job.yml", CHECKPOINTS)
        self.write("go", "")
        self.assertEqual(self.told("submit", "job.yml").lines, ["run 1"])
        os.remove(self.path("go"))
        started = self.many(MUSTER, "rerun", "last")
        def others_have_ended():
            return sum(one.popen.poll() is not None for one in started) == MANY - 1
        until("all but one told that it has them", others_have_ended)
        self.write("go", "")
        done = sorted((one.finish() for one in started), key=lambda one: one.code)
        self.assertEqual((done[0].code, done[0].lines), (0, ["run 2"]))
        for one in done[1:]:
            self.assertEqual((one.code, one.lines), (USAGE, []), one)
            self.assertRegex(one.errors, "still runs, and its checkpoints are to be taken over")

    def test_records_of_runs_of_one_name(self):
        self.write("job.yml", "muster: 1\nname: train\ncommand: echo trained\n")
        for one in self.many(MUSTER, "submit", "job.yml"):
            done = one.finish()
            self.assertEqual((done.code, done.lines), (0, ["trained"]), done)
        runs = self.runs()
        self.assertEqual(len({one["run"] for one in runs}), MANY)

    def test_removals_of_one_record(self):
        """Only the one that removes it says so."""
        self.write("job.yml", "muster: 1\ncommand: 'true'\n")
        self.told("submit", "job.yml")
        run = self.runs()[0]["run"]
        done = [one.finish() for one in self.many(MUSTER, "rm", "last")]
        said = [one for one in done if one.out]
        self.assertEqual([(one.code, one.text) for one in said], [(0, f"removed 1 run: {run}\n")])
        for one in done:
            if one.out:
                continue
            gone = f"1 run: {run}: removed by another command" in one.errors
            self.assertEqual(one.code, 0 if gone else USAGE, one)
        self.assertEqual(self.runs(), [])

    def test_pipelines_that_may_reuse_each_others_steps(self):
        self.write("job.yml", PIPELINE)
        for one in self.many(MUSTER, "submit", "job.yml"):
            done = one.finish()
            self.assertEqual(done.code, 0, done)
        for run in self.runs():
            if "/" not in run["run"]:
                shown = json.loads(self.told("show", run["run"], "--json").text)
                weights = os.path.join(shown["folder"], "steps/two/outputs/model/weights")
                self.assertEqual(self.read(weights), b"one\n")

    def test_contents_of_one_folder_of_code(self):
        os.mkdir(self.path("code"))
        for i in range(50):
            self.write(f"code/{i}.txt", f"{i}\n" * i)
        self.write("job.yml", "muster: 1\ncode: code\ncommand: cat *.txt | sort | md5sum\n")
        done = [one.finish() for one in self.many(MUSTER, "submit", "job.yml")]
        self.assertEqual({(one.code, one.text) for one in done}, {(0, done[0].text)})
        self.assertRegex(done[0].text, "^[0-9a-f]{32} ")

    def submitted(self, place, text):
        """A run whose code is one file with this text; its name."""
        os.makedirs(self.path(place, "code"), exist_ok=True)
        self.write(f"{place}/code/a.txt", text)
        self.write(f"{place}/job.yml", "muster: 1\ncode: code\ncommand: cat a.txt\n")
        self.assertEqual(self.told("submit", f"{place}/job.yml").text, text)
        return json.loads(self.told("show", "last", "--json").text)["run"]

    def to_be_collected(self, records):
        """Ten old runs, each with a blob of its own, ten blobs that nobody names, ten leftovers."""
        old = [self.submitted("old", f"old {i}\n") for i in range(10)]
        for run in old:
            path = self.path(records, run, "report.json")
            told = {**json.loads(self.read(path)), "ended": "2020-01-02T03:04:05.000Z"}
            self.write(path, json.dumps(told, separators=(",", ":")))
        for i in range(10):
            shutil.rmtree(self.path(records, self.submitted("gone", f"gone {i}\n")))
            self.write(f"{records}/.blobs/new-1-2-{i}", "half")
        return old

    def test_collections_beside_runs_that_take_blobs(self):
        """Each thing goes once, by one that says so, and no run misses what it needs."""
        records = ".local/state/muster/runs"
        old = self.to_be_collected(records)
        stays = self.submitted("stays", "stays\n")
        for i in range(MANY):
            os.makedirs(self.path(f"job{i}/code"))
            self.write(f"job{i}/code/a.txt", f"job {i % 3}\n")
            self.write(f"job{i}/job.yml", "muster: 1\ncode: code\ncommand: cat a.txt\n")
        collects = ("gc", "--json", "--older-than", "1d")
        with self.gate():
            jobs, reruns, collectors = [], [], []
            for i in range(MANY):
                collectors.append(self.at_gate(MUSTER, *collects))
                jobs.append(self.at_gate(MUSTER, "submit", f"job{i}/job.yml"))
                reruns.append(self.at_gate(MUSTER, "rerun", stays))
        for i, one in enumerate(jobs):
            done = one.finish()
            self.assertEqual((done.code, done.text), (0, f"job {i % 3}\n"), done)
        for one in reruns:
            done = one.finish()
            self.assertEqual((done.code, done.text), (0, "stays\n"), done)
        said = []
        for one in collectors:
            done = one.finish()
            self.assertEqual(done.code, 0, done)
            said.append(json.loads(done.text))
        said.append(json.loads(self.told(*collects).text))  # all may have found it busy
        self.assertEqual(sorted(run for one in said for run in one["runs"]), sorted(old))
        for kind, count in (("records", 10), ("code", 20), ("leftovers", 10)):
            self.assertEqual(sum(one[kind]["count"] for one in said), count, kind)
        for one in said:
            kinds = ("records", "code", "leftovers", "reuse")
            self.assertEqual(one["bytes"], sum(one[kind]["bytes"] for kind in kinds), one)
        self.assertEqual(self.told("gc").text, "nothing to remove\n")
        self.assertEqual(len(self.runs()), 2 * MANY + 1)
        kept = {hashlib.sha256(text.encode()).hexdigest()
                for text in ("stays\n", "job 0\n", "job 1\n", "job 2\n")}
        found = {os.path.basename(folder) + name
                 for folder, _, names in os.walk(self.path(records, ".blobs")) for name in names}
        self.assertEqual(found, kept | {".blobslock"})
        for run in self.runs():
            self.told("rerun", run["run"])

    def test_a_collection_that_was_stopped_as_it_looked_around(self):
        """Nobody waits for it to go on; what it may be about to remove is left to it."""
        records = ".local/state/muster/runs"
        run = self.submitted("job", "gone\n")
        os.makedirs(self.path(records, ".gone-other"))
        store = os.open(self.path(records, ".blobs"), os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, store)
        fcntl.flock(store, fcntl.LOCK_EX)
        for dry, leftovers in ((("--dry-run",), 1), ((), 0)):
            told = json.loads(self.told("gc", "--json", "--older-than", "0s", *dry).text)
            self.assertEqual((told["runs"], told["leftovers"]["count"]), ([run], leftovers))
        fcntl.flock(store, fcntl.LOCK_SH)  # it removes
        self.assertEqual(self.told("gc").text, "nothing to remove\n")
        fcntl.flock(store, fcntl.LOCK_UN)
        self.assertIn("1 leftover", self.told("gc").text)

    def test_manifests_of_one_path(self):
        """Each is written whole, and the last one stays: nobody fails, and nothing lies beside."""
        names = [f"job{i}.yml" for i in range(MANY)]
        for i, name in enumerate(names):
            self.write(name, f"display_name: job{i}\ncommand: 'echo {i}{'x' * 20_000}'\n")
        os.mkdir(self.path("made"))
        texts = {self.told("export", "slurm", name).text for name in names}
        self.assertEqual(len(texts), MANY)
        started = self.many(MUSTER, "export", "slurm", lambda i: names[i], "-o", "made/it")
        for done in (one.finish() for one in started):
            self.assertEqual((done.code, done.errors), (0, ""), done)
        self.assertEqual(os.listdir(self.path("made")), ["it"])
        self.assertIn(self.read("made", "it").decode(), texts)

    def test_outputs_of_one_path(self):
        """Each writes all of it, or is told who writes there: never a bit of each."""
        self.write("job.yml", "muster: 1\noutputs: {model: {path: out}}\ncommand: |\n"
                              "  for i in 1 2 3; do echo $WHO > ${{outputs.model}}/$i; done\n")
        started = self.many("env", lambda i: f"WHO={i}", MUSTER, "submit", "job.yml")
        done = [one.finish() for one in started]
        wrote = [f"{i}\n".encode() for i, one in enumerate(done) if one.code == 0]
        for one in done:
            if one.code != 0:
                self.assertRegex(one.errors, r"written to \S+/out now: the run \S+ writes there")
        found = {self.read("out", name) for name in ("1", "2", "3")}
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["1", "2", "3"])
        self.assertEqual((len(found), found & set(wrote)), (1, found))
        self.assertEqual(len(self.runs()), len(wrote), "who is refused leaves no record")

    def test_outputs_of_one_path_while_a_run_writes_there(self):
        """All the others are refused, each with the name of the run that has the place."""
        self.write("job.yml", "muster: 1\noutputs: {model: {path: out}}\ncommand: |\n"
                              f"  echo $WHO > ${{{{outputs.model}}}}/all\n  {UNTIL_GO}\n")
        started = self.many("env", lambda i: f"WHO={i}", MUSTER, "submit", "job.yml")
        def others_have_ended():
            return sum(one.popen.poll() is not None for one in started) == MANY - 1
        until("all but one refused", others_have_ended)
        self.write("go", "")
        done = [one.finish() for one in started]
        winner, = (i for i, one in enumerate(done) if one.code == 0)
        self.assertEqual(self.read("out", "all"), f"{winner}\n".encode())
        run, = self.runs()
        for one in done[:winner] + done[winner + 1:]:
            self.assertEqual(one.code, BAD_FILE, one)
            self.assertIn(f"now: the run {run['run']} writes there", one.errors)

    def test_inputs_of_one_address(self):
        """Each has all of it, and what is remembered of the address serves whoever comes next."""
        rows = b"5.1,3.5\n" * 100_000
        server = ManyAtOnce()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        server.serve("/rows.csv", rows, etag='"one"')
        self.write("job.yml", "type: command\ncommand: md5sum < ${{inputs.rows}}\ninputs: {rows: "
                   "{type: uri_file, path: '" + server.address("/rows.csv") + "'}}\n")
        expected = hashlib.md5(rows).hexdigest() + "  -\n"
        for one in self.many(MUSTER, "submit", "job.yml"):
            done = one.finish()
            self.assertEqual((done.code, done.text), (0, expected), done)
        self.assertEqual(self.told("submit", "job.yml").text, expected)
        self.assertEqual(server.asked[-1][1].get("If-None-Match"), '"one"')
        left = [name for _, _, names in os.walk(self.path(".local/state/muster/runs"))
                for name in names if name.endswith(".part") or name.startswith("new-")]
        self.assertEqual(left, [], "nothing that was only for the moment")

    def test_logs_of_one_folder(self):
        """Each says all on its stdout, and a file has the line of one of them, whole."""
        started = self.many("env", lambda i: f"WHO={i:02}", MUSTER, "run", "-n", "2", "--logs",
                            "logs", "sh", "-c", "echo rank $RANK of $WHO")
        for i, one in enumerate(started):
            done = one.finish()
            lines = [f"rank {rank} of {i:02}" for rank in (0, 1)]
            self.assertEqual((done.code, done.lines), (0, lines), done)
        self.assertEqual(sorted(os.listdir(self.path("logs"))), ["rank.0", "rank.1"])
        for rank in (0, 1):
            self.assertRegex(self.read("logs", f"rank.{rank}", "stdout").decode(),
                             rf"^rank {rank} of [01]\d\n\Z")

    def test_gpus_that_jobs_deal_to_their_ranks(self):
        """None has two jobs, and a job is refused only when others have all of them."""
        gpus = [f"GPU-{uuid.uuid4()}" for _ in range(MANY // 2)]
        started = self.many("env", f"CUDA_VISIBLE_DEVICES={','.join(gpus)}", MUSTER, "run", "-n",
                            "1", "--gpus-per-rank", "1", "sh", "-c",
                            f"echo $CUDA_VISIBLE_DEVICES; {UNTIL_GO}")
        def have_ended():
            return sum(one.popen.poll() is not None for one in started)
        until(lambda: f"half of them refused, and {have_ended()} are",
              lambda: have_ended() == MANY - len(gpus))
        self.write("go", "")
        done = [one.finish() for one in started]
        self.assertEqual(sorted(line for one in done if one.code == 0 for line in one.lines),
                         sorted(gpus))
        for one in done:
            if one.code != 0:
                self.assertEqual((one.code, one.lines), (NO_SLOTS, []), one)
                self.assertIn("in use by other jobs of muster", one.errors)

    def test_packages_of_one_environment(self):
        os.mkdir(self.path("bin"))
        self.write("bin/conda", CONDA, 0o755)
        self.write("job.yml", PACKAGES)
        path = f"PATH={self.path('bin')}:/usr/bin:/bin"
        for one in self.many("env", path, MUSTER, "submit", "job.yml"):
            done = one.finish()
            self.assertEqual((done.code, done.text), (0, "201\n"), done)
        self.assertEqual(self.read("calls"), b"called\n")

    def queued(self, job):
        """The record of a run that waits in Slurm's queue."""
        self.told("submit", "job.yml")
        record = json.loads(self.told("show", "last", "--json").text)["folder"]
        os.remove(self.path("ran"))
        shutil.rmtree(self.path(record, "streams"))
        for name in ("report.json", "plan.json"):
            os.remove(self.path(record, name))
        spec = json.loads(self.read(record, "spec.json"))
        self.write(self.path(record, "spec.json"),
                   json.dumps({**spec, "scheduler": {"kind": "slurm", "id": job}}))
        self.write(self.path(record, "events.jsonl"),
                   '{"time":"2026-01-02T03:04:05.678Z","event":"created"}\n'
                   f'{{"time":"2026-01-02T03:04:05.678Z","id":"{job}","event":"queued"}}\n')
        return record

    def test_heads_of_one_queued_record(self):
        """As of a script that somebody starts with srun: they take turns."""
        self.write("job.yml", ALONE)
        record = self.queued("7")
        around = (f"MUSTER_QUEUED_RECORD={record}", "SLURM_JOB_ID=7", "SLURM_JOB_NUM_NODES=1",
                  f"SLURM_JOB_NODELIST={socket.gethostname()}", "SLURM_TASKS_PER_NODE=1")
        for one in self.many("env", *around, MUSTER, "submit", "job.yml"):
            done = one.finish()
            self.assertEqual((done.code, done.errors), (0, ""), done)
        self.assertEqual(self.read("ran"), b"7\n" * MANY)
        self.assertEqual([one["state"] for one in self.runs()], ["completed"])
        attempts = [self.path(record, f"attempt.{i}") for i in range(1, MANY)]
        for folder in (record, *attempts):
            left = os.listdir(folder)
            self.assertLessEqual({"events.jsonl", "report.json", "streams"}, set(left), folder)

    def many_programs(self, program, folder):
        """What each of them has printed."""
        self.write("program.py", program)
        path = f"PYTHONPATH={os.path.join(ROOT, 'python')}"
        done = [one.finish() for one in self.many(
            "env", path, PYTHON, "program.py", str, self.path(folder))]
        for one in done:
            self.assertEqual((one.code, one.errors), (0, ""), one)
        return done

    def test_versions_that_programs_register(self):
        self.register_versions(REGISTERS)

    def test_versions_that_programs_register_without_hard_links(self):
        self.register_versions(NO_LINKS + REGISTERS)

    def register_versions(self, program):
        os.mkdir(self.path("record"))
        done = self.many_programs(program, "record")
        made = dict(line.split() for one in done for line in one.lines)
        self.assertEqual(sorted(map(int, made)), list(range(1, 10 * MANY + 1)))
        registered = self.path(".local/state/muster/runs/.registered")
        for version, path in made.items():
            kept = json.loads(self.read(registered, "models/net", f"{version}.json"))
            self.assertEqual(kept, {"path": path})
        self.assertEqual(sorted(os.listdir(registered)), ["models", "schedules", "schedules.lock"])
        self.assertEqual(os.listdir(os.path.join(registered, "schedules/daily")), ["1.json"])
        tags = json.loads(self.read("record/notes.json"))["tags"]
        self.assertEqual(len(tags), 10 * MANY)

    def test_what_is_removed_while_it_is_listed(self):
        os.makedirs(self.path(".local/state/muster/runs/.registered/schedules/unfinished"))
        program = self.write("lists.py", LISTS)
        done = self.start(program, COMES_AND_GOES, command=(
            "env", f"PYTHONPATH={os.path.join(ROOT, 'python')}", PYTHON)).finish()
        self.assertEqual((done.code, done.errors), (0, ""), done)

    def test_names_that_programs_make_in_mlflows_folder(self):
        self.make_names(NEW_NAMES)

    def test_names_that_programs_make_in_mlflows_folder_without_hard_links(self):
        self.make_names(NO_LINKS + NEW_NAMES)

    def make_names(self, program):
        done = self.many_programs(program, "mlruns")
        words = [word for one in done for word in one.lines]
        self.assertEqual((words.count("made"), words.count("refused")), (20, 20 * (MANY - 1)))
        meta = self.read("mlruns/0/shared/meta.yaml").decode()
        self.assertIn('run_name: "called by 0"\n', meta)
        self.assertIn("\nstatus: 3\n", meta, "each changes what it means to, and nothing else")
        left = [name for _, _, names in os.walk(self.path("mlruns")) for name in names
                if name.startswith(".")]
        self.assertEqual(left, [], "nothing that was only for the moment")


if __name__ == "__main__":
    run_tests()

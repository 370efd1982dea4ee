"""Records, contents and what errands are sent that never end: no command waits for their end.

Each file of a record becomes one of 4 TB (a hole, so it takes no room), with no more memory for
muster than it needs for small ones. What cannot be read is told of, or passed over; that differs
from file to file, and is tested where the file is.
"""

# rooms: cli store blobs snapshot
# attacks
# long

import base64
import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from support import ENDLESS, MUSTER, Case, run_tests, unread, until, with_addresses

HUGE = 4 << 40
MEMORY = 4 << 30  # of addresses: several times what a manifest of the largest size needs
PAGE = 4096       # of a pipe
OLD = 7200        # s; above the time that folders of unknown runs stay on hosts
JOB = ("muster: 1\ncode: src\noutputs: {model: }\n"
       "command: echo line; echo x > ${{outputs.model}}/f\n")
PIPELINE = """\
type: pipeline
settings: {force_rerun: false}
jobs:
  a: {component: ./component.yml}
  b: {command: "ls ${{inputs.m}}", inputs: {m: "${{parent.jobs.a.outputs.m}}"}}
"""
COMPONENT = """\
$schema: commandComponent
is_deterministic: true
code: src
command: echo line; echo x > ${{outputs.m}}/f
outputs: {m: {}}
"""
SWEEP = """\
type: sweep
trial: {command: "echo ${{search_space.x}} > ${{outputs.m}}/f; echo loss = 1"}
outputs: {m: {type: uri_folder}}
sampling_algorithm: grid
search_space: {x: {type: choice, values: [1]}}
objective: {goal: minimize, primary_metric: loss}
limits: {max_total_trials: 1}
metrics_from: output
"""


class Endless(Case):
    def told(self, *words, **more):
        return self.muster(*words, command=(MUSTER,), preexec_fn=with_addresses(MEMORY), **more)


class Records(Endless):
    JOB = JOB
    BESIDE = ".blobs/"  # something that lies beside all records
    NAMES = ("events.jsonl", "report.json", "spec.json", "code.manifest", "stdout")
    VERBS = (("ps",), ("ps", "--json"), ("show", "last"), ("logs", "--tail", "3", "last"),
             ("gc", "--dry-run"), ("gc",), ("rerun", "last"), ("rm", "-q", "last"))

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("src"))
        self.write("src/main.py", "pass\n")
        self.write("job.yml", self.JOB)
        self.write("component.yml", COMPONENT)
        done = self.told("submit", "job.yml", "--fake-nodes", "1")
        self.assertEqual(done.code, 0, done)
        self.records = self.path(".local/state/muster/runs")
        self.kept = self.path("kept")
        shutil.copytree(self.records, self.kept, symlinks=True)

    def files(self):
        """Of the records, by their paths from there; not those that ranks have written."""
        found = [os.path.relpath(os.path.join(folder, name), self.kept)
                 for folder, _, names in os.walk(self.kept) for name in names]
        return sorted(one for one in found if "/outputs/" not in one and "/code/" not in one)

    def test_every_file_and_every_verb(self):
        files = self.files()
        names = [os.path.basename(one) for one in files]
        for name in self.NAMES:
            self.assertIn(name, names)
        self.assertTrue(any(one.startswith(self.BESIDE) for one in files), files)
        for file in files:
            for verb in self.VERBS:
                with self.subTest(file=file, verb=verb):
                    shutil.rmtree(self.records)
                    shutil.copytree(self.kept, self.records, symlinks=True)
                    os.chmod(os.path.join(self.records, file), 0o600)
                    os.truncate(os.path.join(self.records, file), HUGE)
                    done = self.told(*verb)
                    self.assertIn(done.code, range(0, 128 + 121), done)
                    self.assertNotRegex(done.errors, "internal|bad_alloc")
                    self.assertLess(len(done.out), 1 << 20)


class Pipelines(Records):
    """Their steps have records of their own, which reruns look at."""

    JOB = PIPELINE
    BESIDE = ".steps/"
    NAMES = ("events.jsonl", "report.json", "spec.json", "code.manifest", "outputs.sha256")
    VERBS = (("show", "last"), ("graph", "last"), ("logs", "--tail", "3", "last"),
             ("gc", "--dry-run"), ("submit", "job.yml"), ("rerun", "last"), ("rm", "-q", "last"))


class Sweeps(Records):
    """So have their trials."""

    JOB = SWEEP
    BESIDE = ".placed/"
    NAMES = ("events.jsonl", "report.json", "spec.json", "stdout")
    VERBS = (("show", "last"), ("show", "last", "--json"), ("logs", "--tail", "3", "last"),
             ("gc", "--dry-run"), ("rerun", "last"), ("rm", "-q", "last"))


POD = """{"kind": "Pod", "metadata": {"name": "kufari-launcher", "labels": {
"app.kubernetes.io/instance": "kufari-20260102-030405-000",
"app.kubernetes.io/component": "launcher"}}, "status": %s}"""
RUNS = {"phase": "Running", "containerStatuses": [{"state": {"running": {}}}]}
ENDED = {"phase": "Succeeded", "containerStatuses": [{"state": {"terminated": {"exitCode": 0}}}]}
# A pod's output is LINES lines of 512 KiB.
KUBECTL = """\
#!/bin/sh
case "$*" in
*" secrets "*) cat "$DIR/secrets" ;;
*" get "*|get*) cat "$DIR/objects" ;;
*logs*)
    case "$*" in *--timestamps*) time="2026-01-02T03:04:05.%09dZ " ;; *) time= ;; esac
    case "$*" in *--tail=1) first=$LINES ;; *) first=1 ;; esac
    for i in $(seq $first $LINES); do
        printf "$time[0] " "$i"
        cat "$DIR/line"
    done ;;
esac
"""


class PodLogs(Endless):
    """Of a run in a cluster, whose kubectl is played: muster holds none of them as a whole."""

    memory = 192 << 20  # a log has 300 MiB
    record = "20260102-030405.000-kufari"

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.write("bin/kubectl", KUBECTL, 0o755)
        self.write("line", "x" * (1 << 19) + "\n")
        self.write("muster.yml", "targets: {lab: {kubernetes: {image: any}}}\n")
        scheduler = {"kind": "kubernetes", "id": "kufari-20260102-030405-000", "user": "ana"}
        spec = {"run": self.record, "state": "starting", "created": "2026-01-02T03:04:05.000Z",
                "ranks": 1, "scheduler": scheduler, "asked": {"words": ["submit", "job.yml"]}}
        self.write("secrets", base64.b64encode(json.dumps(spec).encode()).decode() + "\n")
        self.is_in_the_cluster(RUNS)
        self.told("ps", "--target", "lab")

    def is_in_the_cluster(self, status):
        self.write("objects", '{"items": [%s]}' % (POD % json.dumps(status)))

    def environment(self, **more):
        return super().environment(**{"USER": "ana", "LINES": "600", **more, "PATH": ":".join(
            (self.path("bin"), os.environ["PATH"]))})

    def counts(self, *words):
        """Lines that such a muster prints."""
        with open(self.path("out"), "wb") as out:
            done = subprocess.run([MUSTER, *words], stdout=out, stderr=subprocess.PIPE,
                                  env=self.environment(), cwd=self.folder, check=False,
                                  preexec_fn=with_addresses(self.memory))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        with open(self.path("out"), "rb") as out:
            return sum(1 for _ in out)

    def test_of_a_run_that_goes_on(self):
        self.assertEqual(self.counts("logs", self.record), 600)
        self.assertEqual(self.counts("logs", "--tail", "1", self.record), 1)

    def test_is_kept_at_the_end_of_the_run(self):
        self.is_in_the_cluster(ENDED)
        self.assertEqual(self.counts("ps", "--json-lines"), 1)
        self.assertEqual(self.counts("logs", self.record), 600)
        self.assertEqual(self.counts("logs", "--since", "2026-01-02T03:04:05.7Z", self.record), 600)
        self.assertEqual(self.counts("logs", "--since", "2026-01-02T04:00:00Z", self.record), 0)
        self.assertGreater(os.path.getsize(self.path(
            ".local/state/muster/runs", self.record, "log")), 300 << 20)


class LocalLogs(Endless):
    """Of a run here that writes without end."""

    memory = 96 << 20

    def setUp(self):
        super().setUp()
        self.run_name = self.told("run", "-d", "-n", "1", "sh", "-c", ENDLESS).text.strip()
        self.addCleanup(self.told, "stop", self.run_name)

    def follows(self):
        return self.start("-f", self.run_name, command=(MUSTER, "logs"),
                          preexec_fn=with_addresses(self.memory))

    def ends(self, follower):
        follower.send(signal.SIGINT)
        done = follower.finish()
        self.assertEqual((done.code, done.errors), (130, ""))
        self.assertLessEqual(set(done.out), set(b"y\n"))

    def test_ctrl_c_ends_who_follows_it(self):
        """Much more has been shown by then than there is memory."""
        follower = self.follows()
        left = 2 * self.memory
        while left > 0:
            piece = os.read(follower.popen.stdout.fileno(), 1 << 20)
            self.assertTrue(piece, "it has ended")
            left -= len(piece)
        self.ends(follower)

    def test_ctrl_c_ends_who_is_not_read(self):
        follower = self.follows()
        pipe = follower.popen.stdout.fileno()
        room = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
        until("the pipe is full", lambda: unread(pipe) > room - PAGE)
        self.ends(follower)


class WideTree(Endless):
    """20,000 files in a folder that a killed process was removing."""

    def setUp(self):
        super().setUp()
        self.write("job.yml", "muster: 1\ncommand: 'true'\n")
        self.told("submit", "job.yml")
        self.tree = self.path(".local/state/muster/runs/.gone-kufari")

    def make(self):
        for i in range(20):
            os.makedirs(os.path.join(self.tree, str(i)))
            for j in range(1000):
                open(os.path.join(self.tree, str(i), str(j)), "wb").close()

    def is_interrupted(self, number):
        """Whether gc has heard the signal while it removed that, and not later."""
        os.utime(self.tree, (0, 0))
        before = len(os.listdir(self.tree))
        gc = self.start(command=(MUSTER, "gc"))

        def some_is_gone():
            with contextlib.suppress(FileNotFoundError):
                return len(os.listdir(self.tree)) < before or gc.popen.poll() is not None
            return True
        until("some is gone", some_is_gone)
        gc.send(number)
        code = gc.finish().code
        self.assertIn(code, (0, 128 + number))
        return code != 0 and os.path.exists(self.tree) and bool(os.listdir(self.tree))

    def test_a_signal_is_heard_while_it_goes(self):
        """What is left goes the next time."""
        self.make()
        for number in (signal.SIGINT, signal.SIGTERM):
            while not self.is_interrupted(number):
                self.make()
            self.assertTrue(os.listdir(self.tree))
        os.utime(self.tree, (0, 0))
        done = self.told("gc", "--json")
        self.assertEqual(json.loads(done.text)["leftovers"]["count"], 1, done)
        self.assertFalse(os.path.exists(self.tree))


class Errands(Endless):
    def setUp(self):
        super().setUp()
        self.records = self.path("records")
        self.run_folder = os.path.join(self.records, "20260101-000000.000-aaaaaa")
        os.makedirs(self.run_folder)
        self.write("records/20260101-000000.000-aaaaaa/.sent", "head")
        old = time.time() - OLD
        for path in (os.path.join(self.run_folder, ".sent"), self.run_folder):
            os.utime(path, (old, old))

    def errand(self, *words, stdin):
        return self.told("errand", *words, stdin=stdin)

    def refuses(self, done, pattern):
        self.assertEqual((done.code, done.out), (245, b""), done)
        self.assertRegex(done.errors, f"^muster: error: .*{pattern}")

    def endless(self, *words):
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as source:
            done = self.start("errand", *words, command=(MUSTER,), stdin=source.stdout,
                              preexec_fn=with_addresses(MEMORY)).finish()
            source.kill()
        return done

    def test_what_never_ends_is_refused(self):
        for words in (("tidy", self.records, "head"), ("unpack", self.path("unpacked")),
                      ("code", self.path("host/run"), ".", "mark", "head", "code")):
            with self.subTest(words):
                self.refuses(self.endless(*words), "what .* not (come )?whole")
        self.assertTrue(os.path.exists(self.run_folder))

    def test_a_fifo_where_the_program_is_copied_is_not_waited_for(self):
        os.mkfifo(self.path("copy.part"))
        done = self.errand("program", self.path("copy"), stdin=b"")
        self.assertEqual(done.code, 0, done)
        with open(MUSTER, "rb") as program:
            self.assertTrue(program.read() == self.read("copy"), "it is another file")

    def test_nothing_goes_by_a_list_that_was_cut_off(self):
        run = os.path.basename(self.run_folder)
        for cut in (b"", b"stay 20250101-000000.000-bbbbbb\n", b"end", b"stay a\nen"):
            self.refuses(self.errand("tidy", self.records, "head", stdin=cut),
                         "has not come whole; all of them stay")
        stays = self.errand("tidy", self.records, "head", stdin=f"stay {run}\nend\n".encode())
        self.assertEqual((stays.code, stays.text), (0, "tidied 0 0 0 0\n"))
        self.assertTrue(os.path.exists(self.run_folder))
        goes = self.errand("tidy", self.records, "head", stdin=b"end\n")
        self.assertRegex(goes.text, r"^tidied 1 \d+ 0 0\n$")
        self.assertFalse(os.path.exists(self.run_folder))


if __name__ == "__main__":
    run_tests()

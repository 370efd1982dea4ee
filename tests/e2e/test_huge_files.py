"""Ctrl-C while a job's files of 16 GiB are read, copied or sent: muster ends long before their end.

Each is a hole, so that it takes no room. A test looks where in the file somebody is, interrupts
muster there, and finds that nobody has come to the end and that nothing half made is left. Where holes go, they stay holes.
"""

# rooms: cli blobs snapshot store
# long

import contextlib
import glob
import hashlib
import os
import re
import signal

from travel_case import HOME, TravelCase
from support import Case, MUSTER, run_tests, survivors, until

HUGE = 16 << 30
LARGE = 2 << 30
SPARSE = 1 << 30
BEGUN = 1 << 20  # bytes; whoever has read so many is at it
NAMED = hashlib.sha256(b"").hexdigest()  # what a hole is said to be: nobody comes to its end
JOB = "muster: 1\ncode: src\ncommand: 'true'\n"
LIMIT = ("--snapshot-limit", "20G")
SIGNALS = (signal.SIGINT, signal.SIGTERM)
HASHED = """\
type: pipeline
inputs: {rows: {type: uri_folder, path: rows}}
jobs: {only: {component: ./component.yml, inputs: {rows: "${{parent.inputs.rows}}"}}}
"""
COMPONENT = """\
$schema: commandComponent
is_deterministic: true
code: small
inputs: {rows: {type: uri_folder}}
outputs: {made: }
command: ls ${{inputs.rows}} > ${{outputs.made}}/list
"""


def hole(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.truncate(HUGE)
    return path


def read_by(pid):
    """Bytes that a process has read so far."""
    try:
        with open(f"/proc/{pid}/io", encoding="ascii") as facts:
            return int(facts.readline().split()[1])
    except OSError:
        return 0


def has_open(pid, is_meant):
    for link in glob.glob(f"/proc/{pid}/fd/*"):
        with contextlib.suppress(OSError):
            if is_meant(os.readlink(link)):
                return True
    return False


class Readers:
    """Processes that have one of the meant files open: how much they have read since."""

    def __init__(self, pids, is_meant):
        self.pids, self.is_meant = pids, is_meant
        self.before = {}

    def most(self):
        for pid in self.pids():
            if pid not in self.before and has_open(pid, self.is_meant):
                self.before[pid] = read_by(pid)
        return max((read_by(pid) - before for pid, before in self.before.items()), default=0)


class Here(Case):
    def setUp(self):
        super().setUp()
        hole(self.path("src", "zeros"))
        self.write("job.yml", JOB)
        self.records = self.path(".local/state/muster/runs")

    def left_in_records(self):
        """Files below the records that are huge, or half made."""
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.records)
                      for name in names if os.lstat(os.path.join(folder, name)).st_size >= BEGUN
                      or name.startswith(("new-", ".new-")))

    def is_interrupted(self, is_meant, *words):
        """By each signal, while somebody is in such a file."""
        before = self.left_in_records()
        for number in SIGNALS:
            with self.subTest(signal=number):
                job = self.start(*words, command=(MUSTER,))
                readers = Readers(lambda: survivors(self.mark), is_meant)
                until(f"{words} under way",
                      lambda: readers.most() >= BEGUN or job.popen.poll() is not None)
                self.assertIsNone(job.popen.poll(), "it has ended")
                self.assertLess(readers.most(), HUGE)
                job.send(number)
                done = job.finish()
                self.assertEqual(done.code, 128 + number, done)
                self.assert_nothing_left()
                self.assertEqual(self.left_in_records(), before, done)

    def test_while_code_is_hashed(self):
        self.is_interrupted(lambda path: path == self.path("src", "zeros"),
                            "submit", "job.yml", *LIMIT)

    def test_while_code_is_copied_into_the_store(self):
        """It has been hashed before: a larger one would take longer than a test waits."""
        os.truncate(self.path("src", "zeros"), LARGE)
        self.is_interrupted(lambda path: re.search("/[.]blobs/(#|new-)", path),
                            "submit", "job.yml", *LIMIT)

    def test_while_an_input_folder_is_hashed(self):
        hole(self.path("rows", "zeros"))
        os.mkdir(self.path("small"))
        self.write("small/main.py", "pass\n")
        self.write("component.yml", COMPONENT)
        self.write("pipeline.yml", HASHED)
        self.is_interrupted(lambda path: path == self.path("rows", "zeros"),
                            "submit", "pipeline.yml")

    def test_while_the_code_of_a_rerun_is_copied(self):
        """The record says of a small file that it is a huge one."""
        os.truncate(self.path("src", "zeros"), 0)
        done = self.muster("submit", "job.yml", command=(MUSTER,))
        self.assertEqual(done.code, 0, done)
        manifest, = glob.glob(self.records + "/*/code.manifest")
        text = self.read(manifest)
        huge = re.sub(rf" 0 (\d+ {NAMED} )".encode(), rf" {HUGE} \1".encode(), text)
        self.assertNotEqual(huge, text)
        os.chmod(manifest, 0o600)
        self.write(manifest, huge)
        blob = os.path.join(self.records, ".blobs", NAMED[:2], NAMED[2:])
        os.chmod(blob, 0o600)
        os.truncate(blob, HUGE)
        self.is_interrupted(lambda path: path == blob, "rerun", "last")


class Sent(TravelCase):
    """Code goes to a host without a shared folder; it is packed for that first."""

    def test_while_it_is_packed(self):
        place = f"{self.home}/.local/state/muster/runs/"
        os.truncate(hole(self.at("head", "src", "zeros")), LARGE)
        self.put("job.yml", JOB, ["head"])

        def is_packed(path):
            return path.startswith(place) and path.endswith("/.travel/parcel")
        for number in SIGNALS:
            with self.subTest(signal=number):
                job = self.shell(f"exec muster submit job.yml -H node1:1 {' '.join(LIMIT)}")
                readers = Readers(lambda: survivors(self.mark), is_packed)
                until("code is packed",
                      lambda: readers.most() >= BEGUN or job.popen.poll() is not None)
                self.assertIsNone(job.popen.poll(), "it has ended")
                job.send(number)
                done = job.finish()
                self.assertEqual(done.code, 128 + number, done)
                run = self.show()
                self.assertEqual((run["state"], run["exit_code"]), ("stopped", 128 + number))
                self.assertNotIn(".travel", os.listdir(self.lab.path("head", run["folder"])))
                self.assertFalse(self.cached("node1"))
                self.assert_hosts_clean()

    def sparse(self, host):
        """Where such files are on a host, and how many bytes each takes."""
        found = {}
        for top in (self.home, HOME + "/.cache/muster"):
            for folder, _, names in os.walk(self.lab.path(host, top)):
                for name in names:
                    facts = os.lstat(os.path.join(folder, name))
                    if facts.st_size >= SPARSE:
                        found[os.path.join(folder, name)] = facts.st_blocks * 512
        return found

    def test_holes_of_code_and_of_checkpoints(self):
        """As they go to a host and come home, twice."""
        os.truncate(hole(self.at("head", "src", "zeros")), SPARSE)
        self.does(f"cd $MUSTER_CHECKPOINTS; echo . >> runs; truncate -s {SPARSE + 1} kept; exit 5",
                  "-H", "node1:1", *LIMIT, code=5,
                  job="muster: 1\ncode: src\ncheckpoints: true\ncommand: |\n  ")
        self.types("muster rerun last", code=5)
        self.assertEqual(self.from_record("checkpoints", "runs"), b".\n.\n")
        for host in ("head", "node1"):
            found = self.sparse(host)
            for name in ("zeros", "kept"):
                self.assertTrue([one for one in found if one.endswith("/" + name)], found)
            self.assertTrue([one for one in found if "/.blobs/" in one], found)
            self.assertLess(max(found.values()), 1 << 20, found)


if __name__ == "__main__":
    run_tests()

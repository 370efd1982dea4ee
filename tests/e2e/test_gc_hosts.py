"""What muster keeps on hosts that share no folder with the head is bounded.

Each host and the head has a disk of its own, see seed_case.
"""

# rooms: blobs store cli link

import json
import os
import shutil
import signal
import time
import unittest

from seed_case import CODE_JOB as JOB, SeedCase
from lab import HOME  # which support has put on the path
from travel_case import ssh_until_after
from support import lab_or_skip, run_tests, until

REASON = lab_or_skip()
WEEK = 7 * 86400
NODES = ("node1", "node2")


@unittest.skipIf(REASON, REASON)
class HostCase(SeedCase):
    def setUp(self):
        super().setUp()
        for host in NODES:
            shutil.rmtree(self.lab.path(host, HOME + "/.cache"), ignore_errors=True)
        self.records = f"{self.home}/.local/state/muster/runs"

    def code(self, size, letter="a"):
        self.put("src/data", letter * size, ["head"])

    def does(self, do, *words, code=0, env=""):
        self.put("job.yml", JOB + do, ["head"])
        self.types(f"{env} muster submit job.yml {' '.join(words)}", code=code)
        return self.last()

    def meanwhile(self, script, code=0):
        """What a person types while something else runs."""
        done = self.shell(script).finish()
        self.assertEqual(done.code, code, done)
        return done

    def last(self):
        return json.loads(self.meanwhile("muster show last --json").text)["run"]

    def gc(self, *words, code=0):
        return json.loads(self.meanwhile(f"muster gc --json {' '.join(words)}", code).text)

    def cached(self, host):
        """Sizes of what its cache holds."""
        top = self.lab.path(host, HOME + "/.cache/muster/.blobs")
        return sorted(os.path.getsize(os.path.join(folder, name))
                      for folder, _, names in os.walk(top) for name in names if name != "lock")

    def there(self, host):
        """Folders of runs."""
        try:
            return sorted(os.listdir(self.lab.path(host, self.records)))
        except FileNotFoundError:
            return []

    def place(self, host, *parts):
        return self.lab.path(host, os.path.join(self.records, *parts))

    def age(self, host, run, seconds):
        """As if nobody had touched it for so long."""
        then = time.time() - seconds
        for folder, folders, names in os.walk(self.place(host, run)):
            for name in [*folders, *names, "."]:
                os.utime(os.path.join(folder, name), (then, then), follow_symlinks=False)


class Caches(HostCase):
    def test_the_least_used_go(self):
        env = "MUSTER_CACHE_BUDGET=250kB"
        for size in (100_000, 101_000):
            self.code(size)
            self.does("wc -c < data", env=env)
        self.assertEqual(self.cached("node1"), [100_000, 101_000])
        self.code(100_000)
        self.does("wc -c < data", env=env)  # is used again
        self.code(102_000)
        last = self.does("wc -c < data", env=env)
        for host in NODES:
            self.assertEqual(self.cached(host), [100_000, 102_000])
            self.assertEqual(os.path.getsize(self.place(host, last, "code/data")), 102_000)
        self.code(101_000)
        self.assertEqual(self.types("muster submit job.yml").lines, ["101000"] * 2)

    def test_more_than_it_may_hold_still_runs(self):
        self.code(300_000)
        run = self.does("wc -c < data", env="MUSTER_CACHE_BUDGET=100kB")
        self.assertEqual(self.cached("node1"), [])
        self.assertEqual(os.path.getsize(self.place("node1", run, "code/data")), 300_000)
        self.assertEqual(self.types("muster rerun last").lines, ["300000"] * 2)

    def test_by_default_there_is_room(self):
        self.code(1_000_000)
        self.does("true")
        top = self.lab.path("node1", HOME + "/.cache/muster/.blobs")
        with open(os.path.join(top, "new-1-2-3"), "w", encoding="utf-8") as file:
            file.write("half")
        self.code(1_000_001)
        self.does("true")
        self.assertEqual(self.cached("node1"), [1_000_000, 1_000_001])


class Folders(HostCase):
    def setUp(self):
        super().setUp()
        self.code(100_000)

    def test_after_a_week(self):
        run = self.does("true")
        self.assertEqual([self.there(host) for host in NODES], [[run], [run]])
        self.age("node1", run, WEEK + 60)
        self.age("node2", run, WEEK - 3600)
        next_run = self.does("true")
        self.assertEqual([self.there(host) for host in NODES], [[next_run], [run, next_run]])
        self.assertEqual(self.types("muster rerun " + run).code, 0)

    def test_what_stays_however_old_it_is(self):
        used, record, other, touched = (self.does("true") for _ in range(4))
        for run in (used, record, other, touched):
            self.age("node1", run, 2 * WEEK)
        with open(self.place("node1", record, "spec.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        os.unlink(self.place("node1", other, ".sent"))
        for run in (record, other):
            self.age("node1", run, 2 * WEEK)
        with open(self.place("node1", touched, "outputs/model/x"), "w", encoding="utf-8") as file:
            file.write("new")
        inside = f"{self.records}/{used}/code"
        user = self.shell(f"cd {inside} && echo > {self.home}/in && exec sleep 3600", "node1")
        until("somebody in the folder", lambda: os.path.exists(self.at("node1", "in")))
        self.put("job.yml", JOB + "true", ["head"])
        self.meanwhile("muster submit job.yml")
        last = self.last()
        self.assertEqual(self.there("node1"), sorted([used, record, other, touched, last]))
        user.send(signal.SIGKILL)
        user.finish()
        last_of_all = self.does("true")
        self.assertEqual(self.there("node1"), sorted([record, other, touched, last, last_of_all]))

    def test_gc_removes_what_a_dead_head_left(self):
        self.put("job.yml", JOB + f"echo > {self.home}/ready; sleep 3600", ["head"])
        job = self.shell("exec muster submit job.yml")
        until("a rank on node1", lambda: os.path.exists(self.at("node1", "ready")))
        run = self.last()
        told = self.gc("-H", "node1,node2")
        self.assertEqual([host["folders"]["count"] for host in told["hosts"]], [0, 0])
        self.assertEqual(self.there("node1"), [run])
        job.send(signal.SIGKILL)
        job.finish()
        self.assert_hosts_clean()
        self.assertEqual(self.there("node1"), [run])
        done = self.types("muster gc -H node1,node2 --dry-run")
        self.assertRegex(done.text, r"\nnode1: would remove 1 folder of a run: 1\d\d kB\n"
                         r"node2: would remove 1 folder of a run: 1\d\d kB\n$")
        self.assertEqual(self.there("node1"), [run])
        told = self.gc("-H", "node1,node2")
        self.assertEqual([(host["host"], host["folders"]["count"]) for host in told["hosts"]],
                         [("node1", 1), ("node2", 1)])
        self.assertGreater(told["hosts"][0]["folders"]["bytes"], 100_000)
        self.assertEqual([self.there(host) for host in NODES], [[], []])

    def test_gc_keeps_what_only_the_host_has(self):
        runs = 3  # of each link: two send the code, then come the ranks
        self.put("once", ssh_until_after(runs, "ssh.kill(); sys.exit(255)"), ["head"], 0o755)
        self.put("flaky", f'#!/bin/sh\necho >> {self.home}/calls\n'
                 f'[ $(wc -l < {self.home}/calls) -le 2 ] || exit 255\nexec ./once "$@"\n',
                 ["head"], 0o755)
        self.put("job.yml", JOB + "echo > ${{outputs.model}}/x", ["head"])
        done = self.types(f"MUSTER_SSH_COMMAND={self.home}/flaky muster submit job.yml", code=None)
        self.assertIn("could not be fetched", done.errors)
        self.assertEqual(done.code, 248, done)
        run = self.last()
        self.gc("-H", "node1,node2")
        self.assertEqual(self.there("node1"), [run])
        self.types("muster rm last")
        for host in NODES:
            self.age(host, run, 2 * 3600)
        self.gc("-H", "node1,node2")
        self.assertEqual([self.there(host) for host in NODES], [[], []])

    def test_gc_frees_what_hosts_keep_of_a_record_that_was_removed(self):
        for removes in ("muster rm last", "muster gc --older-than 0s"):
            run = self.does("true")
            done = self.types(removes)
            if removes.startswith("muster rm"):
                self.assertIn("keep the outputs there: node1, node2; `muster gc -H node1,node2` "
                              "removes them\n", done.errors)
            self.assertEqual([self.there(host) for host in NODES], [[run], [run]])
            self.gc("-H", "node1")
            self.assertEqual([self.there(host) for host in NODES], [[], [run]])
            self.gc("-H", "node1,node2", "--dry-run")
            self.assertEqual(self.there("node2"), [run])
            self.gc("-H", "node1,node2")
            self.assertEqual(self.there("node2"), [])
            self.assertEqual(os.path.getsize(self.place("head", ".removed")), 0)

    def test_gc_leaves_those_of_other_heads(self):
        run = self.does("true")
        with open(self.place("node1", run, ".sent"), "w", encoding="utf-8") as file:
            file.write("elsewhere")
        self.gc("-H", "node1,node2")
        self.assertEqual([self.there(host) for host in NODES], [[run], []])

    def test_gc_trims_caches(self):
        self.does("true")
        self.assertEqual(self.cached("node1"), [100_000])
        done = self.types("MUSTER_CACHE_BUDGET=1kB muster gc -H node1")
        self.assertRegex(done.text, r"node1: removed 1 folder of a run: .*, 1 file of the cache: ")
        self.assertEqual((self.cached("node1"), self.cached("node2")), ([], [100_000]))

    def test_a_host_that_cannot_be_reached(self):
        self.does("true")
        told = self.gc("-H", "node1,nowhere", code=241)
        self.assertEqual([host["host"] for host in told["hosts"]], ["node1"])
        self.assertRegex(told["failed"][0], r"^what is on nowhere \(.*nowhere.*\)$")
        self.assertEqual(self.there("node1"), [])

    def test_where_the_folder_is_shared_nothing_goes(self):
        env = f"MUSTER_RECORDS={self.folder}/runs "
        self.put("job.yml", JOB + "true", ["head"])
        self.types(env + "muster submit job.yml")
        runs = [name for name in os.listdir(self.folder + "/runs") if name[0] == "2"]
        told = json.loads(self.types(env + "muster gc --json -H node1,node2").text)
        self.assertEqual([host["folders"]["count"] for host in told["hosts"]], [0, 0])
        self.assertEqual([name for name in os.listdir(self.folder + "/runs") if name[0] == "2"],
                         runs)

    def test_on_the_host_itself_they_are_known(self):
        run = self.does("true")
        told = json.loads(self.types("muster gc --json --older-than 0s", host="node1").text)
        self.assertEqual((told["unknown"], told["records"]["count"]), ([], 0))
        self.assertEqual(self.there("node1"), [".blobs", run])


if __name__ == "__main__":
    run_tests()

"""The index of records: only a memory of them, which may be damaged, locked or out of reach."""

# rooms: store cli

import json
import os
import shutil
import sqlite3
import unittest

from support import BAD_FILE, MUSTER, run_tests
from test_records import RecordCase


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
        self.write(os.path.join(run["folder"], "events.jsonl"), "")
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

    @unittest.skipIf(os.geteuid() != 0, "only root may be somebody else")
    def test_a_folder_that_may_only_be_read(self):
        env = self.environment(MUSTER_RECORDS=self.path("records"))
        self.succeeds("true", env=env)
        run = self.path("records", os.listdir(self.path("records"))[0])
        for path in (self.folder, self.path("records"), run):
            os.chmod(path, 0o755)
        os.chmod(os.path.join(run, "report.json"), 0o644)
        somebody = {"user": 65534, "group": 65534, "extra_groups": [], "cwd": "/", "env": env}
        self.assertEqual(len(json.loads(self.told("ps", "--json", **somebody).text)), 1)
        done = self.told("reindex", code=BAD_FILE, **somebody)
        self.assertIn("cannot write the index in " + self.path("records"), done.errors)

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


if __name__ == "__main__":
    run_tests()

"""A host dies, as when its power goes, while files travel to it or come home from it."""

# rooms: cli blobs head machine
# attacks

import os
import shutil

from travel_case import SERVE, TravelCase
from lab import HOME  # which support has put on the path
from support import LOST, run_tests, until

OUTPUT = 248

# Some megabytes at once, then so slowly that the rest cannot be there before the host dies.
SLOW_OUT = ('#!/bin/sh\nexec 2> /dev/null; ssh "$@" | { dd bs=64K count=50; '
            'while sleep 0.05; do dd bs=64K count=1; done; }\n')
SLOW_IN = ('#!/bin/sh\n{ dd bs=64K count=50; while sleep 0.05; do dd bs=64K count=1; done; } '
           '2> /dev/null | ssh "$@"\n')


class LostCase(TravelCase):
    CACHE = HOME + "/.cache/muster"

    def setUp(self):
        super().setUp()
        self.RECORDS = f"{self.home}/.local/state/muster/runs"

    def is_in(self, host, folder, part):
        """Whether a file below the folder, with `part` in its path, has begun to come."""
        paths = (os.path.join(top, name) for top, _, names in os.walk(self.lab.path(host, folder))
                 for name in names)
        return any(part in path and os.path.exists(path) and os.path.getsize(path) > 100_000
                   for path in paths)

    def dies_while_files_come_home(self, job):
        self.put("slow", SLOW_OUT, ["head"], 0o755)
        self.put("job.yml", job, ["head"])
        job = self.shell(f"exec env MUSTER_SSH_COMMAND={self.home}/slow MUSTER_START_TIMEOUT=20 "
                         "muster submit job.yml -H node1:1")
        until("files on their way", lambda: self.is_in("head", self.RECORDS, "/.travel/"))
        self.lab.kill_host("node1")
        done = job.finish()
        self.assertEqual(done.code, OUTPUT, done)
        self.assertRegex(done.errors, "error: the outputs of node1 could not be fetched: node1: no")
        run = self.show()
        self.assertIn(f"what was written there is in {run['folder']}", done.errors)
        self.assertNotIn(".travel", os.listdir(self.lab.path("head", run["folder"])))
        self.assertEqual(self.whole_files(), [], "half a file is none")

    def whole_files(self):
        """The files `there` at home, with all of their bytes."""
        return self.types(f"find {self.RECORDS} -name there -type f -size 20000000c").lines

    def dies_while_files_go_there(self, script):
        """node2, which has none of them yet."""
        self.put("slow", SLOW_IN, ["head"], 0o755)
        job = self.shell(script)
        until("files on their way", lambda: self.is_in("node2", self.CACHE, ""))
        self.lab.kill_host("node2")
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertRegex(done.errors, r"error: node2: nothing heard for 8 s\n")
        self.assertNotIn("completed", self.types("muster ps --all").text)


class Outputs(LostCase):
    def test_while_they_come_home(self):
        self.dies_while_files_come_home(
            "muster: 1\noutputs: {model: }\ncommand: "
            "head -c 20000000 /dev/urandom > ${{outputs.model}}/there\n")


class Checkpoints(LostCase):
    def test_while_they_come_home(self):
        self.dies_while_files_come_home(
            "muster: 1\ncode: src\ncheckpoints: true\ncommand: "
            "head -c 20000000 /dev/urandom > $MUSTER_CHECKPOINTS/there\n")


class CheckpointsOfARerun(LostCase):
    def test_while_they_go_there(self):
        self.put("job.yml", "muster: 1\ncode: src\ncheckpoints: true\ncommand: "
                 "head -c 20000000 /dev/urandom > $MUSTER_CHECKPOINTS/there; exit 5\n", ["head"])
        self.types("muster submit job.yml -H node2:1", code=5)
        for folder in (self.CACHE, self.RECORDS):  # the host forgets what it has made
            shutil.rmtree(self.lab.path("node2", folder), ignore_errors=True)
        self.dies_while_files_go_there(
            f"exec muster rerun last --ssh-command {self.home}/slow")
        self.assertEqual(len(self.whole_files()), 1, "they are at home, and are there once")


class FetchedInputs(LostCase):
    def test_while_they_go_there(self):
        self.put("data/there", os.urandom(10_000_000).hex(), ["head"])
        self.put("serve.py", SERVE, ["head"])
        self.put("job.yml", "muster: 1\ncode: src\ninputs:\n  one: {type: uri_file, "
                 "path: 'http://127.0.0.1:PORT/data/there'}\n"
                 "command: wc -c ${{inputs.one}}; touch ran\n", ["head"])
        self.dies_while_files_go_there(
            "python3 serve.py > /dev/null 2>&1 & until [ -s served ]; do sleep 0.05; done\n"
            "sed -i s/PORT/$(cat served)/ job.yml\n"
            f"MUSTER_SSH_COMMAND={self.home}/slow muster submit job.yml -H node2:1\n"
            "code=$?; kill $!; exit $code")


class Code(LostCase):  # of hosts of its own: each of these kills one
    def test_while_it_goes_there(self):
        self.put("src/large", os.urandom(20_000_000).hex(), ["head"])
        self.put("job.yml", "muster: 1\ncode: src\ncommand: touch ran\n", ["head"])
        self.dies_while_files_go_there(f"exec env MUSTER_SSH_COMMAND={self.home}/slow "
                                       "muster submit job.yml -H node2:1")


if __name__ == "__main__":
    run_tests()

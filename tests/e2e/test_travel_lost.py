"""A host dies, as when its power goes, while code travels to it or outputs come home from it."""

# rooms: cli blobs head machine
# attacks

import os

from travel_case import TravelCase
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


class Outputs(LostCase):
    def test_while_they_come_home(self):
        self.put("slow", SLOW_OUT, ["head"], 0o755)
        self.put("job.yml", "muster: 1\noutputs: {model: }\ncommand: "
                 "head -c 20000000 /dev/urandom > ${{outputs.model}}/there\n", ["head"])
        job = self.shell(f"exec env MUSTER_SSH_COMMAND={self.home}/slow MUSTER_START_TIMEOUT=20 "
                         "muster submit job.yml -H node1:1")
        until("outputs on their way", lambda: self.is_in("head", self.RECORDS, "/.travel/"))
        self.lab.kill_host("node1")
        done = job.finish()
        self.assertEqual(done.code, OUTPUT, done)
        self.assertRegex(done.errors, "error: the outputs of node1 could not be fetched: node1: no")
        run = self.show()
        self.assertIn(f"what was written there is in {run['folder']}", done.errors)
        self.assertNotIn(".travel", os.listdir(self.lab.path("head", run["folder"])))


class Code(LostCase):  # of hosts of its own: each of these kills one
    def test_while_it_goes_there(self):
        self.put("slow", SLOW_IN, ["head"], 0o755)
        self.put("src/large", os.urandom(20_000_000).hex(), ["head"])
        self.put("job.yml", "muster: 1\ncode: src\ncommand: touch ran\n", ["head"])
        job = self.shell(f"exec env MUSTER_SSH_COMMAND={self.home}/slow "
                         "muster submit job.yml -H node2:1")
        until("code on its way", lambda: self.is_in("node2", self.CACHE, ""))
        self.lab.kill_host("node2")
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertRegex(done.errors, r"error: node2: nothing heard for 8 s\n")
        self.assertNotIn("completed", self.types("muster ps --all").text)


if __name__ == "__main__":
    run_tests()

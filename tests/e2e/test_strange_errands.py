"""A host lies about what its ranks have written: nothing is taken but what such a run may bring
home, and the host is told of.
"""

# rooms: cli blobs snapshot
# attacks

import os

from travel_case import TravelCase
from support import PYTHON, run_tests

OUTPUT = 248

JOB = """muster: 1
outputs: {model: }
command: |
  umask 022; cd ${{outputs.model}}; mkdir sub
  printf content-of-there > there; ln -s there link; echo > sub/file
"""
# ssh to a host that says something else in place of some of its words, and as much.
LIAR = """#!%s
import os, subprocess, sys
ssh = subprocess.Popen(["ssh", *sys.argv[1:]], stdout=subprocess.PIPE)
while said := os.read(ssh.stdout.fileno(), 1 << 16):
    said = said.replace(%r, %r)
    while said:
        said = said[os.write(1, said):]
sys.exit(ssh.wait())
"""
NOT_WHOLE = "what came over the link is not whole"
NOT_SENT = "what came over the link is not what was sent"
TOO_MUCH = "what came over the link is more than was asked for"
NO_SENSE = r"line \d+ of the snapshot makes no sense"
# What the host says, and what it says instead; see cli/left_behind.hpp and blobs/parcel.hpp.
LIES = {
    "no number": (b"\nothers 0\n", b"\nothers x\n", NOT_WHOLE),
    "no parcel": (b"muster parcel 1 ", b"muster parcel 9 ", NOT_WHOLE),
    "no manifest": (b"muster snapshot 1\n", b"muster snapshot 9\n", NO_SENSE),
    "other bytes": (b"content-of-there", b"content-of-hosts", NOT_SENT),
    "another size in the manifest": (b" 16 ", b" 17 ", TOO_MUCH),
    "another size before the content": (b" 16\n", b" 15\n", TOO_MUCH),
    "a name that leads up": (b" outputs/model/there\n", b" outputs/../../there\n", NO_SENSE),
    "a whole path": (b" outputs/model/there\n", b" /run/home/spilled/x\n", NO_SENSE),
    "a name that writes to a terminal": (b"model/there\n", b"model/\033[2Je\n", NO_SENSE),
    "a file through a link": (b"d 755 outputs/model/sub\n", b"l 1 / outputs/model/sub\n", NO_SENSE),
}


class Liars(TravelCase):
    def setUp(self):
        super().setUp()
        self.put("job.yml", JOB, ["head"])

    def hears(self, said, lie, code):
        """A run whose outputs such a host is asked for."""
        self.put("liar", LIAR % (PYTHON, said, lie), ["head"], 0o755)
        return self.types(f"MUSTER_SSH_COMMAND={self.home}/liar muster submit job.yml -H node1:1",
                          code=code)

    def outputs(self):
        folder = self.lab.path("head", self.show()["folder"])
        self.assertNotIn(".travel", os.listdir(folder))
        return sorted(os.listdir(os.path.join(folder, "outputs", "model")))

    def test_what_is_no_lie_comes_home(self):
        self.hears(b"said", b"said", 0)
        self.assertEqual(self.outputs(), ["link", "sub", "there"])
        self.assertEqual(self.from_record("outputs", "model", "there"), b"content-of-there")

    def test_lies(self):
        for what, (said, lie, told) in LIES.items():
            with self.subTest(what):
                self.assertEqual(len(said), len(lie))
                done = self.hears(said, lie, OUTPUT)
                self.assertRegex(done.errors, "error: the outputs of node1 could not be fetched: "
                                 f"{told}\n")
                self.assertEqual(self.outputs(), [])
                self.assertEqual(self.show()["state"], "failed")
                runs = self.lab.path("head", f"{self.home}/.local/state/muster/runs")
                self.assertEqual([name for _, _, names in os.walk(runs) for name in names
                                  if name in ("there", "file", "x")], [])
                self.assertFalse(os.path.exists(self.lab.path("head", "/run/home/spilled")))

    def test_links_that_lead_out(self):
        done = self.hears(b"l 5 there outputs/model/link\n", b"l 5 /root outputs/model/link\n", 0)
        self.assertIn("links that lead out of the record were not taken from node1: "
                      "outputs/model/link\n", done.errors)
        self.assertEqual(self.outputs(), ["sub", "there"])

    def test_files_that_are_no_outputs(self):
        self.hears(b" outputs/model/there\n", b" report.jsonxxxxxxxx\n", 0)
        self.assertEqual(self.outputs(), ["link", "sub"])
        folder = self.lab.path("head", self.show()["folder"])
        self.assertNotIn("report.jsonxxxxxxxx", os.listdir(folder))


if __name__ == "__main__":
    run_tests()

"""A host lies about what its ranks have written: nothing is taken but what such a run may bring
home, and the host is told of. So it is when it lies about what gc has removed there.
"""

# rooms: cli blobs snapshot view
# attacks

import json
import os

from travel_case import TravelCase
from support import BAD_FILE, PYTHON, run_tests

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
# The same with an answer of any length in place of the errand's: see wire.proto for frames, of
# which kind 2 is output, behind a rank and a stream.
RETELLS = """#!%s
import struct, subprocess, sys
ssh = subprocess.Popen(["ssh", *sys.argv[1:]], stdout=subprocess.PIPE)
sys.stdout.buffer.write(ssh.stdout.readline())
sys.stdout.buffer.flush()
while len(head := ssh.stdout.read(11)) == 11:
    size, kind, run, ranges = struct.unpack("<IBIH", head)
    hosts, said = ssh.stdout.read(8 * ranges), ssh.stdout.read(size)
    if kind == 2 and said[5:].startswith(b"tidied "):
        said = said[:5] + %r
    sys.stdout.buffer.write(struct.pack("<IBIH", len(said), kind, run, ranges) + hosts + said)
    sys.stdout.buffer.flush()
sys.exit(ssh.wait())
"""
# In place of `tidied COUNT BYTES COUNT BYTES`.
NO_TALLIES = {
    "no numbers": b"tidied x 0 0 0\n", "negative": b"tidied 0 -1 0 0\n",
    "with a sign": b"tidied +1 0 0 0\n", "a fraction": b"tidied 1.5 0 0 0\n",
    "huge": b"tidied 99999999999999999999 0 0 0\n", "too few": b"tidied 0 0 0\n",
    "too many": b"tidied 0 0 0 0 0\n", "another word": b"nothing\n",
    "half a word": b"tidied ", "half a line": b"tidied 10 2000 10 20",
    "many lines": b"tidied 0 0 0 0\n" * 100, "many digits": b"tidied " + b"9" * 2000,
}
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


class Tallies(TravelCase):
    def gc(self, said, *words, code=0):
        self.put("retells", RETELLS % (PYTHON, said), ["head"], 0o755)
        return self.types(f"MUSTER_SSH_COMMAND={self.home}/retells muster gc -H node1 "
                          + " ".join(words), code=code)

    def test_what_is_no_lie_is_told(self):
        told = json.loads(self.gc(b"tidied 0 0 0 0\n", "--json").text)
        self.assertEqual(told["hosts"], [{"host": "node1", "folders": {"count": 0, "bytes": 0},
                                          "cache": {"count": 0, "bytes": 0}}])

    def test_lies(self):
        for what, said in NO_TALLIES.items():
            with self.subTest(what):
                done = self.gc(said, "--json", code=BAD_FILE)
                told = json.loads(done.text)
                self.assertEqual(told["failed"],
                                 ["what is on node1 (it did not say what it removed)"])
                self.assertEqual((told["records"]["count"], told.get("hosts", [])), (0, []))

    def test_numbers_that_cannot_be_true_are_only_told(self):
        most = (1 << 64) - 1
        said = f"tidied {most} {most} 1 1\n".encode()
        told = json.loads(self.gc(said, "--json").text)
        self.assertEqual(told["hosts"][0]["folders"], {"count": most, "bytes": most})
        self.assertEqual(told["records"], {"count": 0, "bytes": 0})
        self.assertIn(f"node1: removed {most} folders of runs: 18 EB, 1 file of the cache: "
                      "1 byte\n", self.gc(said).text)


if __name__ == "__main__":
    run_tests()

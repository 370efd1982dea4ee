"""A host whose errand lies about what its ranks have written: nothing is taken but what such a run
may bring home, and it is told which host that was.
"""

# rooms: cli blobs snapshot host
# attacks

import hashlib
import json
import os
import shutil

from travel_case import TravelCase
from support import MUSTER, run_tests

OUTPUT = 248

FRONT = b"lost 0\nothers 0\nbytes 3\n"
FOLDERS = ("d 755 outputs", "d 755 outputs/model")
CONTENT = b"one"
HASH = hashlib.sha256(CONTENT).hexdigest()


def file_at(path, size=len(CONTENT)):
    return f"f 644 {size} 5000000000 {HASH} {path}"


def content(text=CONTENT, size=len(CONTENT)):
    return f"{HASH} {size}\n".encode() + text


def parcel(*entries, contents=(content(),)):
    """See blobs/parcel.hpp; entries in the order of their paths."""
    manifest = "muster snapshot 1\n" + "".join(entry + "\n" for entry in entries)
    front = f"muster parcel 1 {len(manifest)} {len(contents)}\n{manifest}"
    return FRONT + front.encode() + b"".join(contents)


HONEST = parcel(*FOLDERS, file_at("outputs/model/there"))
NOT_WHOLE = "what came over the link is not whole"
NOT_SENT = "what came over the link is not what was sent"
TOO_MUCH = "what came over the link is more than was asked for"
LIES = {
    "nothing at all": (b"", NOT_WHOLE),
    "no number of bytes": (FRONT.replace(b"3", b"-3"), NOT_WHOLE),
    "no parcel": (FRONT + b"has\n", NOT_WHOLE),
    "a manifest larger than any": (FRONT + b"muster parcel 1 999999999999 0\n", NOT_WHOLE),
    "an early end": (HONEST[:-1], NOT_SENT),
    "no content": (parcel(*FOLDERS, file_at("outputs/model/there"), contents=()), NOT_WHOLE),
    "other bytes": (parcel(*FOLDERS, file_at("outputs/model/there"), contents=(content(b"two"),)),
                    NOT_SENT),
    "another size in the manifest": (parcel(*FOLDERS, file_at("outputs/model/there", 4)), TOO_MUCH),
    "another size before the content": (
        parcel(*FOLDERS, file_at("outputs/model/there"), contents=(content(size=4),)), TOO_MUCH),
    "content twice": (
        parcel(*FOLDERS, file_at("outputs/model/there"), contents=2 * (content(),)), TOO_MUCH),
    "more behind it": (HONEST + b"x", TOO_MUCH),
    "a name that leads up": (parcel("d 755 outputs", file_at("outputs/../../spilled")),
                             "line 2 of the snapshot makes no sense"),
    "a whole path": (parcel(file_at("/run/home/spilled")), "line 1 of the snapshot makes no sense"),
    "a file through a link": (
        parcel(*FOLDERS, "l 9 /run/home outputs/model/out", file_at("outputs/model/out/spilled")),
        "line 4 of the snapshot makes no sense"),
    "a name that is no text": (parcel(*FOLDERS, file_at("outputs/model/a\033[2Jb")),
                               "line 3 of the snapshot makes no sense"),
}

LIAR = """#!/usr/bin/python3 -S
import sys
sys.stdout.buffer.write(open(%r, "rb").read())
"""
# The agent there names its program to errands by its path, as Linux tells it: that of a file that
# is gone has " (deleted)" behind it, and such a file takes its place.
JOB = """muster: 1
outputs: {model: }
command: |
  echo own > ${{outputs.model}}/own
  cp liar 'agent (deleted)' && rm agent
"""


class Liars(TravelCase):
    def setUp(self):
        super().setUp()
        self.put("liar", LIAR % f"{self.home}/answer", ["node1"], 0o755)
        self.put("job.yml", JOB, ["head"])

    def hears(self, answer, code):
        """A run whose outputs such a host is asked for."""
        shutil.copy(MUSTER, self.at("node1", "agent"))
        with open(self.at("node1", "answer"), "wb") as file:
            file.write(answer)
        return self.types(f"MUSTER_AGENT_PATH={self.home}/agent muster submit job.yml -H node1:1",
                          code=code)

    def outputs(self):
        folder = self.lab.path("head", self.show()["folder"])
        self.assertNotIn(".travel", os.listdir(folder))
        return sorted(os.listdir(os.path.join(folder, "outputs", "model")))

    def test_what_it_says_is_taken_where_it_may_be(self):
        """So it is that errand which the others below replace."""
        self.hears(HONEST, 0)
        self.assertEqual(self.outputs(), ["there"])
        self.assertEqual(self.from_record("outputs", "model", "there"), CONTENT)

    def test_lies(self):
        for what, (answer, told) in LIES.items():
            with self.subTest(what):
                done = self.hears(answer, OUTPUT)
                self.assertIn(f"error: the outputs of node1 could not be fetched: {told}\n",
                              done.errors)
                self.assertEqual(self.outputs(), [])
                self.assertEqual(self.show()["state"], "failed")
                for _, _, names in os.walk(self.at("head")):
                    self.assertNotIn("spilled", names)

    def test_links_that_lead_out_and_files_that_are_no_outputs(self):
        done = self.hears(parcel(*FOLDERS, "l 9 /run/home outputs/model/out",
                                 "l 11 ../../../up outputs/model/up", file_at("report.json")), 0)
        self.assertRegex(done.errors, "links that lead out of the record were not taken from "
                         "node1: outputs/model/out.*outputs/model/up")
        self.assertEqual(self.outputs(), [])
        self.assertEqual(json.loads(self.from_record("report.json"))["state"], "completed")


if __name__ == "__main__":
    run_tests()

"""Outputs that a step in a container leaves: what is no file, names that are no text, files of
other users, links that lead out of it. They are treated as those of a step without one."""

# rooms: container cli blobs
# needs: podman
# attacks

import os
import stat
import subprocess
import unittest

from pipeline_case import PipelineCase
from support import run_tests
from test_containers import REASON, ContainerCase
import image

OUTPUT = 248
DEEP = 1000
TWO = f"""type: pipeline
jobs:
  make:
    command: sh make.sh ${{{{outputs.made}}}}
    code: ./code
    environment: {{image: "{image.reference('no-pmix')}"}}
    outputs: {{made: {{type: uri_folder}}}}
  use:
    command: test -e $DIR/go && ls ${{{{inputs.made}}}}
    inputs: {{made: "${{{{parent.jobs.make.outputs.made}}}}"}}
"""
ODD = r"""cd "$1"
echo text > plain; chmod 640 plain
echo secret > closed; chmod 000 closed
echo other > others; chown 12345:12345 others
mkdir sub; mkfifo sub/pipe; mknod null c 1 3
dd if=/dev/zero of=sparse bs=1 count=1 seek=1073741823 2> /dev/null
ln -s /etc/passwd absolute; ln -s ../../../../../../../../etc up; ln -s / root
: > "$(printf 'new\nline')"; : > "$(printf 'no\377text')"
"""


@unittest.skipIf(REASON, REASON)
class Outputs(ContainerCase, PipelineCase):
    images = ("no-pmix",)

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("code"))

    def made_by(self, script):
        self.write("two.yml", TWO)
        self.write("code/make.sh", script)
        return self.submit(file="two.yml", code=1)

    def outputs(self):
        return os.fsencode(self.show("last/make")["outputs"]["made"])

    def test_what_is_no_file_is_left_out_and_links_stay_links(self):
        self.made_by(ODD)
        before = self.outputs()
        self.write("go", "")
        done = self.told("rerun", "last")
        self.assertEqual(self.steps(), {"make": "reused", "use": "completed"})
        made = self.outputs()
        self.assertNotEqual(made, before)
        self.assertEqual(sorted(os.listdir(made)), sorted([
            b"absolute", b"closed", b"new\nline", b"no\377text", b"others", b"plain", b"root",
            b"sparse", b"sub", b"up"]))
        self.assertEqual(os.listdir(made + b"/sub"), [])
        self.assertRegex(done.errors, r"(?m)^make: muster: not copied from \S+/outputs: .*"
                         r"made/null \(a device\), made/sub/pipe \(a fifo\)$")
        for name, target in ((b"absolute", b"/etc/passwd"), (b"root", b"/"),
                             (b"up", b"../../../../../../../../etc")):
            self.assertEqual(os.readlink(made + b"/" + name), target)
        for name, mode in ((b"plain", 0o640), (b"closed", 0)):
            self.assertEqual(stat.S_IMODE(os.stat(made + b"/" + name).st_mode), mode)
        self.assertLess(os.stat(made + b"/sparse").st_blocks * 512, 1 << 20)

    def test_a_deep_tree(self):
        # Too deep for Python.
        self.addCleanup(subprocess.run, ["rm", "-rf", self.folder], check=True)
        self.made_by('cd "$1"; i=0\nwhile [ $i -lt %d ]; do mkdir d; cd d; i=$((i + 1)); done\n'
                     "echo end > end\n" % DEEP)
        self.write("go", "")
        done = self.told("rerun", "last", code=OUTPUT)
        self.assertEqual(self.steps(), {"make": "failed", "use": "blocked"})
        self.assertRegex(done.errors, r"(?m)^muster: make failed with exit code 248 [^\n]*: "
                         r"cannot copy \S+/made/d/d/\S+\.\.\. to \S+: nested more than 256 "
                         r"folders deep$")
        self.assertLess(max(len(line) for line in done.errors.splitlines()), 1000)


if __name__ == "__main__":
    run_tests()

"""What the tests of code and outputs that travel share: hosts and a head with disks of their own,
see seed_case.
"""

import json
import os
import unittest

from seed_case import CODE_JOB as JOB, SeedCase
from lab import HOME  # which support has put on the path
from support import PYTHON, lab_or_skip

REASON = lab_or_skip()

# ssh, until the head speaks to the agent about a later run than this one of its link. What comes
# then is told here. A frame begins with its payload's length, its kind and its run; see wire.proto.
_UNTIL_AFTER = """#!%s
import os, signal, struct, subprocess, sys
ssh = subprocess.Popen(["ssh", *sys.argv[1:]], stdin=subprocess.PIPE)
while head := sys.stdin.buffer.read(11):
    size, _, run, ranges = struct.unpack("<IBIH", head)
    if run > %d:
        %s
    ssh.stdin.write(head + sys.stdin.buffer.read(8 * ranges + size))
    ssh.stdin.flush()
ssh.stdin.close()
sys.exit(ssh.wait())
"""

# An HTTP server of the folder it starts in, which says its port in the file `served`.
SERVE = """
import http.server, os
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
with open("served.new", "w") as file:
    file.write(str(server.server_port))
os.rename("served.new", "served")
server.serve_forever()
"""


def ssh_until_after(run, then):
    return _UNTIL_AFTER % (PYTHON, run, then)


@unittest.skipIf(REASON, REASON)
class TravelCase(SeedCase):
    def setUp(self):
        super().setUp()
        self.put("src/a.txt", "then\n", ["head"])
        self.put("src/sub/run.sh", "#!/bin/sh\necho $(hostname) $(basename $PWD)\n", ["head"],
                 0o755)

    def does(self, do, *words, code=0, job=JOB, env=""):
        self.put("job.yml", job + do, ["head"])
        return self.types(f"{env} muster submit job.yml {' '.join(words)}", code=code)

    def show(self):
        return json.loads(self.types("muster show last --json").text)

    def from_record(self, *parts, host="head"):
        with open(self.lab.path(host, os.path.join(self.show()["folder"], *parts)), "rb") as file:
            return file.read()

    def cached(self, host):
        """The blobs in a host's cache, with the times of their last change."""
        top = self.lab.path(host, HOME + "/.cache/muster/.blobs")
        return {name: os.stat(os.path.join(folder, name)).st_mtime_ns
                for folder, _, names in os.walk(top) for name in names if len(name) == 62}

"""A cluster that scripts share: each finds it as the one before did, and it ends with the run."""

# rooms: lab
# needs: kubernetes-own

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import kubernetes  # noqa: E402
import shared  # noqa: E402
from lab import run_tests, until  # noqa: E402

REASON = kubernetes.why_not()
if REASON:
    print(f"SKIPPED: no Kubernetes here: {REASON}", file=sys.stderr)
# As ctest does: starts it, and is there for longer.
CALLER = f'/usr/bin/python3 {HERE}/shared.py start kubernetes "$0" && echo there && read -r _'


@unittest.skipIf(REASON, REASON)
class Shared(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="muster-shared-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.files = shared.Files(self.folder, "kubernetes")
        self.addCleanup(self.files.stop)
        environment = mock.patch.dict(os.environ, {shared.FOLDER: self.folder})
        environment.start()
        self.addCleanup(environment.stop)
        self.caller = subprocess.Popen(["sh", "-c", CALLER, self.folder], text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end_caller)
        told = [self.caller.stdout.readline() for _ in range(2)]
        self.assertEqual(told[1:], ["there\n"], told)
        self.place = self.files.state()["lab"]["folder"]

    def end_caller(self):
        self.caller.kill()
        self.caller.wait()
        self.caller.stdin.close()
        self.caller.stdout.close()

    def has_gone(self):
        return not (self.files.is_held() or self.files.state() or os.path.exists(self.place))

    def test_it_ends_with_who_called(self):
        self.caller.kill()
        until("nothing is left", self.has_gone)
        self.assertIsNone(shared.find(0))

    def test_each_script_finds_it_as_it_was_until_one_discards_it(self):
        with shared.find(0) as cluster:
            self.assertEqual(cluster.folder, self.place)
            cluster.add_fake_nodes(2)
            cluster.kubectl("create", "configmap", "wanted")
            cluster.expect_what_is_there()
            self.assertEqual(cluster.unsettled(), "")
        with shared.find(0) as cluster:
            self.assertEqual(cluster.folder, self.place)
            self.assertEqual(cluster.names("nodes"), [])
            self.assertNotIn("wanted", cluster.names("configmaps"))
            cluster.discard()
        self.assertTrue(self.has_gone())
        self.assertIsNone(shared.find(0))
        self.assertIsNone(self.caller.poll())


if __name__ == "__main__":
    run_tests()

"""muster submit to a cluster whose pods never run: rights, quotas, refusals, many workers."""

# rooms: cluster kubernetes cli
# needs: kubernetes

import json
import os
import pty
import re
import unittest

from kubernetes_case import POD_SECONDS, KubernetesCase, why_not
from support import CANNOT_START, NO_SLOTS, UNREACHABLE, run_tests, shown_at, until

REASON = why_not()
# Another client is quicker: what is made first is there already.
TAKES_THE_NAME = """#!/bin/sh
case " $* " in
*" create "*)
  cat > "$DIR/sent"
  [ -e "$DIR/taken" ] || /usr/bin/kubectl "$@" < "$DIR/sent" > "$DIR/taken"
  exec /usr/bin/kubectl "$@" < "$DIR/sent" ;;
esac
exec /usr/bin/kubectl "$@"
"""


@unittest.skipIf(REASON, REASON)
class ObjectsOnly(KubernetesCase):
    fake_nodes = 4

    def setUp(self):
        super().setUp()
        self.write_job("true")

    def launcher(self):
        """The name of the launcher's pod, which is a fake node's."""
        pods = until("the launcher's pod", lambda: self.pods("launcher"), POD_SECONDS)
        return pods[0]["metadata"]["name"]

    def start(self, *words, **more):
        return self.start_there("submit", "job.yml", "--target", "lab", *words, **more)

    def first_line(self, running):
        """What is told first, long before the start timeout."""
        os.set_blocking(running.popen.stderr.fileno(), False)
        return until("a line", running.popen.stderr.readline).decode()

    # ---- what is made ---------------------------------------------------------------------------

    def test_200_workers_are_made_with_one_call_once_the_launcher_has_an_address(self):
        os.mkdir(self.path("bin"))
        self.write("bin/kubectl", '#!/bin/sh\necho "$*" >> "$DIR/calls"\n'
                                  'exec /usr/bin/kubectl "$@"\n', 0o755)
        self.target(muster_image="registry/muster:1")
        self.write_job("true", nodes=200)
        running = self.start("--detach", PATH=f"{self.path('bin')}:/usr/bin:/bin")
        name = self.launcher()
        self.assertEqual(self.pods("worker"), [])
        self.cluster.pretend(name, address="10.200.0.9")
        done = running.finish(POD_SECONDS)
        self.assertEqual(done.code, 0, done)
        calls = self.read("calls").decode().splitlines()
        creates = [line for line in calls if line.startswith("create")]
        self.assertEqual(len(creates), 3, creates)  # the Secret, the launcher, the workers
        workers = self.pods("worker")
        self.assertEqual(len(workers), 200)
        nodes = set()
        for worker in workers:
            main = worker["spec"]["containers"][0]
            words = main.get("command", []) + main.get("args", [])
            self.assertIn("10.200.0.9:7400", words)
            nodes.add(words[words.index("--node") + 1])
        if self.cluster.is_old():  # else it is the index, which Kubernetes puts in
            self.assertEqual(nodes, {str(number) for number in range(200)})

    def test_a_person_at_a_terminal_is_told_what_to_type(self):
        self.target(muster_image="registry/muster:1")
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        running = self.start("--detach", err=theirs, TERM="dumb")
        os.close(theirs)
        self.cluster.pretend(self.launcher())
        done = running.finish(POD_SECONDS)
        self.assertEqual(done.code, 0, done)
        told = shown_at(ours)
        word = done.text.strip().rsplit("-", 1)[1]
        self.assertRegex(told, rf"(?m)^muster: run {word}, recorded in \S+$")
        typed = re.findall(rf"(?m)^  muster (.*) {word} +# \w", told)
        self.assertEqual(typed, ["logs -f", "show", "stop"], told)

    def test_the_run_s_secret_is_in_the_secret_only(self):
        self.target(muster_image="registry/muster:1")
        running = self.start("--detach")
        self.cluster.pretend(self.launcher())
        self.assertEqual(running.finish(POD_SECONDS).code, 0)
        (secret,) = self.cluster.get("secrets", "-l", "app.kubernetes.io/name=muster")
        value = self.cluster.kubectl("get", "secret", secret["metadata"]["name"],
                                     "-o", 'go-template={{.data.secret | base64decode}}')
        self.assertGreaterEqual(len(value), 32)
        for kind in ("jobs", "pods", "configmaps", "events"):
            self.assertNotIn(value, json.dumps(self.cluster.get(kind)))

    def test_a_field_that_an_old_server_drops_is_an_error(self):
        if not self.cluster.is_old():
            self.skipTest("this server knows all fields that muster has")
        self.target(ttl=60)
        done = self.submits(code=CANNOT_START)
        self.assertRegex(done.errors, r"the server \(v1\.\S+\) does not know "
                         r"spec\.ttlSecondsAfterFinished of Job \S+-launcher")
        self.assert_nothing_there()

    # ---- refusals -------------------------------------------------------------------------------

    def test_what_no_node_has_is_told_within_seconds(self):
        self.target(resources={"launcher": {"requests": {"cpu": 99}}})
        running = self.start()
        self.assertRegex(self.first_line(running),
                         r"the launcher \(pod \S+\) has no node: 0/4 nodes are available: 4 "
                         r"Insufficient cpu.* \(\d+ s so far, at most \d+ s\)")

    def test_a_quota_on_secrets_refuses_at_once(self):
        self.cluster.set_quota(secrets=1)
        self.addCleanup(self.cluster.remove_quota)
        done = self.submits(code=NO_SLOTS)
        self.assertRegex(done.errors, "the quota is exceeded: .*requested: secrets=1")
        self.assert_nothing_there()

    def test_a_quota_on_pods_is_told(self):
        self.cluster.set_quota(pods=0)
        self.addCleanup(self.cluster.remove_quota)
        running = self.start()
        self.assertRegex(self.first_line(running), "exceeded quota: quota, requested: pods=1")

    def test_who_may_not_hears_who_what_and_where(self):
        config = self.kubeconfig('"namespace": "jobs"', '"namespace": "default"')
        done = self.submits(code=CANNOT_START, KUBECONFIG=config)
        self.assertIn("the user system:serviceaccount:jobs:muster may not create secrets in the "
                      "namespace default", done.errors)
        self.assertIn("docs/kubernetes/role.yaml", done.errors)

    def test_no_kubectl(self):
        done = self.submits(code=CANNOT_START, before=["env", "PATH=/nowhere"])
        self.assertIn("kubectl", done.errors)

    def test_a_name_that_another_run_has_taken_meanwhile(self):
        os.mkdir(self.path("bin"))
        self.write("bin/kubectl", TAKES_THE_NAME, 0o755)
        done = self.submits(code=CANNOT_START, PATH=f"{self.path('bin')}:/usr/bin:/bin")
        self.assertIn("another run has the name: secrets", done.errors)
        (secret,) = self.cluster.get("secrets", "-l", "app.kubernetes.io/managed-by=muster")
        self.assertIn(secret["metadata"]["name"], done.errors)  # and it was left to its owner

    def test_a_namespace_that_is_not_there(self):
        self.target(namespace="nowhere")
        done = self.there("submit", "job.yml", "--target", "lab")
        self.assertNotEqual(done.code, 0)
        self.assertIn("nowhere", done.errors)

    def test_a_server_that_is_away(self):
        config = self.kubeconfig(":6443", ":1")  # where nobody listens
        done = self.submits(code=UNREACHABLE, KUBECONFIG=config)
        self.assertIn("the cluster does not answer", done.errors)

    def test_the_start_timeout_names_who_did_not_come(self):
        self.target(start_timeout=3)
        done = self.submits(code=UNREACHABLE)
        self.assertRegex(done.errors, "1 pod did not come within 3 s")
        self.assert_nothing_there()

    # ---- a client that has gone -----------------------------------------------------------------

    def test_a_client_interrupted_before_the_start_takes_all_away(self):
        running = self.start()
        self.launcher()
        running.send(2)
        done = running.finish(POD_SECONDS)
        self.assertNotEqual(done.code, 0)
        self.assert_nothing_there()

    def test_another_machine_finds_the_run_by_its_name(self):
        self.target(muster_image="registry/muster:1")
        running = self.start("--detach", USER="ana")
        self.cluster.pretend(self.launcher())
        name = running.finish(POD_SECONDS).text.strip()
        elsewhere = {"MUSTER_RECORDS": os.path.join(self.folder, "elsewhere")}
        told = self.there("ps", "--target", "lab", USER="another", **elsewhere)
        self.assertNotIn(name, told.text, told)
        self.assertIn("target lab also has a run of another user (ana), left out", told.errors)
        told = self.there("ps", "--target", "lab", USER="ana", **elsewhere)
        self.assertIn(name, told.text, told)


if __name__ == "__main__":
    run_tests()

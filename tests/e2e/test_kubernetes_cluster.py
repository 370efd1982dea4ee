"""Tests of the test cluster itself, with nothing but kubectl."""

import os
import signal
import subprocess
import sys
import time
import unittest

from support import ROOT, lab_module, run_tests, wait_until

import kubernetes
from kubernetes import BOX, Cluster, Refused

REASON = kubernetes.why_not()
NO_PODS = REASON or kubernetes.why_not(nodes=2)
for reason in {REASON, NO_PODS} - {""}:
    print(f"SKIPPED: no Kubernetes here: {reason}", file=sys.stderr)

WAITING = "while ! [ -e /tmp/go ]; do sleep 0.1; done"


def pod(name, script="sleep 1000", **spec):
    container = {"name": "main", "image": BOX, "command": ["sh", "-c", script]}
    container.update(spec.pop("container", {}))
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"containers": [container], "restartPolicy": "Never",
                     "terminationGracePeriodSeconds": 0, **spec}}


def job(name, pods, script="true", **spec):
    template = {"metadata": {"labels": {"test": name}}, "spec": pod("", script, **spec)["spec"]}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"parallelism": pods, "completions": pods, "backoffLimit": 0,
                     "template": template}}


def remains(folder):
    """What a cluster would leave on this machine."""
    cgroup = os.path.basename(folder)
    paths = [f"/sys/fs/cgroup/{entry}/{cgroup}" for entry in os.listdir("/sys/fs/cgroup")]
    with open("/proc/mounts", encoding="utf-8") as file:
        mounts = [line for line in file if folder in line]
    return [path for path in [folder, *paths] if os.path.exists(path)] + mounts


class OfCluster(unittest.TestCase):
    nodes = 0
    cluster = None

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(cls.nodes)
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.close)

    def tearDown(self):
        self.cluster.kubectl("delete", "jobs,pods", "--all", "--grace-period=0", "--force")
        wait_until(lambda: not self.cluster.names(), 60, "the pods of a test are gone")

    def pod(self, name):
        return self.cluster.get("pod", name)

    def reaches(self, name, phase, seconds=60):
        wait_until(lambda: self.pod(name)["status"]["phase"] == phase, seconds, f"{name}: {phase}")

    def assert_refused(self, pattern, *words, **more):
        with self.assertRaisesRegex(Refused, pattern):
            self.cluster.kubectl(*words, **more)


@unittest.skipIf(REASON, REASON)
class ObjectsOnly(OfCluster):
    def setUp(self):
        if "fake0" not in self.cluster.names("nodes"):
            self.cluster.add_fake_nodes(3)

    def test_the_scheduler_places_the_pods_of_a_job(self):
        self.cluster.create(job("two", 2), user=True)
        pods = wait_until(lambda: [one for one in self.cluster.get("pods", "-l", "test=two")
                                   if one["spec"].get("nodeName")][1:], 30, "both pods are placed")
        self.assertIn(pods[0]["spec"]["nodeName"], ("fake0", "fake1", "fake2"))

    def test_200_pods_are_placed(self):
        self.cluster.create(job("many", 200))
        wait_until(lambda: len([one for one in self.cluster.get("pods", "-l", "test=many")
                                if one["spec"].get("nodeName")]) == 200, 120, "200 placed pods")

    def test_what_no_node_can_hold_is_told_in_an_event(self):
        self.cluster.create(pod("huge", container={"resources": {"requests": {"cpu": "99"}}}))
        found = wait_until(lambda: self.cluster.get(
            "events", "--field-selector=involvedObject.name=huge,reason=FailedScheduling"),
            30, "an event")
        self.assertIn("3 Insufficient cpu", found[0]["message"])

    def test_the_role_of_the_manual_is_all_that_the_account_has(self):
        for verb, thing in (("create", "jobs.batch"), ("watch", "pods"), ("delete", "secrets"),
                            ("list", "configmaps"), ("get", "pods/log"), ("create", "pods/exec"),
                            ("watch", "events"), ("create", "services")):
            self.assertEqual(self.cluster.kubectl("auth", "can-i", verb, thing, user=True), "yes\n")
        self.assert_refused("cannot list resource \"nodes\"", "get", "nodes", user=True)
        self.assert_refused("forbidden", "get", "pods", "-n", "default", user=True)
        self.assert_refused("forbidden", "create", "deployment", "d", "--image=x", user=True)
        self.assert_refused("cannot patch", "label", "configmap", "kube-root-ca.crt", "a=b",
                            user=True)

    def test_a_quota_refuses(self):
        self.cluster.set_quota(pods=1)
        try:
            self.cluster.create(pod("first"), user=True)
            with self.assertRaisesRegex(Refused, "exceeded quota: quota, requested: pods=1"):
                self.cluster.create(pod("second"), user=True)
        finally:
            self.cluster.remove_quota()

    def test_the_server_goes_and_comes_back_with_its_objects(self):
        self.cluster.create(pod("lasting"))
        self.cluster.stop_api()
        try:
            self.assert_refused("refused", "get", "pods", user=True)
        finally:
            self.cluster.start_api()
        self.assertEqual(self.cluster.names(), ["lasting"])

    def test_a_dry_run_leaves_nothing(self):
        stored = self.cluster.create(job("dry", 2), "--dry-run=server", user=True)
        self.assertEqual(stored["spec"]["parallelism"], 2)
        self.assertEqual(self.cluster.names("jobs"), [])

    def test_the_resources_of_operators_are_there_and_check_types(self):
        left_out = self.cluster.create_crds()
        self.assertEqual(set(left_out), {"jobset", "mpijob", "pytorchjob", "tfjob"})
        self.assertEqual((left_out["jobset"], left_out["mpijob"]), ("", ""))
        if not self.cluster.is_old():
            self.assertEqual(set(left_out.values()), {""})
        worker = {"replicas": "two", "template": pod("")}
        with self.assertRaisesRegex(Refused, r"mpiReplicaSpecs.Worker.replicas.*type integer"):
            self.cluster.create({"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob",
                                 "metadata": {"name": "wrong"},
                                 "spec": {"mpiReplicaSpecs": {"Worker": worker}}},
                                "--validate=false")
        worker = {"replicas": 2, "template": {"spec": pod("")["spec"]}}
        made = self.cluster.create({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob",
                                    "metadata": {"name": "right"},
                                    "spec": {"pytorchReplicaSpecs": {"Worker": worker}}})
        self.assertEqual(made["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"], 2)


@unittest.skipIf(NO_PODS, NO_PODS)
class RealPods(OfCluster):
    nodes = 2

    def test_the_pods_of_a_job_talk_across_nodes_and_end(self):
        apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname",
             "labelSelector": {"matchLabels": {"test": "pair"}}}]}}
        # An input that never ends: at the end of its input, which is nobody's, nc would say so to
        # a caller, and that one would leave before it has spoken.
        listens = f"mkfifo /tmp/open; nc -l -p 7000 <>/tmp/open; {WAITING}"
        self.cluster.create(job("pair", 2, listens, affinity=apart), user=True)
        pods = wait_until(lambda: self._running("pair", 2), 60, "two running pods")
        names = [one["metadata"]["name"] for one in pods]
        addresses = [one["status"]["podIP"] for one in pods]
        self.assertEqual({one["spec"]["nodeName"] for one in pods}, {"node1", "node2"})
        for name in names:
            wait_until(lambda name=name: ":7000 " in self._in(name, "netstat -ltn"), 60, "listens")
        for name, other in zip(names, reversed(addresses)):
            self._in(name, f"echo hello from {name} | nc {other} 7000")
        for name, other in zip(names, reversed(names)):
            wait_until(lambda name=name: self._log(name), 60, "what was heard")
            self.assertEqual(self._log(name), f"hello from {other}\n")
            self._in(name, "touch /tmp/go")
        self.cluster.kubectl("wait", "--for=condition=complete", "--timeout=60s", "job/pair")

    def _in(self, name, script):
        return self.cluster.kubectl("exec", name, "--", "sh", "-c", script, user=True)

    def _log(self, name):
        return self.cluster.kubectl("logs", name, user=True)

    def _running(self, label, number):
        pods = self.cluster.get("pods", "-l", f"test={label}")
        running = [one for one in pods if one["status"]["phase"] == "Running"]
        return running if len(running) == number else None

    def test_exec_relays_input_output_and_code(self):
        self.cluster.create(pod("open"))
        self.reaches("open", "Running")
        out = self.cluster.kubectl("exec", "-i", "open", "--", "cat", stdin="in\n", user=True)
        self.assertEqual(out, "in\n")
        self.assert_refused("exit code 7", "exec", "open", "--", "sh", "-c", "exit 7", user=True)

    def test_a_memory_limit_kills(self):
        limit = {"resources": {"limits": {"memory": "32Mi"}}}
        self.cluster.create(pod("greedy", "x=a; while :; do x=$x$x; done", container=limit))
        self.reaches("greedy", "Failed")
        ended = self.pod("greedy")["status"]["containerStatuses"][0]["state"]["terminated"]
        self.assertEqual((ended["exitCode"], ended["reason"]), (137, "OOMKilled"))

    def test_an_image_that_cannot_be_pulled(self):
        self.cluster.create(pod("lacking", container={"image": "nowhere.invalid/no/image:1"}))
        wait_until(lambda: "waiting" in str(self.pod("lacking")["status"]) and
                   "ErrImagePull" in str(self.pod("lacking")["status"]), 60, "the kubelet tried")

    def test_an_evicted_pod_goes(self):
        self.cluster.create(pod("victim"))
        self.reaches("victim", "Running")
        self.cluster.evict("victim")
        wait_until(lambda: self.cluster.names() == [], 30, "it is gone")


@unittest.skipIf(NO_PODS, NO_PODS)
class LostNode(OfCluster):
    nodes = 2

    def test_its_pods_are_given_up_within_seconds(self):
        self.cluster.create(pod("there", nodeSelector={"kubernetes.io/hostname": "node2"}))
        self.cluster.create(pod("here", nodeSelector={"kubernetes.io/hostname": "node1"}))
        self.reaches("there", "Running")
        self.reaches("here", "Running")
        began = time.monotonic()
        self.cluster.lose_node("node2")
        wait_until(lambda: not self._kept("there"), 60, "given up")
        self.assertLess(time.monotonic() - began, 40)
        self.assertFalse(self.cluster.is_ready("node2"))
        self.assertTrue(self._kept("here"))

    def _kept(self, name):
        return any(one["metadata"]["name"] == name and "deletionTimestamp" not in one["metadata"]
                   for one in self.cluster.get("pods"))


@unittest.skipIf(NO_PODS, NO_PODS)
class Leftovers(unittest.TestCase):
    MAKER = ("import sys, time; sys.path.insert(0, sys.argv[1]); import kubernetes as k\n"
             "with k.Cluster(1) as cluster:\n"
             "    cluster.kubectl('run', 'left', f'--image={k.BOX}', '--restart=Never',\n"
             "                    '--', 'sleep', sys.argv[2])\n"
             "    cluster.kubectl('wait', '--for=condition=ready', 'pod/left', '--timeout=60s')\n"
             "    print(cluster.folder, flush=True); time.sleep(600)\n")

    def _made(self, mark):
        maker = subprocess.Popen([sys.executable, "-c", self.MAKER, f"{ROOT}/tests/lab", mark],
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(maker.stdout.close)
        folder = maker.stdout.readline().strip()
        self.assertNotEqual(self._sleeping(mark), [])
        self.assertNotEqual(remains(folder), [])
        return maker, folder

    def _sleeping(self, mark):
        wanted = f"sleep\0{mark}\0".encode()
        return [pid for pid in lab_module._pids() if lab_module._read(pid, "cmdline") == wanted]

    def _ended_by(self, number, mark):
        interfaces = os.listdir("/sys/class/net")
        maker, folder = self._made(mark)
        maker.send_signal(number)
        maker.wait(60)
        wait_until(lambda: not remains(folder) and not self._sleeping(mark), 30,
                   f"nothing is left of {folder}")
        self.assertEqual(os.listdir("/sys/class/net"), interfaces)

    def test_nothing_is_left_after_sigterm(self):
        self._ended_by(signal.SIGTERM, "5101.7")

    def test_nothing_is_left_when_the_test_is_killed(self):
        self._ended_by(signal.SIGKILL, "5102.7")


if __name__ == "__main__":
    run_tests()

"""What the tests of jobs in a cluster share: a cluster, a job with its target, and a clean end."""

import json
import os
import subprocess
import sys

from service_case import ServiceCase
from support import MUSTER, Running, until

import kubernetes
import shared
from kubernetes import BOX, Cluster

POD_SECONDS = 300  # of waits for pods: each comes and goes in many steps of several servers


def why_not(nodes=0):
    """The reason why tests on a cluster must be skipped, told loudly; empty when they can run."""
    reason = kubernetes.why_not(nodes)
    if reason:
        print(f"SKIPPED: no Kubernetes here: {reason}", file=sys.stderr)
    return reason


class ClusterCase(ServiceCase):
    """The cluster of the run of the tests, if it has one, or else of the script."""

    kind = Cluster
    options = {"nodes": 0}  # with a kubelet
    fake_nodes = 0
    images = ()             # of image.py, beside the static busybox

    @property
    def cluster(self):
        return self.service

    @classmethod
    def make_service(cls):
        found = None if cls.own else shared.find(cls.options["nodes"])
        return found or super().make_service()

    @classmethod
    def prepare(cls):
        if cls.fake_nodes:
            cls.service.add_fake_nodes(cls.fake_nodes)
        for name in cls.images:
            cls.service.give_image(name)
        cls.add_things()
        cls.service.expect_what_is_there()

    @classmethod
    def add_things(cls):
        """What else the tests of the class want in the cluster."""



class KubernetesCase(ClusterCase):
    """muster runs on the head of the cluster's lab, with the rights of the manual's Role."""

    def setUp(self):
        super().setUp()
        self.target()
        self.before = self.objects()

    # ---- the job --------------------------------------------------------------------------------

    def target(self, **keys):
        """Writes muster.yml, whose target "lab" is the cluster; keys are those of the manual."""
        keys = {"image": BOX, "image_pull_policy": "IfNotPresent", "start_timeout": POD_SECONDS,
                **keys}
        self.write("muster.yml", json.dumps({"targets": {"lab": {"kubernetes": keys}}}))

    def kubeconfig(self, old, new):
        """The user's, with another text at one place."""
        with open(self.cluster.user, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        return self.write("other.kubeconfig", text.replace(old, new))

    def write_job(self, command, nodes=2, per_node=1, kind="pytorch", **keys):
        """Writes job.yml."""
        distribution = {"type": kind, "process_count_per_instance": per_node}
        self.write("job.yml", json.dumps({
            "name": "job", "command": command, "resources": {"instance_count": nodes},
            "code": ".", "distribution": distribution, **keys}))

    # ---- muster ---------------------------------------------------------------------------------

    def environment(self, **more):
        usual = {"DIR": self.folder, "E2E_MARK": self.mark, "KUBECONFIG": self.cluster.user,
                 "MUSTER_RECORDS": os.path.join(self.folder, "records")}
        return self.cluster.lab.environment(**{**usual, **more})

    def start_there(self, *words, before=(), err=subprocess.PIPE, **more):
        """Starts muster beside the cluster, `before` it other words: ["env", "A=B"]."""
        started = self.cluster.lab.start([*before, MUSTER, *words], env=self.environment(**more),
                                         cwd=self.folder, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=err)
        running = Running(started.popen)
        running.send = started.send
        running.pid = started.pid
        self.running.append(running)
        return running

    def there(self, *words, **more):
        """`muster WORDS...` beside the cluster, to its end."""
        return self.start_there(*words, **more).finish(POD_SECONDS)

    def submits(self, *words, code=0, **more):
        done = self.there("submit", "job.yml", "--target", "lab", *words, **more)
        self.assertEqual(done.code, code, done)
        return done

    def hears(self, pipe, text):
        """Waits until muster has printed that; what is read here is lost to `finish`."""
        heard = bytearray()

        def is_there():
            heard.extend(pipe.read() or b"")
            return text.encode() in heard
        os.set_blocking(pipe.fileno(), False)
        until(lambda: f"{text!r} after {heard!r}", is_there, POD_SECONDS)
        os.set_blocking(pipe.fileno(), True)

    # ---- the cluster ----------------------------------------------------------------------------

    def objects(self):
        """All that a run could leave in the namespace, as "kind/name"."""
        kinds = "jobs,pods,services,secrets,configmaps"
        return set(self.cluster.kubectl("get", kinds, "-o", "name").split())

    def pods(self, role):
        """The pods of a role: launcher or worker."""
        return self.cluster.get("pods", "-l", f"app.kubernetes.io/component={role}")

    def assert_nothing_there(self):
        """After muster rm."""
        until(lambda: f"nothing left in the namespace: {self.objects() - self.before}",
              lambda: self.objects() <= self.before, POD_SECONDS)

    def removes(self):
        """`muster rm` of the last run, after which nothing of it is left."""
        done = self.there("rm", "last")
        self.assertEqual(done.code, 0, done)
        self.assert_nothing_there()

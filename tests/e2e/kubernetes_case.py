"""What the tests of jobs in a cluster share: a cluster, a job with its target, and a clean end."""

import json
import os
import subprocess
import sys

from support import MUSTER, Case, Running, wait_until

import image
import kubernetes
from kubernetes import BOX, Cluster


def why_not(nodes=0):
    """The reason why tests on a cluster must be skipped, told loudly; empty when they can run."""
    reason = kubernetes.why_not(nodes)
    if reason:
        print(f"SKIPPED: no Kubernetes here: {reason}", file=sys.stderr)
    return reason


class KubernetesCase(Case):
    """muster runs on the head of the cluster's lab, with the rights of the manual's Role."""

    nodes = 0      # with a kubelet
    fake_nodes = 0
    images = ()    # of image.py, beside the static busybox
    cluster = None

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(cls.nodes)
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.close)
        if cls.fake_nodes:
            cls.cluster.add_fake_nodes(cls.fake_nodes)
        for name in cls.images:
            cls.cluster.load_image(image.archive(name))

    def setUp(self):
        super().setUp()
        self.target()
        self.before = self.objects()
        self.addCleanup(self._clear)

    def _clear(self):
        """What a failed test leaves must not trouble the next."""
        self.cluster.kubectl("delete", "jobs,pods", "--all", "--grace-period=0", "--force",
                             "--wait=false")
        self.cluster.kubectl("delete", "secrets", "-l", "app.kubernetes.io/managed-by=muster")
        wait_until(lambda: not self.cluster.names(), 60, "the pods of a test are gone")

    # ---- the job --------------------------------------------------------------------------------

    def target(self, **keys):
        """Writes muster.yml, whose target "lab" is the cluster; keys are those of the manual."""
        keys = {"image": BOX, "image_pull_policy": "IfNotPresent", "start_timeout": 90, **keys}
        self.write("muster.yml", json.dumps({"targets": {"lab": {"kubernetes": keys}}}))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

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

    def start_there(self, *words, before=(), **more):
        """Starts muster beside the cluster, `before` it other words: ["env", "A=B"]."""
        started = self.cluster.lab.start([*before, MUSTER, *words], env=self.environment(**more),
                                         cwd=self.folder, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        running = Running(started.popen)
        running.send = started.send
        running.pid = started.pid
        self.running.append(running)
        return running

    def there(self, *words, seconds=90, **more):
        """`muster WORDS...` beside the cluster, to its end."""
        return self.start_there(*words, **more).finish(seconds)

    def submits(self, *words, code=0, **more):
        done = self.there("submit", "job.yml", "--target", "lab", *words, **more)
        self.assertEqual(done.code, code, done)
        return done

    # ---- the cluster ----------------------------------------------------------------------------

    def objects(self):
        """All that a run could leave in the namespace, as "kind/name"."""
        kinds = "jobs,pods,services,secrets,configmaps"
        return set(self.cluster.kubectl("get", kinds, "-o", "name").split())

    def pods(self, role):
        """The pods of a role: launcher or worker."""
        return self.cluster.get("pods", "-l", f"app.kubernetes.io/component={role}")

    def assert_nothing_there(self, seconds=30):
        """After muster rm."""
        wait_until(lambda: self.objects() <= self.before, seconds,
                   f"nothing left in the namespace: {self.objects() - self.before}")

    def removes(self):
        """`muster rm` of the last run, after which nothing of it is left."""
        done = self.there("rm", "last")
        self.assertEqual(done.code, 0, done)
        self.assert_nothing_there()

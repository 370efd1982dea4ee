"""What muster export writes of each seed's jobs, in the store of a real API server.

Each field must be there when it is read back: a server drops what it does not know.
"""

# rooms: kubernetes front job
# needs: kubernetes

import json
import os
import unittest

from kubernetes_case import ClusterCase, why_not
from support import MUSTER, run_tests
from test_export import ALL, JOBS, KINDS, SEED, TARGETS

import kubernetes
from kubernetes import Refused

REASON = why_not()
NAMESPACE = "team-a"
# What servers before 1.22 know only where they are told to, and drop without a word.
UNKNOWN_TO_OLD = ("completionMode", "ttlSecondsAfterFinished")
ANY = {"rule": "RunAsAny"}
SOME = {"rule": "MustRunAs", "ranges": [{"min": 1, "max": 65535}]}
# The standard "restricted", for servers that have policies and not yet standards.
RESTRICTED = {
    "apiVersion": "policy/v1beta1", "kind": "PodSecurityPolicy",
    "metadata": {"name": "restricted", "annotations": {
        "seccomp.security.alpha.kubernetes.io/allowedProfileNames": "runtime/default"}},
    "spec": {"allowPrivilegeEscalation": False, "requiredDropCapabilities": ["ALL"],
             "runAsUser": {"rule": "MustRunAsNonRoot"}, "seLinux": ANY, "fsGroup": SOME,
             "supplementalGroups": ANY,
             "volumes": ["configMap", "emptyDir", "secret", "persistentVolumeClaim", "projected"]}}


def lost(sent, stored, path=""):
    """The paths of what was sent and is not stored as it was sent."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        for key, value in sent.items():
            yield from lost(value, stored.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(sent, list) and isinstance(stored, list) and len(sent) == len(stored):
        for number, (one, other) in enumerate(zip(sent, stored)):
            yield from lost(one, other, f"{path}[{number}]")
    elif sent != stored:
        yield path


def pods_in(node, name):
    """Each template of pods in an object, as a pod."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    if not isinstance(node, dict):
        return
    if "containers" in node:
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": node}
        return
    for value in node.values():
        yield from pods_in(value, name)


class OfManifests(ClusterCase):
    @classmethod
    def add_things(cls):
        cls.service.use_namespace(NAMESPACE)

    def setUp(self):
        super().setUp()
        self.write("muster.yml", TARGETS)
        for name in ALL:
            with open(os.path.join(JOBS, name + ".yml"), encoding="utf-8") as file:
                self.write(name + ".yml", file.read())

    def objects(self, name, kind, target):
        done = self.muster("kubernetes", self.path(name + ".yml"), "--as", kind, "--target", target,
                           "--json", command=(MUSTER, "export"))
        self.assertEqual(done.code, 0, done)
        told = json.loads(done.text)
        return told["items"] if told["kind"] == "List" else [told]


@unittest.skipIf(REASON, REASON)
class Stored(OfManifests):
    @classmethod
    def add_things(cls):
        super().add_things()
        cls.left_out = cls.service.create_crds()

    def is_kept(self, kind, target):
        """All jobs of a kind at once: each call of kubectl takes its time."""
        sent = [made for name in SEED.get(kind, ALL) for made in self.objects(name, kind, target)]
        self.assertGreaterEqual(len(sent), len(SEED.get(kind, ALL)))
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": sent})
        # Not kubectl, which may know other fields than the server.
        strict = "false" if kubernetes.is_old() else "strict"
        self.cluster.kubectl("create", "-f", "-", f"--validate={strict}", stdin=text)
        try:
            stored = self.cluster.kubectl("get", "-f", "-", "-o", "json", stdin=text)
            self.compare(sent, json.loads(stored)["items"], target)
        finally:
            self.cluster.kubectl("delete", "-f", "-", "--wait=true", stdin=text)

    def compare(self, sent, stored, target):
        unknown = UNKNOWN_TO_OLD if kubernetes.is_old() else ()
        for one, other in zip(sent, stored, strict=True):
            with self.subTest(target=target, kind=one["kind"], name=one["metadata"]["name"]):
                dropped = {f"spec.{key}" for key in unknown
                           if one["kind"] == "Job" and key in one["spec"]}
                self.assertEqual(set(lost(one, other)), dropped)
                # Only the target says where: what names none goes where kubectl points to.
                self.assertEqual(other["metadata"]["namespace"], NAMESPACE)
                self.assertEqual("namespace" in one["metadata"], target == "full")

    def test_jobs(self):
        self.is_kept("job", "plain")
        self.is_kept("job", "full")

    def test_resources_of_operators(self):
        for kind in sorted(KINDS.values()):
            self.is_kept(kind, "plain")
            self.is_kept(kind, "full")
        self.assertEqual((self.left_out["jobset"], self.left_out["mpijob"]), ("", ""))

    def test_what_the_server_drops_is_seen(self):
        """Else the other tests would prove nothing."""
        made = self.objects("mpirun_k8s", "mpijob", "plain")[-1]
        made["spec"]["slotsPerWorkerr"] = 4
        self.cluster.create(made, "--validate=false")
        stored = self.cluster.get("mpijob", made["metadata"]["name"])
        self.assertEqual(list(lost(made, stored)), ["spec.slotsPerWorkerr"])
        self.cluster.kubectl("delete", "mpijob", made["metadata"]["name"])


@unittest.skipIf(REASON, REASON)
class Policies(OfManifests):
    """Pods keep the standard restricted, and no policy had to change one first."""

    options = {"plugins": ("PodSecurityPolicy",)}
    own = True

    @classmethod
    def add_things(cls):
        super().add_things()
        if kubernetes.is_old():
            cls.service.create(RESTRICTED)
        else:
            cls.service.kubectl("label", "namespace", NAMESPACE,
                                "pod-security.kubernetes.io/enforce=restricted")

    def pods(self):
        for kind in ("job", "jobset", "pytorchjob", "tfjob"):
            for name in SEED.get(kind, ALL):
                yield from pods_in(self.objects(name, kind, "plain"), name.replace("_", "-"))

    def admitted(self, pods):
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": pods})
        told = self.cluster.kubectl("create", "-f", "-", "-o", "json", "--dry-run=server",
                                    stdin=text)
        decoder, at = json.JSONDecoder(), 0
        while told[at:].strip():
            pod, end = decoder.raw_decode(told[at:].lstrip())
            at = len(told) - len(told[at:].lstrip()) + end
            yield pod

    def test_pods_are_admitted_as_they_are(self):
        sent = list(self.pods())
        for one, other in zip(sent, self.admitted(sent), strict=True):
            with self.subTest(pod=one["metadata"]["name"]):
                self.assertEqual(one["spec"]["securityContext"], other["spec"]["securityContext"])
                self.assertEqual(self.contexts(one), self.contexts(other))
        self.assertGreater(len(sent), 2 * len(ALL))

    @staticmethod
    def contexts(pod):
        spec = pod["spec"]
        containers = spec["containers"] + spec.get("initContainers", [])
        return [one["securityContext"] for one in containers]

    def test_others_are_refused(self):
        pod = next(self.pods())
        pod["spec"]["containers"][0]["securityContext"] = {"privileged": True}
        with self.assertRaisesRegex(Refused, "rivileged"):
            list(self.admitted([pod]))


if __name__ == "__main__":
    run_tests()

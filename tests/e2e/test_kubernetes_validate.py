"""muster validate --target on a real API server: what is asked beforehand, and what it answers."""

# rooms: cluster kubernetes cli
# needs: kubernetes

import json
import os
import unittest

from kubernetes_case import KubernetesCase, why_not
from support import CANNOT_START, NO_SLOTS, run_tests

REASON = why_not()


@unittest.skipIf(REASON, REASON)
class Validate(KubernetesCase):
    fake_nodes = 2

    def setUp(self):
        super().setUp()
        self.write_job("true", nodes=3)

    def asks(self, *words, code=0, who="admin", **more):
        """What is printed as JSON. The admin may see quotas and nodes, the user may not."""
        config = getattr(self.cluster, who)
        done = self.there("validate", "job.yml", "--target", "lab", "--json", *words,
                          KUBECONFIG=config, **more)
        self.assertEqual(done.code, code, done)
        told = json.loads(done.text)
        self.assertEqual(told["fine"], code == 0, done)
        self.assertEqual(told["target"], "lab")
        self.assertEqual(self.objects(), self.before)
        return told["asked"]

    def of(self, asked, about):
        return [(one["fine"], one["what"]) for one in asked if one["about"] == about]

    def claim(self, name, *modes):
        self.cluster.create({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"accessModes": modes, "storageClassName": "none",
                     "resources": {"requests": {"storage": "1Gi"}}}})
        self.addCleanup(self.cluster.kubectl, "delete", "pvc", name, "--wait=false")

    def mounts(self, name, **more):
        self.target(volumes=[{"mount": "/data", "claim": name, **more}])

    def test_a_job_that_would_run(self):
        asked = self.asks()
        self.assertEqual({one["about"] for one in asked},
                         {"access", "quota", "admission", "processor", "image"})
        self.assertEqual(self.of(asked, "quota"), [(True, "the namespace has none")])
        self.assertNotIn(False, [one["fine"] for one in asked], asked)

    def test_what_the_user_may_not_see_is_not_known(self):
        asked = self.asks(who="user")
        self.assertEqual(self.of(asked, "access"), [(True, "all that muster needs")])
        ((fine, what),) = self.of(asked, "quota")
        self.assertIsNone(fine)
        self.assertIn("may not list resourcequotas", what)

    def test_lines_for_people(self):
        done = self.there("validate", "job.yml", "--target", "lab")
        self.assertEqual(done.code, 0, done)
        self.assertIn("nothing wrong for the target lab\n", done.text)
        self.assertIn("access: all that muster needs\n", done.text)
        self.assertRegex(done.text, r"not known: quota: .*resourcequotas")

    def test_a_quota_without_room_for_all_pods(self):
        self.target(resources={"worker": {"limits": {"cpu": 2, "memory": "1Gi"}}})
        self.cluster.set_quota(pods=3, **{"requests.cpu": "6500m", "requests.memory": "2Gi"})
        self.addCleanup(self.cluster.remove_quota)
        asked = self.asks(code=NO_SLOTS)
        # No pod of them is too large by itself: only all together are.
        self.assertEqual(self.of(asked, "quota"), [
            (False, "the job needs 4 of pods, and the quota quota has 3 of 3 left"),
            (False, "the job needs 3584Mi of requests.memory, "
                    "and the quota quota has 2Gi of 2Gi left")])

    def test_a_quota_with_room(self):
        self.cluster.set_quota(pods=4, secrets=50)
        self.addCleanup(self.cluster.remove_quota)
        self.assertEqual(self.of(self.asks(), "quota"), [(True, "quota has room for all")])

    def test_a_limit_range_is_part_of_admission(self):
        self.target(resources={"worker": {"limits": {"cpu": 2}}})
        self.cluster.create({"apiVersion": "v1", "kind": "LimitRange",
                             "metadata": {"name": "small"},
                             "spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}}]}})
        self.addCleanup(self.cluster.kubectl, "delete", "limitrange", "small")
        asked = self.asks(code=CANNOT_START)
        self.assertIn("maximum cpu usage per Container is 1", self.of(asked, "admission")[0][1])

    def test_claims(self):
        self.mounts("absent")
        asked = self.asks(code=241)
        self.assertEqual(self.of(asked, "storage"), [(False, "there is no claim absent for a "
                                                             "volume")])
        self.claim("one", "ReadWriteOnce")
        self.mounts("one")
        asked = self.asks(code=CANNOT_START)
        self.assertIn("cannot be seen by pods on 3 nodes", self.of(asked, "storage")[0][1])
        self.claim("many", "ReadWriteMany")
        self.mounts("many")
        ((fine, what),) = self.of(self.asks(), "storage")
        self.assertIsNone(fine)
        self.assertIn("claim many: Pending, ReadWriteMany", what)

    def test_who_may_not_hears_what(self):
        config = self.kubeconfig('"namespace": "jobs"', '"namespace": "default"')
        done = self.there("validate", "job.yml", "--target", "lab", "--json", KUBECONFIG=config)
        self.assertEqual(done.code, CANNOT_START, done)
        asked = json.loads(done.text)["asked"]
        self.assertIn("create jobs.batch", self.of(asked, "access")[0][1])
        self.assertIn("docs/kubernetes/role.yaml", asked[0]["hint"])

    def test_a_registry_tells_of_an_image(self):
        """A skopeo of the test's own stands for the one that asks a registry."""
        tools = os.path.join(self.folder, "tools")
        os.mkdir(tools)
        self.write("tools/skopeo", '#!/bin/sh\ncase $3 in *absent*) '
                   'echo "reading manifest: manifest unknown" >&2; exit 1;; esac\n'
                   'echo \'{"manifests": [{"platform": {"architecture": "s390x"}}]}\'\n')
        os.chmod(os.path.join(tools, "skopeo"), 0o755)
        path = f"{tools}:{os.environ['PATH']}"
        # Fake nodes say no processor of their own, so there is none that it must fit.
        asked = self.asks(PATH=path)
        self.assertRegex(self.of(asked, "image")[0][1], ", for s390x$")
        self.target(image="registry/absent:1")
        asked = self.asks(code=CANNOT_START, PATH=path)
        self.assertIn("the image registry/absent:1 is not there", self.of(asked, "image")[0][1])


if __name__ == "__main__":
    run_tests()

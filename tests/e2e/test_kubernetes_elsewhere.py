"""What pods have from elsewhere: folders that claims are bound to, images that a registry gives."""

# rooms: cluster kubernetes
# long
# needs: kubernetes-nodes

import os
import re
import shutil
import unittest

from kubernetes_case import KubernetesCase, why_not
from support import CANNOT_START, run_tests

import image
from registry import Registry

REASON = why_not(nodes=2)
if not REASON and shutil.which("docker-registry") is None:
    REASON = "missing programs: docker-registry"
PORT = 5000


@unittest.skipIf(REASON, REASON)
class FromElsewhere(KubernetesCase):
    options = {"nodes": 2}
    images = ("no-pmix",)  # small, with a bash

    def claim(self, name):
        """A volume, which all pods see as one folder, and a claim that is bound to it."""
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        os.chmod(folder, 0o777)
        size, modes = {"storage": "1Mi"}, ["ReadWriteMany"]
        self.cluster.create({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"capacity": size, "accessModes": modes, "storageClassName": "",
                     "hostPath": {"path": folder}}})
        self.cluster.create({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"accessModes": modes, "resources": {"requests": size},
                     "storageClassName": "", "volumeName": name}})
        self.addCleanup(self.cluster.kubectl, "delete", "pv", name, "--wait=false")
        self.addCleanup(self.cluster.kubectl, "delete", "pvc", name, "--wait=false")
        return folder

    def registry(self, port, has_login=False):
        """One that has the image; returns the image's name there."""
        registry = Registry(self.cluster.lab, self.path(f"registry-{port}"), port, has_login)
        self.addCleanup(registry.stop)
        name = f"{registry.address}/small:1"
        for node in self.cluster.nodes.values():
            node.speak_plainly_to(registry.address)
        node = self.cluster.nodes["node1"]
        login = ["--user", "me:secret"] if has_login else []
        node.ctr("image", "push", "--plain-http", *login, name, image.reference(self.images[0]))
        self.addCleanup(self.forget, name)
        return name

    def forget(self, name):
        """Else another registry of this address would not be asked."""
        for node in self.cluster.nodes.values():
            node.ctr("image", "rm", name)

    def test_a_bound_claim_is_the_same_folder_in_all_pods(self):
        folder = self.claim("shared")
        self.target(image=image.reference(self.images[0]),
                    volumes=[{"mount": "/data", "claim": "shared"}])
        self.write_job("echo of $RANK > /data/of.$RANK; "
                       "until [ -s /data/of.0 ] && [ -s /data/of.1 ]; do sleep 0.1; done; "
                       "cat /data/of.$((1 - RANK))")
        done = self.submits()
        self.assertEqual(sorted(re.findall(r"of \d", done.text)), ["of 0", "of 1"], done)
        self.assertEqual(sorted(os.listdir(folder)), ["of.0", "of.1"])
        self.removes()

    def test_an_image_comes_from_a_registry(self):
        self.target(image=self.registry(PORT))
        self.write_job("echo rank $RANK")
        done = self.submits()
        self.assertEqual(sorted(re.findall(r"rank \d", done.text)), ["rank 0", "rank 1"], done)
        self.removes()

    def test_a_registry_that_asks_who_it_is_gets_the_secret(self):
        name = self.registry(PORT + 1, has_login=True)
        self.target(image=name)
        self.write_job("echo rank $RANK")
        done = self.submits(code=CANNOT_START)
        self.assertIn("cannot pull its image", done.errors)
        self.cluster.kubectl("create", "secret", "docker-registry", "login",
                             f"--docker-server={name.split('/')[0]}", "--docker-username=me",
                             "--docker-password=secret")
        self.addCleanup(self.cluster.kubectl, "delete", "secret", "login")
        self.target(image=name, image_pull_secrets=["login"])
        done = self.submits()
        self.assertEqual(sorted(re.findall(r"rank \d", done.text)), ["rank 0", "rank 1"], done)


if __name__ == "__main__":
    run_tests()

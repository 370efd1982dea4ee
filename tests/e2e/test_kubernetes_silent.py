"""What muster tells of pods on nodes that say nothing."""

# rooms: cluster kubernetes cli
# long
# needs: kubernetes-own

import unittest

from kubernetes_case import POD_SECONDS, KubernetesCase, why_not
from support import UNREACHABLE, run_tests, until

REASON = why_not()


@unittest.skipIf(REASON, REASON)
class OnSilentNodes(KubernetesCase):
    """Nobody confirms that a pod has ended; muster waits long for that, and for no one else."""

    own = True

    def setUp(self):
        super().setUp()
        self.write_job("true")

    @classmethod
    def add_things(cls):
        cls.service.add_fake_nodes(2, confirm=False)

    def submit(self, *words):
        running = self.start_there("submit", "job.yml", "--target", "lab", *words)
        (name,) = until("a launcher's pod", lambda: [
            one["metadata"]["name"] for one in self.pods("launcher")
            if one["spec"].get("nodeName")], POD_SECONDS)
        return running, name

    def assert_stays(self, done, pod):
        self.assertRegex(done.errors, rf"the launcher \(pod {pod} on fake\d\) stays: its node has "
                         "not said that it has ended it")
        self.assertIn("--force", done.errors)

    def test_an_interrupted_submission_names_the_pod_that_stays(self):
        running, pod = self.submit()
        running.send(2)
        done = running.finish(POD_SECONDS)
        self.assertNotEqual(done.code, 0)
        self.assert_stays(done, pod)

    def test_stop_and_rm_name_the_pod_that_stays(self):
        self.target(muster_image="registry/muster:1")
        running, pod = self.submit("--detach")
        self.cluster.pretend(pod)
        self.assertEqual(running.finish(POD_SECONDS).code, 0)
        for verb in ("stop", "rm"):
            done = self.there(verb, "last")
            self.assertEqual(done.code, UNREACHABLE, done)
            self.assert_stays(done, pod)


if __name__ == "__main__":
    run_tests()

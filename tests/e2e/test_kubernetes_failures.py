"""Jobs in real pods when something dies: a pod, a node's network, the client, the API server.

Each tells what was lost, with its code, and nothing goes on afterwards. What the cluster itself
ends, for memory or as its users wish, is in test_kubernetes_causes.py.
"""

# rooms: cluster kubernetes link cli
# long
# needs: kubernetes-own

import signal
import unittest

from kubernetes_case import POD_SECONDS, why_not
from support import LOST, run_tests, until
from test_kubernetes_pods import OnPods

REASON = why_not(nodes=2)
KILLED = 128 + signal.SIGKILL


@unittest.skipIf(REASON, REASON)
class Failures(OnPods):
    own = True
    options = {**OnPods.options, "losable": True}

    def node_of(self, pod):
        return self.cluster.get("pod", pod)["spec"].get("nodeName")

    def container(self, pod):
        """(node, id) of a pod's container."""
        found = self.cluster.get("pod", pod)
        (status,) = found["status"]["containerStatuses"]
        return found["spec"]["nodeName"], status["containerID"].split("//")[1]

    def kill(self, pod):
        """Its first process dies in one moment, and with it all others of the container."""
        node, name = self.container(pod)
        self.cluster.nodes[node].ctr("task", "kill", "--signal", "KILL", name)

    def finishes(self, running, code, *patterns):
        done = running.finish(POD_SECONDS)
        self.assertEqual(done.code, code, done)
        for pattern in patterns:
            self.assertRegex(done.errors, pattern)
        self.assert_ended()
        self.assertIn("failed", self.there("show", "last").text)
        self.removes()

    # ---- pods -----------------------------------------------------------------------------------

    def test_a_worker_s_pod_is_evicted(self):
        running, pods = self.submit_waiting()
        node = self.node_of(pods[0])
        self.cluster.evict(pods[0])
        self.finishes(running, LOST, rf"worker 0 \(pod {pods[0]} on {node}\) was (evicted|deleted)")

    def test_a_worker_is_killed(self):
        running, pods = self.submit_waiting()
        self.kill(pods[1])
        self.finishes(running, LOST, rf"error: .*{pods[1]}.*its agent was killed")

    def test_the_launcher_is_killed(self):
        running, _ = self.submit_waiting()
        launcher = self.launcher()
        node = self.node_of(launcher)
        self.kill(launcher)
        self.finishes(running, KILLED, rf"the launcher .*pod {launcher} on {node}")

    # ---- the network ----------------------------------------------------------------------------

    def test_a_node_is_cut_off(self):
        running, pods = self.submit_waiting()
        kept = self.node_of(self.launcher())
        lost = next(name for name in self.cluster.nodes if name != kept)
        there = [pod for pod in pods if self.node_of(pod) == lost]
        self.assertNotEqual(there, [])
        self.cluster.lab.pull_cable(lost)
        try:
            done = running.finish(POD_SECONDS)
            self.assertEqual(done.code, LOST, done)
            self.assertRegex(done.errors, rf"error: {there[0]}.*nothing heard for \d+ s")
            until("the node is missed", lambda: not self.cluster.is_ready(lost), POD_SECONDS)
        finally:
            self.cluster.lab.plug_cable(lost)
        until("the node is back", lambda: self.cluster.is_ready(lost), POD_SECONDS)
        self.assert_ended()
        self.removes()

    def test_the_api_server_is_away_while_the_job_ends(self):
        running, pods = self.submit_waiting()
        containers = [self.container(pod) for pod in pods]
        self.cluster.stop_api()
        try:
            for node, name in containers:  # exec goes by way of the server
                self.cluster.nodes[node].ctr("task", "exec", "--exec-id", "go", name, "touch",
                                             "/tmp/go")
            for node, name in containers:
                until(f"the end of {name} on {node}", lambda node=node, name=name:
                      name not in self.cluster.nodes[node].ctr("task", "ls").decode())
            self.hears(running.popen.stderr, "the cluster does not answer")
            self.assertIsNone(running.popen.poll())
        finally:
            self.cluster.start_api()
        done = running.finish(POD_SECONDS)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.text.count(" goes\n"), 2, done)
        self.removes()

    def test_a_run_is_removed_though_no_collector_looks_for_what_is_left(self):
        self.write_job("echo over")
        self.submits()
        self.cluster.stop_controllers()
        self.addCleanup(self.cluster.start_controllers)
        done = self.there("rm", "last")
        self.assertEqual(done.code, 0, done)
        until("no pods", lambda: not self.cluster.names(), POD_SECONDS)

    # ---- the client -----------------------------------------------------------------------------

    def test_another_machine_goes_on_where_a_killed_client_was(self):
        """All that it knows is the cluster, and the run's name from there."""
        running, pods = self.submit_waiting()
        running.send(signal.SIGKILL)
        running.finish()
        elsewhere = {"MUSTER_RECORDS": self.path("elsewhere")}
        listed = self.there("ps", "--target", "lab", **elsewhere)
        name, state = listed.text.splitlines()[-1].split()[:2]
        self.assertEqual(state, "running", listed)
        follows = self.start_there("logs", "-f", name, "--target", "lab", **elsewhere)
        waits = self.start_there("wait", name, "--target", "lab", **elsewhere)
        self.go(pods)
        self.assertEqual(waits.finish(POD_SECONDS).code, 0)
        told = follows.finish(POD_SECONDS)
        self.assertEqual(told.code, 0, told)
        for rank in range(2):
            self.assertRegex(told.text, rf"rank {rank} of 2 on \S*{pods[rank]}\n")
            self.assertIn(f"rank {rank} goes\n", told.text)
        self.assertIn("completed", self.there("show", name, "--target", "lab", **elsewhere).text)
        self.assertEqual(self.there("rm", name, "--target", "lab", **elsewhere).code, 0)
        self.assert_nothing_there()


if __name__ == "__main__":
    run_tests()

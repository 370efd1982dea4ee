"""One host under two names, and two hosts under one: agents tell which machine they are on."""

# rooms: link head plan machine
# attacks

import json
import os
import unittest

from support import MUSTER, NO_SLOTS, LabCase, free_of_prefix, lab_or_skip, run_tests

REASON = lab_or_skip()
WHERE = 'echo "$(hostname) $LOCAL_RANK $LOCAL_WORLD_SIZE $NODE_RANK"'


@unittest.skipIf(REASON, REASON)
class OneHostTwoNames(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def setUp(self):
        super().setUp()
        self.address = self.lab.address("node1")
        self.by_address = self.lab.write_ssh_config("by_address")

    def assert_merged(self, done, other, first):
        self.assertEqual(done.code, 0, done)
        self.assertIn(f"muster: {other} is {first} under another name: one host, with the slots of "
                      "both\n", done.errors)

    def test_a_name_and_an_address_are_one_host(self):
        done = self.launch("-H", f"node1:1,{self.address}:2,node2:1", "--tag", "sh", "-c", WHERE,
                           ssh_command=self.by_address)
        self.assert_merged(done, self.address, "node1")
        told = sorted(map(free_of_prefix, done.text.splitlines()))
        self.assertEqual(told, [(0, "node1 0 3 0"), (1, "node1 1 3 0"), (2, "node1 2 3 0"),
                                (3, "node2 0 1 1")])

    def test_the_name_that_was_written_first_stays(self):
        config = self.lab.write_ssh_config("alias", extra="Host detour\n  HostName node1\n")
        for hosts in ("detour,node1,node2", "node2,detour,node1"):
            done = self.launch("-H", hosts, "hostname", ssh_command=config)
            self.assert_merged(done, "node1", "detour")
            self.assertEqual(done.lines, ["node1", "node1", "node2"])

    def test_hosts_that_are_asked_for_their_cores_are_merged_before(self):
        done = self.launch("-H", f"node1:*,{self.address}:*", "sh", "-c", WHERE,
                           ssh_command=self.by_address)
        self.assert_merged(done, self.address, "node1")
        cores = len(os.sched_getaffinity(0))
        self.assertEqual(len(done.text.splitlines()), cores, done)

    def record(self):
        run, = (name for name in os.listdir(self.path("records")) if not name.startswith("index"))
        return [json.loads(self.read("records", run, name))
                for name in ("plan.json", "report.json")]

    def test_the_record_tells_of_the_plan_that_was_carried_out(self):
        env = self.environment(MUSTER_RECORDS=self.path("records"))
        done = self.launch("-H", f"node1,{self.address}", "hostname", env=env,
                           ssh_command=self.by_address)
        self.assert_merged(done, self.address, "node1")
        plan, report = self.record()
        self.assertEqual([node["host"] for node in plan["nodes"]], ["node1"])
        self.assertEqual(report["hosts"], ["node1"])

    def test_a_job_that_no_longer_fits_is_refused_and_its_record_ends(self):
        self.write("job.yml", "command: hostname\nresources: {instance_count: 2}\n"
                              "distribution: {type: pytorch}\n")
        env = self.environment(MUSTER_RECORDS=self.path("records"),
                               MUSTER_SSH_COMMAND=self.by_address)
        done = self.start_in_lab("-H", f"node1,{self.address}", "job.yml", env=env,
                                 command=[MUSTER, "submit"]).finish()
        self.assertEqual(done.code, NO_SLOTS, done)
        self.assertIn("2 ranks wanted, but there is room for 1", done.errors)
        self.assertEqual(self.record()[1]["state"], "failed")


if __name__ == "__main__":
    run_tests()

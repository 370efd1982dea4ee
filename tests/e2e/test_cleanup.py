"""Whatever dies, nothing of the job is left on any host that lives, and nothing else is touched."""

# rooms: process host head machine link
# attacks

import os
import signal
import subprocess
import unittest

from support import (LOST, MUSTER, READY, UNTIL_GO, WAIT_SECONDS, LabCase, kill_all, lab_or_skip,
                     parent_of, run_tests, until)

REASON = lab_or_skip()

# A rank as bad as they come: a child that ignores signals, one that has left session, parent and
# environment, and a wrapper shell around the real program.
NASTY = ("(trap '' TERM INT HUP; exec sleep $E2E_MARK) & "
         "env -i setsid -f sh -c \": > $DIR/hidden.$RANK; exec sleep $E2E_MARK\"; "
         "while [ ! -e $DIR/hidden.$RANK ]; do sleep 0.01; done; : > $DIR/ready.$RANK; "
         "sleep $E2E_MARK; exit 77")

# One that ignores signals, like its children, but whose children have stayed in its session.
DEAF = ("trap '' TERM INT HUP; (exec sleep $E2E_MARK) & (sh -c 'exec sleep $E2E_MARK' &) & "
        ": > $DIR/ready.$RANK; sleep $E2E_MARK; exit 77")


class Deaths(LabCase):
    """Starts a nasty job on the hosts, each beside a process that is none of its business."""

    def job(self, *words, hosts="node1:2,node2:2", ranks=4, script=NASTY):
        self.bystanders = [self.lab.start(["sleep", "3600"], host=name, stdin=subprocess.DEVNULL)
                           for name in ["head", *self.lab.names]]
        self.addCleanup(self.end_bystanders)
        job = self.start_in_lab("-H", hosts, *words, "sh", "-c", script)
        self.wait_for_files([f"ready.{rank}" for rank in range(ranks)])
        return job

    def assert_only_bystanders(self):
        self.assert_hosts_clean(spared={one.pid for one in self.bystanders})

    def end_bystanders(self):
        for one in self.bystanders:
            if one.popen.poll() is None:
                one.send(signal.SIGKILL)
            one.wait()

    def assert_bystanders_live(self, hosts=("head", "node1", "node2")):
        for name, one in zip(["head", *self.lab.names], self.bystanders):
            if name in hosts:
                self.assertIsNone(one.popen.poll(), f"the bystander on {name} was touched")

    def kill_one(self, host, program):
        pids = self.lab.children_named(host, program)
        self.assertTrue(pids, f"no {program} on {host}: {self.lab.strangers(host)}")
        os.kill(pids[0], signal.SIGKILL)

    def kill_with_guards_and_wardens(self, *hosts):
        """None of them sees another's end before its own."""
        below = self.pids_of("job-warden", hosts) + self.pids_of("muster-guard", hosts)
        for pid in below:
            os.kill(pid, signal.SIGSTOP)
        kill_all([*self.pids_of("muster", hosts), *below])

    def kill_with_guards(self, *hosts):
        """As `pkill -9 muster` does: no guard sees its owner's end before its own."""
        guards = self.pids_of("muster-guard", hosts)
        for pid in guards:
            os.kill(pid, signal.SIGSTOP)
        kill_all([*self.pids_of("muster", hosts), *guards])

    def pids_of(self, program, hosts):
        found = [self.lab.children_named(host, program) for host in hosts]
        self.assertTrue(all(found), f"no {program} on one of {hosts}: {found}")
        return sum(found, [])

    def ends_lost(self, job, *patterns):
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        for pattern in patterns:
            self.assertRegex(done.errors, pattern)
        return done


@unittest.skipIf(REASON, REASON)
class ProcessesDie(Deaths):
    # Whether the head or the agent's warden is first to act on a lease is a matter of chance.
    SILENT = "(?m)node1: (nothing heard for 2 s$|the link to its agent broke)"

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def after(self, job):
        self.assert_bystanders_live()
        self.assert_only_bystanders()
        return job

    def test_the_head(self):
        job = self.job(hosts="head:1,node1:2,node2:1")
        job.send(signal.SIGKILL)
        job.popen.wait(WAIT_SECONDS)
        self.after(job)

    def test_the_head_and_its_guard(self):
        job = self.job(hosts="head:1,node1:2,node2:1")
        self.kill_with_guards("head")
        job.popen.wait(WAIT_SECONDS)
        self.after(job)

    def test_an_agent_and_its_guard(self):
        job = self.job("--grace", "1")
        self.kill_with_guards("node2")
        self.ends_lost(job, "muster: .*node2")
        self.after(job)

    def test_everything_of_our_name_everywhere(self):
        """`pkill -9 -f muster` on all hosts at once does not reach the wardens."""
        hosts = ("head", "node1", "node2")
        job = self.job(hosts="head:1,node1:2,node2:1")
        until("wardens without our name",
              lambda: not any("muster" in self.lab.strangers(host)[pid] for host in hosts
                              for pid in self.lab.children_named(host, "job-warden")))
        self.pids_of("job-warden", hosts)
        self.kill_with_guards(*hosts)
        job.popen.wait(WAIT_SECONDS)
        self.after(job)

    def test_owners_guards_and_wardens_at_the_same_instant(self):
        job = self.job(hosts="head:1,node1:2,node2:1", script=DEAF)
        until("deputies, which come a moment later than all else",
              lambda: all(self.lab.children_named(host, "job-deputy")
                          for host in ("head", "node2")))
        self.kill_with_guards_and_wardens("head", "node2")
        job.popen.wait(WAIT_SECONDS)
        self.after(job)

    def test_a_guard_that_is_stopped(self):
        job = self.job("--grace", "1", "--lease", "2")
        os.kill(self.lab.children_named("node1", "muster-guard")[0], signal.SIGSTOP)
        self.ends_lost(job, "node1: muster's guard process was stopped")
        self.after(job)

    def test_the_guard_beside_the_head_is_stopped(self):
        job = self.job("--grace", "1", "--lease", "2", hosts="head:2,node1:2")
        os.kill(self.lab.children_named("head", "muster-guard")[0], signal.SIGSTOP)
        self.ends_lost(job, "head: muster's guard process was stopped")
        self.after(job)

    def test_an_agent_that_is_stopped(self):
        job = self.job("--grace", "1", "--lease", "2")
        os.kill(self.lab.children_named("node1", "muster")[0], signal.SIGSTOP)
        done = self.ends_lost(job, self.SILENT)
        self.assertNotRegex(done.errors, "cable is gone", "that is not known")
        self.after(job)

    def test_an_agent_and_its_guard_that_are_stopped(self):
        job = self.job("--grace", "1", "--lease", "2")
        for program in ("muster", "muster-guard"):
            os.kill(self.lab.children_named("node1", program)[0], signal.SIGSTOP)
        self.ends_lost(job, self.SILENT)
        self.after(job)

    def test_what_an_agent_leaves_is_not_waited_for(self):
        """Children that ignore SIGTERM end as soon as the ranks have, however the agent went."""
        job = self.job("--grace", "3600")
        self.kill_one("node2", "muster")
        until("no process of the job on node2",
              lambda: not self.lab.strangers("node2", self.mark.encode()))
        self.ends_lost(job, "muster: .*node2")
        self.after(job)

    def test_children_of_a_wrapper_of_ssh(self):
        wrapper = self.write("wrapper", "#!/bin/sh\n(trap '' TERM HUP INT; exec sleep 3600) &\n"
                                        f"{self.lab.ssh_command} \"$@\"\n", 0o755)
        job = self.start_in_lab("-H", "node1", "sh", "-c", ": > $DIR/ready; sleep $E2E_MARK",
                                ssh_command=wrapper)
        self.wait_for_files(["ready"])
        job.send(signal.SIGTERM)
        self.assertEqual(job.finish().code, 128 + signal.SIGTERM)
        self.assert_hosts_clean()

    def test_an_ssh(self):
        job = self.job("--grace", "1")
        self.kill_one("head", "ssh")
        self.ends_lost(job, "muster: .*node[12]")
        self.after(job)

    def test_every_ssh(self):
        job = self.job("--grace", "1")
        kill_all(self.lab.children_named("head", "ssh"))
        self.ends_lost(job, "muster: .*node[12]")
        self.after(job)

    def test_an_agent(self):
        job = self.job("--grace", "1")
        self.kill_one("node2", "muster")
        self.ends_lost(job, "muster: .*node2")
        self.after(job)

    def test_launchers_of_agents_and_head(self):
        """A job's launchers lie in a folder, which the guard removes when nobody else can."""
        self.write("job.yml", "muster: 1\ncommand: echo $MUSTER_LAUNCHERS > $DIR/links.$RANK; "
                              "touch $DIR/ready.$RANK; exec sleep $E2E_MARK\n"
                              "distribution: {type: mpi, node_count: 3}\n")
        hosts = ["head", "node1", "node2"]
        config = f"ssh -F {self.lab.ssh_config}"
        job = self.start_in_lab("submit", "job.yml", "-H", ",".join(hosts), command=[MUSTER],
                                env=self.environment(MUSTER_SSH_COMMAND=config))
        self.wait_for_files([f"ready.{rank}" for rank in range(3)])
        links = [self.lab.path(host, self.read(f"links.{rank}").decode().strip())
                 for rank, host in enumerate(hosts)]
        for folder in links:
            self.assertIn("mpirun", os.listdir(folder))
        kill_all(self.pids_of("muster", ["node2", "head"]))
        job.popen.wait(WAIT_SECONDS)
        self.assert_hosts_clean()
        until("no launchers left", lambda: not any(map(os.path.exists, links)))

    def test_a_guard_beside_an_agent(self):
        job = self.job("--grace", "1")
        self.kill_one("node1", "muster-guard")
        self.assertNotEqual(job.finish().code, 0)
        self.after(job)

    def test_the_guard_beside_the_head(self):
        job = self.job("--grace", "1", hosts="head:2,node1:2")
        self.kill_one("head", "muster-guard")
        self.assertNotEqual(job.finish().code, 0)
        self.after(job)

    def test_a_rank(self):
        job = self.job("--grace", "1")
        shells = [pid for pid, words in self.lab.strangers("node2").items()
                  if words.startswith("sh -c (trap")]
        ranks = [pid for pid in shells if parent_of(pid) not in shells]  # not a fork about to exec
        self.assertEqual(len(ranks), 2)
        os.kill(ranks[0], signal.SIGKILL)
        done = job.finish()
        self.assertEqual(done.code, 128 + signal.SIGKILL, done)
        self.assertRegex(done.errors, "muster: rank [23] on node2.*SIGKILL")
        self.after(job)

    def test_sshd_ends_the_session(self):
        """As when an administrator ends a login: the session's sshd goes, the agent lives on."""
        job = self.job("--grace", "1")
        os.kill(self.sshd_on("node1"), signal.SIGKILL)
        self.ends_lost(job, "muster: .*node1")
        self.after(job)


@unittest.skipIf(REASON, REASON)
class MachinesVanish(Deaths):
    def setUp(self):
        super().setUp()
        self.lab_of(2)
        self.addCleanup(self.lab.close)

    def test_a_pulled_cable(self):
        """With the defaults: the lease is 8 s, ranks that end by themselves need no grace time."""
        job = self.job("--grace", "1")
        self.lab.pull_cable("node2")
        self.ends_lost(job, "muster: .*node2")
        until("the head's end", lambda: job.popen.poll() is not None)
        self.assert_bystanders_live()
        self.assert_only_bystanders()

    def test_the_death_of_a_host(self):
        job = self.job("--grace", "1", "--lease", "2")
        self.lab.kill_host("node1")
        self.ends_lost(job, "muster: .*node1")
        self.assert_bystanders_live(("head", "node2"))
        self.assert_only_bystanders()

    def test_a_cable_that_comes_back_in_time(self):
        job = self.start_in_lab("-H", "node1,node2", "sh", "-c", READY + UNTIL_GO + "; echo on")
        self.wait_for_files(["ready.0", "ready.1"])
        self.lab.pull_cable("node2")
        self.write("go", "")
        until("the end of rank 0", lambda: not self.lab.strangers("node1", b"sh\0-c"))
        self.lab.plug_cable("node2")
        done = job.finish()
        self.assertEqual((done.code, done.out), (0, b"on\n" * 2), done)
        self.assert_hosts_clean()


if __name__ == "__main__":
    run_tests()

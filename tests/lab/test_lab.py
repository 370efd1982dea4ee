"""Tests of the lab itself, with nothing but plain ssh."""

# rooms: lab

import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lab as lab_module  # noqa: E402
from lab import LOCAL, WAIT_SECONDS, Lab, run_tests, until  # noqa: E402

REASON = lab_module.why_not()
if REASON:
    print(f"SKIPPED: no hosts can be made here: {REASON}", file=sys.stderr)


def ssh(lab, name, command, options=()):
    return lab.run(["ssh", "-F", lab.ssh_config, "-o", "BatchMode=yes", *options, name, command])


@unittest.skipIf(REASON, REASON)
class OneLab(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab(2, banner="a banner\n", noisy_shell=True, docker=True)
        cls.lab.__enter__()
        cls.addClassCleanup(cls.lab.close)

    def test_each_host_has_its_own_name_and_address(self):
        for name in self.lab.names:
            code, out, _ = ssh(self.lab, name, "hostname; ip -4 -o addr show eth0")
            self.assertEqual(code, 0)
            self.assertIn(name.encode(), out.split())
            self.assertIn(self.lab.address(name).encode() + b"/24", out)

    def test_each_host_sees_only_its_own_processes_and_shared_memory(self):
        ssh(self.lab, "node1", "echo x > /dev/shm/mine")
        _, out, _ = ssh(self.lab, "node2", "ls /dev/shm; ls -d /proc/[0-9]* | wc -l")
        self.assertNotIn(b"mine", out)
        self.assertLess(int(out.split()[-1]), 20)

    def test_a_host_reaches_the_others_by_name(self):
        script = "exec 3<>/dev/tcp/node1/22; head -c 7 <&3"
        code, out, err = ssh(self.lab, "node2", f"bash -c '{script}'")
        self.assertEqual((code, out[-7:]), (0, b"SSH-2.0"), err)

    def test_the_own_name_is_a_loopback_address(self):
        _, out, _ = ssh(self.lab, "node2", "getent ahostsv4 node2")
        self.assertIn(b"127.0.1.1", out)

    def test_banner_and_noise_are_there(self):
        _, out, err = ssh(self.lab, "node1", "true")
        self.assertIn(b"a banner", err)
        self.assertIn(b"Welcome", out)

    def test_a_folder_of_the_hosts_own(self):
        ssh(self.lab, "node1", f"echo only here > {LOCAL}/file")
        with open(self.lab.path("node1", f"{LOCAL}/file"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "only here\n")
        self.assertNotEqual(ssh(self.lab, "node2", f"cat {LOCAL}/file")[0], 0)
        self.assertFalse(os.path.exists(f"{LOCAL}/file"))

    def test_the_head_stands_in_the_folder_it_was_given(self):
        _, out, _ = self.lab.run(["sh", "-c", "pwd; hostname"], cwd="/usr")
        self.assertEqual(out, b"/usr\nhead\n")

    def test_a_started_program_gets_signals_and_its_end_is_told(self):
        started = self.lab.start(["sleep", "3600"])
        self.assertEqual(list(self.lab.strangers("head")), [started.pid])
        started.send(signal.SIGTERM)
        self.assertEqual(started.wait(), 128 + signal.SIGTERM)
        started.send(signal.SIGTERM)  # a test need not know whether it has just ended

    def test_strangers_are_found_by_mark(self):
        started = self.lab.start(["sleep", "3600"], env=self.lab.environment(MARK="of-this-test"))
        self.assertEqual(list(self.lab.strangers("head", b"of-this-test")), [started.pid])
        self.assertEqual(self.lab.strangers("head", b"of-another-test"), {})
        self.assertEqual(self.lab.strangers("node1"), {})
        started.send(signal.SIGKILL)
        started.wait()
        self.assertEqual(self.lab.strangers("head"), {})

    def test_wrong_key_and_unknown_host_key_are_refused(self):
        self.lab.key("other_key")
        wrong = self.lab.write_ssh_config("wrong_key", identity="other_key").split()
        code, _, err = self.lab.run(wrong + ["-o", "BatchMode=yes", "node1", "true"])
        self.assertEqual(code, 255)
        self.assertIn(b"Permission denied", err)
        unknown = self.lab.write_ssh_config("unknown", known_hosts="none").split()
        code, _, err = self.lab.run(unknown + ["-o", "BatchMode=yes", "node1", "true"])
        self.assertEqual(code, 255)
        self.assertIn(b"Host key verification failed", err)

    def test_a_pulled_cable_and_a_plugged_one(self):
        alive = ["-o", "ConnectTimeout=1"]
        self.lab.pull_cable("node2")
        try:
            self.assertEqual(ssh(self.lab, "node2", "true", alive)[0], 255)
            self.assertEqual(ssh(self.lab, "node1", "true")[0], 0)
        finally:
            self.lab.plug_cable("node2")
        until("node2 is back", lambda: ssh(self.lab, "node2", "true", alive)[0] == 0)


@unittest.skipIf(REASON, REASON)
class TwoLabs(unittest.TestCase):
    def test_two_labs_at_once_are_strangers_and_leave_nothing(self):
        interfaces = set(os.listdir("/sys/class/net"))
        with Lab(1) as one, Lab(1) as two:
            self.assertNotEqual(one.folder, two.folder)
            started = one.start(["sleep", "3600"])
            self.assertEqual(list(one.strangers("head")), [started.pid])
            self.assertEqual(two.strangers("head"), {})
            self.assertEqual(ssh(one, "node1", "true")[0], 0)
            self.assertEqual(ssh(two, "node1", "true")[0], 0)
        self.assertEqual(started.wait(), 128 + signal.SIGKILL)
        self.assertFalse(os.path.exists(one.folder))
        made = set(os.listdir("/sys/class/net")) - interfaces  # others may make some meanwhile
        self.assertFalse(made & {"br0", "eth0", "docker0", *map(one._port, ["head", *one.names])})

    def test_the_death_of_a_host_ends_its_processes_without_a_last_packet(self):
        with Lab(2) as lab:
            started = lab.start(["ssh", "-F", lab.ssh_config, "-o", "ServerAliveInterval=1",
                                 "-o", "ServerAliveCountMax=1", "node1", "sleep 3600"],
                                stderr=subprocess.PIPE)
            sleeping = until("the sleep", lambda: lab.strangers("node1", b"sleep\0" b"3600"))
            lab.kill_host("node1")
            self.assertEqual([lab_module._state(pid) for pid in sleeping], [""])
            self.assertEqual(started.wait(), 255)
            self.assertIn(b"not responding", started.popen.stderr.read())
            started.popen.stderr.close()
            self.assertEqual(ssh(lab, "node2", "true")[0], 0)

    def _maker(self):
        """A separate process that makes a lab, prints its folder and init, and waits."""
        code = ("import sys, time; sys.path.insert(0, sys.argv[1]); from lab import Lab\n"
                "with Lab(1) as lab:\n"
                "    print(lab.folder, lab._inits['node1'], flush=True); time.sleep(3600)\n")
        maker = subprocess.Popen([sys.executable, "-c", code, os.path.dirname(lab_module.__file__)],
                                 stdout=subprocess.PIPE, text=True)
        folder, init = maker.stdout.readline().split()
        maker.stdout.close()
        self.assertNotEqual(lab_module._state(int(init)), "")
        return maker, folder, int(init)

    def test_sigterm_takes_the_lab_along(self):
        maker, folder, init = self._maker()
        maker.terminate()
        self.assertEqual(maker.wait(WAIT_SECONDS), 143)
        self.assertEqual(lab_module._state(init), "")
        self.assertFalse(os.path.exists(folder))

    def test_sigkill_takes_the_hosts_along(self):
        maker, folder, init = self._maker()
        maker.kill()
        maker.wait(WAIT_SECONDS)
        until("the host's end", lambda: lab_module._state(init) in ("", "Z"))
        subprocess.run(["rm", "-r", folder], check=True)

    def test_max_startups_refuses_connections(self):
        with Lab(1, max_startups="2") as lab:
            waiting = [lab.start(["bash", "-c", f"exec 3<>/dev/tcp/{lab.address('node1')}/22; "
                                  "read -r line <&3; echo $line; read -r line <&3"],
                                 stdout=subprocess.PIPE) for _ in range(2)]
            for one in waiting:
                self.assertIn(b"SSH-2.0", one.popen.stdout.readline())
            self.assertEqual(ssh(lab, "node1", "true")[0], 255)
            for one in waiting:
                one.send(signal.SIGKILL)
                one.wait()
                one.popen.stdout.close()
            until("room for one more", lambda: ssh(lab, "node1", "true")[0] == 0)


if __name__ == "__main__":
    run_tests()

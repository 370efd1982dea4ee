"""muster on real hosts: sshd in network namespaces, started from a head that has no sshd."""

# rooms: link head plan host

import os
import re
import subprocess
import unittest

from support import (CANNOT_START, PYTHON, READY, UNREACHABLE, UNTIL_GO, LabCase,
                     free_of_prefix, lab_or_skip, run_tests)

REASON = lab_or_skip()
TORCH = os.path.isdir("/usr/lib/python3/dist-packages/torch")

# Rank 0 listens at the meeting point and the others come there; each says who it met.
MEET = """
import os, socket
rank, size = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
at = (os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT']))
if rank == 0:
    server = socket.create_server(at)
    print('met', sorted(int(server.accept()[0].recv(9)) for _ in range(size - 1)))
else:
    for _ in range(6000):
        try:
            socket.create_connection(at, 60).sendall(str(rank).encode())
            break
        except ConnectionRefusedError:
            __import__('time').sleep(0.01)
    else:
        raise SystemExit(f'nobody listens at {at}')
"""

REDUCE = """
import torch, torch.distributed as dist
dist.init_process_group('gloo')
total = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(total)
dist.barrier()
print('sum', total.item())
"""


@unittest.skipIf(REASON, REASON)
class TwoHosts(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2, docker=True)

    def test_ranks_follow_the_host_list(self):
        for hosts, first, second in (("node1:2,node2:2", "node1", "node2"),
                                     ("node2:2,node1:2", "node2", "node1")):
            done = self.launches("-H", hosts, "-n", "4", "--tag", "hostname")
            told = sorted(free_of_prefix(line) for line in done.text.splitlines())
            self.assertEqual(told, [(0, first), (1, first), (2, second), (3, second)])

    def test_a_hostfile_in_both_ways_of_writing(self):
        for text in ("# the lab\nnode2 slots=1\nnode1 slots=2 max_slots=4 // two\n",
                     "root@node2:1\r\nnode1:2\r\n"):
            self.write("hosts", text)
            done = self.launches("--hostfile", "hosts", "--tag", "hostname")
            told = sorted(free_of_prefix(line) for line in done.text.splitlines())
            self.assertEqual(told, [(0, "node2"), (1, "node1"), (2, "node1")])

    def test_addresses_are_taken_as_they_are(self):
        hosts = ",".join(f"{self.lab.address(name)}:1" for name in ("node2", "node1"))
        config = self.lab.write_ssh_config("by_address")
        done = self.launches("-H", hosts, "--tag", "hostname", ssh_command=config)
        told = sorted(map(free_of_prefix, done.text.splitlines()))
        self.assertEqual(told, [(0, "node2"), (1, "node1")])

    def test_user_port_and_identity_reach_ssh(self):
        config = self.lab.write_ssh_config("other_identity", identity="missing_key",
                                           extra="Host *\n  Port 2222\n")
        identity = os.path.join(self.lab.folder, "key")
        words = ["-H", "root@node1", "--ssh-port", "22", "--ssh-identity", identity]
        done = self.launches(*words, "hostname", ssh_command=config)
        self.assertEqual(done.out, b"node1\n")

    def test_the_meeting_point_can_be_reached_by_all(self):
        for hosts in ("node1:2,node2:2", "node2:1,node1:3", "head:1,node2:1", "node1:1,head:1"):
            ranks = sum(int(part.split(":")[1]) for part in hosts.split(","))
            done = self.launches("-H", hosts, PYTHON, "-S", "-c", MEET)
            self.assertEqual(done.text, f"met {list(range(1, ranks))}\n", f"{hosts}: {done}")

    def test_interfaces_that_lead_nowhere_are_not_chosen(self):
        done = self.launches("-H", "node1:1,node2:1", "sh", "-c",
                             "echo $MASTER_ADDR $GLOO_SOCKET_IFNAME")
        self.assertEqual(done.lines, [f"{self.lab.address('node1')} eth0"] * 2)

    @unittest.skipUnless(TORCH, "Debian's python3-torch is missing")
    def test_pytorch_over_gloo(self):
        done = self.launches("-H", "node1:1,node2:1", PYTHON, "-c", REDUCE)
        self.assertEqual(done.lines, ["sum 3.0"] * 2)

    def test_this_machine_needs_no_ssh(self):
        names = ["head:1", "localhost:1", "127.0.0.1:1", f"{self.lab.address('head')}:1"]
        done = self.launches("-H", ",".join(names), "-n", "4", "hostname", ssh_command="/bin/false")
        self.assertEqual(done.text, "head\n" * 4)

    def test_the_shells_environment_goes_along_less_what_belongs_to_the_host(self):
        own = {"DISPLAY": ":9", "XDG_RUNTIME_DIR": "/run/user/9", "TMPDIR": "/nowhere",
               "SSH_AUTH_SOCK": "/x", "CUDA_VISIBLE_DEVICES": "5", "HOSTNAME": "the-head",
               "HOME": "/home/of-head"}
        plain = {"VIRTUAL_ENV": "/some/venv", "PYTHONPATH": "/a:/b", "NOT_ASCII": "h\u00e9"}
        env = self.environment(**plain, **own)
        done = self.launches("-H", "node1,node2", "--tag", "env", env=env)
        for rank in (0, 1):
            lines = map(free_of_prefix, done.text.splitlines())
            found = dict(line.split("=", 1) for who, line in lines if who == rank)
            for name in (*plain, "PATH"):
                self.assertEqual(found.get(name), env[name], name)
            for name, value in own.items():
                self.assertNotEqual(found.get(name), value, name)
        done = self.launches("-H", "node1", "-x", "DISPLAY", "sh", "-c", "echo $DISPLAY", env=env)
        self.assertEqual(done.out, b":9\n")

    def test_no_value_stands_on_a_command_line(self):
        secret = "value-that-ps-must-not-show"
        job = self.start_in_lab("-H", "node1,node2", "-x", "TOKEN", "sh", "-c", READY + UNTIL_GO,
                                env=self.environment(TOKEN=secret))
        self.wait_for_files(["ready.0", "ready.1"])
        for name in ("head", "node1", "node2"):
            words = self.lab.strangers(name)
            self.assertTrue(words)
            self.assertNotIn(secret, " ".join(words.values()))
        self.write("go", "")
        self.assertEqual(job.finish().code, 0)

    def test_bytes_and_stdin_through_ssh(self):
        data = os.urandom(4 << 20)
        path = self.write("bytes", data)
        done = self.launches("-H", "node1", "sh", "-c", f"cat {path}; cat {path} >&2")
        told = re.match(rb"(muster: waiting for .*\n)*", done.err)[0]  # on a busy machine
        self.assertTrue((done.out, done.err) == (data, told + data), "other bytes")
        job = self.start_in_lab("-H", "node1,node2", "--stdin", "1", "sh", "-c",
                                'cat > "$DIR/got.$RANK"', stdin=subprocess.PIPE)
        done = job.finish(stdin=data)
        self.assertEqual(done.code, 0, done)
        self.assertTrue((self.read("got.0"), self.read("got.1")) == (b"", data), "other bytes")

    def test_the_failed_rank_and_its_host_are_named(self):
        done = self.launch("-H", "node1:2,node2:2", "sh", "-c",
                           "[ $RANK = 2 ] && { echo broken >&2; exit 6; }; exec sleep $E2E_MARK")
        self.assertEqual(done.code, 6, done)
        self.assertRegex(done.errors, r"muster: rank 2 on node2\b.*\b6\b")
        self.assertIn("broken", done.errors)

    def test_ipv6_is_no_obstacle_to_names(self):
        """The lab's hosts have link-local IPv6 addresses; no rank may be given one."""
        done = self.launches("-H", "node1,node2", "sh", "-c", "echo $AZ_BATCH_MASTER_NODE")
        for line in done.lines:
            self.assertRegex(line, r"^[0-9.]+:\d+$")


@unittest.skipIf(REASON, REASON)
class HostsThatRefuse(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)
        cls.lab.key("other_key")

    def refused(self, code, *words, patterns, patience="3600", program=("touch",), **more):
        """For what it is: with such patience, muster gives up no attempt for the time it takes."""
        done = self.launch("--start-timeout", patience, *words, *program, self.path("ran"), **more)
        self.assert_refused(done, code, *patterns)
        self.assertFalse(os.path.exists(self.path("ran")), "something was started")

    def test_unknown_host_key(self):
        config = self.lab.write_ssh_config("unknown", known_hosts="none")
        self.refused(UNREACHABLE, "-H", "node1,node2", patterns=["node[12]", "(?i)host key"],
                     ssh_command=config)

    def test_refused_key(self):
        config = self.lab.write_ssh_config("wrong_key", identity="other_key")
        self.refused(UNREACHABLE, "-H", "node1,node2", patterns=["node[12]", "(?i)key|permission"],
                     ssh_command=config)

    def test_password_wanted(self):
        config = self.lab.write_ssh_config(
            "password", extra="Host *\n  PreferredAuthentications password,keyboard-interactive\n")
        self.refused(UNREACHABLE, "-H", "node1", patterns=["node1"], ssh_command=config)

    def test_a_name_that_does_not_resolve(self):
        self.refused(UNREACHABLE, "-H", "node1,no-such-host.invalid",
                     patterns=[r"no-such-host\.invalid", "(?i)name|resolve"])

    def test_an_address_where_nobody_is(self):
        nobody = f"{self.lab.net}.200"
        self.refused(UNREACHABLE, "-H", f"node1,{nobody}", patterns=[re.escape(nobody)])

    def test_a_host_that_is_up_without_sshd(self):
        self.refused(UNREACHABLE, "-H", "node1,node2", "--ssh-port", "2200",
                     patterns=["node[12]", "(?i)refuse"])

    def test_a_carrier_that_says_nothing(self):
        self.refused(UNREACHABLE, "-H", "node1", patience="1", patterns=["node1"],
                     ssh_command="sh -c 'exec sleep 3600'")

    def test_a_carrier_that_is_missing(self):
        self.refused((UNREACHABLE, CANNOT_START), "-H", "node1", patterns=["no-such-ssh"],
                     ssh_command="no-such-ssh")

    def test_no_agent_there(self):
        self.refused(UNREACHABLE, "-H", "node1", "--agent-path", "/media/no-such-muster",
                     patterns=["node1", "/media/no-such-muster"])

    def test_an_agent_that_is_another_program(self):
        self.refused(UNREACHABLE, "-H", "node1", "--agent-path", "/bin/true", patterns=["node1"])

    def test_a_program_that_one_host_lacks(self):
        with open(self.lab.path("node1", "/media/program"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ntouch /media/ran\n")
        os.chmod(self.lab.path("node1", "/media/program"), 0o755)
        self.refused(CANNOT_START, "-H", "node1,node2", patterns=["node2", "/media/program"],
                     program=("/media/program",))
        self.assertFalse(os.path.exists(self.lab.path("node1", "/media/ran")))

    def test_a_folder_that_one_host_lacks(self):
        os.makedirs(self.lab.path("node1", "/media/work"), exist_ok=True)
        self.refused(CANNOT_START, "-H", "node1,node2", "--workdir", "/media/work",
                     patterns=["node2", "/media/work"])


@unittest.skipIf(REASON, REASON)
class TalkativeHosts(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(4, banner="WARNING: all is watched here\n" * 20, noisy_shell=True)

    def test_four_hosts(self):
        done = self.launches("-H", "node1:4,node2:4,node3:4,node4:4", "--tag", "hostname")
        told = sorted(map(free_of_prefix, done.text.splitlines()))
        self.assertEqual(told, [(rank, f"node{rank // 4 + 1}") for rank in range(16)])

    def test_noise_is_not_shown_and_does_no_harm(self):
        done = self.launches("-H", "node1,node2", "echo", "only this")
        self.assertEqual(done.out, b"only this\n" * 2)

    def test_noise_of_ssh_itself_does_no_harm(self):
        config = self.lab.write_ssh_config("verbose", extra="LogLevel DEBUG3\n")
        done = self.launches("-H", "node1,node2", "echo", "only this", ssh_command=config)
        self.assertEqual(done.out, b"only this\n" * 2)


@unittest.skipIf(REASON, REASON)
class ABusySshd(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(1, max_startups="2")

    def test_eight_names_of_one_sshd_that_lets_in_two(self):
        aliases = "Host alias*\n  HostName " + self.lab.address("node1") + "\n"
        config = self.lab.write_ssh_config("aliases", extra=aliases)
        hosts = ",".join(f"alias{number}" for number in range(1, 9))
        done = self.launches("-H", hosts, "--tag", "hostname", ssh_command=config)
        self.assertEqual(sorted(map(free_of_prefix, done.text.splitlines())),
                         [(rank, "node1") for rank in range(8)])


if __name__ == "__main__":
    run_tests()

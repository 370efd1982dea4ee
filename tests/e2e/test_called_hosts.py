"""Hosts that come to the head by themselves (muster join), and a command with them (muster lead).

The hosts of the lab have no common folder, and ssh does not work between them.
"""

# rooms: front cli head link machine
# long
# attacks

import os
import re
import signal
import subprocess
import unittest

import own
from mpi_programs import MPICH, OPEN_MPI, ends_or_hangs
from seed_case import TRAIN, SeedCase
from support import (BAD_FILE, LOST, MUSTER, UNREACHABLE, USAGE, Case, descendants, lab_or_skip,
                     parent_of, run_tests, until)

REASON = lab_or_skip()
TORCH = os.path.isdir("/usr/lib/python3/dist-packages/torch")
PORT = 7000
HOSTS = ("node1", "node2", "node3")
SHOW = "sh -c 'echo rank $RANK of $WORLD_SIZE on $(hostname)'"
SHOWN = [f"rank {rank} of 3 on node{rank + 1}" for rank in range(3)]
EACH = "muster run -n 3 --per-node 1"

JOB = """type: command
code: src
command: sh say.sh word.txt
resources: {instance_count: 3}
distribution: {type: mpi, process_count_per_instance: 1}
"""
PIPELINE = """type: pipeline
jobs:
  prepare:
    type: command
    code: src
    command: cp word.txt ${{outputs.data}}/word && echo prepared on $(hostname)
    outputs: {data: {type: uri_folder}}
  train:
    type: command
    code: src
    command: sh say.sh ${{inputs.data}}/word
    inputs: {data: {path: '${{parent.jobs.prepare.outputs.data}}'}}
    resources: {instance_count: 3}
    distribution: {type: mpi, process_count_per_instance: 2}
"""


@unittest.skipIf(REASON, REASON)
class CalledCase(SeedCase):
    def setUp(self):
        super().setUp()
        self.put("secret", "hush\n", mode=0o600)
        self.put("bin/ssh", "#!/bin/sh\necho ssh was called >&2\nexit 1\n", mode=0o755)
        os.remove(self.at("head", "muster.yml"))
        self.place = f"{self.lab.address('head')}:{PORT}"
        self.failed_before = {host: self.failed_attempts(host) for host in HOSTS}

    def join(self, host, *words, secret="secret"):
        """`muster join` on a host, with its number unless others are given."""
        words = words or ("--node", str(HOSTS.index(host)), "--of", "3")
        script = " ".join(["exec muster join", self.place, "--secret-file", secret,
                           "--start-timeout 60", *words])
        return self.shell(script, host)

    def join_all(self, hosts=HOSTS):
        return {host: self.join(host) for host in hosts}

    def failed_attempts(self, host):
        return self.lab.counter(host, "Tcp", "AttemptFails")

    def join_and_wait(self, joined):
        """Until each of these hosts has found no head, and so waits for one."""
        for host in joined:
            until(f"{host} has looked for the head",
                  lambda host=host: self.failed_attempts(host) > self.failed_before[host])
        return joined

    def lead(self, command, *words, nodes=3):
        script = " ".join(["exec muster lead --listen", self.place, "--nodes", str(nodes),
                           "--secret-file secret", *words, "--", command])
        return self.shell(script)

    def led(self, command, *words, code=0, seconds=90):
        """The command with three hosts, to its end; all of them end well."""
        joined = self.join_all()
        done = self.lead(command, *words).finish(seconds)
        self.assertEqual(done.code, code, done)
        self.all_end(joined, 0)
        return done

    def all_end(self, joined, code):
        ended = {host: one.finish() for host, one in joined.items()}
        for host, done in ended.items():
            self.assertEqual(done.code, code, (host, done))
        self.assert_hosts_clean()
        return ended

    def until_up(self, *names, host="head"):
        """Until the command has made these files in its folder."""
        there = [self.at(host, name) for name in names]
        until(f"{names} on {host}", lambda: all(os.path.exists(path) for path in there))

    def each_up(self, hosts=HOSTS):
        for host in hosts:
            self.until_up("up", host=host)

    # Ranks on all hosts, each of which makes a file on its own disk once it is there.
    def stay(self):
        return f"{EACH} sh -c ': > {self.home}/up; exec sleep {self.mark}'"


class Runs(CalledCase):
    def test_a_launcher_finds_the_hosts_and_more_than_once(self):
        self.put("twice.sh", f"{EACH} {SHOW}\n{EACH} {SHOW}\n", ["head"])
        done = self.led("sh twice.sh")
        self.assertEqual(done.lines, sorted(SHOWN * 2), done)
        self.assertEqual(done.complaints, "")

    def test_other_launchers(self):
        for line in ("mpirun -np 6 hostname", "muster mpiexec.hydra -n 6 hostname",
                     "horovodrun -np 6 hostname"):
            done = self.led(line, "--slots", "2")
            self.assertEqual(sorted(re.findall(r"node\d", done.text)), sorted(HOSTS * 2),
                             f"{line}: {done}")

    def test_two_at_a_time(self):
        self.put("both.sh", f"{EACH} {SHOW} >one & {EACH} {SHOW} >two & wait\n", ["head"])
        self.led("sh both.sh")
        for name in ("one", "two"):
            with open(self.at("head", name), encoding="utf-8") as file:
                self.assertEqual(sorted(file.read().splitlines()), SHOWN)

    @unittest.skipUnless(TORCH, "no torch here")
    def test_torch_trains(self):
        self.put("train.py", TRAIN)
        done = self.led("torchrun -H node1,node2,node3 --nproc_per_node 1 train.py", seconds=120)
        self.assert_trained(done, 3, 1)

    @unittest.skipIf(OPEN_MPI.missing(), OPEN_MPI.missing())
    def test_open_mpi(self):
        done = self.led(f"mpirun -np 6 {OPEN_MPI.program('collectives')}", "--slots", "2")
        self.assertIn("collectives ok with 6", done.lines, done)

    @unittest.skipIf(MPICH.missing(), MPICH.missing())
    def test_mpich(self):
        program = MPICH.program("collectives")
        joined = self.join_all()
        led = self.lead(f"muster mpiexec.hydra -n 6 {program}", "--slots", "2")
        ends_or_hangs(self, led, "collectives ok with 6")
        self.all_end(joined, 0)

    def put_code(self):
        self.put("src/word.txt", "hello", ["head"])
        self.put("src/say.sh", "echo $(cat $1) from $RANK on $(hostname)\n", ["head"])

    def test_a_job_file_runs_there_with_its_code(self):
        self.put_code()
        self.put("job.yml", JOB, ["head"])
        done = self.led("muster submit job.yml")
        self.assertEqual(done.lines, [f"hello from {i} on node{i + 1}" for i in range(3)], done)

    def test_a_pipeline_runs_there_with_its_code(self):
        self.put_code()
        self.put("pipeline.yml", PIPELINE, ["head"])
        done = self.led("muster submit pipeline.yml")
        said = [f"train: hello from {i} on node{i // 2 + 1}" for i in range(6)]
        self.assertEqual(done.lines, ["prepare: prepared on node1", *said], done)

    def test_a_hosts_own_launcher_reaches_the_others(self):
        self.put("inner.sh", f"muster run -H node2,node3 {SHOW}\n")
        done = self.led(f"muster run -n 1 -H node1 sh {self.home}/inner.sh")
        self.assertEqual(done.lines, ["rank 0 of 2 on node2", "rank 1 of 2 on node3"], done)

    def test_launchers_keep_records_and_the_head_keeps_none(self):
        self.led(f"{EACH} muster run -n 2 true")
        done = self.types("muster ps")
        self.assertEqual(len(done.text.splitlines()), 2, done)  # with the head line
        self.assertIn("muster run -n 2 true", done.text)
        for host in HOSTS:  # what ranks start belongs to their run
            self.assertFalse(os.path.exists(self.at(host, ".local")), host)

    def test_the_command_fails_as_it_fails(self):
        done = self.led(f"{EACH} sh -c 'if [ $RANK = 1 ]; then echo no room >&2; exit 5; fi; "
                        f"exec sleep {self.mark}'", code=5)
        self.assertRegex(done.errors, r"muster: rank 1 on node2 exited with code 5")
        self.assertEqual(done.errors.count("exited with"), 1, done)
        self.assertIn("no room", done.errors)


class Meets(CalledCase):
    def test_hosts_may_come_first(self):
        joined = self.join_and_wait(self.join_all())
        done = self.lead("true").finish()
        self.assertEqual(done.code, 0, done)
        self.all_end(joined, 0)

    def test_hosts_without_numbers_get_them(self):
        joined = {host: self.join(host, "--of", "3") for host in HOSTS}
        done = self.lead("sh -c 'cat $AZUREML_MPI_HOSTFILE'").finish()
        self.assertEqual(done.lines, list(HOSTS), done)
        self.all_end(joined, 0)

    def test_hosts_are_called_as_it_is_said(self):
        self.put("names", "one\ntwo\nthree\n", ["head"])
        done = self.led("muster run -H two,three hostname", "--names", "names")
        self.assertEqual(done.lines, ["node2", "node3"], done)

    def test_a_missing_host_is_named(self):
        joined = self.join_and_wait(self.join_all(("node1", "node3")))
        done = self.lead("echo started", "--start-timeout", "10").finish()
        self.assert_refused(done, UNREACHABLE,
                            rf"host 1 of 3 did not connect to {self.place} within 10 s")
        ended = self.all_end(joined, USAGE)
        self.assertIn("host 1 of 3 did not connect", ended["node1"].errors)

    def test_no_head(self):
        done = self.join("node1", "--node", "0", "--start-timeout", "0.2").finish()
        self.assert_refused(done, USAGE)  # twice: contradicts itself
        script = f"exec muster join {self.place} --secret-file secret --start-timeout 0.1"
        done = self.shell(script, "node1").finish()
        self.assert_refused(done, UNREACHABLE, rf"no answer from the head at {self.place}",
                            "does `muster lead` run there")

    def test_a_wrong_secret(self):
        self.put("other", "loud\n", mode=0o600)
        joined = self.join_and_wait({"node1": self.join("node1", secret="other")})
        led = self.lead("true", "--start-timeout", "10")
        done = joined["node1"].finish()
        self.assertIn(done.code, (USAGE, UNREACHABLE), done)
        self.assertIn("another name or secret", done.errors)
        done = led.finish()
        self.assertEqual(done.code, UNREACHABLE, done)
        self.assertIn(f"a host that connected from {self.lab.address('node1')} was refused",
                      done.errors)

    def test_contradictions_are_told_on_both_sides(self):
        joined = self.join_and_wait({"node1": self.join("node1", "--node", "0", "--of", "4"),
                                     "node2": self.join("node2", "--node", "3")})
        led = self.lead("true", "--start-timeout", "10")
        for host, why in (("node1", "it was started for 4 hosts, the head for 3"),
                          ("node2", "there is no host 3")):
            done = joined[host].finish()
            self.assertEqual(done.code, USAGE, done)
            self.assertRegex(done.errors, f"the head at {self.place}: {why}")
        told = led.finish().errors  # the last that it has refused
        whys = (f"{self.lab.address('node1')} was refused: it was started for 4 hosts, the head",
                f"{self.lab.address('node2')} was refused: there is no host 3")
        self.assertTrue(any(why in told for why in whys), told)

    def test_a_stranger_changes_nothing(self):
        self.put("stranger.py", "import socket, sys, time\n"
                 "open('up', 'w')\n"
                 "while True:\n"
                 "    try:\n"
                 f"        one = socket.create_connection(('{self.lab.address('head')}', {PORT}))\n"
                 "        one.send(b'GET / HTTP/1.1\\r\\n\\r\\n')\n"
                 "        one.recv(4096)\n"
                 "        one.close()\n"
                 "    except OSError:\n"
                 "        time.sleep(0.01)\n", ["node4"])
        stranger = self.shell("exec python stranger.py", "node4")
        self.until_up("up", host="node4")
        joined = self.join_all()
        done = self.lead(f"{EACH} {SHOW}").finish()
        stranger.send(signal.SIGKILL)
        stranger.finish()
        self.assertEqual((done.code, done.lines), (0, SHOWN), done)
        self.all_end(joined, 0)

    def test_a_secret_that_others_can_read_is_refused(self):
        self.put("secret", "hush\n", ["node1"], mode=0o644)
        self.assert_refused(self.join("node1").finish(), BAD_FILE, "others may read", "chmod 600")


class Ends(CalledCase):
    def begin(self):
        joined = self.join_all()
        led = self.lead(self.stay())
        self.each_up()
        return led, joined

    def test_a_host_is_told_to_end(self):
        led, joined = self.begin()
        joined["node2"].send(signal.SIGTERM)
        done = led.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertIn("node2: the host was told to end (SIGTERM)", done.errors)
        ended = joined.pop("node2").finish()
        self.assertEqual(ended.code, 128 + signal.SIGTERM, ended)
        self.assertIn("ended by SIGTERM", ended.errors)
        self.all_end(joined, 0)

    def test_an_agent_is_killed(self):
        led, joined = self.begin()
        joined.pop("node3").send(signal.SIGKILL)
        done = led.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertIn("node3: the link to its agent broke", done.errors)
        self.all_end(joined, 0)

    def test_an_idle_host_is_lost_and_the_others_go_on(self):
        self.put("wait.sh", ": > up; while [ ! -e go ]; do sleep 0.02; done\n"
                 f"muster run -H node1,node2 {SHOW}\nmuster run -H node3 true; echo code $?\n",
                 ["head"])
        joined = self.join_all()
        led = self.lead("sh wait.sh")
        self.until_up("up")
        joined.pop("node3").send(signal.SIGKILL)
        until("node3 empty", lambda: not self.lab.strangers("node3"))
        self.put("go", "", ["head"])
        done = led.finish()
        self.assertEqual(done.lines, [f"code {UNREACHABLE}", "rank 0 of 2 on node1",
                                      "rank 1 of 2 on node2"], done)
        self.assertRegex(done.complaints, r"^muster: node3: the link to its agent broke")
        self.assertIn("node3: this host has been lost", done.errors)
        self.assertEqual(done.code, 0, done)
        self.all_end(joined, 0)

    def test_an_idle_host_is_told_to_end(self):
        self.put("wait.sh", ": > up; while [ ! -e go ]; do sleep 0.02; done\n", ["head"])
        joined = self.join_all()
        led = self.lead("sh wait.sh")
        self.until_up("up")
        gone = joined.pop("node3")
        gone.send(signal.SIGTERM)
        self.assertEqual(gone.finish().code, 128 + signal.SIGTERM)
        self.put("go", "", ["head"])
        done = led.finish()
        self.assertEqual((done.code, done.complaints),
                         (0, "muster: node3: the host was told to end (SIGTERM)\n"), done)
        self.all_end(joined, 0)

    def test_the_head_is_told_to_end(self):
        led, joined = self.begin()
        led.send(signal.SIGTERM)
        done = led.finish()
        self.assertEqual(done.code, 128 + signal.SIGTERM, done)
        self.all_end(joined, 0)

    def test_the_head_is_killed(self):
        led, joined = self.begin()
        led.send(signal.SIGKILL)
        led.finish()
        for done in self.all_end(joined, LOST).values():
            self.assertIn("the connection to the head was lost", done.errors)

    def test_the_heads_cable_is_cut(self):
        """Then nobody is told, and each side gives up after the lease."""
        joined = self.join_all()
        led = self.lead(self.stay(), "--lease", "2")
        self.each_up()
        self.lab.pull_cable("head")
        try:
            self.assertEqual(led.finish().code, LOST)
            for host, one in joined.items():
                done = one.finish()
                self.assertEqual(done.code, LOST, (host, done))
                self.assertIn("nothing heard from the head", done.errors)
            self.assert_hosts_clean()
        finally:
            self.lab.plug_cable("head")

    def test_whoever_waits_ends_at_once(self):
        led, joined = self.lead("true"), self.join_all(("node1",))
        until("node1 has come", lambda: self.connections() > 0)
        for one in (joined["node1"], led):
            one.send(signal.SIGTERM)
            done = one.finish()
            self.assertEqual(done.code, 128 + signal.SIGTERM, done)
            self.assertIn("ended by a signal while waiting", done.errors)

    def connections(self):
        out = self.lab.run(["ss", "-Htn", "state", "established", "sport", f"= :{PORT}"])[1]
        return len(out.splitlines())


class FirstProcess(CalledCase):
    """As in a container, where muster is process 1."""

    def join_as_first(self, host):
        script = (f"exec unshare --pid --fork --kill-child --mount-proc muster join {self.place} "
                  f"--secret-file secret --node {HOSTS.index(host)}")
        return self.shell(script, host)

    @staticmethod
    def first_of(unshare):
        """Process 1 of the namespace that it made, seen from here."""
        return FirstProcess.children(unshare.pid)[0]

    @staticmethod
    def children(parent):
        """With those that nobody has waited for."""
        return [pid for pid in descendants(parent) if parent_of(pid) == parent]

    def begin(self):
        joined = {host: self.join_as_first(host) for host in HOSTS}
        led = self.lead(self.stay())
        self.each_up()
        return led, joined

    def test_it_ends_in_order_after_a_signal(self):
        led, joined = self.begin()
        os.kill(self.first_of(joined["node2"]), signal.SIGTERM)
        done = led.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertIn("node2: the host was told to end (SIGTERM)", done.errors)
        self.assertEqual(joined.pop("node2").finish().code, 128 + signal.SIGTERM)
        self.all_end(joined, 0)

    def test_it_reaps_orphans_of_others(self):
        led, joined = self.begin()
        first = self.first_of(joined["node1"])
        inside = ["nsenter", "-t", str(first), "-p", "-m", "--", "sh", "-c",
                  f"(sh -c ': > {self.path('orphan')}' & exec true) & exec true"]
        subprocess.run(inside, check=True, env=self.environment())

        orphan = self.path("orphan")
        until("the orphan has ended", lambda: os.path.exists(orphan))
        until("only muster below process 1", lambda: len(self.children(first)) == 1)
        led.send(signal.SIGTERM)
        led.finish()
        self.all_end(joined, 0)


class OnOneMachine(Case):
    """Many hosts that are all this machine."""

    def test_sixty_four_at_once(self):
        count = 64
        place = f"127.0.0.1:{own.port()}"
        secret = self.write("secret", "hush", 0o600)
        joined = [self.start(place, "--node", str(i), "--secret-file", secret,
                             command=(MUSTER, "join")) for i in range(count)]
        done = self.start("--listen", place, "--nodes", str(count), "--secret-file", secret,
                          "--", "sh", "-c", 'sort -u "$AZUREML_MPI_HOSTFILE" | wc -l; '
                          "muster run -n 4 sh -c 'echo rank $RANK'",
                          command=(MUSTER, "lead")).finish(120)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(done.lines, [str(count), *(f"rank {i}" for i in range(4))], done)
        for one in joined:
            ended = one.finish()
            self.assertEqual(ended.code, 0, ended)


if __name__ == "__main__":
    run_tests()

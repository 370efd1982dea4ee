"""--fake-nodes: real agents in processes of their own, on this machine."""

# rooms: head host machine link

import json
import os
import re
import signal
import unittest

from support import (CANNOT_START, LOST, MUSTER, READY, UNTIL_GO, WAIT_SECONDS, Case, descendants,
                     free_of_prefix, kill_all, name_of, state_of, until)

MIB = 1 << 20


def agents_of(job):
    """Pids of the agents: processes of the program below the head that are no guard."""
    return sorted(pid for pid in descendants(job.pid)
                  if program_of(pid) == os.path.realpath(MUSTER)
                  and name_of(pid) not in ("muster-guard", "job-warden", "job-deputy"))


def program_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:  # it has just ended
        return None


class Layout(Case):
    def places(self, *words):
        """(rank, node, local rank) of each rank, by rank."""
        done = self.succeeds(*words, "sh", "-c", "echo $RANK $NODE_RANK $LOCAL_RANK")
        return sorted(tuple(map(int, line.split())) for line in done.lines)

    def test_by_slot(self):
        self.assertEqual(self.places("--fake-nodes", "2", "-n", "4"),
                         [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1)])

    def test_by_node(self):
        self.assertEqual(self.places("--fake-nodes", "2", "-n", "4", "--map-by", "node"),
                         [(0, 0, 0), (1, 1, 0), (2, 0, 1), (3, 1, 1)])

    def test_per_node(self):
        self.assertEqual(self.places("--fake-nodes", "3", "--per-node", "2"),
                         [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1), (4, 2, 0), (5, 2, 1)])

    def test_one_rank_each_when_nothing_is_said(self):
        self.assertEqual(self.places("--fake-nodes", "3"), [(0, 0, 0), (1, 1, 0), (2, 2, 0)])

    def test_the_dry_run_tells_the_same(self):
        words = ["--fake-nodes", "2", "-n", "5"]
        plan = json.loads(self.succeeds("--dry-run", "--json", *words, "true").out)
        told = [(one["rank"], one["node"], one["local_rank"]) for one in plan["ranks"]]
        self.assertEqual(told, self.places(*words))
        self.assertEqual(plan["world_size"], 5)
        self.assertTrue(all(one["reason"] for one in plan["ranks"]))

    def test_many_nodes(self):
        done = self.succeeds("--fake-nodes", "16", "-n", "64", "sh", "-c", "echo $RANK")
        self.assertEqual(sorted(map(int, done.lines)), list(range(64)))


class Streams(Case):
    def test_bytes_arrive_as_they_left(self):
        path = self.write("bytes", os.urandom(5 * MIB))
        script = f"cat {path}; cat {path} >&2"
        done = self.succeeds("--fake-nodes", "1", "-n", "1", "sh", "-c", script)
        self.assertEqual(done.out, self.read("bytes"))
        self.assertEqual(done.err, self.read("bytes"))

    def test_files_and_tags(self):
        script = "for i in 1 2 3; do echo line $i; done; echo error >&2"
        words = ["--fake-nodes", "2", "-n", "4", "--tag", "--logs", "logs"]
        done = self.succeeds(*words, "sh", "-c", script)
        lines = [free_of_prefix(line) for line in done.text.splitlines()]
        expected = ["line 1", "line 2", "line 3"]
        for rank in range(4):
            self.assertEqual([text for who, text in lines if who == rank], expected)
            kept = self.read("logs", f"rank.{rank}", "stdout").decode()
            self.assertEqual(kept, "\n".join(expected) + "\n")
            self.assertEqual(self.read("logs", f"rank.{rank}", "stderr"), b"error\n")

    def test_stdin_reaches_the_rank_on_the_second_node(self):
        data = os.urandom(10 * MIB)
        self.succeeds("--fake-nodes", "2", "-n", "2", "--stdin", "1", "sh", "-c",
                      'cat > "$DIR/got.$RANK"', stdin=data)
        self.assertEqual((self.read("got.0"), self.read("got.1")), (b"", data))

    def test_stdin_reaches_all(self):
        data = os.urandom(MIB)
        self.succeeds("--fake-nodes", "2", "-n", "4", "--stdin", "all", "sh", "-c",
                      'cat > "$DIR/got.$RANK"', stdin=data)
        for rank in range(4):
            self.assertEqual(self.read(f"got.{rank}"), data)

    def test_memory_stays_bounded(self):
        path = self.write("lines", (b"y" * 63 + b"\n") * (MIB // 4))
        each = os.path.getsize(path)
        job = self.start("--fake-nodes", "2", "-n", "4", "sh", "-c",
                         f'cat {path}; until [ -e "$DIR/measured" ]; do sleep 0.01; done')
        got = 0
        while got < 4 * each:
            got += len(os.read(job.popen.stdout.fileno(), MIB))
        peaks = {}
        for pid in [job.pid, *agents_of(job)]:
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                peaks[pid] = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) // 1024
        self.write("measured", "")
        done = job.finish()
        self.assertEqual((done.code, got, done.out), (0, 4 * each, b""))
        self.assertLess(max(peaks.values()), 64, "MiB at the most")


class Ends(Case):
    def job(self, script, *words, ready="ready"):
        job = self.start("--fake-nodes", "2", "-n", "4", *words, "sh", "-c",
                         READY.replace("ready", ready) + script)
        self.wait_for_files([f"{ready}.{rank}" for rank in range(4)])
        return job

    def test_the_failed_rank_and_its_node_are_named(self):
        done = self.muster("--fake-nodes", "2", "-n", "4", "sh", "-c",
                           "[ $RANK = 3 ] && exit 7; exec sleep $E2E_MARK")
        self.assertEqual(done.code, 7, done)
        self.assertRegex(done.errors, r"muster: rank 3 on fake-1\b")

    def test_signals_reach_ranks_behind_agents(self):
        script = "trap 'echo got; exit 0' USR1; : > $DIR/set.$RANK; while :; do sleep 0.01; done"
        job = self.job(script)
        self.wait_for_files([f"set.{rank}" for rank in range(4)])
        job.send(signal.SIGUSR1)
        self.assertEqual(job.finish().lines, ["got"] * 4)

    def test_an_interrupt(self):
        job = self.job('exec sleep $E2E_MARK')
        job.send(signal.SIGINT)
        self.assertEqual(job.finish().code, 130)

    def test_a_killed_agent_ends_the_job(self):
        job = self.job("env -i setsid -f sleep $E2E_MARK; exec sleep $E2E_MARK", "--grace", "1")
        agents = agents_of(job)
        self.assertEqual(len(agents), 2)
        os.kill(agents[1], signal.SIGKILL)
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assertRegex(done.errors, r"muster: .*fake-[01]")
        self.assert_nothing_left()

    def test_a_frozen_agent_is_lost_after_the_lease(self):
        job = self.job("exec sleep $E2E_MARK", "--grace", "1", "--lease", "1")
        os.kill(agents_of(job)[0], signal.SIGSTOP)
        done = job.finish()
        self.assertEqual(done.code, LOST, done)
        self.assert_nothing_left()

    def test_a_killed_head_leaves_nothing(self):
        deaf = "(trap '' TERM; exec sleep $E2E_MARK) & "
        job = self.job(deaf + "env -i setsid -f sleep $E2E_MARK; wait", "--grace", "1")
        job.send(signal.SIGKILL)
        job.popen.wait(WAIT_SECONDS)
        self.assert_nothing_left()

    def test_every_guard_killed_leaves_nothing(self):
        job = self.job("env -i setsid -f sleep $E2E_MARK; exec sleep $E2E_MARK", "--grace", "1")
        guards = [pid for pid in descendants(job.pid) if name_of(pid) == "muster-guard"]
        self.assertTrue(guards)
        kill_all(guards)
        self.assertNotEqual(job.finish().code, 0)
        self.assert_nothing_left()

    def test_a_missing_program_starts_nothing(self):
        done = self.muster("--fake-nodes", "2", "-n", "2", "no-such-program")
        self.assert_refused(done, CANNOT_START, "no-such-program", "fake-[01]")

    def test_a_frozen_head_is_survived(self):
        """Ctrl-Z: the agents' lease must not end a job whose head stands still on purpose."""
        job = self.job(UNTIL_GO, "--lease", "1")
        other = self.job("exec sleep $E2E_MARK", "--lease", "2", "--grace", "1", ready="other")
        job.send(signal.SIGTSTP)
        until("a head that stands still", lambda: state_of(job.pid) == "T")
        agents = agents_of(job)
        self.assertEqual(len(agents), 2)
        # One that cannot tell its agents loses them, after twice the time.
        other.send(signal.SIGSTOP)
        until("agents that have given up", lambda: not agents_of(other))
        self.assertEqual(agents_of(job), agents)
        for head in (job, other):
            head.send(signal.SIGCONT)
        self.assertEqual(other.finish().code, LOST)
        self.write("go", "")
        self.assertEqual(job.finish().code, 0)


if __name__ == "__main__":
    unittest.main()

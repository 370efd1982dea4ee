"""muster on this machine alone: ranks, exit codes, signals, stdin, output, clean-up, bad input."""

# rooms: cli head host process machine

import fcntl
import json
import os
import re
import shlex
import signal
import subprocess
import unittest

from support import (BAD_FILE, CANNOT_START, MUSTER, NO_SLOTS, PYTHON, READY, TIMEOUT, UNTIL_GO,
                     USAGE, WAIT_SECONDS, Case, descendants, free_of_prefix, name_of, state_of,
                     survivors, unread, until)

MIB = 1 << 20
PAGE = 4096  # of a pipe


class Ranks(Case):
    def test_each_rank_runs_once_and_knows_its_number(self):
        done = self.succeeds("-n", "3", "sh", "-c", "echo $RANK/$WORLD_SIZE/$LOCAL_RANK")
        self.assertEqual(done.lines, ["0/3/0", "1/3/1", "2/3/2"])

    def test_np_is_n(self):
        self.assertEqual(len(self.succeeds("-np", "2", "echo", "x").lines), 2)

    def test_without_n_one_rank(self):
        self.assertEqual(self.succeeds("echo", "x").out, b"x\n")

    def test_words_behind_the_program_are_its_own(self):
        done = self.succeeds("-n", "1", "printf", "%s ", "-n", "5", "--tag", "--bogus")
        self.assertEqual(done.out, b"-n 5 --tag --bogus ")

    def test_two_dashes_end_the_options(self):
        self.assertEqual(self.succeeds("-n", "1", "--", "echo", "a b", "$RANK").out, b"a b $RANK\n")

    def test_the_folder_is_the_current_one_or_workdir(self):
        self.assertEqual(self.succeeds("pwd").text.strip(), os.path.realpath(self.folder))
        self.assertEqual(self.succeeds("--workdir", "/usr", "pwd").out, b"/usr\n")

    def test_many_ranks(self):
        done = self.succeeds("-n", "64", "sh", "-c", "echo $RANK")
        self.assertEqual(sorted(map(int, done.lines)), list(range(64)))

    def test_more_ranks_than_cores_run_with_one_notice(self):
        done = self.succeeds("-n", "64", "true")
        notices = [line for line in done.errors.splitlines() if line.startswith("muster: ")]
        self.assertEqual(len(notices), 1, done)
        self.assertIn("64", notices[0])

    def test_verbose_times_the_phases(self):
        done = self.succeeds("-v", "-n", "2", "true")
        self.assertRegex(done.errors, r"(?m)^muster: .*greeted [\d.]+ s.*ended [\d.]+ s")

    def test_a_single_rank_says_nothing_more_than_the_program(self):
        self.assertEqual(self.succeeds("-n", "1", "true").err, b"")


class Ends(Case):
    def test_the_first_failure_gives_the_exit_code_and_ends_the_rest(self):
        done = self.muster("-n", "3", "sh", "-c", "[ $RANK != 1 ] || exit 3; exec sleep $E2E_MARK")
        self.assertEqual(done.code, 3, done)
        self.assertRegex(done.errors, r"(?m)^muster: .*rank 1\b.*\b3\b")

    def test_codes_of_ranks_that_are_ended_do_not_hide_the_first(self):
        script = ("trap 'exit 9' TERM; : > $DIR/ready.$RANK; if [ $RANK = 1 ]; then "
                  "while [ ! -e $DIR/ready.0 ]; do sleep 0.01; done; exit 3; fi; "
                  "while :; do sleep 0.01; done")
        self.assertEqual(self.muster("-n", "2", "sh", "-c", script).code, 3)

    def test_the_report_has_the_last_words_of_the_failed_rank(self):
        script = "[ $RANK = 2 ] && { echo the disk is on fire >&2; exit 5; }; exec sleep $E2E_MARK"
        done = self.muster("-n", "4", "sh", "-c", script)
        self.assertEqual(done.code, 5, done)
        report = done.errors[done.errors.index("muster: rank 2"):]
        self.assertIn("the disk is on fire", "\n".join(report.splitlines()[:3]))

    def test_a_signal_gives_128_more_and_its_name(self):
        for name in ("SEGV", "KILL", "ABRT"):
            number = getattr(signal, f"SIG{name}")
            done = self.muster("-n", "2", "sh", "-c", f"[ $RANK = 0 ] && kill -{name} $$; "
                               "exec sleep $E2E_MARK")
            self.assertEqual(done.code, 128 + number, done)
            self.assertIn(f"SIG{name}", done.errors)

    def test_a_rank_that_ignores_the_signal_is_killed_after_the_grace_time(self):
        script = (f"if [ $RANK = 0 ]; then {UNTIL_GO}; exit 4; fi; "
                  "trap '' TERM INT; : > $DIR/go; sleep 30; : > $DIR/outlived")
        done = self.muster("-n", "2", "--grace", "0.5", "sh", "-c", script)
        self.assertEqual(done.code, 4, done)
        self.assertIn("SIGKILL after 0.5 s", done.errors)
        self.assertFalse(os.path.exists(self.path("outlived")), "the grace time was far longer")

    def test_the_time_limit(self):
        done = self.muster("-n", "2", "--timeout", "0.5", "sleep", "30")
        self.assertEqual(done.code, TIMEOUT, done)  # not 0: it was far shorter than 30 s
        self.assertRegex(done.errors, r"(?m)^muster: .*0\.5")

    def test_background_children_of_a_rank_are_ended(self):
        done = self.succeeds("-n", "2", "sh", "-c", "sleep $E2E_MARK & echo done")
        self.assertEqual(done.text, "done\n" * 2)

    def test_grandchildren_that_hide_are_ended(self):
        hide = ("env -i setsid -f sh -c \": > $DIR/hidden.$RANK; exec sleep $E2E_MARK\" >&-; "
                "while [ ! -e $DIR/hidden.$RANK ]; do sleep 0.01; done; exit $RANK")
        for ranks, code in ((1, 0), (2, 1)):  # after success and after failure
            done = self.muster("-n", str(ranks), "--grace", "1", "sh", "-c", hide)
            self.assertEqual(done.code, code, done)
            self.assertTrue(os.path.exists(self.path("hidden.0")))
            self.assert_nothing_left()

    def test_another_program_of_the_same_name_is_not_touched(self):
        other = subprocess.Popen(["sleep", "3600"])
        try:
            self.muster("-n", "2", "sh", "-c", "sleep $E2E_MARK & exit 1")
            self.assertIsNone(other.poll())
        finally:
            other.kill()
            other.wait()


class Signals(Case):
    def two_ranks(self, script, *words):
        job = self.start("-n", "2", *words, "sh", "-c", script)
        self.wait_for_files(["ready.0", "ready.1"])
        return job

    def test_user_signals_and_hangup_reach_every_rank(self):
        for name in ("USR1", "USR2", "HUP"):
            script = (f"trap 'echo got {name}; exit 0' {name}; : > $DIR/ready.$RANK; "
                      "while :; do sleep 0.01; done")
            job = self.two_ranks(script)
            job.send(getattr(signal, f"SIG{name}"))
            done = job.finish()
            self.assertEqual(done.lines, [f"got {name}"] * 2, done)
            for rank in range(2):
                os.unlink(self.path(f"ready.{rank}"))

    def test_stop_and_continue_reach_every_rank(self):
        # They wait in open(): a shell whose child is stopped between vfork and exec shows D, not T.
        for rank in range(2):
            os.mkfifo(self.path(f"go.{rank}"))
        job = self.two_ranks("echo $$ > $DIR/pid.$RANK; " + READY + "read _ < $DIR/go.$RANK")
        pids = [int(self.read(f"pid.{rank}")) for rank in range(2)]
        job.send(signal.SIGTSTP)
        until("ranks that stand still", lambda: all(state_of(pid) == "T" for pid in pids))
        job.send(signal.SIGCONT)
        until("ranks that go on", lambda: all(state_of(pid) in "SR" for pid in pids))
        for rank in range(2):
            self.write(f"go.{rank}", "\n")
        self.assertEqual(job.finish().code, 0)

    def test_one_interrupt_ends_gracefully(self):
        job = self.two_ranks("trap 'echo bye; exit 0' INT TERM; " + READY + UNTIL_GO)
        job.send(signal.SIGINT)
        done = job.finish()
        self.assertEqual(done.code, 130, done)
        self.assertEqual(done.lines, ["bye"] * 2, done)

    def test_two_interrupts_end_at_once(self):
        script = ("trap ': > $DIR/asked.$RANK' INT TERM; : > $DIR/ready.$RANK; "
                  "while :; do sleep 0.01; done")
        job = self.two_ranks(script, "--grace", "3600")
        job.send(signal.SIGINT)
        self.wait_for_files(["asked.0", "asked.1"])
        job.send(signal.SIGINT)
        self.assertEqual(job.finish().code, 130)

    def test_term_ends_with_143(self):
        job = self.two_ranks(": > $DIR/ready.$RANK; exec sleep $E2E_MARK")
        job.send(signal.SIGTERM)
        self.assertEqual(job.finish().code, 143)

    def test_a_killed_muster_leaves_nothing(self):
        script = ("(trap '' TERM; exec sleep $E2E_MARK) & env -i setsid -f sleep $E2E_MARK; "
                  ": > $DIR/ready.$RANK; exec sleep $E2E_MARK")
        job = self.two_ranks(script, "--grace", "1")
        job.send(signal.SIGKILL)
        job.popen.wait(WAIT_SECONDS)
        self.assert_nothing_left()

    def test_a_killed_guard_leaves_nothing(self):
        job = self.two_ranks(": > $DIR/ready.$RANK; exec sleep $E2E_MARK", "--grace", "1")
        guards = [pid for pid in descendants(job.pid) if name_of(pid) == "muster-guard"]
        self.assertEqual(len(guards), 1, "one, below its warden")
        os.kill(guards[0], signal.SIGKILL)
        self.assertNotEqual(job.finish().code, 0)
        self.assert_nothing_left()


class Output(Case):
    def test_lines_are_whole_and_in_order(self):
        ranks, count = 8, 2000
        code = (f"import os, random\nr = os.environ['RANK']\nrandom.seed(r)\n"
                f"text = ''.join(f'{{r}}:{{i}}:' + r * random.randrange(200) + ':end\\n' "
                f"for i in range({count})).encode()\n"
                "while text:\n"
                "  n = random.randrange(1, 5000); os.write(1, text[:n]); text = text[n:]\n")
        done = self.succeeds("-n", str(ranks), PYTHON, "-c", code)
        seen = [0] * ranks
        for line in done.text.splitlines():
            match = re.fullmatch(r"(\d):(\d+):(\1*):end", line)
            self.assertTrue(match, f"torn: {line!r}")
            self.assertEqual(int(match[2]), seen[int(match[1])])
            seen[int(match[1])] += 1
        self.assertEqual(seen, [count] * ranks)

    def test_long_lines_are_whole(self):
        code = (f"import os; r = os.environ['RANK']; line = r * {MIB} + '\\n'\n"
                "for i in range(3): print(line, end='')")
        done = self.succeeds("-n", "4", PYTHON, "-c", code)
        self.assertEqual(sorted(done.out.split(b"\n")),
                         sorted([b""] + [str(rank).encode() * MIB for rank in range(4)] * 3))

    def test_the_last_line_needs_no_newline(self):
        self.assertEqual(self.succeeds("-n", "1", "printf", "a\\nb").out, b"a\nb")
        done = self.succeeds("-n", "2", "sh", "-c", "printf rank$RANK")
        self.assertEqual(sorted(re.findall("rank.", done.text)), ["rank0", "rank1"])
        self.assertEqual(len(done.text.replace("\n", "")), 10)

    def test_bytes_are_those_of_the_bare_program(self):
        path = self.write("bytes", os.urandom(5 * MIB))
        done = self.succeeds("-n", "1", "sh", "-c", f"cat {path}; cat {path} >&2")
        self.assertEqual(done.out, self.read("bytes"))
        self.assertEqual(done.err, self.read("bytes"))

    def test_output_of_a_rank_that_dies_is_all_there(self):
        path = self.write("bytes", os.urandom(MIB))
        done = self.muster("-n", "1", "sh", "-c", f"cat {path}; kill -KILL $$")
        self.assertEqual(done.code, 137)
        self.assertEqual(done.out, self.read("bytes"))

    def test_a_slow_reader_costs_no_memory_and_loses_nothing(self):
        size = 16 * MIB
        path = self.write("lines", b"x" * 99 + b"\n" + (b"y" * 63 + b"\n") * (size // 64))
        each = os.path.getsize(path)
        job = self.start("-n", "4", "cat", path)
        got = 0
        while got < 4 * each - MIB:  # the ranks stand at the end of a full line of buffers
            got += len(os.read(job.popen.stdout.fileno(), 1 * MIB))
        with open(f"/proc/{job.pid}/status", encoding="utf-8") as file:
            peak = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) // 1024
        done = job.finish()
        self.assertEqual((done.code, got + len(done.out)), (0, 4 * each))
        self.assertLess(peak, 64, "MiB at the most")

    def test_a_reader_that_leaves_ends_the_job(self):
        words = " ".join(map(shlex.quote, [MUSTER, "run", "-n", "2", "--grace", "1", "yes"]))
        done = subprocess.run(["sh", "-c", f"{words} | head -n 1"], env=self.environment(),
                              capture_output=True, timeout=WAIT_SECONDS, check=False)
        self.assertEqual(done.stdout, b"y\n")
        self.assert_nothing_left()

    def test_a_signal_ends_ranks_that_print_without_end(self):
        """Whoever reads reads on to the end; nobody else has to."""
        for number in (signal.SIGINT, signal.SIGTERM):
            for is_read in (True, False):
                with self.subTest(number, is_read=is_read):
                    job = self.start("-n", "2", "yes")
                    pipe = job.popen.stdout
                    if is_read:
                        self.assertTrue(all(pipe.read(MIB) for _ in range(4)))
                    else:
                        room = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
                        until("the pipe is full", lambda: unread(pipe) > room - PAGE)
                    job.send(number)
                    if not is_read:
                        self.assertEqual(job.popen.wait(WAIT_SECONDS), 128 + number)
                    done = job.finish()
                    self.assertEqual(done.code, 128 + number, done.errors)
                    self.assertIn(f"interrupted by signal {number:d} ", done.errors)
                    self.assertLessEqual(set(done.out), set(b"y\n"))
                    self.assert_nothing_left()

    def test_tags(self):
        done = self.succeeds("-n", "12", "--tag", "sh", "-c", "echo out $RANK; echo err $RANK >&2")
        for text, word in ((done.text, "out"), (done.errors, "err")):
            lines = [line for line in text.splitlines() if not line.startswith("muster: ")]
            self.assertEqual(sorted(map(free_of_prefix, lines)),
                             sorted((rank, f"{word} {rank}") for rank in range(12)))

    def test_time_stamps(self):
        done = self.succeeds("-n", "2", "--timestamp", "--tag", "echo", "x")
        stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \[[01]\] x"
        for line in done.text.splitlines():
            self.assertRegex(line, f"^{stamp}$")
        self.assertEqual(len(done.lines), 2)

    def test_files_per_rank_have_the_raw_bytes(self):
        path = self.write("bytes", os.urandom(MIB))
        script = f"cat {path}; echo $RANK; echo e$RANK >&2; printf end"
        done = self.succeeds("-n", "12", "--tag", "--logs", "logs/deep", "sh", "-c", script)
        for rank in range(12):
            folder = ("logs", "deep", f"rank.{rank:02}")
            expected = self.read("bytes") + f"{rank}\nend".encode()
            self.assertEqual(self.read(*folder, "stdout"), expected)
            self.assertEqual(self.read(*folder, "stderr"), f"e{rank}\n".encode())
        self.assertGreater(len(done.out), 12 * MIB)

    def test_in_files_alone_and_with_both_streams_in_one(self):
        done = self.succeeds("-n", "2", "--logs", "logs", "--logs-only", "--merge-stderr",
                             "sh", "-c", "echo out $RANK; echo err $RANK >&2")
        self.assertEqual((done.out, done.err), (b"", b""), done)
        for rank in (0, 1):
            kept = self.read("logs", f"rank.{rank}", "stdout").decode().splitlines()
            self.assertEqual(sorted(kept), [f"err {rank}", f"out {rank}"])
            self.assertFalse(os.path.exists(self.path("logs", f"rank.{rank}", "stderr")))
        done = self.succeeds("-n", "2", "--merge-stderr", "sh", "-c", "echo err $RANK >&2")
        self.assertEqual((sorted(done.lines), done.err), (["err 0", "err 1"], b""), done)


class AtTheTimeLimit(Case):
    def test_ranks_are_asked_what_they_do(self):
        script = READY + "exec sleep 3600"
        for words, told in ((["--report-state-on-timeout"], r"rank \d on .*, pid \d+: sleeping"),
                            (["--stack-traces"], r"pid \d+: sleeping.*\n    (#0|Thread|thread) ")):
            done = self.muster("-n", "2", "--timeout", "1", *words, "sh", "-c", script)
            self.assertEqual(done.code, TIMEOUT, done)
            self.assertEqual(len(re.findall(told, done.errors)), 2, done)


class Stdin(Case):
    def test_a_shell_loop_keeps_its_input(self):
        words = " ".join(map(shlex.quote, [MUSTER, "run", "-n", "2", "cat"]))
        done = subprocess.run(["sh", "-c", f"while read line; do {words}; echo $line; done"],
                              input=b"a\nb\nc\n", env=self.environment(), capture_output=True,
                              timeout=WAIT_SECONDS, check=False)
        self.assertEqual(done.stdout, b"a\nb\nc\n", done.stderr)

    def test_a_big_pipe_reaches_the_rank_that_is_named(self):
        data = os.urandom(10 * MIB + 17)
        script = 'cat > "$DIR/got.$RANK"'
        for rank in (0, 1):
            self.succeeds("-n", "2", "--stdin", str(rank), "sh", "-c", script, stdin=data)
            self.assertEqual(self.read(f"got.{rank}"), data)
            self.assertEqual(self.read(f"got.{1 - rank}"), b"")

    def test_all_ranks_get_it(self):
        data = os.urandom(3 * MIB)
        self.succeeds("-n", "3", "--stdin", "all", "sh", "-c", 'cat > "$DIR/got.$RANK"', stdin=data)
        for rank in range(3):
            self.assertEqual(self.read(f"got.{rank}"), data)

    def test_a_rank_that_reads_little_does_not_hold_the_job_up(self):
        done = self.succeeds("-n", "2", "--stdin", "0", "head", "-c", "3",
                             stdin=b"abc" + bytes(4 * MIB))
        self.assertEqual(done.out.rstrip(b"\n"), b"abc")

    def test_a_file_and_a_closed_stdin(self):
        path = self.write("in", "from a file\n")
        with open(path, "rb") as file:
            self.assertEqual(self.succeeds("--stdin", "0", "cat", stdin=None).out, b"")
            job = self.start("--stdin", "0", "cat", **{"stdin": file})
            self.assertEqual(job.finish().out, b"from a file\n")
        words = " ".join(map(shlex.quote, [MUSTER, "run", "--stdin", "0", "cat"]))
        done = subprocess.run(["sh", "-c", f"{words} <&-"], env=self.environment(),
                              timeout=WAIT_SECONDS, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)


class DryRun(Case):
    def test_it_shows_the_plan_and_starts_nothing(self):
        words = ["--dry-run", "-n", "4", "-H", "node1:2,node2:2"]
        done = self.succeeds(*words, "touch", self.path("ran"))
        for rank in range(4):
            self.assertRegex(done.text, rf"(?m)^\s*{rank}\s+node{rank // 2 + 1}\s+{rank % 2}\b")
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_the_hostfile_of_the_mindspore_tutorial(self):
        self.write("hosts", "DEVICE1 slots=8\n192.168.0.1 slots=8\n")
        words = ["--dry-run", "--json", "-n", "16", "--hostfile", "hosts", "python", "net.py"]
        plan = json.loads(self.succeeds(*words).out)
        self.assertEqual([one["host"] for one in plan["ranks"]],
                         ["DEVICE1"] * 8 + ["192.168.0.1"] * 8)
        self.assertEqual(plan["apps"][0]["command"], ["python", "net.py"])

    def test_no_host_is_asked(self):
        self.succeeds("--dry-run", "-n", "2", "-H", "no-such-host.invalid:2", "--ssh-command",
                      f"touch {self.path('asked')}", "true")
        self.assertFalse(os.path.exists(self.path("asked")))


class LargeDryRun(Case):
    """Memory and output grow with the ranks, not with ranks times hosts."""

    HOSTS = 2000

    def setUp(self):
        super().setUp()
        self.write("hosts", "".join(f"node{number:05d} slots=100\n"
                                    for number in range(self.HOSTS)))

    def limited(self, ranks, *words):
        command = ["prlimit", f"--as={200 << 20}", MUSTER, "run"]
        return self.succeeds("--dry-run", *words, "-n", str(ranks), "--hostfile", "hosts",
                             "--map-by", "node", "true", command=command).out

    def test_the_table(self):
        lines = self.limited(200_000).splitlines()
        self.assertEqual(lines[200_000].split()[:3], [b"199999", b"node01999", b"99"])

    def test_json(self):
        plan = json.loads(self.limited(200_000, "--json"))
        self.assertEqual((len(plan["nodes"]), len(plan["ranks"])), (self.HOSTS, 200_000))
        self.assertNotIn("environment", plan)
        self.assertEqual({tuple(rank) for rank in plan["ranks"]},
                         {("rank", "node", "host", "local_rank", "app", "bound_to", "reason")})

    def test_json_with_environments(self):
        text = self.limited(10_000, "--json", "--env")
        self.assertLess(len(text), 10_000 * 4096)
        plan = json.loads(text)
        self.assertEqual(plan["environment"]["AZ_BATCH_HOST_LIST"]["value"].count(","),
                         self.HOSTS - 1)
        for rank in plan["ranks"]:
            self.assertEqual(rank["environment"]["RANK"]["value"], str(rank["rank"]))
            self.assertFalse(rank["environment"].keys() & plan["environment"].keys())
        self.assertEqual(plan["ranks"][-1]["environment"]["HOROVOD_CROSS_RANK"]["value"], "1999")

    def test_the_table_with_environments(self):
        text = self.limited(10_000, "--env")
        self.assertLess(len(text), 10_000 * 4096)
        self.assertEqual(text.count(b"AZ_BATCH_HOST_LIST="), 1)
        self.assertEqual(text.count(b"\nenvironment of rank "), 10_000)

    def test_nobody_reads_to_the_end(self):
        done = self.muster("--dry-run --env --json -n 200000 --hostfile hosts true | head -c 100",
                           command=["sh", "-c", f'eval "{MUSTER} run $0"'])
        self.assertEqual((done.code, len(done.out)), (0, 100), done.errors)


class BadInput(Case):
    def refused(self, code, words, *patterns, program=None):
        with self.subTest(words=words):
            words = [*words, *(program or ["touch", self.path("ran")])]
            self.assert_refused(self.muster(*words), code, *patterns)
            self.assertFalse(os.path.exists(self.path("ran")), "something was started")

    def test_words_that_make_no_sense(self):
        self.refused(USAGE, ["--bogus"], "--bogus")
        self.refused(USAGE, ["--timeot", "3"], "--timeot", "--timeout")
        for count in ("0", "-1", "1000000000", "many", "1.5", ""):
            self.refused(USAGE, ["-n", count], "-n")
        self.refused(USAGE, ["-n", "2", "--stdin", "7"], "7")
        self.refused(USAGE, ["--stdin", "some"], "some")
        self.refused(USAGE, ["-x", "NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE")
        self.refused(USAGE, ["-x", "=value"])
        self.refused(USAGE, ["--fake-nodes", "2", "-H", "localhost:2"], "fake-nodes")
        self.refused(USAGE, ["--fake-nodes", "0"], "fake-nodes")
        self.refused(USAGE, ["--per-node", "0"], "per-node")
        self.refused(USAGE, ["--map-by", "moon"], "moon")
        self.refused(USAGE, ["--timeout", "soon"], "soon")

    def test_no_program(self):
        self.assert_refused(self.muster(), USAGE)
        self.assert_refused(self.muster("-n", "2"), USAGE)
        self.assert_refused(self.muster("-n", "2", "--"), USAGE)

    def test_hosts_that_make_no_sense(self):
        self.refused((USAGE, BAD_FILE), ["-H", "localhost:0"], "0")
        self.refused((USAGE, BAD_FILE), ["-H", "localhost:x"])
        self.refused((USAGE, BAD_FILE), ["-H", "-oProxyCommand=touch"])
        self.refused((USAGE, BAD_FILE), ["-H", ""])
        self.refused(NO_SLOTS, ["-n", "4", "-H", "localhost:2"], r"\b4\b", r"\b2\b",
                     "--oversubscribe")

    def test_hostfiles_that_cannot_be_understood(self):
        table = [("node1 slots=0\n", r"hosts:1:\d+"),
                 ("# fine\nnode1 slotz=2\n", r"hosts:2:7.*slotz"),
                 ("node1 slots=99999999999999999999\n", r"hosts:1:\d+"),
                 ("", "hosts"),
                 ("# nothing but words\n\n", "hosts"),
                 (os.urandom(64) + b"\0\xff\xfe\n", "hosts"),
                 ("node1 slots=4 max_slots=2\n", r"hosts:1:\d+"),
                 ("-oProxyCommand=x slots=1\n", r"hosts:1:1")]
        for content, pattern in table:
            self.write("hosts", content)
            self.refused(BAD_FILE, ["--hostfile", "hosts"], pattern)
        self.refused(BAD_FILE, ["--hostfile", "missing"], "missing")
        self.refused(BAD_FILE, ["--hostfile", self.folder])

    def test_more_ranks_than_a_hostfile_has_slots(self):
        self.write("hosts", "# two\nlocalhost slots=2\n")
        self.refused(NO_SLOTS, ["--hostfile", "hosts", "-n", "5"], r"hosts:2", r"\b5\b", r"\b2\b",
                     "--oversubscribe")
        self.succeeds("--hostfile", "hosts", "-n", "5", "--oversubscribe", "true")

    def test_programs_and_folders_that_are_missing(self):
        host = re.escape(os.uname().nodename)
        self.refused(CANNOT_START, [], "no-such-program", program=["no-such-program"])
        self.refused(CANNOT_START, [], "/no/such/program", host, program=["/no/such/program"])
        plain = self.write("plain", "not a program\n")
        self.refused(CANNOT_START, [], re.escape(plain), program=[plain])
        self.refused(CANNOT_START, [], "tmp", program=["/tmp"])
        self.refused(CANNOT_START, ["--workdir", "/no/such/folder"], "/no/such/folder")

    def test_duplicate_hosts_add_up(self):
        words = ["-H", "localhost:1,localhost:1", "-n", "2"]
        done = self.succeeds(*words, "sh", "-c", "echo $LOCAL_RANK")
        self.assertEqual(done.lines, ["0", "1"])

    def test_nothing_of_a_refused_job_lives(self):
        self.muster("-n", "0", "sleep", self.mark)
        self.assertEqual(survivors(self.mark), {})


class AtTheStart(Case):
    """What is told in one line before ranks run, and whose output is shown."""

    def test_only_some_ranks_are_shown(self):
        done = self.succeeds("-n", "4", "--show", "1,3", "--logs", self.path("logs"),
                             "--oversubscribe", "sh", "-c",
                             'echo "out $RANK"; echo "err $RANK" >&2')
        self.assertEqual(done.lines, ["out 1", "out 3"])
        self.assertEqual(sorted(done.errors.splitlines()), ["err 1", "err 3"])
        self.assertEqual(self.read("logs", "rank.0", "stdout"), b"out 0\n")

    def test_ranks_that_share_a_gpu(self):
        env = self.environment(CUDA_VISIBLE_DEVICES="0,1")
        crowded = self.succeeds("-n", "3", "--oversubscribe", "true", env=env)
        self.assertRegex(crowded.errors, r"^muster: 3 ranks on \S+ see 2 GPUs, so some share one; "
                                         r"2 ranks there would not\n$")
        self.assertEqual(self.succeeds("-n", "2", "true", env=env).errors, "")

    def test_this_machine_in_a_rankfile(self):
        self.write("ranks", "rank 0=localhost slot=0\n")
        for command in ("run", "mpirun"):
            done = self.succeeds("-n", "1", "--rankfile", "ranks", "echo", "ran",
                                 command=(MUSTER, command))
            self.assertEqual(done.text, "ran\n")


if __name__ == "__main__":
    unittest.main()

"""A console that stands still: with log files the ranks go on, and the console catches up."""

# rooms: head host machine process

import fcntl
import glob
import os
import signal
import threading

from support import (MUSTER, READY, TIMEOUT, UNTIL_GO, WAIT_SECONDS, Case, descendants, name_of,
                     parent_of, run_tests, unread, until)

SIZE = 20_000_000  # bytes a rank prints, far more than all that may wait in memory
MEMORY_KIB = 60_000
PAGE = 4096  # of a pipe

# Lines of many lengths, each with its rank and number; now and then a very long one.
TALK = r"""
awk -v rank="$RANK" -v most=%d 'BEGIN {
  for (i = 0; i < 1000; i++) pad = pad "0123456789"
  for (n = 0; size < most; n++) {
    line = rank " " n " " substr(pad, 1, (n * 7919) %% 9000)
    size += length(line) + 1
    print line
  }
}'
echo "rank $RANK ends" >&2
""" % SIZE


def lines_by_rank(text):
    """{rank: its lines in order}; every line must be whole."""
    found = {}
    for line in text.splitlines():
        found.setdefault(line.split(" ", 1)[0], []).append(line)
    return found


class SlowConsole(Case):
    def start_unread(self, *words):
        """Nobody reads its stdout until the test does."""
        return self.start("-n", "3", *words, env=self.environment())

    def start_blocked(self, *words):
        """Likewise; and what it wants to print has no room in the pipe any more."""
        one = self.start(*words, env=self.environment())
        pipe = one.popen.stdout
        room = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
        until("the pipe is full", lambda: unread(pipe) > room - PAGE)
        return one

    def events(self):
        events, = glob.glob(self.path(".local/state/muster/runs/2*/events.jsonl"))
        return self.read(events)

    def assert_ended(self, one, code):
        self.assertEqual(one.popen.wait(WAIT_SECONDS), code)
        errors = one.popen.stderr.read().decode()
        self.assertNotIn("did not end its ranks in time", errors)
        self.assertRegex(errors, r"warning: \d+ bytes of the ranks' output were not shown here\n")
        self.assert_nothing_left()

    def memory_kib(self, pid):
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            return int(file.read().split("VmHWM:")[1].split()[0])

    def ended(self):
        """How many ranks have ended, as the run's record has it."""
        return self.events().count(b'"rank_ended"')

    def names_below(self, pid):
        """Of the processes that the head has started itself, and not yet reaped."""
        return [name_of(one) for one in descendants(pid) if parent_of(one) == pid]

    def logs(self):
        return {str(rank): self.read("logs", f"rank.{rank}", "stdout").decode().splitlines()
                for rank in range(3)}

    def test_ranks_go_on_and_nothing_is_lost(self):
        one = self.start_unread("--logs", "logs", "sh", "-c", TALK + READY)
        self.wait_for_files([f"ready.{rank}" for rank in range(3)])
        self.assertLess(self.memory_kib(one.pid), MEMORY_KIB)
        done = one.finish()
        self.assertEqual((done.code, done.errors.count("ends\n")), (0, 3), done)
        self.assertEqual(lines_by_rank(done.text), self.logs())

    def test_whoever_interrupts_is_shown_only_the_end(self):
        """The files have all of it."""
        one = self.start_unread("--logs", "logs", "sh", "-c",
                                TALK + "echo last words; " + READY + "exec sleep 600")
        self.wait_for_files([f"ready.{rank}" for rank in range(3)])
        one.send(signal.SIGINT)
        done = one.finish()
        self.assertEqual(done.code, 130, done.errors)
        self.assertRegex(done.errors, r"warning: \d+ bytes of the ranks' output were not shown")
        self.assertEqual(done.out.count(b"last words\n"), 3)
        self.assertLess(len(done.out), SIZE, "of three times as much")
        self.assertTrue(all(lines[-1] == "last words" for lines in self.logs().values()))

    def test_lines_with_tags(self):
        one = self.start_unread("--logs", "logs", "--tag", "sh", "-c", TALK + READY)
        self.wait_for_files([f"ready.{rank}" for rank in range(3)])
        done = one.finish()
        self.assertEqual(done.code, 0, done)
        shown = lines_by_rank("".join(f"{line[4:]}\n" for line in done.text.splitlines()))
        self.assertEqual(shown, self.logs())

    def test_a_slow_reader_gets_all(self):
        one = self.start_unread("--logs", "logs", "sh", "-c", TALK)
        pieces = []

        def read():
            while piece := os.read(one.popen.stdout.fileno(), 65536):
                pieces.append(piece)
        reader = threading.Thread(target=read)
        reader.start()
        reader.join(WAIT_SECONDS)
        one.popen.wait(WAIT_SECONDS)
        self.assertEqual(lines_by_rank(b"".join(pieces).decode()), self.logs())

    def test_a_line_without_an_end(self):
        """It has the console for itself; the others wait for it, but not their ranks."""
        long = f"head -c {SIZE} /dev/zero | tr \\\\0 x; "
        one = self.start_unread("--logs", "logs", "sh", "-c",
                                'if [ "$RANK" = 1 ]; then ' + long + "else" + TALK + "fi; " + READY)
        self.wait_for_files([f"ready.{rank}" for rank in range(3)])
        done = one.finish()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(len(self.read("logs", "rank.1", "stdout")), SIZE)
        kept = self.logs()
        shown = [line for line in done.text.splitlines() if not line.startswith("x")]
        self.assertEqual(lines_by_rank("\n".join(shown)), {"0": kept["0"], "2": kept["2"]})
        self.assertEqual(done.text.count("x"), SIZE)

    def test_without_files_the_ranks_wait(self):
        one = self.start_unread("sh", "-c", TALK + READY)
        done = one.finish()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(sum(map(len, done.text.splitlines(True))) // SIZE, 3)

    def test_no_process_that_has_ended_stays_meanwhile(self):
        """Those that remove the ranks' folders end while the head goes on."""
        self.write("job.yml", f"command: 'head -c {SIZE} /dev/zero; {READY}'\n")
        os.mkdir(self.path("tmp"))
        one = self.start("job.yml", command=(MUSTER, "submit"),
                         env=self.environment(TMPDIR=self.path("tmp")))
        self.wait_for_files(["ready.0"])
        until("no folder of launchers",
              lambda: not glob.glob(self.path("tmp", "muster-launchers-*")))
        until(lambda: f"the guard alone below the head: {self.names_below(one.pid)}",
              lambda: "muster" not in self.names_below(one.pid))
        self.assertIsNone(one.popen.poll(), "the head has not shown all yet")
        self.assertEqual(len(one.finish().out), SIZE)

    def test_the_end_need_not_be_awaited(self):
        """Once all ranks have ended, a signal ends muster although nobody reads."""
        one = self.start_unread("--logs", "logs", "sh", "-c", TALK + READY)
        self.wait_for_files([f"ready.{rank}" for rank in range(3)])
        until("muster knows of the ends of all", lambda: self.ended() == 3)
        one.send(signal.SIGINT)
        self.assertEqual(one.popen.wait(WAIT_SECONDS), 0)
        self.assertRegex(one.popen.stderr.read().decode(),
                         r"warning: \d+ bytes of the ranks' output were not shown here\n")

    def test_a_second_signal_waits_for_no_grace(self):
        one = self.start_blocked("-n", "2", "--grace", "600", "sh", "-c", "trap '' INT; yes")
        one.send(signal.SIGINT)
        until("it has been heard", lambda: b'"interrupted"' in self.events())
        one.send(signal.SIGINT)
        self.assert_ended(one, 128 + signal.SIGINT)

    def test_the_time_limit_holds(self):
        one = self.start_blocked("-n", "2", "--timeout", "3", "--grace", "0", "yes")
        self.assert_ended(one, TIMEOUT)

    def test_ranks_are_restarted_all_the_same(self):
        """One fails while another has more to print than anybody reads."""
        one = self.start_blocked("-n", "2", "--max-restarts", "1", "--grace", "0", "sh", "-c",
                                 f'[ "$RANK" = 0 ] && exec yes; {UNTIL_GO}; exit 3')
        self.write("go", "")
        until("they have begun again", lambda: b'"restart"' in self.events())
        until("and failed again", lambda: self.ended() == 4)
        done = one.finish()
        self.assertEqual(done.code, 3, done.errors)
        self.assertNotIn("did not end its ranks in time", done.errors)

    def test_files_still_get_all(self):
        one = self.start_unread("--logs", "logs", "sh", "-c",
                                "trap '' INT; " + TALK + READY + "exec sleep 600")
        self.wait_for_files([f"ready.{rank}" for rank in range(3)])
        one.send(signal.SIGINT)
        self.assert_ended(one, 128 + signal.SIGINT)
        for lines in self.logs().values():
            self.assertGreaterEqual(sum(len(line) + 1 for line in lines), SIZE)


if __name__ == "__main__":
    run_tests()

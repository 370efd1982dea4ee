"""What cannot be written is told, with the reason, and the exit code tells it: 248."""

# rooms: head store cli process
# attacks

import os
import stat

from support import MUSTER, READY, UNTIL_GO, Case, no_small_disk, run_tests

OUTPUT = 248
NO_ROOM = "No space left on device"
# In a mount namespace of its own, where $DIR/disk holds 64 KiB.
SMALL_DISK = ("unshare", "-m", "sh", "-c",
              'mount -t tmpfs -o size=64k none "$DIR/disk" && exec "$@"', "sh")
JOB = "muster: 1\ncommand: [sh, -c, '%s']\n"
LOUD = "head -c 200000 /dev/zero | tr \\\\0 x"


class Commands(Case):
    """Each prints something, and nothing of it arrives."""

    def setUp(self):
        super().setUp()
        self.write("job.yml", JOB % "echo x; echo y >&2")
        self.succeeds("--logs", "logs", "sh", "-c", "echo x; echo y >&2")

    def told(self, *words, **more):
        with open("/dev/full", "wb") as full:
            done = self.start(*words, command=(MUSTER,), stdout=full, **more).finish()
        self.assertEqual(done.code, OUTPUT, (words, done))
        self.assertIn(f"muster: error: cannot write to stdout: {NO_ROOM}\n", done.errors)

    def test_help_and_its_like(self):
        for words in ("help", "version", "completion bash", "completion zsh", "run --help",
                      "ps --help", "mpirun --help", "schema"):
            self.told(*words.split())

    def test_plans(self):
        for words in ("run --dry-run -n 2 true", "run --dry-run --json true", "explain job.yml",
                      "explain --json job.yml", "validate --json job.yml", "submit --help",
                      "mpirun --display-map --do-not-launch -np 2 true"):
            self.told(*words.split())

    def test_records(self):
        for words in ("ps", "ps --json", "show last", "show --json last", "report last",
                      "report --json last", "wait --json last", "stop last", "logs last",
                      "logs --json last", "logs --err last", "reindex",
                      "rm --dry-run --json --state completed", "rm --json last"):
            self.told(*words.split())

    def test_stderr_counts_where_it_is_the_output(self):
        with open("/dev/full", "wb") as full:
            done = self.start("logs", "last", command=(MUSTER,), stderr=full).finish()
        self.assertEqual((done.code, done.out), (OUTPUT, b"x\n"), done)

    def test_a_reader_that_has_gone_is_something_else(self):
        done = self.start("-c", f"{MUSTER} run --help | true; echo ${{PIPESTATUS[0]}}",
                          command=("bash",)).finish()
        self.assertIn(done.text, ("141\n", "0\n"), done)  # 0: all was in the pipe before
        read, write = os.pipe()
        os.close(read)
        done = self.start("help", command=(MUSTER,), stdout=write, restore_signals=False).finish()
        os.close(write)
        self.assertEqual((done.code, done.err), (141, b""), done)


class Console(Case):
    def test_the_ranks_go_on(self):
        with open("/dev/full", "wb") as full:
            done = self.muster("-n", "2", "sh", "-c", "echo x; echo y >&2; " + READY, stdout=full)
        self.assertEqual(done.code, OUTPUT, done)
        self.assertTrue(os.path.exists(self.path("ready.0")))
        self.assertTrue(os.path.exists(self.path("ready.1")))
        lines = done.errors.splitlines()
        told = f"muster: cannot write to stdout: {NO_ROOM}; the ranks continue"
        self.assertEqual(lines.count(told), 1, done)
        self.assertEqual(lines.count("y"), 2, done)
        self.assertEqual(lines[-2:], [
            f"muster: error: cannot write to stdout: {NO_ROOM}; 4 bytes are lost",
            "muster: exit code 248"])

    def test_a_rank_that_fails_has_its_own_code(self):
        with open("/dev/full", "wb") as full:
            done = self.muster("sh", "-c", "echo x; exit 7", stdout=full)
        self.assertEqual(done.code, 7, done)
        self.assertIn(f"warning: cannot write to stdout: {NO_ROOM}; 2 bytes are lost", done.errors)

    def test_stderr(self):
        with open("/dev/full", "wb") as full:
            done = self.muster("sh", "-c", "echo x; echo y >&2", stderr=full)
        self.assertEqual((done.code, done.out), (OUTPUT, b"x\n"), done)
        with open("/dev/full", "wb") as full:
            done = self.muster("sh", "-c", "echo x", stdout=full, stderr=full)
        self.assertEqual(done.code, OUTPUT, done)

    def test_a_file_that_may_not_grow(self):
        """The ranks have the default for SIGXFSZ, whatever muster does for itself."""
        script = f"ulimit -f 8; exec {MUSTER} run --no-record sh -c '{LOUD}; "
        done = self.start("-c", script + "grep SigIgn /proc/self/status >&2' >out",
                          command=("bash",)).finish()
        self.assertEqual(done.code, OUTPUT, done)
        self.assertIn("cannot write to stdout: File too large; 191808 bytes are lost", done.errors)
        self.assertEqual(len(self.read("out")), 8192)
        ignored = int(done.errors.split("SigIgn:")[1].split()[0], 16)
        self.assertFalse(ignored & (1 << 24), done)

    def test_room_that_comes_back_is_used(self):
        if reason := no_small_disk():
            self.skipTest(reason)
        os.mkdir(self.path("disk"))
        rank = f"echo lost; {UNTIL_GO}; : >disk/fill; echo kept"
        shell = ('head -c 65536 /dev/zero >disk/fill; '
                 f"{MUSTER} run --no-record sh -c '{rank}' >disk/out; echo $?; cat disk/out")
        one = self.start("sh", "-c", shell, command=SMALL_DISK)
        told = one.popen.stderr.readline()
        self.assertEqual(told.decode(),
                         f"muster: cannot write to stdout: {NO_ROOM}; the ranks continue\n")
        self.write("go", "")
        self.assertEqual(one.finish().text, f"{OUTPUT}\nkept\n")


class Logs(Case):
    def setUp(self):
        super().setUp()
        if reason := no_small_disk():
            self.skipTest(reason)
        os.mkdir(self.path("disk"))

    def on_small_disk(self, *words, **more):
        return self.start(MUSTER, *words, command=SMALL_DISK, **more).finish()

    def test_logs_only(self):
        done = self.on_small_disk("run", "--no-record", "-n", "2", "--logs", "disk", "--logs-only",
                                  "sh", "-c", LOUD + "; " + READY)
        self.assertEqual((done.code, done.out), (OUTPUT, b""), done)
        self.assertTrue(os.path.exists(self.path("ready.0")))
        self.assertRegex(done.errors,
                         rf"muster: cannot write to .*disk/rank.[01]/stdout: {NO_ROOM}; the ranks")
        self.assertRegex(done.errors, rf"muster: error: cannot write to .*disk/rank.[01]/stdout: "
                         rf"{NO_ROOM}; \d+ bytes are missing in the log files\n")

    def test_the_console_has_all(self):
        done = self.on_small_disk("run", "--no-record", "--logs", "disk", "sh", "-c", LOUD)
        self.assertEqual((done.code, done.out), (OUTPUT, b"x" * 200000), done.errors)

    def test_a_record_without_room(self):
        env = self.environment(MUSTER_RECORDS=self.path("disk", "runs"))
        fill = ('head -c 65536 /dev/zero >"$DIR/disk/fill"; "$@"; code=$?; '
                'find "$DIR/disk/runs" -mindepth 1 ! -path "*/.blobs*" >"$DIR/left"; exit $code')
        small = (*SMALL_DISK, "sh", "-c", fill, "sh")
        self.write("job.yml", JOB % "echo x")
        self.write("steps.yml", "type: pipeline\njobs: {one: {command: echo x}}\n")
        for words, out in ((("run", "echo", "x"), b"x\n"), (("submit", "job.yml"), b"x\n"),
                           (("run", "--detach", "echo", "x"), b""), (("submit", "steps.yml"), b"")):
            done = self.start(MUSTER, *words, command=small, env=env).finish()
            self.assertEqual((done.code, done.out), (OUTPUT, out), done)
            self.assertRegex(done.errors,
                             rf"^muster: (error: )?cannot keep a record in .*: {NO_ROOM}")
            self.assertEqual(self.read("left"), b"", words)

    def test_a_detached_run(self):
        """Its streams reach a limit; it ends as any other, and says why."""
        self.write("job.yml", JOB % LOUD)
        done = self.start("-c", f"ulimit -f 64; exec {MUSTER} submit --detach job.yml",
                          command=("bash",)).finish()
        self.assertEqual(done.code, 0, done)
        done = self.start("wait", "last", command=(MUSTER,)).finish()
        self.assertEqual(done.code, OUTPUT, done)
        done = self.start("show", "last", command=(MUSTER,)).finish()
        self.assertRegex(done.text, r"stdout: File too large; \d+ bytes are missing")


class Strange(Case):
    """Nothing in a record can make a reader wait."""

    @staticmethod
    def device(path):
        """That never ends; only root can make one."""
        if os.geteuid() == 0:
            os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))
        else:
            os.symlink("/dev/zero", path)

    @staticmethod
    def huge_file(path):
        with open(path, "wb") as file:
            file.truncate(1 << 40)

    def test_what_is_no_file(self):
        self.write("job.yml", JOB % "echo x")
        self.start("submit", "job.yml", command=(MUSTER,)).finish()
        folder = self.path(".local/state/muster/runs")
        run = [name for name in os.listdir(folder) if not name.startswith(".")][0]
        names = os.listdir(os.path.join(folder, run))
        for make in (os.mkfifo, self.device, self.huge_file):
            for name in set(names) - {"streams"}:
                path = os.path.join(folder, run, name)
                os.rename(path, path + ".was")
                make(path)
                for words in ("ps", "ps --json", "show last", "report last", "wait last",
                              "logs last", "reindex"):
                    self.start(*words.split(), command=(MUSTER,)).finish()
                os.unlink(path)
                os.rename(path + ".was", path)
        path = os.path.join(folder, run, "streams/rank.0/stdout")
        os.unlink(path)
        os.mkfifo(path)
        done = self.start("logs", "last", command=(MUSTER,)).finish()
        self.assertEqual((done.code, done.out), (0, b""), done)


if __name__ == "__main__":
    run_tests()

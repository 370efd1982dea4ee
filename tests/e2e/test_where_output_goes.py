"""Output finds no stdout, or a file that is none: it is whole, or it is told that it is not, and
nothing waits for ever."""

# rooms: cli head host process store
# attacks

import os
import re
import shutil
import stat
import unittest

import own
from support import BAD_FILE, MUSTER, PYTHON, ROOT, Case, run_tests

OUTPUT = 248

JOB = "command: echo from the job\n"
PIPELINE = """\
type: pipeline
jobs:
  first:
    command: echo kept > ${{outputs.made}}/file
    outputs:
      made: {type: uri_folder}
  second:
    command: cat ${{inputs.given}}/file
    inputs:
      given: {type: uri_folder, path: "${{parent.jobs.first.outputs.made}}"}
"""
STREAM = """\
outputs: {made: {type: uri_file, path: %s}}
command: echo made > ${{outputs.made}}
"""
SWEEP = """\
type: sweep
trial:
  command: echo loss = ${{search_space.x}}; echo made ${{search_space.x}} > ${{outputs.made}}
outputs: {made: {type: uri_file, path: %s}}
sampling_algorithm: grid
search_space: {x: {type: choice, values: [2, 3]}}
objective: {goal: minimize, primary_metric: loss}
limits: {max_total_trials: 2, max_concurrent_trials: 1}
metrics_from: output
"""

# Ends with the number of the error: EBADF.
COPIES = """import sys
from muster.named_files import copy_named
try:
    copy_named(__file__, sys.argv[1])
except OSError as error:
    sys.exit(error.errno)
"""


class RecordedCase(Case):
    def environment(self, **more):
        return super().environment(**{"MUSTER_RECORDS": self.path("records"), **more})


class ClosedStdout(RecordedCase):
    def closed(self, *words):
        """A muster as `muster WORDS >&-` is."""
        return self.start(*words, command=("sh", "-c", 'exec "$0" "$@" >&-', MUSTER)).finish()

    def test_what_every_command_prints_is_missed(self):
        self.write("job.yml", JOB)
        self.write("pipeline.yml", PIPELINE)
        self.succeeds("job.yml", command=(MUSTER, "submit"))
        for words in (["run", "-n", "2", "echo", "x"], ["run", "--dry-run", "true"],
                      ["run", "--help"], ["submit", "job.yml"], ["submit", "pipeline.yml"],
                      ["submit", "--detach", "job.yml"], ["validate", "job.yml"],
                      ["explain", "job.yml"], ["ps"], ["show", "last"], ["logs", "last"],
                      ["help"], ["version"], ["completion", "bash"], ["schema"]):
            with self.subTest(words):
                done = self.closed(*words)
                self.assertEqual(done.code, OUTPUT, done)
                self.assertRegex(done.errors, r"cannot write to stdout: Bad file descriptor", done)

    def test_what_prints_nothing_is_as_ever(self):
        for words in (["run", "-n", "2", "true"], ["run", "-n", "1", "--logs", "kept", "true"]):
            done = self.closed(*words)
            self.assertEqual((done.code, done.errors), (0, ""), done)
        self.assertEqual(self.closed("run", "-n", "1", "false").code, 1)

    def test_errors_are_told_although_stdout_is_closed(self):
        done = self.closed("run", "-n", "1", "sh", "-c", "echo told >&2; exit 3")
        self.assertEqual(done.code, 3, done)
        self.assertIn("told\n", done.errors)

    def test_a_rank_has_a_stdout_all_the_same(self):
        done = self.closed("run", "-n", "1", "sh", "-c", "echo x || echo broken >&2")
        self.assertNotIn("broken", done.errors)


# What each command prints something for; None: only what the command prints that it is given.
LINES = {
    "run": "-n 1 echo x", "mpirun": "-np 1 echo x", "mpiexec.hydra": "-n 1 echo x",
    "horovodrun": "-np 1 echo x", "torchrun": "--no_python echo x",
    "launch": "--use_env --no_python echo x", "deepspeed": "--num_gpus 1 --no_python echo x",
    "submit": "job.yml", "explain": "job.yml", "validate": "job.yml", "schema": "",
    "export": "slurm job.yml", "ps": "", "show": "last", "logs": "last", "wait": "--json last",
    "stop": "last", "report": "last", "graph": "last", "rm": "last", "gc": "",
    "rerun": "last", "reindex": "", "completion": "bash", "help": "", "version": "",
    "lead": None, "join": None}
# Of launchers that others know, whose codes for all such ends are in their manuals.
CODES = {"mpirun": 1, "mpiexec.hydra": 255, "torchrun": 1, "launch": 1}


class EveryCommand(RecordedCase):
    """Those that `muster help` lists, so that a new one is missed here."""

    def setUp(self):
        super().setUp()
        self.write("job.yml", JOB)
        self.write("pipeline.yml", PIPELINE)
        listed = self.succeeds("help", command=(MUSTER,)).text
        self.commands = re.findall(r"^  muster (\S+)  ", listed, re.MULTILINE)

    def lost(self, *words, code=OUTPUT):
        """All that it prints, on a stdout that is closed and on one that is full."""
        for stdout, why in ((">&-", "Bad file descriptor"),
                            (">/dev/full", "No space left on device")):
            with self.subTest(words, stdout=stdout):
                name = "pipeline.yml" if words[0] == "graph" else "job.yml"
                self.succeeds(name, command=(MUSTER, "submit"))
                shell = f'exec "$0" "$@" {stdout}'
                done = self.start(*words, command=("sh", "-c", shell, MUSTER)).finish()
                self.assertEqual(done.code, code, done)
                self.assertIn(f"cannot write to stdout: {why}", done.errors, done)

    def test_each_tells_that_its_output_is_lost(self):
        self.assertEqual(sorted(self.commands), sorted(LINES))
        for command in self.commands:
            if LINES[command] is not None:
                self.lost(command, *LINES[command].split(), code=CODES.get(command, OUTPUT))

    def test_each_tells_that_its_help_is_lost(self):
        for command in self.commands:
            if command not in ("completion", "help", "version"):
                self.lost(command, "--help")


class Called(RecordedCase):
    """`muster lead` passes on what its command prints; `muster join` prints nothing there."""

    def redirected(self, stdout, *words):
        return self.start(*words, command=("sh", "-c", f'exec "$0" "$@" {stdout}', MUSTER))

    def led(self, lead_to, join_to, *command):
        self.write("secret", "hush\n", 0o600)
        place = f"127.0.0.1:{own.port()}"
        joined = self.redirected(join_to, "join", place, "--secret-file", "secret",
                                 "--start-timeout", "50")
        lead = self.redirected(lead_to, "lead", "--listen", place, "--nodes", "1",
                               "--secret-file", "secret", "--", *command)
        done = lead.finish()
        ended = joined.finish()
        self.assertEqual((ended.code, ended.out, ended.errors), (0, b"", ""), ended)
        return done

    def test_what_the_command_prints_is_missed(self):
        for stdout, why in ((">&-", "Bad file descriptor"),
                            (">/dev/full", "No space left on device")):
            for command in (["echo", "x"], [MUSTER, "run", "-n", "1", "echo", "x"]):
                with self.subTest(command, stdout=stdout):
                    done = self.led(stdout, "", *command)
                    self.assertEqual(done.code, OUTPUT, done)
                    self.assertIn(f"error: cannot write to stdout: {why}; 2 bytes are lost\n",
                                  done.errors)

    def test_a_host_has_no_need_of_one(self):
        done = self.led("", ">&-", MUSTER, "run", "-n", "1", "echo", "x")
        self.assertEqual((done.code, done.text, done.errors), (0, "x\n", ""), done)
        self.assertEqual(self.led(">&-", ">&-", "true").code, 0)


class OddFiles(RecordedCase):
    def test_a_fifo_among_the_logs_is_refused_at_once(self):
        os.makedirs(self.path("logs", "rank.0"))
        os.mkfifo(self.path("logs", "rank.0", "stdout"))
        done = self.muster("-n", "1", "--logs", "logs", "echo", "x")
        self.assert_refused(done, BAD_FILE, r"cannot make logs/rank.0/stdout: it is a FIFO or a "
                            r"device that nobody reads")
        held = os.open(self.path("logs", "rank.0", "stdout"), os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, held)
        done = self.muster("-n", "1", "--logs", "logs", "echo", "x")
        self.assert_refused(done, BAD_FILE, r"rank.0/stdout: it is not a regular file")

    def test_a_link_among_the_logs_is_not_followed(self):
        os.makedirs(self.path("logs", "rank.0"))
        self.write("else", "keep\n")
        os.symlink(self.path("else"), self.path("logs", "rank.0", "stdout"))
        done = self.muster("-n", "1", "--logs", "logs", "echo", "x")
        self.assert_refused(done, BAD_FILE, r"rank.0/stdout: it is a link, which is not followed")
        self.assertEqual(self.read("else"), b"keep\n")

    def test_a_folder_that_is_a_link_among_the_logs_is_not_followed(self):
        os.makedirs(self.path("elsewhere"))
        for name in ("stdout", "stdout.log"):
            self.write("elsewhere/" + name, "keep\n")
        for command, words, link in (
                ("run", ("-n", "1", "--logs", "one"), "one/rank.0"),
                ("mpirun", ("-n", "1", "--output-filename", "two"), "two/1"),
                ("horovodrun", ("-np", "1", "--output-filename", "three"), "three/rank.0"),
                ("mpiexec.hydra", ("-n", "1", "-outfile-pattern", "four/%r/stdout"), "four/0")):
            with self.subTest(link):
                os.makedirs(self.path(os.path.dirname(link)))
                os.symlink("../elsewhere", self.path(link))
                done = self.muster(*words, "echo", "x", command=(MUSTER, command))
                self.assertEqual(done.out, b"", done)
                self.assertRegex(done.errors, rf"cannot make \S*{link}/.*: it is a link, which is "
                                 "not followed")
        for name in ("stdout", "stdout.log"):
            self.assertEqual(self.read("elsewhere/" + name), b"keep\n")
        self.assertEqual(sorted(os.listdir(self.path("elsewhere"))), ["stdout", "stdout.log"])

    def test_links_and_fifos_at_the_log_dir_of_torchrun(self):
        """Both launchers keep output alike: in folders of their own below the one that is named."""
        os.mkdir(self.path("elsewhere"))
        os.symlink("elsewhere", self.path("link"))
        os.mkfifo(self.path("fifo"))
        os.mkdir(self.path("logs"))
        os.symlink("../elsewhere", self.path("logs/into"))
        os.mkfifo(self.path("logs/fifo"))
        self.write("say.sh", "#!/bin/sh\necho said\n", 0o755)
        for command, option, more in (("torchrun", "--log-dir", ()), ("torchrun", "--log_dir", ()),
                                      ("launch", "--log_dir", ("--use_env",))):
            ranks = ("-r", "3", *more, "--no_python", "./say.sh")
            for name, there in (("link", "elsewhere"), ("logs/into", "elsewhere"),
                                ("logs/new", "logs/new")):
                with self.subTest(command, folder=name):
                    before = set(os.listdir(self.path(there))) if name != "logs/new" else set()
                    self.succeeds(option, name, *ranks, command=(MUSTER, command))
                    job, = set(os.listdir(self.path(there))) - before
                    found = self.read(there, job, "attempt_0", "0", "stdout.log")
                    self.assertEqual(found, b"said\n")
                    if name == "logs/new":
                        shutil.rmtree(self.path(name))
            before = os.listdir(self.path("logs"))
            for name in ("fifo", "logs/fifo"):
                with self.subTest(command, folder=name):
                    done = self.muster(option, name, *ranks, command=(MUSTER, command))
                    self.assert_refused(done, BAD_FILE,
                                        rf"cannot make \S*/{name}/\S+: Not a directory")
                    self.assertIn("remove what has that name", done.errors)
            self.assertEqual(os.listdir(self.path("logs")), before)

    def test_logs_of_a_start_that_is_refused_are_as_before(self):
        self.succeeds("-n", "1", "--logs", "logs", "echo", "said")
        self.write("logs/rank.1", "a file\n")
        done = self.muster("-n", "3", "--logs", "logs", "echo", "x")
        self.assert_refused(done, BAD_FILE, r"cannot make logs/rank.1/stdout: Not a directory")
        self.assertIn("remove what has that name", done.errors)
        self.assertEqual(self.read("logs/rank.0/stdout"), b"said\n")
        self.assertEqual(sorted(os.listdir(self.path("logs"))), ["rank.0", "rank.1"])

    def test_what_the_user_has_named_may_be_anything_that_is_read(self):
        hydra = (MUSTER, "mpiexec.hydra")
        os.symlink(self.path("file"), self.path("link"))
        self.succeeds("-n", "1", "-outfile-pattern", "link", "echo", "x", command=hydra)
        self.assertEqual(self.read("file"), b"x\n")
        self.succeeds("-n", "1", "-outfile-pattern", "/dev/null", "echo", "x", command=hydra)
        os.mkfifo(self.path("fifo"))
        done = self.muster("-n", "1", "-outfile-pattern", "fifo", "echo", "x", command=hydra)
        self.assert_refused(done, BAD_FILE, r"cannot make \S*/fifo: .* nobody reads")
        self.assertIn("start its reader first", done.errors)
        held = os.open(self.path("fifo"), os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, held)
        self.succeeds("-n", "1", "-outfile-pattern", "fifo", "echo", "x", command=hydra)
        self.assertEqual(os.read(held, 100), b"x\n")

    def around(self, *words, command):
        """What `(echo before; muster WORDS; echo $?) > file` leaves in that file."""
        shell = '(echo before; "$@"; echo $?) > file 2> told'
        self.start(*words, command=("sh", "-c", shell, "sh", *command)).finish()
        return self.read("file").decode().split("\n")

    def test_a_file_that_a_script_prints_to_keeps_what_it_has(self):
        os.symlink("file", self.path("link"))
        ranks = ("-n", "2", "sh", "-c", "echo rank; echo error >&2")
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "file", "link"):
            with self.subTest(name):
                found = self.around("-outfile-pattern", name, *ranks,
                                    command=(MUSTER, "mpiexec.hydra"))
                self.assertEqual(found, ["before", "rank", "rank", "0", ""])
        self.write("told", "a script's own words\n")
        shell = 'exec 2>> told; "$@"; echo after >&2'
        self.start("-errfile-pattern", "/dev/stderr", *ranks,
                   command=("sh", "-c", shell, "sh", MUSTER, "mpiexec.hydra")).finish()
        self.assertEqual(self.read("told").decode().split("\n"),
                         ["a script's own words", "error", "error", "after", ""])

    def test_logs_that_a_script_prints_to_keep_what_it_has_said(self):
        os.makedirs(self.path("logs/rank.0"))
        os.symlink("logs/rank.0/stdout", self.path("file"))
        found = self.around("-n", "1", "--logs", "logs", "echo", "rank", command=(MUSTER, "run"))
        self.assertEqual(found, ["before", "rank", "rank", "0", ""], "in its log and on stdout")

    def test_a_stream_that_was_closed_is_no_file(self):
        self.write("job.yml", JOB)
        os.symlink("/dev/stdout", self.path("link"))
        hydra = (MUSTER, "mpiexec.hydra", "-n", "2")
        ranks = ("sh", "-c", "echo rank; echo error >&2")
        for closed, name in ((">&-", "/dev/stdout"), (">&-", "/dev/fd/1"), (">&-", "link"),
                             (">&-", "/proc/self/fd/1"), ("2>&-", "/dev/stderr"),
                             ("<&-", "/dev/stdin"), ("3>&-", "/dev/fd/3"), ("4>&-", "/dev/fd/4"),
                             ("</dev/null", "/dev/stdin")):
            for command, code in (
                    ((MUSTER, "export", "slurm", "job.yml", "-o", name), OUTPUT),
                    ((*hydra, "-outfile-pattern", name, *ranks), BAD_FILE),
                    ((*hydra, "-errfile-pattern", name, *ranks), BAD_FILE)):
                with self.subTest(command, closed=closed):
                    shell = f'exec "$@" {closed}'
                    done = self.start(command=("sh", "-c", shell, "sh", *command)).finish()
                    self.assertEqual((done.code, done.out), (code, b""), done)
                    if closed != "2>&-":
                        self.assertRegex(done.errors, r"cannot (write|make) \S+: it names a stream "
                                         r"that is closed, or not open for writing\n"
                                         r"  hint: is that stream open\? ", done)

    def test_programs_are_told_that_a_stream_was_closed(self):
        self.write("copies.py", COPIES)
        env = self.environment(PYTHONPATH=os.path.join(ROOT, "python"), PYTHONDONTWRITEBYTECODE="1")
        for closed, name in ((">&-", "/dev/stdout"), ("2>&-", "/dev/stderr"), (">&-", "/dev/fd/1")):
            with self.subTest(name):
                shell = f'exec "$@" {closed}'
                done = self.start("copies.py", name, env=env, command=(
                    "sh", "-c", shell, "sh", PYTHON)).finish()
                self.assertEqual((done.code, done.out, done.errors), (9, b"", ""), done)
                self.assertEqual(self.read("copies.py").decode(), COPIES)

    def test_an_output_of_a_job_may_be_a_stream(self):
        self.write("job.yml", STREAM % "/dev/stdout")
        self.write("over.yml", STREAM % "/dev/stdout, overwrite: true")
        for words in (["job.yml"], ["over.yml"], ["job.yml", "--force"]):
            with self.subTest(words):
                found = self.around(*words, command=(MUSTER, "submit"))
                self.assertEqual(found, ["before", "made", "0", ""], self.read("told"))
                self.assertEqual(self.read("told"), b"", "nothing lies there that could be lost")
                for stdout in ("1>&-", "1>/dev/full"):
                    shell = f'exec "$@" {stdout}'
                    done = self.start(*words, command=(
                        "sh", "-c", shell, "sh", MUSTER, "submit")).finish()
                    self.assertEqual(done.code, OUTPUT, done)

    def test_what_a_sweep_keeps_goes_into_a_stream(self):
        os.symlink("/dev/stdout", self.path("link"))
        for name in ("/dev/stdout", "/dev/fd/1", self.path("link")):
            for more in ("", ", overwrite: true"):
                with self.subTest(name, more=more):
                    self.write("sweep.yml", SWEEP % (name + more))
                    found = self.around("sweep.yml", command=(MUSTER, "submit"))
                    self.assertEqual([found[0], *found[-3:]], ["before", "made 2", "0", ""],
                                     self.read("told"))
        self.write("sweep.yml", SWEEP % "/dev/stdout")
        shell = 'exec "$@" >&-'
        done = self.start("sweep.yml", "--force", command=(
            "sh", "-c", shell, "sh", MUSTER, "submit")).finish()
        self.assertEqual(done.code, OUTPUT, done)
        self.assertIn("it names a stream that is closed", done.errors)

    @unittest.skipIf(os.getuid() != 0, "only root can make devices")
    def test_what_a_sweep_keeps_does_not_replace_a_device(self):
        for name, minor, code in ("null", 3, 0), ("full", 7, OUTPUT):
            with self.subTest(name):
                os.mknod(self.path(name), 0o666 | stat.S_IFCHR, os.makedev(1, minor))
                self.write("sweep.yml", SWEEP % self.path(name))
                done = self.start("sweep.yml", "--force", command=(MUSTER, "submit")).finish()
                self.assertEqual(done.code, code, done)
                self.assertTrue(stat.S_ISCHR(os.lstat(self.path(name)).st_mode))
                self.assertEqual("No space left on device" in done.errors, code != 0, done)

    def test_a_manifest_goes_where_it_is_said(self):
        self.write("job.yml", JOB)
        export = (MUSTER, "export", "slurm", "job.yml", "-o")
        script = self.succeeds(command=export[:-1]).text
        os.symlink("file", self.path("link"))
        # Not /dev/stdout: a muster that replaces what it is to write to would replace that.
        for name in ("/proc/self/fd/1", "file", "link"):
            with self.subTest(name):
                found = self.around(name, command=export)
                self.assertEqual(found, ["before", *script.split("\n")[:-1], "0", ""])
        self.succeeds("link", command=export)
        self.assertEqual(os.readlink(self.path("link")), "file")
        self.assertEqual(self.read("file").decode(), script)
        self.assertEqual(self.succeeds("/dev/null", command=export).text, "")

    def test_a_manifest_goes_into_a_fifo_that_is_read(self):
        self.write("job.yml", JOB)
        export = (MUSTER, "export", "slurm", "job.yml", "-o")
        script = self.succeeds(command=export[:-1]).out
        os.mkfifo(self.path("fifo"))
        os.symlink("fifo", self.path("link"))
        for name in ("fifo", "link"):
            with self.subTest(name):
                done = self.muster(name, command=export)
                self.assert_refused(done, OUTPUT, rf"cannot write \S*/{name}: it is a FIFO or a "
                                    r"device that nobody reads\n  hint: start its reader first")
                held = os.open(self.path("fifo"), os.O_RDONLY | os.O_NONBLOCK)
                self.succeeds(name, command=export)
                self.assertEqual(os.read(held, len(script) + 1), script)
                os.close(held)
        self.assertTrue(stat.S_ISFIFO(os.lstat(self.path("fifo")).st_mode))
        self.assertEqual(os.readlink(self.path("link")), "fifo")

    def test_a_manifest_that_cannot_be_written_leaves_the_one_of_before(self):
        self.write("job.yml", JOB)
        self.write("kept", "of before\n")
        words = "ulimit -f 0; trap '' XFSZ; exec \"$0\" export slurm job.yml -o kept 2>&1"
        done = self.start(command=("sh", "-c", words, MUSTER)).finish()
        self.assertEqual(done.code, OUTPUT, done)
        self.assertEqual(self.read("kept"), b"of before\n")

    def test_a_reader_that_never_reads_is_given_up(self):
        os.mkfifo(self.path("fifo"))
        held = os.open(self.path("fifo"), os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, held)
        done = self.muster("-n", "1", "-outfile-pattern", "fifo", "sh", "-c",
                           "yes | head -c 1000000", command=(MUSTER, "mpiexec.hydra"))
        self.assertEqual(done.code, 255, done)  # Hydra's own
        self.assertRegex(done.errors, r"cannot write to \S*/fifo: its reader does not read; \d+ "
                         r"bytes are missing in the log files", done)


if __name__ == "__main__":
    run_tests()

"""Files that may keep their reader waiting: fifos, sockets, devices. What nobody has named is read
only where it cannot; whoever has named one waits, and Ctrl-C ends that."""

# rooms: cli front
# attacks

import contextlib
import os
import signal
import socket
import threading
import unittest

from support import BAD_FILE, MUSTER, Case, run_tests, state_of, until


class Found(Case):
    """muster.yml, and files of defaults."""

    def of_each_kind(self, path, check):
        """Calls `check` while a fifo, a socket and a device lie there, with what it is called."""
        at = self.path(path)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        for name, make in (("a fifo", os.mkfifo), ("a socket", self.bind),
                           ("a device", lambda path: os.symlink("/dev/zero", path))):
            make(at)
            with self.subTest(name, path=path):
                check(name)
            os.unlink(at)

    @staticmethod
    def bind(path):
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path)

    def run_is_refused(self, name):
        done = self.muster("-n", "1", "true")
        self.assert_refused(done, BAD_FILE, rf"muster\.yml: this is {name}, not a file\n",
                            "move it, or put a file in its place")

    def test_a_muster_yml_beside_the_command(self):
        self.of_each_kind("muster.yml", self.run_is_refused)

    def test_that_of_the_user(self):
        self.of_each_kind(".config/muster/muster.yml", self.run_is_refused)

    def test_that_of_a_job(self):
        os.mkdir(self.path("jobs"))
        self.write("jobs/job.yml", "command: 'true'\n")

        def check(name):
            for command in "validate", "submit":
                done = self.start("--target", "box", "jobs/job.yml",
                                  command=(MUSTER, command)).finish()
                self.assertEqual(done.code, BAD_FILE, done)
                self.assertIn(f"muster.yml: this is {name}, not a file\n", done.errors)
        self.of_each_kind("jobs/muster.yml", check)

    def test_a_link_to_nothing_at_all_is_an_empty_file(self):
        os.symlink("/dev/null", self.path("muster.yml"))
        self.assert_refused(self.muster("-n", "1", "true"), BAD_FILE,
                            r"muster\.yml: the file is empty\n")
        os.mkdir(self.path(".openmpi"))
        os.symlink("/dev/null", self.path(".openmpi/mca-params.conf"))
        os.remove(self.path("muster.yml"))
        done = self.muster("-n", "1", "true", command=(MUSTER, "mpirun"))
        self.assertEqual((done.code, done.errors), (0, ""), done)

    def test_a_link_to_a_file_is_followed(self):
        self.write("real.yml", "run: {bind_to: zebra}\n")
        os.symlink("real.yml", self.path("muster.yml"))
        done = self.muster("-n", "1", "true")
        self.assertNotEqual(done.code, 0, done)
        self.assertIn("run.bind_to must be", done.errors)

    def test_defaults_of_launchers_are_passed_over(self):
        for path, command in ((".openmpi/mca-params.conf", ("mpirun", "-np", "1", "true")),
                              (".prte/mca-params.conf", ("mpirun", "-np", "1", "true")),
                              (".mpiexec.hydra.conf", ("mpiexec.hydra", "-n", "1", "true"))):
            def check(_, command=command):
                done = self.start(*command, command=(MUSTER,)).finish()
                self.assertEqual(done.code, 0, done)
            self.of_each_kind(path, check)

    def test_a_file_of_hosts_that_a_batch_system_would_have_written(self):
        env = self.environment(PBS_JOBID="7", PBS_NODEFILE=self.path("nodes"))

        def check(name):
            done = self.muster("--dry-run", "true", env=env)
            self.assertEqual(done.code, BAD_FILE, done)
            self.assertIn(f"this is {name}, not a file\n", done.errors)
        self.of_each_kind("nodes", check)


class Programs(Case):
    def test_a_fifo_is_not_one(self):
        """Where it may be executed, too: nobody opens it to see what it is."""
        os.mkfifo(self.path("tool"))
        os.chmod(self.path("tool"), 0o755)
        for hosts in (), ("--fake-nodes", "2"):
            done = self.muster(*hosts, "-n", "1", "./tool")
            self.assertNotEqual(done.code, 0, done)
            self.assertRegex(done.errors, "(?m)^muster: .*tool", done)


class Named(Case):
    """By the user: he gets what he asked for, however long it takes to come."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.path("fifo"))

    def writes(self, text):
        """Once somebody reads the fifo, and one time only."""
        def go():
            with open(self.path("fifo"), "w", encoding="ascii") as file:
                file.write(text)
        thread = threading.Thread(target=go, daemon=True)
        thread.start()
        self.addCleanup(self.released, thread)

    def released(self, thread):
        """Also where nobody has read."""
        held = os.open(self.path("fifo"), os.O_RDONLY | os.O_NONBLOCK)
        thread.join()
        os.close(held)

    def test_a_fifo_with_a_writer(self):
        self.writes("localhost slots=2\n")
        done = self.succeeds("--hostfile", "fifo", "sh", "-c", "echo $RANK")
        self.assertEqual(done.lines, ["0", "1"])

    def test_a_job_in_a_fifo_is_read_once(self):
        """A second look into it, for the place of a complaint, would find no writer."""
        self.writes("command: python3 gone.py\ncode: .\n")
        done = self.start("fifo", command=(MUSTER, "validate")).finish()
        self.assertEqual(done.code, BAD_FILE, done)
        self.assertIn("gone.py", done.errors)

    def test_what_a_shell_hands_over(self):
        for line in (f"{MUSTER} run --hostfile <(echo localhost) -n 1 echo ran",
                     f"echo localhost | {MUSTER} run --hostfile /dev/stdin -n 1 echo ran",
                     f"echo command: echo ran | {MUSTER} submit -"):
            with self.subTest(line):
                done = self.start("-c", line, command=("bash",)).finish()
                self.assertEqual((done.code, done.text), (0, "ran\n"), done)

    def ends(self, running, number):
        running.send(number)
        done = running.finish()
        self.assertEqual((done.code, done.out), (128 + number, b""), done)

    def waiting(self, *words, command):
        return self.start(*words, command=(MUSTER, command),
                          preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL)
                                              for number in (signal.SIGINT, signal.SIGTERM)])

    def test_a_signal_ends_the_wait_for_a_writer(self):
        for number in signal.SIGINT, signal.SIGTERM:
            for words, command in ((("--hostfile", "fifo", "true"), "run"), (("fifo",), "submit")):
                running = self.waiting(*words, command=command)
                until("muster sleeps", lambda one=running: state_of(one.pid) == "S")
                self.ends(running, number)

    def test_and_the_wait_for_what_it_writes(self):
        for words, command in ((("--hostfile", "fifo", "true"), "run"), (("fifo",), "submit")):
            running = self.waiting(*words, command=command)
            writer = self.opened_to_write()
            os.write(writer, b"# half a fi")
            self.ends(running, signal.SIGINT)
            os.close(writer)

    def opened_to_write(self):
        """The fifo, once somebody has opened it to read."""
        opened = []

        def is_open():
            with contextlib.suppress(OSError):  # ENXIO: nobody has
                opened.append(os.open(self.path("fifo"), os.O_WRONLY | os.O_NONBLOCK))
            return opened
        until("muster reads the fifo", is_open)
        return opened[0]

    def test_a_folder_is_refused(self):
        done = self.muster("--hostfile", ".", "true")
        self.assert_refused(done, BAD_FILE, "this is a folder, not a file")

    @unittest.skipIf(os.getuid() == 0, "root may read everything")
    def test_so_is_what_may_not_be_read(self):
        self.write("closed", "localhost\n", 0)
        done = self.muster("--hostfile", "closed", "true")
        self.assert_refused(done, BAD_FILE, "cannot open the file: Permission denied", "chmod u.r")


if __name__ == "__main__":
    run_tests()

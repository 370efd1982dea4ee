"""Variables that muster gives to ranks outlive the run: a rank hands them on to batch jobs, daemons
and files. What they name by then is somebody else's, and muster leaves it alone."""

# rooms: cli host process probe store
# attacks

import json
import os
import shutil
import socket
import unittest

from support import BAD_FILE, MUSTER, PYTHON, UNTIL_GO, Case, run_tests

INTERNAL = 247
# A user who is neither root nor the one that runs the tests.
OTHERS = 12345
# What a kubelet makes in a pod, and reads.
MESSAGES = "/dev/termination-log"


class Reports(Case):
    def runs_with(self, report):
        """A run that has nothing to say, and one that has."""
        env = self.environment(MUSTER_REPORT_FILE=report)
        self.assertEqual(self.muster("-n", "1", "true", env=env).code, 0)
        self.assertEqual(self.muster("-n", "1", "false", env=env).code, 1)

    def test_a_file_of_the_user_is_not_touched(self):
        path = self.write("keep", "keep\n")
        for name in (path, f"{path}:{os.stat(path).st_ino}"):
            self.runs_with(name)
            self.assertEqual(self.read("keep"), b"keep\n", name)

    def test_a_descriptor_of_another_process_is_not_touched(self):
        path = self.write("keep", "keep\n")
        with open(path, "rb+") as file:
            link = f"/proc/{os.getpid()}/fd/{file.fileno()}"
            for name in (link, f"{link}:{os.fstat(file.fileno()).st_ino}"):
                self.runs_with(name)
                self.assertEqual(self.read("keep"), b"keep\n", name)

    def test_nor_is_a_file_in_memory_that_is_not_the_one_meant(self):
        for name, inode in ("muster-error-file", "1"), ("else", None), ("muster-error-file", "x"):
            held = os.memfd_create(name)
            self.addCleanup(os.close, held)
            os.write(held, b"keep")
            number = inode or os.fstat(held).st_ino
            self.runs_with(f"/proc/{os.getpid()}/fd/{held}:{number}")
            self.assertEqual(os.pread(held, 100, 0), b"keep", (name, inode))

    @unittest.skipIf(os.getuid() != 0, "only root can give a file away")
    def test_nor_is_one_of_another_user(self):
        """Root, who may open it, does not write to it either."""
        held = os.memfd_create("muster-error-file")
        self.addCleanup(os.close, held)
        os.write(held, b"keep")
        os.fchown(held, OTHERS, OTHERS)
        self.runs_with(f"/proc/{os.getpid()}/fd/{held}:{os.fstat(held).st_ino}")
        self.assertEqual(os.pread(held, 100, 0), b"keep")

    def test_a_fifo_or_a_device_is_not_opened(self):
        os.mkfifo(self.path("fifo"))
        for name in (self.path("fifo"), "/dev/zero"):
            held = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
            self.addCleanup(os.close, held)
            self.runs_with(f"/proc/{os.getpid()}/fd/{held}:{os.fstat(held).st_ino}")

    def test_that_of_a_rank_is_written(self):
        inner = f"MUSTER_RECORD=no {MUSTER} run -n 1 sh -c 'exit 3'"
        report = "sh -c 'cat ${MUSTER_REPORT_FILE%:*}'"
        done = self.muster("-n", "1", "sh", "-c", f"{inner}; {report}; true")
        self.assertEqual(done.text.splitlines()[0], "muster-report 1 3", done)
        # The next one that ends well takes back what this one said.
        done = self.muster("-n", "1", "sh", "-c", f"{inner}; {MUSTER} run -n 1 true; {report}")
        self.assertEqual(done.text, "", done)


class ErrorFiles(Case):
    """TORCHELASTIC_ERROR_FILE, to which muster's hook writes what a Python rank has raised."""

    def raises(self, path):
        done = self.muster("-n", "1", "env", f"TORCHELASTIC_ERROR_FILE={path}", PYTHON, "t.py")
        self.assertEqual(done.code, 1, done)

    def setUp(self):
        super().setUp()
        self.write("t.py", "raise ValueError('bad \\u2603 \\udc80')\n")

    def test_a_file_of_the_user_that_was_named_is_written(self):
        self.raises(self.write("errors.json", ""))
        said = json.loads(self.read("errors.json"))["message"]
        self.assertEqual(said["message"], "ValueError: bad \u2603 ?")
        self.assertIn("t.py", said["extraInfo"]["py_callstack"])
        self.raises(self.write("keep", "keep\n"))
        self.assertEqual(self.read("keep"), b"keep\n")

    def test_a_descriptor_of_another_process_is_not_touched(self):
        for held in (os.open(self.write("empty", ""), os.O_RDWR),
                     os.memfd_create("muster-error-file"), os.memfd_create("else")):
            self.addCleanup(os.close, held)
            self.raises(f"/proc/{os.getpid()}/fd/{held}")
            self.assertEqual(os.pread(held, 100, 0), b"")

    def test_a_fifo_or_a_device_is_not_opened(self):
        os.mkfifo(self.path("fifo"))
        for path in (self.path("fifo"), "/dev/zero"):
            self.raises(path)

    @unittest.skipIf(os.getuid() != 0, "only root can give a file away")
    def test_a_rank_that_has_become_root_writes_to_its_own(self):
        """As with sudo -E: the file in memory is that of whoever began the run."""
        held = os.memfd_create("muster-error-file")
        self.addCleanup(os.close, held)
        os.fchown(held, OTHERS, OTHERS)
        path = f"/proc/{os.getpid()}/fd/{held}"
        report = f"MUSTER_REPORT_FILE={path}:{os.fstat(held).st_ino}"
        done = self.muster("-n", "1", "env", report, f"TORCHELASTIC_ERROR_FILE={path}", PYTHON,
                           "t.py")
        self.assertEqual(done.code, 1, done)
        self.assertIn(b"ValueError: bad", os.pread(held, 1000, 0))

    @unittest.skipIf(os.getuid() != 0, "only root can give a file away")
    def test_nor_is_a_file_of_another_user(self):
        os.chown(self.write("theirs", ""), OTHERS, OTHERS)
        self.raises(self.path("theirs"))
        self.assertEqual(self.read("theirs"), b"")


class EndFiles(Case):
    """Of a pod: MUSTER_END_FILE asks for the one that the kubelet reads, and names no other."""

    def submits(self, file, path):
        env = self.environment(MUSTER_END_FILE=path, MUSTER_RECORDS=self.path("records"))
        done = self.start(file, command=(MUSTER, "submit"), env=env).finish()
        self.assertEqual(done.code, 0, done)

    def test_a_file_of_the_user_is_not_touched(self):
        self.write("job.yml", "command: 'true'\n")
        self.write("steps.yml", "type: pipeline\njobs: {one: {command: 'true'}}\n")
        self.write("keep", "keep\n")
        os.symlink("keep", self.path("link"))
        for file in ("job.yml", "steps.yml"):
            for name in (self.path("keep"), "keep", self.path("link"), self.path("none")):
                with self.subTest(file, name=name):
                    self.submits(file, name)
                    self.assertEqual(self.read("keep"), b"keep\n")
        self.assertFalse(os.path.exists(self.path("none")))

    @unittest.skipIf(os.path.exists(MESSAGES), "these tests run in a pod themselves")
    def test_none_is_made_where_no_kubelet_reads_it(self):
        self.write("job.yml", "command: 'true'\n")
        self.submits("job.yml", MESSAGES)
        is_made = os.path.exists(MESSAGES)
        if is_made:
            os.remove(MESSAGES)
        self.assertFalse(is_made)


class Sockets(Case):
    def slurm(self, **more):
        return self.environment(SLURM_JOB_ID="7", SLURM_JOB_NODELIST="node[1-2]",
                                SLURM_TASKS_PER_NODE="1(x2)", SLURM_JOB_NUM_NODES="2", **more)

    def listening(self):
        one = socket.socket(socket.AF_UNIX)
        self.addCleanup(one.close)
        one.bind(self.path("socket"))
        one.listen()
        return self.path("socket")

    def hosts_of(self, env):
        done = self.muster("--dry-run", "true", env=env)
        self.assertEqual(done.code, 0, done)
        return "node1" in done.text and "node2" in done.text

    def test_a_batch_job_that_a_rank_has_submitted_has_hosts_of_its_own(self):
        """As `sbatch` hands on all variables of the rank."""
        self.assertTrue(self.hosts_of(self.slurm()))
        self.assertTrue(self.hosts_of(self.slurm(MUSTER_HEAD=self.path("gone"))))
        os.symlink(self.listening(), self.path("link"))
        self.assertTrue(self.hosts_of(self.slurm(MUSTER_HEAD=self.path("link"))))
        self.assertFalse(self.hosts_of(self.slurm(MUSTER_HEAD=self.path("socket"))))

    def gave(self, **of_rank):
        done = self.muster("-n", "1", "sh", "-c", "echo $MUSTER_GAVE",
                           env=self.environment(**of_rank))
        self.assertEqual(done.code, 0, done)
        return done.text.strip()

    def left_to(self, gave, job, **more):
        """Whether the job with this id uses its own hosts, and the messages of its run."""
        env = {**self.slurm(MUSTER_HEAD=self.path("socket"), MUSTER_GAVE=gave, **more),
               "SLURM_JOB_ID": job}
        done = self.muster("--dry-run", "true", env=env)
        self.assertEqual(done.code, 0, done)
        return "node1" in done.text, done.errors

    def test_so_it_has_while_the_run_of_that_rank_is_under_way(self):
        self.listening()
        of_slurm = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "localhost",
                    "SLURM_TASKS_PER_NODE": "1", "SLURM_JOB_NUM_NODES": "1"}
        for of_rank in {}, of_slurm:
            gave = self.gave(**of_rank)
            own, errors = self.left_to(gave, "8")
            self.assertTrue(own, errors)
            told = "this batch job (SLURM_JOB_ID=8) was submitted by a rank of another run"
            self.assertEqual(errors.count(told), 1, errors)
            quiet = self.left_to(gave, "8", MUSTER_QUIET="yes")
            self.assertEqual((quiet[0], "submitted by a rank" in quiet[1]), (True, False), quiet)
        # The rank's own job, as of a step in it.
        own, errors = self.left_to(gave, "7")
        self.assertEqual((own, "submitted by a rank" in errors), (False, False), errors)

    def test_what_is_said_to_launchers_of_that_run_does_not_hold_there(self):
        os.mkdir(self.path("here"), 0o700)
        more = {"MUSTER_LAUNCHERS": self.path("here"), "MUSTER_OUTPUT_FOLDERS": self.path("made")}
        gave = self.gave()
        for job, is_made in (("", True), ("8", False)):
            env = self.environment(MUSTER_GAVE=gave, PBS_JOBID=job, **more)
            self.succeeds("-n", "1", "true", env=env)
            self.assertEqual(os.path.isdir(self.path("made")), is_made, job)
            if is_made:
                os.rmdir(self.path("made"))

    @unittest.skipIf(os.getuid() != 0, "only root can give a file away")
    def test_a_socket_of_another_user_is_not_the_head_above(self):
        os.chown(self.listening(), OTHERS, OTHERS)
        self.assertTrue(self.hosts_of(self.slurm(MUSTER_HEAD=self.path("socket"))))


class Launchers(Case):
    def left(self, launchers):
        return self.environment(MUSTER_LAUNCHERS=launchers, MUSTER_STARTS_RANKS="1",
                                MUSTER_OUTPUT_FOLDERS=self.path("outputs"))

    def test_folders_of_a_run_that_is_over_are_not_made_again(self):
        self.succeeds("-n", "1", "true", env=self.left(self.path("gone")))
        self.assertFalse(os.path.exists(self.path("outputs")))
        os.mkdir(self.path("here"), 0o700)
        self.succeeds("-n", "1", "true", env=self.left(self.path("here")))
        self.assertTrue(os.path.isdir(self.path("outputs")))

    def test_folders_of_outputs_go_with_the_variable_of_the_launchers(self):
        self.write("file", "")
        for path in (self.path("outputs"), self.path("file/outputs")):
            env = self.environment(MUSTER_OUTPUT_FOLDERS=path)
            self.succeeds("-n", "1", "true", env=env)
            self.assertFalse(os.path.exists(path))

    def test_the_record_of_a_job_outside_is_kept(self):
        env = {**self.left(self.path("gone")), "MUSTER_RECORDS": self.path("records"),
               "MUSTER_RECORD": "yes"}
        self.succeeds("-n", "1", PYTHON, "-c", "", env=env)
        self.assertEqual(len(os.listdir(self.path("records"))), 1)


class OfARank(Case):
    """What an outer rank was given means something else in another run's ranks, or nothing."""

    def told(self, name, *words, **more):
        done = self.succeeds(*words, "sh", "-c", f"echo ${name}", **more)
        return done.lines

    def test_a_descriptor_is_not_spoken_to(self):
        """PMI_FD may be the number of anything that the launching shell has opened."""
        with open(self.write("keep", "keep\n"), "rb+") as file:
            more = {"env": self.environment(PMI_FD=str(file.fileno())),
                    "pass_fds": (file.fileno(),)}
            self.assertEqual(self.told("PMI_FD", "-n", "2", **more), ["3", "3"])
            self.assertEqual(self.told("PMI_FD", "-n", "1", "--wireup", "none", **more), [""])
        self.assertEqual(self.read("keep"), b"keep\n")

    def test_a_deadline_is_that_of_a_run_under_way(self):
        end = "4102444800"  # in 2100
        os.mkdir(self.path("here"), 0o700)
        for launchers, seen in ((self.path("here"), end), (self.path("gone"), "")):
            env = self.environment(MUSTER_DEADLINE=end, MUSTER_LAUNCHERS=launchers)
            self.assertEqual(self.told("MUSTER_DEADLINE", env=env), [seen])
            own, = self.told("MUSTER_DEADLINE", "--timeout", "1000", env=env)
            self.assertLess(int(own), int(end))
        env = self.environment(MUSTER_DEADLINE="1")  # over, whoever's it was
        self.assertEqual(self.told("MUSTER_DEADLINE", env=env), [""])

    def test_checkpoints_are_those_of_the_run_itself(self):
        os.mkdir(self.path("old"))
        env = self.environment(MUSTER_CHECKPOINTS=self.path("old"))
        self.assertEqual(self.told("MUSTER_CHECKPOINTS", "-n", "1", env=env), [""])
        self.write("job.yml", "muster: 1\ncheckpoints: true\n"
                   "command: echo $MUSTER_CHECKPOINTS; echo > $MUSTER_CHECKPOINTS/new\n")
        done = self.succeeds("job.yml", command=(MUSTER, "submit"), env=env)
        self.assertNotIn(done.text.strip(), ("", self.path("old")))
        self.assertEqual(os.listdir(done.text.strip()), ["new"])
        self.assertEqual(os.listdir(self.path("old")), [])


class OfTheHost(Case):
    """MUSTER_ENVIRONMENT, whose programs come before all others, and MUSTER_CPUS hold as long as
    the run that gave them."""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("packages/bin"))
        self.write("packages/bin/tool", "#!/bin/sh\necho packed\n", 0o755)
        os.mkdir(self.path("here"), 0o700)

    def left(self, **more):
        return self.environment(MUSTER_ENVIRONMENT=self.path("packages"), **more)

    def uses(self, **more):
        """Whether a rank finds the program in the folder, and what muster says of that."""
        words = ("-n", "1", "sh", "-c", 'command -v tool; echo "[$MUSTER_ENVIRONMENT]"')
        done = self.succeeds(*words, env=self.left(**more))
        found = self.path("packages/bin/tool") + "\n" in done.text
        self.assertEqual(f"[{self.path('packages')}]\n" in done.text, found, done)
        return found, done.errors

    def test_packages_of_a_run_that_is_over_are_not_used(self):
        self.assertEqual(self.uses(MUSTER_LAUNCHERS=self.path("gone")), (False, ""))
        self.assertEqual(self.uses(MUSTER_REPORT_FILE="/proc/1/fd/99:1"), (False, ""))
        self.assertEqual(self.uses(MUSTER_HEAD=self.path("gone"),
                                   MUSTER_LAUNCHERS=self.path("gone")), (False, ""))

    def test_whoever_has_set_the_variable_is_told_how_to_do_without(self):
        used, errors = self.uses()
        self.assertFalse(used)
        self.assertRegex(errors, r"^muster: MUSTER_ENVIRONMENT is ignored: .* "
                         rf"{self.path('packages')}/bin, put that folder first in PATH\n$")

    def test_those_of_a_run_under_way_are(self):
        self.assertEqual(self.uses(MUSTER_LAUNCHERS=self.path("here")), (True, ""))

    def test_a_launcher_in_a_rank_uses_them(self):
        """On this machine, and where an agent gives the rank its variables."""
        given = ("-n", "1", "-x", "MUSTER_ENVIRONMENT=" + self.path("packages"))
        inner = (MUSTER, "run", "-n", "1", "tool")
        for hosts in (), ("--fake-nodes", "2"):
            with self.subTest(hosts):
                self.assertEqual(self.succeeds(*hosts, *given, *inner).text, "packed\n")

    def test_a_batch_job_of_a_rank_has_none_while_that_run_is_under_way(self):
        gave = self.succeeds("-n", "1", "sh", "-c", "echo $MUSTER_GAVE").text.strip()
        more = {"MUSTER_LAUNCHERS": self.path("here"), "MUSTER_GAVE": gave}
        self.assertTrue(self.uses(**more)[0])
        self.assertFalse(self.uses(PBS_JOBID="8", **more)[0])

    def test_a_folder_that_others_can_write_to_is_not_used(self):
        os.chmod(self.path("packages"), 0o777)
        used, errors = self.uses(MUSTER_LAUNCHERS=self.path("here"))
        self.assertFalse(used)
        self.assertEqual(errors, "muster: MUSTER_ENVIRONMENT is ignored: "
                         f"{self.path('packages')}: others may write to it\n")

    def test_nor_is_what_is_not_a_folder(self):
        shutil.rmtree(self.path("packages"))
        self.assertFalse(self.uses(MUSTER_LAUNCHERS=self.path("here"))[0])
        self.write("packages", "")
        used, errors = self.uses(MUSTER_LAUNCHERS=self.path("here"))
        self.assertFalse(used)
        self.assertIn("it is not a folder on this host\n", errors)

    @unittest.skipIf(os.getuid() != 0, "only root can give a folder away")
    def test_nor_is_that_of_another_user(self):
        os.chown(self.path("packages"), OTHERS, OTHERS)
        used, errors = self.uses(MUSTER_LAUNCHERS=self.path("here"))
        self.assertFalse(used)
        self.assertIn("it is another user's\n", errors)

    def cpus(self, bound, **more):
        """Those of a rank of a muster that is bound to some."""
        allowed = "echo $(taskset -cp $$ | sed 's/.*: //')"
        done = self.succeeds("-n", "1", "sh", "-c", allowed, env=self.environment(**more),
                             preexec_fn=lambda: os.sched_setaffinity(0, {bound}))
        return done.text.strip()

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one cpu only")
    def test_cpus_are_those_of_a_run_under_way(self):
        one, other = sorted(os.sched_getaffinity(0))[:2]
        said = f"{one}/{one},{other}"
        both = f"{one},{other}" if other != one + 1 else f"{one}[,-]{other}"
        self.assertRegex(self.cpus(one, MUSTER_CPUS=said, MUSTER_LAUNCHERS=self.path("here")),
                         rf"^{both}$")
        for left in {"MUSTER_LAUNCHERS": self.path("gone")}, {}:
            self.assertEqual(self.cpus(one, MUSTER_CPUS=said, **left), str(one), left)


class RunNames(Case):
    """MUSTER_RUN_NAME: whoever starts muster in a pod says what the run there is called."""

    NAME = "20260102-030405-kufari"

    def environment(self, **more):
        return super().environment(MUSTER_RECORDS=self.path("records"), **more)

    def test_no_rank_hands_it_on(self):
        for hosts in (), ("--fake-nodes", "2"):
            done = self.succeeds(*hosts, "-n", "1", "sh", "-c", 'echo "[$MUSTER_RUN_NAME]"',
                                 env=self.environment(MUSTER_RUN_NAME=self.NAME))
            self.assertEqual(done.text, "[]\n", hosts)

    def test_a_record_that_is_there_stays_as_it_is(self):
        env = self.environment(MUSTER_RUN_NAME=self.NAME)
        self.succeeds("-n", "1", "echo", "first", env=env)
        self.assertEqual(self.names(), [self.NAME])
        before = self.read("records", self.NAME, "spec.json")
        self.succeeds("-n", "1", "echo", "second", env=env)
        self.assertEqual(len(self.names()), 2)
        self.assertEqual(self.read("records", self.NAME, "spec.json"), before)

    def names(self):
        return [one for one in os.listdir(self.path("records")) if one[0].isdigit()]


class Metrics(Case):
    """MLFLOW_TRACKING_URI of a rank names the folder of metrics in its run's record."""

    def environment(self, **more):
        return super().environment(MUSTER_RECORDS=self.path("records"), **more)

    def seen(self, uri, **more):
        env = self.environment(MLFLOW_TRACKING_URI=uri, **more)
        return self.succeeds("-n", "1", "sh", "-c", "echo $MLFLOW_TRACKING_URI", env=env).text

    def assert_own(self, seen, left):
        """It is that of the run that has seen it."""
        self.assertRegex(seen, rf"^file://{self.path('records')}/[^/]+/mlruns\n$")
        self.assertNotEqual(seen.strip(), left)

    def submitted(self, **more):
        """What the rank of a job is given."""
        self.write("job.yml", "command: echo $MLFLOW_TRACKING_URI\n")
        done = self.succeeds("job.yml", command=(MUSTER, "submit"), env=self.environment(**more))
        return done.text.strip()

    def test_that_of_a_run_that_is_over_is_dropped(self):
        uri = self.submitted()
        self.assertTrue(uri.startswith(f"file://{self.path('records')}/"), uri)
        self.assert_own(self.seen(uri), uri)
        step = uri.replace("/mlruns", "/steps/train/mlruns")
        self.assert_own(self.seen(step), uri)
        fresh = self.submitted(MLFLOW_TRACKING_URI=uri)
        self.assertNotIn(fresh, ("", uri))
        shutil.rmtree(self.path("records"))
        self.assert_own(self.seen(uri), uri)
        run = uri.split("/")[-2]
        self.assertNotIn(run, os.listdir(self.path("records")))

    def test_whoever_named_it_is_told_that_it_is_dropped(self):
        uri = self.submitted()
        told = f"muster: MLFLOW_TRACKING_URI is left out: {uri} is in the record of a run"
        env = self.environment(MLFLOW_TRACKING_URI=uri)
        for words in (("run", "-n", "1", "true"), ("submit", "job.yml"), ("mpirun", "true")):
            done = self.start(*words, command=(MUSTER,), env=env).finish()
            self.assertEqual((done.code, done.errors.count(told), done.errors.count("\n")),
                             (0, 1, 1), done)
        for words, more in ((("ps",), {}), (("run", "-q", "true"), {}),
                            (("run", "true"), {"MUSTER_LAUNCHERS": self.path("gone")})):
            done = self.start(*words, command=(MUSTER,), env={**env, **more}).finish()
            self.assertEqual((done.code, done.errors), (0, ""), "it was left, or nothing is run")

    def test_all_others_stay(self):
        """That of the user's own, and in a rank whose host does not see the record."""
        uri = self.submitted()
        for own in ("http://127.0.0.1:5000", "file://" + self.path("mlruns"),
                    uri.removesuffix("mlruns") + "own", self.path("records", "mlruns")):
            self.assertEqual(self.seen(own), own + "\n")
        shutil.rmtree(self.path("records"))
        os.mkdir(self.path("here"), 0o700)
        self.assertEqual(self.seen(uri, MUSTER_LAUNCHERS=self.path("here")), uri + "\n")

    def test_that_of_a_run_under_way_stays(self):
        self.write("job.yml", f"command: echo $MLFLOW_TRACKING_URI > $DIR/uri; "
                              f"echo > $DIR/ready.0; {UNTIL_GO}\n")
        job = self.start("job.yml", command=(MUSTER, "submit"))
        self.wait_for_files(["ready.0"])
        uri = self.read("uri").decode()
        self.assertEqual(self.seen(uri.strip()), uri)
        self.write("go", "")
        self.assertEqual(job.finish().code, 0)


class Outside(Case):
    """In a container the variable names the folder of the agent outside, which starts programs."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("outside"), 0o700)
        self.agent = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(self.agent.close)
        self.agent.bind(self.path("outside/socket"))
        self.agent.listen()
        self.agent.setblocking(False)

    def bound(self):
        """A program of its own asks for the hardware."""
        env = self.environment(MUSTER_OUTSIDE=self.path("outside"))
        return self.muster("--bind-to", "core", "-n", "1", "echo", "bound", env=env)

    @unittest.skipIf(os.getuid() != 0, "only root can give a folder away")
    def test_that_of_another_user_is_not_asked(self):
        for name in ("outside", "outside/socket"):
            os.chown(self.path(name), OTHERS, OTHERS)
            done = self.bound()
            self.assertEqual((done.code, done.text), (0, "bound\n"), (name, done))
            with self.assertRaises(BlockingIOError):
                self.agent.accept()
            os.chown(self.path(name), 0, 0)

    def test_that_of_a_run_that_is_over_is_told(self):
        self.agent.close()
        done = self.bound()
        self.assertEqual((done.code, done.out), (INTERNAL, b""), done)
        self.assertRegex(done.errors, "^muster: error: the agent outside of the container does not "
                         rf"answer in {self.path('outside')}: Connection refused\n"
                         "  hint: where this is no container, unset MUSTER_OUTSIDE\n$")


class Agents(Case):
    """What stands in for ssh takes the whole environment to hosts that have one address each."""

    def carrier(self, begin):
        return self.write("rsh", "#!/bin/sh\nshift\n"
                          "export SSH_CONNECTION='127.0.0.1 1 127.0.0.1 22'\n"
                          f'exec {begin} $*"\n', 0o755)

    def nodes(self, carrier, **left):
        words = ("--ssh-command", carrier, "-H", "a:1,b:1", "sh", "-c", "echo $NODE_RANK")
        return self.succeeds(*words, env=self.environment(**left)).lines

    @unittest.skipIf(os.getuid() != 0, "only root can make networks")
    def test_two_hosts_are_not_one_because_a_variable_says_so(self):
        carrier = self.carrier('unshare -n sh -c "ip link set lo up;')
        self.assertEqual(self.nodes(carrier), ["0", "1"])
        self.assertEqual(self.nodes(carrier, MUSTER_HOST_IDENTITY="left"), ["0", "1"])

    def test_one_host_is_not_two_because_of_a_step_that_is_over(self):
        carrier = self.carrier('sh -c "')
        self.assertEqual(self.nodes(carrier), ["0", "0"])
        self.assertEqual(self.nodes(carrier, MUSTER_STEP="1"), ["0", "0"])


class QueuedRecords(Case):
    """A job's script names the record that its muster goes on with."""

    def setUp(self):
        super().setUp()
        self.write("job.yml", "muster: 1\ncommand: echo from the job\n")
        self.succeeds("job.yml", command=(MUSTER, "submit"))
        done = self.succeeds("last", "--json", command=(MUSTER, "show"))
        self.record = json.loads(done.text)["folder"]

    def handed_to_slurm(self, job):
        for name in ("spec.json", "report.json"):
            about = json.loads(self.read(self.record, name))
            self.write(os.path.join(self.record, name),
                       json.dumps({**about, "scheduler": {"kind": "slurm", "id": job}}))

    def waits_in_the_queue(self, job):
        os.remove(self.path(self.record, "report.json"))
        self.write(os.path.join(self.record, "events.jsonl"),
                   '{"time":"2026-01-02T03:04:05.678Z","event":"created"}\n'
                   f'{{"time":"2026-01-02T03:04:05.678Z","id":"{job}","event":"queued"}}\n')

    def contents(self):
        return {name: self.read(self.record, name) for name in os.listdir(self.record)
                if name != "streams"}

    def run_in_job(self, job):
        around = {"SLURM_JOB_ID": job, "SLURM_JOB_NODELIST": socket.gethostname(),
                  "SLURM_TASKS_PER_NODE": "1", "SLURM_JOB_NUM_NODES": "1"} if job else {}
        env = self.environment(MUSTER_QUEUED_RECORD=self.record, **around)
        return self.muster("-n", "1", "echo", "typed", env=env)

    def refuses(self, job):
        before = self.contents()
        self.assert_refused(self.run_in_job(job), BAD_FILE, "MUSTER_QUEUED_RECORD names no run "
                            f"of this batch job: {self.record}", "unset it")
        self.assertEqual(self.contents(), before)

    def test_one_that_was_in_no_queue(self):
        self.refuses("")
        self.refuses("7")

    def test_one_of_another_job(self):
        """It has ended, or waits for its turn."""
        self.handed_to_slurm("7")
        self.refuses("")
        self.refuses("8")
        self.waits_in_the_queue("7")
        self.refuses("")
        self.refuses("8")
        done = self.run_in_job("7")
        self.assertEqual((done.code, done.text), (0, "from the job\n"), done)


if __name__ == "__main__":
    run_tests()

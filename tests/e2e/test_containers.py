"""Ranks in containers of a real podman, on this machine: they run as they do without, and whatever
dies, no process, no mount and no container stays."""

# rooms: container host process cli
# needs: podman

import glob
import os
import signal
import sys
import unittest

from support import (CANNOT_START, LOST, MUSTER, NO_SLOTS, READY, Case, by_age,
                     descendants, kill_all, name_of, run_tests, state_of, until)
import image

REASON = image.why_not()
if REASON:
    print(f"SKIPPED: no containers can be made here: {REASON}", file=sys.stderr)
SMALL, FULL = image.reference("small"), image.reference("full")
GRACE = 2


class ContainerCase(Case):
    """Storage of its own, in which the class's `images` are; nothing may be left in it."""

    images = ("small",)

    @classmethod
    def setUpClass(cls):
        cls.storage = image.Storage(list(cls.images))
        cls.addClassCleanup(cls.storage.close)

    def setUp(self):
        super().setUp()
        self.addCleanup(self.assert_no_containers)

    def environment(self, **more):
        return super().environment(**self.storage.environment, **more)

    def containers(self):
        return self.storage.podman("ps", "-a", "-q", "--no-trunc").stdout.decode().split()

    def mounts(self):
        with open("/proc/self/mounts", encoding="utf-8") as file:
            return [line.split()[1] for line in file
                    if line.split()[1].startswith(self.storage.folder) and "/merged" in line]

    def assert_no_containers(self):
        try:
            until("no container", lambda: not self.containers() and not self.mounts())
        except TimeoutError:
            self.fail(f"left behind: {self.containers()}, {self.mounts()}")


@unittest.skipIf(REASON, REASON)
class Containers(ContainerCase):
    def test_ranks_share_a_container_with_a_pid_namespace(self):
        done = self.succeeds("-n", "3", "--image", SMALL, "sh", "-c",
                             'echo "$RANK $WORLD_SIZE $(readlink /proc/self/ns/pid)"; '
                             'head -c 14 /proc/1/cmdline')
        namespaces = {line.split()[2] for line in done.lines if line[0].isdigit()}
        self.assertEqual(len(namespaces), 1, done)
        self.assertNotEqual(namespaces, {os.readlink("/proc/self/ns/pid")}, done)
        self.assertIn("/.muster/muste", done.text)

    def test_each_fake_node_has_one(self):
        done = self.succeeds("--fake-nodes", "2", "-n", "4", "--image", SMALL, "sh", "-c",
                             'echo $GROUP_RANK $(readlink /proc/self/ns/pid)')
        self.assertEqual(len(done.lines), 4, done)
        self.assertEqual(len(set(done.lines)), 2, done)

    def test_the_folder_is_that_of_the_host_and_files_are_the_users(self):
        self.succeeds("-n", "2", "--image", SMALL, "sh", "-c", 'echo $RANK > by.$RANK')
        self.assertEqual(self.read("by.1"), b"1\n")
        self.assertEqual(os.stat(self.path("by.1")).st_uid, os.getuid())

    def test_mounts_and_the_environment(self):
        os.mkdir(self.path("data"))
        self.write("data/one", "1\n")
        done = self.succeeds("--image", SMALL, "--mount", f"{self.path('data')}:/in:ro", "-x",
                             "ASKED=yes", "sh", "-c",
                             'cat /in/one; touch /in/two 2>/dev/null || echo read-only; '
                             'echo "$ASKED ${E2E_MARK-none}"', env=self.environment(SECRET="x"))
        self.assertEqual(done.text.split("\n"), ["1", "read-only", "yes none", ""], done)

    def test_shared_memory_is_the_hosts_or_as_large_as_asked(self):
        size = "df -P -B 1 /dev/shm | tail -n 1 | tr -s ' ' | cut -d ' ' -f 2"
        own = self.succeeds("--image", SMALL, "--shm-size", "48m", "sh", "-c", size)
        self.assertEqual(own.text.strip(), str(48 << 20), own)
        hosts = self.succeeds("--image", SMALL, "sh", "-c", size)
        facts = os.statvfs("/dev/shm")
        self.assertEqual(hosts.text.strip(), str(facts.f_blocks * facts.f_frsize), hosts)

    def test_stdin_and_much_output_pass(self):
        data = os.urandom(3_000_000)
        done = self.muster("--stdin", "0", "--image", SMALL, "cat", stdin=data)
        self.assertEqual(done.code, 0, done.errors)
        self.assertEqual(done.out, data)

    def test_a_rank_that_fails_ends_the_others(self):
        done = self.muster("-n", "2", "-x", f"DIR={self.folder}", "--image", SMALL, "sh", "-c",
                           READY + '[ $RANK = 0 ] && exec sleep 3600; '
                           'while [ ! -e $DIR/ready.0 ]; do sleep 0.01; done; exit 7')
        self.assertEqual(done.code, 7, done)
        self.assertIn("rank 1", done.errors)

    def test_a_killed_rank_is_reported_by_its_signal(self):
        done = self.muster("--image", SMALL, "sh", "-c", "kill -9 $$")
        self.assertEqual(done.code, 137, done)

    def test_bound_ranks_and_terminals(self):
        done = self.succeeds("-n", "1", "--image", SMALL, "--unbuffered", "--bind-to", "core",
                             "sh", "-c", "test -t 1 && grep Cpus_allowed_list /proc/self/status")
        self.assertRegex(done.text, r"Cpus_allowed_list:\s+\d+\r?\n")


@unittest.skipIf(REASON, REASON)
class Jobs(ContainerCase):
    images = ("small", "musl", "full")

    def submit(self, *words, **more):
        return self.muster(*words, command=(MUSTER, "submit"), **more)

    def environment(self, **more):
        return super().environment(MUSTER_RECORDS=self.path("records"), **more)

    def test_a_run_with_an_image_needs_no_record(self):
        for words, env in ((["--no-record"], {}), ([], {"MUSTER_RECORD": "no"})):
            done = self.succeeds("-n", "1", *words, "--image", SMALL, "sh", "-c", "echo in it",
                                 env=self.environment(**env))
            self.assertEqual(done.text, "in it\n")

    def test_a_job_with_an_image_and_outputs(self):
        os.mkdir(self.path("code"))
        self.write("code/text", "from the code\n")
        self.write("job.yml", f"""
command: "cat text > ${{{{outputs.made}}}}/text; readlink /proc/self/ns/pid; ls /usr/bin | wc -l"
code: ./code
environment: {{image: "{FULL}"}}
outputs: {{made: {{type: uri_folder}}}}
resources: {{shm_size: 32m}}
""")
        done = self.submit("job.yml")
        self.assertEqual(done.code, 0, done)
        self.assertNotIn(os.readlink("/proc/self/ns/pid"), done.text)
        made, = glob.glob(self.path("records", "*", "outputs", "made", "text"))
        self.assertEqual(self.read(made), b"from the code\n")

    def test_without_environment_it_runs_on_the_host(self):
        self.write("job.yml", f"command: readlink /proc/self/ns/pid\n"
                              f"environment: {{image: \"{SMALL}\"}}\n")
        done = self.submit("job.yml", "--without", "environment")
        self.assertEqual(done.text.strip(), os.readlink("/proc/self/ns/pid"), done)

    def test_muster_yml_says_how(self):
        os.mkdir(self.path("data"))
        self.write("data/one", "1\n")
        self.write("muster.yml", f"targets:\n  here:\n    fake_nodes: 1\n    image: \"{FULL}\"\n"
                                 f"    container_runtime: podman\n"
                                 f"    container_options: [--env=BY_SITE=yes]\n"
                                 f"    mounts: [\"{self.path('data')}:/in:ro\"]\n")
        self.write("job.yml", "command: cat /in/one; echo $BY_SITE\n")
        done = self.submit("job.yml", "--target", "here")
        self.assertEqual(done.text, "1\nyes\n", done)

    def test_roles_have_images_of_their_own(self):
        words = ["--role", "chief=1", "--image", SMALL, "sh", "-c", "echo glibc", ":",
                 "--role", "worker=1", "--image", image.reference("musl"), "/bin/hello"]
        done = self.muster("--fake-nodes", "2", *words)
        self.assertEqual(done.code, 0, done)
        self.assertIn("glibc", done.text)
        self.assertEqual(len(done.lines), 2, done)
        refused = self.muster(*words)
        self.assert_refused(refused, NO_SLOTS, "would run ranks of two images")


@unittest.skipIf(REASON, REASON)
class NoContainers(ContainerCase):
    def test_an_image_that_is_not_there(self):
        done = self.muster("--image", "localhost/nobody:1", "true")
        self.assert_refused(done, CANNOT_START, "the image 'localhost/nobody:1' is not there")

    def test_a_runtime_that_is_not_there(self):
        done = self.muster("--container-runtime", "enroot", "--image", SMALL, "true")
        self.assert_refused(done, CANNOT_START, "enroot is not installed there",
                            "--container-runtime")

    def test_a_program_that_the_image_lacks(self):
        done = self.muster("--image", SMALL, "no-such-program")
        self.assert_refused(done, CANNOT_START, "no program no-such-program on PATH")

    def test_a_mount_of_nothing(self):
        done = self.muster("--image", SMALL, "--mount", self.path("nothing"), "true")
        self.assert_refused(done, CANNOT_START, "nothing to the container: No such file")

    def test_an_option_that_the_runtime_does_not_know(self):
        done = self.muster("--image", SMALL, "--container-option", "--no-such", "true")
        self.assert_refused(done, CANNOT_START, "--container-option misspelled")

    def test_another_processor(self):
        with image.Storage(["wrong-processor"]) as storage:
            env = {**self.environment(), **storage.environment}
            done = self.muster("--image", image.reference("wrong-processor"), "true", env=env)
        self.assertEqual(done.code, CANNOT_START, done)


@unittest.skipIf(REASON, REASON)
class Deaths(ContainerCase):
    """Ranks that ignore signals and leave children behind; then somebody dies."""

    def job(self, *words):
        job = self.start(*words, "--grace", str(GRACE), "-n", "2", "-x", f"DIR={self.folder}",
                         "--image", SMALL, "sh", "-c",
                         f"(trap '' TERM INT HUP; exec sleep {self.mark}) & "
                         f"setsid sleep {self.mark} & " + READY + f"sleep {self.mark}; exit 77")
        self.wait_for_files(["ready.0", "ready.1"])
        return job

    def below(self, job, *names):
        """Living processes below a job, also those that a daemon's fork has moved, by name. What
        has removed folders at the start stays as a zombie until the head ends."""
        pids = descendants(job.pid)
        return [pid for pid in pids if name_of(pid) in names and state_of(pid) != "Z"]

    def outer(self, job):
        """The agent beside the head, with its guard and warden."""
        agents = [pid for pid in self.below(job, "muster") if pid != job.pid]
        return by_age(agents)[0]  # the one in the container has come later

    def kill(self, *pids):
        self.assertTrue(pids and all(pids))
        kill_all(pids)

    def ends(self, job, codes):
        done = job.finish()
        self.assertIn(done.code, codes, done)
        self.assert_nothing_left()
        self.assert_no_containers()
        return done

    def test_ctrl_c(self):
        job = self.job()
        job.send(signal.SIGINT)
        self.ends(job, {130})

    def test_head(self):
        job = self.job()
        self.kill(job.pid)
        self.ends(job, {137})

    def test_outer_agent(self):
        job = self.job()
        self.kill(self.outer(job))
        self.ends(job, {LOST})

    def test_inner_agent(self):
        job = self.job()
        inner = by_age(pid for pid in self.below(job, "muster") if pid != job.pid)[-1]
        self.kill(inner)
        self.ends(job, {LOST})

    def test_podman(self):
        job = self.job()
        self.kill(*self.below(job, "podman"))
        self.ends(job, {LOST})

    def test_conmon(self):
        job = self.job()
        self.kill(*self.below(job, "conmon"))
        self.ends(job, {LOST})

    def test_podman_and_conmon(self):
        job = self.job()
        self.kill(*self.below(job, "podman", "conmon"))
        self.ends(job, {LOST})

    def test_outer_agent_and_its_guard(self):
        job = self.job()
        outer = self.outer(job)
        guard = by_age(pid for pid in descendants(outer) if name_of(pid) == "muster-guard")[0]
        self.kill(guard, outer)
        self.ends(job, {LOST})

    def test_all_of_one_name(self):
        """As `pkill -9 muster` does: head, agents and guards, in and out of the container."""
        job = self.job()
        self.kill(job.pid, *self.below(job, "muster", "muster-guard"))
        self.ends(job, {137})


if __name__ == "__main__":
    run_tests()

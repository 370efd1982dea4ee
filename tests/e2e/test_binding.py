"""Jobs that bind their ranks on one host get out of each other's way.

They run in the network namespaces of a lab: there nobody else's jobs hold cores.
"""

# rooms: plan probe helper host
# attacks

import fcntl
import os
import unittest

from support import (MUSTER, UNTIL_GO, USAGE, WAIT_SECONDS, LabCase, lab_or_skip, run_tests,
                     until)

REASON = lab_or_skip()
CORES = os.sched_getaffinity(0)

# Tells where it may run, and stays until it is told to go.
WAITING = 'echo "$(nproc) of $(taskset -pc $$)"; : > "$DIR/ready.$NAME"; ' + UNTIL_GO
TELL = "taskset -pc $$"


def cpus_in(text):
    """The cpu lists of taskset's lines."""
    return [line.rsplit(": ", 1)[1] for line in text.splitlines() if ": " in line]


def waits_for_a_lock(pid):
    """Some kernels tell where in them it sleeps; all list who waits for a lock of another."""
    with open(f"/proc/{pid}/wchan", encoding="ascii") as place:
        if "lock" in place.read():
            return True
    with open("/proc/locks", encoding="ascii") as locks:
        return any(" -> " in line and str(pid) in line.split() for line in locks)


@unittest.skipIf(REASON, REASON)
@unittest.skipIf(len(CORES) != 2, "written for a machine of two cores")
class TwoJobsOnOneHost(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(1)

    def started(self, name, *words, **more):
        env = self.environment(NAME=name)
        job = self.start_in_lab("-n", "1", *words, "sh", "-c", WAITING, env=env, **more)
        self.wait_for_files([f"ready.{name}"])
        return job

    def go(self):
        self.write("go", "")

    def three_at_once(self, *words, **more):
        """Three jobs of one rank each on a host of two cores: what each tells."""
        jobs = [self.started(name, *words, **more) for name in ("a", "b", "c")]
        self.go()
        return [job.finish() for job in jobs]

    def assert_apart(self, done):
        self.assertEqual([one.code for one in done], [0, 0, 0], [str(one) for one in done])
        first, second, third = (cpus_in(one.text)[0] for one in done)
        self.assertEqual({first, second}, {str(core) for core in CORES})
        self.assertEqual(third, "0,1")
        self.assertEqual([one.complaints for one in done[:2]], ["", ""])
        self.assertEqual(len(done[2].complaints.splitlines()), 1, done[2])
        self.assertRegex(done[2].complaints, r"^muster: ranks on \S+ are not bound: other jobs of "
                                         r"muster are bound to cpus 0-1 there$")

    def test_here(self):
        self.assert_apart(self.three_at_once("--bind-to", "core"))

    def test_here_with_mpiruns_words(self):
        self.assert_apart(self.three_at_once("--map-by", "core", "-bind-to", "core",
                                             command=[MUSTER, "mpirun"]))

    def test_here_with_hydras_words(self):
        self.assert_apart(self.three_at_once("-bind-to", "core", command=[MUSTER, "mpiexec.hydra"]))

    def test_on_another_host(self):
        self.assert_apart(self.three_at_once("-H", "node1", "--bind-to", "core"))
        self.assert_hosts_clean()

    def test_twenty_at_the_same_instant(self):
        """Each core goes to one of them, and the others are told."""
        with open(self.path("gate"), "w", encoding="utf-8") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            command = ["flock", "-s", "-o", self.path("gate"), MUSTER, "run"]
            jobs = [self.start_in_lab("-n", "1", "--bind-to", "core", "sh", "-c", WAITING,
                                      env=self.environment(NAME=str(i)), command=command)
                    for i in range(20)]
            until("all before the gate", lambda: all(waits_for_a_lock(job.pid) for job in jobs))
        self.wait_for_files([f"ready.{i}" for i in range(20)])
        self.go()
        done = [job.finish() for job in jobs]
        self.assertEqual({one.code for one in done}, {0})
        bound = [one for one in done if cpus_in(one.text) != ["0,1"]]
        self.assertEqual(sorted(cpus_in(one.text)[0] for one in bound), ["0", "1"])
        self.assertEqual([one.complaints for one in bound], ["", ""])
        for one in done:
            if one not in bound:
                self.assertRegex(one.complaints, "^muster: ranks on .* are not bound: .*\\n$")

    def test_a_list_is_never_exchanged(self):
        first = self.started("a", "--cpu-list", "1")
        second = self.started("b", "--cpu-list", "1")
        self.go()
        first, second = first.finish(), second.finish()
        self.assertEqual(cpus_in(first.text), ["1"], first)
        self.assertEqual(cpus_in(second.text), ["0,1"], second)
        self.assertRegex(second.errors, "bound to cpu 1 there, which the cpu list names")

    def test_a_killed_job_holds_nothing(self):
        first = self.started("a", "--bind-to", "core")
        os.kill(first.pid, 9)
        first.finish()
        done = self.launches("-n", "2", "--bind-to", "core", "--tag", "sh", "-c", TELL)
        self.assertEqual(sorted(cpus_in(done.text)), ["0", "1"], done)
        self.assertEqual(done.complaints, "")

    def test_a_job_within_a_bound_rank_has_the_ranks_cores(self):
        inner = f"{MUSTER} run -n 1 --bind-to core sh -c '{TELL}'"
        done = self.launches("-n", "2", "--bind-to", "core", "--tag", "sh", "-c", inner)
        self.assertEqual(sorted(cpus_in(done.text)), ["0", "1"], done)
        self.assertEqual(done.complaints, "")

    def test_a_job_within_the_only_rank_of_a_host_has_all_its_cores(self):
        inner = f"{MUSTER} run -n 2 --bind-to core sh -c '{TELL}'"
        done = self.launches("-n", "1", "--bind-to", "core", "sh", "-c", inner)
        self.assertEqual(sorted(cpus_in(done.text)), ["0", "1"], done)
        self.assertEqual(done.complaints, "")

    def test_who_does_not_bind_holds_nothing(self):
        self.started("a")
        self.started("b", "-H", "node1")
        held = self.lab.start(["grep", "-c", "muster-cpu-", "/proc/net/unix"],
                              env=self.environment(), cwd=self.folder, stdout=-1)
        self.assertEqual(held.popen.communicate(timeout=WAIT_SECONDS)[0].strip(), b"0")
        self.go()

    def test_with_one_numa_node_distance_does_not_matter(self):
        words = ("-n", "2", "--map-by", "dist:mlx5_0", "--bind-to", "core", "--tag", "sh", "-c",
                 TELL)
        for command in (None, [MUSTER, "mpirun"]):
            done = self.launches(*(words if command is None else [*words[:6], *words[7:]]),
                                 command=command)
            self.assertEqual(sorted(cpus_in(done.text)), sorted(map(str, CORES)), done)
        done = self.launch("-n", "1", "--map-by", "dist", "true")
        self.assert_refused(done, USAGE, "mapping by distance needs the name of a device",
                            "dist:mlx5_0")

    @unittest.skipIf(os.path.exists("/proc/driver/nvidia") or os.path.exists("/dev/kfd"),
                     "this machine has GPUs")
    def test_a_host_without_gpus_says_so(self):
        for place in ((), ("-H", "node1")):
            done = self.launch("-n", "1", *place, "--bind-to", "gpu", "true")
            self.assert_refused(done, USAGE, "has no GPU to bind to", "gpu:if-supported")
            done = self.launches("-n", "1", *place, "--bind-to", "gpu:if-supported", "sh", "-c",
                                 TELL)
            self.assertEqual(cpus_in(done.text), [f"{min(CORES)},{max(CORES)}"], done)

    def test_muster_yml_may_ask_for_open_mpis_default(self):
        self.write("muster.yml", "run: {bind_to: default}\n")
        both = f"{min(CORES)},{max(CORES)}"
        for words, cpus in ((("-n", "2"), sorted(str(core) for core in CORES)),
                            (("-n", "2", "--bind-to", "none"), [both] * 2),
                            (("-n", "3"), [both] * 3)):
            for place in ((), ("-H", "node1:2", "--oversubscribe")):
                done = self.launches(*words, *place, "--tag", "sh", "-c", TELL)
                self.assertEqual(sorted(cpus_in(done.text)), cpus, done)
        done = self.launches("-n", "2", "-H", "node1:2", "--dry-run", "true")
        self.assertIn("no host is asked for its hardware, so what ranks are bound to by default is "
                      "not shown", done.errors)

    def test_ranks_of_one_job_that_is_started_again_keep_theirs(self):
        program = f'{TELL}; [ "$MUSTER_RESTART_COUNT" = 1 ]'
        done = self.launches("-n", "2", "--bind-to", "core", "--max-restarts", "1", "sh", "-c",
                             program)
        self.assertEqual(sorted(set(cpus_in(done.text))), ["0", "1"], done)
        self.assertNotIn("not bound", done.errors)


if __name__ == "__main__":
    run_tests()

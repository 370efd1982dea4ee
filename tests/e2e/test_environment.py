"""What each rank finds in its environment: every dialect, the seeds' helpers, and no secrets in `ps`."""

import glob
import json
import os
import unittest

from support import HERE, PYTHON, Case, descendants, wait_until

# Layouts: words of muster run, and for each rank (node, local rank, ranks on that node).
ONE_NODE = (["-n", "4"], [(0, 0, 4), (0, 1, 4), (0, 2, 4), (0, 3, 4)])
TWO_NODES = (["--fake-nodes", "2", "-n", "4"], [(0, 0, 2), (0, 1, 2), (1, 0, 2), (1, 1, 2)])
UNEVEN = (["--fake-nodes", "2", "-n", "3"], [(0, 0, 2), (0, 1, 2), (1, 0, 1)])


class Environments(Case):
    def environments(self, *words, ranks, script="", **more):
        """The environment of each rank, index = rank."""
        self.succeeds(*words, "sh", "-c", f'{script} env -0 > "$DIR/env.$RANK"', **more)
        found = []
        for rank in range(ranks):
            entries = self.read(f"env.{rank}").decode(errors="surrogateescape").split("\0")[:-1]
            found.append(dict(entry.split("=", 1) for entry in entries))
        return found


class Dialects(Environments):
    def check(self, layout):
        words, places = layout
        nodes = 1 + max(node for node, _, _ in places)
        environments = self.environments(*words, ranks=len(places))
        for rank, (node, local, here) in enumerate(places):
            expected = {
                "RANK": rank, "WORLD_SIZE": len(places), "LOCAL_RANK": local, "LOCAL_WORLD_SIZE": here,
                "NODE_RANK": node, "GROUP_RANK": node, "GROUP_WORLD_SIZE": nodes,
                "OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": len(places),
                "OMPI_COMM_WORLD_LOCAL_RANK": local, "OMPI_COMM_WORLD_LOCAL_SIZE": here,
                "OMPI_COMM_WORLD_NODE_RANK": local, "MPI_LOCALRANKID": local, "MPI_LOCALNRANKS": here,
                "HOROVOD_RANK": rank, "HOROVOD_SIZE": len(places), "HOROVOD_LOCAL_RANK": local,
                "HOROVOD_LOCAL_SIZE": here, "PYTHONUNBUFFERED": 1,
            }
            found = environments[rank]
            self.assertEqual({name: found.get(name) for name in expected},
                             {name: str(value) for name, value in expected.items()}, f"rank {rank}")
            self.check_meeting_point(found, environments[0], nodes)
            self.assertIn("NCCL_SOCKET_IFNAME", found)
            self.assertEqual([name for name in found if name.startswith(
                ("PMI_", "PMIX_", "SLURM_"))], [])

    def check_meeting_point(self, found, first, nodes):
        address, port = found["MASTER_ADDR"], found["MASTER_PORT"]
        self.assertEqual((address, port), (first["MASTER_ADDR"], first["MASTER_PORT"]))
        self.assertEqual(found["AZ_BATCH_MASTER_NODE"], f"{address}:{port}")
        self.assertEqual(found["AZ_BATCHAI_MPI_MASTER_NODE"], address)
        self.assertGreater(int(port), 1023)
        self.assertEqual(len(found.get("AZ_BATCH_HOST_LIST", "x").split(",")), nodes)

    def test_one_node(self):
        self.check(ONE_NODE)

    def test_two_nodes(self):
        self.check(TWO_NODES)

    def test_uneven_nodes(self):
        self.check(UNEVEN)

    def test_horovods_numbers_across_nodes(self):
        found = self.environments(*UNEVEN[0], ranks=3)
        cross = [(one["HOROVOD_CROSS_RANK"], one["HOROVOD_CROSS_SIZE"]) for one in found]
        self.assertEqual(cross, [("0", "2"), ("0", "1"), ("1", "2")])

    def test_the_hostfile_for_nested_launchers(self):
        self.environments(
    *TWO_NODES[0],
    ranks=4,
     script='cat "$AZUREML_MPI_HOSTFILE" > "$DIR/hosts.$RANK";')
        for rank in range(4):
            lines = self.read(f"hosts.{rank}").decode().splitlines()
            self.assertEqual(len(lines), 2)
            for line in lines:
                self.assertRegex(line, r"^\S+ slots=2$")

    def test_threads_are_the_share_of_the_cores(self):
        cores = len(os.sched_getaffinity(0))
        for words, ranks in (([], 1), (["-n", "2"], 2), (["-n", "3"], 3)):
            found = self.environments(*words, ranks=ranks)
            self.assertEqual({one["OMP_NUM_THREADS"]
                             for one in found}, {str(max(1, cores // ranks))})

    def test_threads_that_the_user_set_stay(self):
        found = self.environments("-n", "2", ranks=2, env=self.environment(OMP_NUM_THREADS="7"))
        self.assertEqual([one["OMP_NUM_THREADS"] for one in found], ["7", "7"])


class SeedHelpers(Case):
    """The helper that the seeds print for `aml_mpienv.py`, saved as a user would save it."""

    def reports(self, helper, words, ranks):
        code = (f"import json, os, sys; sys.path.insert(0, {os.path.join(HERE, 'data')!r})\n"
                f"sys.dont_write_bytecode = True\nimport {helper} as h\nlaunchers = dict(os.environ)\n"
                "h.set_environment_variables_for_nccl_backend()\n"
                "answers = {name: getattr(h, name)() for name in dir(h) if name.startswith('get_')}\n"
                "path = os.path.join(os.environ['DIR'], f'seed.{os.environ[\"RANK\"]}')\n"
                "json.dump([launchers, answers, dict(os.environ)], open(path, 'w'))\n")
        self.succeeds(*words, PYTHON, "-c", code)
        return [json.loads(self.read(f"seed.{rank}")) for rank in range(ranks)]

    def check(self, helper, layout):
        words, places = layout
        several = any(node != 0 for node, _, _ in places)
        for rank, (launchers, answers, after) in enumerate(
            self.reports(helper, words, len(places))):
            size, local, here = len(places), places[rank][1], places[rank][2]
            expected = {"get_rank": rank, "get_local_rank": local, "get_global_size": size,
                        "get_local_size": here, "get_world_size": size}
            self.assertEqual(answers, expected)
            self.assertEqual((after["RANK"], after["WORLD_SIZE"]), (str(rank), str(size)))
            self.assertEqual(after["MASTER_ADDR"], launchers["MASTER_ADDR"])
            # The helper's own number on one node; the launcher's on several.
            self.assertEqual(after["MASTER_PORT"], launchers["MASTER_PORT"] if several else "54965")

    def test_helper_of_seed_000_on_one_node(self):
        self.check("aml_mpienv_000", ONE_NODE)

    def test_helper_of_seed_000_on_two_nodes(self):
        self.check("aml_mpienv_000", TWO_NODES)

    def test_helper_of_seed_003_on_one_node(self):
        self.check("aml_mpienv_003", ONE_NODE)

    def test_helper_of_seed_003_on_two_nodes(self):
        self.check("aml_mpienv_003", TWO_NODES)


class Forwarding(Environments):
    def test_the_launching_shell_goes_along(self):
        env = self.environment(PLAIN="a b", EMPTY="", LINES="one\ntwo", ODD="\udcff=x")
        for words in (["-n", "2"], ["--fake-nodes", "2", "-n", "2"]):
            for found in self.environments(*words, ranks=2, env=env):
                for name in ("PLAIN", "EMPTY", "LINES", "ODD"):
                    self.assertEqual(found.get(name), env[name], name)

    def test_another_launchers_words_do_not(self):
        stale = {"PMI_RANK": "3", "PMIX_RANK": "3", "OMPI_COMM_WORLD_RANK": "9", "SLURM_PROCID": "9",
                 "SLURM_NTASKS": "9", "TORCHELASTIC_RUN_ID": "x", "RANK": "9", "MASTER_PORT": "1"}
        for rank, found in enumerate(self.environments(
            "-n", "2", ranks=2, env=self.environment(**stale))):
            self.assertEqual((found["RANK"], found["OMPI_COMM_WORLD_RANK"]), (str(rank), str(rank)))
            self.assertNotEqual(found["MASTER_PORT"], "1")
            for name in ("PMI_RANK", "PMIX_RANK", "SLURM_PROCID",
                         "SLURM_NTASKS", "TORCHELASTIC_RUN_ID"):
                self.assertNotIn(name, found)

    def test_x_gives_variables_by_name_and_by_value(self):
        found = self.environments("-x", "GIVEN", "-x", "MADE=a=b c", "-x", "GIVEN2=", "-n", "1", ranks=1,
                                  env=self.environment(GIVEN="here"))
        self.assertEqual([found[0][name]
                         for name in ("GIVEN", "MADE", "GIVEN2")], ["here", "a=b c", ""])

    def test_x_may_name_the_meeting_point(self):
        found = self.environments(
    "-x",
    "MASTER_ADDR=10.9.8.7",
    "-x",
    "MASTER_PORT=1234",
     ranks=1)[0]
        self.assertEqual((found["MASTER_ADDR"], found["MASTER_PORT"]), ("10.9.8.7", "1234"))
        self.assertEqual(found["AZ_BATCH_MASTER_NODE"], "10.9.8.7:1234")

    def test_clean_env_passes_on_only_what_is_named(self):
        env = self.environment(SECRET="1", WANTED="2")
        for words in (["-n", "1"], ["--fake-nodes", "1", "-n", "1"]):
            found = self.environments(
    *words,
    "--clean-env",
    "-x",
    "WANTED",
    "-x",
    "DIR",
    ranks=1,
     env=env)
            self.assertNotIn("SECRET", found[0])
            self.assertEqual(found[0]["WANTED"], "2")
            self.assertTrue(found[0]["PATH"])

    def test_no_value_stands_on_a_command_line(self):
        secret = "value-that-ps-must-not-show"
        env = self.environment(TOKEN=secret, OTHER=secret)
        job = self.start("--fake-nodes", "2", "-n", "2", "-x", "TOKEN", "sh", "-c",
                         ': > "$DIR/ready.$RANK"; while [ ! -e "$DIR/go" ]; do sleep 0.01; done', env=env)
        self.wait_for_files(["ready.0", "ready.1"])
        self.assertGreaterEqual(len(descendants(job.pid)), 2)
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path, "rb") as file:
                    self.assertNotIn(secret.encode(), file.read(), path)
            except (FileNotFoundError, ProcessLookupError):
                continue
        self.write("go", "")
        self.assertEqual(job.finish(10).code, 0)


class Ports(Case):
    def test_twenty_jobs_at_once_have_ports_of_their_own(self):
        code = ("import os, socket, time\n"
                "s = socket.create_server((os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT'])))\n"
                "name = os.path.join(os.environ['DIR'], 'port.' + os.environ['JOB'])\n"
                "open(name + '.new', 'w').write(os.environ['MASTER_PORT']); os.rename(name + '.new', name)\n"
                "while not os.path.exists(os.path.join(os.environ['DIR'], 'go')): time.sleep(0.01)\n")
        jobs = [self.start("-n", "1", PYTHON, "-S", "-c", code, env=self.environment(JOB=str(number)))
                for number in range(20)]
        names = [f"port.{number}" for number in range(20)]
        wait_until(lambda: all(os.path.exists(self.path(name)) for name in names)
                   or any(job.popen.poll() is not None for job in jobs), 20, "20 bound ports")
        self.write("go", "")
        for job in jobs:
            done = job.finish(10)
            self.assertEqual(done.code, 0, done)
        self.assertEqual(len({self.read(name) for name in names}), 20)

    def test_a_job_can_follow_at_once(self):
        code = ("import os, socket; socket.create_server((os.environ['MASTER_ADDR'], "
                "int(os.environ['MASTER_PORT'])))")
        for _ in range(5):
            self.succeeds("-n", "1", PYTHON, "-S", "-c", code)


if __name__ == "__main__":
    unittest.main()

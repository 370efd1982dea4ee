"""What each rank finds in its environment: all dialects, the seeds' helpers; no secrets in `ps`."""

# rooms: plan probe host

import json
import os
import re
import subprocess
import unittest

import own
from support import (HERE, MUSTER, PYTHON, READY, UNTIL_GO, Case, command_line_of, descendants,
                     survivors, until)

# Layouts: words of muster run, and for each rank (node, local rank, ranks on that node).
ONE_NODE = (["-n", "4"], [(0, 0, 4), (0, 1, 4), (0, 2, 4), (0, 3, 4)])
TWO_NODES = (["--fake-nodes", "2", "-n", "4"], [(0, 0, 2), (0, 1, 2), (1, 0, 2), (1, 1, 2)])
UNEVEN = (["--fake-nodes", "2", "-n", "3"], [(0, 0, 2), (0, 1, 2), (1, 0, 1)])


# By which a rank finds those that it is wired up with.
SERVERS = ("PMI_", "PMIX_")
# What tasks of mpirun, Hydra, PALS, ALPS, Slurm, Flux and jsrun have, and none beside them.
OF_A_TASK = """
    PMIX_RANK PMIX_NAMESPACE PMIX_SERVER_URI2 PMIX_SERVER_URI41 PMIX_SERVER_TMPDIR PMIX_HOSTNAME
    PMIX_SYSTEM_TMPDIR PMIX_ID PMIX_VERSION PMIX_SECURITY_MODE PMIX_GDS_MODULE
    PMIX_BFROP_BUFFER_TYPE PMIX_DSTORE_21_BASE_PATH PMIX_DSTORE_ESH_BASE_PATH
    PMIX_MCA_mca_base_component_show_load_errors PRTE_LAUNCHED
    PMI_RANK PMI_SIZE PMI_FD PMI_PORT PMI_ID PMI_SPAWNED PMI_JOBID HYDI_CONTROL_FD
    MPI_LOCALRANKID MPI_LOCALNRANKS MV2_COMM_WORLD_RANK
    OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_NODE_RANK OMPI_UNIVERSE_SIZE
    OMPI_NUM_APP_CTX OMPI_APP_CTX_NUM_PROCS OMPI_FIRST_RANKS OMPI_COMMAND OMPI_ARGV
    OMPI_FILE_LOCATION OMPI_PARENT_PORT OMPI_MCA_ess OMPI_MCA_ess_base_jobid
    OMPI_MCA_orte_hnp_uri OMPI_MCA_orte_local_daemon_uri OMPI_MCA_orte_launch OMPI_MCA_pmix
    OMPI_MCA_initial_wdir OMPI_MCA_mpi_oversubscribe OMPI_MCA_shmem_RUNTIME_QUERY_hint
    PALS_RANKID PALS_NODEID PALS_APID PALS_APINFO ALPS_APP_PE ALPS_APP_ID
    SLURM_PROCID SLURM_LOCALID SLURM_NODEID SLURM_NTASKS SLURM_STEP_ID SLURM_STEPID
    SLURM_STEP_NODELIST SLURM_STEP_NUM_TASKS SLURM_LAUNCH_NODE_IPADDR SLURM_SRUN_COMM_PORT
    SLURM_PMIX_MAPPING_SERV SLURM_PMIXP_ABORT_AGENT_PORT SLURM_TASK_PID
    FLUX_TASK_RANK FLUX_TASK_LOCAL_ID FLUX_JOB_ID FLUX_JOB_SIZE FLUX_JOB_NNODES FLUX_JOB_TMPDIR
    FLUX_KVS_NAMESPACE FLUX_PMI_LIBRARY_PATH
    JSM_NAMESPACE_RANK JSM_NAMESPACE_SIZE JSM_JSRUN_PORT
""".split()


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
                "RANK": rank, "WORLD_SIZE": len(places),
                "LOCAL_RANK": local, "LOCAL_WORLD_SIZE": here,
                "NODE_RANK": node, "GROUP_RANK": node, "GROUP_WORLD_SIZE": nodes,
                "OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": len(places),
                "OMPI_COMM_WORLD_LOCAL_RANK": local, "OMPI_COMM_WORLD_LOCAL_SIZE": here,
                "OMPI_COMM_WORLD_NODE_RANK": local,
                "MPI_LOCALRANKID": local, "MPI_LOCALNRANKS": here,
                "HOROVOD_RANK": rank, "HOROVOD_SIZE": len(places), "HOROVOD_LOCAL_RANK": local,
                "HOROVOD_LOCAL_SIZE": here, "PYTHONUNBUFFERED": 1,
            }
            found = environments[rank]
            self.assertEqual({name: found.get(name) for name in expected},
                             {name: str(value) for name, value in expected.items()}, f"rank {rank}")
            self.check_meeting_point(found, environments[0], nodes)
            self.assertIn("NCCL_SOCKET_IFNAME", found)
            self.assertEqual([name for name in found if name.startswith("SLURM_")], [])
            pmi = {name: found[name] for name in found if name.startswith("PMI_")}
            self.assertEqual(pmi, {"PMI_FD": "3", "PMI_RANK": str(rank),
                                   "PMI_SIZE": str(len(places))})

    def check_meeting_point(self, found, first, nodes):
        address, port = found["MASTER_ADDR"], found["MASTER_PORT"]
        self.assertEqual((address, port), (first["MASTER_ADDR"], first["MASTER_PORT"]))
        self.assertEqual(found["AZ_BATCH_MASTER_NODE"], f"{address}:{port}")
        self.assertEqual(found["AZ_BATCHAI_MPI_MASTER_NODE"], address)
        self.assertEqual(found["AZ_BATCHAI_JOB_MASTER_NODE_IP"], address)
        self.assertEqual(found["AZ_BATCHAI_PYTORCH_INIT_METHOD"], f"tcp://{address}:{port}")
        self.assertEqual(found["AZ_BATCHAI_TASK_INDEX"], found["RANK"])
        self.assertEqual(found["AZUREML_NODE_COUNT"], str(nodes))
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
        self.environments(*TWO_NODES[0], ranks=4,
                          script='cat "$AZUREML_MPI_HOSTFILE" > "$DIR/hosts.$RANK";')
        for rank in range(4):
            lines = self.read(f"hosts.{rank}").decode().splitlines()
            self.assertEqual(len(lines), 2)
            for line in lines:
                self.assertRegex(line, r"^\S+ slots=2$")

    def test_threads_are_the_share_of_the_cores(self):
        self.assertNotIn("OMP_NUM_THREADS", self.environments(ranks=1)[0])
        cores = len(os.sched_getaffinity(0))
        for words, ranks in ((["-n", "2"], 2), (["-n", "3"], 3)):
            found = self.environments(*words, ranks=ranks)
            share = str(max(1, cores // ranks))
            self.assertEqual([one["OMP_NUM_THREADS"] for one in found], [share] * ranks)

    def test_threads_that_the_user_set_stay(self):
        found = self.environments("-n", "2", ranks=2, env=self.environment(OMP_NUM_THREADS="7"))
        self.assertEqual([one["OMP_NUM_THREADS"] for one in found], ["7", "7"])


class Devices(Environments):
    # Claims are the machine's: no other test has these.
    FIRST, SECOND, THIRD = (str(10 * os.getpid() + at) for at in range(3))

    def shares(self, *words, visible):
        found = self.environments(*words, ranks=2,
                                  env=self.environment(CUDA_VISIBLE_DEVICES=",".join(visible)))
        return [one["CUDA_VISIBLE_DEVICES"] for one in found]

    def test_ranks_share_what_we_may_use(self):
        own = [self.THIRD, f"GPU-{self.FIRST}", self.SECOND, self.FIRST]
        self.assertEqual(self.shares("-n", "2", "--gpus-per-rank", "2", visible=own),
                         [",".join(own[:2]), ",".join(own[2:])])

    def test_fake_nodes_share_the_devices_of_their_machine(self):
        words = ["--fake-nodes", "2", "-n", "2", "--gpus-per-rank", "1"]
        own = [self.SECOND, self.FIRST]
        self.assertEqual(self.shares(*words, visible=own), own)

    def test_nothing_is_shared_unless_asked_for(self):
        self.assertEqual(self.shares("-n", "2", visible=["5", "3"]), ["5,3", "5,3"])

    def test_too_few_are_an_error(self):
        done = self.muster("-n", "3", "--oversubscribe", "--gpus-per-rank", "1", "true",
                           env=self.environment(CUDA_VISIBLE_DEVICES="5,3"))
        self.assert_refused(done, 242, "has 2 devices, but its 3 ranks need 1 each")

    def dealt(self, ranks, *words):
        """One device for each rank, of three."""
        own = [self.FIRST, self.SECOND, self.THIRD]
        return self.muster("-n", str(ranks), "--oversubscribe", "--gpus-per-rank", "1", *words,
                           "sh", "-c", "echo $CUDA_VISIBLE_DEVICES",
                           env=self.environment(CUDA_VISIBLE_DEVICES=",".join(own)))

    @unittest.skipIf(os.getuid() != 0, "only root can be another user")
    def test_who_holds_devices_is_told(self):
        """As another user may, who binds their names."""
        other = own.users()
        claim = ("import os, socket, sys; os.setuid(int(sys.argv[1])); "
                 "one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); "
                 "one.bind(chr(0) + sys.argv[2]); print('held', flush=True); sys.stdin.read()")
        with subprocess.Popen(["/usr/bin/python3", "-c", claim, str(other),
                               f"muster-device-nvidia-{self.FIRST}"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            self.assertEqual(holder.stdout.readline(), b"held\n")
            self.assert_refused(
                self.dealt(3), 242, "has 3 devices, 1 of them in use by other jobs of muster "
                rf".uid {other}., but its 3 ranks need 1 each", "--share-gpus")
            self.assertEqual(self.dealt(3, "--share-gpus").code, 0)
            holder.stdin.close()

    def deepspeed(self, visible, *words):
        return self.muster(*words, "--no_python", "--no_local_rank", "./named.sh",
                           command=(MUSTER, "deepspeed"),
                           env=self.environment(CUDA_VISIBLE_DEVICES=visible))

    def test_two_runs_have_different_devices(self):
        own = f"{self.FIRST},{self.SECOND},{self.THIRD}"
        first = self.start("-n", "1", "--gpus-per-rank", "1", "sh", "-c",
                           f"echo $CUDA_VISIBLE_DEVICES; {READY} {UNTIL_GO}",
                           env=self.environment(CUDA_VISIBLE_DEVICES=own))
        self.wait_for_files(["ready.0"])

        second = self.dealt(2)
        self.assertEqual((second.code, sorted(second.lines)), (0, [self.SECOND, self.THIRD]))
        self.assertRegex(second.errors, rf"^muster: device {self.FIRST} on \S+: in use by another "
                                        r"job of muster; ranks there have others\n$")
        self.assert_refused(self.dealt(3), 242, "has 3 devices, 1 of them in use by other jobs of "
                            "muster, but its 3 ranks need 1 each", "--share-gpus")
        hydra = self.muster("-n", "2", "-gpus-per-proc", "1", "sh", "-c",
                            "echo $CUDA_VISIBLE_DEVICES", command=(MUSTER, "mpiexec.hydra"),
                            env=self.environment(CUDA_VISIBLE_DEVICES=own))
        self.assertEqual((hydra.code, sorted(hydra.lines)), (0, [self.SECOND, self.THIRD]), hydra)
        shared = self.dealt(3, "--share-gpus")
        self.assertEqual((shared.code, shared.errors, len(set(shared.lines))), (0, "", 3), shared)

        self.write("named.sh", "#!/bin/sh\necho $CUDA_VISIBLE_DEVICES\n", 0o755)
        both = f"{self.SECOND},{self.THIRD}"
        for count, more, visible, lines, told in (
                ("1", [], own, [self.SECOND], "; ranks there have others"),
                ("2", [], own, [both, both], "; ranks there have others"),
                ("1", ["--share-gpus"], own, [self.FIRST], None),
                ("1", [], self.FIRST, [self.FIRST], ", too"),
                ("1", ["--share-gpus"], self.FIRST, [self.FIRST], None)):
            with self.subTest(count=count, more=more, visible=visible):
                done = self.deepspeed(visible, "--num_gpus", count, *more)
                self.assertEqual((done.code, done.lines), (0, lines), done)
                self.assertEqual(re.findall(r"device (\d+) on \S+: in use by another job of "
                                            r"muster(.*)", done.errors),
                                 [(self.FIRST, told)] if told else [], done)
        named = self.deepspeed(own, "--include", f"localhost:{self.FIRST}")
        self.assertEqual((named.code, named.lines), (0, [self.FIRST]), named)
        self.assertRegex(named.errors, rf"device {self.FIRST} on \S+: in use by another job of "
                                       "muster, too")

        self.write("go", "")
        self.assertEqual(first.finish().lines, [self.FIRST])
        self.assertEqual((self.dealt(3).code, self.dealt(3).errors), (0, ""))

    def test_parts_of_a_device_are_dealt_by_their_names(self):
        parts = [f"MIG-GPU-{self.FIRST}/{at}/0" for at in (1, 2)]
        parts.append(f"MIG-c6d4f1ef-42e4-5de3-91c7-{int(self.FIRST):012d}")
        visible = ",".join(parts)
        told = ("sh", "-c", "echo $CUDA_VISIBLE_DEVICES")
        for command, words in (
                ("run", ("-n", "3", "--oversubscribe", "--gpus-per-rank", "1")),
                ("mpiexec.hydra", ("-n", "3", "-gpus-per-proc", "1"))):
            with self.subTest(command):
                done = self.muster(*words, *told, command=(MUSTER, command),
                                   env=self.environment(CUDA_VISIBLE_DEVICES=visible))
                self.assertEqual((done.code, sorted(done.lines)), (0, sorted(parts)), done)
        self.write("named.sh", "#!/bin/sh\necho $CUDA_VISIBLE_DEVICES\n", 0o755)
        for count, seen in (("2", parts[:2]), ("3", parts)):
            done = self.deepspeed(visible, "--num_gpus", count)
            self.assertEqual((done.code, done.lines), (0, [",".join(seen)] * int(count)), done)

    def test_a_launcher_in_a_rank_deals_out_what_the_rank_has(self):
        own = f"{self.FIRST},{self.SECOND},{self.THIRD}"
        done = self.muster("-n", "1", "--gpus-per-rank", "2", MUSTER, "run", "-n", "2",
                           "--oversubscribe", "--gpus-per-rank", "1", "sh", "-c",
                           "echo $CUDA_VISIBLE_DEVICES",
                           env=self.environment(CUDA_VISIBLE_DEVICES=own))
        self.assertEqual((done.code, sorted(done.lines), done.errors),
                         (0, [self.FIRST, self.SECOND], ""), done)


class SeedHelpers(Case):
    """The helper that the seeds print for `aml_mpienv.py`, saved as a user would save it."""

    def reports(self, helper, words, ranks):
        code = (f"import json, os, sys; sys.path.insert(0, {os.path.join(HERE, 'data')!r})\n"
                f"sys.dont_write_bytecode = True\nimport {helper} as h\n"
                "launchers = dict(os.environ)\nh.set_environment_variables_for_nccl_backend()\n"
                "names = [name for name in dir(h) if name.startswith('get_')]\n"
                "answers = {name: getattr(h, name)() for name in names}\n"
                "path = os.path.join(os.environ['DIR'], f'seed.{os.environ[\"RANK\"]}')\n"
                "json.dump([launchers, answers, dict(os.environ)], open(path, 'w'))\n")
        self.succeeds(*words, PYTHON, "-c", code)
        return [json.loads(self.read(f"seed.{rank}")) for rank in range(ranks)]

    def check(self, helper, layout):
        words, places = layout
        several = any(node != 0 for node, _, _ in places)
        reports = self.reports(helper, words, len(places))
        for rank, (launchers, answers, after) in enumerate(reports):
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


class Wireup(Environments):
    def test_pmi_is_named_only_where_a_server_answers(self):
        say = ("import os, socket\n"
               "server = socket.socket(fileno=int(os.environ['PMI_FD']))\n"
               "server.sendall(b'cmd=init pmi_version=1 pmi_subversion=1\\n')\n"
               "print(server.recv(100).decode(), end='')\n"
               "server.sendall(b'cmd=finalize\\n')\n"
               "server.recv(100)\n")
        done = self.succeeds("-n", "1", PYTHON, "-c", say)
        self.assertEqual(done.text, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n")

    def test_none_names_no_server(self):
        found = self.environments("--wireup", "none", ranks=1)[0]
        self.assertEqual([name for name in found if name.startswith(SERVERS)], [])


class Forwarding(Environments):
    def test_the_launching_shell_goes_along(self):
        env = self.environment(PLAIN="a b", EMPTY="", LINES="one\ntwo", ODD="\udcff=x")
        for words in (["-n", "2"], ["--fake-nodes", "2", "-n", "2"]):
            for found in self.environments(*words, ranks=2, env=env):
                for name in ("PLAIN", "EMPTY", "LINES", "ODD"):
                    self.assertEqual(found.get(name), env[name], name)

    def test_another_launchers_words_do_not(self):
        foreign = ("PMI_PORT", "SLURM_PROCID", "SLURM_NTASKS", "TORCHELASTIC_RUN_ID")
        own = ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "RANK", "MASTER_PORT"]
        stale = dict.fromkeys([*foreign, *own], "9")
        reports = self.environments("-n", "2", ranks=2, env=self.environment(**stale))
        for rank, found in enumerate(reports):
            ours = [found[name] for name in own if name != "MASTER_PORT"]
            self.assertEqual(ours, [str(rank)] * 4)
            self.assertNotEqual(found["MASTER_PORT"], "9")
            self.assertEqual([name for name in foreign if name in found], [])

    def test_nothing_of_another_launchers_task_reaches_a_rank(self):
        """Whether muster gives its ranks variables of the kind or not."""
        stale = dict.fromkeys(OF_A_TASK, "stale")
        agent = ("--fake-nodes", "1")
        for words in (("run", "--wireup", "none"), ("run",), ("mpirun",), ("mpiexec.hydra",),
                      ("run", "--wireup", "none", *agent), ("run", *agent)):
            with self.subTest(words):
                found = self.environments(*words[1:], "-n", "2", ranks=2,
                                          command=(MUSTER, words[0]), env=self.environment(**stale))
                for rank in found:
                    left = [name for name in rank if rank[name] == "stale"]
                    self.assertEqual(left, [])
                    if "none" in words:
                        self.assertEqual([name for name in rank if name.startswith(SERVERS)], [])

    def test_x_gives_variables_by_name_and_by_value(self):
        found = self.environments("-x", "GIVEN", "-x", "MADE=a=b c", "-x", "EMPTY=", ranks=1,
                                  env=self.environment(GIVEN="here"))[0]
        self.assertEqual((found["GIVEN"], found["MADE"], found["EMPTY"]), ("here", "a=b c", ""))

    def test_x_may_name_the_meeting_point(self):
        words = ["-x", "MASTER_ADDR=10.9.8.7", "-x", "MASTER_PORT=1234"]
        found = self.environments(*words, ranks=1)[0]
        self.assertEqual((found["MASTER_ADDR"], found["MASTER_PORT"]), ("10.9.8.7", "1234"))
        self.assertEqual(found["AZ_BATCH_MASTER_NODE"], "10.9.8.7:1234")

    def test_what_takes_the_place_of_the_launchers_own_is_told(self):
        self.write("job.yml", "type: command\ncommand: 'true'\ndistribution: {type: pytorch, "
                   "process_count_per_instance: 2}\nenvironment_variables: {WORLD_SIZE: 5, "
                   "RANK: 0, LOCAL_WORLD_SIZE: 2, MASTER_PORT: 6105}\n")
        wrong = "WORLD_SIZE is set for all ranks alike: there are 2\n"
        meet = "MASTER_PORT is set for all ranks alike: they do not meet where muster chose\n"
        for words, told in ((("mpiexec.hydra", "-n", "2", "-genv", "WORLD_SIZE", "5", "true"),
                             [wrong]),
                            (("mpirun", "-n", "2", "-x", "WORLD_SIZE=5", "true"), [wrong]),
                            (("submit", "job.yml"), [wrong, meet, "RANK is set for all"])):
            done = self.start(*words, command=(MUSTER,), env=self.environment(
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")).finish()
            self.assertEqual(done.code, 0, done)
            for line in told:
                self.assertIn(f"muster: {line}", done.errors)
            self.assertEqual(done.errors.count("for all ranks alike"), len(told), done)

    def test_clean_env_passes_on_only_what_is_named(self):
        env = self.environment(SECRET="1", WANTED="2")
        for words in (["-n", "1"], ["--fake-nodes", "1", "-n", "1"]):
            words = [*words, "--clean-env", "-x", "WANTED", "-x", "DIR"]
            found = self.environments(*words, ranks=1, env=env)
            self.assertNotIn("SECRET", found[0])
            self.assertEqual(found[0]["WANTED"], "2")
            self.assertTrue(found[0]["PATH"])

    def test_no_value_stands_on_a_command_line(self):
        secret = f"value-that-ps-must-not-show-{self.mark[5:]}"
        env = self.environment(TOKEN=secret, OTHER=secret)
        job = self.start("--fake-nodes", "2", "-n", "2", "-x", "TOKEN", "sh", "-c",
                         READY + UNTIL_GO, env=env)
        self.wait_for_files(["ready.0", "ready.1"])
        words = survivors(self.mark)  # of all that have the job's environment, and of any others
        self.assertGreaterEqual(len(words), 7, "a head, two agents and guards, two ranks")
        for pid in {*words, job.pid, *descendants(job.pid)}:
            self.assertNotIn(secret, command_line_of(pid))
        self.write("go", "")
        self.assertEqual(job.finish().code, 0)


class Ports(Case):
    def test_twenty_jobs_at_once_have_ports_of_their_own(self):
        code = ("import os, socket, time\n"
                "os.chdir(os.environ['DIR']); name = 'port.' + os.environ['JOB']\n"
                "address, port = os.environ['MASTER_ADDR'], os.environ['MASTER_PORT']\n"
                "server = socket.create_server((address, int(port)))\n"
                "open(name + '.new', 'w').write(port); os.rename(name + '.new', name)\n"
                "while not os.path.exists('go'): time.sleep(0.01)\n")
        words = ["-n", "1", PYTHON, "-S", "-c", code]
        jobs = [self.start(*words, env=self.environment(JOB=str(number))) for number in range(20)]
        names = [f"port.{number}" for number in range(20)]
        until("20 bound ports",
              lambda: all(os.path.exists(self.path(name)) for name in names)
              or any(job.popen.poll() is not None for job in jobs))
        self.write("go", "")
        for job in jobs:
            done = job.finish()
            self.assertEqual(done.code, 0, done)
        self.assertEqual(len({self.read(name) for name in names}), 20)

    def test_a_job_can_follow_at_once(self):
        code = ("import os, socket; socket.create_server((os.environ['MASTER_ADDR'], "
                "int(os.environ['MASTER_PORT'])))")
        for _ in range(5):
            self.succeeds("-n", "1", PYTHON, "-S", "-c", code)


if __name__ == "__main__":
    unittest.main()

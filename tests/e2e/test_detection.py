"""The rules by which frameworks find their world, fed with what muster gives to ranks.

None of these frameworks is needed: the rules are those of their sources, named at each. Every front
end that starts ranks by itself is asked, for one host and for two.
"""

# rooms: front plan

import itertools
import os
import re

from support import MUSTER, Case, run_tests

# ssh to any host: this one.
SSH = '#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n'
KEEP = 'env > "$DIR/env.$RANK"'

FRONTS = {
    "run": (["run", "-n", "4"], ["run", "-n", "4", "-H", "n1:2,n2:2"]),
    "mpirun": (["mpirun", "--oversubscribe", "-np", "4"],
               ["mpirun", "-np", "4", "-H", "n1:2,n2:2"]),
    "mpiexec.hydra": (["mpiexec.hydra", "-n", "4"],
                      ["mpiexec.hydra", "-n", "4", "-hosts", "n1:2,n2:2"]),
    "torchrun": (["torchrun", "--nproc_per_node", "4", "--no_python"],
                 ["torchrun", "--nproc_per_node", "2", "-H", "n1,n2", "--no_python"]),
    "launch": (["launch", "--nproc_per_node", "4", "--use_env", "--no_python"],
               ["launch", "--nproc_per_node", "2", "-H", "n1,n2", "--use_env", "--no_python"]),
    # Through gloo, ranks of several hosts need an address that other hosts can see: --mpi does not.
    "horovodrun": (["horovodrun", "-np", "4"],
                   ["horovodrun", "--mpi", "-np", "4", "-H", "n1:2,n2:2"]),
    "deepspeed": (["deepspeed", "--num_gpus", "4", "--no_python", "--no_local_rank"],
                  ["deepspeed", "--hostfile", "hosts", "--no_python", "--no_local_rank"]),
}


def first(env, *names):
    """The number in the first of these variables that is set."""
    return next((int(env[name]) for name in names if env.get(name, "") != ""), None)


def accelerate(env):
    """src/accelerate/state.py, utils/environment.py: get_cpu_distributed_information()."""
    distributed = int(env.get("LOCAL_RANK", -1)) != -1
    world = first(env, "WORLD_SIZE", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE")
    if not distributed or not env.get("MASTER_ADDR"):
        return None
    return {"rank": first(env, "RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK"),
            "world": world,
            "local": first(env, "LOCAL_RANK", "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK"),
            "locals": first(env, "LOCAL_WORLD_SIZE", "MPI_LOCALNRANKS",
                            "OMPI_COMM_WORLD_LOCAL_SIZE")}


def trainer(env):
    """transformers/training_args.py: ParallelMode.DISTRIBUTED, then torch's env:// rendezvous."""
    if int(env.get("LOCAL_RANK", -1)) == -1 or not env["MASTER_PORT"].isdigit():
        return None
    return {"rank": int(env["RANK"]), "world": int(env["WORLD_SIZE"]),
            "local": int(env["LOCAL_RANK"])}


def lightning(env):
    """lightning_fabric/plugins/environments: the order of connector.py; without mpi4py."""
    if "TORCHELASTIC_RUN_ID" in env and "GROUP_RANK" in env:
        return {"rank": int(env["RANK"]), "world": int(env["WORLD_SIZE"]),
                "local": int(env["LOCAL_RANK"]), "node": int(env["GROUP_RANK"])}
    if "SLURM_NTASKS" in env or "LSB_JOBID" in env:
        return None  # it would take us for another launcher
    if "LOCAL_RANK" not in env:
        return None  # it would start processes itself
    node = first(env, "NODE_RANK", "GROUP_RANK")
    local = int(env["LOCAL_RANK"])
    devices = int(env["LOCAL_WORLD_SIZE"])  # what a user gives as Trainer(devices=...)
    return {"rank": node * devices + local, "local": local, "node": node}


def jax(env):
    """jax/_src/clusters/ompi_cluster.py, else what a program must pass on; distributed.py."""
    if "SLURM_STEP_NODELIST" in env:
        return None
    host, port = env["JAX_COORDINATOR_ADDRESS"].rsplit(":", 1)
    if host.strip("[]") != env["MASTER_ADDR"] or not port.isdigit():
        return None
    if "OMPI_MCA_orte_hnp_uri" in env:
        return {"rank": int(env["OMPI_COMM_WORLD_RANK"]), "world": int(env["OMPI_COMM_WORLD_SIZE"]),
                "local": int(env["OMPI_COMM_WORLD_LOCAL_RANK"])}
    return {"rank": int(env["JAX_PROCESS_ID"]), "world": int(env["JAX_NUM_PROCESSES"])}


def open_clip(env):
    """open_clip_train/distributed.py: world_info_from_env()."""
    return {"rank": first(env, "RANK", "PMI_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"),
            "world": first(env, "WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE"),
            "local": first(env, "LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID",
                           "OMPI_COMM_WORLD_LOCAL_RANK")}


def tensorflow(env):
    """cluster_resolver/tfconfig_cluster_resolver.py: without TF_CONFIG there is no cluster."""
    return {} if "TF_CONFIG" not in env and "SLURM_PROCID" not in env else None


RULES = [accelerate, trainer, lightning, jax, open_clip, tensorflow]


def truth(rank, nodes):
    each = 4 // nodes
    return {"rank": rank, "world": 4, "local": rank % each, "locals": each, "node": rank // each}


class DetectionCase(Case):
    def environments(self, words, ranks=4, command=("sh", "-c", KEEP)):
        """Of the ranks, by rank."""
        os.makedirs(self.path("bin"), exist_ok=True)
        self.write("bin/ssh", SSH, 0o755)
        self.write("hosts", "n1 slots=2\nn2 slots=2\n")
        # A launcher around us has left its traces: they mean nothing for our ranks.
        env = self.environment(SLURM_PROCID="7", SLURM_NTASKS="9", OMPI_COMM_WORLD_RANK="5",
                               TF_CONFIG="{}", JAX_PROCESS_ID="8")
        env["PATH"] = self.path("bin") + ":" + env["PATH"]
        self.succeeds(*words, *command, command=(MUSTER,), env=env)
        return [self.kept(rank) for rank in range(ranks)]

    def kept(self, rank):
        lines = self.read(f"env.{rank}").decode().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)


class Detection(DetectionCase):
    def test_every_framework_finds_its_world(self):
        for name, (nodes, words) in itertools.chain(*(
                ((name, (1, one)), (name, (2, two))) for name, (one, two) in FRONTS.items())):
            for rank, env in enumerate(self.environments(words)):
                for rule in RULES:
                    found = rule(env)
                    with self.subTest(front=name, nodes=nodes, rank=rank, rule=rule.__name__):
                        self.assertIsNotNone(found)
                        true = truth(rank, nodes)
                        self.assertEqual(found, {key: true[key] for key in found})

    def test_jax_counts_processes_where_there_is_mpi(self):
        """It only asks whether the variable exists; with a value Open MPI's MPI_Comm_spawn fails.

        It then takes the one device with the rank's local number.
        """
        for name, (words, _) in FRONTS.items():
            with self.subTest(front=name):
                uri = self.environments(words)[0].get("OMPI_MCA_orte_hnp_uri")
                self.assertEqual(uri, None if name in ("torchrun", "launch") else "")
        for words, uri in ((("run", "-n", "2", "-H", "n1,n2"), None),
                           (("run", "-n", "2", "--wireup", "none"), None),
                           (("mpirun", "-n", "2", "-H", "n1,n2"), "")):
            with self.subTest(words=words):
                env = self.environments(words, ranks=1)[0]
                self.assertEqual(env.get("OMPI_MCA_orte_hnp_uri"), uri)

    def test_lightning_starts_workers_where_mpirun_has_one_rank_a_node(self):
        """lightning_environment.py: creates_processes_externally is LOCAL_RANK's presence."""
        job = (f"command: '{KEEP}'\ndistribution: {{type: %s, process_count_per_instance: %d}}\n"
               "resources: {instance_count: 2}\n")
        for kind, each in itertools.product(("mpi", "pytorch"), (1, 2)):
            self.write(f"{kind}{each}.yml", job % (kind, each))
        self.write("alone.yml", f"command: '{KEEP}'\n")
        lines = [(True, ("mpirun", "-np", "2", "-H", "n1,n2")),
                 (True, ("mpirun", "-np", "1")),
                 (True, ("mpiexec.hydra", "-n", "2", "-hosts", "n1:1,n2:1")),
                 (True, ("submit", "mpi1.yml", "--fake-nodes", "2")),
                 (False, ("mpirun", "-np", "3", "-H", "n1:2,n2:1")),
                 (True, ("submit", "alone.yml")),
                 (False, ("submit", "mpi2.yml", "--fake-nodes", "2")),
                 (False, ("submit", "pytorch1.yml", "--fake-nodes", "2")),
                 (False, ("run", "-n", "2", "-H", "n1,n2")),
                 (False, ("torchrun", "--nproc_per_node", "1", "-H", "n1,n2", "--no_python")),
                 (False, ("deepspeed", "--include", "n1:0@n2:0", "--hostfile", "hosts",
                          "--no_python", "--no_local_rank"))]
        for starts, words in lines:
            with self.subTest(words=words):
                more = {"command": ()} if words[0] == "submit" else {}
                env = self.environments(words, ranks=1, **more)
                self.assertEqual("LOCAL_RANK" not in env[0], starts)
                self.assertLessEqual({"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
                                      "NODE_RANK"}, set(env[0]))

    def test_the_dry_run_says_why_local_rank_is_there_or_not(self):
        gone = "LOCAL_RANK  (each node has one rank, which may start workers of its own there)"
        self.write("job.yml", "command: 'true'\ndistribution: {type: mpi}\n"
                              "resources: {instance_count: 2}\n")
        for words, lines in (
                (("job.yml", "--fake-nodes", "2"), [gone]),
                (("--", "mpirun", "-np", "2", "-H", "n1,n2", "true"), [gone]),
                (("--", "mpirun", "-np", "3", "-H", "n1:2,n2", "true"), ["LOCAL_RANK=0  (torch)"]),
                (("--", "mpiexec.hydra", "-n", "2", "-hosts", "n1:1,n2:1", "true"), [gone]),
                (("--", "muster", "run", "-n", "2", "-H", "n1,n2", "true"),
                 ["LOCAL_RANK=0  (torch)"])):
            with self.subTest(words=words):
                told = self.succeeds(*words, command=(MUSTER, "explain")).text
                self.assertEqual(re.findall(r"(?m)^ +(LOCAL_RANK\b.*)$", told), lines)

    def test_mpi_is_there_where_the_launcher_itself_wires_it_up(self):
        """Lightning takes a world of MPI for its own wherever mpi4py finds one."""
        self.write("job.yml", f"command: '{KEEP}'\n"
                              "distribution: {type: pytorch, process_count_per_instance: 4}\n")
        for name, (words, _) in FRONTS.items():
            with self.subTest(front=name):
                wired = {"PMI_RANK", "PMIX_RANK"} & set(self.environments(words)[0])
                self.assertEqual(bool(wired), name not in ("torchrun", "launch"), wired)
        self.succeeds("job.yml", command=(MUSTER, "submit"))
        names = set(self.kept(0))
        self.assertTrue({"RANK", "LOCAL_RANK"} <= names, names)
        self.assertFalse({"PMI_RANK", "PMIX_RANK", "PMI_FD"} & names, names)


class LeftOut(DetectionCase):
    """Variables that the user does not want, whoever would set them."""

    WORDS = ("--unset", "LOCAL_RANK", "--unset", "HOROVOD_LOCAL_*", "--unset", "OF_THE_SHELL",
             "--dialects", "^jax,azureml")
    GONE = {"LOCAL_RANK", "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE", "OF_THE_SHELL",
            "JAX_PROCESS_ID", "JAX_NUM_PROCESSES", "OMPI_MCA_orte_hnp_uri",
            "AZ_BATCH_MASTER_NODE", "AZUREML_CR_NODE_RANK", "AZUREML_MPI_HOSTFILE"}
    HERE = {"RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "HOROVOD_RANK", "OMPI_COMM_WORLD_RANK",
            "MASTER_ADDR"}

    def environment(self, **more):
        return super().environment(OF_THE_SHELL="1", **more)

    def check(self, env, gone=None):
        names = set(env)
        self.assertFalse((self.GONE if gone is None else gone) & names)
        self.assertLessEqual(self.HERE, names)

    def test_in_every_front_end(self):
        for name, lines in FRONTS.items():
            for words in lines:
                with self.subTest(front=name, words=words):
                    for env in self.environments([words[0], *self.WORDS, *words[1:]]):
                        self.check(env)

    def test_by_variables_for_all_that_is_started_below(self):
        self.write("run.sh", f"""{MUSTER} run -n 4 sh -c 'env > "$DIR/env.$RANK"'\n""")
        done = self.start("-n", "1", "sh", "run.sh", command=(MUSTER, "run"), env=self.environment(
            MUSTER_UNSET="LOCAL_RANK,HOROVOD_LOCAL_*,OF_THE_SHELL",
            MUSTER_DIALECTS="^jax,azureml")).finish()
        self.assertEqual(done.code, 0, done)
        self.check(self.kept(3))

    def test_what_is_typed_wins_over_the_variables(self):
        done = self.start("-n", "2", "-x", "LOCAL_RANK=5", "--dialects", "all", "sh", "-c", KEEP,
                          command=(MUSTER, "run"), env=self.environment(
                              MUSTER_UNSET="LOCAL_RANK", MUSTER_DIALECTS="none")).finish()
        self.assertEqual(done.code, 0, done)
        self.assertEqual((self.kept(1)["LOCAL_RANK"], self.kept(1)["JAX_PROCESS_ID"]), ("5", "1"))

    def test_in_a_job_file(self):
        keys = "unset: [LOCAL_RANK, HOROVOD_LOCAL_*, OF_THE_SHELL]\ndialects: ^jax,azureml\n"
        spread = "distribution: {type: mpi, process_count_per_%s: 2}\n"
        self.write("keep.sh", KEEP + "\n")
        for kind, text in (
                ("native", f"muster: 1\ncommand: sh $DIR/keep.sh\n{spread % 'node'}"),
                ("command", f"type: command\ncommand: sh $DIR/keep.sh\n{spread % 'instance'}"),
                ("launcher", "command: mpirun --oversubscribe -n 2 sh $DIR/keep.sh\n")):
            with self.subTest(kind=kind):
                self.write("job.yml", text + keys)
                self.environments(["submit", "job.yml"], ranks=0, command=())
                self.check(self.kept(1))

    def test_in_a_step_of_a_pipeline_and_a_trial_of_a_sweep(self):
        keys = ("unset: [LOCAL_RANK, HOROVOD_LOCAL_*, OF_THE_SHELL], dialects: '^jax,azureml', "
                "distribution: {type: mpi, process_count_per_instance: 2}}\n")
        self.write("keep.sh", KEEP + "\necho loss = 1\n")
        self.write("steps.yml", "type: pipeline\njobs:\n  one: {type: command, "
                   f"command: sh $DIR/keep.sh, {keys}")
        self.write("sweep.yml", "type: sweep\ntrial: {command: 'sh $DIR/keep.sh "
                   f"${{{{search_space.x}}}}', {keys}"
                   "search_space: {x: {type: choice, values: [1]}}\nsampling_algorithm: grid\n"
                   "objective: {goal: minimize, primary_metric: loss}\nmetrics_from: output\n"
                   "limits: {max_total_trials: 1}\n")
        for file in ("steps.yml", "sweep.yml"):
            with self.subTest(file):
                self.environments(["submit", file], ranks=0, command=())
                self.check(self.kept(1))
                os.remove(self.path("env.1"))

    def test_options_of_submit_come_on_top_of_the_file(self):
        self.write("job.yml", f"command: '{KEEP}'\nunset: [LOCAL_RANK]\ndialects: none\n"
                              "distribution: {type: mpi, process_count_per_instance: 2}\n")
        self.environments(["submit", "job.yml", "--unset", "HOROVOD_LOCAL_*", "--unset",
                           "OF_THE_SHELL", "--dialects", "^jax,azureml"], ranks=2, command=())
        self.check(self.kept(0))

    def test_the_dry_run_says_why(self):
        told = self.succeeds("-n", "2", *self.WORDS, "--dry-run", "true",
                             command=(MUSTER, "run")).text
        self.assertIn("LOCAL_RANK  (unset, as asked)", told)
        self.assertIn("OF_THE_SHELL  (unset, as asked)", told)
        self.assertIn("JAX_PROCESS_ID  (its dialect is left out, as asked)", told)

    def test_errors_name_what_may_be_written(self):
        for words, errors in (
                (("--dialects", "torch,jacks"), "--dialects must be a list of azureml, deepspeed, "
                 "horovod, jax, mindspore, mlflow, mpich, openmpi, tensorflow, torch, not 'jacks'"),
                (("--unset", "A=1"), "--unset must be the name of a variable, not 'A=1'"),
                (("--unset", "*"), "--unset must be the name of a variable, not '*'"),
                (("--unset", "PMI_FD"),
                 "--unset cannot be 'PMI_FD', by which MPI ranks find each other"),
                (("--unset", "A", "-x", "A=1"), "--unset: 'A' is to be set, too")):
            with self.subTest(words=words):
                done = self.start("-n", "1", *words, "true", command=(MUSTER, "run")).finish()
                self.assertEqual(done.code, 240, done)
                self.assertIn(errors, done.errors)
        self.write("job.yml", "command: env\nunset: [A, PMIX_RANK]\ndialects: [torsch]\n"
                              "environment_variables: {A: 1}\n")
        done = self.start("job.yml", command=(MUSTER, "validate")).finish()
        self.assertNotEqual(done.code, 0)
        for error in ("job.yml:2:9: 'A' is to be unset, and has a value",
                      "job.yml:2:12: unset cannot be 'PMIX_RANK', by which MPI ranks find each",
                      "job.yml:3:12: dialects must be a list of azureml",
                      "did you mean torch?"):
            self.assertIn(error, done.errors)


if __name__ == "__main__":
    run_tests()

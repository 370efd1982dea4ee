"""The rows of Slurm, on the four real nodes of tests/lab/slurm.py: steps, MPI, jobs handed over."""

import contextlib
import os
import shutil
import subprocess

import job_rows
import mpi_rows
import socket_rows

TRUE = "/bin/true"
NAMED = "on 4 Slurm nodes"
MPI_LIMIT_S = 120  # 64 ranks share the cores of one machine
JOB = """muster: 1
command: [/bin/true]
distribution: {type: mpi, node_count: 4, process_count_per_node: 4}
"""
# No job starts meanwhile, which would take time from the next submission.
TARGET = "targets:\n  slurm:\n    slurm: {time: 10, options: {begin: now+1hour}}\n"


def rows(bench, folder):
    if bench.only and "Slurm" not in bench.only:
        return
    import slurm
    reason = slurm.why_not()
    if reason:
        return bench.row(f"SKIPPED: all rows {NAMED}", f"no Slurm here: {reason}")
    with slurm.Slurm(4) as lab:
        step_rows(bench, lab, folder)
        second_runs(bench, lab, folder)
        mpi(bench, lab, folder)
        submit_row(bench, lab, folder)


@contextlib.contextmanager
def allocation(lab, folder, per_node, around=()):
    """The environment of commands in a job of all four nodes, which lasts as long as the block."""
    path, end = os.path.join(folder, "variables"), os.path.join(folder, "end")
    os.mkfifo(end)
    keep = 'env -0 > "$0" && echo there && read -r _ < "$1"'
    own = lab.environment(MUSTER_RECORDS=os.path.join(folder, "records-of-slurm"),
                          OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl_tcp_if_include="eth0",
                          OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    lab.wait_until_idle()
    job = lab.start(["salloc", "-Q", "-N", "4", f"--ntasks-per-node={per_node}", *around, "sh",
                     "-c", keep, path, end], env=own, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE)
    try:
        job.popen.stdout.readline()
        with open(path, encoding="utf-8") as file:
            yield dict(one.split("=", 1) for one in file.read().split("\0") if one)
    finally:
        with open(end, "w", encoding="utf-8") as file:
            file.write("\n")
        job.popen.communicate()
        os.remove(end)


def step_rows(bench, lab, folder):
    with allocation(lab, folder, 4) as inside:
        common = {"wrap": lab.lab.command, "env": inside}
        ours = bench.run(TRUE)
        bench.compare(f"16 x true {NAMED} / srun", ours, ["srun", TRUE], "<= 1.3", **common)
        bench.compare(f"16 x true {NAMED} / srun of 4", ours,
                      ["srun", "-N", "4", "-n", "4", "--ntasks-per-node=1", TRUE], **common)
        socket_rows.step_row(bench, lab, inside, folder)


def second_runs(bench, lab, folder):
    """What only the first run of an allocation pays, and what srun adds to agents of this host."""
    what = f"the second 16 x true in a job {NAMED}"
    if bench.only and bench.only not in what:
        return
    wrap, outside = lab.lab.command, lab.environment()
    fake = bench.run("--no-record", "--fake-nodes", "4", "-n", "16", TRUE)
    runs = []
    for _ in range(bench.pairs):
        with allocation(lab, folder, 4) as inside:
            words = bench.run("--no-record", TRUE)
            runs.append((bench.timed(words, wrap, env=inside), bench.timed(words, wrap, env=inside),
                         bench.timed(fake, wrap, env=outside)))
    bench.ratios(f"{what} / the first", [(second, first) for first, second, _ in runs])
    bench.ratios(f"{what} / on 4 fake nodes",
                 [(second, local) for _, second, local in runs])
    with allocation(lab, folder, 4, [bench.muster, "lead", "--"]) as inside:
        words = bench.run("--no-record", TRUE)
        held = [(bench.timed(words, wrap, env=inside), bench.timed(fake, wrap, env=outside))
                for _ in range(bench.pairs)]
    bench.ratios(f"{what}, below muster lead, / on 4 fake nodes", held, "<= 20 ms above")


def mpi(bench, lab, folder):
    program = mpi_rows.compiled(["mpicc.openmpi"], "mpi_hello.c",
                                os.path.join(folder, "hello-slurm"))
    if program is None:
        return bench.row(f"64-rank Open MPI hello {NAMED}", "SKIPPED: no mpicc.openmpi")
    with allocation(lab, folder, 16) as inside:
        common = {"goal": "< 1", "pairs": 5, "wrap": lab.lab.command, "env": inside,
                  "limit": MPI_LIMIT_S}
        what, ours = f"64-rank Open MPI hello {NAMED} /", bench.run("--lease", "30", program)
        if "pmix" in "".join(map(bytes.decode, lab.run(["srun", "--mpi=list"])[1:])):
            bench.compare(f"{what} srun --mpi=pmix", ours, ["srun", "--mpi=pmix", program],
                          **common)
        else:
            bench.row(f"{what} srun --mpi=pmix", "SKIPPED: Slurm without pmix")
        if shutil.which("mpirun.openmpi"):
            bench.compare(f"{what} mpirun", ours, ["mpirun.openmpi", program], **common)


def submit_row(bench, lab, folder):
    place = os.path.join(folder, "submitted")
    os.mkdir(place)
    job_rows.write(place, "muster.yml", TARGET)
    job = job_rows.write(place, "job.yml", JOB)
    own = lab.environment(MUSTER_RECORDS=os.path.join(place, "records"))
    submit = [bench.muster, "submit", "--target", "slurm", job]
    code, script, errors = lab.run([*submit, "--dry-run"], env=own, cwd=place)
    if code != 0:
        return bench.row("submit --detach to Slurm / sbatch", f"no script: {errors.decode()}")
    script = job_rows.write(place, "job.sh", script.decode())
    bench.compare("submit --detach to Slurm / sbatch of its script", [*submit, "--detach"],
                  ["sbatch", "--parsable", script], "<= 1.2", env=own, stdout=subprocess.DEVNULL,
                  wrap=lambda words: lab.lab.command(words, cwd=place))
    lab.run(["scancel", "-u", "root"])

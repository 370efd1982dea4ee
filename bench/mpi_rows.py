"""The rows of MPI programs: hello with an allreduce, a fence with data, the agent's memory."""

import os
import shutil
import subprocess
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = (("Open MPI", "mpicc.openmpi", "mpirun.openmpi"), ("MPICH", "mpicc.mpich",
                                                               "mpirun.mpich"))


def compiled(words, source, program):
    """The program's path, or None where the compiler or library is missing."""
    if not shutil.which(words[0]):
        return None
    made = subprocess.run([*words, "-O2", os.path.join(FOLDER, source), "-o", program],
                          capture_output=True)
    return program if made.returncode == 0 else None


def peer(launcher, ranks, program, hosts="", ssh=""):
    if launcher == "mpirun.mpich":
        where = ["-launcher-exec", ssh, "-hosts", hosts] if hosts else []
        return [launcher, *where, "-n", str(ranks), program]
    where = ["-H", hosts, "--mca", "plm_rsh_agent", ssh] if hosts else []
    return [launcher, "--allow-run-as-root", "--oversubscribe", "--mca", "btl_tcp_if_include",
            "eth0", *where, "-n", str(ranks), program] if hosts else [
                launcher, "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), program]


def one_host(bench, folder):
    for name, compiler, launcher in LIBRARIES:
        program = compiled([compiler], "mpi_hello.c", os.path.join(folder, f"hello-{launcher}"))
        if program is None or not shutil.which(launcher):
            continue
        goal = "<= 0.95" if name == "Open MPI" else "<= 1.0"
        for ranks in (16, 64):
            bench.compare(f"{ranks}-rank {name} hello / its {launcher}",
                          bench.run("-n", str(ranks), program), peer(launcher, ranks, program),
                          goal, pairs=7 if ranks == 16 else 3)


def four_hosts(bench, folder, lab, names, wrapper):
    ssh = ["--ssh-command", wrapper]
    for name, compiler, launcher in LIBRARIES:
        program = compiled([compiler], "mpi_hello.c", os.path.join(folder, f"hello-{launcher}"))
        if program is None or not shutil.which(launcher):
            continue
        goal = "<= 0.95" if name == "Open MPI" else "<= 1.0"
        for ranks in (16, 64):
            hosts = ",".join(f"{host}:{ranks // len(names)}" for host in names)
            bench.compare(f"{ranks}-rank {name} hello on 4 ssh hosts / its {launcher}",
                          bench.run(*ssh, "-n", str(ranks), "-H", hosts, program),
                          peer(launcher, ranks, program, hosts, wrapper), goal,
                          pairs=5 if ranks == 16 else 3, wrap=lab.command)


def fence_program(folder):
    """None where libpmix-dev is missing."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "pmix"], capture_output=True,
                           text=True).stdout.split()
    program = os.path.join(folder, "pmix_fence")
    source = os.path.join(FOLDER, "pmix_fence.c")
    made = subprocess.run(["cc", "-O2", source, "-o", program, *flags], check=False)
    return program if made.returncode == 0 else None


def fence(bench, folder, lab, names, wrapper):
    what = "a fence of 1 KB from each of 64 ranks over 4 ssh hosts"
    if bench.only and bench.only not in what:
        return
    program = fence_program(folder)
    if program is None:
        return bench.row(what, "libpmix-dev is missing")
    hosts = ",".join(f"{host}:16" for host in names)
    words = lab.command(bench.run("--ssh-command", wrapper, "-H", hosts, program))
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60)
    bench.row(what, f"{done.stdout.strip()} ms" if done.returncode == 0 else "failed")


def resident(pid):
    """The name and VmHWM in KiB of each muster process below one, itself included."""
    found = {}
    for child in open(f"/proc/{pid}/task/{pid}/children", encoding="ascii").read().split():
        try:
            words = open(f"/proc/{child}/cmdline", "rb").read().decode().split("\0")
            marks = [line.split()[1] for line in open(f"/proc/{child}/status", encoding="ascii")
                     if line.startswith("VmHWM")]
            if len(words) > 1 and words[1] in ("agent", "pmix-server") and marks:
                found[words[1]] = int(marks[0])
            found.update(resident(child))
        except OSError:  # it has ended meanwhile
            continue
    return found


def agent_memory(bench, folder):
    what = "memory of an agent, and of its PMIx server, with 64 MPI ranks"
    if bench.only and bench.only not in what:
        return
    program = compiled(["mpicc.openmpi"], "mpi_hello.c", os.path.join(folder, "hello-memory"))
    if program is None:
        return
    job = subprocess.Popen(bench.run("--fake-nodes", "1", "-n", "64", program),
                           stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = {}
    while job.poll() is None:
        try:
            for name, kib in resident(job.pid).items():
                peak[name] = max(peak.get(name, 0), kib)
        except OSError:
            pass
        time.sleep(0.02)
    texts = [f"{peak.get(name, 0) / 1024:.1f}" for name in ("agent", "pmix-server")]
    bench.row(what, " + ".join(texts) + " MiB", "< 40 MB")

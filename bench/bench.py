"""Measures muster against the machine's own floor and against peers, pair by pair in one run.

Every figure is the median of ratios of neighbouring runs, so that a slow minute hits both sides.
Peers are those found on PATH; each run has a time limit, since one of them hangs on some of these.
Usage: bench.py MUSTER SPAWN_LOOP [--pairs N] [--markdown FILE] [--only TEXT]
"""

import argparse
import os
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import copy_rows
import heard_rows
import job_rows
import mpi_rows
import record_rows
import restart_rows
import signal_rows
import slurm_rows
import socket_rows

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "lab"))

LIMIT_S = 30
MEGABYTES = 41


def timed(words, wrap=None, limit=LIMIT_S, **options):
    """Seconds of one run; None when it fails or takes too long."""
    begin = time.monotonic()
    words = wrap(words) if wrap else words
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             start_new_session=True, **options)
    handle = os.pidfd_open(child.pid)
    ended, _, _ = select.select([handle], [], [], limit)
    seconds = time.monotonic() - begin
    os.close(handle)
    if not ended:
        os.killpg(child.pid, signal.SIGKILL)
    _, status = os.waitpid(child.pid, 0)
    child.returncode = status
    return seconds if status == 0 else None


def peak_kib(words):
    """Largest resident memory of one process, read while it runs and writes into a slow-ish pipe.

    The kernel's ru_maxrss is of no use here: it starts at the size of whoever forked the process.
    """
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
    peak = 0
    while child.stdout.read(1 << 20):
        with open(f"/proc/{child.pid}/status", encoding="ascii") as status:
            marks = [line for line in status if line.startswith("VmHWM")]
        peak = max([peak] + [int(mark.split()[1]) for mark in marks])
    child.wait()
    return peak


class Bench:
    def __init__(self, muster, loop, pairs, only):
        self.muster, self.loop, self.pairs, self.only = muster, loop, pairs, only
        self.rows = []
        self.timed = timed

    def row(self, what, figure, goal=""):
        self.rows.append((what, figure, goal))
        print(f"  {what:<66} {figure:>26}  {goal}", flush=True)

    def compare(self, what, ours, theirs, goal="", pairs=None, wrap=None, **options):
        """A row with the median ratio ours/theirs and both medians."""
        if self.only and self.only not in what:
            return
        for side in (ours, theirs):  # once unmeasured, to fill caches and find out who cannot
            if timed(side, wrap, **options) is None:
                return self.row(what, "not comparable" if side is ours else "hangs or fails", goal)
        runs = []
        for _ in range(pairs or self.pairs):
            runs.append((timed(ours, wrap, **options), timed(theirs, wrap, **options)))
            if None in runs[-1]:
                break
        self.ratios(what, runs, goal)

    def ratios(self, what, pairs, goal=""):
        """The same of pairs of seconds, None for those of a run that did not end well."""
        if any(None in pair for pair in pairs):
            return self.row(what, "a run failed or hung", goal)
        left, right = (statistics.median(side) * 1e3 for side in zip(*pairs))
        ratio = statistics.median(ours / theirs for ours, theirs in pairs)
        self.row(what, f"{ratio:.2f} ({left:.1f} / {right:.1f} ms)", goal)

    def run(self, *words):
        return [self.muster, "run", *words]


def start_rows(bench):
    true = "/bin/true"
    for count in (1, 64):
        goal = "<= 1.10" if count == 64 else "<= 2 ms above"
        bench.compare(f"{count} x true / spawn loop", bench.run("-n", str(count), true),
                      [bench.loop, str(count), true], goal)
        if shutil.which("mpirun.mpich"):
            bench.compare(f"{count} x true / Hydra", bench.run("-n", str(count), true),
                          ["mpirun.mpich", "-n", str(count), true], "< 1")
        if shutil.which("mpirun.openmpi"):
            bench.compare(f"{count} x true / Open MPI", bench.run("-n", str(count), true),
                          ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n",
                           str(count), true], "< 1", pairs=5)
    if shutil.which("mpirun.openmpi"):
        bench.compare("16 x true / Open MPI", bench.run("-n", "16", true),
                      ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "16",
                       true], "< 1", pairs=5)
    bench.compare("4096 x true / spawn loop", bench.run("-n", "4096", true),
                  [bench.loop, "4096", true], "<= 1.05", pairs=3)
    torch = ["/usr/bin/python3", "-m", "torch.distributed.run", "--nproc_per_node", "8", "-r", "1",
             "-t", "1", "--no_python", true]
    if os.path.exists("/usr/bin/python3"):
        bench.compare("8 x true / torchrun",
                      [bench.muster, "torchrun", "--nproc_per_node", "8", "--no_python", true],
                      torch, "<= 0.01", pairs=2)


def output_rows(bench, folder):
    path = os.path.join(folder, "lines")
    line = b"step 00000 loss 0.1234567 accuracy 0.87654 throughput 1234.5 samples/s\n"
    with open(path, "wb") as file:
        file.write(line * (MEGABYTES * 1000000 // len(line)))

    def through_cat(words):
        return ["/bin/sh", "-c", '"$@" | cat >/dev/null', "sh", *words]

    cats = ["/bin/sh", "-c", "cat $0 & cat $0 & cat $0 & cat $0 & wait", path]
    ours = bench.run("-n", "4", "cat", path)
    bench.compare("4 x 41 MB of lines / four cat", ours, cats, wrap=through_cat)
    if shutil.which("mpirun.mpich"):
        bench.compare("4 x 41 MB of lines / Hydra", ours,
                      ["mpirun.mpich", "-n", "4", "cat", path], "<= 1", wrap=through_cat)
        bench.compare("4 x 41 MB with rank labels / Hydra -l",
                      bench.run("--tag", "-n", "4", "cat", path),
                      ["mpirun.mpich", "-l", "-n", "4", "cat", path], "<= 1", wrap=through_cat)
    if shutil.which("mpirun.openmpi"):
        bench.compare("4 x 41 MB of lines / Open MPI", ours,
                      ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "4",
                       "cat", path], "<= 1", pairs=3, wrap=through_cat)
    if bench.only and bench.only not in "peak memory":
        return
    bench.row("peak memory of the head, 4 x 41 MB", f"{peak_kib(ours) / 1024:.1f} MiB", "< 16 MB")


def ssh_rows(bench, folder):
    if bench.only and "ssh hosts" not in bench.only:
        return
    try:
        import lab
        hosts = lab.Lab(4)
    except Exception as error:  # namespaces may be forbidden here: say so, measure the rest
        return bench.row("16 ranks on 4 ssh hosts / 4 x ssh true", f"no test hosts: {error}")
    with hosts:
        names = [f"node{i}" for i in range(1, 5)]
        ssh = f"ssh -F {hosts.ssh_config}"
        bare = ["/bin/sh", "-c", " & ".join(f"{ssh} {name} true" for name in names) + " & wait"]
        ours = bench.run("--ssh-command", ssh, "-n", "16", "-H",
                         ",".join(f"{name}:4" for name in names), "/bin/true")
        bench.compare("16 ranks on 4 ssh hosts / 4 x ssh true", ours, bare, "<= 1.10",
                      wrap=hosts.command)
        inner_row(bench, hosts, names, ssh)
        copy_rows.homecoming_rows(bench, folder, hosts)
        heard_rows.host_rows(bench, folder, hosts)
        if shutil.which("mpirun.mpich"):
            wrapper = os.path.join(folder, "ssh-of-the-lab")
            with open(wrapper, "w", encoding="ascii") as file:
                file.write(f'#!/bin/sh\nexec {ssh} "$@"\n')
            os.chmod(wrapper, 0o755)
            hydra = ["mpirun.mpich", "-launcher-exec", wrapper, "-hosts",
                     ",".join(f"{name}:4" for name in names), "-n", "16", "/bin/true"]
            bench.compare("16 ranks on 4 ssh hosts / Hydra", ours, hydra, "< 1",
                          wrap=hosts.command)
            mpi_rows.four_hosts(bench, folder, hosts, names, wrapper)
            mpi_rows.fence(bench, folder, hosts, names, wrapper)


def inner_row(bench, hosts, names, ssh):
    """A launcher inside a rank: asks the head above it, or opens links of its own."""
    def outer(*inner):
        launcher = bench.run(*inner, "-n", "4", "-H", ",".join(names), "/bin/true")
        return bench.run("--ssh-command", ssh, "-H", ",".join(names), "sh", "-c",
                         '[ "$RANK" != 0 ] || exec "$@"', "sh", *launcher)

    bench.compare("a launcher in a rank, 4 ssh hosts / with its own ssh", outer(),
                  outer("--ssh-command", ssh), "< 1", wrap=hosts.command)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("muster")
    parser.add_argument("spawn_loop")
    parser.add_argument("--pairs", type=int, default=21)
    parser.add_argument("--only", default="", help="only rows whose name holds this text")
    arguments = parser.parse_args()
    bench = Bench(os.path.abspath(arguments.muster), os.path.abspath(arguments.spawn_loop),
                  arguments.pairs, arguments.only)
    print("median of pairwise ratios, muster / other (medians of both)")
    with tempfile.TemporaryDirectory() as folder:
        start_rows(bench)
        restart_rows.rows(bench, folder)
        output_rows(bench, folder)
        mpi_rows.one_host(bench, folder)
        mpi_rows.agent_memory(bench, folder)
        job_rows.rows(bench, folder)
        record_rows.rows(bench, folder)
        copy_rows.rows(bench, folder)
        socket_rows.rows(bench, folder)
        signal_rows.rows(bench, folder)
        heard_rows.rows(bench, folder)
        ssh_rows(bench, folder)
        slurm_rows.rows(bench, folder)


if __name__ == "__main__":
    main()

"""Makes a real Slurm on a lab's hosts (see lab.py): slurmctld on the head, slurmd on each node.

The head is a login node: salloc and sbatch are called there, and it runs no job. All hosts share
one munged. Nodes have more cpus than the machine, so that jobs of many ranks fit.

    sudo python3 tests/lab/slurm.py 4 [COMMAND...]    # a shell, or a command, on the head

    with Slurm(4) as slurm:
        slurm.run(["salloc", "-N", "2", "muster", "run", "hostname"])
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import batch  # noqa: E402
import slurm_accounts  # noqa: E402
from lab import LOCAL, WAIT_SECONDS, until  # noqa: E402

TOOLS = ("munged", "slurmctld", "slurmd", "srun", "salloc", "sbatch", "scancel")
CPUS = 16          # of each node, whatever the machine has
# On each host's own tmpfs: daemons wait until a disk has what they write there, and what a disk
# would have to keep is gone with the lab anyway. The pmix plugins of all nodes make folders of
# the same names in TMP.
STATE, SPOOL, TMP = f"{LOCAL}/state", f"{LOCAL}/spool", f"{LOCAL}/tmp"
# When a silent node is lost. On a machine that has much else to do nodes are silent for seconds.
PATIENT, SOON = ("SlurmdTimeout=300", "MessageTimeout=60"), ("SlurmdTimeout=20",)


def why_not(accounts=False):
    """The reason why no Slurm can be had here, or an empty string."""
    return batch.why_not(TOOLS + (slurm_accounts.TOOLS if accounts else ()))


class Slurm(batch.BatchLab):
    """A lab whose nodes a Slurm gives out. Use as a context manager."""

    def __init__(self, nodes=4, gres=False, lines=(), accounts=False, roots=None, losable=False):
        super().__init__(nodes, roots)
        self._losable = losable  # a silent node is lost soon; Slurm never asks a lost one again
        self._keeps_accounts = accounts
        self.accounts = None
        self._gres = gres      # two pretended GPUs on each node
        self._lines = lines    # more of slurm.conf
        self.conf = ""

    # ---- what tests ask for ---------------------------------------------------------------------

    def environment(self, **more):
        return self.lab.environment(SLURM_CONF=self.conf, **more)

    def stop(self, name, host):
        """Ends a daemon, as kill -9 does; jobs of a slurmd go on."""
        daemon = self._daemons.pop((name, host))
        daemon.send(9)
        daemon.popen.wait(10)

    def start_slurmctld(self):
        self.start_daemon("slurmctld", ["slurmctld", "-D", "-i", "-f", self.conf], "head")

    def start_slurmd(self, node):
        self.start_daemon("slurmd", ["slurmd", "-D", "-N", node, "-f", self.conf], node)

    def wait_until_idle(self, seconds=WAIT_SECONDS):
        """Until all nodes can be given out."""
        until(lambda: f"idle nodes: {self._not_idle()}", lambda: not self._not_idle(), seconds)

    def end_jobs(self):
        self.run(["scancel", "-u", "root"])

    def busy(self):
        code, out, err = self.peek("squeue", "-h", "-o", "job %i is %T")
        return (out or self._not_idle()) if code == 0 else err

    def _not_idle(self):
        code, out, err = self.peek("sinfo", "-h", "-N", "-o", "%N is %T")
        lines = out.splitlines()
        if code != 0 or len(lines) != len(self.lab.names):
            return err or f"{len(self.lab.names)} nodes, and known are {lines}"
        return "; ".join(line for line in lines if not line.endswith(" idle"))

    # ---- making ---------------------------------------------------------------------------------

    def _make(self):
        folder = os.path.join(self.lab.folder, "slurm")
        os.mkdir(folder)
        self.ask("mkdir", STATE)
        self.conf = os.path.join(folder, "slurm.conf")
        self._write_configuration(folder)
        key = os.path.join(folder, "munge.key")
        with open(key, "wb") as file:
            file.write(os.urandom(64))
        os.chmod(key, 0o600)
        socket = os.path.join(folder, "munge.socket")
        self.start_daemon("munged", ["munged", "-F", "--force", f"--socket={socket}",
                                     f"--key-file={key}", f"--pid-file={folder}/munge.pid",
                                     f"--log-file={folder}/munge.log",
                                     f"--seed-file={folder}/munge.seed"], "head")
        until("munged", lambda: os.path.exists(socket))
        if self._keeps_accounts:
            self.accounts = slurm_accounts.Accounts(self, folder)
            self.accounts.start()
        self.start_slurmctld()
        for name in self.lab.names:
            # slurmd would use this machine's control groups.
            self.lab.run(["mount", "-t", "tmpfs", "tmpfs", "/sys/fs/cgroup"], name)
            self.lab.run(["mkdir", SPOOL, TMP], name)
            self.start_slurmd(name)
        self.wait_until_idle()

    def _write_configuration(self, folder):
        gres = " Gres=gpu:2" if self._gres else ""
        accounts = ["AccountingStorageType=accounting_storage/none"]
        if self._keeps_accounts:
            accounts = slurm_accounts.conf_lines(self.lab.address("head"),
                                                 f"{folder}/munge.socket")
        nodes = [f"NodeName={name} NodeAddr={self.lab.address(name)} CPUs={CPUS} RealMemory=4000"
                 f"{gres} State=UNKNOWN" for name in self.lab.names]
        lines = [
            "ClusterName=lab", f"SlurmctldHost=head({self.lab.address('head')})",
            "SlurmUser=root", "AuthType=auth/munge",
            # As long does a job wait that was queued again; by default it is two minutes.
            f"AuthInfo=cred_expire=10,socket={folder}/munge.socket",
            "CredType=cred/munge", f"StateSaveLocation={STATE}",
            f"SlurmdSpoolDir={SPOOL}", f"TmpFS={TMP}",
            f"SlurmctldPidFile={folder}/slurmctld.pid",
            f"SlurmdPidFile={folder}/slurmd.%n.pid", f"SlurmctldLogFile={folder}/slurmctld.log",
            f"SlurmdLogFile={folder}/slurmd.%n.log", "SlurmdParameters=config_overrides",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "SwitchType=switch/none",
            "MpiDefault=none", "SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU_Memory",
            "DefMemPerNode=1000", "ReturnToService=2", "KillWait=10", "InactiveLimit=0",
            *(SOON if self._losable else PATIENT), "JobRequeue=1", *accounts,
            "JobAcctGatherType=jobacct_gather/none",
            # The second one starts jobs of several components.
            "SchedulerParameters=sched_min_interval=0,bf_interval=1",
            *(["GresTypes=gpu"] if self._gres else []), *self._lines, *nodes,
            "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"]
        self._write(folder, "slurm.conf", lines)
        self._write(folder, "cgroup.conf", ["CgroupPlugin=cgroup/v1", "CgroupAutomount=no"])
        if self._gres:
            devices = ["/dev/null", "/dev/zero"]
            self._write(folder, "gres.conf", [f"Name=gpu File={one}" for one in devices])

    @staticmethod
    def _write(folder, name, lines):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description="a real Slurm on hosts of this machine")
    parser.add_argument("nodes", type=int, nargs="?", default=4)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    words = parser.parse_args()
    batch.shell("Slurm", why_not(), lambda: Slurm(words.nodes), words.command)


if __name__ == "__main__":
    main()

"""Makes a real Grid Engine on a lab's hosts (see lab.py): qmaster on the head, execd on each node.

    sudo python3 tests/lab/grid_engine.py 2 [COMMAND...]    # a shell, or a command, on the head

    with GridEngine(2) as engine:
        engine.run(["qsub", "-pe", "mpi", "4", "job.sh"])
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import batch  # noqa: E402
from lab import wait_until  # noqa: E402

PROGRAMS = "/usr/lib/gridengine"
SHARED = "/usr/share/gridengine"
TOOLS = ("sge_qmaster", "sge_execd", "qsub", "qrsh", "qconf", "qstat", "qdel")
SLOTS = 8          # of each node
READY_SECONDS = 60
QMASTER_PORT, EXECD_PORT = "6444", "6445"


def why_not():
    """The reason why no Grid Engine can be had here, or an empty string."""
    return batch.why_not(TOOLS)


class GridEngine(batch.BatchLab):
    """A lab whose nodes a Grid Engine gives out. Use as a context manager."""

    def __init__(self, nodes=2):
        super().__init__(nodes)
        self.root = ""

    # ---- what tests ask for ---------------------------------------------------------------------

    def environment(self, **more):
        return self.lab.environment(SGE_ROOT=self.root, SGE_CELL="default",
                                    SGE_QMASTER_PORT=QMASTER_PORT, SGE_EXECD_PORT=EXECD_PORT,
                                    SGE_CLUSTER_NAME="lab", **more)

    # ---- making ---------------------------------------------------------------------------------

    def _make(self):
        self.root = os.path.join(self.lab.folder, "sge")
        common = os.path.join(self.root, "default", "common")
        self._spool = os.path.join(self.lab.folder, "spool")
        for folder in (common, f"{self._spool}/qmaster", f"{self._spool}/db",
                       *(f"{self._spool}/{name}" for name in self.lab.names)):
            os.makedirs(folder)
        for name in ("bin", "util", "utilbin", "lib"):
            os.symlink(f"/var/lib/gridengine/{name}", f"{self.root}/{name}")
        for name in ["head", *self.lab.names]:
            self._one_name(name)
        self._write(f"{common}/act_qmaster", "head\n")
        self._write(f"{common}/bootstrap", "\n".join([
            "admin_user none", "default_domain none", "ignore_fqdn false",
            "spooling_method berkeleydb", "spooling_lib libspoolb",
            f"spooling_params {self._spool}/db", "binary_path /usr/sbin",
            f"qmaster_spool_dir {self._spool}/qmaster", "security_mode none", "listener_threads 2",
            "worker_threads 2", "scheduler_threads 1"]) + "\n")
        self._initialize()
        self._daemon("sge_qmaster", "head")
        wait_until(lambda: self.run(["qconf", "-sh"])[0] == 0, READY_SECONDS, "sge_qmaster")
        self._configure()
        for name in self.lab.names:
            self._daemon("sge_execd", name)
        wait_until(self._has_queues, READY_SECONDS, "queues without a state")

    def _one_name(self, host):
        """One name and one address for each host, as Grid Engine wants it."""
        lines = ["127.0.0.1 localhost"]
        lines += [f"{self.lab.address(name)} {name}" for name in ["head", *self.lab.names]]
        self.lab.run(["sh", "-c", "cat > /etc/hosts"], host,
                     stdin=("\n".join(lines) + "\n").encode())

    def _initialize(self):
        for words in (["spoolinit", "berkeleydb", "libspoolb", f"{self._spool}/db", "init"],
                      ["spooldefaults", "configuration", f"{SHARED}/default-configuration"],
                      ["spooldefaults", "complexes", f"{SHARED}/util/resources/centry"],
                      ["spooldefaults", "usersets", f"{SHARED}/util/resources/usersets"],
                      ["spooldefaults", "managers", "root"]):
            self.ask(f"{PROGRAMS}/{words[0]}", *words[1:])

    def _daemon(self, program, host):
        self.start_daemon(program, [f"/usr/sbin/{program}"], host, self.environment(SGE_ND="1"))

    def _configure(self):
        """For root, too; nobody gets mail."""
        text = self.ask("qconf", "-sconf")
        changes = {"min_uid": "0", "min_gid": "0", "administrator_mail": "none",
                   "execd_spool_dir": self._spool, "load_report_time": "00:00:02",
                   "reporting_params": "accounting=true reporting=false flush_time=00:00:15 "
                                       "accounting_flush_time=00:00:00 joblog=false "
                                       "sharelog=00:00:00"}
        self._change("-Mconf", "global", self._changed(text, changes))
        scheduler = {"schedule_interval": "0:0:1", "flush_submit_sec": "1",
                     "flush_finish_sec": "1"}
        self._change("-Msconf", "sched", self._changed(self.ask("qconf", "-ssconf"), scheduler))
        self.ask("qconf", "-as", "head")
        for name in self.lab.names:
            self.ask("qconf", "-ah", name)
            self.ask("qconf", "-as", name)
            self._change("-Ae", name, f"hostname {name}\nload_scaling NONE\ncomplex_values NONE\n"
                         "user_lists NONE\nxuser_lists NONE\nprojects NONE\nxprojects NONE\n"
                         "usage_scaling NONE\nreport_variables NONE\n")
        self._change("-Ahgrp", "all", f"group_name @nodes\nhostlist {' '.join(self.lab.names)}\n")
        self._change("-Ap", "mpi", "pe_name mpi\nslots 999\nuser_lists NONE\nxuser_lists NONE\n"
                     "start_proc_args NONE\nstop_proc_args NONE\nallocation_rule $round_robin\n"
                     "control_slaves TRUE\njob_is_first_task FALSE\nurgency_slots min\n"
                     "accounting_summary FALSE\nqsort_args NONE\n")
        queue = self.ask("qconf", "-sq")
        self._change("-Aq", "queue", self._changed(queue, {
            "qname": "test.q", "hostlist": "@nodes", "slots": str(SLOTS), "pe_list": "mpi",
            "shell": "/bin/sh", "tmpdir": f"{self.lab.folder}", "load_thresholds": "NONE",
            "shell_start_mode": "unix_behavior"}))

    def _change(self, option, name, text):
        path = os.path.join(self.lab.folder, f"qconf.{name}")
        if option == "-Mconf":
            path = os.path.join(self.lab.folder, "global")
        self._write(path, text)
        self.ask("qconf", option, path)

    @staticmethod
    def _changed(text, changes):
        """Lines "key value" with other values, and with what was not there."""
        lines, left = [], dict(changes)
        for line in text.replace("\\\n", " ").splitlines():
            key = line.split(" ")[0]
            lines.append(f"{key} {left.pop(key)}" if key in left else line)
        return "\n".join(lines + [f"{key} {value}" for key, value in left.items()]) + "\n"

    @staticmethod
    def _write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def _has_queues(self):
        code, out, _ = self.run(["qstat", "-f"])
        lines = [line.split() for line in out.decode().splitlines() if "test.q@" in line]
        return code == 0 and len(lines) == len(self.lab.names) and all(
            len(line) == 5 and line[3] != "-NA-" for line in lines)


def main():
    parser = argparse.ArgumentParser(description="a real Grid Engine on hosts of this machine")
    parser.add_argument("nodes", type=int, nargs="?", default=2)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    words = parser.parse_args()
    batch.shell("Grid Engine", why_not(), lambda: GridEngine(words.nodes), words.command)


if __name__ == "__main__":
    main()

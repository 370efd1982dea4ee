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
from lab import until  # noqa: E402

PROGRAMS = "/usr/lib/gridengine"
SHARED = "/usr/share/gridengine"
TOOLS = ("sge_qmaster", "sge_execd", "qsub", "qrsh", "qconf", "qstat", "qdel")
SLOTS = 8          # of each node
QMASTER_PORT, EXECD_PORT = "6444", "6445"

_HOST = """hostname {name}
load_scaling NONE
complex_values NONE
user_lists NONE
xuser_lists NONE
projects NONE
xprojects NONE
usage_scaling NONE
report_variables NONE
"""
_PE = """pe_name mpi
slots 999
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule $round_robin
control_slaves TRUE
job_is_first_task FALSE
urgency_slots min
accounting_summary FALSE
qsort_args NONE
"""


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

    def end_jobs(self):
        self.run(["qdel", "-u", "root"])

    def busy(self):
        code, out, err = self.peek("qstat")
        return (out or self._not_free()) if code == 0 else err

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
        until("sge_qmaster", lambda: self.run(["qconf", "-sh"])[0] == 0)
        self._configure()
        for name in self.lab.names:
            self._daemon("sge_execd", name)
        until("queues without a state", lambda: not self._not_free())

    def _one_name(self, host):
        """One name and one address for each host, as Grid Engine wants it."""
        lines = ["127.0.0.1 localhost"]
        lines += [f"{self.lab.address(name)} {name}" for name in ["head", *self.lab.names]]
        self.lab.run(["sh", "-c", "cat > /etc/hosts"], host,
                     stdin=("\n".join(lines) + "\n").encode())

    def _initialize(self):
        """All that qmaster finds when it starts; asked for later, each thing would take a while."""
        text = _read(f"{SHARED}/default-configuration")
        # For root, too; nobody gets mail.
        self._write(f"{self._spool}/configuration", _changed(text, {
            "min_uid": "0", "min_gid": "0", "administrator_mail": "none",
            "execd_spool_dir": self._spool, "load_report_time": "00:00:02",
            "reporting_params": "accounting=true reporting=false flush_time=00:00:15 "
                                "accounting_flush_time=00:00:00 joblog=false sharelog=00:00:00"}))
        self._spooled("berkeleydb", "libspoolb", f"{self._spool}/db", "init", program="spoolinit")
        self._spooled("configuration", f"{self._spool}/configuration")
        self._spooled("complexes", f"{SHARED}/util/resources/centry")
        self._spooled("usersets", f"{SHARED}/util/resources/usersets")
        self._spooled("managers", "root")
        nodes = self.lab.names
        self._spool_all("adminhosts", {name: f"hostname {name}\n" for name in ["head", *nodes]})
        self._spool_all("submithosts", {name: f"hostname {name}\n" for name in ["head", *nodes]})
        self._spool_all("exechosts", {name: _HOST.format(name=name) for name in nodes})
        self._spool_all("pes", {"mpi": _PE})

    def _spooled(self, *words, program="spooldefaults"):
        self.ask(f"{PROGRAMS}/{program}", *words)

    def _spool_all(self, kind, texts):
        folder = os.path.join(self._spool, kind)
        os.mkdir(folder)
        for name, text in texts.items():
            self._write(os.path.join(folder, name), text)
        self._spooled(kind, folder)

    def _daemon(self, program, host):
        self.start_daemon(program, [f"/usr/sbin/{program}"], host, self.environment(SGE_ND="1"))

    def _configure(self):
        """What has no place in the spool beforehand: how often it schedules, and the queue."""
        self._change("-Msconf", _changed(self.ask("qconf", "-ssconf"), {
            "schedule_interval": "0:0:1", "flush_submit_sec": "1", "flush_finish_sec": "1"}))
        self._change("-Aq", _changed(self.ask("qconf", "-sq"), {
            "qname": "test.q", "hostlist": " ".join(self.lab.names), "slots": str(SLOTS),
            "pe_list": "mpi", "shell": "/bin/sh", "tmpdir": self._temporary(),
            "load_thresholds": "NONE", "shell_start_mode": "unix_behavior"}))

    def _temporary(self):
        """A folder for each host, since they share files: one that has ended its part of a job
        removes the job's folder, in which the next start on another host may be at work."""
        folders = {name: os.path.join(self.lab.folder, f"tmp-{name}") for name in self.lab.names}
        for folder in folders.values():
            os.mkdir(folder, 0o1777)
            os.chmod(folder, 0o1777)
        return self.lab.folder + "".join(f",[{name}={folder}]" for name, folder in folders.items())

    def _change(self, option, text):
        path = os.path.join(self.lab.folder, "qconf")
        self._write(path, text)
        self.ask("qconf", option, path)

    @staticmethod
    def _write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def _not_free(self):
        """What queues there are and not free; else nothing."""
        code, out, err = self.peek("qstat", "-f")
        lines = [line.split() for line in out.splitlines() if "test.q@" in line]
        if code != 0 or len(lines) != len(self.lab.names):
            return err or f"{len(self.lab.names)} queues, and known are {lines}"
        return "; ".join(" ".join(line) for line in lines if len(line) != 5 or line[3] == "-NA-")


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _changed(text, changes):
    """Lines "key value" with other values, and with what was not there."""
    lines, left = [], dict(changes)
    for line in text.replace("\\\n", " ").splitlines():
        key = line.split(" ")[0]
        lines.append(f"{key} {left.pop(key)}" if key in left else line)
    return "\n".join(lines + [f"{key} {value}" for key, value in left.items()]) + "\n"


def main():
    parser = argparse.ArgumentParser(description="a real Grid Engine on hosts of this machine")
    parser.add_argument("nodes", type=int, nargs="?", default=2)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    words = parser.parse_args()
    batch.shell("Grid Engine", why_not(), lambda: GridEngine(words.nodes), words.command)


if __name__ == "__main__":
    main()

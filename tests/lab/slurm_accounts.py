"""The accounts of a lab's Slurm: a real slurmdbd on the head, and a MariaDB that only it reaches.

One account, which root belongs to, is there; no other may run jobs.
"""

import os

from lab import LOCAL, until

TOOLS = ("slurmdbd", "mariadbd", "sacctmgr", "sacct")
SYSTEM_TABLES = "/usr/share/mysql/mysql_system_tables.sql"
ACCOUNT = "ours"
# On the head's own tmpfs: what a disk would have to keep is gone with the lab anyway.
DATA = f"{LOCAL}/database"


def conf_lines(address, munge_socket):
    """What slurm.conf says of them."""
    return ["AccountingStorageType=accounting_storage/slurmdbd",
            f"AccountingStorageHost={address}", f"AccountingStoragePass={munge_socket}",
            "AccountingStorageEnforce=associations"]


class Accounts:
    """slurmdbd of a Slurm whose munged runs already; its folder is within Slurm's."""

    def __init__(self, slurm, folder):
        self._slurm = slurm
        self._slurms = folder
        self._folder = os.path.join(folder, "accounts")
        self._socket = os.path.join(self._folder, "socket")
        self.log = os.path.join(folder, "slurmdbd.log")

    def start(self):
        os.mkdir(self._folder)
        self._start_database()
        self._write_configuration()
        # The library that reaches the database takes its socket from there.
        environment = self._slurm.environment(MYSQL_UNIX_PORT=self._socket)
        self._slurm.start_daemon("slurmdbd", ["slurmdbd", "-D"], "head", environment)
        until("slurmdbd", lambda: self._slurm.run(["sacctmgr", "-n", "list", "cluster"])[0] == 0)
        for words in (["cluster", "lab"], ["account", ACCOUNT, "Cluster=lab"],
                      ["user", "root", f"Account={ACCOUNT}"]):
            self._slurm.ask("sacctmgr", "-i", "add", *words)

    def _start_database(self):
        self._slurm.ask("mkdir", DATA)
        words = ["mariadbd", "--no-defaults", f"--datadir={DATA}", "--user=root",
                 "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=4M",
                 "--innodb-flush-log-at-trx-commit=0", "--innodb-lock-wait-timeout=900"]
        with open(SYSTEM_TABLES, "rb") as file:
            tables = b"create database mysql;\nuse mysql;\n" + file.read()
        code, _, err = self._slurm.run([*words, "--bootstrap"], stdin=tables)
        if code != 0:
            raise AssertionError(f"mariadbd --bootstrap: {err!r}")
        # Whoever sees the socket, in the lab's folder, may do all.
        self._slurm.start_daemon("mariadbd", [
            *words, f"--socket={self._socket}", "--skip-networking", "--skip-grant-tables",
            f"--pid-file={self._folder}/pid"], "head")
        until("mariadbd", lambda: os.path.exists(self._socket))

    def _write_configuration(self):
        path = os.path.join(self._slurms, "slurmdbd.conf")
        lines = ["AuthType=auth/munge", f"AuthInfo=socket={self._slurms}/munge.socket",
                 "DbdHost=head", f"DbdAddr={self._slurm.lab.address('head')}", "SlurmUser=root",
                 "StorageType=accounting_storage/mysql", "StorageHost=localhost",
                 "StorageUser=root", f"PidFile={self._slurms}/slurmdbd.pid",
                 f"LogFile={self.log}", "DebugLevel=debug2"]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        os.chmod(path, 0o600)  # slurmdbd insists on it

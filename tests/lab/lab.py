"""Makes real hosts on one machine for tests: each with its own network, name, processes and sshd.

A host is one `unshare` process: network, UTS, mount, pid and IPC namespaces of its own, so it has
its own address, host name, /etc, /dev/shm, /run and process tree. The hosts hang on a bridge that
lives in one more network namespace. Namespaces have no names here: they live exactly as long as
the processes that hold them, and those die with the process that made the lab (parent-death
signal), however it ends. This machine's own network, /run and process names are never touched.

    sudo python3 tests/lab/lab.py 4      # a shell on the head of four hosts

    with Lab(2) as lab:
        lab.run(["muster", "run", "--ssh-command", lab.ssh_command, "-H", "node1,node2", ...])

`run` and `start` work inside a host named "head", which has no sshd.
"""

import argparse
import atexit
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SSHD = "/usr/sbin/sshd"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MUSTER = os.path.abspath(os.environ.get("MUSTER", os.path.join(ROOT, "build", "muster")))
SSHD_PROGRAMS = ("sshd", "sshd-session", "sshd-auth")  # three since OpenSSH 9.8
HOME = "/run/home"     # of root inside a host; lies on the host's own tmpfs
LOCAL = "/media"       # a folder of the host's own (tmpfs); everything else on disk is shared
WAIT_SECONDS = 60.0    # of every wait: many times what anything here takes on an idle machine
SKIPPED = 77           # the exit code that ctest shows as "Skipped"
TOOLS = ("ip", "unshare", "nsenter", "setpriv", "ssh", "ssh-keygen", SSHD)

_ISOLATE = ["setpriv", "--pdeathsig", "KILL", "unshare", "-n", "-u", "-m", "-p", "-i", "-f",
            "--mount-proc", "--kill-child"]


def why_not():
    """The reason why no lab can be made here, or an empty string."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [tool for tool in TOOLS if shutil.which(tool, path=path) is None]
    if missing:
        return "missing programs: " + " ".join(missing)
    if os.geteuid() != 0:
        return "namespaces and sshd on port 22 need root"
    probe = subprocess.run(
        _ISOLATE + ["sh", "-c", "ip link add br0 type bridge && mount -t tmpfs tmpfs /run"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        return "namespaces are not permitted here: " + probe.stderr.strip()
    return ""


class Ended(BaseException):
    """Somebody ends the script. Unlike KeyboardInterrupt it is an error of the test for unittest,
    which runs the test's cleanups then."""


def _end(number, _):
    signal.signal(number, signal.SIG_IGN)
    raise Ended(signal.Signals(number).name)


class _Result(unittest.TextTestResult):
    def addError(self, test, err):
        super().addError(test, err)
        if isinstance(err[1], Ended):
            self.stop()


class _Runner(unittest.TextTestRunner):
    resultclass = _Result


def run_tests():
    """unittest.main() for scripts that need a lab: ends with 77 when every test was skipped. No
    test leaves anything behind that is ended by a signal."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    program = unittest.main(exit=False, testRunner=_Runner)
    result = program.result
    if result.wasSuccessful() and 0 < result.testsRun == len(result.skipped):
        raise SystemExit(SKIPPED)
    raise SystemExit(not result.wasSuccessful())


def without_libuv():
    """What ranks of a torch need that asks for libuv and was built without it, as Debian 13's is.
    tools/on_debian13 sets it, for all tests there."""
    return {name: os.environ[name] for name in ("USE_LIBUV",) if name in os.environ}


class NeverCame(TimeoutError, AssertionError):
    """What `until` waited for did not come: for unittest a failure, not an error."""


def until(what, condition, seconds=WAIT_SECONDS):
    """Polls until `condition()` is true and returns its value.

    `what` names it for the one who reads the failure; a function is asked for it only then.
    """
    deadline = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise NeverCame(f"not within {seconds:g} s: {what() if callable(what) else what}")
        # Looking through all of /proc is work too: never more of it than pauses.
        time.sleep(max(0.02, time.monotonic() - began))


def kill_all(pids):
    """SIGKILL for each one that still lives: the end of one may have been the end of others."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Started:
    """A program in a host: `popen` is the nsenter around it, `pid` its own pid, seen from here."""

    def __init__(self, popen, namespace):
        self.popen = popen
        self.pid = 0  # 0: it ended before it could be seen
        until("nsenter's child", lambda: self._seen(namespace) or popen.poll() is not None)

    def _seen(self, namespace):
        self.pid = _child_in(self.popen.pid, namespace)
        return self.pid

    def send(self, number):
        """Nothing comes of it once the program has ended, as with Popen.send_signal."""
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def wait(self, seconds=WAIT_SECONDS):
        """Exit code as a shell would tell it: 128 + signal when a signal ended it."""
        code = self.popen.wait(timeout=seconds)
        return 128 - code if code < 0 else code


class Lab:
    """N hosts node1..nodeN with sshd, and `head` without one. Use as a context manager."""

    living = []  # of this process: those that a failed test may have used

    def __init__(self, nodes, max_startups="100:30:200", banner="", noisy_shell=False,
                 docker=False, roots=None, shared=()):
        """`roots`: of hosts that run another system, by name; the folder of its root, as
        tools/debian13 makes it. It is only read: what such a host writes is its own. `shared`:
        folders that such hosts have in common with this machine."""
        self.names = [f"node{number}" for number in range(1, nodes + 1)]
        self.folder = tempfile.mkdtemp(prefix="muster-lab-")
        # Nobody outside can see these networks; a random net keeps the log lines of two labs apart.
        self.net = f"10.{random.randrange(64, 128)}.{random.randrange(1, 255)}"
        self.ssh_config = os.path.join(self.folder, "ssh_config")
        self.ssh_command = f"ssh -F {self.ssh_config}"
        self._options = {"max_startups": max_startups, "banner": banner, "docker": docker}
        self._noisy = noisy_shell
        self._roots = roots or {}
        self._shared = [ROOT, os.path.dirname(MUSTER), "/tmp", "/dev", "/sys", *shared]
        self._switch = None
        self._holders = {}   # name -> the unshare process
        self._inits = {}     # name -> pid of the host's process 1, seen from here
        self._namespaces = {}
        self._old_sigterm = None
        self.told = []       # what was started in hosts

    def __enter__(self):
        atexit.register(self.close)
        self.living.append(self)
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            self._old_sigterm = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            self._make()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    # ---- what tests ask for ---------------------------------------------------------------------

    def hosts(self):
        """The names of all that live, `head` too."""
        return list(self._inits)

    def address(self, name):
        return f"{self.net}.{1 if name == 'head' else 10 + int(name[4:])}"

    def path(self, name, inside):
        """The path, seen from here, of a file inside a host."""
        return f"/proc/{self._inits[name]}/root{inside}"

    def command(self, words, host="head", cwd=None):
        """The words that run `words` inside a host."""
        inside = ["nsenter", "-t", str(self._inits[host]), "-n", "-u", "-m", "-p", "-i", "-r"]
        return inside + [f"--wdns={cwd or os.getcwd()}", "--", *words]

    def start(self, words, host="head", env=None, cwd=None, **pipes):
        popen = subprocess.Popen(self.command(words, host, cwd), env=env or self.environment(),
                                 **pipes)
        self.told.append(f"{host}: {' '.join(map(str, words))}")
        return Started(popen, self._namespaces[host])

    def run(self, words, host="head", env=None, cwd=None, stdin=b"", seconds=WAIT_SECONDS):
        """Runs to the end and returns (exit code, stdout, stderr), the last two as bytes."""
        started = self.start(words, host, env, cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        try:
            out, err = started.popen.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            started.popen.kill()
            self._end_strangers()
            out, err = started.popen.communicate()
            raise AssertionError(f"still running after {seconds:g} s: {words}\n"
                                 f"stdout: {out[-2000:]!r}\nstderr: {err[-2000:]!r}") from None
        return started.wait(), out, err

    def environment(self, **more):
        """The environment of a login on the head."""
        keep = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": HOME,
                "USER": "root", "LOGNAME": "root", "SHELL": "/bin/bash", "LANG": "C.UTF-8"}
        return {**keep, **without_libuv(), **more}

    def strangers(self, name, mark=b""):
        """{pid: command line} of what runs on a host beyond the lab's own init and sshd.

        With `mark`: only processes that hold it in their environment or command line.
        """
        if name not in self._namespaces:
            return {}
        found = {}
        for pid in _pids():
            if pid == self._inits[name] or _link(pid, "ns/pid") != self._namespaces[name]:
                continue
            is_sshd = os.path.basename(_link(pid, "exe")) in SSHD_PROGRAMS
            if is_sshd or _state(pid) in ("", "Z", "X"):
                continue
            words = _read(pid, "cmdline")
            if words == b"sleep\0infinity\0" and _parent(pid) == self._inits[name]:
                continue
            if mark in words or mark in _read(pid, "environ"):
                found[pid] = words.replace(b"\0", b" ").decode(errors="replace").strip()
        return found

    def dead_hosts(self):
        """{name: how, and with what words} of hosts that have ended and that nobody has killed."""
        dead = {name: holder.poll() for name, holder in self._holders.items()}
        return {name: f"code {code}: {_file(os.path.join(self.folder, f'{name}.init.log'))!r}"
                for name, code in dead.items() if code is not None}

    def children_named(self, name, program):
        """Pids on a host whose command name (comm) is `program`."""
        wanted = program.encode()
        return [pid for pid in self.strangers(name) if _read(pid, "comm").strip() == wanted]

    def counter(self, name, protocol, field):
        """One of the counters of a host's network, as ("Tcp", "AttemptFails")."""
        lines = map(bytes.split, _read(self._inits[name], "net/snmp").splitlines())
        names, values = (line for line in lines if line[0] == f"{protocol}:".encode())
        return int(values[names.index(field.encode())])

    def pull_cable(self, name):
        self._in_switch(f"link set {self._port(name)} down")

    def plug_cable(self, name):
        self._in_switch(f"link set {self._port(name)} up")

    def lives(self, name):
        """Whether nobody has killed the host."""
        return name in self._inits

    def kill_host(self, name):
        """The death of a host as when its power goes: nobody gets a last packet from it."""
        self.pull_cable(name)
        self._end_host(name)

    def write_ssh_config(self, file_name, extra="", identity="key", known_hosts="known_hosts"):
        """A further ssh configuration; returns the --ssh-command that uses it."""
        path = os.path.join(self.folder, file_name)
        hosts = "".join(f"Host {name}\n  HostName {self.address(name)}\n" for name in self.names)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{extra}{hosts}Host *\n  User root\n"
                       f"  IdentityFile {self.folder}/{identity}\n  IdentitiesOnly yes\n"
                       f"  UserKnownHostsFile {self.folder}/{known_hosts}\n"
                       "  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n")
        return f"ssh -F {path}"

    def key(self, name):
        """A further key pair in the lab's folder."""
        path = os.path.join(self.folder, name)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", path],
                       stdin=subprocess.DEVNULL, check=True)
        return path

    # ---- making and removing --------------------------------------------------------------------

    def close(self):
        for name in list(self._holders):
            self._end_host(name)
        if self._switch is not None:
            self._switch.kill()
            self._switch.wait(WAIT_SECONDS)
            self._switch = None
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._old_sigterm is not None:
            signal.signal(signal.SIGTERM, self._old_sigterm)
            self._old_sigterm = None
        atexit.unregister(self.close)
        if self in self.living:
            self.living.remove(self)

    def _make(self):
        self._write_keys()
        # Without a pid namespace: `kill` ends it at once, and with it the bridge.
        self._switch = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", "-n", "sleep", "infinity"],
            stdin=subprocess.DEVNULL)
        own = _link(os.getpid(), "ns/net")
        until("the switch's network namespace",
              lambda: _link(self._switch.pid, "ns/net") not in ("", own))
        self._in_switch("link add br0 type bridge\nlink set br0 up")
        for name in ["head"] + self.names:
            self._hold(name)
        for name in ["head"] + self.names:
            self._find_init(name)
        for name in ["head"] + self.names:
            self._wire(name)
        for name in self.names:
            log = os.path.join(self.folder, f"{name}.log")
            until(lambda name=name, log=log: f"sshd on {name} listens: {_file(log)!r}",
                  lambda log=log: b"Server listening" in _file(log))
        until("the head's own process is its last", lambda: not self.strangers("head"))

    def _end_host(self, name):
        holder = self._holders.pop(name)
        self._namespaces.pop(name, None)
        init = self._inits.pop(name, 0)
        if init and holder.poll() is None:  # while the holder waits for it, the pid is the init's
            os.kill(init, signal.SIGKILL)
        else:
            holder.kill()  # --kill-child takes the rest along
        holder.wait(WAIT_SECONDS)

    def _write_keys(self):
        self.key("key")
        host_key = self.key("host_key")
        shutil.copy(os.path.join(self.folder, "key.pub"),
                    os.path.join(self.folder, "authorized_keys"))
        public = _file(host_key + ".pub").decode().split()
        with open(os.path.join(self.folder, "known_hosts"), "w", encoding="utf-8") as file:
            file.write(f"* {public[0]} {public[1]}\n")
        self.write_ssh_config("ssh_config")
        self._write("banner", self._options["banner"])
        self._write("resolv.conf", "")
        self._write("shadow", "root:*:19000:0:99999:7:::\nsshd:!:19000::::::\n")
        # Debian's way, one half of all trouble with names: the own name means 127.0.1.1.
        everyone = ["head"] + self.names
        for own in everyone:
            lines = ["127.0.0.1 localhost", f"127.0.1.1 {own}"]
            lines += [f"{self.address(name)} {name}" for name in everyone if name != own]
            self._write(f"hosts.{own}", "\n".join(lines) + "\n")
        accounts = _file("/etc/passwd").decode().splitlines()
        others = [line for line in accounts if not line.startswith("root:")]
        self._write("passwd", f"root:x:0:0:root:{HOME}:/bin/bash\n" + "\n".join(others) + "\n")

    def _write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def _enter_root(self, folder):
        """Lines with which a host goes over to another root. The repository and /tmp, where
        tests have their folders, stay what they are everywhere."""
        return ["mount -t tmpfs tmpfs /run", "mkdir /run/above /run/work /run/whole",
                f"mount -t overlay overlay -o lowerdir={folder},upperdir=/run/above,"
                "workdir=/run/work /run/whole",
                *(f"mkdir -p /run/whole{one}; mount --rbind {one} /run/whole{one}"
                  for one in self._shared),
                "mount -t proc proc /run/whole/proc", "mkdir /run/whole/.before",
                "pivot_root /run/whole /run/whole/.before", "cd /", "umount -l /.before"]

    def _init_script(self, name):
        mounts = self._enter_root(self._roots[name]) if name in self._roots else []
        mounts += [f"mount -t tmpfs tmpfs {folder}" for folder in ("/dev/shm", "/run", LOCAL)]
        # A copy, since a file that a bare system lacks, such as /etc/hosts, cannot be mounted over.
        files = {"hosts": f"hosts.{name}", "passwd": "passwd", "shadow": "shadow",
                 "resolv.conf": "resolv.conf"}
        mounts += ["cp -a /etc /run/etc"]
        mounts += [f"cp --remove-destination {self.folder}/{here} /run/etc/{there}"
                   for there, here in files.items()]
        mounts += ["mount --bind /run/etc /etc"]
        noise = "echo 'Welcome, this shell talks a lot'; echo 'so it does' >&2"
        lines = ["set -e", f"echo {name} > /proc/sys/kernel/hostname"] + mounts
        lines += [f"mkdir -m 755 /run/sshd {HOME}"]
        lines += [f'echo "{noise}" > {HOME}/.bashrc'] if self._noisy else []
        lines += [self._sshd(name) if name != "head" else "sleep infinity &"]
        lines += [f": > {self._made(name)}", "wait"]
        return "\n".join(lines)

    def _made(self, name):
        """The file that is there once a host's first process has done all but wait."""
        return os.path.join(self.folder, f"{name}.made")

    def _sshd(self, name):
        options = [f"HostKey={self.folder}/host_key",
                   f"AuthorizedKeysFile={self.folder}/authorized_keys", "UsePAM=no",
                   "StrictModes=no", "PermitRootLogin=prohibit-password", "UseDNS=no",
                   "PasswordAuthentication=no", "KbdInteractiveAuthentication=no", "PidFile=none",
                   f"MaxStartups={self._options['max_startups']}", "LogLevel=VERBOSE",
                   "PrintMotd=no"]
        options += [f"Banner={self.folder}/banner"] if self._options["banner"] else []
        words = " ".join(f"-o {option}" for option in options)
        return f"{SSHD} -D -e -f /dev/null {words} >> {self.folder}/{name}.log 2>&1 &"

    def _hold(self, name):
        with open(os.path.join(self.folder, f"{name}.init.log"), "wb") as log:
            self._holders[name] = subprocess.Popen(
                _ISOLATE + ["sh", "-c", self._init_script(name)], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, env=self.environment())

    def _find_init(self, name):
        own = _link(os.getpid(), "ns/pid")
        holder = self._holders[name].pid

        def init():
            children = [pid for pid in _children(holder) if _link(pid, "ns/pid") not in ("", own)]
            return children[0] if children else 0
        self._inits[name] = until(f"the first process of {name}", init)
        self._namespaces[name] = _link(self._inits[name], "ns/pid")
        # Not a folder that the host makes: this machine may have one of the same name.
        until(f"the mounts of {name}", lambda: os.path.exists(self._made(name)))

    def _wire(self, name):
        port = self._port(name)
        self._in_switch(f"link add {port} type veth peer name eth0 netns {self._inits[name]}\n"
                        f"link set {port} master br0 up")
        lines = ["link set lo up", f"addr add {self.address(name)}/24 dev eth0", "link set eth0 up"]
        if self._options["docker"]:  # the same address everywhere, as after installing Docker
            lines += ["link add docker0 type bridge", "addr add 172.17.0.1/16 dev docker0",
                      "link set docker0 up"]
        _ip(self._inits[name], "\n".join(lines))

    def _port(self, name):
        return f"p-{name}"

    def _in_switch(self, lines):
        _ip(self._switch.pid, lines)

    def _end_strangers(self):
        for name in list(self._namespaces):
            kill_all(self.strangers(name))


def _ip(pid, lines):
    """`ip -batch` inside a process's network namespace."""
    subprocess.run(["nsenter", "-t", str(pid), "-n", "ip", "-batch", "-"], input=lines + "\n",
                   text=True, check=True)


def _pids():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def _file(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _read(pid, entry):
    return _file(f"/proc/{pid}/{entry}")


def _link(pid, entry):
    try:
        return os.readlink(f"/proc/{pid}/{entry}")
    except OSError:
        return ""


def _stat(pid):
    """The fields of /proc/PID/stat behind the name: state, parent, ..."""
    return _read(pid, "stat").rpartition(b")")[2].split()


def _state(pid):
    fields = _stat(pid)
    return fields[0].decode() if fields else ""


def _parent(pid):
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def _children(pid):
    return [child for child in _pids() if _parent(child) == pid]


def _child_in(pid, namespace):
    """The child that nsenter made: in the host's pid namespace, already the program asked for."""
    for child in _children(pid):
        if _link(child, "ns/pid") == namespace and _read(child, "comm").strip() != b"nsenter":
            return child
    return 0


def main():
    parser = argparse.ArgumentParser(
        description="Makes hosts node1..nodeN with sshd; runs a program on one more, the head.",
        epilog="There: muster run --ssh-command \"$LAB_SSH\" -H node1:2,node2:2 hostname")
    parser.add_argument("nodes", type=int, nargs="?", default=2, help="how many hosts (2)")
    parser.add_argument("program", nargs="*", default=["bash", "--norc"], help="a shell by default")
    parser.add_argument("--docker", action="store_true", help="a docker0 interface on every host")
    parser.add_argument("--noise", action="store_true", help="login shells that talk")
    words = parser.parse_args()
    reason = why_not()
    if reason:
        raise SystemExit(f"no hosts can be made here: {reason}")
    with Lab(words.nodes, docker=words.docker, noisy_shell=words.noise) as lab:
        print(f"hosts {' '.join(lab.names)}; LAB_SSH is {lab.ssh_command!r}", file=sys.stderr)
        signal.signal(signal.SIGINT, lambda *_: None)  # meant for the program
        inside = lab.environment(LAB_SSH=lab.ssh_command, TERM=os.environ.get("TERM", "dumb"))
        code = subprocess.run(lab.command(words.program), env=inside, check=False).returncode
    raise SystemExit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()

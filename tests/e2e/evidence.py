"""What a failed test leaves behind for whoever reads its log: programs, records, logs, processes.

A test's cleanups remove all of it, so it is told at the moment of the failure, and it is bounded: a
log must stay readable when twenty tests fail for one reason.
"""

import array
import contextlib
import ctypes
import fcntl
import os
import sys
import termios

import lab as lab_module

LINES = 60    # of each file and each list: the last ones
WIDTH = 300   # of a line
WORDS = 120   # of a process's command line
RUNS = 6      # whose records are shown; earlier tests of a lab have left theirs
TOLD = 20     # of what a lab's hosts were told to run
LIBC = ctypes.CDLL(None)
PIDFD_GETFD = 438  # Python has no name for it; the number is that of all machines
ENTRIES = 20_000  # looked at when records are searched for; a copied Python has many more


def tell(case, why, file=None):
    """Prints all that is known about a test; `why` is the exception that ended it."""
    file = file or sys.stderr
    sections = (("programs that the test started", programs), ("what hosts were told to run", told),
                ("the test's folder", folder), ("records of runs", records),
                ("logs of hosts", host_logs), ("processes", processes))
    print(f"\n==== evidence of {case.id()}\n{type(why).__name__}: {clip(str(why))}", file=file)
    for title, lines_of in sections:
        print(f"---- {title}", file=file)
        try:
            for line in lines_of(case):
                print(clip(line), file=file)
        except Exception as error:  # whatever it is, the failure itself must be told
            print(f"cannot be told: {type(error).__name__}: {error}", file=file)
    print("==== end of the evidence", file=file, flush=True)


def clip(line):
    return line if len(line) <= WIDTH else f"{line[:WIDTH]} (and {len(line) - WIDTH} characters)"


def last(lines):
    """The last of these lines, and how many there were before them."""
    lines = list(lines)
    left_out = len(lines) - LINES
    return [f"({left_out} lines before)", *lines[-LINES:]] if left_out > 0 else lines


def indented(content):
    return ["    " + line for line in last(content.decode(errors="replace").splitlines())]


def programs(case):
    for one in case.running:
        code = one.popen.poll()
        state = "runs" if code is None else f"ended with {code}"
        yield f"pid {one.pid}, {state}: {' '.join(map(str, one.popen.args))}"
        for name, content in zip(("stdout", "stderr"), one.so_far()):
            if content:
                yield f"  {name} so far, {len(content)} bytes:"
                yield from indented(content)


def told(_):
    for lab in lab_module.Lab.living:
        yield f"lab {lab.folder}:"
        yield from (f"  {line}" for line in lab.told[-TOLD:])


def folder(case):
    """Names and sizes: how far the ranks have come, which often say so with a file."""
    found = []
    for path in files_below(case.folder):
        found.append(f"{os.path.relpath(path, case.folder)}  {os.lstat(path).st_size} bytes")
    return last(found)


def records(case):
    """The last events of each run, and what it reported; hosts may have homes of their own."""
    places = [case.folder]
    for lab in lab_module.Lab.living:
        places += [lab.path(name, inside) for name in lab.hosts()
                   for inside in (lab_module.HOME, lab_module.LOCAL)]
    events = [path for place in places for path in files_below(place)
              if os.path.basename(path) == "events.jsonl"]
    for path in sorted(events, key=os.path.getmtime)[-RUNS:]:
        run = os.path.dirname(path)
        yield f"{run}:"
        for name in ("events.jsonl", "muster.log", "report.txt"):
            content = lab_module._file(os.path.join(run, name))
            if content:
                yield f"  {name}, {len(content)} bytes:"
                yield from indented(content)


def files_below(place):
    seen = 0
    for where, folders, names in os.walk(place):
        folders.sort()
        for name in sorted(names):
            seen += 1
            if seen > ENTRIES:
                return
            yield os.path.join(where, name)


def host_logs(_):
    for lab in lab_module.Lab.living:
        dead = lab.dead_hosts()
        for name in lab.hosts():
            for log in (f"{name}.log", f"{name}.init.log"):
                content = lab_module._file(os.path.join(lab.folder, log))
                if content:
                    yield f"{log}, {len(content)} bytes:"
                    yield from indented(content)
        yield from (f"{name} has ended: {how}" for name, how in dead.items())


def processes(case):
    """A tree of what carries the test's mark or lives in a host of a lab."""
    hosts = {}
    for lab in lab_module.Lab.living:
        hosts.update({space: name for name, space in lab._namespaces.items()})
    found = {}
    for pid in lab_module._pids():
        host = hosts.get(lab_module._link(pid, "ns/pid"))
        words = lab_module._read(pid, "cmdline")
        marked = case.mark.encode() in words + lab_module._read(pid, "environ")
        if host or (marked and pid != os.getpid()):
            found[pid] = (lab_module._parent(pid), host or "-", words)
    return last(tree(found))


def tree(found):
    below = {}
    for pid, (parent, _, _) in sorted(found.items()):
        below.setdefault(parent if parent in found else 0, []).append(pid)
    lines = []

    def add(pid, depth):
        _, host, words = found[pid]
        text = " ".join(words.replace(bytes(1), b" ").decode(errors="replace").split())
        text = text if len(text) <= WORDS else text[:WORDS] + "..."
        lines.append(f"{'  ' * depth}{pid} {host} {facts(pid)}: {text}")
        for child in below.get(pid, []):
            add(child, depth + 1)
    for pid in below.get(0, []):
        add(pid, 0)
    return lines


def facts(pid):
    """Its name, its state, what it waits for in the kernel, and the time it has computed."""
    fields = lab_module._stat(pid)
    if len(fields) < 13:
        return "has gone"
    name = lab_module._read(pid, "comm").decode(errors="replace").strip()
    waits = lab_module._read(pid, "wchan").decode(errors="replace")
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return f"({name}) {fields[0].decode()} in {waits} after {used:.2f} s of computing{queues(pid)}"


def queues(pid):
    """What lies unread in its pipes and sockets, or unsent: it shows where a link is stuck."""
    texts = []
    with contextlib.suppress(OSError):
        process = os.pidfd_open(pid)
        for number in sorted(map(int, os.listdir(f"/proc/{pid}/fd"))):
            texts += queue(process, pid, number)
        os.close(process)
    return "; " + ", ".join(texts) if texts else ""


def queue(process, pid, number):
    kind = os.readlink(f"/proc/{pid}/fd/{number}").partition(":")[0]
    copy = LIBC.syscall(PIDFD_GETFD, process, number, 0) if kind in ("pipe", "socket") else -1
    texts = []
    if copy >= 0:
        for question, word in ((termios.FIONREAD, "unread"), (termios.TIOCOUTQ, "unsent")):
            count = array.array("i", [0])
            with contextlib.suppress(OSError):  # a pipe has nothing to send, a listener neither
                fcntl.ioctl(copy, question, count)
            texts += [f"{kind} {number} has {count[0]} bytes {word}"] * (count[0] > 0)
        os.close(copy)
    return texts

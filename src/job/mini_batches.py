"""Runs the entry script of a parallel job over mini-batches: one process of it in each rank.

Rank 0 deals the batches out and keeps the rows that come back; every rank, rank 0 too, asks it for
work. Needs nothing but Python's own library on the hosts, and RANK, WORLD_SIZE, MASTER_ADDR and
MASTER_PORT. The entry script has init() and run(batch), a list of file paths, and run() returns a
row for each item that went well. Both ends of a connection show that they know the job's secret
before anything is dealt out: others can connect to the port, too.
"""

import argparse
import collections
import hmac
import importlib.util
import json
import os
import secrets
import signal
import socket
import sys
import threading
import time
import traceback


class Deal:
    """Which batch goes to whom; what has failed; what has come back. Shared by threads."""

    def __init__(self, batches, told):
        self.told = told
        self.lock = threading.Condition()
        self.waiting = collections.deque((number, 0) for number in range(len(batches)))
        self.batches = batches
        self.out = 0  # batches that somebody has
        self.left = 0  # ranks that know that there is no more
        self.failed_items = 0
        self.failed_batches = 0
        self.rows = {}
        self.broken = ""

    def next(self):
        """A batch's number, how often it has been tried, and its files; None: there is no more."""
        with self.lock:
            while not self.waiting and self.out and not self.broken:
                self.lock.wait(1)
            if not self.waiting or self.broken:
                return None
            number, tries = self.waiting.popleft()
            self.out += 1
            return number, tries, self.batches[number]

    def done(self, number, tries, rows, error):
        """A batch has been run: `error` is empty, or why it failed as a whole."""
        with self.lock:
            self.out -= 1
            if error and tries < self.told.max_retries:
                self.waiting.append((number, tries + 1))
            elif error:
                self.failed_batches += 1
                self.failed_items += len(self.batches[number])
            else:
                self.rows[number] = rows
                self.failed_items += max(0, len(self.batches[number]) - len(rows))
            self.judge()
            self.lock.notify_all()

    def leave(self):
        with self.lock:
            self.left += 1
            self.lock.notify_all()

    def judge(self):
        """More failures than are allowed end the job; -1 allows any number."""
        for count, most, what in ((self.failed_items, self.told.error_threshold, "items"),
                                  (self.failed_batches, self.told.mini_batch_error_threshold,
                                   "mini-batches")):
            if 0 <= most < count and not self.broken:
                self.broken = f"{count} {what} have failed, and {most} may"


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- both ends know the secret: a challenge each way, which the other one signs ----

CHALLENGE = 32  # characters
SIGNED = 64


class Stranger(Exception):
    """Somebody who does not know the secret."""


def signed(secret, role, challenge):
    return hmac.new(secret, f"{role} {challenge}".encode(), "sha256").hexdigest()


def shows(said, secret, role, challenge):
    return hmac.compare_digest(said.strip().encode(), signed(secret, role, challenge).encode())


def admits(lines, secret):
    """Of rank 0: whether the other one is a rank of this job."""
    own = secrets.token_hex(CHALLENGE // 2)
    lines.write(own + "\n")
    lines.flush()
    said = lines.readline(SIGNED + 1)
    if not shows(said, secret, "rank", own):
        return False
    theirs = lines.readline(CHALLENGE + 1).strip()
    lines.write(signed(secret, "server", theirs) + "\n")
    lines.flush()
    return True


def introduce(lines, secret):
    """Of a rank: it may be a stranger that listens there."""
    theirs = lines.readline(CHALLENGE + 1).strip()
    own = secrets.token_hex(CHALLENGE // 2)
    lines.write(signed(secret, "rank", theirs) + "\n" + own + "\n")
    lines.flush()
    if not shows(lines.readline(SIGNED + 1), secret, "server", own):
        raise Stranger("what listens at the port of rank 0 is not rank 0")


# ---- rank 0: a line of JSON each way ----

def serve(deal, listener, secret):
    while True:
        try:
            peer, _ = listener.accept()
        except OSError:
            if listener.fileno() < 0:
                return
            time.sleep(0.05)  # too many are open: strangers go after a while
            continue
        threading.Thread(target=answer, args=(deal, peer, secret), daemon=True).start()


def answer(deal, peer, secret):
    try:
        with peer, peer.makefile("rw", encoding="utf-8") as lines:
            peer.settimeout(30)
            if not admits(lines, secret):
                return  # a stranger: nothing waits for it
            peer.settimeout(None)
            deal_to(deal, lines)
    except (OSError, ValueError):
        pass


def deal_to(deal, lines):
    held = None
    try:
        for line in lines:
            told = json.loads(line)
            if held is not None:
                deal.done(held[0], held[1], told["rows"], told["error"])
            held = deal.next()
            lines.write(json.dumps(held) + "\n")
            lines.flush()
            if held is None:
                return
    except (KeyError, TypeError):
        pass
    finally:
        if held is not None:  # its rank is gone
            deal.done(held[0], held[1], [], "the rank that had it has gone")
        deal.leave()


# ---- every rank: the entry script ----

def load(told):
    path = os.path.abspath(told.entry_script)
    sys.path.insert(0, os.path.dirname(path))
    sys.argv = [path, *told.arguments]
    spec = importlib.util.spec_from_file_location("entry", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["entry"] = module
    spec.loader.exec_module(module)
    if hasattr(module, "init"):
        module.init()
    return module


class TimedOut(BaseException):
    """Not an Exception: the script shall not take it for one of its own."""


def timed_out(*_):
    raise TimedOut("run() took longer than the timeout")


def run_batch(module, batch, timeout):
    """Rows as texts, and why it failed, or nothing."""
    if timeout > 0:
        signal.signal(signal.SIGALRM, timed_out)
        signal.setitimer(signal.ITIMER_REAL, timeout, 1)
    try:
        result = module.run(batch)
        return rows_of(result), ""
    except (Exception, TimedOut) as error:  # it is told, and the job may go on
        say(traceback.format_exc())
        return [], f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def rows_of(result):
    if result is None:
        return []
    if hasattr(result, "to_csv"):  # a DataFrame
        return result.to_csv(index=False, header=False, sep=" ").splitlines()
    return [str(row) for row in result]


def work(module, told, address, secret):
    end = time.monotonic() + 60
    while True:
        try:
            server = socket.create_connection(address, 10)
            break
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
    server.settimeout(60)
    with server, server.makefile("rw", encoding="utf-8") as lines:
        introduce(lines, secret)
        server.settimeout(None)
        report = {"rows": [], "error": ""}
        while True:
            lines.write(json.dumps(report) + "\n")
            lines.flush()
            held = json.loads(lines.readline() or "null")
            if held is None:
                return
            rows, error = run_batch(module, held[2], told.timeout)
            report = {"rows": rows, "error": error}


# ---- the whole ----

def files_of(path):
    if not os.path.exists(path):
        raise SystemExit(f"there is no {path}")
    if os.path.isfile(path):
        return [path]
    return [os.path.join(folder, name) for folder, folders, names in os.walk(path)
            for name in sorted(names) if not folders.sort()]


def batches_of(paths, size):
    """`size`: so many files, or whole files up to so many bytes ("10kb"), at least one."""
    files = [file for path in paths for file in files_of(path)]
    if size.isdigit():
        step = max(1, int(size))
        return [files[i:i + step] for i in range(0, len(files), step)]
    most = bytes_of(size)
    batches, room = [], 0
    for file in files:
        length = os.path.getsize(file)
        if not batches or length > room:
            batches.append([])
            room = most
        batches[-1].append(file)
        room -= length
    return batches


def bytes_of(size):
    units = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
    number = size.lower().rstrip("kmgb ")
    return int(float(number) * units[size.lower()[len(number):].strip() or "b"])


def told_of(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--entry-script", required=True)
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--mini-batch-size", default="1")
    parser.add_argument("--max-retries", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=0)
    parser.add_argument("--error-threshold", type=int, default=-1)
    parser.add_argument("--mini-batch-error-threshold", type=int, default=-1)
    parser.add_argument("--append-row-to", default="")
    parser.add_argument("arguments", nargs="*")
    return parser.parse_args(words)


def finish(deal, told):
    """Of rank 0, once all have been told that there is no more: the code of the job."""
    if told.append_row_to:
        path = told.append_row_to
        if os.path.isdir(path):
            path = os.path.join(path, "parallel_run_step.txt")
        with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
            for number in sorted(deal.rows):
                file.writelines(row + "\n" for row in deal.rows[number])
    say(f"{len(deal.rows)} of {len(deal.batches)} mini-batches completed, "
        f"{deal.failed_items} items failed")
    if deal.broken:
        say(deal.broken)
    return 1 if deal.broken else 0


def main():
    told = told_of(sys.argv[1:])
    secret = os.environ.pop("MUSTER_MINI_BATCHES_SECRET").encode()
    address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
    deal = listener = None
    if os.environ["RANK"] == "0":
        listener = socket.create_server(address, backlog=1024)  # others wait while files are listed
        deal = Deal(batches_of(told.input, told.mini_batch_size), told)
        threading.Thread(target=serve, args=(deal, listener, secret), daemon=True).start()
    try:
        work(load(told), told, address, secret)
    except Stranger as error:
        say(str(error))
        return 1
    except SystemExit as error:  # of the script: it has not done its part
        say(f"the entry script has ended its process with {error.code}")
        return 1
    if deal is None:
        return 0
    with deal.lock:
        while deal.left < int(os.environ["WORLD_SIZE"]):  # else late ones would find nobody
            deal.lock.wait(1)
    return finish(deal, told)


if __name__ == "__main__":
    sys.exit(main())

"""Runs the entry script of a parallel job over mini-batches: one process of it in each rank.

Rank 0 deals the batches out and keeps the rows that come back; every rank, rank 0 too, asks it for
work. The text of mini_batch_tables.py stands before this one. Needs nothing but Python's own
library on the hosts, and RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT; to read an MLTable file
PyYAML, and for its rows pandas. The entry script has init() and run(batch), a list of file paths or
a DataFrame, and run() returns a row for each item that went well; a second parameter is what is
known of the batch. Both ends of a connection show that they know the job's secret before anything
is dealt out: others can connect to the port, too.
"""

import argparse
import collections
import hmac
import importlib.util
import inspect
import json
import os
import re
import secrets
import signal
import socket
import sys
import threading
import time
import traceback


class Deal:
    """Which batch goes to whom; what has failed; what has come back. Shared by threads."""

    def __init__(self, batches, reader, told):
        self.told = told
        self.reader = reader  # None: a batch is a list of paths
        self.lock = threading.Condition()
        self.waiting = collections.deque((number, 0) for number in range(len(batches)))
        self.batches = batches
        self.out = 0  # batches that somebody has
        self.left = 0  # ranks that know that there is no more
        self.failed_items = 0
        self.failed_batches = 0
        self.error = ""  # of the first batch that failed
        self.rows = {}
        self.broken = ""

    def next(self):
        """A batch's number, how often it has been tried, what it holds, and how that is read;
        None: there is no more."""
        with self.lock:
            while not self.waiting and self.out and not self.broken:
                self.lock.wait(1)
            if not self.waiting or self.broken:
                return None
            number, tries = self.waiting.popleft()
            self.out += 1
            return number, tries, self.batches[number], self.reader

    def done(self, number, tries, report):
        """A batch has been run: its error is empty, or why it failed as a whole."""
        rows, error, items = report["rows"], report["error"], int(report["items"])
        with self.lock:
            self.out -= 1
            if error and tries < self.told.max_retries:
                self.waiting.append((number, tries + 1))
            elif error:
                self.error = self.error or error
                self.failed_batches += 1
                self.failed_items += items
            else:
                self.rows[number] = rows
                self.failed_items += max(0, items - len(rows))
            self.judge()
            self.lock.notify_all()

    def leave(self):
        with self.lock:
            self.left += 1
            self.lock.notify_all()

    def judge(self):
        """More failures than are allowed end the job; -1 allows any number."""
        for count, one, many, key in (
                (self.failed_items, "item", "items", "error_threshold"),
                (self.failed_batches, "mini-batch", "mini-batches", "mini_batch_error_threshold")):
            most = getattr(self.told, key)
            if most is not None and 0 <= most < count and not self.broken:
                self.broken = (f"{counted(count, one, many)} failed, and {key} allows "
                               f"{most or 'none'}; {self.why()}")

    def why(self):
        if not self.error:
            return "run() returned no row for them"
        return f"the first error: {' '.join(self.error.split())[:200]}"

    def all_failed(self):
        """Of a job that is over. Nobody wants that by default, but may say so: -1."""
        allowed = -1 in (self.told.error_threshold, self.told.mini_batch_error_threshold)
        return bool(self.batches) and self.failed_batches == len(self.batches) and not allowed

    def tolerated(self):
        """Failures that the thresholds allow, in one line; the pipeline's report repeats it."""
        found = []
        if self.failed_batches:
            said = self.told.mini_batch_error_threshold
            most = "-1 (the default)" if said is None else said
            many = counted(len(self.batches), "mini-batch", "mini-batches")
            found.append(f"{self.failed_batches} of {many} failed, within "
                         f"mini_batch_error_threshold: {most}")
        if self.failed_items and self.told.error_threshold is not None:
            found.append(f"{counted(self.failed_items, 'item', 'items')} failed, within "
                         f"error_threshold: {self.told.error_threshold}")
        return "; ".join([*found, self.why()]) if found else ""


def counted(count, one, many):
    return f"{count} {one if count == 1 else many}"


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
                deal.done(held[0], held[1], told)
            held = deal.next()
            lines.write(json.dumps(held) + "\n")
            lines.flush()
            if held is None:
                return
    except (KeyError, TypeError, ValueError):
        pass
    finally:
        if held is not None:  # its rank is gone
            deal.done(held[0], held[1], nothing_of(held[2], "the rank that had it has gone"))
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
    if not callable(getattr(module, "run", None)):
        raise AttributeError(f"{told.entry_script} has no function run(mini_batch)")
    return module


class TimedOut(BaseException):
    """Not an Exception: the script shall not take it for one of its own."""


def timed_out(*_):
    raise TimedOut("run() took longer than the timeout")


class BatchContext:
    """What a run() with a second parameter learns of its batch: as in Azure ML, whose name for
    that parameter is mini_batch_context."""

    def __init__(self, number):
        self.minibatch_index = number
        self.partition_key_value = None  # by the names of the partition keys


def takes_context(run):
    try:
        parameters = list(inspect.signature(run).parameters.values())
    except (TypeError, ValueError):  # not a function of Python
        return False
    second = parameters[1] if len(parameters) > 1 else None
    return second is not None and (second.name == "mini_batch_context" or (
        second.default is second.empty and second.kind <= second.POSITIONAL_OR_KEYWORD))


def nothing_of(items, error):
    return {"rows": [], "error": error, "items": len(items)}


def run_batch(module, held, timeout):
    """Rows as texts, why it failed, or nothing, and how many items it had."""
    number, _, batch, reader = held
    if timeout > 0:
        signal.signal(signal.SIGALRM, timed_out)
        signal.setitimer(signal.ITIMER_REAL, timeout, 1)
    try:
        context = BatchContext(number)
        if reader and reader["keys"]:
            batch = partition_of(batch, reader)
            context.partition_key_value = partition_value(batch, reader["keys"])
        elif reader:
            batch = frame_of(batch, reader)
        items = len(batch)  # the script may change it
        more = [context] if takes_context(module.run) else []
        return {"rows": rows_of(module.run(batch, *more)), "error": "", "items": items}
    except (Exception, TimedOut) as error:  # it is told, and the job may go on
        say(traceback.format_exc())
        return nothing_of(batch, f"{type(error).__name__}: {error}")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def rows_of(result):
    if result is None:
        return []
    if isinstance(result, (str, bytes)):
        raise TypeError("run() must return a list or a DataFrame, not text")
    if hasattr(result, "to_csv"):  # a DataFrame
        return records_of(result.to_csv(index=False, header=False, sep=" "))
    return [str(row) for row in result]


def records_of(text):
    """One for each row: a value within quotes may have several lines."""
    records, quotes = [], 0
    for line in text.split("\n")[:-1]:
        if quotes % 2:
            records[-1] += "\n" + line
        else:
            records.append(line)
        quotes += line.count('"')
    return records


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
        report = nothing_of([], "")
        while True:
            lines.write(json.dumps(report) + "\n")
            lines.flush()
            held = json.loads(lines.readline() or "null")
            if held is None:
                return
            report = run_batch(module, held, told.timeout)


# ---- the whole ----

def work_of(told):
    """The batches, how they are read, or None, and what the report shall say of that."""
    if not told.mltable:
        if told.partition_key:
            raise SystemExit("partition_keys needs rows: the input must be of type mltable")
        files = [file for path in told.input for file in files_of(path)]
        return batches_of(files, told), None, ""
    files, readers = [], []
    for folder in told.input:
        said, path = table_in(folder)
        files += listed_files(folder, said, path)
        readers.append(reader_of(said, path))
    reader, lack = readers[0], ""
    if told.partition_key and not reader:
        raise SystemExit("partition_keys needs rows, and MLTable does not say how they are read: "
                         f"name one of {', '.join(READERS)} among its transformations")
    if reader and importlib.util.find_spec("pandas") is None:
        if told.partition_key:
            raise SystemExit("partition_keys needs pandas on this host: pip install pandas")
        lack = (f"pandas is not installed on {socket.gethostname()}: run() was given paths of "
                "files instead of rows")
        reader = None
    if not reader:
        return batches_of(files, told), None, lack
    for what, said in reader["columns"]:
        for file in files if what == FROM_PATHS else []:
            values_in(file, said)  # told before anything starts
    most = bytes_of(told.mini_batch_size or "1mb")
    pieces = list(pieces_of(files, reader, most))
    reader["types"] = types_of(pieces, reader)
    reader["keys"] = told.partition_key
    if reader["keys"]:
        return partitions_of(pieces, reader), reader, ""
    return packed(pieces, [end - begin for _, begin, end, _ in pieces], most), reader, ""


def batches_of(files, told):
    """So many files each, or whole files up to so many bytes ("10kb"), at least one."""
    size = told.mini_batch_size or "1"
    if size.isdigit() and int(size) > 0:
        return [files[i:i + int(size)] for i in range(0, len(files), int(size))]
    return packed(files, [os.path.getsize(file) for file in files], bytes_of(size))


def packed(items, lengths, most):
    batches, room = [], 0
    for item, length in zip(items, lengths):
        if not batches or length > room:
            batches.append([])
            room = most
        batches[-1].append(item)
        room -= length
    return batches


def bytes_of(size):
    units = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?b|)", size.strip().lower())
    most = int(float(parts[1]) * units[parts[2]]) if parts else 0
    if most < 1:
        raise SystemExit(f"mini_batch_size must be a number of files, or of bytes such as 10kb, "
                         f"not {size!r}")
    return most


def told_of(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--entry-script", required=True)
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--mltable", action="store_true")
    parser.add_argument("--mini-batch-size", default="")
    parser.add_argument("--partition-key", action="append", default=[])
    parser.add_argument("--max-retries", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=0)
    parser.add_argument("--error-threshold", type=int)
    parser.add_argument("--mini-batch-error-threshold", type=int)
    parser.add_argument("--append-row-to", default="")
    parser.add_argument("arguments", nargs="*")
    told = parser.parse_args(words)
    take_options_of_azure(told)
    return told


# Options of Azure ML's own runner, which job files write among the script's arguments. The script
# gets them as well, as it does there. Source: the reference of the YAML of parallel jobs.
WITH_A_KEY = {"mini_batch_size": str, "append_row_to": str, "error_threshold": int,
              "mini_batch_error_threshold": int}
NO_EFFECT = ("task_overhead_timeout", "progress_update_timeout", "first_task_creation_timeout",
             "resource_monitor_interval", "copy_logs_to_parent")


def not_an_option(why):
    raise SystemExit(f"program_arguments: {why}")


def take_options_of_azure(told):
    """A key of the file wins over an argument that says the same."""
    parser = argparse.ArgumentParser(prog="program_arguments", add_help=False, allow_abbrev=False)
    for name, kind in WITH_A_KEY.items():
        parser.add_argument(f"--{name}", type=kind)
    parser.add_argument("--allowed_failed_count", type=int, default=-1)
    parser.add_argument("--allowed_failed_percent", type=float, default=-1)
    for name in NO_EFFECT:
        parser.add_argument(f"--{name}", nargs="?", const="")
    parser.error = not_an_option
    own, _ = parser.parse_known_args(told.arguments)
    for name in WITH_A_KEY:
        if getattr(told, name) in ("", None) and getattr(own, name) is not None:
            setattr(told, name, getattr(own, name))
    told.allowed_failed_count = own.allowed_failed_count
    told.allowed_failed_percent = own.allowed_failed_percent
    told.without_effect = [f"--{name}" for name in NO_EFFECT if getattr(own, name) is not None]


def settle_threshold(told, batches):
    """Of mini-batches that may fail, the lowest number that is said."""
    percent = told.allowed_failed_percent
    said = (told.mini_batch_error_threshold, told.allowed_failed_count,
            int(batches * percent / 100) if percent >= 0 else -1)
    limits = [most for most in said if most is not None and most >= 0]
    if limits:
        told.mini_batch_error_threshold = min(limits)


def record_error(text):
    """As torch's ranks do: the report tells it rather than what the last batch wrote."""
    path = os.environ.get("TORCHELASTIC_ERROR_FILE")
    if path:
        more = {"py_callstack": "", "timestamp": str(int(time.time()))}
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"message": {"message": text, "extraInfo": more}}, file)


def finish(deal, told):
    """Of rank 0, once all have been told that there is no more: the code of the job."""
    if told.append_row_to:
        path = told.append_row_to
        if os.path.isdir(path):
            path = os.path.join(path, "parallel_run_step.txt")
        with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
            for number in sorted(deal.rows):
                file.writelines(row + "\n" for row in deal.rows[number])
    say(f"{len(deal.rows)} of {counted(len(deal.batches), 'mini-batch', 'mini-batches')} "
        f"completed, {counted(deal.failed_items, 'item', 'items')} failed")
    if not deal.broken and deal.all_failed():
        deal.broken = ("every mini-batch failed; to accept that, write "
                       f"mini_batch_error_threshold: -1; {deal.why()}")
    if deal.broken:
        record_error(deal.broken)
    last = deal.broken or "; ".join(filter(None, (deal.tolerated(), told.lack)))
    if last:
        say(last)
    return 1 if deal.broken else 0


def main():
    told = told_of(sys.argv[1:])
    secret = os.environ.pop("MUSTER_MINI_BATCHES_SECRET").encode()
    address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
    deal = listener = None
    if os.environ["RANK"] == "0":
        listener = socket.create_server(address, backlog=1024)  # others wait while files are listed
        batches, reader, told.lack = work_of(told)
        if not batches:
            raise SystemExit("there is no data: " + (", ".join(told.input) or "no input_data"))
        settle_threshold(told, len(batches))
        if told.without_effect:
            say(f"{', '.join(told.without_effect)}: no effect here, only in Azure ML's runner")
        deal = Deal(batches, reader, told)
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

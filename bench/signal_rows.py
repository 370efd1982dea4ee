"""The rows of signals: from Ctrl-C until it is heard while a trial or a step writes without end,
and until a command has ended that reads, follows or looks through what is very large.
"""

import hashlib
import os
import signal
import statistics
import subprocess
import time

SWEEP = """type: sweep
trial: {command: "echo > began; exec yes loss=1"}
search_space: {x: {type: choice, values: [1]}}
sampling_algorithm: grid
objective: {goal: minimize, primary_metric: loss}
metrics_from: output
"""
PIPELINE = """type: pipeline
jobs: {endless: {type: command, command: "echo > began; exec yes"}}
"""


def heard_ms(muster, folder, text):
    job = os.path.join(folder, "endless.yml")
    with open(job, "w", encoding="ascii") as file:
        file.write(text.replace("> began", f"> {folder}/began"))
    environment = dict(os.environ, MUSTER_RECORDS=os.path.join(folder, "endless-records"))
    child = subprocess.Popen([muster, "submit", job], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, env=environment)
    while not os.path.exists(os.path.join(folder, "began")):
        time.sleep(0.01)
    time.sleep(0.5)  # of writing
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    heard = next((time.monotonic() for line in child.stderr if b"received SIGINT" in line), None)
    child.stderr.read()
    child.wait()
    os.remove(os.path.join(folder, "began"))
    subprocess.run([muster, "rm", "last"], stderr=subprocess.DEVNULL, env=environment, check=False)
    return 1000 * ((heard or float("inf")) - begin)


CODE = """muster: 1
code: huge
command: "true"
"""
HUGE = 16 << 30   # bytes of a hole: to be hashed, it is read as any other file
CONTENTS = 100_000


def make_contents(records):
    """A cache of files that no run needs, which gc looks through and removes."""
    for i in range(CONTENTS):
        name = hashlib.sha256(str(i).encode()).hexdigest()
        os.makedirs(os.path.join(records, ".blobs", name[:2]), exist_ok=True)
        with open(os.path.join(records, ".blobs", name[:2], name[2:]), "wb"):
            pass


def end_ms(words, after_s, environment, folder):
    """From Ctrl-C, so long after the start, to the end of a command; None: it had ended before."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env=environment, cwd=folder)
    time.sleep(after_s)
    if child.poll() is not None:
        return None
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    child.wait()
    return 1000 * (time.monotonic() - begin)


def in_ms(found):
    """The median of what end_ms() has found, as a figure."""
    return "had ended" if None in found else f"{statistics.median(found):.1f} ms"


def make_record(muster, environment):
    """The name of a run whose record has very many files."""
    subprocess.run([muster, "run", "-n", "1", "/bin/true"], check=True, env=environment)
    records = environment["MUSTER_RECORDS"]
    run = max(name for name in os.listdir(records) if not name.startswith("."))
    os.mkdir(os.path.join(records, run, "outputs"))
    for i in range(CONTENTS):
        with open(os.path.join(records, run, "outputs", str(i)), "wb"):
            pass
    return run


def removal_rows(bench, folder):
    """How long it takes, and what Ctrl-C waits for at some moments of it."""
    row = f"rm of a record with {CONTENTS:,} files"
    heard = f"{row}: from Ctrl-C to the end"
    if bench.only and bench.only not in heard:
        return
    environment = dict(os.environ, MUSTER_RECORDS=os.path.join(folder, "removed-records"),
                       MUSTER_RECORD="yes")
    run = make_record(bench.muster, environment)
    took_s = bench.timed([bench.muster, "rm", run], limit=300, env=environment,
                         stdout=subprocess.DEVNULL)
    if took_s is None:
        return bench.row(row, "fails")
    bench.row(row, f"{took_s:.2f} s")
    found = []
    for part in (0.05, 0.2, 0.4, 0.6, 0.8):
        words = [bench.muster, "rm", make_record(bench.muster, environment)]
        found.append(end_ms(words, part * took_s, environment, folder))
    worst = max((one for one in found if one is not None), default=None)
    bench.row(heard, in_ms([worst]) + f", the worst of {len(found) - found.count(None)}",
              "< 100 ms")


def large_rows(bench, folder):
    records = os.path.join(folder, "large-records")
    environment = dict(os.environ, MUSTER_RECORDS=records)
    os.makedirs(os.path.join(folder, "huge"))
    with open(os.path.join(folder, "huge", "data"), "wb") as file:
        file.truncate(HUGE)
    with open(os.path.join(folder, "huge.yml"), "w", encoding="ascii") as file:
        file.write(CODE)
    submit = [bench.muster, "submit", "huge.yml", "--fake-nodes", "2",
              "--snapshot-limit", "100GB"]
    follow = [bench.muster, "logs", "-f", "last"]
    endless = subprocess.Popen([bench.muster, "run", "-n", "1", "--logs", "kept", "sh", "-c",
                                "while :; do echo line; done"], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=dict(environment, MUSTER_RECORD="yes"))
    while subprocess.run([bench.muster, "show", "last"], env=environment, check=False,
                         capture_output=True).returncode:
        time.sleep(0.01)
    try:
        for what, words, after_s, make in (
                ("an endless output is followed", follow, 0.5, None),
                ("code of 16 GiB is hashed", submit, 0.5, None),
                (f"gc looks through {CONTENTS:,} files", [bench.muster, "gc"], 0.03,
                 make_contents)):
            found = []
            for _ in range(min(bench.pairs, 5)):
                if make:
                    make(records)
                found.append(end_ms(words, after_s, environment, folder))
            row = f"{what}: from Ctrl-C to the end"
            bench.row(row, in_ms(found), "< 100 ms")
    finally:
        endless.send_signal(signal.SIGINT)
        endless.wait()


def rows(bench, folder):
    removal_rows(bench, folder)
    if not bench.only or bench.only in "from Ctrl-C to the end":
        large_rows(bench, folder)
    for what, text in (("a trial", SWEEP), ("a step", PIPELINE)):
        row = f"{what} writes without end: from Ctrl-C until it is heard"
        if not bench.only or bench.only in row:
            found = [heard_ms(bench.muster, folder, text) for _ in range(min(bench.pairs, 5))]
            bench.row(row, f"{statistics.median(found):.1f} ms", "< 100 ms")

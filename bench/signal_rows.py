"""The rows of signals: from Ctrl-C until it is heard while a trial or a step writes without end."""

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


def rows(bench, folder):
    for what, text in (("a trial", SWEEP), ("a step", PIPELINE)):
        row = f"{what} writes without end: from Ctrl-C until it is heard"
        if not bench.only or bench.only in row:
            found = [heard_ms(bench.muster, folder, text) for _ in range(min(bench.pairs, 5))]
            bench.row(row, f"{statistics.median(found):.1f} ms", "< 100 ms")

"""The rows of job files: checking a long one, and what submitting one adds to a run."""

import os
import subprocess


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def rows(bench, folder):
    inputs = "".join(f"  input_{i}: {{type: number, default: {i}, min: 0}}\n" for i in range(1998))
    long_file = write(folder, "long.yml", "command: x\ninputs:\n" + inputs)
    bench.compare("validate 2,000 lines / version", [bench.muster, "validate", long_file],
                  [bench.muster, "version"], "< 50 ms", stdout=subprocess.DEVNULL)
    job = write(folder, "job.yml", "muster: 1\ncommand: [/bin/true]\n"
                "distribution: {type: mpi, process_count_per_node: 4}\n")
    bench.compare("submit 4 x true / run 4 x true", [bench.muster, "submit", job],
                  bench.run("-n", "4", "/bin/true"), "<= 15 ms above")

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
    steps = "".join(f"  s{i}: {{command: 'true'}}\n" for i in range(200))
    pipeline = write(folder, "pipeline.yml", "type: pipeline\njobs:\n" + steps)
    single = write(folder, "single.yml", "command: 'true'\n")
    records = dict(os.environ, MUSTER_RECORDS=os.path.join(folder, "records-of-steps"))
    many = f'for i in $(seq 200); do "{bench.muster}" submit "{single}" || exit 1; done'
    bench.compare("a pipeline of 200 steps, 8 at a time / 200 x submit",
                  [bench.muster, "submit", "-j", "8", pipeline], ["sh", "-c", many], "<= 1.5",
                  pairs=3, env=records, stdout=subprocess.DEVNULL)
    steps = "".join(f"  s{i}: {{command: 'true'}}\n" for i in range(10_000))
    huge = write(folder, "huge.yml", "type: pipeline\njobs:\n" + steps)
    bench.compare("explain 10,000 steps / version", [bench.muster, "explain", huge],
                  [bench.muster, "version"], "< 1 s", pairs=3, stdout=subprocess.DEVNULL)

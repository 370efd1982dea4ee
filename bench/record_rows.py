"""The rows of records: what keeping one adds to a run, and listing ten thousand of them."""

import json
import os
import subprocess

COUNT = 10_000


def made_up(folder, i):
    """A finished record, as far as muster ps looks at it."""
    run = f"20260101-{i // 3600 % 24:02}{i // 60 % 60:02}{i % 60:02}.{i // 86400:03}-run{i:05}"
    path = os.path.join(folder, run)
    os.makedirs(path)
    code = i % 5 == 0 and 3 or 0
    record = {"run": run, "name": "line", "experiment": f"lines-{i % 10}",
              "state": "failed" if code else "completed",
              "cause": "rank 1 on node1 exited with code 3 (pid 7)" if code else None,
              "exit_code": code, "created": "2026-01-01T00:00:00.000Z",
              "started": "2026-01-01T00:00:00.010Z", "ended": "2026-01-01T00:00:01.010Z",
              "seconds": 1.0, "folder": path, "hosts": ["node1", "node2"], "ranks": 8,
              "command": ["python3", "train.py", "--epochs", str(i)],
              "outputs": {"model": "/home/me/outputs/model"}, "streams": path + "/streams",
              "head": {"host": "node0", "pid": 4711, "boot": "x"}}
    with open(os.path.join(path, "report.json"), "w", encoding="utf-8") as file:
        json.dump(record, file)


def rows(bench, folder):
    environment = dict(os.environ, MUSTER_RECORDS=os.path.join(folder, "own-records"))
    for count in ("1", "64"):
        bench.compare(f"run {count} x true / the same --no-record", bench.run("-n", count, "true"),
                      bench.run("-n", count, "--no-record", "true"), "1", env=environment)
    if bench.only and bench.only not in "ps of 10,000 records":
        return
    records = os.path.join(folder, "many-records")
    for i in range(COUNT):
        made_up(records, i)
    environment["MUSTER_RECORDS"] = records
    for words in ([], ["--all"], ["--all", "--json"]):
        bench.compare(" ".join(["ps of 10,000 records", *words, "/ version"]),
                      [bench.muster, "ps", *words], [bench.muster, "version"], "< 50 ms",
                      stdout=subprocess.DEVNULL, env=environment)

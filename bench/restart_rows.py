"""The row of restarts: from the death of a rank to the first instruction of the new round."""

import os
import statistics
import subprocess

# Rank 1 notes the time and dies; in the next round rank 0 notes when it begins. `date` is a process
# of its own each time, which the figure contains.
SCRIPT = """if [ $MUSTER_RESTART_COUNT = 1 ]; then
  [ $RANK = 1 ] || date +%s%N > "$0/began"
elif [ $RANK = 1 ]; then
  date +%s%N > "$0/died"; exit 1
else
  exec sleep 60
fi"""


def moment(folder, name):
    with open(os.path.join(folder, name), encoding="ascii") as file:
        return int(file.read())


def latency_ms(muster, folder, ranks):
    subprocess.run([muster, "run", "--oversubscribe", "--max-restarts", "1", "-n", str(ranks), "sh",
                    "-c", SCRIPT, folder], check=True, stderr=subprocess.DEVNULL)
    return (moment(folder, "began") - moment(folder, "died")) / 1e6


def rows(bench, folder):
    for ranks in (2, 16):
        what = f"{ranks} ranks: from a rank's death to the next round"
        if bench.only and bench.only not in what:
            continue
        found = [latency_ms(bench.muster, folder, ranks) for _ in range(bench.pairs)]
        bench.row(what, f"{statistics.median(found):.1f} ms", "< 200 ms")

#!/usr/bin/env python3
"""Records what torchrun and torch.distributed.launch of PyTorch 1.13 give to their ranks.

e2e/test_torchrun.py holds muster to it. Needs Debian's python3-torch; each line takes seconds.
Usage: record_torchrun.py [PART]: all lines, or those that hold PART; then read the diff of
torchrun.json.
"""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent
ANSWERS = DATA / "torchrun.json"
PYTHON = "/usr/bin/python3"  # Debian's: the one that sees Debian's torch
COMMANDS = {"torchrun": ["torch.distributed.run"], "launch": ["torch.distributed.launch"]}

# What is known before: the rank's own environment is told apart from it.
BASE = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "KEPT": "yes"}

OF_SHELLS = ("_", "PWD", "SHLVL", "LC_CTYPE")

# A rank that writes its words and variables down.
SHOW = """import json, os, sys
with open(os.path.join(os.environ["DIR"], "rank." + os.environ["RANK"]), "w") as file:
    json.dump({"words": sys.orig_argv[1:], "env": dict(os.environ)}, file)
"""
SHOW_SH = """#!/bin/sh
exec python3 -c "import json, os, sys
with open(os.path.join(os.environ['DIR'], 'rank.' + os.environ['RANK']), 'w') as file:
    json.dump({'words': sys.argv[1:], 'env': dict(os.environ)}, file)" "$@"
"""

# A launcher, its words, and variables that are set for it.
LINES = [
    ("torchrun", "show.py", {}),
    ("torchrun", "--nproc_per_node 2 show.py", {}),
    ("torchrun", "--nproc_per_node=3 show.py --lr 0.1 --nproc_per_node 7", {}),
    ("torchrun", "--nproc 2 show.py", {}),
    ("torchrun", "--nproc_per_node 1 --nproc_per_node 2 show.py", {}),
    ("torchrun", "--nproc_per_node cpu show.py", {}),
    ("torchrun", "--nproc_per_node auto show.py", {}),
    ("torchrun", "--nproc_per_node 2 show.py", {"OMP_NUM_THREADS": "3"}),
    ("torchrun", "--nproc_per_node 2 show.py", {"MKL_NUM_THREADS": "3"}),
    ("torchrun", "--nproc_per_node 2 show.py", {"NCCL_ASYNC_ERROR_HANDLING": "0"}),
    ("torchrun", "--nnodes 1 --nproc_per_node 2 show.py", {}),
    ("torchrun", "--nnodes 1:1 --node_rank 0 --nproc_per_node 2 show.py", {}),
    ("torchrun", "--nproc_per_node 2 --master_addr localhost --master_port 29517 show.py", {}),
    ("torchrun", "--master_port=29518 show.py", {}),
    ("torchrun", "--rdzv_endpoint localhost:29519 show.py", {}),
    ("torchrun", "--standalone --nproc_per_node 2 show.py", {}),
    ("torchrun", "--standalone --nnodes 1 --rdzv_id 7 show.py", {}),
    ("torchrun", "--rdzv_backend c10d --rdzv_endpoint localhost:29520 --rdzv_id 99 "
                 "--nproc_per_node 2 show.py", {}),
    ("torchrun", "--rdzv_id job-7 --rdzv_conf timeout=60,join_timeout=70 show.py", {}),
    ("torchrun", "--max_restarts 3 --nproc_per_node 2 show.py", {}),
    ("torchrun", "--role trainer --nproc_per_node 2 show.py", {}),
    ("torchrun", "--start_method spawn show.py", {}),
    ("torchrun", "-m show a b", {}),
    ("torchrun", "--nproc_per_node 2 --no_python ./show.sh one 'two words'", {}),
    ("torchrun", "--nproc_per_node 2 show.py '${local_rank}' '$local_rank.log' '$$x' '${RANK}'",
     {}),
    ("torchrun", "show.py", {"PET_NPROC_PER_NODE": "2", "PET_ROLE": "ps"}),
    ("torchrun", "--nproc_per_node 1 show.py", {"PET_NPROC_PER_NODE": "2", "PET_RDZV_ID": "x"}),
    ("torchrun", "show", {"PET_MODULE": "1", "PET_MAX_RESTARTS": "2"}),
    ("torchrun", "./show.sh", {"PET_NO_PYTHON": "1", "PET_STANDALONE": "0"}),
    ("launch", "--nproc_per_node 2 show.py --epochs 2", {}),
    ("launch", "--nproc_per_node 2 --use_env show.py --epochs 2", {}),
    ("launch", "--nproc_per_node=2 --nnodes=1 --node_rank=0 --master_addr=127.0.0.1 "
               "--master_port=1234 -m show", {}),
    ("launch", "--use_env --no_python ./show.sh x", {}),
]


def folder_of_programs(folder):
    """show.py and show.sh in a folder."""
    for name, text, mode in (("show.py", SHOW, 0o644), ("show.sh", SHOW_SH, 0o755)):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)


def environment(folder, more):
    return {**BASE, "HOME": folder, "DIR": folder, "TMPDIR": folder, **more}


def ranks(folder):
    """What each rank wrote down, in the order of ranks."""
    names = sorted((name for name in os.listdir(folder) if name.startswith("rank.")),
                   key=lambda name: int(name[5:]))
    found = []
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found.append(json.load(file))
    return found


def answer(launcher, line, more):
    """The ranks of one line under the real launcher: words, and variables beyond those given."""
    # Redirecting works around a crash of Debian's 1.13 on Python 3.11; polling every 5 s is slow.
    quick = ["-r", "1", "-t", "1", "--monitor_interval", "0.1"]
    with tempfile.TemporaryDirectory() as folder:
        folder_of_programs(folder)
        given = environment(folder, more)
        subprocess.run([PYTHON, "-m", *COMMANDS[launcher], *quick, *shlex.split(line)],
                       cwd=folder, env=given, stdin=subprocess.DEVNULL, capture_output=True,
                       timeout=600, check=True)
        found = ranks(folder)
    for rank in found:
        rank["env"] = {name: value for name, value in sorted(rank["env"].items())
                       if given.get(name) != value and name not in OF_SHELLS}
        rank["env"]["TORCHELASTIC_ERROR_FILE"] = "a path"
    return found


def main():
    part = " ".join(sys.argv[1:])
    known = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else []
    answers = []
    for launcher, line, more in LINES:
        like = {"launcher": launcher, "line": line, "given": more}
        old = [one for one in known if all(one[key] == like[key] for key in like)]
        if old and (part not in line or not part):
            answers.append(old[0])
            continue
        print(launcher, line, more, flush=True)
        answers.append({**like, "ranks": answer(launcher, line, more)})
        ANSWERS.write_text(json.dumps(answers + known[len(answers):], indent=1) + "\n")
    ANSWERS.write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()

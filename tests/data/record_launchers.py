#!/usr/bin/env python3
"""Records how Open MPI 4.1 and Hydra themselves map and bind, for golden/launchers.cpp to compare.

Both plan for the machines in topologies/ when hwloc is told to read those. Needs Debian's
openmpi-bin and mpich. Usage: record_launchers.py; then read the diff of launchers/*.txt.
"""

import itertools
import os
import pathlib
import re
import subprocess

DATA = pathlib.Path(__file__).resolve().parent
TOPOLOGIES = ["two_sockets", "one_core", "many_l3", "four_numa", "no_cpu_numa", "restricted"]

# Rules in which Open MPI 4.1.4 is not what its documentation says are left out: ranking by objects
# after a spanning map, and --cpu-set.
OPEN_MPI = [
    "-H a:4,b:4 -np 6",
    "-H a:4,b:4 -np 6 --map-by node --bind-to core",
    "-H a:2,b:4,c:2 -np 7 --map-by node --bind-to none",
    "-H a:2,b:4,c:2 -np 13 --map-by slot --bind-to none --oversubscribe",
    "-H a:2,b:4,c:2 -np 13 --map-by node --bind-to none --oversubscribe",
    "-H a:2,b:4,c:2 -np 13 --map-by socket --bind-to none --oversubscribe",
    "-H a:2,b:4,c:2 -np 13 --map-by socket:span --rank-by slot --bind-to none --oversubscribe",
    "-H a:2,b:4,c:8 -np 12 --map-by core:span --rank-by slot --bind-to none",
    "-H a:8,b:8 -np 10 --map-by socket --bind-to core",
    "-H a:8,b:8 -np 10 --map-by socket --bind-to core:overload-allowed",
    "-H a:8,b:8 -np 10 --map-by core --bind-to socket",
    "-H a:8,b:8 -np 10 --map-by core --bind-to core:overload-allowed",
    "-H a:16 -np 9 --map-by core --bind-to core",
    "-H a:16 -np 9 --map-by socket --bind-to socket",
    "-H a:4,b:4 -np 6 --map-by numa --bind-to numa",
    "-H a:4,b:4 -np 6 --map-by numa --bind-to core",
    "-H a:4,b:4 -np 6 --map-by numa --rank-by slot --bind-to hwthread",
    "-H a:16 -np 9 --map-by slot --bind-to hwthread",
    "-H a:16 -np 5 --map-by hwthread --bind-to hwthread",
    "-H a:6 -np 3 --map-by l3cache --bind-to l3cache",
    "-H a:20 -np 20 --map-by l3cache --bind-to core",
    "-H a:8,b:8 -np 12 --map-by socket --rank-by core --bind-to core:overload-allowed",
    "-H a:4,b:4,c:4 -np 10 --map-by socket --rank-by socket:fill --bind-to socket",
    "-H a:4,b:4 -np 8 --map-by slot --rank-by node --bind-to none",
    "-H a:4,b:4 -np 6 --map-by node --rank-by slot --bind-to none",
    "-H a:8,b:8 -np 3 --map-by node:PE=2",
    "-H a:8 -np 2 --map-by slot:PE=3",
    "-H a:8 -np 4 --map-by socket:PE=2",
    "-H a:8 -np 2 --map-by socket:PE=3 --bind-to none",
    "-H a:8 -np 2 --map-by core:PE=2",
    "-H a:8 -np 2 --map-by slot:PE=2 --bind-to socket",
    "-H a:16,b:16 --map-by ppr:2:socket --bind-to core:overload-allowed",
    "-H a:16,b:16 --map-by ppr:2:socket --bind-to socket:overload-allowed",
    "-H a:16,b:16 -np 3 --map-by ppr:2:node --bind-to none",
    "-H a:16,b:16 -np 5 --map-by ppr:2:node --bind-to none",
    "-H a:1,b:8 --map-by ppr:2:node --bind-to none",
    "-H a:2,b:2 -np 5 --map-by slot --bind-to none",
]

HYDRA = [
    "-n 18 -bind-to core",
    "-n 18 -bind-to socket",
    "-n 18 -bind-to core -map-by socket",
    "-n 10 -bind-to core:2",
    "-n 18 -bind-to core:3",
    "-n 18 -bind-to core:3 -map-by socket",
    "-n 18 -bind-to socket -map-by core",
    "-n 18 -bind-to hwthread -map-by core",
    "-n 18 -bind-to hwthread:2 -map-by socket",
    "-n 4 -bind-to machine",
    "-n 18 -bind-to rr",
    "-n 6 -bind-to numa",
    "-n 18 -bind-to core:2 -map-by numa:2",
    "-n 18 -bind-to core -map-by core:3",
    "-n 9 -bind-to core:5 -map-by socket",
    "-n 9 -bind-to l3cache -map-by hwthread:3",
]

# Those that say a number of ranks for each socket, or which objects to deal out to, and with which
# others they stand in either order. "a" and "b" have eight slots each.
ON_SOCKETS = ["-npersocket 1", "-npersocket 2", "-ppr 1:socket", "--map-by socket", "--map-by core",
              "--map-by ppr:1:socket", "-mca rmaps_base_mapping_policy socket"]
BESIDE = ["-N 1", "-N 2", "-npernode 2", "-pernode", "-ppr 2:node", "--map-by slot",
          "--map-by node", "--byslot", "--bynode", "-mca rmaps_base_mapping_policy slot",
          "-mca rmaps_base_mapping_policy node"]
# Three together, in all orders.
THREES = [("-npersocket 1", "-N 2", "--map-by slot"),
          ("-npersocket 1", "-pernode", "--map-by node"),
          ("-npersocket 2", "-ppr 2:node", "--byslot"),
          ("-npersocket 1", "-npernode 2", "--bynode"),
          ("-npersocket 2", "--map-by socket", "-mca rmaps_base_mapping_policy slot")]


def ran(topology, words, **more):
    environment = {**os.environ, "HWLOC_XMLFILE": str(DATA / "topologies" / f"{topology}.xml"),
                   **more}
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=30, check=False)
    return done.stdout


def open_mpi(topology, case):
    """One "RANK HOST BINDING" for each rank; HOST is the letter in the case, or an error."""
    hosts = re.search(r"-H (\S+)", case)[1]
    # The first host is this machine; with --novm the others have its topology.
    mine = re.sub(r"^a\b", "localhost", hosts)
    words = ["mpirun.openmpi", "--allow-run-as-root", "--do-not-launch", "--display-map", "--novm",
             *case.replace(hosts, mine).split(), "true"]
    ranks, host = {}, -1
    for line in ran(topology, words, HWLOC_THISSYSTEM="1").splitlines():
        if "Data for node:" in line:
            name = line.split()[3]
            host = name if len(name) == 1 else "a"
        found = re.search(r"Process rank: (\d+) Bound: (.*)", line)
        if found:
            ranks[int(found[1])] = f"{host} {found[2]}"
    return [f"{rank} {ranks[rank]}" for rank in sorted(ranks)] or ["error"]


def orders():
    """Options of placement, alone and together, in every order."""
    together = [(one,) for one in ON_SOCKETS]
    for one in ON_SOCKETS:
        for other in dict.fromkeys(BESIDE + ON_SOCKETS):
            together += [(one, other), (other, one)] if one != other else []
    for three in THREES:
        together += itertools.permutations(three)
    return list(dict.fromkeys(" ".join(one) for one in together))


def record_orders(name):
    """Lines "TOPOLOGY WORDS: HOST HOST ...", a host for each rank."""
    with open(DATA / "launchers" / f"{name}.txt", "w", encoding="ascii") as file:
        for topology in ("two_sockets", "four_numa"):
            for ranks, words in itertools.product((3, 4), orders()):
                lines = open_mpi(topology, f"-H a:8,b:8 -np {ranks} {words} --bind-to none")
                hosts = [line.split()[1] for line in lines] if lines != ["error"] else lines
                file.write(f"{topology} -np {ranks} {words}: {' '.join(hosts)}\n")


def hydra(topology, case):
    """One "RANK BITS" for each rank, the first bit for the first hardware thread."""
    text = ran(topology, ["mpiexec.hydra", *case.split(), "true"], HWLOC_THISSYSTEM="0",
               HYDRA_TOPO_DEBUG="1")
    ranks = sorted((int(m[1]), m[2]) for m in re.finditer(r"process (\d+) binding: (\d+)", text))
    return [f"{rank} {bits}" for rank, bits in ranks] or ["error"]


def record(name, cases, recorder):
    with open(DATA / "launchers" / f"{name}.txt", "w", encoding="ascii") as file:
        for topology in TOPOLOGIES:
            for case in cases:
                lines = recorder(topology, case)
                file.write(f"case {topology} {case}\n" + "".join(f"{line}\n" for line in lines))


record("open_mpi", OPEN_MPI, open_mpi)
record("hydra", HYDRA, hydra)
record_orders("open_mpi_per_socket")

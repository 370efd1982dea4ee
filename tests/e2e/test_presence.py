"""Which variables ranks find, by front end and layout: frameworks ask whether some are there.

tests/frameworks/presence.table has a line for each variable that muster sets:

    NAME | ways of starting ranks in which it is there | which programs read it

A way is two letters: `+` where two ranks share a node, then where each node has one; `-` where it
is missing. UPDATE_GOLDEN=1 writes the middle; the right is kept, and is written by hand for a new
variable: who reads it, and what its presence alone means to them.
"""

# rooms: front plan job host

import os
import re

from support import MUSTER, ROOT, Case, run_tests
from test_detection import SSH

TABLE = os.path.join(ROOT, "tests", "frameworks", "presence.table")
LAYOUTS = (2, 1)  # ranks on each of two nodes
# With {each} and {all} ranks.
FRONTS = {
    "run": "run -n {all} -H n1:{each},n2:{each}",
    "mpirun": "mpirun -np {all} -H n1:{each},n2:{each}",
    "mpiexec.hydra": "mpiexec.hydra -n {all} -hosts n1:{each},n2:{each}",
    "torchrun": "torchrun --nproc_per_node {each} -H n1,n2 --no_python",
    "torch.distributed.launch":
        "launch --nproc_per_node {each} -H n1,n2 --use_env --no_python",
    # Through gloo, ranks of several hosts need an address that other hosts can see.
    "horovodrun": "horovodrun --mpi -np {all} -H n1:{each},n2:{each}",
    "deepspeed": "deepspeed --hostfile hosts{each} --no_python --no_local_rank",
    # Like all that runs on this machine, its ranks see the record.
    "run on simulated nodes": "run -n {all} --per-node {each} --fake-nodes 2",
}
JOBS = {
    "job without distribution": "",
    "job of mpi": "{{type: mpi, process_count_per_instance: {each}}}",
    "job of pytorch": "{{type: pytorch, process_count_per_instance: {each}}}",
    "job of tensorflow": "{{type: tensorflow, worker_count: {all}}}",
}
WAYS = [*FRONTS, *JOBS]
# One line for variables that a library makes, or the machine's size decides on.
FAMILIES = re.compile(r"^(PMIX_|OMPI_MCA_|MPIR_CVAR_)")
KEEP = 'env -0 > "$DIR/env.$RANK"'


class Presence(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.write("bin/ssh", SSH, 0o755)
        for each in LAYOUTS:
            self.write(f"hosts{each}", f"n1 slots={each}\nn2 slots={each}\n")
        self.own = {"PATH": f"{self.path('bin')}:/usr/bin:/bin", "HOME": self.path(),
                    "DIR": self.path(), "MUSTER_RECORDS": self.path("records")}

    def words_of(self, way, each):
        numbers = {"each": each, "all": 2 * each}
        if way in FRONTS:
            return [*FRONTS[way].format(**numbers).split(), "sh", "-c", KEEP]
        text = f"command: '{KEEP}'\n"
        if JOBS[way]:
            text += (f"distribution: {JOBS[way].format(**numbers)}\n"
                     "resources: {instance_count: 2}\n")
        # Without that, it depends on whether muster's Python package lies beside the program.
        return ["submit", self.write("job.yml", text), "--fake-nodes", "2", "--python-path", "."]

    def names(self, way, each):
        """What rank 0 has and its user's shell has not."""
        self.succeeds(*self.words_of(way, each), command=(MUSTER,), env=self.own)
        entries = self.read("env.0").split(b"\0")[:-1]
        names = {entry.partition(b"=")[0].decode() for entry in entries}
        # A shell's own, and this run's.
        names -= {*self.own, "PWD", "OLDPWD", "SHLVL", "_"}
        return {FAMILIES.match(name)[0] + "*" if FAMILIES.match(name) else name for name in names}

    def test_every_variable_has_its_readers(self):
        there = {(way, each): self.names(way, each) for way in WAYS for each in LAYOUTS}
        readers = {}
        if os.path.exists(TABLE):
            with open(TABLE, encoding="utf-8") as file:
                rows = [line.rstrip("\n").split(" | ") for line in file if " | " in line]
            readers = {row[0]: row[2] for row in rows[1:]}
        lines = [f"# {number} {way}" for number, way in enumerate(WAYS, 1)]
        heads = " ".join(f"{number:2}" for number in range(1, len(WAYS) + 1))
        lines.append(f"variable | {heads} | who reads it")
        for name in sorted(set().union(*there.values())):
            marks = " ".join("".join("+" if name in there[way, each] else "-" for each in LAYOUTS)
                             for way in WAYS)
            lines.append(f"{name} | {marks} | {readers.get(name, '')}")
        self.assert_golden(TABLE, lines)
        nobody = [name for name, text in readers.items() if not text]
        self.assertEqual(nobody, [], "say in the table who reads these")


if __name__ == "__main__":
    run_tests()

"""torchrun of torch 2.6 and ours, on a host that runs Debian 13: exit codes of lines with mistakes,
and what is printed with prefixes of one's own.
"""

# rooms: front view
# needs: debian13
# busy

import json
import unittest

from support import MUSTER, LabCase, run_tests
from test_debian13 import DEBIAN13, REASON, SECONDS

# Reads lines of torchrun, and how the environment differs, as JSON; answers with the code and the
# output. Each runs in a fork, so that torch is imported once. It asks for libuv, whatever USE_LIBUV
# says, which Debian's torch lacks.
THEIRS = '''
import functools, json, os, sys, traceback
import torch.distributed as dist
dist.TCPStore = functools.partial(dist.TCPStore, use_libuv=False)
from torch.distributed import run

def child(words, variables, files):
    for number, file in zip((1, 2), files):
        os.dup2(file, number)
    os.environ.update(variables)
    try:
        run.main(words)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0

for line in sys.stdin:
    files = [os.memfd_create("") for _ in (1, 2)]
    pid = os.fork()
    if pid == 0:
        code = child(*json.loads(line), files)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    texts = [os.pread(file, 1 << 20, 0).decode(errors="replace") for file in files]
    print(json.dumps([code, *texts]), flush=True)
'''
SCRIPT = """
import os, sys
print('out', os.environ['RANK'])
print('err', os.environ['RANK'], file=sys.stderr)
"""
TWO = ["--nproc-per-node", "2"]

TEMPLATES = ["[${role_name} ${rank} ${local_rank}] ", "$role_name-$rank-$local_rank: ", "$rank",
             "${nothing}x", "$$x ${rank", "$rank$", "$Rank ", "$ {rank}", ""]
# Lines whose codes, and the ranks' output, are compared; "S" is the script.
LINES = [
    [*TWO, "S"], [*TWO, "-t", "3", "S"], [*TWO, "-t", "1", "-r", "2", "S"],
    [*TWO, "-t", "0:1,1:3", "S"], [*TWO, "-r", "0:3,", "S"], [*TWO, "-r", "0:3", "S"],
    [*TWO, "-r", "4", "S"], [*TWO, "-r", "", "S"], [*TWO, "-r", "10:3", "S"],
    [*TWO, "-t", "0:4", "S"], [*TWO, "-t", "x", "S"], [*TWO, "-r", "0:3,1:2,0:0", "S"],
    ["--nproc-per-node", "xpu", "S"], ["--nproc-per-node", "gpu", "S"],
    ["--nproc-per-node", "cpu", "S"], ["--nproc-per-node", "auto", "S"],
    ["--nproc-per-node", "many", "S"], ["--nproc-per-node", "0", "S"],
    ["--nproc-per-node", "-1", "S"], ["--nproc-per-node", "", "S"], ["--nproc", "1", "S"],
    ["--nproc-per-node", "2.0", "S"], ["--nnodes", "0", "S"], ["--nnodes", "2:1", "S"],
    ["--nnodes", "1:2:3", "S"], ["--nnodes", "x", "S"], ["--nnodes", "1:1", "S"],
    ["--logs-specs", "mine", "S"], ["--logs-specs", "default", "S"], ["--logs-specs", "", "S"],
    [*TWO, "--local-ranks-filter", "x", "S"], [*TWO, "--local-ranks-filter", "0", "-t", "3", "S"],
    [*TWO, "--local-ranks-filter", "", "-t", "3", "S"], [*TWO, "--local-ranks-filter", "0,", "S"],
    [*TWO, "--local-ranks-filter", "7", "-t", "3", "S"], ["--max-restarts", "-1", "S"],
    ["--max-restarts", "x", "S"], ["--no-such", "S"], [], ["--node-rank", "x", "S"],
    ["--rdzv-conf", "x", "S"], ["--rdzv-conf", "x=1", "S"], ["--rdzv-backend", "none", "S"],
    ["--monitor-interval", "x", "S"], ["--start-method", "none", "S"], ["--no-python", "-m", "x"],
    ["--rdzv-endpoint", "node1:x", "S"], ["--master-port", "x", "S"],
    [*TWO, "--role", "trainer", "-t", "3", "S"], [*TWO, "--standalone", "S"],
    ["--log-dir", "S", "-r", "3", "S"], ["--log-dir", "S", "S"],
]
# A line that torchrun takes otherwise, and why we do not follow.
ON_PURPOSE = {
    ("-r", "10:3"): "torchrun knows ten local ranks; there may be more",
    ("--nproc", "1"): "one option has two spellings, which is not two options",
    ("--log-dir", "S", "S"): "nothing is written to the folder",
    ("--log-dir", "S", "-r"): "what cannot be written has a code of its own, 241",
}


@unittest.skipIf(REASON, REASON)
class Torchrun(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(0, roots={"head": DEBIAN13})

    def environment(self, **more):
        return super().environment(OMP_NUM_THREADS="1", **more)

    def theirs(self, lines):
        """[code, stdout, stderr] of each."""
        code, out, err = self.lab.run(
            ["/usr/bin/python3", "-c", THEIRS], env=self.environment(USE_LIBUV="0"),
            cwd=self.folder, stdin="".join(json.dumps(line) + "\n" for line in lines).encode(),
            seconds=SECONDS)
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual((code, len(answers)), (0, len(lines)), err)
        return answers

    def ours(self, words, variables):
        code, out, err = self.lab.run([MUSTER, "torchrun", *words], cwd=self.folder,
                                      env=self.environment(**variables))
        return code, out.decode(), err.decode()

    def compare(self, lines):
        """Complaints."""
        script = self.write("script.py", SCRIPT)
        lines = [([script if word == "S" else word for word in words], variables)
                 for words, variables in lines]
        complaints = []
        for (words, variables), (code, out, err) in zip(lines, self.theirs(lines), strict=True):
            own_code, own_out, own_err = self.ours(words, variables)
            same = code == own_code and self.said(out) == self.said(own_out)
            if code == 0:
                same = same and self.said(err) == self.said(own_err)
            text = " ".join("S" if word == script else word for word in words)
            if same == any(" ".join(line) in text for line in ON_PURPOSE):
                complaints.append(f"{text} {variables}: {code} {out!r} {err[-300:]!r}\n"
                                  f"  ours: {own_code} {own_out!r} {own_err!r}")
        return complaints

    @staticmethod
    def said(text):
        """What the script printed, with prefixes, whichever rank came first."""
        return sorted(line for line in text.splitlines() if line[-5:-1] in ("out ", "err "))

    def test_the_same_codes_and_output(self):
        complaints = self.compare([(words, {}) for words in LINES])
        self.assertEqual(complaints, [], "\n" + "\n".join(complaints))

    def test_the_same_prefixes(self):
        name = "TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE"
        complaints = self.compare([([*TWO, "-t", "3", "S"], {name: words}) for words in TEMPLATES])
        self.assertEqual(complaints, [], "\n" + "\n".join(complaints))


if __name__ == "__main__":
    run_tests()

"""MPI_Comm_spawn with anything that a rank may say, and while the job or a host of it dies.

The ranks speak PMI-1 themselves, as Debian's MPICH does not spawn.
"""

# rooms: machine pmi head host view
# attacks

import json
import os
import signal
import unittest

from support import LOST, PYTHON, Case, LabCase, lab_or_skip, run_tests

REASON = lab_or_skip()

# Sends each text of a file, and prints the answer; spawned ranks print who they are.
CLIENT = r"""
import json, os, socket, sys
link = socket.socket(fileno=int(os.environ["PMI_FD"]))
reader = link.makefile("r", newline="\n")

def ask(text):
    try:
        link.sendall(text.encode())
        return reader.readline().strip() or sys.exit()
    except OSError:
        sys.exit()  # muster has closed it

ask("cmd=init pmi_version=1 pmi_subversion=1\n")
if os.environ.get("PMI_SPAWNED"):
    print("child", os.environ["PMI_RANK"], "of", os.environ["PMI_SIZE"], flush=True)
else:
    with open(sys.argv[1]) as file:
        for number, text in enumerate(json.load(file)):
            print(number, ask(text), flush=True)
ask("cmd=finalize\n")
"""

STARTED, REFUSED = "cmd=spawn_result rc=0", "cmd=spawn_result rc=-1 msg=the_spawn_was_refused"


def counted(name, pairs, count):
    lines = "".join(f"{name}_key_{number}={key}\n{name}_val_{number}={value}\n"
                    for number, (key, value) in enumerate(pairs))
    return f"{name}_num={len(pairs) if count is None else count}\n{lines}"


class Spawning(Case):
    def setUp(self):
        super().setUp()
        self.client = self.write("client.py", CLIENT)

    def body(self, count=1, program=PYTHON, totspawns=1, so_far=1, argcnt=1, info=(),
             info_num=None, preput=(), preput_num=None):
        """One command of a spawn, as a client sends it."""
        return (f"mcmd=spawn\nnprocs={count}\nexecname={program}\ntotspawns={totspawns}\n"
                f"spawnssofar={so_far}\nargcnt={argcnt}\narg1={self.client}\n"
                f"{counted('preput', preput, preput_num)}"
                f"{counted('info', info, info_num)}endcmd\n")

    def until_done(self, job, count):
        """Until a rank has said that so many of its spawns were done, and sends the next."""
        line = job.line()
        while not line.startswith(f"{count} ".encode()):
            self.assertTrue(line, "the job has ended")
            line = job.line()

    def said(self, bodies):
        file = self.write("bodies.json", json.dumps(bodies))
        return self.muster("--oversubscribe", "-n", "1", PYTHON, self.client, file)


class OddSpawns(Spawning):
    def test_what_cannot_be_had_is_refused_and_the_parent_goes_on(self):
        owned = self.path("owned")
        odd = {
            "-oProxyCommand=touch is not": {"info": [("host", f"-oProxyCommand=touch {owned}")]},
            "a;touch is not": {"info": [("host", f"a;touch {owned}")]},
            r"\$\(touch is not": {"info": [("host", f"$(touch {owned})")]},
            "info key add-hostfile is not": {"info": [("add-hostfile", "/etc/passwd")]},
            "info key hostfile is not": {"info": [("hostfile", "/etc/shadow")]},
            "no folder /there/is": {"info": [("wdir", "/there/is/none")]},
            "the program is an empty word": {"program": ""},
            f"{self.folder} is a folder": {"program": self.folder},
            "/etc/passwd is not executable": {"program": "/etc/passwd"},
            "no program -n on PATH": {"program": "-n"},
            "no program x{4000}": {"program": "x" * 100_000},
            "y{4000}": {"info": [("host", "y" * 50_000)]},
            "ranks would be too many": {"count": 1_000_000},
        }
        done = self.said([*(self.body(**words) for words in odd.values()), self.body(2)])
        self.assertEqual(done.code, 0, done)
        answers = [f"{number} {REFUSED}" for number in range(len(odd))]
        self.assertEqual(sorted(done.lines), sorted(
            [*answers, f"{len(odd)} {STARTED}", "child 0 of 2", "child 1 of 2"]), done)
        told = done.errors.splitlines()
        self.assertEqual(len(told), len(odd), done)
        for line, pattern in zip(told, odd):
            self.assertRegex(line, f"^muster: MPI_Comm_spawn by rank 0 failed: .*{pattern}")
            self.assertLess(len(line), 11_000)
        self.assertFalse(os.path.exists(owned))

    def test_what_makes_no_sense_ends_the_rank(self):
        many = 10 ** 9
        wrong = {
            "nprocs": [{"count": count}
                       for count in (0, -1, 2 ** 32 + 1, 1_000_001, "9" * 400, "")],
            "totspawns": [{"totspawns": number} for number in (0, 1025, -1)],
            "spawnssofar": [{"so_far": 0}],
            "out of order": [{"so_far": 2, "totspawns": 2}, {"so_far": 2, "totspawns": 1}],
            "argcnt": [{"argcnt": count} for count in (many, -1)],
            "arg2": [{"argcnt": 2}],
            "info_num": [{"info_num": many}],
            "info_key_0": [{"info_num": 1}],
            "preput_key_1": [{"preput": [("a", "b")], "preput_num": 2}],
        }
        bodies = [(what, self.body(**words)) for what, some in wrong.items() for words in some]
        bodies += [("totspawns", "mcmd=spawn\nendcmd\n"), ("other", "mcmd=other\nendcmd\n"),
                   ("too long", "mcmd=spawn\n" + "x=y\n" * 400_000), ("spawn", "cmd=spawn\n")]
        for what, body in bodies:
            with self.subTest(what, body=body[:200]):
                done = self.said([body, self.body()])
                self.assertEqual(done.code, 1, done)
                self.assertRegex(done.errors, r"^muster: rank 0 on \S+ aborted the job with "
                                              rf"code 1: it sent .*{what}")
                self.assertEqual(len(done.errors.splitlines()), 2, done)
                self.assertNotIn(STARTED, done.text)

    def test_all_ranks_at_once_again_and_again(self):
        file = self.write("bodies.json", json.dumps([self.body()] * 5))
        done = self.muster("--oversubscribe", "-n", "6", PYTHON, self.client, file)
        self.assertEqual((done.code, done.errors), (0, ""), done)
        self.assertEqual(done.lines.count("child 0 of 1"), 30, done)
        for number in range(5):
            self.assertEqual(done.lines.count(f"{number} {STARTED}"), 6, done)


class KilledWhileSpawning(Spawning):
    def end_by(self, number, after, *words):
        file = self.write("bodies.json", json.dumps([self.body()] * 100))
        job = self.start("--oversubscribe", *words, "-n", "3", PYTHON, self.client, file)
        self.until_done(job, after)
        job.send(number)
        done = job.finish()
        self.assert_nothing_left()
        return done

    def test_nothing_is_left(self):
        for nodes in ([], ["--fake-nodes", "3"]):
            for after, number in enumerate((signal.SIGTERM, signal.SIGINT, signal.SIGKILL)):
                with self.subTest(number, nodes=nodes):
                    done = self.end_by(number, 3 * after, *nodes)
                    self.assertEqual(done.code, 128 + number, done)
                    self.assertNotRegex(done.errors, "internal|CHECK")


@unittest.skipIf(REASON, REASON)
class HostDiesWhileSpawning(Spawning, LabCase):
    """The one on which children begin and end, and one of the two ranks that spawn them."""

    @classmethod
    def setUpClass(cls):
        cls.lab_of(4)

    def kill_agent(self, host):
        os.kill(self.lab.children_named(host, "muster")[0], signal.SIGKILL)

    def kill_session(self, host):
        os.kill(self.sshd_on(host), signal.SIGKILL)

    def test_nothing_is_left(self):
        ways = {"node2": self.kill_agent, "node3": self.kill_session,
                "node4": self.lab.kill_host}
        for after, (host, kill) in enumerate(ways.items()):
            with self.subTest(host):
                file = self.write("bodies.json",
                                  json.dumps([self.body(info=[("host", host)])] * 1000))
                job = self.start_in_lab("-H", f"node1,{host}", "--map-by", "node", "-n", "2",
                                        "--oversubscribe", PYTHON, self.client, file)
                self.until_done(job, 3 * after)
                kill(host)
                done = job.finish()
                self.assertEqual(done.code, LOST, done)
                self.assertRegex(done.errors, f"(?m)^muster: .*{host}")
                self.assertNotRegex(done.errors, "internal|CHECK")
                self.assert_hosts_clean()


if __name__ == "__main__":
    run_tests()

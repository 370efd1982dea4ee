"""Ranks that say anything over PMI-1, PMI-2 and PMIx: head, agents and the other ranks go on, or
the job ends with one line that names the rank."""

# rooms: pmi pmix machine host
# attacks

import json
import signal
import unittest

from mpi_programs import OPEN_MPI
from support import PYTHON, Case, run_tests

# Rank 0 greets, sends each text of a file, and prints the answers; the others leave as they should.
CLIENT = r"""
import json, os, signal, socket, sys
link = socket.socket(fileno=int(os.environ["PMI_FD"]))
said = link.makefile("rb")

def ask(text):
    try:
        link.sendall(text)
        return said.readline() if text.startswith(b"cmd=") else said.read(int(said.read(6)))
    except (OSError, ValueError):
        sys.exit()  # muster has closed it

with open(sys.argv[2]) as file:
    texts = [text.encode("latin-1") for text in json.load(file)]
ask(b"cmd=init pmi_version=%s pmi_subversion=0\n" % sys.argv[1].encode())
if os.environ["PMI_RANK"] == "0":
    for number, text in enumerate(texts):
        print(number, ask(text).decode("latin-1").strip(), flush=True)
ask(b"cmd=finalize\n" if sys.argv[1] == "1" else b"    13cmd=finalize;")
"""

# Rank 0's client stands behind a relay that changes one of the messages after the greeting. Their
# header is process, tag, length and padding, in the order of the network.
RELAY = r"""
import os, socket, struct, subprocess, sys, threading
kind, at, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
if os.environ["RANK"] != "0":
    os.execvp(words[0], words)
uris = {name: value for name, value in os.environ.items() if name.startswith("PMIX_SERVER_URI")}
port = next(iter(uris.values())).rsplit(":", 1)[1]
door = socket.create_server(("127.0.0.1", 0))
own = str(door.getsockname()[1])
environment = {**os.environ, **{name: value.replace(":" + port, ":" + own)
                                for name, value in uris.items()}}
child = subprocess.Popen(words, env=environment)
client, _ = door.accept()
server = socket.create_connection(("127.0.0.1", int(port)))
HEADER = struct.Struct(">4I")
telling = threading.Lock()  # no end meanwhile

def changed(peer, tag, size, pad, body):
    whole = HEADER.pack(peer, tag, size, pad) + body
    return {"huge": lambda: HEADER.pack(peer, tag, 0xffffffff, pad) + body,
            "empty": lambda: HEADER.pack(peer, tag, 0, pad),
            "tag": lambda: HEADER.pack(peer, 0xffffffff, size, pad) + body,
            "peer": lambda: HEADER.pack(peer ^ 1, tag, size, pad) + body,
            "stranger": lambda: HEADER.pack(0x7fffffff, tag, size, pad) + body,
            "half": lambda: whole[:16 + size // 2],
            "again": lambda: whole * 1000,
            "cut": lambda: HEADER.pack(peer, tag, size // 2, pad) + body[:size // 2],
            "command": lambda: whole[:17] + b"\xff" + whole[18:],
            "ones": lambda: whole[:18] + b"\xff" * (size - 2),
            "zeros": lambda: whole[:16] + bytes(size),
            "noise": lambda: b"\x5a" * 100_000}[kind]()

def outward():
    said = client.makefile("rb")
    greeting = said.read(16)
    server.sendall(greeting + said.read(struct.unpack("=4I", greeting)[2]))
    for number in range(1 << 30):
        header = HEADER.unpack(said.read(16))
        body = said.read(header[2])
        if number != at:
            server.sendall(HEADER.pack(*header) + body)
            continue
        with telling:
            try:
                server.sendall(changed(*header, body))
            finally:
                print("said", flush=True)
        if kind == "half":
            return

def inward():
    while bytes_ := server.recv(1 << 16):
        client.sendall(bytes_)
    client.shutdown(socket.SHUT_WR)

def carry(one):
    try:
        one()
    except (OSError, struct.error):
        pass  # one side has closed

for one in (outward, inward):
    threading.Thread(target=carry, args=(one,), daemon=True).start()
code = child.wait()
with telling:
    os._exit(code & 255)
"""


def frame(text):
    """Of PMI-2: its length in six places, then itself."""
    return f"{len(text):6}{text}"


class Pmi(Case):
    def setUp(self):
        super().setUp()
        self.client = self.write("client.py", CLIENT)

    def said(self, version, texts):
        file = self.write("texts.json", json.dumps(texts))
        return self.muster("--oversubscribe", "--fake-nodes", "2", "-n", "3", PYTHON, self.client,
                           str(version), file)

    def ends_the_rank(self, version, wrong):
        for why, text in wrong:
            with self.subTest(why, text=text[:80]):
                done = self.said(version, [text, text])
                self.assertEqual(done.code, 1, done)
                self.assertRegex(done.errors, r"^muster: rank 0 on fake-0 aborted the job with "
                                              rf"code 1: [^\n]*{why}")
                self.assertLessEqual(len(done.errors.splitlines()), 3, done)
                self.assertNotRegex(done.errors, "internal|CHECK")

    def test_lines_that_make_no_sense_end_the_rank(self):
        mebibyte = "x" * (1 << 20)
        self.ends_the_rank(1, [
            ("too long a line", mebibyte),
            ("too long a line", f"cmd=get kvsname=k key={mebibyte}\n"),
            ("too long key", f"cmd=get kvsname=k key={'k' * 100}\n"),
            ("no command", bytes(range(1, 256)).decode("latin-1")),
            ("a zero byte", "cmd=get\0 key=a\n"),
            ("wrong pmiid", "cmd=initack pmiid=-1\n"),
            ("wrong pmi_version", "cmd=init pmi_version=4294967296 pmi_subversion=0\n"),
            ("wrong exitcode", "cmd=abort exitcode=99999999999\n"),
            ("unknown command", "cmd=spawn nprocs=1000000000\n"),
            ("nprocs", "mcmd=spawn\nnprocs=1000000000\nexecname=true\ntotspawns=1\n"
                       "spawnssofar=1\nargcnt=0\npreput_num=0\ninfo_num=0\nendcmd\n"),
            ("without waiting", "cmd=barrier_in\n" + "cmd=get key=a\n" * 400_000),
        ])

    def test_frames_that_make_no_sense_end_the_rank(self):
        self.ends_the_rank(2, [
            *(("without its length", text) for text in ("-00001cmd", " -1   x", "0x0010x", "      ",
                                                        "1e5   ", "\xff" * 6)),
            ("no command", "     0"),
            ("without ';'", frame("cmd=kvs-get")),
            ("too long key", frame(f"cmd=kvs-put;key={'k' * 500_000};value=v;")),
            ("too long value", frame(f"cmd=kvs-put;key=k;value={'v' * 900_000};")),
            ("too many fields", frame("cmd=kvs-get;" + "a=b;" * 50_000)),
            ("wrong pmirank", frame("cmd=fullinit;pmirank=-1;")),
            ("wrong ncmds", frame("cmd=spawn;ncmds=1000000000;")),
            ("wrong maxprocs", frame("cmd=spawn;ncmds=1;subcmd=true;maxprocs=1000000000;argc=0;")),
            ("wrong argc", frame("cmd=spawn;ncmds=1;subcmd=true;maxprocs=1;argc=1000000000;")),
            ("does not read", frame("cmd=info-getjobattr;key=a;") * 200_000),
        ])

    def test_half_a_message_at_the_end(self):
        self.write("half.py", CLIENT.replace("for number", "link.sendall(texts[0]); sys.exit()\n"
                                                           "    for number"))
        self.client = self.path("half.py")
        for version, text in ((1, "cmd=put kvs"), (2, "999999cmd=kvs-put;key=")):
            self.ends_the_rank(version, [("it ended without MPI_Finalize", text)])

    def test_a_rank_is_who_its_descriptor_is(self):
        done = self.said(2, [frame("cmd=fullinit;pmirank=1;"), frame("cmd=fullinit;")])
        self.assertEqual(done.code, 0, done)
        for line in done.lines:
            self.assertIn(";rank=0;size=3;", line)

    def test_puts_without_end_are_refused(self):
        """A host keeps 32 MiB of them until the next fence."""
        self.write("puts.py", CLIENT.replace(
            "for number, text in enumerate(texts):",
            "name = ask(b'cmd=get_my_kvsname\\n').split(b'=')[2].split()[0]\n"
            "    for number, text in enumerate(b'cmd=put kvsname=%s key=%d value=%s\\n' "
            "% (name, i, b'v' * 1000) for i in range(33_600)):\n"
            "        if number < 33_595: ask(text); continue"))
        self.client = self.path("puts.py")
        done = self.said(1, [])
        self.assertEqual(done.code, 0, done)
        self.assertEqual(len(done.lines), 5, done)
        for line in done.lines:
            self.assertRegex(line, r"rc=-1 .*no_room", done)

    def test_names_without_end_are_refused(self):
        """The head has room for 64 MiB of them."""
        self.write("names.py", CLIENT.replace(
            "for number, text in enumerate(texts):",
            "for number, text in enumerate(b'cmd=publish_name service=%d%s port=%s\\n' "
            "% (i, b's' * 1990, b'p' * 2000) for i in range(16_500)):\n"
            "        if 0 < number < 16_499: ask(text); continue"))
        self.client = self.path("names.py")
        done = self.said(1, [])
        self.assertEqual(done.code, 0, done)
        self.assertRegex(done.lines[0], r"^0 cmd=publish_result.*rc=0")
        self.assertRegex(done.lines[1], r"^16499 cmd=publish_result.*rc=(-1|1)")


@unittest.skipIf(OPEN_MPI.missing(), OPEN_MPI.missing())
class Pmix(Case):
    """What the library makes of it is its own matter: some of this it answers, for some the ranks
    wait, as MPI's ranks wait for one that does not come. Nothing of muster dies of it."""

    KINDS = ("huge", "empty", "tag", "peer", "stranger", "half", "again", "cut", "command", "ones",
             "zeros", "noise")

    def attacked(self, relay, kind, at):
        job = self.start("--oversubscribe", "--fake-nodes", "2", "-n", "3", PYTHON, relay, kind,
                         str(at), OPEN_MPI.program("hello"))
        while (line := job.line()) not in (b"said\n", b""):
            pass
        self.assertEqual(line, b"said\n", job.so_far())
        job.send(signal.SIGINT)
        done = job.finish()
        self.assertIn(done.code, range(256), done)
        self.assertNotIn(done.code, (128 + signal.SIGSEGV, 128 + signal.SIGABRT), done)
        self.assertNotRegex(done.errors, "internal|CHECK|Sanitizer")
        told = [line for line in done.errors.splitlines() if line.startswith("muster")]
        self.assertLessEqual(len(told), 6, done)
        self.assert_nothing_left()

    def test_messages_that_were_changed(self):
        relay = self.write("relay.py", RELAY)
        for number, kind in enumerate(self.KINDS):
            for at in (0, 5 + number % 2):
                with self.subTest(kind, at=at):
                    self.attacked(relay, kind, at)


if __name__ == "__main__":
    run_tests()

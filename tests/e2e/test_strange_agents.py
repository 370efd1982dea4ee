"""Agents that say what no agent should: the head survives, and says which host it was."""

# rooms: link wire machine head plan model
# attacks

import os
import struct

from support import LOST, MUSTER, ROOT, UNREACHABLE, USAGE, Case, run_tests

# What real agents have said before bytes of it were changed; it is also where the fuzzer begins.
RECORDED = os.path.join(ROOT, "tests/fuzz/corpus/frames_fuzz")
RECORDED_PLANS = b"\x17\x32\x69\x47\xef\x9a\x5b\x3d"  # of other sources

# Speaks the wire format of docs/PROTOCOL.md by hand, and stays until it is dismissed.
AGENT = """#!/usr/bin/python3 -S
import sys
sys.stdout.buffer.write(open(%r, "rb").read())
sys.stdout.buffer.flush()
sys.stdin.buffer.read()
"""
MAGIC = b"\x1dmuster-agent 4\n"
HELLO = 1              # a field of ToAgent in src/wire/wire.proto
WELCOME, PONG = 1, 10  # of ToHead
CPUS, TOPOLOGY = 4, 11  # of Welcome; what it holds is in model/topology_text.hpp
PLANS = 18             # likewise: the digest of the sources that environments are made with

HARDWARE = b"topology 1\nallowed 0-1\nmachine 0-1\nnuma 0-1\ncore 0 1\nmemory 1\n"
NO_HARDWARE = {
    "noise": b"\xff" * 100, "only the first line": b"topology 1\n",
    "cores that clear a screen": HARDWARE.replace(b"core 0", b"core \33[2J"),
    "no numbers": HARDWARE.replace(b"core 0 1", b"core x y"),
    "negative": HARDWARE.replace(b"allowed 0-1", b"allowed -1"),
    "huge": HARDWARE.replace(b"0-1", b"0-99999999999999999999"),
    "more than there can be": HARDWARE.replace(b"0-1", b"0-16384"),
    "memory beyond 64 bits": HARDWARE.replace(b"memory 1", b"memory 99999999999999999999"),
    "negative memory": HARDWARE.replace(b"memory 1", b"memory -1"),
    "cores elsewhere": HARDWARE.replace(b"core 0 1", b"core 0 5"),
    "half a line": HARDWARE[:HARDWARE.index(b"re 0 1")],
    "too long": HARDWARE + b"core" + b" 0" * (1 << 19) + b"\n",
    "a long word": HARDWARE.replace(b"core 0", b"core " + b"x" * 500_000),
    "too many": HARDWARE.replace(b"core 0 1", b"core" + b" 0" * 20_000),
}


def frame(kind, payload=b"", host=0):
    """Of the first run, from one host."""
    return struct.pack("<IBIHII", len(payload), kind, 1, 1, host, host) + payload


def message(field, payload=b""):
    """A control frame: one message of less than 128 bytes."""
    return frame(1, bytes([field << 3 | 2, len(payload)]) + payload)


def welcome(protocol):
    return message(WELCOME, bytes([1 << 3, protocol]) + b"\x12\x019" + b"\x1a\x04name")


def as_varint(number):
    more, last = b"", number
    while last > 127:
        more, last = more + bytes([last & 127 | 128]), last >> 7
    return more + bytes([last])


def field(number, content):
    """Of bytes, however many; the number is below 16."""
    return bytes([number << 3 | 2]) + as_varint(len(content)) + content


def varint(content, at):
    """The number there, and where it ends."""
    number, shift = 0, 0
    while True:
        number |= (content[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if content[at - 1] < 128:
            return number, at


def fields(content):
    """The values of a message's fields by number, the last one of each, up to its end."""
    found, at = {}, 0
    while at < len(content):
        key, at = varint(content, at)
        size = 8 if key & 7 == 1 else 0
        if key & 7 == 2:
            size, at = varint(content, at)
        if key & 7 == 0:
            found[key >> 3], at = varint(content, at)
        else:
            found[key >> 3], at = content[at:at + size], at + size
    return found


def recorded(name):
    """Its frames; the first byte tells the fuzzer in which pieces they come."""
    with open(os.path.join(RECORDED, name), "rb") as file:
        return file.read()[1:]


class Agents(Case):
    def head(self, said, hosts="one:2", words=("-n", "2")):
        self.write("said", said)
        self.write("agent", AGENT % self.path("said"), 0o755)
        return self.muster("--ssh-command", "./agent", "-H", hosts, *words, "true")

    def plans(self):
        """That our own agent greets with."""
        hello = message(HELLO, bytes([1 << 3, 4]) + b"\x20\xe0\xd4\x03")  # a lease of a minute
        said = self.muster(command=(MUSTER, "agent"), stdin=hello).out
        greeting = said[len(MAGIC) + len(frame(0)):]
        return fields(fields(greeting)[WELCOME])[PLANS]


class Links(Agents):
    def test_nothing_is_heard_of_a_link_that_was_closed(self):
        """Frames that came together with the one for which the head closes the link."""
        said = MAGIC + welcome(protocol=5) + 5 * message(PONG) + frame(9)
        for _ in range(15):
            done = self.head(said)
            self.assert_refused(done, UNREACHABLE, r"one: muster 9 there speaks protocol 5")

    def test_frames_of_no_kind(self):
        too_long = b"\xff\xff\xff\xff\x01\1\0\0\0\0\0"
        for said in (frame(9), too_long, frame(1, b"\xff"), frame(2, b"\0\0")):
            done = self.head(MAGIC + said)
            self.assertGreaterEqual(done.code, 240, done)
            self.assertRegex(done.errors, "^muster: .*one: ", done)

    def test_frames_of_another_host(self):
        done = self.head(MAGIC + frame(1, b"\x52\0", host=1))
        self.assertGreaterEqual(done.code, 240, done)
        self.assertIn("one: its agent spoke for another host", done.errors)

    def test_another_protocol_in_the_magic_line(self):
        done = self.head(b"\x1dmuster-agent 9\n")
        self.assertEqual(done.code, UNREACHABLE, done)
        self.assertIn("one", done.errors)

    def test_other_plans_in_the_greeting(self):
        """Of the same protocol, but made of other sources."""
        done = self.head(MAGIC + welcome(protocol=4))
        self.assert_refused(done, UNREACHABLE, "one: muster 9 there would give ranks a different")


class Surveys(Agents):
    """Before a plan hosts are asked for their cores and hardware: each lie ends with one error."""

    def answer(self, more):
        """A greeting with these fields."""
        welcome_said = (bytes([1 << 3, 4]) + field(2, b"9") + field(3, b"name") + more
                        + as_varint(PLANS << 3 | 1) + self.plans())
        return MAGIC + frame(1, field(WELCOME, welcome_said))

    def test_cores_that_nobody_has(self):
        for cores, told in ((0, "not 0"), (1_000_001, "1000001 ranks are more than the 1000000"),
                            ((1 << 32) - 1, "4294967295 ranks are more than the 1000000"),
                            ((1 << 64) - 1, "4294967295 ranks are more than the 1000000")):
            with self.subTest(cores):
                done = self.head(self.answer(bytes([CPUS << 3]) + as_varint(cores)), "one:*", ())
                self.assertEqual((done.code, done.out), (USAGE, b""), done)
                self.assertIn(told, done.errors)

    def test_hardware_that_makes_no_sense(self):
        for what, said in NO_HARDWARE.items():
            with self.subTest(what):
                done = self.head(self.answer(field(TOPOLOGY, said)),
                                 words=("-n", "2", "--bind-to", "core"))
                self.assertIn(done.code, (UNREACHABLE, LOST), done)
                self.assertEqual(done.out, b"", done)
                self.assertRegex(done.errors, r"(?m)^muster: error: one: ")
                self.assertNotRegex(done.errors, "CHECK|\33")
                self.assertLess(len(done.errors), 2000)

    def test_no_hardware(self):
        done = self.head(self.answer(b""), words=("-n", "2", "--bind-to", "core"))
        self.assert_refused(done, USAGE, "the hardware of one is not known")


class Recorded(Agents):
    def test_a_clock_that_jumps(self):
        """A minute has gone by there while the head has waited for a moment."""
        said = MAGIC + recorded("agent_clock_jumps").replace(RECORDED_PLANS, self.plans())
        done = self.head(said)
        self.assertEqual(done.code, LOST, done)
        self.assertIn("error: one: a frame of unknown kind 136 came\n", done.errors)
        done = self.head(said.replace(b"\x0a\0\0\0\x88", b"\x0a\0\0\0\2"))
        self.assertEqual((done.code, done.lines), (0, ["hi 0", "hi 1"]), done)

    def test_frames_behind_a_greeting_of_another_protocol(self):
        done = self.head(MAGIC + recorded("agent_of_another_protocol"))
        self.assert_refused(done, UNREACHABLE, "one: muster 0.1.0 there speaks protocol 103")


if __name__ == "__main__":
    run_tests()

"""Agents that say what no agent should: the head survives, and says which host it was."""

# rooms: link wire machine head
# attacks

import struct

from support import UNREACHABLE, Case, run_tests

# Speaks the wire format of docs/PROTOCOL.md by hand, and stays until it is dismissed.
AGENT = """#!/usr/bin/python3 -S
import sys
sys.stdout.buffer.write(open(%r, "rb").read())
sys.stdout.buffer.flush()
sys.stdin.buffer.read()
"""
MAGIC = b"\x1dmuster-agent 4\n"
WELCOME, PONG = 1, 10  # fields of ToHead in src/wire/wire.proto


def frame(kind, payload=b"", host=0):
    """Of the first run, from one host."""
    return struct.pack("<IBIHII", len(payload), kind, 1, 1, host, host) + payload


def message(field, payload=b""):
    """A control frame: one message of less than 128 bytes."""
    return frame(1, bytes([field << 3 | 2, len(payload)]) + payload)


def welcome(protocol):
    return message(WELCOME, bytes([1 << 3, protocol]) + b"\x12\x019" + b"\x1a\x04name")


class Links(Case):
    def head(self, said, hosts="one:2"):
        self.write("said", said)
        self.write("agent", AGENT % self.path("said"), 0o755)
        return self.muster("--ssh-command", "./agent", "-H", hosts, "-n", "2", "true")

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


if __name__ == "__main__":
    run_tests()

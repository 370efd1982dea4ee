"""Failing on purpose: `--fail HOW=RANK` among a program's words, for that rank.

`absent`: it never comes to where the ranks meet; `port`: another process has the port at which it
is to listen there; `raise` and `kill`: an exception, or SIGKILL, after some steps; `stall`: it
stops there, and says so in the file `stalled` of the test's folder. Others wait for it in a
collective, and for no longer than `--patience SECONDS` where they meet.
"""

import json
import os
import signal
import socket
import sys

STEPS = 3


def _word(name):
    """What follows --NAME; both are taken away, so that programs read their own words as ever."""
    if name not in sys.argv:
        return ""
    at = sys.argv.index(name)
    word = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return word


_how, _, _whose = _word("--fail").partition("=")
if _whose != os.environ.get("RANK"):
    _how = ""
patience = int(_word("--patience") or 1800)
_steps = 0


class BadBatch(ValueError):
    """Of no framework, so that a report which has it has the cause."""


def _stall():
    while True:
        signal.pause()


def _port():
    if "TF_CONFIG" in os.environ:
        config = json.loads(os.environ["TF_CONFIG"])
        task = config["task"]
        return config["cluster"][task["type"]][task["index"]].rpartition(":")[2]
    return os.environ["MASTER_PORT"]


def _give_port_away():
    """To a child."""
    both = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both else socket.AF_INET
    server = socket.create_server(("", int(_port())), family=family, dualstack_ipv6=both)
    if os.fork() == 0:
        _stall()
    server.close()


def before_meeting():
    if _how == "absent":
        _stall()
    if _how == "port":
        _give_port_away()


def step():
    """Called in each step, before what its ranks do together."""
    global _steps
    _steps += 1
    if _steps != STEPS:
        return
    if _how == "raise":
        raise BadBatch(f"batch {STEPS} is empty")
    if _how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if _how == "stall":
        with open(os.path.join(os.environ["DIR"], "stalled"), "w", encoding="ascii"):
            pass
        _stall()

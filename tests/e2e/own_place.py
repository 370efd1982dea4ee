"""A network, or a /dev/shm, of a script's own: what other jobs of this machine use is not in it.

A script asks for it before its first test, since all that it starts later is to be there too.
"""

import ctypes
import os
import subprocess
import sys

NEW_MOUNTS, NEW_NETWORK = 0x00020000, 0x40000000  # CLONE_NEWNS, CLONE_NEWNET
PRIVATE_BELOW = 1 << 18 | 1 << 14                 # MS_PRIVATE | MS_REC


def _call(name, *words):
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*words) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _told(what, make):
    """An empty string, or why there is none."""
    try:
        make()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no {what} of its own: {error}", file=sys.stderr)
        return f"{what} is shared with other jobs: {error}"
    return ""


def own_network():
    """Only a loopback, on which every port is free. Without root tests go on in the machine's."""
    def make():
        _call("unshare", NEW_NETWORK)
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    return _told("the network", make)


def own_shared_memory():
    """An empty /dev/shm, in which only the script's own jobs leave something."""
    def make():
        _call("unshare", NEW_MOUNTS)
        _call("mount", None, b"/", None, PRIVATE_BELOW, None)
        _call("mount", b"tmpfs", b"/dev/shm", b"tmpfs", 0, b"mode=1777")
    return _told("/dev/shm", make)

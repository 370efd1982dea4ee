"""What a test has for itself on a machine where others test at the same time: ports and users.

Folders, names and marks come from Case, and hosts from a Lab. Whatever is drawn here is claimed by
the name of an abstract socket, which the kernel gives to one process only, and takes back when that
process ends, however it does.
"""

import errno
import random
import socket

# Where neither the kernel (32768 and above) nor muster (10001 and above) takes ports from.
PORTS = range(5000, 10_000)
USERS = 1 << 17  # in a block: one user, and 65536 subordinates of his

_claims = []


def port():
    """A TCP port that nobody listens on, and that no other test is given."""
    for number in random.sample(PORTS, len(PORTS)):
        if _claim(f"port-{number}") and is_free(number):
            return number
    raise RuntimeError("no port is free")


def users():
    """The first of USERS numbers of users that nobody else has."""
    for block in random.sample(range(1 << 4, 1 << 13), 100):
        if _claim(f"users-{block}"):
            return block * USERS
    raise RuntimeError("no users are free")


def _claim(name):
    one = socket.socket(socket.AF_UNIX)
    try:
        one.bind(f"\0muster-test-{name}")
    except OSError:
        one.close()
        return False
    _claims.append(one)
    return True


def is_free(number):
    for family, address in ((socket.AF_INET, ""), (socket.AF_INET6, "::")):
        try:
            with socket.socket(family) as one:
                if family == socket.AF_INET6:
                    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                one.bind((address, number))
        except OSError as error:
            if family == socket.AF_INET or error.errno == errno.EADDRINUSE:
                return False
    return True

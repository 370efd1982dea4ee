"""What the tests of batch systems and clusters share: a service that each test leaves as it was.

The classes of a script use one service, as long as they want it with the same options; a cluster
may even be shared by all scripts, see shared.py. A class that breaks a host or a daemon, or wants
other settings, says `own = True` and gets one for itself.
"""

import os
import sys
import unittest

from support import ROOT, Case

sys.path.insert(0, os.path.join(ROOT, "tests", "lab"))

_kept = {}  # what this script has made so far: {what kind it is of: the service}


class ServiceCase(Case):
    """`kind(**options)` is the service, which is entered like a lab; see batch.BatchLab for what
    else it has."""

    kind = None
    options = {}
    own = False
    service = None  # of the class; None before its first test, and when another one is needed

    def setUp(self):
        super().setUp()
        if self.service is None:
            self.take_service()

    @classmethod
    def take_service(cls):
        key = f"{cls.kind} {cls.options}"
        service = None if cls.own else _kept.get(key)
        if service is None:
            service = cls.make_service()
            service.__enter__()
            if not cls.own:
                _kept[key] = service
                unittest.addModuleCleanup(_close, key)
        else:
            service.reset()
        cls.service = service
        cls.addClassCleanup(cls.give_back_service)
        cls.prepare()

    @classmethod
    def make_service(cls):
        return cls.kind(**cls.options)

    @classmethod
    def prepare(cls):
        """What the tests of the class want in the service."""

    @classmethod
    def give_back_service(cls):
        service, cls.service = cls.service, None
        if service is not None and cls.own:
            service.close()

    def spend_service(self):
        """This test breaks what is the class's own: no other is to find it so."""
        self.assertTrue(self.own)
        self.addCleanup(self.give_back_service)

    def _end_all(self):
        try:
            if self.service:
                self.service.end_jobs()
        finally:
            try:
                super()._end_all()
            finally:
                if self.service:
                    self.settle()

    def settle(self):
        """The next test finds the service as this one did: the same, or else another one."""
        try:
            self.service.settle()
        except Exception as error:
            self.tell(error)
            self.discard_service()
            self.fail(f"this test does not leave the service as it was: {error}")

    @classmethod
    def discard_service(cls):
        """Nobody is to use it any more."""
        service, cls.service = cls.service, None
        for key in [key for key, kept in _kept.items() if kept is service]:
            del _kept[key]
        service.discard()


def _close(key):
    service = _kept.pop(key, None)
    if service is not None:
        service.close()

"""What the tests of batch systems and clusters share: a service that each test leaves as it was.

The classes of a script use one service, as long as they want it with the same options. A class that
breaks a host or a daemon, or wants other settings, says `own = True` and gets one for itself.
"""

import os
import sys
import unittest

from support import ROOT, Case

sys.path.insert(0, os.path.join(ROOT, "tests", "lab"))

_kept = {}  # what this script has made so far: {(what makes it, its options): the service}


class ServiceCase(Case):
    """`maker(**options)` makes the service, which is a context manager with end_jobs, settle and close."""

    maker = None
    options = {}
    own = False
    service = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.take_service()
        cls.addClassCleanup(cls.give_back_service)

    @classmethod
    def take_service(cls):
        key = (cls.maker, repr(cls.options))
        service = None if cls.own else _kept.get(key)
        if service is None:
            service = cls.maker(**cls.options)
            service.__enter__()
            if not cls.own:
                _kept[key] = service
                unittest.addModuleCleanup(_close, service)
        cls.service = service
        cls.prepare()

    @classmethod
    def prepare(cls):
        """What the tests of the class want in the service; once more when it was replaced."""

    @classmethod
    def give_back_service(cls):
        if cls.own:
            cls.service.close()

    def _end_all(self):
        try:
            self.service.end_jobs()
        finally:
            try:
                super()._end_all()
            finally:
                self.settle()

    def settle(self):
        """The next test finds the service as this one did: the same, or else another one."""
        try:
            self.service.settle()
        except Exception as error:
            self.tell(error)
            _close(self.service)
            type(self).take_service()
            self.fail(f"this test does not leave the service as it was: {error}")


def _close(service):
    for key in [key for key, kept in _kept.items() if kept is service]:
        del _kept[key]
    service.close()

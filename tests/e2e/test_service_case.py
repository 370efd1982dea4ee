"""A test that leaves a service in another state fails, and the next one has another service."""

# rooms: lab

import unittest
from unittest import mock

from service_case import ServiceCase
from support import run_tests

import evidence


class Service:
    """Stands for a batch system; keeps a list of what happens to all of its kind."""

    events = []

    def __init__(self, number=0):
        self.number = number
        self.left = ""

    def __enter__(self):
        self.events.append(f"made {self.number}")

    def end_jobs(self):
        self.events.append("jobs end")

    def settle(self):
        if self.left:
            raise AssertionError(self.left)

    def reset(self):
        self.events.append("reset")

    def close(self):
        self.events.append("closed")

    def discard(self):
        self.events.append("discarded")


class Outer(unittest.TestCase):
    def ran(self, *classes):
        """The classes' tests, in the order of their names: (what happened, the result)."""
        Service.events = []
        suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(one)
                                   for one in classes)
        result = unittest.TestResult()
        with mock.patch.object(evidence, "tell"):
            suite.run(result)
        return Service.events, result

    def test_classes_with_the_same_options_have_one(self):
        class One(ServiceCase):
            kind = Service

            def test_a(self):
                pass

            def test_b(self):
                pass

        class Two(One):
            pass

        class Other(One):
            options = {"number": 1}
        events, result = self.ran(One, Two, Other)
        self.assertTrue(result.wasSuccessful(), result)
        self.assertEqual(events, ["made 0", "jobs end", "jobs end", "reset", "jobs end", "jobs end",
                                  "made 1", "jobs end", "jobs end", "closed", "closed"])

    def test_a_class_may_have_one_for_itself(self):
        class One(ServiceCase):
            kind = Service
            own = True

            def test_a(self):
                pass

        class Two(One):
            def test_a(self):
                self.spend_service()
                self.service.left = "a host is down, as it should be"

            def test_b(self):
                pass
        events, result = self.ran(One, Two)
        self.assertTrue(result.wasSuccessful(), result)
        self.assertEqual(events, ["made 0", "jobs end", "closed", "made 0", "closed",
                                  "made 0", "jobs end", "closed"])

    def test_what_is_left_is_told_and_harms_no_other_test(self):
        class One(ServiceCase):
            kind = Service

            def test_a(self):
                self.service.left = "job 7 is RUNNING"

            def test_b(self):
                pass
        events, result = self.ran(One)
        ((failed, why),) = result.failures
        self.assertEqual((failed.id().split(".")[-1], result.errors), ("test_a", []))
        self.assertIn("does not leave the service as it was: job 7 is RUNNING", why)
        self.assertEqual(events, ["made 0", "jobs end", "discarded", "made 0", "jobs end",
                                  "closed"])


if __name__ == "__main__":
    run_tests()

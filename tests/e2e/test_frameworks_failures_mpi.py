"""A job of mpi4py that fails names the rank that did: with MPICH 5, Open MPI 5 and Intel MPI."""

# rooms: view machine host pmi pmix
# needs: matrix frameworks-mpis frameworks-impi
# long

import unittest

from failing_case import FAKE, HOSTS, FailingCase, Ways
from framework_case import framework_or_skip, open_mpi_variables
from support import TIMEOUT, run_tests

REASON = framework_or_skip("mpis") or framework_or_skip("impi")


class MpiWays(Ways):
    name = "mpi4py"

    def command(self, where, *fails, words=None):
        return super().command(where, *fails, words=("run", *self.passed(), *(words or ())))

    def test_one_rank_never_comes(self):
        done = self.fails("absent", 1, words=("--init-timeout", "5"))
        self.assert_named(done, TIMEOUT, "^muster: error: not all ranks called MPI_Init within",
                          "muster: rank 1 never called MPI_Init, while other ranks waited for it")


@unittest.skipIf(REASON, REASON)
class Mpich(MpiWays, FailingCase):
    group = "mpis"
    places = {"raise": HOSTS, "kill": FAKE, "absent": HOSTS, "lost": FAKE}


@unittest.skipIf(REASON, REASON)
class OpenMpi(MpiWays, FailingCase):
    group = "mpis"
    places = {"raise": FAKE, "kill": HOSTS, "absent": FAKE, "lost": HOSTS}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.variables = open_mpi_variables(cls.python)


@unittest.skipIf(REASON, REASON)
class Intel(MpiWays, FailingCase):
    group = "impi"
    places = {"raise": HOSTS, "kill": FAKE, "absent": FAKE, "lost": HOSTS}


run_tests()

"""A rank of Horovod that never comes to hvd.init() is named: the head serves the store itself.

The program does what Horovod's C++ does first: it puts its addresses into the store, under its
rank. Those of the others, for which Horovod waits, it never asks for. Rank 1 does not come.
"""

# rooms: front gloo head machine view

import signal

from support import MUSTER, PYTHON, TIMEOUT, Case, run_tests

HOROVOD = """
import http.client, os, signal, sys
env = lambda name: os.environ['HOROVOD_' + name]
rank = env('RANK')
if rank != '1':
    at = env('GLOO_RENDEZVOUS_ADDR'), int(env('GLOO_RENDEZVOUS_PORT'))
    for key in 'rank_' + rank, rank:
        connection = http.client.HTTPConnection(*at, timeout=60)
        connection.request('PUT', '/global/' + key, 'here')
        assert connection.getresponse().status == 200
elif sys.argv[1:]:
    raise SystemExit(int(sys.argv[1]))
open('here.' + rank, 'w').close()
signal.pause()
"""
NOBODY = HOROVOD.replace("!= '1'", "== 'none'")
ALL = HOROVOD.replace("!= '1'", "!= 'none'")
NEVER = ("muster: rank 1 never connected to Horovod's store (hvd.init()), while other ranks waited "
         "for it\n")


# Stands in for ssh; its host is this machine.
SSH = """#!/bin/sh
export SSH_CONNECTION="127.0.0.1 4000 127.0.0.1 22"
for last; do :; done
exec sh -c "$last"
"""


class Joining(Case):
    def start_job(self, program, *words, before=(), ranks=3):
        self.write("t.py", program)
        return self.start(*before, "-np", str(ranks), PYTHON, "t.py", *words,
                          command=(MUSTER, "horovodrun"))

    def errors_at_interrupt(self, program, *before):
        """Of a job that is interrupted once each rank has come, or has said that it will not."""
        job = self.start_job(program, before=before)
        self.wait_for_files([f"here.{rank}" for rank in range(3)])
        job.send(signal.SIGINT)
        return job.finish().errors

    def test_an_interrupt_names_it(self):
        self.assertIn(NEVER, self.errors_at_interrupt(HOROVOD))

    def test_on_several_hosts(self):
        self.assertIn(NEVER, self.errors_at_interrupt(HOROVOD, "--fake-nodes", "3"))

    def test_after_a_survey_of_the_hosts(self):
        """Whose links the job takes over; its run has another number then."""
        ssh = self.write("ssh", SSH, 0o755)
        self.assertIn(NEVER, self.errors_at_interrupt(
            HOROVOD, "--ssh-command", ssh, "-H", "node1:3", "--network-interface", "lo",
            "--binding-args", "--map-by numa"))

    def test_nobody_is_named_where_all_have_come(self):
        self.assertNotIn("never connected", self.errors_at_interrupt(ALL))

    def test_nobody_is_named_where_nobody_has_come(self):
        self.assertNotIn("never connected", self.errors_at_interrupt(NOBODY))

    def test_the_limit_ends_the_job(self):
        """Of two, since a third might come too late for it."""
        done = self.start_job(HOROVOD, before=("--init-timeout", "1"), ranks=2).finish()
        self.assertEqual(done.code, TIMEOUT, done)
        self.assertIn("muster: error: not all ranks connected to Horovod's store (hvd.init()) "
                      "within --init-timeout 1 s of the first\n" + NEVER, done.errors)

    def test_a_rank_that_ends_before_it_is_named_but_ends_nothing(self):
        """A program may leave it out. Where it does not, Horovod itself gives up."""
        job = self.start_job(HOROVOD, "0")
        self.wait_for_files(["here.0", "here.2"])
        job.send(signal.SIGINT)
        self.assertIn(NEVER, job.finish().errors)

    def test_a_rank_that_fails_before_it_is_the_cause(self):
        done = self.start_job(HOROVOD, "3", ranks=2).finish()
        self.assertRegex(done.errors, r"(?m)^muster: rank 1 on \S+ exited with code 3 ")
        self.assertNotIn("never connected", done.errors)


run_tests()

"""What a kubelet does even when pods never run: it confirms that a pod which shall go has gone."""

import signal
import subprocess
import threading
import time

from lab import WAIT_SECONDS

FORM = 'jsonpath={.metadata.name} {.metadata.deletionTimestamp}{"\\n"}'
AT_ONCE = 10  # pods: kubectl deletes about five in a second, and a new one must not wait for all


class Undertaker(threading.Thread):
    """Watches a cluster's pods until `stop`, and takes away those that are to be deleted."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self._cluster = cluster
        self._watch = None
        self._lock = threading.Lock()
        self._leaving = set()
        self._over = False

    def stop(self):
        with self._lock:
            self._over = True
            if self._watch:
                self._watch.send(signal.SIGKILL)
        self.join(WAIT_SECONDS)

    def pids(self):
        """Of what it runs on the head for as long as it watches."""
        return (self._watch.pid,) if self._watch else ()

    def run(self):
        while self._began():
            threading.Thread(target=self._read, args=(self._watch.popen,), daemon=True).start()
            while self._watch.popen.poll() is None:
                self._bury()
                time.sleep(0.1)

    def _read(self, popen):
        with popen.stdout:
            for line in popen.stdout:
                name, _, leaving = line.decode().strip().partition(" ")
                if leaving:
                    with self._lock:
                        self._leaving.add(name)

    def _bury(self):
        """Once more where it failed: the server may be away, or the pod just being changed."""
        names = self._still_there()[:AT_ONCE]
        if names and not self._over:
            self._cluster.try_kubectl("delete", "pod", *names, "--grace-period=0", "--force",
                                      "--ignore-not-found", "--wait=false")

    def _still_there(self):
        """Those that shall go, less what somebody else has taken away already."""
        with self._lock:
            leaving = set(self._leaving)
        if not leaving:
            return []
        found = self._cluster.try_kubectl("get", "pods", "--output=name")
        if found is None:
            return []
        there = {name.removeprefix("pod/") for name in found.split()}
        with self._lock:
            self._leaving -= leaving - there
        return sorted(leaving & there)

    def _began(self):
        """A watch ends when the API server does; then there is another one."""
        with self._lock:
            if not self._over:
                self._watch = self._cluster.start_kubectl(
                    "get", "pods", "--watch", "--output", FORM, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            return not self._over

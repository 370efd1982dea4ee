"""How images come to hosts that share no storage: pulled from a registry, sent from the launching
machine, built there from a folder; and what is said when they do not."""

# rooms: container cli link host
# needs: podman
# attacks

import fcntl
import os
import re
import shutil
import sys
import unittest

from support import CANNOT_START, LOST, MUSTER, LabCase, lab_or_skip, run_tests, until
import image
from registry import Registry

PORT = 5000
MANY = 20
# Says what it is called for.
PODMAN = """#!/bin/sh
echo "$1" >> %s
exec /usr/bin/podman "$@"
"""
# A host pulls only once the other one does, too.
MEETING = """#!/bin/sh
case "$(hostname) $1" in
"node1 pull") : > %(place)s ;;
"node2 pull") : < %(place)s ;;
esac
exec /usr/bin/podman "$@"
"""
# ssh that has an image for node2 on its way for many seconds.
SLOW = """#!/bin/sh
case " $* " in *" node2 "*) ;; *) exec %s "$@" ;; esac
{ dd bs=8K count=50; while sleep 0.05; do dd bs=8K count=1; done; } 2> /dev/null | %s "$@"
"""
REASON = lab_or_skip() or image.why_not()
if not REASON and shutil.which("docker-registry") is None:
    REASON = "missing programs: docker-registry"
if REASON:
    print(f"SKIPPED: no images can be moved here: {REASON}", file=sys.stderr)


def waits(pid):
    """For a lock."""
    with open(f"/proc/{pid}/wchan", encoding="ascii") as place:
        return "lock" in place.read()


class ImagesCase(LabCase):
    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)
        cls.small, cls.other = image.reference("small"), image.reference("bare")
        cls.containers = image.Containers(cls.lab, [], {"head": ["small", "wrong-processor"]})
        cls.containers.__enter__()
        cls.addClassCleanup(cls.containers.close)
        cls.registry = f"{cls.lab.address('head')}:{PORT}"
        for host in ("head", *cls.lab.names):
            folder = cls.lab.path(host, "/etc/containers")
            with open(os.path.join(folder, "registries.conf"), "w", encoding="utf-8") as file:
                for port in (PORT, PORT + 1):
                    file.write(f'[[registry]]\nlocation = "{cls.lab.address("head")}:{port}"\n'
                               "insecure = true\n")

    def setUp(self):
        super().setUp()
        for host in self.lab.names:
            self.containers.podman(host, "rmi", "-a", "-f", check=False)

    def environment(self, **more):
        return super().environment(MUSTER_SSH_COMMAND=self.lab.ssh_command, **more)

    def serve(self, port=PORT, has_login=False):
        """A registry on the head; returns its address."""
        registry = Registry(self.lab, self.path(f"registry-{port}"), port, has_login)
        self.addCleanup(registry.stop)
        return registry.address, registry

    def push(self, address, words=()):
        name = f"{address}/small:1"
        self.containers.podman("head", "push", "-q", *words, self.small, name)
        return name

    def runs(self, name, *words, hosts="node1,node2", spared=()):
        done = self.start_in_lab("-H", hosts, "-n", str(len(hosts.split(","))), "--image", name,
                                 *words, "hostname").finish(90)
        self.assert_hosts_clean(spared=spared)
        return done

    def has(self, host, name):
        return self.containers.podman(host, "image", "exists", name, check=False)[0] == 0

    def fails(self, done, *parts):
        self.assertEqual(done.code, CANNOT_START, done)
        for part in parts:
            self.assertIn(part, done.errors, done)
        self.assertLessEqual(len(done.complaints.splitlines()), 5, done)


@unittest.skipIf(REASON, REASON)
class Images(ImagesCase):
    def test_an_image_is_sent_from_here_once(self):
        done = self.runs(self.small, "--image-from-here", "--verbose")
        self.assertEqual((done.code, done.lines), (0, ["node1", "node2"]), done)
        self.assertRegex(done.errors, r"muster: image \S+ \([0-9a-f]{12}\) is on 2 hosts, after")
        self.assertTrue(self.has("node1", self.small) and self.has("node2", self.small))
        cache = self.lab.path("head", "/run/home/.cache/muster/images")
        self.assertEqual(os.listdir(cache), [])
        self.containers.podman("node2", "rmi", "-f", self.small)
        done = self.runs(self.small, "--image-from-here")
        self.assertEqual((done.code, done.lines), (0, ["node1", "node2"]), done)

    def test_an_image_of_one_machine_is_not_pulled(self):
        self.fails(self.runs(self.small), "node1, node2: the image ", "is not there",
                   "--image-from-here")

    def test_each_host_pulls_once(self):
        address, registry = self.serve()
        name = self.push(address)
        done = self.runs(name, spared=[registry.pid])
        self.assertEqual((done.code, done.lines), (0, ["node1", "node2"]), done)
        self.fails(self.runs(f"{address}/none:1", spared=[registry.pid]),
                   "the registry has no image", f"{address}/none:1")
        registry.stop()
        done = self.runs(name)
        self.assertEqual((done.code, done.lines), (0, ["node1", "node2"]), done)
        self.fails(self.runs(f"{address}/small:2"), "cannot be reached", "--image-from-here")

    def test_runs_that_begin_together_pull_once(self):
        """Whoever finds the image missing pulls it, and the others wait for that."""
        address, registry = self.serve()
        name = self.push(address)
        env = self.environment()
        env["PATH"] = f"{self.folder}:{env['PATH']}"
        self.write("podman", PODMAN % self.path("calls"), 0o755)
        gate = self.path("gate")
        with open(gate, "w", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            started = [self.start_in_lab("-H", "node1", "-n", "1", "--image", name, "echo", "ran",
                                         env=env, command=["flock", "-s", "-o", gate, MUSTER, "run",
                                                  "--start-timeout", "300"])
                       for _ in range(MANY)]
            until("all before the gate", lambda: all(waits(one.pid) for one in started))
        for one in started:
            done = one.finish(300)
            self.assertEqual((done.code, done.text), (0, "ran\n"), done)
        self.assert_hosts_clean(spared=[registry.pid])
        calls = self.read("calls").split()
        self.assertEqual(calls.count(b"pull"), 1, calls)

    def test_hosts_that_share_a_home_do_not_wait_for_each_other(self):
        address, registry = self.serve()
        name = self.push(address)
        os.mkfifo(self.path("place"))
        self.write("podman", MEETING % {"place": self.path("place")}, 0o755)
        for host in self.lab.names:
            cache = self.lab.path(host, "/run/home/.cache")
            shutil.rmtree(cache, ignore_errors=True)
            os.symlink(self.path("cache"), cache)
            self.addCleanup(os.unlink, cache)
        os.mkdir(self.path("cache"))
        env = self.environment()
        env["PATH"] = f"{self.folder}:{env['PATH']}"
        done = self.start_in_lab("-H", "node1,node2", "-n", "2", "--image", name, "hostname",
                                 env=env).finish(90)
        self.assertEqual((done.code, done.lines), (0, ["node1", "node2"]), done)
        self.assert_hosts_clean(spared=[registry.pid])
        self.assertEqual(os.listdir(self.path("cache", "muster", "images")), [])

    def test_credentials_are_those_of_the_host(self):
        address, registry = self.serve(PORT + 1, has_login=True)
        name = self.push(address, ["--creds", "me:secret"])
        done = self.runs(name, spared=[registry.pid])
        self.fails(done, "node1, node2: the registry does not give the image", f"login {address}")
        for host in self.lab.names:
            self.containers.podman(host, "login", "-u", "me", "-p", "secret", address)
        done = self.runs(name, spared=[registry.pid])
        self.assertEqual((done.code, done.lines), (0, ["node1", "node2"]), done)

    def with_small_disk(self, host, folder, size):
        """A host whose folder has so much room, until the end of the test."""
        self.lab.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "none", folder],
                     host=host)
        self.addCleanup(self.lab.run, ["umount", "-l", folder], host=host)

    def test_an_image_that_has_no_room_on_a_host(self):
        """Sent or pulled: what is there of it is not taken for the image, and room heals it."""
        address, registry = self.serve()
        name = self.push(address)
        storage = os.path.join(self.containers.folder, "node2")
        os.makedirs(storage, exist_ok=True)
        self.with_small_disk("node2", storage, "900k")
        for one, words, told in (
                (self.small, ["--image-from-here"], "cannot take the image that was sent"),
                (name, [], "there is no room for the image")):
            with self.subTest(one):
                done = self.runs(one, *words, spared=[registry.pid])
                self.fails(done, "node2: ", told, "no space left on device", "hint: ")
                self.assertNotIn("error: node1", done.complaints)
                self.assertFalse(self.has("node2", one))
        self.lab.run(["mount", "-o", "remount,size=100m", storage], host="node2")
        for one, words in ((self.small, ["--image-from-here"]), (name, [])):
            done = self.runs(one, *words, spared=[registry.pid])
            self.assertEqual((done.code, done.lines), (0, ["node1", "node2"]), done)

    def test_an_image_that_has_no_room_here(self):
        cache = self.lab.path("head", "/run/home/.cache/muster/images")
        os.makedirs(cache, exist_ok=True)
        self.with_small_disk("head", "/run/home/.cache/muster/images", "64k")
        done = self.runs(self.small, "--image-from-here")
        self.fails(done, "cannot save the image", "no space left on device", "hint: ")
        listed = self.lab.run(["ls", "-A", "/run/home/.cache/muster/images"], host="head")
        self.assertEqual(listed[1], b"")

    def test_an_image_for_another_processor(self):
        done = self.runs(image.reference("wrong-processor"), "--image-from-here")
        self.fails(done, "is for ", f"and this host is {image.processor()}")

    def test_the_host_without_a_runtime_is_named(self):
        self.lab.run(["mount", "--bind", "/dev/null", "/usr/bin/podman"], host="node2")
        self.addCleanup(self.lab.run, ["umount", "/usr/bin/podman"], host="node2")
        done = self.runs(self.small, "--image-from-here", "--container-runtime", "podman")
        self.fails(done, "node2: podman is not installed there")
        self.assertNotIn("node1", done.errors)

    def test_one_name_for_different_images_is_a_warning(self):
        for host, name in (("node1", "small"), ("node2", "musl")):
            self.containers.podman(host, "load", "-q", "-i", image.archive(name))
            self.containers.podman(host, "tag", image.reference(name), "localhost/same:1")
        done = self.runs("localhost/same:1")
        self.assertEqual((done.code, done.lines), (0, ["node1", "node2"]), done)
        self.assertRegex(done.errors, r"warning: the image localhost/same:1 is not the same on all "
                                      r"hosts: \w{12} on node\d; \w{12} on node\d")

    def test_an_image_is_built_here_once(self):
        os.mkdir(self.path("context"))
        self.write("context/Dockerfile", f"FROM {self.small}\nCOPY said /said\nCOPY bash /bin/\n")
        self.write("context/bash", '#!/bin/sh\nexec sh "$@"\n', 0o755)  # it runs a job's command
        self.write("context/.dockerignore", "*.log\n")
        self.write("context/said", "built\n")
        self.write("context/some.log", "1")
        self.write("job.yml", "muster: 1\nenvironment: {build: {path: context}}\n"
                              "distribution: {type: mpi, node_count: 2}\ncommand: cat /said\n")
        def submit():
            done = self.start_in_lab("job.yml", "-H", "node1,node2",
                                     command=[MUSTER, "submit"]).finish(90)
            self.assert_hosts_clean()
            return done
        done = submit()
        self.assertEqual((done.code, done.lines), (0, ["built"] * 2), done)
        built = re.findall(r"builds the image (\S+) from", done.errors)
        self.assertEqual(len(built), 1, done)
        self.write("context/some.log", "2")
        done = submit()
        self.assertEqual((done.code, done.lines), (0, ["built"] * 2), done)
        self.assertNotIn("builds", done.errors)
        self.write("context/said", "anew\n")
        done = submit()
        self.assertEqual((done.code, done.lines), (0, ["anew"] * 2), done)
        self.assertNotIn(built[0], done.errors)
        self.write("context/Dockerfile", f"FROM {self.small}\nCOPY none /said\n")
        self.assertIn("cannot build the image: ", submit().errors)


@unittest.skipIf(REASON, REASON)
class Lost(ImagesCase):  # of hosts of its own: one is killed
    def test_a_host_dies_while_an_image_travels_to_it(self):
        slow = self.write("slow", SLOW % (self.lab.ssh_command, self.lab.ssh_command), 0o755)
        job = self.start_in_lab("-H", "node1,node2", "-n", "2", "--image", self.small,
                                "--image-from-here", "touch", self.path("ran"), ssh_command=slow)
        until("the image on its way", lambda: any(
            words.endswith("podman load") for words in self.lab.strangers("node2").values()))
        self.lab.kill_host("node2")
        done = job.finish(90)
        self.assertEqual(done.code, LOST, done)
        self.assertRegex(done.errors, r"node2: nothing heard for 8 s")
        self.assertFalse(os.path.exists(self.path("ran")))
        self.assert_hosts_clean()
        cache = self.lab.path("head", "/run/home/.cache/muster/images")
        self.assertEqual(os.listdir(cache), [])
        done = self.runs(self.small, "--image-from-here", hosts="node1")
        self.assertEqual((done.code, done.lines), (0, ["node1"]), done)


if __name__ == "__main__":
    run_tests()

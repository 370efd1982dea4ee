"""The images that tests pack from this machine's files: each is there, and its programs run."""

# rooms: lab
# needs: podman

import json
import os
import sys
import tarfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import image  # noqa: E402
from lab import run_tests  # noqa: E402

REASON = image.why_not()
if REASON:
    print(f"SKIPPED: no containers can be made here: {REASON}", file=sys.stderr)

DDP = """
import os, torch, torch.distributed as dist
os.environ["OMPI_MCA_ess_singleton_isolated"] = "1"  # nobody has put orted into the image
dist.init_process_group("gloo", rank=0, world_size=1, init_method="tcp://127.0.0.1:29500")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
model(torch.ones(3, 4)).sum().backward()
total = torch.ones(1)
dist.all_reduce(total)
from mpi4py import MPI
print("trained", int(total.item()), MPI.COMM_WORLD.Get_size())
"""


@unittest.skipIf(REASON, REASON)
class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.storage = image.Storage(list(image.IMAGES))
        cls.addClassCleanup(cls.storage.close)

    def output(self, name, *words, options=()):
        done = self.storage.podman("run", "--rm", "--network", "none", *options,
                                   image.reference(name), *words)
        return done.stdout.decode()

    def test_small_has_a_shell_and_the_usual_programs(self):
        self.assertEqual(self.output("small", "sh", "-c", "seq 3 | tail -n 1; id -u"), "3\n0\n")

    def test_full_trains_with_torch(self):
        self.assertEqual(self.output("full", "/usr/bin/python3", "-c", DDP), "trained 1 1\n")

    def test_programs_of_both_mpi_libraries_run(self):
        for name, library in (("full", "openmpi"), ("full", "mpich"), ("no-pmix", "mpich")):
            alone = ["--env", "OMPI_MCA_ess_singleton_isolated=1"]
            self.assertIn("ok with 1", self.output(name, f"/mpi/{library}/hello", options=alone))

    def test_no_pmix_has_no_pmix(self):
        listed = self.output("no-pmix", "sh", "-c", "ls -R /usr /etc /mpi")
        self.assertIn("libmpich.so", listed)
        self.assertNotIn("pmix", listed)

    def test_musl_has_no_glibc(self):
        self.assertIn("rank ? pid 1", self.output("musl", "/bin/hello"))
        listed = self.output("musl", "sh", "-c", "ls /lib")
        self.assertIn("ld-musl", listed)
        self.assertNotIn("libc.so.6", listed)

    def test_bare_has_nothing_but_its_program(self):
        self.assertIn("rank ? pid 1", self.output("bare"))
        done = self.storage.podman("run", "--rm", image.reference("bare"), "sh", check=False)
        self.assertNotEqual(done.returncode, 0)

    def test_the_wrong_processor_is_told(self):
        told = self.storage.podman("image", "inspect", "--format", "{{.Architecture}}",
                                   image.reference("wrong-processor")).stdout.decode().strip()
        self.assertNotEqual(told, image.processor())

    def test_an_archive_is_packed_once_and_names_its_image(self):
        path = image.archive("small")
        before = os.stat(path).st_mtime_ns
        self.assertEqual(os.stat(image.archive("small")).st_mtime_ns, before)
        with tarfile.open(path) as archive:
            manifest = json.load(archive.extractfile("manifest.json"))
        self.assertEqual(manifest[0]["RepoTags"], [image.reference("small")])


if __name__ == "__main__":
    run_tests()

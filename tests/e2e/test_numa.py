"""Binding, memory policies and distances on real kernels with several NUMA nodes.

They run in virtual machines. Buses near a NUMA node, and what lies on them, are the kernel's own:
numa_node, local_cpulist, distance. No driver of a GPU is there, so the lists of GPUs, which drivers
make in /proc, /dev and /sys/class, are made up; each entry leads to a real device on a bus.
"""

# rooms: plan probe helper host front
# needs: numa
# long

import re
import sys
import unittest

from support import USAGE, run_tests
import virtual  # which support has put on the path

REASON = virtual.why_not()
if REASON:
    print(f"SKIPPED: no virtual machine: {REASON}", file=sys.stderr)

CPUS = "grep Cpus_allowed_list: /proc/self/status"
# Touches 2 MiB, and tells of pages of its own by node: "policy N0 N1".
TOUCH = r"""sh -c 'x=$(head -c 2000000 /dev/zero | tr "\0" x); awk "
/anon=/ && !/file=/ { for (i = 3; i <= NF; i++) if (\$i ~ /^N[0-9]/) {
  split(\$i, one, \"=\"); pages[one[1]] += one[2] } policy = \$2 }
END { print policy, pages[\"N0\"] + 0, pages[\"N1\"] + 0 }" /proc/$$/numa_maps'"""
# A control group that leaves these cpus, and memory of these nodes.
WITHIN = ("cd /sys/fs/cgroup; echo +cpuset > cgroup.subtree_control; mkdir -p one;"
          " echo {memory} > one/cpuset.mems; echo {cpus} > one/cpuset.cpus;"
          " (echo 0 > one/cgroup.procs; {command})")
NVIDIA = r"""umount /proc/driver 2>/dev/null; rm -f /dev/nvidia*
mount -t tmpfs tmpfs /proc/driver; minor=0
for bus in {buses}; do
  mkdir -p /proc/driver/nvidia/gpus/$bus; touch /dev/nvidia$minor
  echo "Device Minor: $minor" > /proc/driver/nvidia/gpus/$bus/information; minor=$((minor + 1))
done"""
CLASS = r"""umount /sys/class 2>/dev/null; rm -rf /run/class /dev/dri
cp -a /sys/class /run/class
mkdir -p /run/class/drm/renderD128
ln -s /sys/bus/pci/devices/{bus} /run/class/drm/renderD128/device
{more}
mount --bind /run/class /sys/class"""
AMD = CLASS.replace("{more}", r"""nodes=/run/class/kfd/kfd/topology/nodes
mkdir -p $nodes/0 $nodes/1
echo 0 > $nodes/0/gpu_id; echo 77 > $nodes/1/gpu_id
echo "drm_render_minor 128" > $nodes/1/properties""")
INTEL = CLASS.replace("{more}", "mkdir -p /dev/dri; touch /dev/dri/renderD128")
NO_GPUS = "umount /proc/driver /sys/class; rm -rf /dev/nvidia* /dev/dri"


class OnVirtualMachine(unittest.TestCase):
    """One machine for all tests of a class; tests leave it as it was."""

    hardware = ()

    @classmethod
    def setUpClass(cls):
        cls.machine = cls.enterClassContext(virtual.VirtualMachine(cls.hardware))

    def says(self, command):
        """Lines, sorted, of a command that succeeds."""
        said = self.machine.run(command)
        self.assertEqual(said.code, 0, f"{command}\n{said}")
        self.errors = said.errors
        return sorted(said.text.splitlines())

    def cpus(self, words, launcher="muster run", before=""):
        """What each rank may run on, by rank."""
        tag = "--tag-output" if "mpirun" in launcher else "-l" if "hydra" in launcher else "--tag"
        lines = self.says(f"{before} {launcher} {tag} {words} {CPUS}")
        return [line.split("\t")[-1] for line in lines]

    def within(self, cpus, memory, words):
        command = f"muster run --tag {words} {CPUS}"
        lines = self.says(WITHIN.format(cpus=cpus, memory=memory, command=command))
        return [line.split("\t")[-1] for line in lines]

    def refused(self, command, *words):
        said = self.machine.run(command)
        self.assertEqual((said.code, said.text), (USAGE, ""), said)
        self.assertEqual(said.errors.count("error:"), 1, said)
        for one in words:
            self.assertIn(one, said.errors)

    def planned(self, words):
        """What a dry run says that ranks are bound to."""
        lines = self.says(f"muster run {words} --dry-run true")
        return [line.split()[4] for line in lines if re.match(r" +\d+ +virtual ", line)]

    def near(self, kind, node):
        """The bus addresses of devices of a kind, "0x038000", near a node."""
        return self.says("cd /sys/bus/pci/devices; for one in *; do"
                         f' [ "$(cat $one/class) $(cat $one/numa_node)" = "{kind} {node}" ] &&'
                         " echo $one; done; true")

    def interface(self, node):
        """The network interface near a node; -1: the one whose place the kernel does not know."""
        found = self.says("for one in /sys/class/net/eth*; do"
                          f' [ "$(cat $one/device/../numa_node)" = {node} ] &&'
                          " basename $one; done; true")
        self.assertEqual(len(found), 1, found)
        return found[0]


@unittest.skipIf(REASON, REASON)
class TwoNodes(OnVirtualMachine):
    """Cpus 0-1 and 2-3; a display and a network near each node, and a network near neither."""

    hardware = (*virtual.TWO_NODES, "-device", "virtio-net-pci",
                *virtual.bus_near(0, "virtio-net-pci", "secondary-vga"),
                *virtual.bus_near(1, "virtio-net-pci", "secondary-vga"))
    DISPLAY = "0x038000"

    def pages(self, words, launcher="muster run"):
        """[(policy, pages on node 0, pages on node 1)] of ranks that have touched 2 MiB."""
        rows = [line.split() for line in self.says(f"{launcher} {words} {TOUCH}")]
        return [(policy, int(first), int(second)) for policy, first, second in rows]

    def assert_mostly(self, pages, few):
        """That pages are where they should be; of what execve began with, a few are not."""
        many, others = pages
        self.assertGreater(many, 450)
        self.assertLessEqual(others, few)

    def test_ranks_are_bound_to_nodes(self):
        for launcher in ("muster run", "muster mpirun", "muster mpiexec.hydra"):
            with self.subTest(launcher):
                words = "-n 2 -bind-to numa" if "hydra" in launcher else "-n 2 --bind-to numa"
                self.assertEqual(self.cpus(words, launcher), ["0-1", "2-3"])
        self.assertEqual(self.planned("-n 2 --bind-to numa"), ["0-1", "2-3"])
        said = self.machine.run("muster mpirun -n 2 --bind-to numa --report-bindings true")
        self.assertRegex(said.errors, r"rank 0 bound to .*: \[B/B\]\[\./\.\]\n")
        self.assertRegex(said.errors, r"rank 1 bound to .*: \[\./\.\]\[B/B\]\n")

    def test_local_memory_is_of_the_ranks_node(self):
        for rank, (policy, *pages) in enumerate(sorted(
                self.pages("-n 2 --bind-to numa --mem-bind local"), key=lambda row: row[2])):
            self.assertEqual(policy, "local")
            self.assert_mostly(pages[::-1] if rank else pages, 32)

    def test_interleaved_memory_is_of_both(self):
        for row in self.pages("-n 2 --mem-bind interleave"):
            self.assertEqual(row[0], "interleave:0-1")
            self.assertGreater(min(row[1:]), 200, row)

    def test_bound_memory_is_of_the_list_alone(self):
        for launcher, words in (("muster run", "-n 1 --mem-bind bind:1"),
                                ("muster run", "-n 1 --cpu-list 0 --mem-bind bind:1"),
                                ("muster mpiexec.hydra", "-n 1 -bind-to numa -membind bind:1")):
            policy, *pages = self.pages(words, launcher)[0]
            self.assertEqual(policy, "bind:1", words)
            self.assert_mostly(pages[::-1], 0)

    def test_the_nodes_of_each_rank(self):
        for launcher, words in (
                ("muster mpiexec.hydra", "-n 2 -bind-to numa -membind bind:"),
                ("muster mpirun",
                 "-n 2 --bind-to numa -mca hwloc_base_mem_alloc_policy local_only")):
            rows = sorted(self.pages(words, launcher))
            self.assertEqual([row[0] for row in rows], ["bind:0", "bind:1"])
            self.assert_mostly(rows[0][1:], 0)
            self.assert_mostly(rows[1][:0:-1], 0)

    def test_a_node_that_is_not_there(self):
        hint = "`numactl -H` lists the NUMA nodes of a host"
        self.refused("muster run -n 1 --mem-bind bind:0,5 true", hint,
                     "there is no memory for this job on NUMA node 5, only on 0-1")
        self.refused(WITHIN.format(cpus="0-3", memory="1",
                                   command="muster run -n 1 --mem-bind bind:0 true"), hint,
                     "there is no memory for this job on NUMA node 0, only on 1")

    def test_ranks_fill_nodes_from_the_device_on(self):
        for node, cpus in ((0, list("0123")), (1, list("2301"))):
            words = f"-n 4 --map-by dist:{self.interface(node)} --bind-to core"
            self.assertEqual(self.cpus(words), cpus)
            self.assertEqual(self.planned(words), cpus)
            words = f"-mca rmaps_dist_device {self.interface(node)} -n 4 --map-by dist"
            self.assertEqual(self.cpus(f"{words} --bind-to core", "muster mpirun"), cpus)

    def test_a_device_that_the_kernel_cannot_place(self):
        device = self.interface(-1)
        self.refused(f"muster run -n 2 --map-by dist:{device} --bind-to core true",
                     f"virtual does not tell which NUMA node {device} is near to")

    def test_near_a_gpu_of_each_maker(self):
        self.addCleanup(self.machine.run, NO_GPUS)
        first, second = (self.near(self.DISPLAY, node)[0] for node in (0, 1))
        for buses, cpus in ((f"{first} {second}", ["0-1", "2-3"]), (second, ["2-3", "2-3"])):
            self.says(NVIDIA.replace("{buses}", buses))
            self.assertEqual(self.cpus("-n 2 --bind-to gpu"), cpus)
            self.assertEqual(self.planned("-n 2 --bind-to gpu"), cpus)
        self.machine.run(NO_GPUS)
        self.says(AMD.replace("{bus}", second))
        self.assertEqual(self.cpus("-n 1 --bind-to gpu"), ["2-3"])
        self.machine.run(NO_GPUS)
        # The root's own devices are of Intel, near no node: only the maker is read, as of a GPU.
        host_bridge = "0000:00:00.0"
        self.says(INTEL.replace("{bus}", host_bridge))
        self.refused("muster run -n 1 --bind-to gpu true",
                     "virtual does not tell which cores are near its GPU 0")

    def test_gpus_in_control_groups(self):
        """Which nodes' memory a job may use says nothing of where its GPU is."""
        self.addCleanup(self.machine.run, NO_GPUS)
        self.says(NVIDIA.replace("{buses}", self.near(self.DISPLAY, 1)[0]))
        for memory in ("0", "1", "0-1"):
            self.assertEqual(self.within("1-3", memory, "-n 1 --bind-to gpu"), ["2-3"], memory)
        for memory in ("0", "0-1"):
            command = WITHIN.format(cpus="0-1", memory=memory,
                                    command="muster run -n 1 --bind-to gpu true")
            self.refused(command, "no core near GPU 0 of virtual may be used")

    def test_cpus_of_one_node_and_memory_of_both(self):
        """Where packages are left without cpus, as a container's --cpuset-cpus leaves them."""
        for words in ("", f"--map-by dist:{self.interface(0)}"):
            self.assertEqual(self.within("2-3", "0-1", f"-n 2 {words} --bind-to core"), ["2", "3"])
        self.assertEqual(self.within("2-3", "0-1", "-n 1 --bind-to numa"), ["2-3"])


@unittest.skipIf(REASON, REASON)
class FourNodes(OnVirtualMachine):
    """One cpu each, at distances that are not in their order, and memory alone near the second."""

    hardware = (*virtual.nodes(
        (256, "0"), (256, "1"), (256, "2"), (128, "3"), (64, None), distances=(
            (0, 1, 31), (0, 2, 21), (0, 3, 41), (1, 2, 31), (1, 3, 21), (2, 3, 15), (0, 4, 50),
            (1, 4, 22), (2, 4, 50), (3, 4, 50))), *virtual.bus_near(3, "virtio-net-pci"))

    def test_the_kernels_table_decides(self):
        words = f"--map-by dist:{self.interface(3)} --bind-to core"
        self.assertEqual(self.cpus(f"-n 4 {words}"), ["3", "2", "1", "0"])
        self.assertEqual(self.within("0,1,3", "0-4", f"-n 3 {words}"), ["3", "1", "0"])
        self.assertEqual(self.within("0-1", "0-4", f"-n 2 {words}"), ["1", "0"])

    def test_memory_alone_is_a_node_too(self):
        lines = self.says("muster run -n 1 --mem-bind interleave numactl --show")
        self.assertIn("interleavemask: 0 1 2 3 4 ", lines)
        self.assertIn("membind: 4 ", self.says("muster run -n 1 --mem-bind bind:4 numactl --show"))


@unittest.skipIf(REASON, REASON)
class OddNodes(OnVirtualMachine):
    """Cpus 0-1 with memory, memory alone, cpu 2 without memory, and cpu 3 with some."""

    hardware = (*virtual.nodes((384, "0-1"), (384, None), (None, "2"), (256, "3")),
                *virtual.bus_near(2, "secondary-vga"))

    def test_a_gpu_near_cpus_without_memory(self):
        self.addCleanup(self.machine.run, NO_GPUS)
        bus = self.says('grep -l 0x038000 /sys/bus/pci/devices/*/class | cut -d/ -f6')[0]
        self.says(NVIDIA.replace("{buses}", bus))
        self.assertEqual(self.cpus("-n 1 --bind-to gpu"), ["2"])

    def test_memory_that_is_not_there(self):
        # The kernel's numbers are not QEMU's: nodes without memory, and without cpus, come last.
        with_memory = self.says("cat /sys/devices/system/node/has_memory")[0]
        self.refused("muster run -n 1 --mem-bind bind:1 true",
                     f"NUMA node 1, only on {with_memory}")


if __name__ == "__main__":
    run_tests()

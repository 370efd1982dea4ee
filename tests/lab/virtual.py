"""Boots virtual machines for tests: a real kernel with the NUMA nodes and buses that a test wants.

The kernel is Debian's (tools/cloud_kernel); its only disk is an archive in memory, packed from
this machine's own files (image.Tree): busybox, muster, and what a test adds. Nothing is installed,
and no network leads out. Commands go in, and what they said comes back, over a serial line.
Without /dev/kvm it is emulated, many times slower.

    python3 tests/lab/virtual.py "numactl -H"    # what a machine with two nodes says to a command

    with VirtualMachine(TWO_NODES, tree) as machine:
        done = machine.run("muster run -n 2 --bind-to numa grep Cpus /proc/self/status")
"""

import atexit
import base64
import collections
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

import image
from lab import MUSTER, ROOT

QEMU = "qemu-system-x86_64"
TOOLS = (QEMU, "busybox", "readelf", "numactl")
# Of a boot and of a command; they only end what hangs. Emulated, a boot takes ten seconds.
BOOT_SECONDS, COMMAND_SECONDS = 300, 180
# A /dev/kvm may start no kernel but its maker's own, without a word: who says nothing is emulated.
KVM_SECONDS = 20
NETWORK = ("virtio/virtio_ring", "virtio/virtio", "virtio/virtio_pci_legacy_dev",
           "virtio/virtio_pci_modern_dev", "virtio/virtio_pci")
MODULES = (*(f"drivers/{one}" for one in NETWORK), "net/core/failover", "drivers/net/net_failover",
           "drivers/net/virtio_net")

# The first process: it takes a line of base64, and answers with code, stdout and stderr in one.
INIT = r"""#!/bin/busybox sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:/busybox HOME=/root LANG=C.UTF-8
/bin/busybox mkdir -p /busybox /proc /sys /dev /tmp /run /root
/bin/busybox --install -s /busybox
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
for place in /dev/shm /tmp /run; do mount -t tmpfs tmpfs $place; done
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t devpts devpts /dev/pts
hostname virtual
ip link set lo up
for module in /modules/*.ko; do insmod "$module" || echo "no $module"; done
stty -F /dev/ttyS1 raw -echo
exec 3<>/dev/ttyS1
echo ready >&3
while read -r line <&3; do
  echo "$line" | base64 -d >/run/command
  (cd /tmp && exec setsid sh /run/command) </dev/null >/run/out 2>/run/err 3>&-
  echo "$? $(base64 -w 0 /run/out)- $(base64 -w 0 /run/err)-" >&3
done
"""

Said = collections.namedtuple("Said", "code text errors")


def kernel_folder():
    """Where tools/cloud_kernel has put the kernel; None where it has not."""
    done = subprocess.run([os.path.join(ROOT, "tools", "cloud_kernel"), "--where"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def why_not():
    """The reason why no virtual machine can be booted here, or an empty string."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return f"missing programs: {' '.join(missing)} (tools/setup numa)"
    return "" if kernel_folder() else "`tools/cloud_kernel` has unpacked no kernel"


def nodes(*described, distances=()):
    """QEMU's words for NUMA nodes, each (MiB, cpus): (512, "0-1"); either may be None."""
    words = ["-m", f"{sum(size or 0 for size, _ in described)}M"]
    for number, (size, cpus) in enumerate(described):
        node = f"node,nodeid={number}"
        if size:
            words += ["-object", f"memory-backend-ram,id=memory{number},size={size}M"]
            node += f",memdev=memory{number}"
        words += ["-numa", node + (f",cpus={cpus}" if cpus else "")]
    for source, target, value in distances:
        words += ["-numa", f"dist,src={source},dst={target},val={value}"]
    return words


def bus_near(node, *devices):
    """QEMU's words for a bus of its own near a NUMA node, with these devices."""
    words = ["-device", f"pxb-pcie,id=near{node},bus=pcie.0,numa_node={node},"
                        f"bus_nr={0x20 * (node + 1)}"]
    for slot, device in enumerate(devices):
        port = f"port{node}x{slot}"
        words += ["-device", f"pcie-root-port,id={port},bus=near{node},chassis={node * 16 + slot},"
                             f"slot={slot},addr={slot}"]
        words += ["-device", f"{device},bus={port}"]
    return words


def muster_tree():
    """What each machine holds: busybox, muster with hwloc, numactl."""
    tree = image.Tree()
    for path in ("/usr/bin/numactl", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf"):
        tree.add(path)
    for path in ("libhwloc.so.15", "libnss_files.so.2"):
        path = os.path.join(image.LIBRARIES, path)
        if os.path.exists(path):
            tree.add(path)
    tree.put("/usr/bin/muster", MUSTER)
    tree.put("/usr/bin/busybox", shutil.which("busybox"))
    tree.entries["/bin"] = ("link", "usr/bin")
    tree.entries["/usr/bin/sh"] = ("link", "busybox")
    return tree


class VirtualMachine:
    """One that has booted; `hardware` are QEMU's words for what it has beside four processors."""

    accelerators = ["kvm", "tcg"]  # the first that works stays the first

    def __init__(self, hardware, tree=None):
        self._hardware, self._tree = hardware, tree or muster_tree()
        self._folder = tempfile.mkdtemp(prefix="muster-virtual-")
        self._console = os.path.join(self._folder, "console")
        self._qemu, self._read = None, b""

    def __enter__(self):
        atexit.register(self.close)
        try:
            self._boot()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)
        atexit.unregister(self.close)

    def _end(self):
        if self._qemu:
            self._qemu.kill()  # it has no disk that could be left in disorder
            self._qemu.wait()
            self._qemu.stdin.close()
            self._qemu.stdout.close()
            self._qemu = None

    def run(self, command, seconds=COMMAND_SECONDS):
        """What a command of the shell says, and its exit code. Without an answer the machine ends:
        one that came later would be taken for the next command's."""
        if not self._qemu:
            raise RuntimeError("the virtual machine has ended")
        try:
            self._qemu.stdin.write(base64.b64encode(command.encode()) + b"\n")
            code, out, err = self._line(command, seconds).split()
        except BaseException:
            self._end()
            raise
        return Said(int(code), *(base64.b64decode(text[:-1]).decode(errors="replace")
                                 for text in (out, err)))

    def _boot(self):
        kernel = kernel_folder()
        archive = os.path.join(self._folder, "archive")
        for number, module in enumerate(MODULES):
            file = os.path.join(kernel, "modules", f"{module}.ko")
            if os.path.exists(file):  # newer kernels have some of them built in
                self._tree.put(f"/modules/{number:02}-{os.path.basename(module)}.ko", file)
        self._tree.add_libraries()
        write_archive(archive, self._tree)
        if not os.access("/dev/kvm", os.R_OK | os.W_OK):
            self.accelerators[:] = ["tcg"]
        self._start(kernel, archive)
        if self.accelerators[0] == "kvm" and not self._lives():
            self._end()
            del self.accelerators[0]
            self._start(kernel, archive)
        while self._line("its boot", BOOT_SECONDS) != "ready":
            pass

    def _start(self, kernel, archive):
        with open(os.path.join(self._folder, "errors"), "wb") as file:
            self._qemu = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", QEMU, "-nodefaults", "-no-user-config",
                 "-display", "none", "-no-reboot", "-machine", "q35", "-accel",
                 self.accelerators[0], "-cpu", "max,arch-capabilities=off", "-smp",
                 "4,sockets=2,cores=2,threads=1", *self._hardware, "-kernel",
                 os.path.join(kernel, "kernel"), "-initrd", archive, "-append",
                 "console=ttyS0 rdinit=/init panic=-1", "-serial", f"file:{self._console}",
                 "-chardev", "stdio,id=line,signal=off", "-serial", "chardev:line"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, bufsize=0)

    def _lives(self):
        """Whether the kernel speaks."""
        end = time.monotonic() + KVM_SECONDS
        while self._qemu.poll() is None and time.monotonic() < end:
            if os.path.exists(self._console) and os.path.getsize(self._console) > 0:
                return True
            select.select([self._qemu.stdout], [], [], 0.1)
        return False

    def _line(self, what, seconds):
        """The next one on the serial line; a machine that ends, or says nothing, is an error."""
        end = time.monotonic() + seconds
        pipe = self._qemu.stdout.fileno()
        while b"\n" not in self._read:
            waited = select.select([pipe], [], [], max(0, end - time.monotonic()))[0]
            piece = os.read(pipe, 1 << 16) if waited else b""
            if not piece:
                how = "ended" if waited else f"said nothing for {seconds} s"
                raise RuntimeError(f"the virtual machine {how}, after {what}:\n{self._told()}")
            self._read += piece
        line, _, self._read = self._read.partition(b"\n")
        return line.decode(errors="replace").strip()

    def _told(self):
        told = ""
        for name in ("errors", "console"):
            if os.path.exists(path := os.path.join(self._folder, name)):
                with open(path, encoding="utf-8", errors="replace") as file:
                    told += file.read()[-4000:]
        return told


def write_archive(path, tree):
    """An archive as the kernel unpacks them at its start: cpio's "newc"."""
    with open(path, "wb") as file:
        made = set()
        for name, source in sorted(tree.entries.items()):
            _add_folders(file, os.path.dirname(name), made)
            if isinstance(source, tuple):
                _add(file, name, stat.S_IFLNK | 0o777, source[1].encode())
                continue
            with open(source, "rb") as content:
                _add(file, name, stat.S_IFREG | 0o755, content.read())
        _add(file, "/init", stat.S_IFREG | 0o755, INIT.encode())
        _add(file, "/TRAILER!!!", 0, b"")


def _add_folders(file, name, made):
    if name in ("/", "") or name in made:
        return
    _add_folders(file, os.path.dirname(name), made)
    made.add(name)
    _add(file, name, stat.S_IFDIR | 0o755, b"")


def _add(file, name, mode, content):
    name = name.lstrip("/").encode() + b"\0"
    # inode, mode, owner, group, links, time, size, devices (4), length of the name, checksum
    fields = (file.tell() // 4 + 1, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
    header = b"070701" + b"".join(b"%08x" % field for field in fields) + name
    file.write(header + b"\0" * (-len(header) % 4) + content + b"\0" * (-len(content) % 4))


TWO_NODES = nodes((512, "0-1"), (512, "2-3"))

if __name__ == "__main__":
    if why_not():
        sys.exit(why_not())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with VirtualMachine(TWO_NODES) as booted:
        answer = booted.run(" ".join(sys.argv[1:]) or "numactl -H")
    sys.stdout.write(answer.text)
    sys.stderr.write(answer.errors)
    sys.exit(answer.code)

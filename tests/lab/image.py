"""Packs container images for tests from this machine's own files: no registry, nothing downloaded.

An image is a docker-archive (what `podman load`, `skopeo` and `ctr image import` read) with one
layer. What is in it is found by following programs, packages and Python's modules to the files and
shared libraries that they need. Archives and a store in which podman has them loaded are kept in
$MUSTER_TEST_IMAGES (~/.cache/muster-test-images), by content, so only the first use takes long.

    python3 tests/lab/image.py full            # packs it, and prints where the archive lies
    python3 tests/lab/image.py --load small    # into podman's own store on this machine

    with Containers(lab, ["small", "full"]):   # podman on every host of the lab, storage of its own
        lab.run(["podman", "run", "--rm", image.reference("small"), "true"], host="node1")
"""

import argparse
import contextlib
import fcntl
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MPI_SOURCES = os.path.join(os.path.dirname(HERE), "mpi")
PYTHON = "/usr/bin/python3"
MPI_PROGRAMS = ("hello", "collectives", "point_to_point", "abort", "spawn", "one_sided")
# Their tests, headers and static libraries would be most of the image.
NOT_PACKED = re.compile(r"/(tests?|testing/data|include|idlelib|lib2to3|turtledemo|ensurepip)/"
                        r"|\.(a|la|h|hpp|cuh)$|/config-3[^/]*/|/torch/bin/test_")
BASE_PACKAGES = ("dash", "bash", "coreutils", "grep", "sed", "hostname", "util-linux", "libc-bin")
BASE_FILES = ("/bin/sh", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/ld.so.conf",
              "/etc/ld.so.conf.d", "/etc/ld.so.cache", "/usr/bin/env")
BASE_PROGRAMS = re.compile(r"^(/usr)?/s?bin/")
MODULES = ("torch", "torch.distributed", "torch.nn.parallel", "torch.utils.data", "numpy",
           "mpi4py.MPI", "multiprocessing", "http.server", "ctypes", "sqlite3", "yaml")
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
OPEN_MPI = (f"{LIBRARIES}/libmpi.so.40", f"{LIBRARIES}/openmpi/lib", f"{LIBRARIES}/pmix2/lib",
            f"{LIBRARIES}/libpmix.so.2", "/etc/openmpi", "/etc/pmix2", "/usr/share/openmpi",
            "/usr/share/pmix2")
MPICH = (f"{LIBRARIES}/libmpich.so.12", f"{LIBRARIES}/ucx")
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def processor():
    """This machine's, as images name it."""
    return ARCHITECTURES.get(platform.machine(), platform.machine())


def cache_folder():
    return os.environ.get("MUSTER_TEST_IMAGES") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "muster-test-images")


# ---- what goes in --------------------------------------------------------------------------------

class Tree:
    """Names in the image, each with the file of this machine that it is; links are followed."""

    def __init__(self):
        self.entries = {}  # "/usr/bin/env" -> the path here, or a link's target as ("link", text)
        self._resolved = {}

    def add(self, path):
        """The file, folder or link, the links on its way, and what it links to."""
        real = self._real_parent(path)
        if real in self.entries:
            return
        if os.path.islink(real):
            target = os.readlink(real)
            self.entries[real] = ("link", target)
            self.add(os.path.normpath(os.path.join(os.path.dirname(real), target)))
        elif os.path.isdir(real):
            for entry in sorted(os.listdir(real)):
                self.add(os.path.join(real, entry))
        elif os.path.isfile(real) and not NOT_PACKED.search(real):
            self.entries[real] = real

    def put(self, name, path):
        """The file `path` under another name."""
        self.entries[name] = path

    def _real_parent(self, path):
        """`path` with every link among its folders resolved; each such link is an entry, too."""
        parent, name = os.path.split(path)
        if parent == "/":
            return path
        if parent not in self._resolved:
            up = self._real_parent(parent)
            if os.path.islink(up):
                target = os.readlink(up)
                self.entries[up] = ("link", target)
                up = self._real_parent(os.path.normpath(
                    os.path.join(os.path.dirname(up), target)) + "/.")[:-2]
            self._resolved[parent] = up
        return os.path.join(self._resolved[parent], name)

    def add_libraries(self):
        """The shared libraries that what is in needs, and those that these need."""
        known, loader = set(), Loader()
        while True:
            files = {path for path in self.entries.values() if isinstance(path, str)} - known
            objects = sorted(path for path in files if _is_elf(path))
            known |= files
            if not objects:
                return
            for library in loader.needed(objects):
                self.add(library)


def _is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


class Loader:
    """Where the dynamic loader finds shared libraries. ldd asks it for one object after the other,
    which takes minutes for torch; readelf reads hundreds at once."""

    def __init__(self):
        done = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
        self._known = {}
        for name, path in re.findall(r"^\t(\S+) \(libc6,[^)]*64[^)]*\) => (\S+)$", done.stdout,
                                     re.MULTILINE):
            self._known.setdefault(name, path)

    def needed(self, objects):
        """The libraries and the loader that these need themselves."""
        found = set()
        for text in _described(objects).split("\nFile: "):
            path, _, rest = text.partition("\n")
            found.update(re.findall(r"program interpreter: ([^]]+)", rest))
            folders = [folder.replace("$ORIGIN", os.path.dirname(path.strip()))
                       for line in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", rest)
                       for folder in line.split(":")]
            for name in re.findall(r"\(NEEDED\).*\[(.*)\]", rest):
                beside = [os.path.join(one, name) for one in folders]
                there = [one for one in beside if os.path.exists(one)] or [self._known.get(name)]
                found.update(one for one in there[:1] if one)
        return sorted(found)


def _described(objects):
    """What readelf says of each, behind a line "File: PATH" of its own."""
    done = subprocess.run(["readelf", "-d", "-l", "-W", *objects, "/dev/null"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return "\n" + done.stdout


def _packaged(package):
    done = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=True)
    return [path for path in done.stdout.splitlines()
            if BASE_PROGRAMS.search(path) and os.path.isfile(path)]


def _base(tree):
    for package in BASE_PACKAGES:
        for path in _packaged(package):
            tree.add(path)
    for path in BASE_FILES:
        tree.add(path)


def _python(tree):
    """The interpreter, its own library, and the packages that MODULES really import."""
    code = (f"import {', '.join(MODULES)}, json, os, sys\n"
            "files = [getattr(one, '__file__', None) for one in list(sys.modules.values())]\n"
            "maps = [line.split()[-1] for line in open('/proc/self/maps') if '.so' in line]\n"
            "print(json.dumps([os.__file__, [f for f in files if f], maps]))\n")
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True)
    library, files, maps = json.loads(done.stdout.splitlines()[-1])
    packages = "/usr/lib/python3/dist-packages/"
    tops = {os.path.join(packages, path[len(packages):].split("/")[0])
            for path in files if path.startswith(packages)}
    for path in [PYTHON, os.path.dirname(library), *sorted(tops), *files, *maps]:
        tree.add(path)


def _mpi(tree, folder, library, files):
    """The run-time files of one MPI library, and the test programs compiled for it."""
    for path in files:
        if os.path.lexists(path):
            tree.add(path)
    for name in MPI_PROGRAMS:
        path = os.path.join(folder, f"{library}-{name}")
        subprocess.run([f"mpicc.{library}", "-O1", "-w", os.path.join(MPI_SOURCES, f"{name}.c"),
                        "-o", path, "-lpthread"], check=True)
        tree.put(f"/mpi/{library}/{name}", path)


def _compiled(folder, compiler, *flags):
    """A C program that says who it is: rank, libc and the first variables of its launcher."""
    source = os.path.join(folder, "hello.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write('#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n'
                   'int main(int n, char** words) {\n'
                   '  const char* rank = getenv("RANK");\n'
                   '  printf("rank %s pid %d\\n", rank ? rank : "?", (int)getpid());\n'
                   '  fflush(stdout);\n'
                   '  if (n > 1) sleep((unsigned)atoi(words[1]));\n'
                   '  return n > 2 ? atoi(words[2]) : 0;\n}\n')
    program = os.path.join(folder, "hello")
    subprocess.run([compiler, "-O1", *flags, source, "-o", program], check=True)
    return program


def _busybox(tree):
    tree.put("/bin/busybox", shutil.which("busybox"))
    done = subprocess.run(["busybox", "--list"], capture_output=True, text=True, check=True)
    for name in done.stdout.split():
        if name != "busybox":
            tree.entries[f"/bin/{name}"] = ("link", "busybox")


def small(tree, folder):
    """A shell and the usual small programs: busybox, linked statically."""
    del folder
    _busybox(tree)


def pause(tree, folder):
    """As `small`, but without a command it waits: that holds the network of a Kubernetes pod."""
    small(tree, folder)


def sanitized(tree, folder):
    """As `small`, with what a muster needs that sanitizers are in, since that one is not static."""
    small(tree, folder)
    source = os.path.join(folder, "main.cpp")
    with open(source, "w", encoding="utf-8") as file:
        file.write("int main() {}\n")
    program = os.path.join(folder, "main")
    subprocess.run(["g++", "-fsanitize=address,undefined", "-Wl,--no-as-needed", source, "-o",
                    program], check=True)
    tree.put("/bin/main", program)
    tree.add_libraries()


def full(tree, folder):
    """Debian's shell and tools, Python with torch and mpi4py, Open MPI and MPICH with programs."""
    _base(tree)
    _python(tree)
    _mpi(tree, folder, "openmpi", OPEN_MPI)
    _mpi(tree, folder, "mpich", MPICH)
    tree.add_libraries()


def no_pmix(tree, folder):
    """MPICH's programs, and nothing of PMIx."""
    _base(tree)
    _mpi(tree, folder, "mpich", MPICH)
    tree.add_libraries()
    strange = [name for name in tree.entries if "pmix" in os.path.basename(name)]
    if strange:
        raise RuntimeError(f"the image no-pmix would hold {strange}")


def musl(tree, folder):
    """A program that is linked with musl, its libc, and no glibc at all; the shell is static."""
    _busybox(tree)
    tree.put("/bin/hello", _compiled(folder, "musl-gcc"))
    loader = f"/lib/ld-musl-{platform.machine()}.so.1"
    tree.entries[loader] = ("link", "/lib/libc.so")
    tree.put("/lib/libc.so", os.path.realpath(loader))


def bare(tree, folder):
    """One static program, no shell."""
    tree.put("/hello", _compiled(folder, "gcc", "-static"))


def wrong_processor(tree, folder):
    """As `bare`, but it says that it is for another processor."""
    bare(tree, folder)


IMAGES = {"small": small, "pause": pause, "full": full, "no-pmix": no_pmix, "musl": musl,
          "bare": bare, "wrong-processor": wrong_processor, "sanitized": sanitized}
COMMANDS = {"bare": ["/hello"], "wrong-processor": ["/hello"], "pause": ["sleep", "infinity"]}
PACKAGES = {"small": ("busybox-static",), "pause": ("busybox-static",),
            "musl": ("busybox-static", "musl", "musl-tools"),
            "bare": ("libc6-dev",), "wrong-processor": ("libc6-dev",),
            "sanitized": ("busybox-static", "g++"), "no-pmix": ("libmpich12", *BASE_PACKAGES),
            "full": ("python3-torch", "python3-numpy", "python3-mpi4py", "libopenmpi3",
                     "libpmix2", "libmpich12", *BASE_PACKAGES)}


def architecture(name):
    """The processor that an image's configuration names."""
    if name != "wrong-processor":
        return processor()
    return "arm64" if processor() == "amd64" else "amd64"


# ---- archives ------------------------------------------------------------------------------------

def missing(name):
    """The packages that packing the image needs and that are not installed."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n",
                           *PACKAGES[name]], capture_output=True, text=True, check=False)
    there = {line.split()[0] for line in done.stdout.splitlines() if line.endswith(" installed")}
    return [package for package in PACKAGES[name] if package not in there]


def _key(name):
    """Changes with whatever the image is made from."""
    digest = hashlib.sha256()
    digest.update(_read(__file__))
    versions = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\n",
                               *PACKAGES[name]], capture_output=True, check=True)
    digest.update(versions.stdout)
    for program in (*(f"{one}.c" for one in MPI_PROGRAMS), "check.h"):
        digest.update(_read(os.path.join(MPI_SOURCES, program)))
    return digest.hexdigest()[:16]


def reference(name):
    """What podman calls the image."""
    return f"localhost/muster-test/{name}:{_key(name)}"


def archive(name):
    """The path of the image's docker-archive; packs it when it is not there yet."""
    if name not in IMAGES:
        raise ValueError(f"no such image: {name}; there are {', '.join(IMAGES)}")
    folder = cache_folder()
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{name}-{_key(name)}.tar")
    with _locked(f"{name}.lock"):
        if not os.path.exists(path):
            for old in os.listdir(folder):
                if re.fullmatch(rf"{name}-[0-9a-f]{{16}}\.tar", old):
                    os.unlink(os.path.join(folder, old))
            _pack(name, path)
    return path


@contextlib.contextmanager
def _locked(name):
    os.makedirs(cache_folder(), exist_ok=True)
    with open(os.path.join(cache_folder(), name), "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _pack(name, path):
    lacks = missing(name)
    if lacks:
        raise RuntimeError(f"the image {name} is packed from {' '.join(lacks)}: tools/setup test")
    with tempfile.TemporaryDirectory(prefix="muster-image-") as folder:
        tree = Tree()
        IMAGES[name](tree, folder)
        layer = os.path.join(folder, "layer.tar")
        _write_layer(tree, layer)
        _write_archive(name, layer, path + ".part")
    os.replace(path + ".part", path)


def _write_layer(tree, path):
    """Names in order, folders first; all of root, so that the bytes follow from the files."""
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as layer:
        made = set()
        for name in ("/tmp", "/run", "/proc", "/sys", "/dev", "/root", "/home", "/etc"):
            _folder(layer, name, made, 0o1777 if name == "/tmp" else 0o755)
        for name, source in sorted(tree.entries.items()):
            _folder(layer, os.path.dirname(name), made)
            info = tarfile.TarInfo(name.lstrip("/"))
            if isinstance(source, tuple):
                info.type, info.linkname = tarfile.SYMTYPE, source[1]
                layer.addfile(info)
                continue
            status = os.stat(source)
            info.size, info.mode, info.mtime = status.st_size, status.st_mode & 0o7777, 1
            if os.access(source, os.X_OK):
                info.mode |= 0o111
            with open(source, "rb") as file:
                layer.addfile(info, file)


def _folder(layer, name, made, mode=0o755):
    if name in ("/", "") or name in made:
        return
    _folder(layer, os.path.dirname(name), made)
    made.add(name)
    info = tarfile.TarInfo(name.lstrip("/"))
    info.type, info.mode = tarfile.DIRTYPE, mode
    layer.addfile(info)


def _write_archive(name, layer, path):
    digest = hashlib.sha256()
    with open(layer, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    config = json.dumps({
        "architecture": architecture(name), "os": "linux", "created": "2024-01-01T00:00:00Z",
        "config": {"Env": ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"],
                   "Cmd": COMMANDS.get(name, ["/bin/sh"]),
                   "WorkingDir": "/"},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest.hexdigest()}"]},
        "history": [{"created": "2024-01-01T00:00:00Z", "created_by": "tests/lab/image.py"}],
    }, sort_keys=True).encode()
    config_name = hashlib.sha256(config).hexdigest() + ".json"
    manifest = json.dumps([{"Config": config_name, "RepoTags": [reference(name)],
                            "Layers": ["layer.tar"]}]).encode()
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as out:
        for entry, text in ((config_name, config), ("manifest.json", manifest)):
            info = tarfile.TarInfo(entry)
            info.size = len(text)
            out.addfile(info, io.BytesIO(text))
        info = tarfile.TarInfo("layer.tar")
        info.size = os.path.getsize(layer)
        with open(layer, "rb") as file:
            out.addfile(info, file)


# ---- podman --------------------------------------------------------------------------------------

def why_not():
    """The reason why podman cannot be had here, or an empty string."""
    needed = ("podman", "runc", "conmon")
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    lacks = [tool for tool in needed if shutil.which(tool, path=path) is None]
    if lacks:
        return f"missing programs: {' '.join(lacks)}"
    if os.geteuid() != 0:
        return "podman with storage of its own needs root here"
    with Storage(["bare"]) as storage:
        done = storage.podman("run", "--rm", "--network", "none", reference("bare"), check=False)
    if done.returncode != 0 or not done.stdout.startswith(b"rank ? pid 1"):
        return "podman cannot run a container here: " + done.stderr.decode(errors="replace")[-400:]
    return ""


def write_configuration(folder, storage, stores=()):
    """containers.conf and storage.conf in `folder` for podman's own storage in `storage`.

    `stores` are folders of images that are read only. crun wants cgroups that this machine may not
    have, and without CAP_SYS_RESOURCE nobody may raise a limit: see the manual, containers.
    """
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "containers.conf"), "w", encoding="utf-8") as file:
        file.write('[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\n'
                   'events_logger = "none"\n'
                   '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n')
    shared = ", ".join(f'"{store}"' for store in stores)
    with open(os.path.join(folder, "storage.conf"), "w", encoding="utf-8") as file:
        file.write(f'[storage]\ndriver = "overlay"\ngraphroot = "{storage}/root"\n'
                   f'runroot = "{storage}/run"\n'
                   f'[storage.options]\nadditionalimagestores = [{shared}]\n')
    policy = os.path.join(folder, "policy.json")
    if not os.path.exists(policy):
        with open(policy, "w", encoding="utf-8") as file:
            file.write('{"default": [{"type": "insecureAcceptAnything"}]}\n')
    return {"CONTAINERS_CONF": os.path.join(folder, "containers.conf"),
            "CONTAINERS_STORAGE_CONF": os.path.join(folder, "storage.conf")}


def store(names):
    """A folder in the cache in which podman has these images loaded; hosts only read it."""
    folder = os.path.join(cache_folder(), "store")
    wanted = {name: reference(name) for name in names}
    with _locked("store.lock"):
        marks = os.path.join(folder, "loaded")
        os.makedirs(marks, exist_ok=True)
        for name, tag in wanted.items():
            mark = os.path.join(marks, name)
            if _read(mark).decode() != tag:
                environment = {**os.environ, **write_configuration(
                    os.path.join(folder, "etc"), os.path.join(folder, "storage"))}
                if _read(mark):
                    subprocess.run(["podman", "rmi", "-f", _read(mark).decode()], env=environment,
                                   stdin=subprocess.DEVNULL, capture_output=True, check=False)
                _podman(["load", "-q", "-i", archive(name)], environment)
                with open(mark, "w", encoding="utf-8") as file:
                    file.write(tag)
    return os.path.join(folder, "storage", "root")


def _podman(words, environment, check=True, stdin=None):
    done = subprocess.run(["podman", *words], env=environment, input=stdin or b"",
                          capture_output=True, check=False)
    if check and done.returncode != 0:
        raise RuntimeError(f"podman {' '.join(words)}: {done.stderr.decode(errors='replace')}")
    return done


class Storage:
    """podman on this machine with storage of its own, which goes with this object.

    `environment` is what a program needs to use the same storage; `images` are there from the
    start, without a copy.
    """

    def __init__(self, images=(), folder=None):
        self._made = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="muster-podman-")
        stores = [store(images)] if images else []
        self.environment = write_configuration(os.path.join(self.folder, "etc"),
                                               os.path.join(self.folder, "storage"), stores)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def podman(self, *words, check=True, stdin=None):
        return _podman(words, {**os.environ, **self.environment}, check, stdin)

    def close(self):
        self.podman("rm", "-f", "-a", "-t", "0", check=False)
        unmount_below(self.folder)
        if self._made:
            shutil.rmtree(self.folder, ignore_errors=True)


def unmount_below(folder):
    """What a killed podman has left mounted."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        mounts = [line.split()[1] for line in file]
    for path in sorted((one for one in mounts if one.startswith(folder + "/")), reverse=True):
        subprocess.run(["umount", "-l", path], stdin=subprocess.DEVNULL, capture_output=True,
                       check=False)


class Containers:
    """podman on the hosts of a lab, each with storage of its own; `images` all have at once.

    `hosts` maps a host to its images where they differ: {"node2": []} gives node2 none. It is
    configured in the host's /etc/containers, as an administrator would, so nothing is in the way of
    what muster itself gives podman.
    """

    def __init__(self, lab, images=(), hosts=None):
        self.lab = lab
        self._images = {name: list(images) for name in ["head", *lab.names]}
        self._images.update(hosts or {})
        self.folder = tempfile.mkdtemp(prefix="muster-podman-")

    def __enter__(self):
        for host, images in self._images.items():
            stores = [store(images)] if images else []
            write_configuration(self.lab.path(host, "/etc/containers"),
                                os.path.join(self.folder, host), stores)
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for host in self._images:
            with contextlib.suppress(Exception):
                self.podman(host, "rm", "-f", "-a", "-t", "0", check=False)
        unmount_below(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def podman(self, host, *words, check=True, stdin=b""):
        code, out, err = self.lab.run(["podman", *words], host=host, stdin=stdin)
        if check and code != 0:
            raise RuntimeError(f"podman {' '.join(words)} on {host}: {err.decode()}")
        return code, out, err


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def main():
    parser = argparse.ArgumentParser(description="Packs images from this machine's files.")
    parser.add_argument("images", nargs="*", metavar="IMAGE", help=", ".join(IMAGES))
    parser.add_argument("--load", action="store_true", help="into podman's store of this machine")
    words = parser.parse_args()
    for name in words.images or IMAGES:
        path = archive(name)
        print(f"{reference(name)}\t{os.path.getsize(path) >> 20} MiB\t{path}")
        if words.load:
            _podman(["load", "-q", "-i", path], dict(os.environ))


if __name__ == "__main__":
    main()

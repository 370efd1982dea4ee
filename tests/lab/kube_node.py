"""One node of a test cluster: a lab's host with containerd and kubelet that run real pods.

What both want to have for themselves is the host's own: /run and /etc already are, /var/lib and
/var/log are mounted here, cgroups lie below a root of the cluster's own. The kernel is this
machine's: settings that a kubelet would change for the whole of it are covered by files that
already say what it wants.
"""

import json
import os
import shutil
import subprocess

import image
from lab import WAIT_SECONDS, until

BOX = "docker.io/lab/box:1"       # a static busybox: the image of small tests
SOCKET = "/run/containerd/containerd.sock"
CNI = "/usr/lib/cni"
READY_SECONDS = 180.0

_KERNEL = {"vm/overcommit_memory": "1", "vm/panic_on_oom": "0", "kernel/panic": "10",
           "kernel/panic_on_oops": "1", "kernel/keys/root_maxkeys": "1000000",
           "kernel/keys/root_maxbytes": "25000000"}

_CONTAINERD = """version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{box}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{cni}"
    conf_dir = "{folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "{folder}/registries"
"""


def why_no_nodes():
    """The reason why no pods can be run here, or an empty string."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [tool for tool in ("containerd", "ctr", "runc", f"{CNI}/bridge")
               if shutil.which(tool, path=path) is None] + image.missing("pause")
    if missing:
        return f"missing: {' '.join(missing)}; run: tools/setup kubernetes"
    if not os.path.isdir("/sys/fs/cgroup/memory"):
        return "real nodes want cgroups of version 1, one folder for each controller"
    return ""


class Node:
    """A node; `name` is the lab's host. The cluster starts containerd first, then the kubelet."""

    def __init__(self, lab, name, cgroup, servers):
        self.lab, self.name = lab, name
        self.folder = os.path.join(lab.folder, name)
        self.cgroup = f"{cgroup}/{name}"
        self._kubelet = os.path.join(servers, "kubelet")
        self._started = []

    def start_containerd(self):
        self._write_files()
        for entry in os.listdir("/sys/fs/cgroup"):
            if os.path.isdir(f"/sys/fs/cgroup/{entry}") and entry != "unified":
                os.makedirs(f"/sys/fs/cgroup/{entry}/{self.cgroup}", exist_ok=True)
        self._run(["sh", "-ec", "\n".join(self._mounts() + self._routes())])
        self._start("containerd", ["containerd", "--config", f"{self.folder}/containerd.toml"])

    def start_kubelet(self, kubeconfig):
        until(f"containerd: see {self.folder}", self._containerd_answers, READY_SECONDS)
        self._load_box()
        words = [self._kubelet, f"--kubeconfig={kubeconfig}", f"--hostname-override={self.name}",
                 f"--config={self.folder}/kubelet.json", f"--node-ip={self.address}",
                 f"--container-runtime-endpoint=unix://{SOCKET}", "--cert-dir=/run/kubelet-certs"]
        version = subprocess.run([self._kubelet, "--version"], capture_output=True, text=True,
                                 check=True).stdout.split(".")
        words += ["--container-runtime=remote"] * (int(version[1]) < 24)
        self._start("kubelet", words)

    def ended(self):
        """Called when the host is no more."""
        for started in self._started:
            started.popen.wait(WAIT_SECONDS)

    @property
    def address(self):
        return self.lab.address(self.name)

    def has_image(self, name):
        return image.reference(name) in self.ctr("image", "ls", "-q").decode().split()

    def load_image(self, archive):
        self.ctr("image", "import", archive, seconds=300)

    def speak_plainly_to(self, address):
        """A registry without TLS."""
        folder = f"registries/{address}"
        os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
        self._write(f"{folder}/hosts.toml", f'server = "http://{address}"\n'
                                            f'[host."http://{address}"]\n'
                                            '  capabilities = ["pull", "resolve"]\n')

    def ctr(self, *words, seconds=60):
        return self._run(["ctr", "-a", SOCKET, "-n", "k8s.io", *words], seconds=seconds)

    # ---- files ----------------------------------------------------------------------------------

    def _write_files(self):
        for folder in ("cni", "lib", "log", "kernel"):
            os.makedirs(os.path.join(self.folder, folder))
        self._write("containerd.toml", _CONTAINERD.format(socket=SOCKET, box=BOX, cni=CNI,
                                                          folder=self.folder))
        self._write("cni/lab.conflist", json.dumps(self._network()))
        self._write("kubelet.json", json.dumps(self._settings()))
        for entry, value in _KERNEL.items():
            self._write("kernel/" + entry.replace("/", "."), value + "\n")

    def _write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def pods_of(name):
        """The network of a node's pods."""
        return f"10.200.{int(name[4:])}.0/24"

    def _network(self):
        addresses = {"type": "host-local", "ranges": [[{"subnet": self.pods_of(self.name)}]],
                     "routes": [{"dst": "0.0.0.0/0"}]}
        bridge = {"type": "bridge", "bridge": "pods0", "isGateway": True, "hairpinMode": True,
                  "ipam": addresses}
        return {"cniVersion": "0.4.0", "name": "lab", "plugins": [bridge]}

    def _settings(self):
        never_full = {"memory.available": "1Mi", "nodefs.available": "0%",
                      "nodefs.inodesFree": "0%", "imagefs.available": "0%"}
        return {"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1",
                "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
                "authorization": {"mode": "AlwaysAllow"}, "cgroupDriver": "cgroupfs",
                "cgroupRoot": "/" + self.cgroup, "enforceNodeAllocatable": [], "oomScoreAdj": 0,
                "failSwapOn": False, "makeIPTablesUtilChains": False, "resolvConf": "",
                "evictionHard": never_full, "imageGCHighThresholdPercent": 100,
                "imageGCLowThresholdPercent": 99, "nodeStatusUpdateFrequency": "1s",
                "nodeLeaseDurationSeconds": 6, "volumePluginDir": "/var/lib/kubelet/plugins",
                "serializeImagePulls": False}

    def _mounts(self):
        lines = [f"mount --bind {self.folder}/lib /var/lib",
                 f"mount --bind {self.folder}/log /var/log"]
        return lines + [f"mount --bind {self.folder}/kernel/{entry.replace('/', '.')} "
                        f"/proc/sys/{entry}" for entry in _KERNEL]

    def _routes(self):
        others = [name for name in self.lab.names if name != self.name]
        lines = [f"ip route add {self.pods_of(name)} via {self.lab.address(name)}"
                 for name in others]
        # The kubelet looks for its cloud at once; without this it would wait for an answer.
        lines += [f"ip route add default via {self.lab.address('head')}",
                  "ip route add unreachable 169.254.0.0/16"]
        return lines + ["echo 1 > /proc/sys/net/ipv4/ip_forward"]

    # ---- programs -------------------------------------------------------------------------------

    def _run(self, words, seconds=60):
        code, out, err = self.lab.run(words, host=self.name, seconds=seconds)
        if code != 0:
            raise RuntimeError(f"{self.name}: {' '.join(words)}: {err.decode(errors='replace')}")
        return out

    def _start(self, name, words):
        with open(os.path.join(self.folder, f"{name}.log"), "ab") as log:
            self._started.append(self.lab.start(words, host=self.name, stdin=subprocess.DEVNULL,
                                                stdout=log, stderr=log))

    def _containerd_answers(self):
        return self.lab.run(["ctr", "-a", SOCKET, "version"], host=self.name)[0] == 0

    def _load_box(self):
        """The image of small tests, which also holds a pod's network."""
        self.load_image(image.archive("pause"))
        self.ctr("image", "tag", image.reference("pause"), BOX)

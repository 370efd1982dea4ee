"""Makes a real Kubernetes cluster on one machine for tests.

etcd, API server, controllers and scheduler run on the head of a lab (see lab.py), so they have a
network and process names of their own, on the usual ports, and end with the process that made the
lab, however it ends. Without nodes there are "objects only": all that the API does, in seconds, but
no pod ever runs; `add_fake_nodes` gives the scheduler something to choose from. With nodes, each
host of the lab has a kubelet and containerd and runs real pods (see kube_node.py).

    sudo python3 tests/lab/kubernetes.py --help

    with Cluster(2) as cluster:
        cluster.kubectl("get", "nodes")
        cluster.lab.run(["muster", "submit", ...], env=cluster.environment())

Like many a real cluster for jobs it has no DNS and no ClusterIP. `make kubernetes` builds the
servers; KUBEBUILDER_ASSETS may name a folder with others.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import image  # noqa: E402
import lab as lab_module  # noqa: E402
from fake_nodes import Undertaker  # noqa: E402
from kube_node import BOX, Node, why_no_nodes  # noqa: E402
from lab import WAIT_SECONDS, Lab, until  # noqa: E402
from quiet import Quiet  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILDER = os.path.join(ROOT, "tools", "kubernetes")
ROLE = os.path.join(ROOT, "docs", "kubernetes", "role.yaml")
CRDS = os.path.join(ROOT, "tests", "data", "crds")
NAMESPACE = "jobs"
READY_SECONDS = 180.0
# A node that is silent for longer than the first is not ready, and after the second its pods are
# deleted. On a machine that has much else to do nodes are silent for seconds.
PATIENT = (120, 300)
SHORT = (8, 4)  # of a cluster whose nodes are to be lost

# What a run, or a test, may leave. No more in one call: kubectl does not ask for many at once.
_THINGS = ("jobs,pods,services,secrets,configmaps,persistentvolumeclaims,resourcequotas,"
           "limitranges,persistentvolumes")
_BY_ITSELF = r"configmap/kube-root-ca\.crt|secret/(default|muster)-token-\w+"
_MORE_THINGS = "nodes,customresourcedefinitions,roles,rolebindings,serviceaccounts"

_NO_RATE = ["--kube-api-qps=1000", "--kube-api-burst=2000"]  # tests do not wait for politeness

# Ends with the test's process, however that ends; then removes what has no process to end with.
_JANITOR = """cat > /dev/null
for try in $(seq 1200); do
  find /sys/fs/cgroup/*/"$2" -depth -type d -exec rmdir {} + 2>/dev/null
  rm -rf "$1" 2>/dev/null
  [ -e "$1" ] || ls -d /sys/fs/cgroup/*/"$2" >/dev/null 2>&1 || exit 0
  sleep 0.05
done"""


def servers_folder():
    """(folder of the servers' programs, "") or ("", why there is none)."""
    done = subprocess.run([BUILDER, "--where"], capture_output=True, text=True, check=False)
    return done.stdout.strip(), done.stderr.strip()


def why_not(nodes=0):
    """The reason why no cluster can be made here, or an empty string."""
    reason = lab_module.why_not()
    if reason:
        return reason
    folder, reason = servers_folder()
    if reason:
        return reason
    missing = [tool for tool in ("kubectl", "etcd") if not _program(tool, folder)]
    wanted = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"]
    missing += [name for name in wanted + ["kubelet"] * bool(nodes) if not _program(name, folder)]
    if missing:
        return f"missing programs: {' '.join(missing)}; run: make kubernetes"
    return why_no_nodes() if nodes else ""


@functools.lru_cache(maxsize=None)
def is_old():
    """Whether the servers are older than 1.22, as Debian's are: they drop unknown fields."""
    server = _program("kube-apiserver", servers_folder()[0])
    told = subprocess.run([server, "--version"], capture_output=True, text=True, check=True)
    return int(told.stdout.split(".")[1]) < 22


def _program(name, folder):
    return shutil.which(name, path=f"{folder}:{os.environ.get('PATH', '')}:/usr/bin:/usr/sbin")


class Refused(Exception):
    """A kubectl that failed; its text is what kubectl said."""


class Cluster:
    """A control plane, `nodes` real nodes, and a service account "muster" in one namespace."""

    def __init__(self, nodes=0, plugins=(), lab=None, losable=False):
        """`plugins` of the admission that only an old server has are enabled there. In a losable
        one, nodes that are silent are given up soon."""
        self.namespace = NAMESPACE
        self._silence = SHORT if losable else PATIENT
        self._plugins = plugins if is_old() else ()
        self.lab = lab or Lab(nodes)
        self.folder = self.lab.folder
        self.admin = os.path.join(self.folder, "admin.kubeconfig")
        self.user = os.path.join(self.folder, "user.kubeconfig")  # may do what the Role says
        self._servers = servers_folder()[0]
        self._cgroup = os.path.basename(self.folder)
        self._token = secrets.token_hex(16)
        self.nodes = {name: Node(self.lab, name, self._cgroup, self._servers)
                      for name in self.lab.names}
        self._started = {}
        self._janitor = None
        self._undertaker = None
        self.quiet = None
        self._usual = set()  # things that are there between two tests
        self._first = set()  # and those that were there at first

    def __enter__(self):
        self._janitor = subprocess.Popen(
            ["sh", "-c", _JANITOR, "sh", self.folder, self._cgroup],
            stdin=subprocess.PIPE, start_new_session=True)
        try:
            self.lab.__enter__()
            self._start_all()
            self.quiet = Quiet(self.lab)
            self.expect_what_is_there()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._dismiss_undertaker()
        self.lab.close()
        for started in self._started.values():
            started.popen.wait(WAIT_SECONDS)
        for node in self.nodes.values():
            node.ended()
        self._started, self.nodes = {}, {}
        if self._janitor is not None:
            self._janitor.stdin.close()
            self._janitor.wait(WAIT_SECONDS)
            self._janitor = None

    def _dismiss_undertaker(self):
        if self._undertaker is not None:
            self._undertaker.stop()
            self._undertaker = None

    def discard(self):
        """Called when it is not as it was and cannot be used any more."""
        self.close()

    # ---- between tests --------------------------------------------------------------------------

    def things(self, kinds=_THINGS):
        """Names like pod/NAME, without those that come by themselves after a namespace."""
        found = self.kubectl("get", kinds, "-o", "name", "--ignore-not-found").split()
        return {one for one in found if not re.fullmatch(_BY_ITSELF, one)}

    def all_things(self):
        return self.things() | self.things(_MORE_THINGS)

    def expect_what_is_there(self):
        """It is what `settle` wants to find from now on, and no more."""
        self._usual = self.things()
        self._first = self._first or self.all_things()

    def end_jobs(self):
        """What a failed test leaves must not trouble the next."""
        self.kubectl("delete", "jobs,pods", "--all", "--grace-period=0", "--force", "--wait=false")
        self.kubectl("delete", "secrets", "-l", "app.kubernetes.io/managed-by=muster")

    def settle(self):
        """Waits until all is as it was, so that the next test finds it so."""
        until(lambda: f"as it was: {self.unsettled()}", lambda: not self.unsettled(),
              READY_SECONDS)

    def unsettled(self):
        """What is not as it was, in words."""
        try:
            left = self.things() - self._usual
            absent = set(self.nodes) - (self.ready_nodes() if self.nodes else set())
        except Refused as refused:
            return str(refused)
        if left or absent:
            return f"left: {' '.join(sorted(left))}; not ready: {' '.join(sorted(absent))}"
        return self.quiet.broken(self._undertaker.pids() if self._undertaker else ())

    def use_namespace(self, name):
        """Until `reset`; the service account has no rights there."""
        self.kubectl("create", "namespace", name)
        self.namespace = name

    def reset(self):
        """Takes away what tests have wanted in the cluster before they began."""
        self._dismiss_undertaker()
        if self.namespace != NAMESPACE:
            self.kubectl("delete", "namespace", self.namespace)
            self.namespace = NAMESPACE
        more = sorted(self.all_things() - self._first)
        if more:
            self.kubectl("delete", "--ignore-not-found", *more)
        self._usual = self.things()

    # ---- what tests ask for ---------------------------------------------------------------------

    def environment(self, kubeconfig=None, **more):
        """For programs on the lab's head: they speak to the cluster as the service account."""
        return self.lab.environment(KUBECONFIG=kubeconfig or self.user, **more)

    def kubectl(self, *words, stdin="", user=False, seconds=READY_SECONDS):
        """What kubectl prints; Refused when it fails. As the admin, or as the service account."""
        config = self.user if user else self.admin
        code, out, err = self.lab.run(
            ["kubectl", "-n", self.namespace, *words], env=self.environment(config),
            stdin=stdin.encode(), seconds=seconds)
        if code != 0:
            raise Refused(err.decode(errors="replace").strip())
        return out.decode()

    def try_kubectl(self, *words):
        """What kubectl, as the admin, says; None where it refuses."""
        try:
            return self.kubectl(*words)
        except Refused:
            return None

    def start_kubectl(self, *words, **pipes):
        return self.lab.start(["kubectl", "-n", self.namespace, *words],
                              env=self.environment(self.admin), **pipes)

    def get(self, *words):
        """An object, or a list's items, as the API has it: get("pods"), get("job", "train")."""
        found = json.loads(self.kubectl("get", *words, "-o", "json"))
        return found["items"] if found["kind"].endswith("List") else found

    def create(self, thing, *words, user=False):
        """Creates a dict or YAML text and returns what the API server has stored."""
        text = thing if isinstance(thing, str) else json.dumps(thing)
        made = self.kubectl("create", "-f", "-", "-o", "json", *words, stdin=text, user=user)
        return json.loads(made)

    def raw(self, path, body):
        """POSTs to a path of the API, for what kubectl has no command for."""
        return json.loads(self.kubectl("create", "--raw", path, "-f", "-",
                                       stdin=json.dumps(body)))

    def names(self, kind="pods"):
        return sorted(one["metadata"]["name"] for one in self.get(kind))

    def pretend(self, pod, phase="Running", address="10.200.0.9"):
        """Says of a pod on a fake node what a kubelet would."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        found = self.get("pod", pod)
        found["status"].update({"phase": phase, "podIP": address, "containerStatuses": [
            {"name": one["name"], "image": one["image"], "imageID": "", "restartCount": 0,
             "ready": True, "state": {"running": {"startedAt": now}}}
            for one in found["spec"]["containers"]]})
        path = f"/api/v1/namespaces/{self.namespace}/pods/{pod}/status"
        self.kubectl("replace", "--raw", path, "-f", "-", stdin=json.dumps(found))

    def evict(self, pod):
        """Takes a pod away as `kubectl drain` does."""
        path = f"/api/v1/namespaces/{self.namespace}/pods/{pod}/eviction"
        self.raw(path, {"apiVersion": "policy/v1beta1" if self.is_old() else "policy/v1",
                        "kind": "Eviction", "metadata": {"name": pod}})

    def set_quota(self, **hard):
        """set_quota(pods=3), or with names that are no Python: **{"requests.cpu": "2"}."""
        self.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "quota"},
                     "spec": {"hard": {name: str(value) for name, value in hard.items()}}})
        until("the quota is counted",
              lambda: self.get("resourcequota", "quota").get("status", {}).get("hard"))

    def remove_quota(self):
        self.kubectl("delete", "resourcequota", "quota")

    def add_fake_nodes(self, number, cpu=8, memory="32Gi", confirm=True):
        """Nodes that are only objects: pods are scheduled there and never start. When a pod is to
        be deleted they `confirm` that it has ended; else it stays, as on a node that is silent."""
        have = {"cpu": str(cpu), "memory": memory, "pods": "110"}
        ready = [{"type": "Ready", "status": "True", "reason": "Fake", "message": ""}]
        items = [{"apiVersion": "v1", "kind": "Node",
                  "metadata": {"name": f"fake{index}", "labels": {
                      "kubernetes.io/hostname": f"fake{index}", "kubernetes.io/os": "linux",
                      "kubernetes.io/arch": "amd64"}},
                  "status": {"capacity": have, "allocatable": have, "conditions": ready}}
                 for index in range(number)]
        self.kubectl("create", "-f", "-", stdin=json.dumps(
            {"apiVersion": "v1", "kind": "List", "items": items}))
        if confirm and self._undertaker is None:
            self._undertaker = Undertaker(self)
            self._undertaker.start()

    def create_crds(self):
        """The operators' resources, without what an old server cannot know; says what that is."""
        left_out = {}
        for name in sorted(os.listdir(CRDS)):
            if name.endswith(".json"):
                with open(os.path.join(CRDS, name), encoding="utf-8") as file:
                    definition = json.load(file)
                left_out[name[:-5]] = self._create_crd(definition)
        self.kubectl("wait", "--for=condition=established", f"--timeout={READY_SECONDS:g}s", "crd",
                     "--all")
        return left_out

    def _create_crd(self, definition):
        try:
            self.create(definition, "--validate=false")  # by the server alone
            return ""
        except Refused as refused:
            if not self.is_old():
                raise
            for version in definition["spec"]["versions"]:
                version["schema"]["openAPIV3Schema"] = {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": True}
            self.create(definition, "--validate=false")
            return str(refused)

    def give_image(self, name):
        """Packs it and gives it to all nodes that lack it; pods say image.reference(NAME)."""
        archive = image.archive(name)
        lacking = [node for node in self.nodes.values() if not node.has_image(name)]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda node: node.load_image(archive), lacking))

    def lose_node(self, name):
        """A node's power goes: its kubelet, containerd, pods and cable, in one moment."""
        self.lab.kill_host(name)
        self.nodes.pop(name).ended()

    def stop_api(self):
        self._end("kube-apiserver")

    def start_api(self):
        self._start("kube-apiserver", *self._api_words())
        until(f"the API server answers: {self._log_of()}", self._answers, READY_SECONDS)

    def stop_controllers(self):
        """Nobody makes pods of Jobs, or collects what has lost its owner."""
        self._end("kube-controller-manager")

    def start_controllers(self):
        self._start("kube-controller-manager", *self._manager_words())

    @staticmethod
    def is_old():
        """See the function of this name."""
        return is_old()

    # ---- making ---------------------------------------------------------------------------------

    def _start_all(self):
        self._write_configs()
        self._start("etcd", *self._etcd_words())
        for node in self.nodes.values():
            node.start_containerd()
        self.start_api()
        self.start_controllers()
        self._start("kube-scheduler", "--leader-elect=false", f"--kubeconfig={self.admin}",
                    *_NO_RATE)
        for node in self.nodes.values():
            node.start_kubelet(self.admin)
        self._make_user()
        until(f"the nodes are ready: see {self.folder}", self._is_complete, READY_SECONDS)

    def _write_configs(self):
        key = os.path.join(self.folder, "accounts.key")
        subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "",
                        "-f", key], stdin=subprocess.DEVNULL, check=True)
        self._write("tokens.csv", f"{self._token},admin,admin,system:masters\n")
        self._write_kubeconfig(self.admin, self._token)

    def _write_kubeconfig(self, path, token):
        server = {"server": f"https://{self.lab.address('head')}:6443",
                  "certificate-authority": os.path.join(self.folder, "certs", "apiserver.crt")}
        context = {"cluster": "lab", "user": "lab", "namespace": self.namespace}
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "lab",
                  "clusters": [{"name": "lab", "cluster": server}],
                  "users": [{"name": "lab", "user": {"token": token}}],
                  "contexts": [{"name": "lab", "context": context}]}
        self._write(os.path.basename(path), json.dumps(config))

    def _write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def _etcd_words(self):
        return ["--data-dir=/run/etcd", "--listen-client-urls=http://127.0.0.1:2379",
                "--advertise-client-urls=http://127.0.0.1:2379",
                "--listen-peer-urls=http://127.0.0.1:2380"]

    def _api_words(self):
        key = os.path.join(self.folder, "accounts.key")
        words = ["--etcd-servers=http://127.0.0.1:2379", "--secure-port=6443",
                 f"--advertise-address={self.lab.address('head')}",
                 f"--cert-dir={self.folder}/certs", "--service-cluster-ip-range=10.0.0.0/24",
                 "--authorization-mode=RBAC", f"--token-auth-file={self.folder}/tokens.csv",
                 "--service-account-issuer=https://lab", f"--service-account-key-file={key}",
                 f"--service-account-signing-key-file={key}", "--allow-privileged=true",
                 "--kubelet-preferred-address-types=InternalIP",
                 f"--default-not-ready-toleration-seconds={self._silence[1]}",
                 f"--default-unreachable-toleration-seconds={self._silence[1]}"]
        words += [f"--enable-admission-plugins={name}" for name in self._plugins]
        # It marks each new node as not ready; for fake ones nobody would take the mark away.
        return words + ["--disable-admission-plugins=TaintNodesByCondition"] * (not self.lab.names)

    def _manager_words(self):
        words = [f"--kubeconfig={self.admin}", "--leader-elect=false",
                 f"--service-account-private-key-file={self.folder}/accounts.key",
                 f"--root-ca-file={self.folder}/certs/apiserver.crt",
                 f"--node-monitor-grace-period={self._silence[0]}s", "--node-monitor-period=1s"]
        words += _NO_RATE
        return words + ["--controllers=*,-nodelifecycle"] * (not self.lab.names)

    def _start(self, name, *words):
        with open(os.path.join(self.folder, f"{name}.log"), "ab") as log:
            self._started[name] = self.lab.start(
                [_program(name, self._servers), *words], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log)

    def _end(self, name):
        started = self._started.pop(name)
        started.send(signal.SIGKILL)
        started.wait()

    def _log_of(self, name="kube-apiserver"):
        return os.path.join(self.folder, f"{name}.log")

    def _answers(self):
        if self._started["kube-apiserver"].popen.poll() is not None:
            with open(self._log_of(), encoding="utf-8") as log:
                raise RuntimeError(f"the API server ended: {log.read()[-2000:]}")
        return self.try_kubectl("get", "--raw", "/readyz")

    def _make_user(self):
        """The service account, with the Role that the manual shows and no other right."""
        self.kubectl("create", "namespace", self.namespace)
        self.kubectl("create", "-f", ROLE)
        self.kubectl("create", "serviceaccount", "muster")
        self.kubectl("create", "rolebinding", "muster", "--role=muster",
                     f"--serviceaccount={self.namespace}:muster")
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/muster/token"
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                 "spec": {"audiences": ["https://lab"], "expirationSeconds": 36000}}
        self._write_kubeconfig(self.user, self.raw(path, asked)["status"]["token"])

    def _is_complete(self):
        """Pods can be made once the namespace's default account is there, and the nodes are."""
        accounts = self.get("serviceaccounts")
        return len(accounts) == 2 and set(self.nodes) <= self.ready_nodes()

    def is_ready(self, node):
        return node in self.ready_nodes()

    def ready_nodes(self):
        return {node["metadata"]["name"] for node in self.get("nodes")
                if any(one["type"] == "Ready" and one["status"] == "True"
                       for one in node["status"].get("conditions", []))}


class JoinedCluster(Cluster):
    """A cluster that another process holds: see shared.py. Its end is not ours."""

    def __init__(self, lab, quiet, end):
        """`end` makes the other process end it."""
        super().__init__(lab=lab)
        self.quiet = quiet
        self._end_it = end
        self._is_over = False

    def __enter__(self):
        self.lab.__enter__()
        self.expect_what_is_there()
        return self

    def close(self):
        """Others go on with it, as it was."""
        try:
            if not self._is_over:
                self._is_over = True
                self.reset()
        except Exception:
            self._end_it()
            raise
        finally:
            self._dismiss_undertaker()
            self.lab.close()

    def discard(self):
        self._is_over = True
        self.close()
        self._end_it()


def main():
    parser = argparse.ArgumentParser(
        description="Makes a real Kubernetes cluster on this machine and runs a program on its "
                    "head, where KUBECONFIG is set; nothing is left afterwards.",
        epilog="Try there:\n"
               "  kubectl get nodes                   the admin sees everything\n"
               "  KUBECONFIG=$AS_MUSTER kubectl auth can-i --list    what the manual's Role gives\n"
               "  kubectl run hello --image=lab/box --restart=Never -- echo hello    (with nodes)\n"
               "  kubectl logs hello\n"
               "  tail -f $CLUSTER/*.log              what the servers say\n"
               "The image lab/box is this machine's static busybox; no image is ever pulled.",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes", type=int, nargs="?", default=0,
                        help="how many real nodes with kubelet and containerd (0: objects only)")
    parser.add_argument("program", nargs="*", default=["bash", "--norc"], help="a shell by default")
    parser.add_argument("--fake-nodes", type=int, default=0, metavar="N",
                        help="add nodes that are only objects")
    words = parser.parse_args()
    reason = why_not(words.nodes)
    if reason:
        raise SystemExit(f"no cluster can be made here: {reason}")
    began = time.monotonic()
    with Cluster(words.nodes) as cluster:
        if words.fake_nodes:
            cluster.add_fake_nodes(words.fake_nodes)
        print(f"the cluster is ready after {time.monotonic() - began:.1f} s", file=sys.stderr)
        signal.signal(signal.SIGINT, lambda *_: None)  # meant for the program
        inside = cluster.environment(cluster.admin, AS_MUSTER=cluster.user, CLUSTER=cluster.folder,
                                     TERM=os.environ.get("TERM", "dumb"))
        code = subprocess.run(cluster.lab.command(words.program), env=inside, check=False)
    raise SystemExit(code.returncode if code.returncode >= 0 else 128 - code.returncode)


if __name__ == "__main__":
    main()

// Writes pod specs in the order of Kubernetes' documentation.
#include "kubernetes/pod.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "kubernetes/gang.hpp"

namespace muster::kubernetes {
namespace {

constexpr std::int64_t kUser = 1000;        // where the image's would be root
constexpr std::int64_t kSecretMode = 0400;  // in JSON: 256
constexpr const char* kMusterVolume = "muster";
constexpr const char* kSecretVolume = "muster-secret";
constexpr const char* kConfigVolume = "muster-job";
constexpr const char* kShmVolume = "shm";

// The client writes FILE.part, makes it executable, and renames it. A container's first process
// gets no signal that it does not ask for.
constexpr const char* kWait = R"(trap 'exit 243' TERM
n=0
until [ -x "$1" ]; do
  n=$((n + 1))
  if [ "$n" -gt {} ]; then
    echo "muster: nobody has brought $1" >&2
    exit 243
  fi
  sleep 1
done
exec "$@"
)";

bool is_restricted(const PodParts& parts, const job::Cluster& cluster) {
  return !parts.as_root && (!cluster.security || cluster.security->text == "restricted");
}

Value words_of(const std::vector<Word>& words) {
  Value value = object();
  for (const Word& word : words) value.add(word.name, word.value);
  return value;
}

Value pod_security(const PodParts& parts, const job::Cluster& cluster) {
  const bool restricted = is_restricted(parts, cluster);
  Value value = object();
  if (restricted) value.add("runAsNonRoot", true);
  if (restricted || (cluster.user && !parts.as_root)) {
    const std::int64_t user = cluster.user ? cluster.user->number : kUser;
    value.add("runAsUser", user).add("runAsGroup", user).add("fsGroup", user);
  }
  return std::move(value).add("seccompProfile", object().add("type", "RuntimeDefault"));
}

Value container_security(bool restricted, bool binds_port = false) {
  Value value = object().add("allowPrivilegeEscalation", false);
  Value capabilities = object().add("drop", list({"ALL"}));
  if (binds_port) capabilities.add("add", list({"NET_BIND_SERVICE"}));
  if (restricted) value.add("capabilities", std::move(capabilities));
  return value;
}

// Copies itself: such an image needs no shell.
Value init_container(const job::Cluster& cluster, bool restricted) {
  Value value = object().add("name", "muster").add("image", cluster.muster_image->text);
  if (cluster.image_pull_policy) value.add("imagePullPolicy", cluster.image_pull_policy->text);
  const Value small = words_of({{"cpu", "100m"}, {"memory", "64Mi"}});
  return std::move(value)
      .add("command", list({"/muster", "errand", "install", kFolder}))
      .add("resources", object().add("requests", small).add("limits", small))
      .add("volumeMounts",
           std::vector<Value>{object().add("name", kMusterVolume).add("mountPath", kFolder)})
      .add("securityContext", container_security(restricted));
}

std::string volume_name(const job::ClusterVolume& volume, std::size_t number) {
  return volume.name ? volume.name->text : fmt::format("volume-{}", number);
}

bool has_folder(const PodParts& parts) { return parts.program != Program::none; }

Value mounts(const PodParts& parts, const job::Cluster& cluster) {
  std::vector<Value> all;
  const auto add = [&](const char* name, const char* path, bool read_only) {
    Value mount = object().add("name", name).add("mountPath", path);
    if (read_only) mount.add("readOnly", true);
    all.push_back(std::move(mount));
  };
  if (has_folder(parts)) add(kMusterVolume, kFolder, false);
  if (parts.mounts_secret) add(kSecretVolume, kSecretFolder, true);
  if (!parts.config.empty()) add(kConfigVolume, kConfigFolder, true);
  add(kShmVolume, "/dev/shm", false);
  for (std::size_t i = 0; i < cluster.volumes.size(); ++i) {
    const job::ClusterVolume& volume = cluster.volumes[i];
    Value mount = object()
                      .add("name", volume_name(volume, i))
                      .add("mountPath", volume.mount ? volume.mount->text : "");
    if (volume.sub_path) mount.add("subPath", volume.sub_path->text);
    if (volume.read_only) mount.add("readOnly", true);
    all.push_back(std::move(mount));
  }
  return all;
}

Value secret_volume(const PodParts& parts) {
  Value source = object().add("secretName", parts.secret);
  if (!parts.whole_secret) {
    source.add("items",
               std::vector<Value>{object().add("key", kSecretKey).add("path", kSecretKey)});
  }
  return std::move(source).add("defaultMode", kSecretMode);
}

Value cluster_volume(const job::ClusterVolume& volume, std::size_t number) {
  Value value = object().add("name", volume_name(volume, number));
  if (volume.claim) {
    Value claim = object().add("claimName", volume.claim->text);
    if (volume.read_only) claim.add("readOnly", true);
    return std::move(value).add("persistentVolumeClaim", std::move(claim));
  }
  Value source = volume.source ? value_of(*volume.source) : object();
  if (source.kind == Value::Kind::nothing) source = object();
  return std::move(value).add(volume.kind, std::move(source));
}

Value volumes(const PodPlan& plan, const PodParts& parts, const job::Cluster& cluster) {
  std::vector<Value> all;
  const auto add = [&](const char* name, const char* kind, Value source) {
    all.push_back(object().add("name", name).add(kind, std::move(source)));
  };
  if (has_folder(parts)) add(kMusterVolume, "emptyDir", object());
  if (parts.mounts_secret) add(kSecretVolume, "secret", secret_volume(parts));
  if (!parts.config.empty()) add(kConfigVolume, "configMap", object().add("name", parts.config));
  Value memory = object().add("medium", "Memory");
  add(kShmVolume, "emptyDir", std::move(memory).add_any("sizeLimit", plan.shared_memory));
  for (std::size_t i = 0; i < cluster.volumes.size(); ++i) {
    all.push_back(cluster_volume(cluster.volumes[i], i));
  }
  return all;
}

Value toleration_value(const job::Toleration& one) {
  Value value = object();
  if (one.key) value.add("key", one.key->text);
  if (one.op) value.add("operator", one.op->text);
  if (one.value) value.add("value", one.value->text);
  if (one.effect) value.add("effect", one.effect->text);
  if (one.seconds) value.add("tolerationSeconds", one.seconds->number);
  return value;
}

// What gives way to others of the same name stands in `first`.
Value joined(const std::vector<job::Named>& first, const std::vector<Word>& others) {
  std::vector<Word> all = others;
  for (const job::Named& one : first) {
    if (std::ranges::find(all, one.name, &Word::name) == all.end()) {
      all.push_back({one.name, one.value.text});
    }
  }
  std::ranges::sort(all, {}, &Word::name);
  return words_of(all);
}

Value variables(const PodPlan& plan, const PodParts& parts, bool restricted) {
  std::vector<Value> all;
  const bool has_home = std::ranges::count(plan.variables, "HOME", &Word::name) > 0;
  if (restricted && has_folder(parts) && !has_home) {  // such a user has none in the image
    all.push_back(object().add("name", "HOME").add("value", kFolder));
  }
  for (const Word& word : plan.variables) {
    all.push_back(object().add("name", word.name).add("value", literal(word.value)));
  }
  for (const std::string& name : plan.secret_variables) {
    Value key = object().add("name", parts.secret).add("key", name);
    all.push_back(
        object().add("name", name).add("valueFrom", object().add("secretKeyRef", std::move(key))));
  }
  return all;
}

Value container(const PodPlan& plan, const PodParts& parts, const job::Cluster& cluster) {
  const bool restricted = is_restricted(parts, cluster);
  Value value = object().add("name", parts.container).add("image", plan.image);
  if (cluster.image_pull_policy) value.add("imagePullPolicy", cluster.image_pull_policy->text);
  value.add_any("command", list(plan.command))
      .add_any("workingDir", plan.folder)
      .add_any("env", variables(plan, parts, restricted));
  Value resources = object()
                        .add_any("requests", words_of(plan.resources.requests))
                        .add_any("limits", words_of(plan.resources.limits));
  return std::move(value)
      .add_any("resources", std::move(resources))
      .add("volumeMounts", mounts(parts, cluster))
      .add("terminationMessagePolicy", "FallbackToLogsOnError")
      .add("securityContext", container_security(restricted, parts.binds_port));
}

Value pull_secrets(const job::Cluster& cluster) {
  std::vector<Value> all;
  for (const job::Text& one : cluster.image_pull_secrets) {
    all.push_back(object().add("name", one.text));
  }
  return all;
}

}  // namespace

Value labels_of(const std::string& name, const std::string& role, const job::Cluster& cluster,
                const std::vector<Word>& more) {
  Value labels =
      object().add("app.kubernetes.io/name", "muster").add("app.kubernetes.io/instance", name);
  if (!role.empty()) labels.add("app.kubernetes.io/component", role);
  labels.add("app.kubernetes.io/managed-by", "muster");
  const auto add = [&](const std::string& key, const std::string& value) {
    if (labels.find(key) == nullptr) labels.add(key, value);
  };
  for (const Word& word : more) add(word.name, word.value);
  for (const job::Named& one : cluster.labels) add(one.name, one.value.text);
  return labels;
}

Value metadata(const std::string& name, Value labels, const job::Cluster& cluster) {
  Value value = object().add("name", name);
  if (cluster.name_space) value.add("namespace", cluster.name_space->text);
  value.add("labels", std::move(labels));
  Value annotations = object();
  for (const job::Named& one : cluster.annotations) annotations.add(one.name, one.value.text);
  return std::move(value).add_any("annotations", std::move(annotations));
}

Value pod_spec(const PodPlan& plan, const PodParts& parts, const job::Cluster& cluster) {
  const bool restricted = is_restricted(parts, cluster);
  Value spec = object().add("restartPolicy", "Never");
  for (const Field& field : parts.more) spec.add(field.name, field.value);
  if (cluster.service_account) spec.add("serviceAccountName", cluster.service_account->text);
  spec.add("automountServiceAccountToken", false);
  if (cluster.priority_class) spec.add("priorityClassName", cluster.priority_class->text);
  spec.add_any("schedulerName", scheduler_of(cluster));
  spec.add_any("nodeSelector", joined(cluster.node_selector, plan.node_selector));
  std::vector<Value> tolerations;
  for (const job::Toleration& one : cluster.tolerations) {
    tolerations.push_back(toleration_value(one));
  }
  spec.add_any("tolerations", std::move(tolerations))
      .add_any("imagePullSecrets", pull_secrets(cluster))
      .add("securityContext", pod_security(parts, cluster));
  if (parts.program == Program::copied) {
    spec.add("initContainers", std::vector<Value>{init_container(cluster, restricted)});
  }
  return std::move(spec)
      .add("containers", std::vector<Value>{container(plan, parts, cluster)})
      .add("volumes", volumes(plan, parts, cluster));
}

std::string literal(const std::string& text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool means_something =
        text[i] == '$' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == '$');
    made += means_something ? "$$" : text.substr(i, 1);
  }
  return made;
}

std::vector<std::string> literal(std::vector<std::string> words) {
  for (std::string& word : words) word = literal(word);
  return words;
}

std::vector<std::string> program_words(Program program, std::uint32_t patience,
                                       std::vector<std::string> words) {
  std::vector<std::string> all;
  if (program == Program::pushed) all = {"sh", "-c", fmt::format(kWait, patience), "sh"};
  all.emplace_back(program == Program::in_image ? "muster" : kProgram);
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace muster::kubernetes

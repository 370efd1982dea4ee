// Judges names, paths and volumes of a cluster.
#include "job/check_cluster.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// RFC 1123, as Kubernetes wants names of namespaces and volumes.
bool is_dns_label(std::string_view text) {
  const auto fits = [](char c) { return is_alnum(c) || c == '-'; };
  return !text.empty() && text.size() <= 63 && std::ranges::all_of(text, fits) &&
         is_alnum(text.front()) && is_alnum(text.back());
}

// What stands after the last slash of a label's key, and each label's value, which may be empty.
bool is_label_word(std::string_view text) {
  const auto letter = [](char c) { return is_alnum(c) || (c >= 'A' && c <= 'Z'); };
  const auto fits = [&](char c) { return letter(c) || c == '-' || c == '_' || c == '.'; };
  return text.size() <= 63 && std::ranges::all_of(text, fits) &&
         (text.empty() || (letter(text.front()) && letter(text.back())));
}

bool is_label_key(std::string_view text) {
  const std::string_view name = text.substr(text.rfind('/') + 1);
  return !name.empty() && is_label_word(name);
}

class ClusterCheck {
 public:
  ClusterCheck(std::string path, Complaints& complaints)
      : path_(std::move(path)), complaints_(complaints) {}

  void name(const std::optional<Text>& text, std::string_view key) {
    if (!text || is_dns_label(text->text)) return;
    complain(text->begin, key, fmt::format("cannot be {}", spec::in_quotes(text->text)),
             "it has small letters, digits and -, 63 at most");
  }

  void words(const std::vector<Named>& all, std::string_view key, bool any_value) {
    for (const Named& one : all) {
      if (!is_label_key(one.name)) {
        complain(one.mark, key, fmt::format("cannot have the name {}", spec::in_quotes(one.name)),
                 "it has letters, digits, - _ and ., 63 at most, perhaps after DOMAIN/");
      } else if (!any_value && !is_label_word(one.value.text)) {
        complain(one.value.begin, fmt::format("{}.{}", key, one.name),
                 fmt::format("cannot be {}", spec::in_quotes(one.value.text)),
                 "it has letters, digits, - _ and ., 63 at most");
      }
    }
  }

  void path(const std::optional<Text>& text, std::string_view key) {
    if (!text || text->text.starts_with('/')) return;
    complain(text->begin, key,
             fmt::format("must be an absolute path, not {}", spec::in_quotes(text->text)), "");
  }

  void volume(const ClusterVolume& volume) {
    name(volume.name, "volumes.name");
    path(volume.mount, "volumes.mount");
    const bool two = volume.kind.find(' ') != std::string::npos ||
                     (volume.claim.has_value() && !volume.kind.empty());
    if (two) complain(volume.mark, "volumes", "has an item with two sources", "keep one of them");
    if (volume.claim || !volume.kind.empty()) return;
    complain(volume.mark, "volumes", "has an item without a source",
             "for example: {mount: /data, claim: NAME}");
  }

  void mounts(const std::vector<ClusterVolume>& volumes) {
    std::set<std::string_view> seen;
    for (const ClusterVolume& one : volumes) {
      if (!one.mount || seen.insert(one.mount->text).second) continue;
      complain(one.mount->begin, "volumes.mount",
               fmt::format("is {} twice", spec::in_quotes(one.mount->text)), "keep one of them");
    }
  }

  // Else they would go with the pod.
  void records(const Cluster& cluster) {
    if (!cluster.records || !cluster.records->text.starts_with('/')) return;
    const std::string folder = cluster.records->text + "/";
    const auto holds = [&](const ClusterVolume& one) {
      return one.mount && !one.read_only && folder.starts_with(one.mount->text + "/");
    };
    if (std::ranges::any_of(cluster.volumes, holds)) return;
    complain(cluster.records->begin, "records",
             fmt::format("lies in no volume that can be written: {}",
                         spec::in_quotes(cluster.records->text)),
             "for example: volumes: [{mount: /data, claim: NAME}], records: /data/muster");
  }

  void gang(const Gang& gang) {
    if (!gang.by) return;
    const bool is_volcano = gang.by->text == "volcano";
    if (!is_volcano && gang.queue) {
      complain(gang.queue->begin, "gang.queue", "has no meaning with by: scheduler-plugins",
               "remove it; Kueue's queue is the key queue: beside gang:");
    }
    if (is_volcano && gang.timeout) {
      complain(gang.timeout->begin, "gang.timeout",
               "has no meaning with by: volcano, which waits without end", "remove it");
    }
  }

  void runtime(const std::optional<Text>& text) {
    if (!text || is_runtime(text->text)) return;
    complain(text->begin, "runtime", fmt::format("cannot be {}", spec::in_quotes(text->text)),
             kRuntimeHint);
  }

  void toleration(const Toleration& one) {
    if (one.op && one.op->text == "Exists" && one.value) {
      complain(one.value->begin, "tolerations.value", "has no meaning with operator: Exists",
               "remove it, or write operator: Equal");
    }
    if (one.key || (one.op && one.op->text == "Exists")) return;
    complain(one.mark, "tolerations", "has an item without a key",
             "only operator: Exists goes without one");
  }

 private:
  void complain(Mark mark, std::string_view key, const std::string& what, std::string hint) {
    complaints_.add(mark, fmt::format("{}.{} {}", path_, key, what), std::move(hint));
  }

  std::string path_;
  Complaints& complaints_;
};

}  // namespace

bool is_runtime(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_dns_label(text);
  const std::string_view kind = text.substr(0, slash);
  return (kind == "TrainingRuntime" || kind == "ClusterTrainingRuntime") &&
         is_dns_label(text.substr(slash + 1));
}

void check_cluster(const Cluster& cluster, const std::string& path, Complaints& complaints) {
  ClusterCheck check(path, complaints);
  check.name(cluster.name_space, "namespace");
  check.path(cluster.code_folder, "code");
  check.path(cluster.records, "records");
  check.name(cluster.scheduler, "scheduler");
  check.gang(cluster.gang);
  check.runtime(cluster.runtime);
  check.path(cluster.mpi.ssh_folder, "mpi.ssh_folder");
  check.path(cluster.mpi.sshd_config, "mpi.sshd_config");
  check.words(cluster.node_selector, "node_selector", false);
  check.words(cluster.labels, "labels", false);
  check.words(cluster.annotations, "annotations", true);
  for (const PodResources* one : {&cluster.launcher, &cluster.worker}) {
    check.words(one->requests, "resources", true);
    check.words(one->limits, "resources", true);
  }
  for (const ClusterVolume& volume : cluster.volumes) check.volume(volume);
  check.mounts(cluster.volumes);
  check.records(cluster);
  for (const Toleration& one : cluster.tolerations) check.toleration(one);
}

}  // namespace muster::job

// One question after another.
#include "cluster/examination.hpp"

#include <algorithm>
#include <set>

#include "base/words.hpp"
#include "cluster/access.hpp"
#include "cluster/claim.hpp"
#include "cluster/image_facts.hpp"
#include "cluster/operated.hpp"
#include "cluster/submission.hpp"
#include "kubernetes/gang.hpp"
#include "kubernetes/quota.hpp"
#include "kubernetes/render.hpp"
#include "kubernetes/state.hpp"
#include "kubernetes/text.hpp"

namespace muster::cluster {
namespace {

using kubernetes::Value;

constexpr const char* kSomeAddress = "192.0.2.1";  // RFC 5737: that of nobody

// The pod that a controller would make of a Job's template.
Value pod_of(const Value& job) {
  const Value* pod = job.at("spec.template.spec");
  const Value* labels = job.at("spec.template.metadata.labels");
  Value meta = kubernetes::object().add("name", kubernetes::text_at(job, "metadata.name"));
  if (labels != nullptr) meta.add("labels", *labels);
  return kubernetes::object()
      .add("apiVersion", "v1")
      .add("kind", "Pod")
      .add("metadata", std::move(meta))
      .add("spec", *pod);
}

// Workers are many and alike.
std::string kind_of(const Value& object) {
  const Value* const labels = object.at("metadata.labels");
  const Value* const role =
      labels == nullptr ? nullptr : labels->find("app.kubernetes.io/component");
  return kubernetes::text_at(object, "kind") + " " + (role == nullptr ? "" : role->text);
}

class Examining {
 public:
  Examining(const Kubectl& kubectl, const Asked& asked)
      : kubectl_(kubectl), asked_(asked), run_(asked.run) {}

  std::vector<Finding> examine() {
    if (!ask_access() || !ask_operator()) return std::move(found_);
    const std::vector<Value> objects = objects_to_make();
    ask_quotas(objects);
    ask_admission(objects);
    for (const job::ClusterVolume& volume : run_.cluster.volumes) ask_volume(volume);
    ask_processors();
    ask_images();
    return std::move(found_);
  }

 private:
  void fine(const char* about, std::string what) {
    found_.push_back({about, true, {base::Fault::cannot_start, std::move(what), {}, {}}});
  }
  void unknown(const char* about, std::string what) {
    found_.push_back({about, std::nullopt, {base::Fault::cannot_start, std::move(what), {}, {}}});
  }
  void wrong(const char* about, base::Error error) {
    found_.push_back({about, false, std::move(error)});
  }
  void wrong(const char* about, std::string what, std::string hint) {
    wrong(about, {base::Fault::cannot_start, std::move(what), std::move(hint), {}});
  }

  // ---- access -----------------------------------------------------------------------------------

  bool ask_access() {
    const auto indexed = knows_indexed_jobs(kubectl_);
    const auto table = indexed ? kubectl_.ask({"auth", "can-i", "--list", "--no-headers"})
                               : Answered<std::string>(tl::unexpected(indexed.error()));
    if (!table) {
      wrong("access", table.error().error);
      return false;
    }
    run_.indexed = *indexed;
    tell_access(*table);
    return true;
  }

  [[nodiscard]] std::vector<Right> rights() const {
    if (asked_.operated.empty()) {
      std::vector<Right> needed = needed_rights(!run_.cluster.muster_image);
      if (kubernetes::has_gang(run_.cluster)) {
        needed.push_back({kubernetes::pod_group_resource(run_.cluster), "create"});
      }
      return needed;
    }
    return operated_rights(kubernetes::resource_of(kubernetes::carried_out(asked_.operated)));
  }

  void tell_access(const std::string& table) {
    std::string missing;
    for (const Right& right : missing_rights(table, rights())) {
      missing += fmt::format("{}{} {}", missing.empty() ? "" : ", ", right.verb, right.resource);
    }
    if (missing.empty()) return fine("access", "all that muster needs");
    const std::string space = kubectl_.place().space;
    wrong(
        "access",
        fmt::format("muster may not{}: {}", space.empty() ? "" : " in namespace " + space, missing),
        "the role that it needs is in docs/kubernetes/role.yaml");
  }

  // Whether the kind of the job is known: its pods are its operator's.
  bool ask_operator() {
    if (asked_.operated.empty() && !kubernetes::has_gang(run_.cluster)) return true;
    const Value object = asked_.operated.empty() ? kubernetes::pod_group(run_, kubernetes::object())
                                                 : kubernetes::carried_out(asked_.operated);
    const auto known = look_for_operator(kubectl_, object);
    if (known) {
      fine("operator", "the cluster knows " + kubernetes::resource_of(object));
    } else {
      wrong("operator", known.error().error);
    }
    return known.has_value();
  }

  // ---- quotas -----------------------------------------------------------------------------------

  [[nodiscard]] std::vector<Value> objects_to_make() const {
    return asked_.operated.empty() ? kubernetes::render(run_, kSomeAddress) : asked_.operated;
  }

  // Those who may use a namespace often may not look at its quotas.
  void ask_quotas(const std::vector<Value>& objects) {
    const auto listed = kubectl_.ask({"get", "resourcequotas", "--output=json"});
    if (!listed) return unknown("quota", listed.error().error.what);
    const auto read = kubernetes::read_json(*listed);
    if (!read) return unknown("quota", read.error().what);
    const kubernetes::Amounts needs = kubernetes::needs_of(objects);
    const std::vector<kubernetes::Quota> quotas = kubernetes::read_quotas(*read);
    if (quotas.empty()) return fine("quota", "the namespace has none");
    for (const kubernetes::Quota& quota : quotas) tell_quota(quota, needs);
  }

  void tell_quota(const kubernetes::Quota& quota, const kubernetes::Amounts& needs) {
    if (quota.is_scoped) {
      return unknown("quota", fmt::format("{} counts only pods of some kinds", quota.name));
    }
    const auto shortages = kubernetes::shortages(quota, needs);
    if (shortages.empty()) return fine("quota", fmt::format("{} has room for all", quota.name));
    for (const kubernetes::Shortage& one : shortages) {
      wrong("quota", {base::Fault::no_slots,
                      fmt::format("the job needs {} of {}, and the quota {} has {} of {} left",
                                  one.need, one.resource, quota.name, one.left, one.hard),
                      "ask for less, or wait until the namespace has room",
                      {}});
    }
    is_short_ = true;
  }

  // ---- admission --------------------------------------------------------------------------------

  void ask_admission(const std::vector<Value>& objects) {
    const std::size_t before = found_.size();
    std::set<std::string> kinds;
    for (const Value& object : objects) {
      if (!kinds.insert(kind_of(object)).second) continue;
      admit(object);
      if (object.at("spec.template.spec") != nullptr) admit(pod_of(object));
    }
    if (found_.size() > before) return;
    fine("admission", "the server takes an object, and a pod, of each kind");
  }

  // Of quotas, all is said already.
  void admit(const Value& object) {
    const auto answer = kubectl_.ask(
        {"create", "--filename=-", "--dry-run=server", "--output=name"}, to_json(object));
    if (answer || (answer.error().kind == Refusal::quota && is_short_)) return;
    const base::Error& error = answer.error().error;
    const auto same = [&](const Finding& one) { return one.told.what == error.what; };
    if (std::ranges::none_of(found_, same)) wrong("admission", error);
  }

  // ---- storage ----------------------------------------------------------------------------------

  void ask_volume(const job::ClusterVolume& volume) {
    if (!volume.claim) return;
    const std::string& name = volume.claim->text;
    const auto listed =
        kubectl_.ask({"get", "persistentvolumeclaim", name, std::string(kClaimForm)});
    if (listed) return tell_claim(volume, read_claim(*listed));
    if (listed.error().kind != Refusal::absent) {
      return unknown("storage", fmt::format("claim {}: {}", name, listed.error().error.what));
    }
    wrong("storage", {base::Fault::bad_file,
                      fmt::format("there is no claim {} for a volume", name),
                      "kubectl get persistentvolumeclaims lists them",
                      {}});
  }

  void tell_claim(const job::ClusterVolume& volume, const Claim& claim) {
    const std::string& name = volume.claim->text;
    const std::string what =
        fmt::format("claim {}: {}, {}", name, claim.phase, fmt::join(claim.modes, ", "));
    if (claim.phase == "Lost") {
      return wrong("storage", fmt::format("the claim {} has lost its volume", name),
                   "kubectl describe persistentvolumeclaim " + name);
    }
    if (!reaches(claim, kubernetes::nodes_of(run_), volume.read_only)) {
      return wrong("storage",
                   fmt::format("the claim {} ({}) cannot be seen by pods on {} nodes", name,
                               fmt::join(claim.modes, ", "), kubernetes::nodes_of(run_)),
                   "a job of several nodes needs a claim with ReadWriteMany, or ReadOnlyMany and "
                   "read_only: true");
    }
    if (claim.phase == "Bound") return fine("storage", what);
    unknown("storage", what + ": whether it gets a volume is known once a pod wants it");
  }

  // ---- images and processors --------------------------------------------------------------------

  // Nodes belong to the whole cluster: few may look at them.
  void ask_processors() {
    const auto answer = kubectl_.ask(
        {"get", "nodes", "--output=jsonpath={.items[*].status.nodeInfo.architecture}"});
    if (!answer) return unknown("processor", "of the nodes: " + answer.error().error.what);
    const auto words = base::split(*answer, " ");
    processors_ = std::set<std::string>(words.begin(), words.end());
    processors_.erase("");
    const std::string all = fmt::format("{}", fmt::join(processors_, ", "));
    if (processors_.empty()) return unknown("processor", "the nodes do not say theirs");
    const bool is_pushed = asked_.operated.empty() && !run_.cluster.muster_image;
    if (processors_.contains(asked_.processor) || !is_pushed) {
      return fine("processor", "of the nodes: " + all);
    }
    wrong("processor",
          fmt::format("the nodes are {}, and this muster, which would be pushed, is for {}", all,
                      asked_.processor),
          "muster_image: in the target names an image with one for them");
  }

  void ask_images() {
    std::set<std::string> images = {run_.launcher.image};
    for (const kubernetes::Workers& workers : run_.workers) images.insert(workers.plan.image);
    if (run_.cluster.muster_image) images.insert(run_.cluster.muster_image->text);
    for (const std::string& image : images) tell_image(image, image_facts(kubectl_, image));
  }

  void tell_image(const std::string& image, const ImageFacts& facts) {
    if (!facts.is_there) return unknown("image", fmt::format("{}: {}", image, facts.why));
    if (!*facts.is_there) {
      return wrong("image", fmt::format("the image {} is not there: {}", image, facts.why),
                   "is its name right? image: in the job file or in muster.yml");
    }
    const std::string all = fmt::format("{}", fmt::join(facts.processors, ", "));
    const auto runs = [&](const std::string& one) { return facts.processors.contains(one); };
    if (processors_.empty() || std::ranges::any_of(processors_, runs)) {
      return fine("image", fmt::format("{}, for {}", image, all));
    }
    wrong("image",
          fmt::format("the image {} is for {}, and the nodes are {}", image, all,
                      fmt::join(processors_, ", ")),
          "use an image for the nodes' processor");
  }

  const Kubectl& kubectl_;
  const Asked& asked_;
  kubernetes::Run run_;
  bool is_short_ = false;             // some quota is
  std::set<std::string> processors_;  // of the nodes; empty: not known
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> examine(const Kubectl& kubectl, const Asked& asked) {
  return Examining(kubectl, asked).examine();
}

}  // namespace muster::cluster

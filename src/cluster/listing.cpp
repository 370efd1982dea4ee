// Two calls of kubectl at most, however many pods there are.
#include "cluster/listing.hpp"

#include <algorithm>

#include "kubernetes/state.hpp"

namespace muster::cluster {
namespace {

using kubernetes::Field;
using kubernetes::Value;

// Each pod has several of these.
constexpr const char* kTellingEvents =
    "--field-selector=reason!=Scheduled,reason!=Pulling,reason!=Pulled,reason!=Created,"
    "reason!=Started,reason!=SuccessfulCreate";

Answered<Value> list(const Kubectl& kubectl, const std::string& kinds, const std::string& which) {
  const auto answer = kubectl.ask({"get", kinds, which, "--output=json"});
  if (!answer) return tl::unexpected(answer.error());
  auto listed = kubernetes::read_json(*answer);
  if (listed) return std::move(*listed);
  return tl::unexpected(Refused{Refusal::other, std::move(listed.error())});
}

}  // namespace

std::string selector_of(const std::string& id) {
  constexpr const char* kOurs = "app.kubernetes.io/managed-by=muster";
  return id.empty() ? kOurs : kOurs + (",app.kubernetes.io/instance=" + id);
}

Answered<Value> list_objects(const Kubectl& kubectl, const std::string& selector) {
  return list(kubectl, "pods,jobs", "--selector=" + selector);
}

Answered<Value> list_with_events(const Kubectl& kubectl, const std::string& selector) {
  auto listed = list_objects(kubectl, selector);
  if (!listed) return listed;
  auto events = list(kubectl, "events", kTellingEvents);
  const Value* const more = events ? events->find("items") : nullptr;
  const auto items = std::ranges::find(listed->fields, "items", &Field::name);
  if (more == nullptr || items == listed->fields.end()) return listed;
  std::ranges::copy(more->items, std::back_inserter(items->value.items));
  return listed;
}

}  // namespace muster::cluster

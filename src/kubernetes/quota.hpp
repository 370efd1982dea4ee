// Quotas: what the objects of a run ask for in all, and what a namespace has left for it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/value.hpp"

namespace muster::kubernetes {

// A quantity of Kubernetes, such as 500m, 2Gi, 1e3 or 0.5, in thousandths, rounded up. What is
// beyond all amounts is the largest one; nothing: it is no quantity, or less than 0.
[[nodiscard]] std::optional<std::int64_t> parse_quantity(std::string_view text);

// An amount in thousandths as people write it; bytes in the largest unit that has no rest.
[[nodiscard]] std::string quantity_text(std::int64_t amount, bool is_bytes);

// Thousandths, by the names that quotas have for them: pods, count/jobs.batch, requests.cpu.
using Amounts = std::map<std::string, std::int64_t>;

// What objects ask for, with the pods that controllers make of them.
[[nodiscard]] Amounts needs_of(const std::vector<Value>& objects);

struct Quota {
  std::string name;
  bool is_scoped = false;  // it counts only some pods
  Amounts hard;
  Amounts used;
};

// `listed`: what `kubectl get resourcequotas -o json` prints.
[[nodiscard]] std::vector<Quota> read_quotas(const Value& listed);

struct Shortage {
  std::string resource;
  std::string need;  // quantities as people write them
  std::string left;
  std::string hard;
  bool operator==(const Shortage&) const = default;
};

// What the quota has no room for.
[[nodiscard]] std::vector<Shortage> shortages(const Quota& quota, const Amounts& needs);

}  // namespace muster::kubernetes

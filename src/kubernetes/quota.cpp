// Counts objects, adds up what their containers ask for, and compares it with quotas.
#include "kubernetes/quota.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include "kubernetes/operated.hpp"

namespace muster::kubernetes {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kOne = 1000;  // thousandths

struct Unit {
  std::string_view text;
  int tens;  // powers
  int twos;
};

constexpr Unit kQuantityUnits[] = {
    {"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},
    {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
    {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
};

// "e3", "E+6"; what is a unit is none.
std::optional<int> exponent_of(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(text[1] == '+' ? 2 : 1);
  int exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return exponent;
}

std::optional<Unit> unit_of(std::string_view text) {
  if (const auto exponent = exponent_of(text)) return Unit{text, *exponent, 0};
  const auto* const found = std::ranges::find(kQuantityUnits, text, &Unit::text);
  if (found == std::end(kQuantityUnits)) return std::nullopt;
  return *found;
}

// Digits with one point at most; `tens` goes down with each one behind it.
std::optional<long double> digits_of(std::string_view text, int& tens) {
  long double number = 0;
  bool has_digit = false;
  bool has_point = false;
  for (const char c : text) {
    if (c == '.' && !has_point) {
      has_point = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    has_digit = true;
    number = number * 10 + (c - '0');
    tens -= has_point ? 1 : 0;
  }
  return has_digit ? std::optional(number) : std::nullopt;
}

// Whole powers of ten are exact, so a whole number stays one.
std::int64_t scaled(long double number, int tens, int twos) {
  number = std::ldexp(number, twos);
  const long double power = std::pow(10.0L, std::abs(tens));
  number = std::ceil(tens < 0 ? number / power : number * power);
  return number >= static_cast<long double>(kMost) ? kMost : static_cast<std::int64_t>(number);
}

std::int64_t sum_of(std::int64_t one, std::int64_t other) {
  return one > kMost - other ? kMost : one + other;
}

std::int64_t times(std::int64_t one, std::int64_t count) {
  if (one == 0 || count == 0) return 0;
  return one > kMost / count ? kMost : one * count;
}

void add(Amounts& all, const std::string& name, std::int64_t amount) {
  std::int64_t& sum = all[name];
  sum = sum_of(sum, amount);
}

// ---- what objects ask for -----------------------------------------------------------------------

Amounts amounts_at(const Value& value, std::string_view path) {
  Amounts amounts;
  const Value* const found = value.at(path);
  if (found == nullptr) return amounts;
  for (const Field& field : found->fields) {
    if (const auto amount = parse_quantity(field.value.text)) amounts[field.name] = *amount;
  }
  return amounts;
}

// Where only a limit is said, that is what is asked for, too.
Amounts requests_of(const Value& container) {
  Amounts amounts = amounts_at(container, "resources.requests");
  for (const auto& [name, limit] : amounts_at(container, "resources.limits")) {
    amounts.try_emplace(name, limit);
  }
  return amounts;
}

Amounts limits_of(const Value& container) { return amounts_at(container, "resources.limits"); }

using Asking = Amounts (*)(const Value&);

// Containers run beside each other, those for the beginning one after the other before them.
Amounts of_pod(const Value& pod, Asking asks) {
  Amounts all;
  if (const Value* containers = pod.at("containers")) {
    for (const Value& one : containers->items) {
      for (const auto& [name, amount] : asks(one)) add(all, name, amount);
    }
  }
  if (const Value* first = pod.at("initContainers")) {
    for (const Value& one : first->items) {
      for (const auto& [name, amount] : asks(one)) all[name] = std::max(all[name], amount);
    }
  }
  return all;
}

// Quotas call requests of the usual resources by their own names, too.
bool is_usual(const std::string& name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage";
}

void add_pods(Amounts& all, const Value& pod, std::int64_t count) {
  for (const char* name : {"pods", "count/pods"}) add(all, name, times(kOne, count));
  for (const auto& [name, amount] : of_pod(pod, requests_of)) {
    add(all, "requests." + name, times(amount, count));
    if (is_usual(name)) add(all, name, times(amount, count));
  }
  for (const auto& [name, amount] : of_pod(pod, limits_of)) {
    add(all, "limits." + name, times(amount, count));
  }
}

std::int64_t count_at(const Value& value, std::string_view path) {
  const auto amount = parse_quantity(text_at(value, path));
  return amount ? *amount / kOne : 1;
}

// An operator's job has its pods by roles.
void add_replicas(Amounts& all, const Value& spec) {
  for (const Field& field : spec.fields) {
    if (!field.name.ends_with("ReplicaSpecs")) continue;
    for (const Field& role : field.value.fields) {
      const Value* const pod = role.value.at("template.spec");
      if (pod != nullptr) add_pods(all, *pod, count_at(role.value, "replicas"));
    }
  }
}

// The Jobs of a JobSet.
void add_jobs(Amounts& all, const Value& jobs) {
  for (const Value& one : jobs.items) {
    const Value* const pod = one.at("template.spec.template.spec");
    const std::int64_t count = count_at(one, "replicas");
    add(all, "count/jobs.batch", times(kOne, count));
    const std::int64_t pods = times(count, count_at(one, "template.spec.parallelism"));
    if (pod != nullptr) add_pods(all, *pod, pods);
  }
}

void add_object(Amounts& all, const Value& one) {
  const std::string resource = resource_of(one);
  const Value* const spec = one.at("spec");
  if (resource == "pods" && spec != nullptr) return add_pods(all, *spec, 1);
  add(all, "count/" + resource, kOne);
  if (resource.find('.') == std::string::npos) add(all, resource, kOne);
  if (spec == nullptr) return;
  if (const Value* pod = spec->at("template.spec")) {
    add_pods(all, *pod, count_at(*spec, "parallelism"));
  }
  if (const Value* jobs = spec->at("replicatedJobs")) add_jobs(all, *jobs);
  add_replicas(all, *spec);
}

bool has_any_scope(const Value& quota) {
  for (const char* path : {"spec.scopes", "spec.scopeSelector"}) {
    const Value* const found = quota.at(path);
    if (found != nullptr && !found->is_empty()) return true;
  }
  return false;
}

bool are_bytes(const std::string& resource) {
  return resource.find("memory") != std::string::npos ||
         resource.find("storage") != std::string::npos ||
         resource.find("hugepages") != std::string::npos;
}

}  // namespace

std::optional<std::int64_t> parse_quantity(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto unit = unit_of(text.substr(end));
  if (!unit) return std::nullopt;
  int tens = unit->tens + 3;
  const auto number = digits_of(text.substr(0, end), tens);
  if (!number) return std::nullopt;
  return scaled(*number, tens, unit->twos);
}

std::string quantity_text(std::int64_t amount, bool is_bytes) {
  if (amount % kOne != 0) return std::to_string(amount) + "m";
  const std::int64_t whole = amount / kOne;
  for (const Unit& unit :
       {kQuantityUnits[13], kQuantityUnits[12], kQuantityUnits[11], kQuantityUnits[10]}) {
    const std::int64_t size = std::int64_t{1} << unit.twos;
    if (!is_bytes || whole == 0 || whole % size != 0) continue;
    return std::to_string(whole / size) + std::string(unit.text);
  }
  return std::to_string(whole);
}

Amounts needs_of(const std::vector<Value>& objects) {
  Amounts all;
  for (const Value& one : objects) add_object(all, one);
  return all;
}

std::vector<Quota> read_quotas(const Value& listed) {
  std::vector<Quota> quotas;
  const Value* const items = listed.at("items");
  if (items == nullptr) return quotas;
  for (const Value& one : items->items) {
    quotas.push_back({text_at(one, "metadata.name"), has_any_scope(one),
                      amounts_at(one, "spec.hard"), amounts_at(one, "status.used")});
  }
  return quotas;
}

std::vector<Shortage> shortages(const Quota& quota, const Amounts& needs) {
  std::vector<Shortage> all;
  for (const auto& [resource, hard] : quota.hard) {
    const auto need = needs.find(resource);
    if (need == needs.end()) continue;
    const auto used = quota.used.find(resource);
    const std::int64_t taken = used == quota.used.end() ? 0 : used->second;
    const std::int64_t left = std::max<std::int64_t>(0, hard - taken);
    if (need->second <= left) continue;
    const bool bytes = are_bytes(resource);
    all.push_back({resource, quantity_text(need->second, bytes), quantity_text(left, bytes),
                   quantity_text(hard, bytes)});
  }
  return all;
}

}  // namespace muster::kubernetes

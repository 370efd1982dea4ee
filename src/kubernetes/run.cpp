// Names, quantities and resources of a run's objects.
#include "kubernetes/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace muster::kubernetes {
namespace {

constexpr std::size_t kNameMax = 40;  // pods and services of operators add to it, up to 63

bool is_small(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string* find_word(std::vector<Word>& words, const std::string& name) {
  const auto found = std::ranges::find(words, name, &Word::name);
  return found == words.end() ? nullptr : &found->value;
}

class Gathering {
 public:
  explicit Gathering(const job::PodResources& defaults) {
    for (const job::Named& one : defaults.limits) {
      made_.limits.push_back({one.name, quantity(one.value.text)});
    }
    for (const job::Named& one : defaults.requests) {
      made_.requests.push_back({one.name, quantity(one.value.text)});
    }
  }

  void set(const std::string& name, const std::string& value) {
    std::erase_if(made_.requests, [&](const Word& word) { return word.name == name; });
    std::erase_if(made_.limits, [&](const Word& word) { return word.name == name; });
    made_.limits.push_back({name, value});
  }

  void set(const std::string& name, const std::optional<job::Text>& value) {
    if (value) set(name, quantity(value->text));
  }

  [[nodiscard]] bool has(const std::string& name) {
    return find_word(made_.limits, name) != nullptr || find_word(made_.requests, name) != nullptr;
  }

  Resources take() && {
    for (const Word& limit : made_.limits) {
      if (find_word(made_.requests, limit.name) == nullptr) made_.requests.push_back(limit);
    }
    for (auto* words : {&made_.requests, &made_.limits}) std::ranges::sort(*words, {}, &Word::name);
    return std::move(made_);
  }

 private:
  Resources made_;
};

void set_limits(const job::Limits& limits, const std::string& gpu, Gathering& gathering) {
  gathering.set("cpu", limits.cpu);
  gathering.set("memory", limits.memory);
  if (limits.gpu && limits.gpu->number > 0) {
    gathering.set(gpu, std::to_string(limits.gpu->number));
  }
}

// A quantity as a number, to be compared: "500m" is 0.5, "2Gi" 2147483648.
double amount_of(const std::string& text) {
  constexpr std::string_view kUnits = "kMGTPE";
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (*end == '\0') return number;
  if (*end == 'm') return number / 1000;
  const char letter = *end == 'K' ? 'k' : *end;
  const std::size_t power = kUnits.find(letter);
  if (power == std::string_view::npos) return number;
  return number * std::pow(end[1] == 'i' ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

void widen_words(std::vector<Word>& words, const std::vector<Word>& others) {
  for (const Word& other : others) {
    std::string* own = find_word(words, other.name);
    if (own == nullptr) {
      words.push_back(other);
    } else if (amount_of(other.value) > amount_of(*own)) {
      *own = other.value;
    }
  }
  std::ranges::sort(words, {}, &Word::name);
}

std::string with_unit(const std::string& text, bool is_docker) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string number = text.substr(0, end);
  const std::string unit = text.substr(end);
  if (unit.empty() || unit == "b") return number;
  const bool is_decimal = unit.size() == 2 && unit[1] == 'B';
  if (!is_docker && is_decimal) return number + (unit[0] == 'K' ? 'k' : unit[0]);
  if (!is_docker && unit == "g") return number + "Gi";
  if (!is_docker && unit == "K") return number + "Ki";
  if (!is_docker) return text;
  const char first = small(unit[0]);
  return number + static_cast<char>(first - 'a' + 'A') + "i";
}

}  // namespace

std::string object_name(const std::string& run) {
  std::string name;
  for (const char c : run) {
    const char made = is_small(small(c)) ? small(c) : '-';
    if (name.empty() && (made == '-' || (made >= '0' && made <= '9'))) name = "m";
    if (name.size() < kNameMax && (made != '-' || !name.ends_with('-'))) name += made;
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "muster" : name;
}

std::string name_of_record(const std::string& record) {
  const std::size_t dash = record.rfind('-');
  if (dash == std::string::npos) return record;
  return record.substr(dash + 1) + "-" + record.substr(0, dash);
}

std::uint32_t nodes_of(const Run& run) {
  std::uint32_t nodes = 0;
  for (const Workers& one : run.workers) nodes += one.count;
  return nodes;
}

std::string selector(const Run& run) {
  return "app.kubernetes.io/managed-by=muster,app.kubernetes.io/instance=" + object_name(run.name);
}

Resources resources_of(const job::Limits& limits, const job::InstanceType* type,
                       const job::PodResources& defaults, const std::string& gpu) {
  Gathering gathering(defaults);
  if (type != nullptr) {
    gathering.set("cpu", type->cpu);
    gathering.set("memory", type->memory);
    if (type->gpus > 0) gathering.set(gpu, std::to_string(type->gpus));
  }
  set_limits(limits, gpu, gathering);
  return std::move(gathering).take();
}

void widen(Resources& resources, const Resources& other) {
  widen_words(resources.requests, other.requests);
  widen_words(resources.limits, other.limits);
}

Resources launcher_resources(const job::Limits& limits, const job::PodResources& defaults,
                             const std::string& gpu) {
  Gathering gathering(defaults);
  set_limits(limits, gpu, gathering);
  if (!gathering.has("cpu")) gathering.set("cpu", std::string("500m"));
  if (!gathering.has("memory")) gathering.set("memory", std::string("512Mi"));
  return std::move(gathering).take();
}

std::string gpu_name(const job::Cluster& cluster) {
  return cluster.gpu_resource ? cluster.gpu_resource->text : "nvidia.com/gpu";
}

std::string quantity(const std::string& text) { return with_unit(text, false); }

std::string docker_quantity(const std::string& text) { return with_unit(text, true); }

}  // namespace muster::kubernetes

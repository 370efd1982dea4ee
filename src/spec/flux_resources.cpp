// Reads Flux's R; no other file of this room knows the library for JSON.
#include "spec/flux_resources.hpp"

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "base/words.hpp"
#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"
#include "spec/slurm_words.hpp"

namespace muster::spec {
namespace {

using base::Result;
using Json = nlohmann::json;
using Ids = std::vector<std::uint32_t>;
using Names = std::vector<std::string>;

constexpr std::uint32_t kIdMax = (1U << 31) - 1;
constexpr int kDepthMax = 100;

struct Node {
  std::size_t cores = 0;
  std::size_t gpus = 0;
};
using Nodes = std::map<std::uint32_t, Node>;  // by rank

class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  Result<std::vector<FluxHost>> read(std::string_view text) const {
    const Json json = parsed(text);
    if (!json.is_object()) return odd("no JSON object");
    const Json& version = part(json, "version");
    if (version != 1) {
      return odd(fmt::format("version {}, where muster reads version 1",
                             version.is_number_integer() ? version.dump() : "?"));
    }
    const Json& execution = part(json, "execution");
    const auto nodes = nodes_of(part(execution, "R_lite"));
    if (!nodes) return tl::unexpected(nodes.error());
    const auto names = names_of(part(execution, "nodelist"));
    if (!names) return tl::unexpected(names.error());
    return joined(*nodes, *names);
  }

 private:
  static Json parsed(std::string_view text) {
    if (text.size() > kHostTextMax) return {};
    bool is_deep = false;
    const auto watch = [&](int depth, Json::parse_event_t, Json&) {
      is_deep = is_deep || depth > kDepthMax;
      return !is_deep;
    };
    Json json = Json::parse(text, watch, false);
    return is_deep ? Json() : json;
  }

  // null: there is none.
  static const Json& part(const Json& whole, const char* key) {
    static const Json kNone;
    if (!whole.is_object()) return kNone;
    const auto found = whole.find(key);
    return found == whole.end() ? kNone : *found;
  }

  [[nodiscard]] tl::unexpected<base::Error> odd(const std::string& what) const {
    return base::fail_at({name_, 0, 0}, base::Fault::bad_file, "you can name the hosts yourself",
                         "what Flux says of its resources is {}", what);
  }

  [[nodiscard]] Result<Ids> ids_of(const Json& text, const char* what) const {
    if (!text.is_string()) return odd(fmt::format("without a set of {}s", what));
    const auto& set = text.get_ref<const std::string&>();
    auto ids = read_idset(set);
    if (!ids) return odd(fmt::format("odd: {} is not a set of {}s", spec::in_quotes(set), what));
    return std::move(*ids);
  }

  [[nodiscard]] Result<std::size_t> count_of(const Json& children, const char* what,
                                             bool may_be_missing) const {
    const Json& set = part(children, what);
    if (set.is_null() && may_be_missing) return 0;
    return ids_of(set, what).map([](const Ids& ids) { return ids.size(); });
  }

  [[nodiscard]] Result<Nodes> nodes_of(const Json& entries) const {
    if (!entries.is_array()) return odd("without R_lite");
    Nodes nodes;
    for (const Json& entry : entries) {
      const auto ranks = ids_of(part(entry, "rank"), "rank");
      if (!ranks) return tl::unexpected(ranks.error());
      const Json& children = part(entry, "children");
      const auto cores = count_of(children, "core", false);
      if (!cores) return tl::unexpected(cores.error());
      const auto gpus = count_of(children, "gpu", true);
      if (!gpus) return tl::unexpected(gpus.error());
      for (const std::uint32_t rank : *ranks) {
        nodes[rank].cores += *cores;
        nodes[rank].gpus += *gpus;
      }
      if (nodes.size() > kHostsMax) return odd("too long");
    }
    return nodes;
  }

  [[nodiscard]] Result<Names> names_of(const Json& lists) const {
    if (!lists.is_array()) return odd("without a nodelist");
    Names all;
    for (const Json& list : lists) {
      if (!list.is_string()) return odd("without names in its nodelist");
      const auto& text = list.get_ref<const std::string&>();
      auto names = names_in_hostlist(text, Widths::of_first);
      if (!names || all.size() + names->size() > kHostsMax) {
        return odd(fmt::format("odd: {} is not a list of hosts", spec::in_quotes(text)));
      }
      std::ranges::move(*names, std::back_inserter(all));
    }
    return all;
  }

  [[nodiscard]] Result<std::vector<FluxHost>> joined(const Nodes& nodes, const Names& names) const {
    if (nodes.empty()) return odd("without a host");
    if (nodes.size() != names.size()) {
      return odd(fmt::format("odd: {} ranks, but {} hosts", nodes.size(), names.size()));
    }
    std::vector<FluxHost> hosts;
    for (const auto& [rank, node] : nodes) {
      hosts.push_back({names[hosts.size()], rank, static_cast<std::uint32_t>(node.cores),
                       static_cast<std::uint32_t>(node.gpus)});
    }
    return hosts;
  }

  const std::string& name_;
};

std::optional<std::uint32_t> id_of(std::string_view text) {
  std::uint32_t id = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), id);
  const bool is_whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  const bool is_padded = text.size() > 1 && text.front() == '0';
  return is_whole && !is_padded && id <= kIdMax ? std::optional(id) : std::nullopt;
}

// Adds "5" or "5-8"; false: it is none, or not beyond what is there, or too much.
bool add_range(Ids& ids, std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = id_of(text.substr(0, dash));
  const auto last = dash == text.size() ? first : id_of(text.substr(dash + 1));
  if (!first || !last || *last < *first) return false;
  if (!ids.empty() && *first <= ids.back()) return false;
  if (ids.size() + (*last - *first) >= kHostsMax) return false;
  for (std::uint32_t id = *first; id <= *last; ++id) ids.push_back(id);
  return true;
}

}  // namespace

Result<std::vector<FluxHost>> read_flux_resources(std::string_view text, const std::string& name) {
  return Reader(name).read(text);
}

std::optional<Ids> read_idset(std::string_view text) {
  if (text.starts_with('[') != text.ends_with(']')) return std::nullopt;
  if (text.starts_with('[')) text = text.substr(1, text.size() - 2);
  Ids ids;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (!add_range(ids, text.substr(at, end - at))) return std::nullopt;
    at = end + 1;
  }
  return ids;
}

}  // namespace muster::spec

// What muster gc removed, as JSON.
#include <nlohmann/json.hpp>

#include "view/collection.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered tally_json(const Tally& tally) { return {{"count", tally.count}, {"bytes", tally.bytes}}; }

Ordered list_json(const std::vector<std::string>& names) {
  Ordered list = Ordered::array();
  for (const std::string& name : names) list.push_back(utf8(name));
  return list;
}

}  // namespace

std::string collection_json(const Collection& one) {
  Ordered needed = Ordered::array();
  for (const KeptRun& kept : one.needed) {
    needed.push_back({{"run", utf8(kept.run)}, {"by", utf8(kept.by)}});
  }
  Ordered whole = {{"dry_run", one.dry_run},
                   {"bytes", one.bytes()},
                   {"records", tally_json(one.records)},
                   {"code", tally_json(one.contents)},
                   {"leftovers", tally_json(one.leftovers)},
                   {"reuse", tally_json(one.offers)},
                   {"runs", list_json(one.runs)},
                   {"needed", std::move(needed)},
                   {"unknown", list_json(one.strange)},
                   {"unread", list_json(one.unread)},
                   {"failed", list_json(one.failed)},
                   {"busy", one.is_held},
                   {"stays", nullptr}};
  if (!one.hosts.empty()) {
    Ordered hosts = Ordered::array();
    for (const TidiedHost& host : one.hosts) {
      hosts.push_back({{"host", utf8(host.host)},
                       {"folders", tally_json(host.folders)},
                       {"cache", tally_json(host.contents)}});
    }
    whole["hosts"] = std::move(hosts);
  }
  if (one.stays) whole["stays"] = *one.stays;
  return whole.dump() + "\n";
}

}  // namespace muster::view

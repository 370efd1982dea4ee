// Takes names of Azure ML's apart, and finds the entries that they mean.
#include "job/names.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/address.hpp"
#include "base/words.hpp"

namespace muster::job {
namespace {

constexpr std::string_view kAzure = "azureml:";
constexpr std::string_view kStores = "/datastores/";

bool is_address(std::string_view text) { return text.find("://") != std::string_view::npos; }

std::string_view without_azure(std::string_view text) {
  return text.starts_with(kAzure) && !is_address(text) ? text.substr(kAzure.size()) : text;
}

// "azureml://subscriptions/.../datastores/blob/paths/x" is the store of a workspace: as in the
// short form, only its name counts. A store by itself means all its paths.
std::string short_address(std::string_view text) {
  constexpr std::string_view kScheme = "azureml:/";
  const std::size_t store = text.find(kStores);
  if (!text.starts_with("azureml://") || store == std::string_view::npos) return std::string(text);
  std::string address = std::string(kScheme) + std::string(text.substr(store));
  while (address.ends_with('/')) address.pop_back();
  const bool is_all = address.find('/', kScheme.size() + kStores.size()) == std::string::npos;
  if (is_all) return address + "/paths/";
  return text.ends_with('/') ? address + "/" : address;
}

// What stands behind the address, if it is the whole or ends where a part of the path does.
std::optional<std::string_view> behind(std::string_view text, std::string_view address) {
  if (!text.starts_with(address)) return std::nullopt;
  const std::string_view rest = text.substr(address.size());
  if (rest.empty() || address.ends_with('/') || rest.starts_with('/')) return rest;
  return std::nullopt;
}

std::string joined(std::string_view to, std::string_view rest) {
  while (rest.starts_with('/')) rest.remove_prefix(1);
  if (rest.empty()) return std::string(to);
  return fmt::format("{}{}{}", to, to.ends_with('/') ? "" : "/", rest);
}

std::optional<Led> led_by_address(const std::vector<Lead>& leads, std::string_view text) {
  const std::string address = short_address(text);
  std::optional<Led> found;
  std::size_t longest = 0;
  for (const Lead& lead : leads) {
    if (!is_address(lead.name) || !lead.to) continue;
    const std::string own = short_address(lead.name);
    const auto rest = behind(address, own);
    if (!rest || (found && own.size() <= longest)) continue;
    found = Led{&lead, joined(lead.to->text, *rest)};
    longest = own.size();
  }
  return found;
}

std::optional<Led> led_by_name(const std::vector<Lead>& leads, std::string_view name) {
  const auto lead = std::ranges::find_if(
      leads, [&](const Lead& one) { return one.to && without_azure(one.name) == name; });
  if (lead == leads.end()) return std::nullopt;
  return Led{&*lead, lead->to->text};
}

// "/subscriptions/.../components/train/versions/3",
// "//registries/azureml/components/train/labels/x"
std::optional<AssetName> named_at_length(std::string_view text) {
  constexpr std::array<std::string_view, 5> kNamed = {"components", "data", "datasets",
                                                      "environments", "models"};
  const std::vector<std::string> parts = base::split(text, "/");
  for (std::size_t i = 1; i + 2 < parts.size(); ++i) {
    const bool is_kind = std::ranges::find(kNamed, parts[i - 1]) != kNamed.end();
    if (!is_kind || i + 3 != parts.size()) continue;
    if (parts[i + 1] == "versions") return AssetName{parts[i], parts[i + 2], ""};
    if (parts[i + 1] == "labels") return AssetName{parts[i], "", parts[i + 2]};
  }
  return std::nullopt;
}

std::string for_yaml(std::string_view name) {
  const bool is_plain = name.find_first_of(": '\"{}[],#&*!|>%@`") == std::string_view::npos;
  return is_plain ? std::string(name) : fmt::format("\"{}\"", name);
}

// The part of an address that others share: the store, or the host.
std::string shared_part(std::string_view text) {
  if (!is_address(text)) return std::string(text);
  const std::string address = short_address(text);
  const std::size_t paths = address.find("/paths/");
  if (paths != std::string::npos) return address.substr(0, paths) + "/paths/";
  const std::size_t last = address.rfind('/');
  const std::size_t host = address.find("://") + 3;
  return last < host ? address : address.substr(0, last + 1);
}

}  // namespace

std::string_view key_of(Asset kind) {
  constexpr std::string_view kKeys[] = {"components", "data", "environments"};
  return kKeys[static_cast<std::size_t>(kind)];
}

const std::vector<Lead>& leads_of(const Leads& leads, Asset kind) {
  if (kind == Asset::component) return leads.components;
  return kind == Asset::data ? leads.data : leads.environments;
}

std::vector<Lead>& leads_of(Leads& leads, Asset kind) {
  if (kind == Asset::component) return leads.components;
  return kind == Asset::data ? leads.data : leads.environments;
}

std::optional<AssetName> asset_name(std::string_view text) {
  if (text.starts_with("azureml:/")) return named_at_length(text.substr(kAzure.size()));
  if (is_address(text)) return std::nullopt;
  text = without_azure(text);
  const std::size_t end = text.find_first_of(":@");
  AssetName named{std::string(text.substr(0, end)), "", ""};
  if (end != std::string_view::npos) {
    (text[end] == ':' ? named.version : named.label) = text.substr(end + 1);
  }
  if (named.name.empty() || named.name.find('/') != std::string::npos) return std::nullopt;
  return named;
}

std::optional<Led> led_by(const std::vector<Lead>& leads, std::string_view text) {
  if (auto found = led_by_address(leads, text)) return found;
  const auto named = asset_name(text);
  if (!named) return std::nullopt;
  const std::string exact = named->version.empty() ? named->name + "@" + named->label
                                                   : named->name + ":" + named->version;
  auto found = led_by_name(leads, exact);
  return found ? found : led_by_name(leads, named->name);
}

std::optional<RunOutput> run_output(std::string_view text) {
  constexpr std::string_view kOfJobs = "azureml://jobs/";
  if (!text.starts_with(kOfJobs)) return std::nullopt;
  const std::string_view rest = text.substr(kOfJobs.size());
  constexpr std::string_view kOutputsPart = "/outputs/";
  const std::size_t outputs = rest.find(kOutputsPart);
  if (outputs == std::string_view::npos) return std::nullopt;
  RunOutput found{std::string(rest.substr(0, outputs)), "", ""};
  std::string_view named = rest.substr(outputs + kOutputsPart.size());
  const std::size_t end = std::min(named.find('/'), named.size());
  found.output = named.substr(0, end);
  named.remove_prefix(end);
  constexpr std::string_view kPaths = "/paths";
  if (named.starts_with(kPaths)) named.remove_prefix(kPaths.size());
  while (named.starts_with('/')) named.remove_prefix(1);
  while (named.ends_with('/')) named.remove_suffix(1);
  found.below = named;
  if (found.run.empty() || found.output.empty()) return std::nullopt;
  return found;
}

std::string how_to_say(Asset kind, std::string_view text) {
  const auto named = asset_name(text);
  const std::string name = base::without_secrets(named ? named->name : shared_part(text));
  constexpr std::string_view kForms[] = {"./FILE.yml", "PATH", "IMAGE or ./FILE.yml"};
  return fmt::format("{}: {{{}: {}}} in muster.yml", key_of(kind), for_yaml(name),
                     kForms[static_cast<std::size_t>(kind)]);
}

bool is_fetched(std::string_view path) {
  const std::string scheme = base::lower(path.substr(0, path.find(':')));
  const bool is_http = scheme == "https" || scheme == "http";  // in upper or lower case (RFC 3986)
  return is_http && path.substr(scheme.size()).starts_with("://");
}

}  // namespace muster::job

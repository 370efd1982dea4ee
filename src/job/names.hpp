// Names: what lies in a cloud and has a name there, and what muster.yml says of such names. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "job/node.hpp"
#include "job/text.hpp"

namespace muster::job {

enum class Asset : std::uint8_t { component, data, environment };

// The key of muster.yml, and of --set, that holds names of such: "components".
[[nodiscard]] std::string_view key_of(Asset kind);

// An entry below such a key: a name in a cloud, and what stands for it here.
struct Lead {
  std::string name;  // "mnist", "mnist:3", "azureml://datastores/blob/paths/", "https://host/"
  Mark mark;
  std::optional<Text> to;  // a path, an image, or an address
  std::optional<Text> sha256;
};

struct Leads {
  std::vector<Lead> components;
  std::vector<Lead> data;
  std::vector<Lead> environments;
};

[[nodiscard]] const std::vector<Lead>& leads_of(const Leads& leads, Asset kind);
[[nodiscard]] std::vector<Lead>& leads_of(Leads& leads, Asset kind);

// What "azureml:NAME", "azureml:NAME:VERSION", "azureml:NAME@LABEL" and the long forms of
// registries and workspaces name.
struct AssetName {
  std::string name;
  std::string version;  // empty: any
  std::string label;    // "latest"
};

// Nothing: it names something else, such as a folder of a store.
[[nodiscard]] std::optional<AssetName> asset_name(std::string_view text);

// Which entry a name means: of the addresses that it begins with the longest; else that of its
// version or label; else that of its name.
struct Led {
  const Lead* by = nullptr;
  std::string to;
};
[[nodiscard]] std::optional<Led> led_by(const std::vector<Lead>& leads, std::string_view text);

// A run's output, by the address azureml://jobs/RUN/outputs/NAME/paths/FOLDER/FILE. RUN may be
// RUN/STEP.
struct RunOutput {
  std::string run;
  std::string output;  // empty: what lies in the run's record itself
  std::string below;   // of it
};
[[nodiscard]] std::optional<RunOutput> run_output(std::string_view text);

// "data: {mnist: PATH} in muster.yml": what would make such a name known.
[[nodiscard]] std::string how_to_say(Asset kind, std::string_view text);

// "http:" and "https:" can be fetched.
[[nodiscard]] bool is_fetched(std::string_view path);

// What a name of data stands for: an absolute path, or an address to be fetched from.
struct Reached {
  std::string to;
  std::string sha256 = {};  // that its content must have; empty: any
};

}  // namespace muster::job

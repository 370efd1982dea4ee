// Gives every input its value and every output its folder.
#include "job/values.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "job/input_type.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

// "https:host/x", which is a mistyped address, and no path.
bool lacks_slashes(std::string_view path) {
  const std::string scheme = base::lower(path.substr(0, path.find(':') + 1));
  return (scheme == "http:" || scheme == "https:") && !is_fetched(path);
}

class Inputs {
 public:
  Inputs(const JobFile& job, const Bases& bases, Complaints& complaints)
      : job_(job), bases_(bases), complaints_(complaints) {}

  void set(const Setting& setting) {
    constexpr std::string_view kPrefix = "inputs.";
    const std::string name = setting.key.substr(std::min(kPrefix.size(), setting.key.size()));
    const auto input = std::ranges::find(job_.inputs, name, &Input::name);
    if (!setting.key.starts_with(kPrefix) || input == job_.inputs.end()) {
      return complaints_.add(
          {}, "--set " + spec::in_quotes(setting.key) + ": the job has no such input",
          hint_for(name));
    }
    const InputType type = type_of(*input, job_.dialect).value_or(InputType::text);
    if (auto wrong = misfit(*input, type, setting.value)) {
      return complaints_.add({}, "--set " + setting.key + " " + wrong->what, wrong->hint);
    }
    values_[name] = type == InputType::path ? typed_path(*input, setting) : setting.value;
  }

  // An input keeps the value that was set for it.
  void take(const Input& input) {
    const auto [slot, is_new] = values_.try_emplace(input.name);
    if (!is_new) return;
    if (!input.value) {
      if (input.optional || input.swept) return;
      return complaints_.add(input.mark, fmt::format("the input {} has no value", input.name),
                             fmt::format("give it one: --set inputs.{}=VALUE", input.name));
    }
    const std::string& value = input.value->text;
    if (type_of(input, job_.dialect) != InputType::path) {
      slot->second = value;
    } else if (!is_elsewhere(value)) {
      slot->second = placed(bases_.file, bases_.home, value);
    } else {
      slot->second = led(input, value, input.value->begin);
    }
  }

  void give(Values& values) && {
    values.inputs = std::move(values_);
    values.digests = std::move(digests_);
  }

 private:
  [[nodiscard]] std::string hint_for(const std::string& name) const {
    std::vector<std::string> known;
    for (const Input& input : job_.inputs) known.push_back(input.name);
    if (known.empty()) return "it has no inputs at all";
    const auto near = base::nearest(name, known);
    return "write --set inputs." + near.value_or(known.front()) + "=VALUE";
  }

  std::string typed_path(const Input& input, const Setting& setting) {
    if (!is_elsewhere(setting.value)) return placed(bases_.here, bases_.home, setting.value);
    return led(input, setting.value, {}).value_or("");
  }

  std::optional<std::string> led(const Input& input, const std::string& value, Mark mark) {
    auto place = reached(input, value, bases_,
                         {mark, "the input " + input.name, "inputs." + input.name}, complaints_);
    if (!place) return std::nullopt;
    const std::string& digest = place->sha256.empty() ? input.sha256 : place->sha256;
    if (!digest.empty()) digests_[input.name] = digest;
    return std::move(place->to);
  }

  const JobFile& job_;
  const Bases& bases_;
  Complaints& complaints_;
  decltype(Values::inputs) values_;
  decltype(Values::digests) digests_;
};

// Types whose values are folders: an address holds one file.
bool is_of_folder(const Input& input) {
  constexpr std::string_view kFolders[] = {"uri_folder", kTableType, "mlflow_model", "triton_model",
                                           "azuremldataset"};
  if (!input.type) return false;
  const std::string type = base::lower(input.type->text);
  return std::ranges::find(kFolders, type) != std::end(kFolders) || type.ends_with("directory");
}

// "iris.csv" of "https://host/data/iris.csv?version=2".
std::string file_at(std::string_view address) {
  address = address.substr(0, address.find_first_of("?#"));
  const std::size_t slash = address.rfind('/');
  const std::string_view name = address.substr(slash + 1);
  const bool is_name = !name.empty() && name != "." && name != ".." && slash > 7;
  return is_name ? std::string(name) : "file";
}

bool is_downloaded(const Input& input, Dialect dialect) {
  return input.mode && base::lower(input.mode->text) == "download" &&
         type_of(input, dialect) == InputType::path;
}

// A folder is there under the input's name; a file keeps its own name, which may say what it is.
void download(const JobFile& job, const Bases& bases, Values& values) {
  for (const Input& input : job.inputs) {
    std::optional<std::string>& value = values.inputs[input.name];
    if (value && is_fetched(*value) && type_of(input, job.dialect) == InputType::path) {
      std::string path = below(bases.inputs, input.name + "/" + file_at(*value));
      values.downloads.push_back({path, *value, values.digests[input.name]});
      value = std::move(path);
      continue;
    }
    if (!value || !value->starts_with('/') || !is_downloaded(input, job.dialect)) continue;
    while (value->size() > 1 && value->ends_with('/')) value->pop_back();
    const bool is_folder = input.type && base::lower(input.type->text) != "uri_file";
    std::string path = below(bases.inputs, input.name);
    if (!is_folder) path += value->substr(value->rfind('/'));
    values.downloads.push_back({path, *value});
    value = std::move(path);
  }
}

}  // namespace

bool is_in_azure(std::string_view path) { return path.starts_with("azureml:"); }

bool is_elsewhere(std::string_view path) {
  return path.find("://") != std::string_view::npos || is_in_azure(path) ||
         path.starts_with("runs:/") || lacks_slashes(path);
}

bool says_path(const Output& output) { return output.path && !is_elsewhere(output.path->text); }

bool is_file(const Output& output) {
  constexpr std::string_view kFiles[] = {"uri_file", "string", "number", "integer", "boolean"};
  if (!output.type) return output.is_control;
  const std::string type = base::lower(output.type->text);
  return std::ranges::find(kFiles, type) != std::end(kFiles);
}

bool is_value(const Output& output) {
  return is_file(output) && !(output.type && base::lower(output.type->text) == "uri_file");
}

bool is_run_folder(const Output& output) {
  return output.name == kRunFolderName && !says_path(output) && !is_file(output);
}

// The folder is the user's own, and other runs may use it at the same time.
std::string empty_run_folder(std::string_view output, std::string_view folder) {
  return fmt::format(
      "the output {} will be empty: the job runs in {} itself, not in a copy of it; have it write "
      "what you need to another output",
      output, folder);
}

bool has_run_folder(const JobFile& job) {
  const bool is_command = !job.sweep && !job.parallel && job.dialect != Dialect::native;
  return is_command && job.code;
}

std::string output_path(const Output& output, const Bases& bases) {
  if (is_run_folder(output) && !bases.runs_in.empty()) return bases.runs_in;
  return says_path(output) ? below(bases.file, output.path->text)
                           : below(bases.outputs, output.name);
}

std::string placed(const std::string& folder, const std::string& home, std::string_view path) {
  if (!home.empty() && path.starts_with("~/")) return below(home, path.substr(2));
  return below(folder, path);
}

std::string below(const std::string& folder, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  while (path.starts_with("./")) path.remove_prefix(2);
  if (path.empty() || path == ".") return folder;
  return folder + (folder.ends_with('/') ? "" : "/") + std::string(path);
}

std::optional<Reached> reached(const Input& input, const std::string& value, const Bases& bases,
                               const Whose& whose, Complaints& complaints) {
  DataFound found;
  if (bases.find) {
    auto asked = bases.find(value);
    if (!asked) {
      complaints.add(whose.mark, whose.what + ": " + asked.error().what, asked.error().hint);
      return std::nullopt;
    }
    found = std::move(*asked);
  }
  const std::string own = fmt::format("--set {}=PATH", whose.setting);
  const std::string entry = how_to_say(Asset::data, value);
  if (!found.reached && !is_fetched(value)) {
    complaints.add(
        whose.mark,
        fmt::format("{} is where muster cannot reach it: {}", whose.what, spec::in_quotes(value)),
        lacks_slashes(value)
            ? fmt::format("an address begins with {}//", value.substr(0, value.find(':') + 1))
            : fmt::format("{}name a file or folder of the hosts: {}, or {}", found.near, own,
                          entry));
    return std::nullopt;
  }
  Reached place = found.reached.value_or(Reached{value});
  if (is_fetched(place.to) && is_of_folder(input)) {
    complaints.add(
        whose.mark,
        fmt::format("{} is a folder, and an address holds one file: {}", whose.what,
                    spec::in_quotes(place.to)),
        fmt::format("type: uri_file fetches it; for a folder of the hosts: {}, or {}", own, entry));
    return std::nullopt;
  }
  return place;
}

Values values_of(const JobFile& job, const std::vector<Setting>& settings, const Bases& bases,
                 Complaints& complaints) {
  Inputs inputs(job, bases, complaints);
  for (const Setting& setting : settings) inputs.set(setting);
  for (const Input& input : job.inputs) inputs.take(input);
  Values values;
  std::move(inputs).give(values);
  if (!bases.inputs.empty()) download(job, bases, values);
  for (const Output& output : job.outputs) {
    values.outputs[output.name] = output_path(output, bases);
  }
  return values;
}

}  // namespace muster::job

// Reads .deepspeed_env.
#include "front/deepspeed/environment.hpp"

#include <algorithm>

#include "front/call.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::Fault;
using base::Result;

constexpr std::size_t kFileMax = std::size_t{1} << 20;

Result<void> read_line(model::App& app, std::string_view line, const base::Place& place) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) return {};
  const std::size_t equals = line.find('=');
  const bool odd = line.substr(0, equals).find_first_of(" \t") != std::string_view::npos;
  if (equals == std::string_view::npos || equals == 0 || odd) {
    return base::fail_at(place, Fault::bad_file, "each line is NAME=VALUE, without quotes",
                         "{} is not a setting", spec::in_quotes(line));
  }
  app.exports.push_back(
      {std::string(line.substr(0, equals)), std::string(line.substr(equals + 1))});
  return {};
}

Result<void> read_settings(model::App& app, std::string_view text, const std::string& path) {
  for (std::uint32_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto read = read_line(app, text.substr(0, end), {path, line, 1}); !read) return read;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

// A file that is not there says nothing, unless the user has named it.
Result<void> read_file(DeepspeedDraft& draft, const std::string& path, bool named) {
  const auto text = draft.call->read_file(path, kFileMax);
  if (!text) return named ? Result<void>(tl::unexpected(text.error())) : Result<void>();
  if (text->size() > kFileMax) {
    return base::fail_at({path, 0, 0}, Fault::bad_file, "", "the file is larger than 1 MiB");
  }
  return read_settings(draft.request.spec.apps.front(), *text, path);
}

void add_python_path(DeepspeedDraft& draft) {
  std::string path = draft.call->current_folder;
  const auto given = variable(*draft.call, "PYTHONPATH");
  if (given && !given->empty()) path += ":" + std::string(*given);
  draft.request.spec.apps.front().exports.push_back({"PYTHONPATH", std::move(path), true});
}

}  // namespace

Result<void> settle_deepspeed_environment(DeepspeedDraft& draft) {
  if (draft.request.spec.hosts.size() < 2 && !draft.hosts.force_multi) return {};
  add_python_path(draft);
  const auto named = variable(*draft.call, "DS_ENV_FILE");
  if (named && !named->empty() && named->find('/') != std::string_view::npos) {
    return read_file(draft, absolute(*draft.call, *named), true);
  }
  const std::string name(named && !named->empty() ? *named : ".deepspeed_env");
  const auto home = variable(*draft.call, "HOME");
  Result<void> done;
  if (home && *home != draft.call->current_folder) {
    done = read_file(draft, std::string(*home) + "/" + name, false);
  }
  return done.and_then([&] { return read_file(draft, absolute(*draft.call, name), false); });
}

}  // namespace muster::front

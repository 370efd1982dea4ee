// Looks up paths in a list.
#include "cli/asked_files.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/files_below.hpp"

namespace muster::cli {
namespace {

using File = model::TypedCommand::File;

const File* found(const model::TypedCommand& remembered, const std::string& path) {
  const auto file = std::ranges::find(remembered.files, path, &File::path);
  return file == remembered.files.end() ? nullptr : &*file;
}

}  // namespace

front::ReadFile remembering(front::ReadFile read, model::TypedCommand& remembered) {
  return [read = std::move(read), &remembered](const std::string& path, std::size_t most) {
    return read(path, most).map([&](std::string text) {
      remembered.files.push_back({path, text});
      return text;
    });
  };
}

front::ReadFile read_remembered(const model::TypedCommand& remembered) {
  return [&remembered](const std::string& path, std::size_t) -> base::Result<std::string> {
    if (const File* file = found(remembered, path)) return file->text;
    return base::fail(base::Fault::bad_file, "", "the record does not hold {}", path);
  };
}

front::HasFile has_remembered(const model::TypedCommand& remembered) {
  return [&remembered](const std::string& path) { return found(remembered, path) != nullptr; };
}

front::ListFiles lists_remembered(const model::TypedCommand& remembered) {
  return [&remembered](const auto& folder, const auto& endings) {
    std::vector<std::string> paths;
    for (const File& file : remembered.files) paths.push_back(file.path);
    return files_below(folder, endings, paths);
  };
}

front::ReadFile one_or_other(front::ReadFile first, front::ReadFile second) {
  return [first = std::move(first), second = std::move(second)](const std::string& path,
                                                                std::size_t most) {
    auto text = first(path, most);
    return text ? text : second(path, most);
  };
}

}  // namespace muster::cli

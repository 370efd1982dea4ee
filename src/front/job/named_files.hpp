// NamedFiles: files beside a job that say what they are called: components, data, environments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "front/call.hpp"
#include "job/names.hpp"
#include "job/node.hpp"

namespace muster::front {

struct NamedFile {
  std::string path;
  job::Asset kind = job::Asset::component;
  std::string name;
  std::string version;  // empty: it says none
  std::string data;     // of data: the path that it says
};

class NamedFiles {
 public:
  // Looks below the folder once a name is asked for. `call` outlives this.
  NamedFiles(const Call& call, std::string folder) : call_(call), folder_(std::move(folder)) {}

  // The one file that is called so, and of that version where one is asked for and said; an error
  // if there are several.
  [[nodiscard]] base::Result<std::optional<NamedFile>> find(job::Asset kind,
                                                            const job::AssetName& name);
  // Names of that kind.
  [[nodiscard]] std::vector<std::string> names(job::Asset kind);
  // That files of that name say.
  [[nodiscard]] std::vector<std::string> versions(job::Asset kind, const std::string& name);
  // Whether all files have been looked at.
  [[nodiscard]] bool are_all() const { return are_all_; }

 private:
  void look();
  [[nodiscard]] std::vector<NamedFile> called(job::Asset kind, const job::AssetName& name) const;

  const Call& call_;
  std::string folder_;
  std::vector<NamedFile> files_;
  bool has_looked_ = false;
  bool are_all_ = true;
};

// What a program of the Python SDK has registered on this machine: beside all records. `records`:
// the folder of these.
struct Registered {
  std::string file;  // that says so
  std::string to;    // a path or an image; empty: the file itself is what is meant
};
[[nodiscard]] std::optional<Registered> registered(const Call& call, const std::string& records,
                                                   job::Asset kind, const job::AssetName& name);

[[nodiscard]] std::vector<std::string> registered_versions(const Call& call,
                                                           const std::string& records,
                                                           job::Asset kind,
                                                           const std::string& name);

}  // namespace muster::front

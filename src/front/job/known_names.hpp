// KnownNames: what names of Azure ML stand for, by all who say so: --set, then muster.yml, then
// files beside the job, then what programs of the Python SDK have registered.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "front/call.hpp"
#include "front/job/named_files.hpp"
#include "front/job/options.hpp"
#include "job/names.hpp"
#include "job/read_pipeline.hpp"
#include "job/target.hpp"
#include "job/values.hpp"
#include "model/record.hpp"

namespace muster::front {

// An environment: an image, or the file of one.
struct MeantEnvironment {
  std::string image;
  std::string file;  // absolute; then there is no image
};

class KnownNames {
 public:
  // `folder`: the job file's. `told`: what muster.yml says; it is complained about once a name is
  // looked for. The others outlive this.
  KnownNames(const Call& call, const JobDraft& draft, std::string folder,
             const base::Result<job::TargetsReading>& told);

  // The absolute path of its file.
  [[nodiscard]] base::Result<std::string> component(const std::string& name);
  [[nodiscard]] base::Result<job::DataFound> data(const std::string& name);
  // Nothing: the target may have it.
  [[nodiscard]] base::Result<std::optional<MeantEnvironment>> environment(const std::string& name);

  // The two as those ask who read pipelines and values.
  [[nodiscard]] job::FindComponent find_component();
  [[nodiscard]] job::FindData find_data();

  // Adds a line for each name that was found, if a plan is all that is wanted: where it leads, and
  // who says so; and one for each entry of --set that no name has asked for.
  void tell(std::vector<std::string>& notices) const;
  // Each name that was found, and where it leads: a path, an image, or an address without secrets.
  [[nodiscard]] std::vector<model::NamedPath> led() const;
  // What was found, as --set would say it: with absolute paths.
  [[nodiscard]] const job::Leads& found() const { return found_; }

 private:
  struct Found {
    std::string to;  // a path as it is written, an image, or an address
    std::string folder;
    std::string by;  // "data.mnist, /here/muster.yml:3:9"
    std::string sha256;
  };
  using MaybeFound = base::Result<std::optional<Found>>;
  [[nodiscard]] MaybeFound find(job::Asset kind, const std::string& name);
  [[nodiscard]] std::optional<Found> typed(job::Asset kind, const std::string& name);
  [[nodiscard]] MaybeFound in_muster_yml(job::Asset kind, const std::string& name) const;
  [[nodiscard]] MaybeFound in_files(job::Asset kind, const std::string& name);
  [[nodiscard]] base::Result<std::string> place_of_data(const std::string& name,
                                                        const Found& found) const;
  [[nodiscard]] std::string placed_lead(job::Asset kind, const Found& found) const;
  [[nodiscard]] std::string near_version(job::Asset kind, const job::AssetName& name,
                                         const std::vector<std::string>& known);
  [[nodiscard]] std::string near(job::Asset kind, const std::string& name);
  void note(job::Asset kind, const std::string& name, const std::string& to, const std::string& by);

  const Call& call_;
  const JobDraft& draft_;
  const base::Result<job::TargetsReading>& told_;
  NamedFiles files_;
  std::vector<std::string> lines_;
  std::set<const job::Lead*> used_;
  job::Leads found_;
};

// "data.mnist=/data/mnist" and so on: what follows --set.
[[nodiscard]] std::vector<std::string> words_for_set(const job::Leads& leads);

// A path that is relative to the folder in which it was typed; others stay as they are.
[[nodiscard]] std::string typed_lead(job::Asset kind, const std::string& folder, std::string to);

}  // namespace muster::front

// KnownNames: what names of Azure ML stand for, of all who say so: --set, then muster.yml.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "front/call.hpp"
#include "front/job/options.hpp"
#include "job/names.hpp"
#include "job/read_pipeline.hpp"
#include "job/target.hpp"
#include "job/values.hpp"

namespace muster::front {

// An environment: an image, or the file of one.
struct MeantEnvironment {
  std::string image;
  std::string file;  // absolute; then there is no image
};

class KnownNames {
 public:
  // `told`: what muster.yml says; it is complained about once a name is looked for. All outlive
  // this.
  KnownNames(const Call& call, const JobDraft& draft,
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
  // What was found, as --set would say it: with absolute paths.
  [[nodiscard]] const job::Leads& found() const { return found_; }

 private:
  struct Found {
    std::string to;  // a path as it is written, an image, or an address
    std::string folder;
    std::string by;  // "data.mnist, /here/muster.yml:3:9"
    std::string sha256;
  };
  [[nodiscard]] base::Result<std::optional<Found>> find(job::Asset kind, const std::string& name);
  [[nodiscard]] std::string near(job::Asset kind, const std::string& name) const;
  void note(job::Asset kind, const std::string& name, const std::string& to, const std::string& by);

  const Call& call_;
  const JobDraft& draft_;
  const base::Result<job::TargetsReading>& told_;
  std::vector<std::string> lines_;
  std::set<const job::Lead*> used_;
  job::Leads found_;
};

// "data.mnist=/data/mnist" and so on: what follows --set.
[[nodiscard]] std::vector<std::string> words_for_set(const job::Leads& leads);

// A path that is relative to the folder in which it was typed; others stay as they are.
[[nodiscard]] std::string typed_lead(job::Asset kind, const std::string& folder, std::string to);

}  // namespace muster::front

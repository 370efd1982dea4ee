// Finds environments' files beside the job.
#include "front/job/environment_files.hpp"

#include <algorithm>

#include "front/job/place.hpp"
#include "job/environment_file.hpp"
#include "job/source.hpp"
#include "job/values.hpp"
#include "job/yaml.hpp"
#include "spec/in_quotes.hpp"
#include "spec/sources.hpp"

namespace muster::front {
namespace {

using job::Text;

class EnvironmentReader {
 public:
  EnvironmentReader(const Call& call, const std::string& folder, KnownNames& names,
                    job::Complaints& complaints)
      : call_(call), folder_(folder), names_(names), complaints_(complaints) {}

  void read(job::JobFile& job) {
    std::erase_if(job.environment, [&](const Text& one) { return take(one, job); });
    const bool is_only_named =
        job.environment.empty() && !job.image && !job.build && !job.conda && job.environment_name;
    if (is_only_named) (void)take(Text(*job.environment_name), job);
    for (job::Role* role : {&job.workers, &job.servers}) {
      if (role->environment && !role->image) read(*role);
    }
  }

 private:
  // Of a role, only its image can be another than the job's.
  void read(job::Role& role) {
    job::JobFile own;
    if (!take(*role.environment, own) || !own.image) return;
    role.image = std::move(own.image);
    role.environment.reset();
  }

  // Whether all is known of it, or has been complained about.
  bool take(const Text& one, job::JobFile& job) {
    if (const auto path = job::environment_file(one)) return take_file(one, *path, job);
    auto meant = names_.environment(one.text);
    if (!meant) {
      complain(one, one.text, meant.error());
      return true;
    }
    if (!*meant) return false;
    if (!(*meant)->file.empty()) return take_file(one, (*meant)->file, job);
    job.image = Text{(*meant)->image, one.begin, one.end, true};
    return true;
  }

  bool take_file(const Text& one, const std::string& path, job::JobFile& job) {
    const auto text = call_.read_file(job::below(folder_, path), job::kFileMax);
    if (text) {
      job::take_environment(*text, path, job, complaints_);
    } else {
      complain(one, path, text.error());
    }
    return true;
  }

  void complain(const Text& one, const std::string& named, const base::Error& error) {
    complaints_.add(one.begin,
                    fmt::format("the environment {}: {}", spec::in_quotes(named), error.what),
                    error.hint);
  }

  const Call& call_;
  const std::string& folder_;
  KnownNames& names_;
  job::Complaints& complaints_;
};

// Below muster lead, whose hosts have the software: place_of().
bool is_led(const Call& call) {
  return spec::path_around([&](std::string_view name) { return variable(call, name); }).has_value();
}

}  // namespace

void take_environment_files(const Call& call, const JobDraft& draft, const std::string& folder,
                            KnownNames& names, job::JobFile& job, job::Complaints& complaints) {
  const bool is_unused = std::ranges::count(draft.without, "environment") > 0;
  if ((draft.target == kAllocation && is_led(call)) || is_unused) return;
  EnvironmentReader(call, folder, names, complaints).read(job);
}

}  // namespace muster::front

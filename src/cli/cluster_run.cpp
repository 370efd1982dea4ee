// Record, bundle, objects; then what the cluster tells.
#include "cli/cluster_run.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

#include "base/variables.hpp"
#include "cli/bundle.hpp"
#include "cli/code.hpp"
#include "cli/detached.hpp"
#include "cli/end_file.hpp"
#include "cli/head_options.hpp"
#include "cli/own_user.hpp"
#include "cli/run.hpp"
#include "cli/scheduled.hpp"
#include "cli/scheduled_record.hpp"
#include "cli/speak.hpp"
#include "cluster/submission.hpp"
#include "front/job/python_path.hpp"
#include "front/pipeline_request.hpp"
#include "job/names.hpp"
#include "kubernetes/render.hpp"
#include "probe/random.hpp"
#include "process/signal_mask.hpp"
#include "store/folder.hpp"
#include "store/writer.hpp"
#include "view/plan.hpp"
#include "view/record_json.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;
using front::ClusterRequest;
using kubernetes::Word;

constexpr const char* kRecords = "/run/muster/records";
constexpr const char* kCache = "/run/muster/cache";
// A Secret has 1 MiB, and the bundle takes most of it.
constexpr std::size_t kSpecMax = 250'000;

// ---- the record ---------------------------------------------------------------------------------

void tell_hosts(const front::Reading& reading, model::RunRecord& record) {
  if (reading.pipeline) {
    for (const front::PoolHost& host : reading.pipeline->hosts) record.hosts.push_back(host.name);
    return;
  }
  const model::JobSpec& spec = reading.request->spec;
  for (const model::HostEntry& host : spec.hosts) record.hosts.push_back(host.name);
  for (const std::string& line : view::launcher_hosts(spec)) {
    record.hosts.push_back(line.substr(0, line.find(' ')));
  }
}

std::string records_in_pods(const job::Cluster& cluster) {
  return cluster.records ? cluster.records->text : kRecords;
}

// Where they lie, as pods see it.
void tell_outputs(const job::Cluster& cluster, model::RunRecord& record) {
  bool goes = false;
  for (model::NamedPath& output : record.outputs) {
    if (!record.holds(output.path)) continue;
    output.path = fmt::format("{}/{}{}", records_in_pods(cluster), record.run,
                              output.path.substr(record.folder.size()));
    goes |= !cluster.records;
  }
  if (!goes) return;
  note(
      "outputs without a path lie in the launcher's pod, and go with it; records: in the "
      "target names a folder in a volume for them");
}

model::RunRecord record_of(const front::Reading& reading, const Invocation& invocation) {
  const ClusterRequest& cluster = *reading.cluster;
  const job::Cluster& place = cluster.run.cluster;
  model::RunRecord record = scheduled_record(
      reading,
      {"kubernetes", cluster.target, place.context ? place.context->text : "",
       place.name_space ? place.name_space->text : "", kubernetes::object_name(cluster.run.name),
       user_everywhere(invocation.environment)});
  tell_hosts(reading, record);
  tell_outputs(place, record);
  return record;
}

// ---- what goes there ----------------------------------------------------------------------------

// Each folder of code once, with its snapshot.
class Codes {
 public:
  Result<void> take(const front::Reading& reading) {
    const std::string& folder = recording_in(reading).folder;
    if (reading.request && reading.request->code) return add(*reading.request->code, folder);
    if (!reading.pipeline) return {};
    for (const front::StepRequest& step : reading.pipeline->steps) {
      if (!step.code || has(step.code->folder)) continue;
      if (auto added = add(*step.code, folder); !added) return added;
    }
    return {};
  }

  [[nodiscard]] std::vector<BundledCode> folders() const {
    std::vector<BundledCode> all;
    for (const auto& [folder, snapshot] : taken_) all.push_back({folder, snapshot.manifest()});
    return all;
  }

  // That of a job; a pipeline has several.
  [[nodiscard]] Result<void> write_manifest(const std::string& folder) const {
    if (taken_.size() != 1) return {};
    return taken_.front().second.write_manifest(folder + "/" + std::string(kManifestFile));
  }

 private:
  [[nodiscard]] bool has(const std::string& folder) const {
    for (const auto& one : taken_) {
      if (one.first == folder) return true;
    }
    return false;
  }

  Result<void> add(const front::CodeFolder& code, const std::string& record) {
    if (!fs::is_directory(code.folder) && code.again.empty()) return {};
    front::RunRequest asks;
    asks.code = code;
    asks.record.emplace().folder = record;
    return CodeSnapshot::take(asks).map(
        [&](CodeSnapshot snapshot) { taken_.emplace_back(code.folder, std::move(snapshot)); });
  }

  std::vector<std::pair<std::string, CodeSnapshot>> taken_;
};

std::vector<std::string> downloads_of(const front::Reading& reading) {
  std::vector<std::string> paths;
  if (!reading.request) return paths;
  for (const front::DataPath& one : reading.request->data) {
    // A pod's muster has a package of its own.
    const bool is_package = one.path.ends_with(front::kPackageInRecord);
    if (!one.from.empty() && !job::is_fetched(one.from) && !is_package) paths.push_back(one.from);
  }
  return paths;
}

// By absolute paths; what came from stdin has a name of its own.
std::vector<model::TypedCommand::File> texts_of(const model::TypedCommand& asked,
                                                const ClusterRequest& cluster) {
  std::vector<model::TypedCommand::File> texts;
  for (const model::TypedCommand::File& file : asked.files) {
    const std::string path =
        file.path == "-" ? cluster.file : (fs::path(asked.folder) / file.path).string();
    texts.push_back({path, file.text});
  }
  return texts;
}

// What runs have written at outputs' paths is noted beside their records, if these stay.
bool writes_unnoted(const ClusterRequest& cluster, const model::RunRecord& record) {
  const std::string records = records_in_pods(cluster.run.cluster) + "/";
  return !cluster.run.cluster.records &&
         std::ranges::any_of(record.outputs, [&](const model::NamedPath& output) {
           return !output.path.starts_with(records);
         });
}

// muster lead takes variables of muster's own away: they would be those of the job around.
std::vector<std::string> launcher_words(const ClusterRequest& cluster,
                                        const model::RunRecord& record, bool unpacks) {
  const std::string job =
      std::string(front::kJobFolder) + fs::path(cluster.file).lexically_normal().string();
  const std::string bundle = fmt::format("{}/{}", kubernetes::kSecretFolder, cluster::kBundleKey);
  std::vector<std::string> words = {kubernetes::kProgram,
                                    "errand",
                                    "begin",
                                    unpacks ? bundle : "/",
                                    std::string(front::kJobFolder),
                                    fmt::format("{}={}", kEndFile, kMessageFile),
                                    fmt::format("{}={}", kRunName, record.run),
                                    kubernetes::kProgram,
                                    "submit",
                                    job};
  words.insert(words.end(), cluster.words.begin(), cluster.words.end());
  if (writes_unnoted(cluster, record) && !std::ranges::count(words, "--force")) {
    words.emplace_back("--force");
  }
  return words;
}

// The values of the shell's variables that the job calls its secrets.
std::vector<Word> secret_variables(const front::Reading& reading, const Invocation& invocation) {
  std::vector<Word> words;
  if (!reading.request) return words;
  for (const std::string& name : reading.request->secrets) {
    words.push_back({name, base::value_of(invocation.environment, name)});
  }
  return words;
}

cluster::Submission submission_of(const front::Reading& reading, const model::RunRecord& record,
                                  const model::TypedCommand& asked, const Bundle& bundle,
                                  const Invocation& invocation) {
  constexpr std::size_t kSecretDigits = 32;
  const ClusterRequest& cluster = *reading.cluster;
  cluster::Submission made;
  made.run = cluster.run;
  const bool unpacks = made.run.cluster.muster_image && bundle.bytes <= cluster::kSecretBundleMax;
  made.run.launcher.command = launcher_words(cluster, record, unpacks);
  made.run.launcher.variables.push_back({"MUSTER_RECORDS", records_in_pods(cluster.run.cluster)});
  for (kubernetes::Workers& workers : made.run.workers) {
    workers.plan.variables.push_back({"XDG_CACHE_HOME", kCache});
  }
  made.variables = secret_variables(reading, invocation);
  const std::string spec = view::spec_json(record, asked, MUSTER_VERSION);
  if (spec.size() <= kSpecMax) made.keys.push_back({cluster::kSpecKey, spec});
  made.secret = probe::random_digits(kSecretDigits);
  made.bundle = {bundle.file.get(), bundle.bytes};
  made.folder = front::kJobFolder;
  made.program = own_path();
  return made;
}

// ---- from the record to the end -----------------------------------------------------------------

class ClusterRun {
 public:
  ClusterRun(const front::Reading& reading, const model::TypedCommand& asked,
             const Invocation& invocation)
      : reading_(reading),
        asked_(asked),
        invocation_(invocation),
        record_(record_of(reading, invocation)) {}

  int go() {
    const bool detach = reading_.pipeline ? reading_.pipeline->detach : reading_.request->detach;
    const bool json = reading_.pipeline ? reading_.pipeline->json : reading_.request->json;
    {
      const process::HeldSignals held;
      auto writer = begin();
      if (!writer) return complain(writer.error());
      if (auto made = submit(); !made) {
        if (!writer->finish(view::record_json(failed(made.error()), store::utc_now()), ""))
          return 248;
        return complain(made.error());
      }
    }
    record_.state = model::RunState::queued;
    if (detach) return tell_begun(record_, json);
    tell_watched(record_, invocation_);
    return accompany(record_, reading_.cluster->tags, invocation_);
  }

 private:
  // Other processes see it as starting while we hold its lock, and as queued later.
  Result<store::RecordWriter> begin() {
    if (record_.folder.empty()) {
      return base::fail(Fault::usage, "set MUSTER_RECORDS, or HOME",
                        "there is no folder for the record of the run");
    }
    if (auto taken = codes_.take(reading_); !taken) return tl::unexpected(std::move(taken.error()));
    store::FirstFiles files;
    files.spec = view::spec_json(record_, asked_, MUSTER_VERSION);
    files.events = view::event_line(*record_.created, "created");
    files.fill = [this](const std::string& folder) { return codes_.write_manifest(folder); };
    return store::RecordWriter::create(record_.folder, files);
  }

  Result<void> submit() {
    const auto bundle =
        make_bundle({texts_of(asked_, *reading_.cluster), codes_.folders(), downloads_of(reading_)},
                    record_.folder);
    if (!bundle && process::waiting_signal() != 0) {
      return base::fail(Fault::timeout, "", "given up before it had begun");
    }
    if (!bundle) return tl::unexpected(bundle.error());
    const auto done =
        cluster::submit(kubectl_of(record_, invocation_.environment),
                        submission_of(reading_, record_, asked_, *bundle, invocation_),
                        {[](const std::string& line) { note(line); }, process::no_signal_waits});
    return done ? Result<void>() : tl::unexpected(done.error().error);
  }

  [[nodiscard]] model::RunRecord failed(const base::Error& error) const {
    model::RunRecord record = record_;
    record.state = model::RunState::failed;
    record.cause = error.what;
    record.exit_code = base::exit_code(error.fault);
    record.code_from = "muster";
    record.ended = store::utc_now();
    return record;
  }

  const front::Reading& reading_;
  const model::TypedCommand& asked_;
  const Invocation& invocation_;
  model::RunRecord record_;
  Codes codes_;
};

}  // namespace

int run_in_cluster(const front::Reading& reading, const model::TypedCommand& asked,
                   const Invocation& invocation) {
  return ClusterRun(reading, asked, invocation).go();
}

}  // namespace muster::cli

// Travel: a job's code goes to the hosts that do not see its record, and what its ranks write there
// comes home.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "cli/left_behind.hpp"
#include "cli/prospect.hpp"
#include "front/request.hpp"
#include "model/record.hpp"
#include "model/report.hpp"
#include "snapshot/manifest.hpp"

namespace muster::cli {

// The hosts on which ranks of the job run, or those of the launcher in its command, without this
// machine. Nothing: nobody knows all of them, or one is reached in no way that code could go.
[[nodiscard]] std::optional<std::vector<model::Host>> hosts_elsewhere(
    const Prospect& job, const std::optional<Prospect>& inner);

// What became of the outputs.
struct Homecoming {
  std::optional<base::Error> lost;    // why not all are here; its hint says where they are
  int signal = 0;                     // that was sent to muster meanwhile, and has ended it
  std::vector<std::string> warnings;  // what else people should know
};

class Travel {
 public:
  // `record` is that of the run, which is there. `code`: what lies in its `code`.
  Travel(std::string record, std::vector<model::Host> hosts, const snapshot::Manifest& code,
         model::JobSpec like, const Invocation& invocation);
  ~Travel();
  Travel(const Travel&) = delete;
  Travel& operator=(const Travel&) = delete;

  // Until each host has the code, and those of these files and folders that lie in the record or in
  // that of its pipeline, at the places where the record has them, or sees them there. Anything but
  // completed: why one does not.
  [[nodiscard]] model::RunReport send(const std::vector<front::DataPath>& data);

  // Adds what the hosts have written to the record. `runs_here`: a rank ran on this machine, too.
  [[nodiscard]] Homecoming bring_home(bool runs_here);

 private:
  [[nodiscard]] model::RunReport send_to(std::vector<model::Host> hosts);
  void add_unit(const std::string& unit, const snapshot::Manifest& manifest);
  [[nodiscard]] base::Result<void> add_data(const std::vector<front::DataPath>& data);
  [[nodiscard]] base::Result<void> add_one(const std::string& path, const std::string& from);
  [[nodiscard]] std::string step() const;
  [[nodiscard]] snapshot::Manifest sent() const;
  [[nodiscard]] base::Result<int> parcel(const std::vector<std::string>& hashes);
  [[nodiscard]] base::Result<void> fetch(const std::vector<model::Host>& hosts);
  [[nodiscard]] std::vector<model::Host> left() const;
  [[nodiscard]] base::Result<void> take_parcel(int file, const std::string& host);
  [[nodiscard]] std::optional<base::Error> not_here(const std::vector<model::Host>& lost,
                                                    const std::string& reason) const;
  [[nodiscard]] base::Result<void> take(const std::string& answer, const std::string& host);
  [[nodiscard]] std::string place(const char* name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::string where() const { return "what was written there is in " + record_; }

  std::string record_;
  std::vector<model::Host> hosts_;
  model::JobSpec like_;
  const Invocation& invocation_;
  std::string root_;                            // the record of the whole run
  std::map<std::string, snapshot::Entry> all_;  // that go: by path, as seen from there
  std::vector<std::string> units_;              // what is put in its place at once
  std::map<std::string, std::string> places_;   // of contents that are no blobs
  std::string folder_;                          // of what is on its way, in the record
  std::string mark_;
  std::set<std::string> kept_;  // paths that hosts have sent back
  bool is_shared_ = false;      // some host sees the record
  std::set<std::string> home_;  // hosts whose outputs are here
  LeftBehind left_behind_;      // by these
  std::vector<std::string> warnings_;
  int signal_ = 0;  // that has ended the homecoming
};

}  // namespace muster::cli

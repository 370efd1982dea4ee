// LogFiles: the files that keep the ranks' output, by the names that OutputSpec gives them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "machine/lines.hpp"
#include "machine/speakers.hpp"
#include "model/output_spec.hpp"
#include "process/unique_fd.hpp"

namespace muster::app {

class LogFiles final : public machine::LineSink {
 public:
  // Makes folders and empty files for all ranks whose output comes here; none when none are wanted.
  [[nodiscard]] static base::Result<std::optional<LogFiles>> wanted(
      const model::OutputSpec& output, const machine::Speakers& speakers);
  [[nodiscard]] static base::Result<LogFiles> create(const model::OutputSpec& output,
                                                     const machine::Speakers& speakers);
  // Makes those of ranks that were spawned; a failure is told by trouble().
  void add(const model::OutputSpec& output, const machine::Speakers& speakers);
  // The same ranks start again, as the speakers know: names that are new become files, others go
  // on.
  void begin_round(const model::OutputSpec& output, const machine::Speakers& speakers);
  // Where a rank's stream is kept.
  [[nodiscard]] machine::SinkId sink_of(base::Rank rank, model::Stream stream) const;
  void write(machine::SinkId file, std::string_view bytes) override;
  // The first failure of a write (a full disk), told once; the run goes on.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  // As make(); a failure is told by trouble(), and the ranks of this world have no files then.
  void try_make(const model::OutputSpec& output, const machine::Speakers& speakers,
                const model::World& world);
  [[nodiscard]] base::Result<void> make(const model::OutputSpec& output,
                                        const machine::Speakers& speakers,
                                        const model::World& world);
  [[nodiscard]] base::Result<machine::SinkId> open(const std::string& path);

  std::vector<process::UniqueFd> files_;           // index: SinkId
  std::map<std::string, machine::SinkId> opened_;  // by path
  std::vector<machine::SinkId> sinks_;             // index: rank * 2 + (stream is err)
  std::string trouble_;
};

}  // namespace muster::app

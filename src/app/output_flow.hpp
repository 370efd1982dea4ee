// OutputFlow: the ranks' bytes on their way to console and files, and the credit that lets more of
// them come.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/console_writer.hpp"
#include "app/log_files.hpp"
#include "machine/lines.hpp"
#include "machine/speakers.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "model/world.hpp"
#include "process/alarm.hpp"
#include "wire/messages.hpp"

namespace muster::app {

struct OutputFlowEvents {
  std::function<void(base::Rank, wire::Stream, std::uint32_t)> credit;
  std::function<void()> closed;  // nobody reads our stdout any more
};

class OutputFlow {
 public:
  // `plan` outlives this. `window`: first credit of each stream; more is given back in halves of
  // it.
  OutputFlow(asio::io_context& loop, const model::JobSpec& spec, const model::Plan& plan,
             std::uint32_t window, std::optional<LogFiles> logs, OutputFlowEvents events);
  OutputFlow(const OutputFlow&) = delete;
  OutputFlow& operator=(const OutputFlow&) = delete;

  // Ranks that were spawned, which the plan has already; the window is that of their streams.
  void add(const model::World& world, std::uint32_t window);
  // All streams have ended, and those that begin now have their first credit.
  void begin_round();
  void take(base::Rank rank, wire::Stream stream, std::string_view bytes);
  void end(base::Rank rank, wire::Stream stream);
  void say(std::string_view line);  // the launcher's own words, on stderr
  // Ends every stream that has not ended, then calls back when everything has been written.
  void finish(std::function<void()> done);
  [[nodiscard]] std::string trouble() const { return logs_ ? logs_->trouble() : std::string(); }

 private:
  void add_lanes(const model::World& world);
  [[nodiscard]] machine::LineTime time() const;
  [[nodiscard]] std::size_t owned_sinks() const;
  [[nodiscard]] bool full(base::Rank rank, wire::Stream stream) const;
  void give_credit(std::size_t lane, std::uint32_t at_least);
  void give_all_credit();
  void watch_owner();

  process::Alarm timer_;
  OutputFlowEvents events_;
  const model::OutputSpec spec_;
  bool needs_time_;
  ConsoleWriter writer_;
  machine::Speakers speakers_;
  std::uint32_t rounds_ = 0;  // begun again
  machine::Lines console_;
  std::optional<LogFiles> logs_;
  machine::Lines kept_;                 // lanes only where there are files
  std::vector<std::uint32_t> windows_;  // index: rank
  std::vector<std::uint32_t> owed_;  // credit not yet given back; index: rank * 2 + (stream is err)
};

}  // namespace muster::app

// OutputFlow: the ranks' bytes on their way to console and files, and the credit that lets more of
// them come.
//
// Without files, a blocked console blocks the ranks. A stream that has a file continues, and the
// console later shows what it has missed from the file. Once the run is being stopped, a console
// that stands still no longer blocks anybody: what has no room is dropped, and counted.
//
// It is large: credit, console, files and backlog count the same bytes.
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "head/backlog.hpp"
#include "head/console_writer.hpp"
#include "head/log_files.hpp"
#include "machine/lines.hpp"
#include "machine/reader_patience.hpp"
#include "machine/speakers.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "model/world.hpp"
#include "process/alarm.hpp"
#include "wire/messages.hpp"

namespace muster::head {

struct OutputFlowEvents {
  std::function<void(base::Rank, wire::Stream, std::uint32_t)> credit;
  std::function<void()> closed;  // our stdout has no reader any more
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
  void say(std::string_view line);  // a message of the launcher itself, on stderr, as its own line
  // The ranks are told to end: whoever reads the console has that long for what they print.
  void stop(base::Duration grace);
  // Nobody waits any more until the console has shown all that is in files.
  void hurry() { backlog_.leave_out(); }
  // Whether something is told on stderr afterwards, on a line of its own.
  enum class Next : std::uint8_t { nothing, words };
  // Whether whoever reads is waited for, however long that takes, or while it reads and no longer
  // than stop() has said.
  enum class Wait : std::uint8_t { for_ever, while_it_reads };
  // Ends every stream that has not ended, then calls back when everything has been written, or is
  // not waited for any more; maybe more than once.
  void finish(Next next, Wait wait, std::function<void()> done);
  // What was lost, a line each.
  [[nodiscard]] std::vector<std::string> troubles() const;
  // Bytes that the console has not shown, though files may have them.
  [[nodiscard]] std::uint64_t not_shown() const;

 private:
  void add_lanes(const model::World& world);
  [[nodiscard]] machine::LineTime time() const;
  [[nodiscard]] std::size_t owned_sinks() const;
  [[nodiscard]] bool full(base::Rank rank, wire::Stream stream) const;
  [[nodiscard]] bool can_wait(base::Rank rank, wire::Stream stream) const;
  [[nodiscard]] bool put_off(base::Rank rank, wire::Stream stream, std::uint64_t size);
  std::uint64_t keep(base::Rank rank, wire::Stream stream, std::string_view bytes,
                     machine::LineTime at);
  void catch_up();
  void close_up();
  void give_credit(std::size_t lane, std::uint32_t at_least);
  void give_all_credit();
  void watch_owner();
  [[nodiscard]] bool blocked() const;
  [[nodiscard]] bool dropped(base::Rank rank, wire::Stream stream, std::uint64_t size);
  [[nodiscard]] machine::ReaderPatience::Reading reading() const;
  void watch_reader();

  process::Alarm timer_;
  process::Alarm reader_timer_;
  process::Alarm turn_;  // for more of the backlog, once others have had theirs
  OutputFlowEvents events_;
  const model::OutputSpec spec_;
  bool needs_time_;
  ConsoleWriter writer_;
  machine::Speakers speakers_;
  std::uint32_t rounds_ = 0;  // begun again
  machine::Lines console_;
  std::optional<LogFiles> logs_;
  bool told_ = false;  // that the files lack something
  Backlog backlog_;
  std::function<void()> finished_;  // once the backlog has been shown
  std::function<void()> left_;      // once nobody waits for the reader any more
  machine::ReaderPatience patience_;
  std::vector<bool> cut_;               // nothing more of it is shown; index as of owed_
  std::uint64_t dropped_ = 0;           // bytes
  machine::Lines kept_;                 // lanes only where there are files
  std::vector<std::uint32_t> windows_;  // index: rank
  std::vector<std::uint32_t> owed_;  // credit not yet given back; index: rank * 2 + (stream is err)
};

}  // namespace muster::head

// OutputFlow: the ranks' bytes on their way through console and log files, and the credit that lets
// more of them come.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/console_writer.hpp"
#include "app/log_files.hpp"
#include "machine/console.hpp"
#include "model/job_spec.hpp"
#include "model/world.hpp"

namespace muster::app {

struct OutputFlowEvents {
  std::function<void(base::Rank, wire::Stream, std::uint32_t)> credit;
  std::function<void()> closed;  // nobody reads our stdout any more
};

class OutputFlow {
 public:
  // `window`: first credit of each stream; more is given back in halves of it.
  OutputFlow(asio::io_context& loop, const model::JobSpec& spec, std::uint32_t window,
             std::uint32_t world_size, std::optional<LogFiles> logs, OutputFlowEvents events);

  // Ranks that were spawned; the window is that of their streams.
  void add(const model::World& world, std::uint32_t window);
  void take(base::Rank rank, wire::Stream stream, std::string_view bytes);
  void end(base::Rank rank, wire::Stream stream);
  void say(std::string_view line);  // the launcher's own words, on stderr
  // Ends every stream that has not ended, then calls back when everything has been written.
  void finish(std::function<void()> done);
  [[nodiscard]] std::string trouble() const { return logs_ ? logs_->trouble() : std::string(); }

 private:
  [[nodiscard]] machine::ConsoleTime time() const;
  void give_credit(std::size_t lane, std::uint32_t at_least);
  void give_all_credit();
  void watch_owner();

  asio::steady_timer timer_;
  OutputFlowEvents events_;
  ConsoleWriter writer_;
  machine::Console console_;
  std::optional<LogFiles> logs_;
  std::vector<std::uint32_t> windows_;  // index: rank
  bool timestamps_;
  std::vector<std::uint32_t> owed_;  // credit not yet given back; index: rank * 2 + (stream is err)
};

}  // namespace muster::app

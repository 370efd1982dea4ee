// One sentence for each kind of event.
#include "view/run_event_words.hpp"

#include <fmt/format.h>

#include "view/first_few.hpp"
#include "view/joining_words.hpp"
#include "view/signals.hpp"
#include "view/traced.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

struct Words {
  std::string operator()(const model::HostJoined&) const { return {}; }
  std::string operator()(const model::RankStarted&) const { return {}; }
  std::string operator()(const model::RankEnded&) const { return {}; }
  std::string operator()(const model::HostLost&) const { return {}; }
  std::string operator()(const model::PhaseReached&) const { return {}; }
  std::string operator()(const model::RunEnded&) const { return {}; }

  std::string operator()(const model::NetworkChosen& event) const {
    return fmt::format("{}: ranks talk over {} at {}: {}{}", event.host,
                       event.interface.empty() ? "any interface" : event.interface, event.address,
                       event.reason, event.rdma ? "; RDMA is left to MPI" : "");
  }

  std::string operator()(const model::MeetingPointChosen& event) const {
    return fmt::format("MASTER_ADDR={} MASTER_PORT={}", event.address, event.port);
  }

  std::string operator()(const model::Warned& event) const { return event.text; }

  std::string operator()(const model::SpawnRefused& event) const {
    const std::string hint = message_line(event.why.hint);
    return fmt::format("MPI_Comm_spawn by {} failed: {}{}", event.spawner,
                       message_line(event.why.what), hint.empty() ? "" : " (" + hint + ")");
  }

  std::string operator()(const model::RanksAwaited& event) const {
    const JoiningWords words = joining_words(event.joining);
    return fmt::format(
        "other ranks have waited in {} for {} s for {}; {} ends such a job", words.call,
        event.waited.count(),
        first_few(event.absent.size(), [&](std::size_t i) { return event.absent[i]; }),
        words.limit);
  }

  std::string operator()(const model::NoticeGiven& event) const {
    return fmt::format("time is up in {:g} s: all ranks get {}",
                       std::chrono::duration<double>(event.before).count(),
                       signal_label(event.signal));
  }

  std::string operator()(const model::TimeUp& event) const {
    return fmt::format("time is up; {} of {} ranks have ended", event.ended, event.ranks);
  }

  std::string operator()(const model::RankTraced& event) const {
    return traced(event.rank, event.state, event.stack);
  }

  std::string operator()(const model::TracesMissing& event) const {
    return event.ranks == 1
               ? "1 rank did not say in time what it was doing"
               : fmt::format("{} ranks did not say in time what they were doing", event.ranks);
  }

  std::string operator()(const model::Interrupted& event) const {
    const bool one = event.ranks == 1;
    return fmt::format("ending {} rank{}; the same signal again kills {} at once", event.ranks,
                       one ? "" : "s", one ? "it" : "them");
  }

  std::string operator()(const model::RoundBegun& event) const {
    return fmt::format("{}; restart {} of {}", event.why, event.round, event.max_restarts);
  }
};

}  // namespace

std::string words(const model::RunEvent& event) { return std::visit(Words{}, event); }

}  // namespace muster::view

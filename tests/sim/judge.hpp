// Judge: watches one run from outside and says what it should have done; knows the rules of
// docs/ARCHITECTURE, not the machine's states.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "machine/head_machine.hpp"
#include "machine/host_orders.hpp"
#include "sim/agenda.hpp"
#include "sim/pmi_judge.hpp"
#include "sim/pmix_judge.hpp"
#include "sim/scenario.hpp"

namespace muster::sim {

// What is known of the link to a host, whichever runs use it.
struct Link {
  std::optional<base::Instant> attempt;  // under way since
  std::uint32_t attempts = 0;            // since nobody wanted it
  std::optional<base::Instant> heard;    // since LinkUp
  bool open = false;
  bool let_go = false;   // in this turn, by the last run that held it
  bool is_busy = false;  // should it be silent, its machine answers
};

// The numbers of hosts are those of the run.
class Judge {
 public:
  // Finds the link of a host by its name.
  using Links = std::function<Link*(const std::string&)>;

  Judge(const Agenda& agenda, const Scenario& world, const model::Plan& plan, Links links,
        std::function<void(const std::string&)> complain);

  // What the head hears, just before it takes it; what it does; and the end of that turn.
  void hears(const machine::HeadEvent& event);
  void does(const machine::HeadEffect& effect);
  // The run that it was begun within is over.
  void outer_over();
  // `another_lost`: another run may have closed the link of a host that both use.
  void turn_over(const model::RunReport& report, bool another_lost);
  void output(base::Rank rank, wire::Stream stream, std::uint64_t offset, std::uint32_t count);
  void credited(base::Rank rank, wire::Stream stream, std::uint32_t count);

  void agent_says(base::NodeIndex node, const wire::ToHead& message);
  void task_starts(base::Rank rank);

  // When the run was over, if it is.
  [[nodiscard]] std::optional<base::Instant> over() const { return over_; }
  // The head is ending it.
  [[nodiscard]] bool ends() const { return acted_.has_value(); }
  // It has greeted this host, which has neither been lost nor let go since.
  [[nodiscard]] bool holds(base::NodeIndex node) const;
  // The run has ended, with this report.
  void verdict(const model::RunReport& report);
  [[nodiscard]] bool names_the_first(const model::RunReport& report) const;

  [[nodiscard]] std::uint64_t received(base::Rank rank, wire::Stream stream) const;
  [[nodiscard]] bool failed() const { return first_.has_value(); }

 private:
  struct First {  // the first failure that reached the head
    model::Cause cause = model::Cause::completed;
    std::string what;
    std::uint32_t rank = 0;
    std::int32_t signal = 0;
    int exit_code = 0;
    base::Instant at{};
  };
  struct Node {
    Link* link = nullptr;
    bool hello = false;  // has been sent
    bool bye = false;    // likewise
    bool stopped = false;
    bool closed = false;  // nothing more may be heard of it; beside the head, nothing counts
    bool here = false;    // no link to it can be lost
    bool idle = false;    // has joined, and no rank was started there since
    int stops = 0;
    int hastened = 0;
  };
  struct Lane {
    std::uint64_t received = 0;
    std::uint64_t credit = 0;
    bool ended = false;
  };

  // Who has called MPI_Init, in one world, or has told Horovod's store where it is.
  struct Roll {
    std::uint32_t first = 0;
    std::uint32_t size = 0;
    std::set<base::Rank> here;
    std::optional<base::Instant> since;
    std::optional<base::Rank> deserter;
    [[nodiscard]] bool waits() const { return since && here.size() < size; }
  };

  void on(const machine::LinkUp&) {}
  void on(const machine::LinkFailed& event);
  void on(const machine::LinkLost& event);
  void on(const machine::Heard& event);
  void on(const machine::Printed&) {}  // see output()
  void on(const machine::UserSignal& event);
  void on(const machine::InputBytes&) {}
  void on(const machine::InputEnded&) {}
  void on(const machine::OutputClosed&);
  void on(const machine::GlooServed&) {}
  void on(const machine::GlooJoined& event);
  void on(const machine::AllocationEnds&) {}
  void on(const machine::HostSeen&) {}
  void on(const machine::HeadTick&) {}

  void heard(base::NodeIndex node, const wire::Exited& message);
  void heard(base::NodeIndex node, const wire::Refused& message);
  void heard(base::NodeIndex node, const wire::Stopped& message);
  void heard(base::NodeIndex node, const wire::Started& message);
  void heard(base::NodeIndex node, const wire::OutputEnd& message);
  void heard(base::NodeIndex node, const wire::Spawn& message);
  void heard(base::NodeIndex node, const wire::Attendance& message);
  void heard(base::NodeIndex node, const wire::PmixUp& message);
  void heard(base::NodeIndex node, const wire::FenceIn& message);
  void heard(base::NodeIndex node, const wire::InputCredit& message);
  template <class Message>
  void heard(base::NodeIndex, const Message&) {}

  void done(const machine::CloseLink& effect);
  void done(const machine::ToNode& effect);
  void done(const machine::ToNodes& effect);
  void orders(base::NodeIndex node, const wire::Prepare& own);
  void done(const machine::AddWorld& effect);
  void done(const machine::NewRound&);
  void done(const machine::Tell& effect);
  void done(const machine::RunOver&);
  void joins(const model::HostJoined& event);
  template <class Effect>
  void done(const Effect&) {}

  void complain(const std::string& what) { complain_(what); }
  // Its loss is no failure of the run: no host that is held is missed before anything starts.
  [[nodiscard]] bool may_do_without(const Node& node) const {
    return node.idle && (!world_.holds || !orders_.empty());
  }
  void first(First failure);
  void fault(base::Fault fault, const std::string& what);
  // A host, before ranks run: the head may wait a moment for others that fail, too.
  void fails_on_the_way(base::Fault fault, const std::string& what);
  void hold_back();
  // What has failed is not decided yet: whoever wishes the end comes first.
  [[nodiscard]] bool is_held_back() const { return held_until_ && !acted_; }
  void wakes(Node& node);
  void tells(base::NodeIndex node, const wire::ToAgent& message);
  void feeds(const wire::Input& input);
  void too_late();
  void forget_orders(base::NodeIndex node);
  // Nothing more is heard of it, or listened to.
  void gone(base::NodeIndex node);
  void look_for_deserter(Roll& roll);
  [[nodiscard]] Roll& roll_of(base::Rank rank);
  [[nodiscard]] bool waits_since(base::Instant when) const;
  void notice_to(base::NodeIndex node);
  void check_notice();
  [[nodiscard]] std::optional<base::Instant> notice_time() const;
  [[nodiscard]] bool runs(base::NodeIndex node) const;
  void stop_to(base::NodeIndex node, const wire::Stop& stop);
  void by_the_clock(const model::RunReport& report, bool another_lost);
  [[nodiscard]] bool clock_allows(const base::Error& error) const;
  [[nodiscard]] Lane& lane(base::Rank rank, wire::Stream stream);
  [[nodiscard]] bool all_stopped() const;
  [[nodiscard]] Duration lease_of(const Link& link) const;
  [[nodiscard]] bool round_is_due() const;

  const Agenda& agenda_;
  const Scenario& world_;
  const model::Plan& plan_;
  Links links_;
  std::function<void(const std::string&)> complain_;
  base::Instant began_;
  std::vector<Node> nodes_;
  std::vector<Lane> lanes_;
  std::optional<First> first_;
  std::optional<base::Instant> acted_;  // first sign that the head is ending the run
  std::optional<base::Instant> held_until_;
  std::optional<base::Instant> over_;
  std::optional<model::RunReport> ended_;  // as the head has told
  std::optional<base::Instant> all_stopped_at_;
  std::optional<base::Instant> wished_at_;      // the user has asked for the end
  std::optional<base::Instant> again_;          // the user has asked for the end a second time
  std::optional<base::Instant> noticed_;        // when ranks were told of the time limit
  std::optional<base::Instant> running_since_;  // all ranks of the first world
  bool missed_ = false;                         // the notice, as has been said
  std::set<base::NodeIndex> told_;              // the hosts of these ranks
  bool outer_over_ = false;
  int interrupts_ = 0;
  std::uint32_t rounds_ = 0;                         // begun again
  std::map<base::Rank, std::uint64_t> input_ahead_;  // bytes sent that it has not taken
  std::set<base::Rank> started_;
  std::set<base::Rank> told_started_;
  std::set<base::Rank> told_ended_;
  std::map<base::Rank, model::RankExit> exited_;
  std::map<base::Rank, base::Instant> ended_at_;  // by the head's clock, to the microsecond
  std::set<base::NodeIndex> prepared_;
  std::map<std::uint32_t, std::set<base::NodeIndex>> unprepared_;  // by spawned world
  std::set<std::uint32_t> starting_;                               // spawned worlds
  std::set<std::pair<base::NodeIndex, std::uint64_t>> spawns_;     // not answered
  std::map<base::NodeIndex, wire::World> orders_;                  // the last
  PmixJudge pmix_;
  PmiJudge pmi_;
  std::vector<Roll> rolls_;
  Roll store_roll_;                // of the first world
  std::uint32_t first_ranks_ = 0;  // not spawned
  std::size_t first_nodes_ = 0;    // have not joined
  bool have_joined_ = false;       // hosts, for spawned ranks
};

}  // namespace muster::sim

// HeadMachine: runs on their hosts, from the first link to the last. Joins Hosts, which knows
// links, with any number of Runs, which know ranks: what a host does its runs hear of, and what a
// run asks of a host is done. The run of a launcher inside a rank is a Relay.
//
//   working ──every run is over──▶ leaving ──every link closed or kept, or kLeaveTime──▶ finished
//
// A host that is in use may be asked for by another run, which then finds it as it is. It leaves
// with the last run that uses it. A run that was begun within another ends with it.
//
// It is large: every event has a function, and so has every wish of a run.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "base/id.hpp"
#include "base/time.hpp"
#include "machine/head_events.hpp"
#include "machine/hosts.hpp"
#include "machine/relay.hpp"
#include "machine/run.hpp"
#include "model/report.hpp"

namespace muster::machine {

class HeadMachine {
 public:
  // With its first run, first().
  explicit HeadMachine(RunInput input);

  // The first run begins.
  void start(base::Instant now, HeadEffects& out);
  // Another run, which begins at once; only before finished().
  base::RunIndex add(RunInput input, std::optional<base::RunIndex> within, base::Instant now,
                     HeadEffects& out);
  void step(base::Instant now, HeadEvent event, HeadEffects& out);
  [[nodiscard]] std::optional<base::Instant> deadline() const;
  [[nodiscard]] base::RunIndex first() const { return first_; }
  // The number of the run that was begun last.
  [[nodiscard]] base::RunIndex last() const { return last_; }
  // True once every byte of every stream has been announced as ended and Finish was given.
  [[nodiscard]] bool finished() const { return finished_; }
  // One that is no Relay.
  [[nodiscard]] const Run& run(base::RunIndex index) const;
  // Where output of a Relay's ranks on a host goes. Nothing: that is no such run.
  struct Relayed {
    LauncherId launcher;
    wire::Address from;  // as the launcher knows it
  };
  [[nodiscard]] std::optional<Relayed> relayed(base::RunIndex index, base::NodeIndex host) const;
  // Of the first run: first credit of each output stream of its first world, bytes.
  [[nodiscard]] std::uint32_t window() const { return run(first_).window(); }
  // As the first run's would be if it were told now (model::RunEnded); for tests.
  [[nodiscard]] model::RunReport report() const { return run(first_).report(); }
  // What the host of one of its nodes told in its greeting, if it has come.
  [[nodiscard]] const std::optional<model::HostFacts>& facts(base::NodeIndex node) const {
    return hosts_.facts(node);
  }
  // Asserts what holds between two events, here and in all parts; only tests ask.
  void check() const;
  bool operator==(const HeadMachine&) const = default;

 private:
  // The hosts of a run, and its nodes, which it counts for itself.
  struct Member {
    base::RunIndex index;
    std::variant<Run, Relay> part;
    std::optional<base::RunIndex> within = {};
    std::vector<base::NodeIndex> hosts = {};               // index: node
    std::map<base::NodeIndex, base::NodeIndex> uses = {};  // host to node, until it is let go
    bool told_over = false;
    bool told_outer_over = false;  // to itself
    [[nodiscard]] bool over() const;
    [[nodiscard]] bool is_relay() const { return std::holds_alternative<Relay>(part); }
    bool operator==(const Member&) const = default;
  };

  void on(LinkUp& event, HeadEffects& out);
  void on(LinkFailed& event, HeadEffects& out);
  void on(LinkLost& event, HeadEffects& out);
  void on(Heard& event, HeadEffects& out);
  void on(Printed& event, HeadEffects& out);
  void on(UserSignal& event, HeadEffects& out);
  void on(InputBytes& event, HeadEffects& out);
  void on(InputEnded&, HeadEffects& out);
  void on(OutputClosed& event, HeadEffects& out);
  void on(GlooServed& event, HeadEffects& out);
  void on(GlooJoined& event, HeadEffects& out);
  void on(AllocationEnds& event, HeadEffects& out);
  void on(HostSeen& event, HeadEffects& out);
  void on(HeadTick&, HeadEffects& out);

  void welcome(Member* member, const Heard& event, const wire::Welcome& message, HeadEffects& out);
  void from_launcher(const Heard& event, const wire::FromLauncher& message, HeadEffects& out);
  void begin_relay(const LauncherId& launcher, const std::string& bytes, HeadEffects& out);
  void take(Member& member, const std::string& bytes, HeadEffects& out);
  void pass_on(Member& member, const Heard& event, HeadEffects& out);
  [[nodiscard]] model::HostFacts facts_for(const Relay& relay, model::HostFacts facts) const;
  void end_overdue(HeadEffects& out);
  void part_with_hosts(HeadEffects& out);
  void keep_alive(HeadEffects& out);
  void forward(std::int32_t number, HeadEffects& out);
  void suspend(HeadEffects& out);
  void to_leased(const wire::ToAgent& message, HeadEffects& out) const;
  // Calls does(run) for each run whose agent there ends its tasks when it hears nothing.
  template <class Does>
  void for_leased(base::NodeIndex host, Does does) const;
  void missed(base::NodeIndex host, const base::Error& error, HeadEffects& out);
  void lost(base::NodeIndex host, const base::Error& error, HeadEffects& out);
  [[nodiscard]] static bool needs(const Member& member, base::NodeIndex node);

  Member& enroll(RunInput input, std::optional<base::RunIndex> within, HeadEffects& out);
  static void use(Member& member, base::NodeIndex host);
  // None: its launcher may not have it.
  [[nodiscard]] std::optional<base::NodeIndex> host_for_relay(const Member& member,
                                                              const model::Host& called,
                                                              HeadEffects& out);
  [[nodiscard]] std::optional<model::Host> in_reserve(const model::Host& called) const;
  [[nodiscard]] bool may_name_any(const Relay& relay) const;
  // It is, or was, a host of a run that is no relay.
  [[nodiscard]] bool has(base::NodeIndex host) const;
  // `ours`: hosts that the run has already.
  [[nodiscard]] base::NodeIndex host_for(const std::vector<base::NodeIndex>& ours,
                                         const model::Host& host, HeadEffects& out);
  Member& begin(std::variant<Run, Relay> part, std::optional<base::RunIndex> within);
  [[nodiscard]] Member* find(base::RunIndex index);
  [[nodiscard]] const Member* find(base::RunIndex index) const;
  [[nodiscard]] bool is_over(base::RunIndex index) const;
  // The run that a host speaks of, if it uses this host.
  [[nodiscard]] Member* user(base::RunIndex index, base::NodeIndex host);
  [[nodiscard]] bool in_use(base::NodeIndex host) const;
  // Its Welcome is of interest to another run.
  [[nodiscard]] bool is_awaited(base::NodeIndex host, const Member& by_others_than) const;

  // `does` is given the run or the relay, and the wishes to fill, which are carried out then.
  template <class Part, class Does>
  void let(Member& member, Does does, HeadEffects& out);
  template <class Does>
  void let_any(Member& member, Does does, HeadEffects& out);
  void settle(Member& member, RunEffects& wishes, HeadEffects& out);
  // All that are of this kind, and not over.
  template <class Part, class Does>
  void let_all(Does does, HeadEffects& out);
  // Runs and relays that use the host, with their node.
  template <class Does>
  void let_users(base::NodeIndex host, Does does, HeadEffects& out);
  void carry_out(Member& member, NeedHost& wish, HeadEffects& out);
  void carry_out(Member& member, GreetHost& wish, HeadEffects& out);
  void carry_out(Member& member, AskHost& wish, HeadEffects& out);
  void carry_out(Member& member, NotAwaited& wish, HeadEffects& out);
  void carry_out(Member& member, DropHost& wish, HeadEffects& out);
  void carry_out(Member& member, FreeHost& wish, HeadEffects& out);
  void carry_out(Member& member, AnswerLauncher& wish, HeadEffects& out);
  void carry_out(Member& member, AddHost& wish, HeadEffects& out);
  void carry_out(Member& member, CallHost& wish, HeadEffects& out);
  void carry_out(Member& member, ToNode& wish, HeadEffects& out);
  void carry_out(Member& member, ToNodes& wish, HeadEffects& out);
  void carry_out(Member& member, AddWorld& wish, HeadEffects& out);
  template <class Wish>
  void carry_out(Member& member, Wish& wish, HeadEffects& out) {
    wish.run = member.index;
    out.push_back(std::move(wish));
  }
  void end_inner_runs(HeadEffects& out);
  void end_orphan(Member& member, HeadEffects& out);
  void finish_when_left(HeadEffects& out);

  base::Instant now_{};
  Hosts hosts_;
  std::list<Member> runs_;  // ascending; the first run stays, a relay goes once it is over
  base::RunIndex first_;
  bool keeps_links_;
  bool outlives_terminal_;
  bool lost_terminal_ = false;             // SIGHUP has come
  base::RunIndex last_;                    // that was begun
  std::optional<base::Instant> leave_by_;  // once all are over: links still open are cut then
  bool finished_ = false;
};

}  // namespace muster::machine

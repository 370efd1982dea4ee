// HeadMachine: a run on its hosts, from the first link to the last. Joins Hosts, which knows links,
// with Run, which knows ranks: what a host does its run hears of, and what the run asks of a host
// is done.
//
//   working ──the run is over──▶ leaving ──every link closed, or kLeaveTime──▶ finished
#pragma once

#include <optional>

#include "base/id.hpp"
#include "base/time.hpp"
#include "machine/head_events.hpp"
#include "machine/hosts.hpp"
#include "machine/run.hpp"
#include "model/report.hpp"

namespace muster::machine {

class HeadMachine {
 public:
  explicit HeadMachine(RunInput input);

  void start(base::Instant now, HeadEffects& out);
  void step(base::Instant now, HeadEvent event, HeadEffects& out);
  [[nodiscard]] std::optional<base::Instant> deadline() const;
  // True once every byte of every stream has been announced as ended and Finish was given.
  [[nodiscard]] bool finished() const { return finished_; }
  // First credit of each output stream of the first world, bytes.
  [[nodiscard]] std::uint32_t window() const { return run_.window(); }
  [[nodiscard]] model::RunReport report() const { return run_.report(); }
  // What the host of a node told in its greeting, if it has come.
  [[nodiscard]] const std::optional<model::HostFacts>& facts(base::NodeIndex node) const {
    return hosts_.facts(node);
  }

 private:
  void on(LinkUp& event, HeadEffects& out);
  void on(LinkFailed& event, HeadEffects& out);
  void on(LinkLost& event, HeadEffects& out);
  void on(Heard& event, HeadEffects& out);
  void on(Printed& event, HeadEffects& out);
  void on(UserSignal& event, HeadEffects& out);
  void on(InputBytes& event, HeadEffects& out);
  void on(InputEnded&, HeadEffects& out);
  void on(OutputClosed&, HeadEffects& out);
  void on(GlooServed& event, HeadEffects& out);
  void on(HeadTick&, HeadEffects& out);

  void welcome(base::NodeIndex node, wire::Welcome& message, HeadEffects& out);
  void end_overdue(HeadEffects& out);
  void keep_alive(HeadEffects& out);
  void forward(std::int32_t number, HeadEffects& out);
  void suspend(HeadEffects& out);
  void to_leased(const wire::ToAgent& message, HeadEffects& out) const;
  [[nodiscard]] bool leased(base::NodeIndex node) const;

  // `does` is given the wishes to fill, which are carried out then.
  template <class Does>
  void let_run(Does does, HeadEffects& out);
  void carry_out(NeedHost& wish, HeadEffects& out);
  void carry_out(GreetHost& wish, HeadEffects& out);
  void carry_out(AskHost& wish, HeadEffects& out);
  void carry_out(NotAwaited& wish, HeadEffects& out);
  void carry_out(DropHost& wish, HeadEffects& out);
  void carry_out(FreeHost& wish, HeadEffects& out);
  void carry_out(AddHost& wish, HeadEffects& out);
  template <class Wish>
  void carry_out(Wish& wish, HeadEffects& out) {
    out.push_back(std::move(wish));
  }
  void finish_when_left(HeadEffects& out);

  base::Instant now_{};
  Hosts hosts_;
  Run run_;
  std::optional<base::Instant> leave_by_;  // once the run is over: links still open are cut then
  bool finished_ = false;
};

}  // namespace muster::machine

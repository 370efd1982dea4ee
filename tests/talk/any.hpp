// Any message whatsoever that the codec can write, and frames that have been damaged.
#pragma once

#include <string>
#include <vector>

#include "sim/dice.hpp"
#include "wire/frame.hpp"

namespace muster::talk {

using sim::Dice;

// Draws values: those that fit the conversation often, others now and then.
class Any {
 public:
  explicit Any(Dice& dice) : dice_(dice) {}

  // Ranks, worlds and numbers that have been spoken of.
  void know(base::Rank rank) { ranks_.push_back(rank); }
  void know_world(std::uint32_t world) { worlds_ = std::max(worlds_, world); }
  void know_id(std::uint64_t id) { last_id_ = id; }
  void know_nspace(const std::string& nspace) { nspace_ = nspace; }

  [[nodiscard]] wire::ToHead to_head();
  [[nodiscard]] wire::ToAgent to_agent();  // never World: see HeadPart
  [[nodiscard]] base::Rank rank();
  [[nodiscard]] std::uint32_t world();
  [[nodiscard]] std::uint32_t number();
  [[nodiscard]] std::uint64_t id();
  // Microseconds of a steady clock, of which not all can be true.
  [[nodiscard]] std::uint64_t clock();
  [[nodiscard]] std::string text();
  [[nodiscard]] std::vector<std::string> texts();
  [[nodiscard]] model::HostFacts facts();
  // Of a small host; now and then one that contradicts itself.
  [[nodiscard]] model::SharedTopology topology();
  [[nodiscard]] std::vector<model::Devices> devices();
  [[nodiscard]] wire::Taken taken();
  [[nodiscard]] base::Error error();
  [[nodiscard]] wire::pmix::AddJob pmix_job();

 private:
  [[nodiscard]] std::uint64_t size();
  [[nodiscard]] model::CpuSet cpus();
  void contradict(model::Topology& topology);
  [[nodiscard]] model::Circumstances circumstances();
  [[nodiscard]] wire::Welcome welcome();
  [[nodiscard]] wire::ToHead of_start();
  [[nodiscard]] wire::ToHead of_tasks();
  [[nodiscard]] wire::ToHead of_wireup();
  [[nodiscard]] wire::FromLauncher of_launcher();
  [[nodiscard]] wire::Prepare prepare();
  [[nodiscard]] wire::ToAgent of_run();
  [[nodiscard]] wire::ToAgent for_launchers();
  [[nodiscard]] wire::Contain contain();
  [[nodiscard]] wire::ToAgent of_answers();
  [[nodiscard]] wire::Spawn spawn();
  [[nodiscard]] wire::pmix::Proc proc();
  [[nodiscard]] std::vector<wire::pmix::Proc> procs();
  [[nodiscard]] std::vector<wire::pmix::Datum> data();
  [[nodiscard]] std::int32_t status();
  [[nodiscard]] wire::pmix::Upcall pmix_question();
  [[nodiscard]] wire::pmix::Upcall pmix_upcall();
  [[nodiscard]] wire::pmix::Command pmix_command();
  [[nodiscard]] model::Stream stream();

  Dice& dice_;
  std::vector<base::Rank> ranks_;
  std::uint32_t worlds_ = 1;
  std::uint64_t last_id_ = 0;
  std::uint64_t clock_ = 0;
  std::string nspace_ = "muster-talk";  // of a PMIx job
};

// One frame, harmed: cut short, with other bits, another kind, another length, or with something
// before it. The payload keeps its bytes where `keep_payload` says so.
[[nodiscard]] std::string damaged(Dice& dice, std::string frame, bool keep_payload);

}  // namespace muster::talk

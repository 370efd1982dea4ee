// The dialects of many ranks: what an app's ranks share is made once, and what each has of its own
// in time that does not grow with the job.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/environment.hpp"

namespace muster::plan {

// What the environments of a job are made of; all of it outlives whoever keeps this.
struct Sources {
  const model::Plan& plan;
  const Rendezvous& where;
  const model::JobSpec& spec;
  const std::string& job;
};

// The ranks that have the same local rank on other nodes, which Horovod counts.
struct Twins {
  std::vector<std::uint32_t> before;  // index: rank; on how many nodes before its own
  std::vector<std::uint32_t> nodes;   // index: local rank; on how many nodes there is one
};
[[nodiscard]] Twins twins(const model::Plan& plan);

// For the ranks of one app that get the same, `kept`, from the launching shell: the variables of a
// rank, in every dialect (never PMI_* and SLURM_*), are common() and of(rank), each with
// the dialect as its reason. A variable of `kept` that the user set (OMP_NUM_THREADS,
// PYTHONUNBUFFERED, NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME, MASTER_ADDR and MASTER_PORT through -x)
// is left to the user, and so is every variable given with -x. Azure ML's names follow -x
// MASTER_ADDR and -x MASTER_PORT. A variable whose value is not known (an interface)
// is not set; one of JAX's is set to nothing.
class AppDialects {
 public:
  AppDialects(const Sources& of, const Forwarded& kept, std::uint32_t app);

  // Sorted by name, as are those of a rank.
  [[nodiscard]] const std::vector<model::Variable>& common() const { return common_; }
  [[nodiscard]] std::vector<model::Variable> of(base::Rank rank, const Twins& twins) const;

  // From now on, of() tells only of the variables that are wanted.
  void keep(const std::function<bool(std::string_view name)>& is_wanted);

 private:
  Sources of_;
  const Forwarded* kept_;
  std::uint32_t app_;
  std::vector<model::Variable> common_;
  std::vector<std::size_t> words_;  // those of of(): indexes of the table of variables
};

// Variables that rank 0, of the first app, would get, and does not: their presence alone would
// mislead, or the user does not want them. Sorted by name, each with the reason.
[[nodiscard]] std::vector<Withheld> left_out(const Sources& of, const Forwarded& kept);

}  // namespace muster::plan

// World: a tiny launcher for tests. Some "nodes" on this machine, each with a listener, ranks that
// are real programs, and a server process that is started when the first of them connects.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "machine/pmix_exchange.hpp"
#include "pmix/listener.hpp"
#include "pmix/values.hpp"
#include "process/unique_fd.hpp"
#include "wire/frame.hpp"

namespace muster::pmix::test {

struct Wish {
  std::vector<std::uint32_t> ranks;      // on each node
  std::vector<std::string> command;      // of each rank; "{rank}" is replaced
  std::vector<std::string> environment;  // NAME=VALUE, in addition
  std::vector<std::uint32_t> apps;       // ranks of each program; empty: one program
  std::chrono::seconds limit{120};       // everything is killed then
};

struct Outcome {
  std::map<Proc, int> statuses;   // as waitpid() gives them
  std::string output;             // of all ranks, and what servers print
  std::vector<Upcall> heard;      // all upcalls in order
  std::vector<Proc> unfinalized;  // that had ended before Finalized was heard of them
  std::size_t servers = 0;        // processes that were started
  bool late = false;              // the limit was reached
  std::chrono::duration<double> took{};
};

class World {
 public:
  explicit World(Wish wish);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Until all ranks have ended. The first that fails or aborts ends all others.
  [[nodiscard]] Outcome run();
  [[nodiscard]] std::uint16_t port(std::size_t node) const { return nodes_[node].port; }
  // Where the files of the job on that node are.
  [[nodiscard]] std::string scratch(std::uint32_t node) const;

 private:
  struct Node {
    Listener listener;
    std::uint16_t port = 0;
    process::UniqueFd link;
    wire::HeadReader reader;
    std::string out;
    pid_t server = 0;
  };
  void start_rank(const Job& job, std::uint32_t rank, std::uint32_t node, const AppOrder& order);
  void start_job(const Job& job, const AppOrder& order);
  void add_job(const Job& job, std::uint32_t node);
  void spawn(std::uint32_t node, const Spawn& order);
  void start_server(std::uint32_t node);
  void step();
  void hear(std::uint32_t node);
  void flush(std::uint32_t node);
  void tell(const machine::PmixOrders& commands);
  void take(std::uint32_t node, const Upcall& upcall);
  void reap();
  void end_all();
  void clean_up();

  Wish wish_;
  Job job_;
  std::vector<Node> nodes_;
  std::string scratch_;  // where the names of nodes' folders begin
  machine::PmixExchange exchange_;
  process::UniqueFd output_read_, output_write_;
  std::map<pid_t, Proc> running_;
  std::set<Proc> finalized_;
  std::vector<Job> jobs_;
  Outcome outcome_;
  std::chrono::steady_clock::time_point deadline_;
};

// mpi_ranks.c, compiled with Debian's Open MPI; empty when that is not there.
[[nodiscard]] std::string mpi_ranks();

}  // namespace muster::pmix::test

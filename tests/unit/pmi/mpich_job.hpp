// Real processes with a PMI descriptor each, served by one PmiWorld per make-believe node.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "unit/pmi/naive_head.hpp"
#include "unit/pmi/talk.hpp"

namespace muster::pmi::test {

class MpichJob {
 public:
  // nodes[rank] is the node of that rank; 0, 1, ... without gaps.
  explicit MpichJob(std::vector<std::uint32_t> nodes);
  ~MpichJob();  // ends what still runs
  MpichJob(const MpichJob&) = delete;
  MpichJob& operator=(const MpichJob&) = delete;

  // Starts every rank and serves until all have ended; false when patience ends before.
  [[nodiscard]] bool run(const std::vector<std::string>& command);

  [[nodiscard]] NaiveHead& head() { return head_; }
  std::string output;            // stdout of all ranks
  std::string error;             // of the last session that broke
  std::vector<int> wait_status;  // by rank, as of waitpid()

 private:
  struct Rank {
    std::uint32_t node = 0;
    pid_t pid = 0;
    int socket = -1;
    PmiSession session;
  };
  [[nodiscard]] bool start(std::uint32_t rank, const std::vector<std::string>& command, int out);
  [[nodiscard]] bool serve(int out);
  [[nodiscard]] bool read_output(int out);
  void read_rank(std::uint32_t rank);
  void send(base::Rank to, const Reply& reply);
  void end_all();
  void reap();

  std::vector<Rank> ranks_;
  NaiveHead head_;
};

}  // namespace muster::pmi::test

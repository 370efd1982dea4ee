// SimTask: one process that does what its script says.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/id.hpp"
#include "model/report.hpp"
#include "sim/agenda.hpp"
#include "sim/scenario.hpp"
#include "sim/sim_stream.hpp"

namespace muster::sim {

struct SimTaskEvents {
  SimStream::Bytes out_bytes;
  SimStream::Bytes err_bytes;
  std::function<void()> out_ended;
  std::function<void()> err_ended;
  std::function<void(const model::RankExit&)> exited;
  std::function<void(std::uint32_t)> input_taken;
};

class SimTask {
 public:
  SimTask(Agenda& agenda, base::Rank rank, const TaskScript& script, std::uint32_t window,
          SimTaskEvents events);

  void start();
  void not_started();
  void signal(std::int32_t number);
  // Sweep: the process and everything it left behind.
  void kill_all();
  // The same, but nobody hears of it.
  void vanish();
  void write_input(std::uint64_t count);
  void close_input() { input_closed_ = true; }

  [[nodiscard]] bool alive() const { return alive_; }
  [[nodiscard]] base::Rank rank() const { return rank_; }
  [[nodiscard]] bool leftover() const { return leftover_; }
  [[nodiscard]] std::uint64_t input_got() const { return input_got_; }
  [[nodiscard]] bool input_closed() const { return input_closed_; }
  // Ended by its own script, not by anybody's signal.
  [[nodiscard]] bool ran_to_its_end() const { return own_end_; }

  SimStream out;
  SimStream err;

 private:
  void end(std::int32_t code, std::int32_t signal);
  void finish_script();
  void plan_end(Duration when, std::int32_t code, std::int32_t signal, bool own);
  void on_end_signal(std::int32_t number);
  void stop();
  void go_on();
  void take_input();

  struct PlannedEnd {
    base::Instant at;
    std::int32_t code = 0;
    std::int32_t signal = 0;
    bool own = false;
  };

  Agenda& agenda_;
  base::Rank rank_;
  TaskScript script_;
  SimTaskEvents events_;
  bool alive_ = false;
  bool leftover_ = false;
  bool stopped_ = false;
  bool own_end_ = false;
  bool silent_ = false;
  std::optional<PlannedEnd> end_;
  Duration left_{0};               // until the planned end, while stopped
  std::uint32_t plan_number_ = 0;  // a newer plan makes older timers void
  std::int32_t waiting_signal_ = 0;
  std::uint64_t input_queue_ = 0;
  std::uint64_t input_pipe_ = 0;
  std::uint64_t input_got_ = 0;
  bool input_closed_ = false;
};

}  // namespace muster::sim

// Listens at once, and talks when all is done.
#include <algorithm>
#include <asio/ip/v6_only.hpp>
#include <asio/read_until.hpp>
#include <asio/write.hpp>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <map>
#include <sys/socket.h>

#include "head/crowd.hpp"
#include "head/step_tasks.hpp"
#include "link/step_tasks.hpp"
#include "process/alarm.hpp"
#include "process/shortage.hpp"

namespace muster::head {
namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr base::Duration kMayCome = std::chrono::seconds(5);
constexpr base::Duration kAreHeard = std::chrono::seconds(1);  // those that have come
constexpr base::Duration kAcceptsAgain = std::chrono::milliseconds(100);
constexpr std::size_t kSilentVisitors = 64;  // beside the tasks; a task greets at once

// Until each of them knows how it ended, or there is no more time for that.
class Farewell {
 public:
  Farewell(const model::StepPlace& place, int code, asio::io_context& loop, tcp::acceptor& acceptor)
      : place_(place),
        words_(link::step_end(place, code)),
        loop_(loop),
        acceptor_(acceptor),
        limit_(loop),
        pause_(loop) {}

  void begin(base::Duration limit) {
    limit_.after(limit, [this] { stop(); });
    accept();
  }

 private:
  struct Visitor {
    explicit Visitor(tcp::socket connected) : socket(std::move(connected)) {}
    tcp::socket socket;
    std::string said;
  };
  using VisitorPtr = std::shared_ptr<Visitor>;

  void accept() {
    acceptor_.async_accept(life_.bind([this](const std::error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      const bool has_room = process::lacks_room(error.value()) && make_room(1);
      if (error && !has_room) return pause_.after(kAcceptsAgain, [this] { accept(); });
      if (!error) make_room(kSilentVisitors + place_.tasks);
      if (!error) hear(std::make_shared<Visitor>(std::move(socket)));
      accept();
    }));
  }

  // One that has said nothing leaves, if there are `most`. False: there are fewer.
  bool make_room(std::size_t most) {
    if (silent_.size() < most) return false;
    std::error_code ignored;
    silent_.take_one()->socket.close(ignored);
    return true;
  }

  void hear(const VisitorPtr& visitor) {
    std::error_code ignored;
    const Ticket ticket = silent_.add(visitor->socket.remote_endpoint(ignored).address(), visitor);
    asio::async_read_until(
        visitor->socket, asio::dynamic_buffer(visitor->said, link::kStepLineMax), '\n',
        life_.bind([this, visitor, ticket](const std::error_code& error, std::size_t size) {
          silent_.remove(ticket);
          if (!error) answer(*visitor, std::string_view(visitor->said).substr(0, size - 1));
        }));
  }

  // Nobody hears what is said on a connection that a process has lost.
  static bool has_left(tcp::socket& socket) {
    char byte = 0;
    return ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  // A process may have lost a connection and made another. A task that is there with another
  // process has been told, and belongs to what comes after this.
  void answer(Visitor& visitor, std::string_view line) {
    const auto who = link::who_greets(place_, line);
    if (!who || has_left(visitor.socket) ||
        told_.try_emplace(who->task, who->pid).first->second != who->pid)
      return;
    std::error_code ignored;
    asio::write(visitor.socket, asio::buffer(words_), ignored);
    if (told_.size() + 1 == place_.tasks) stop();
  }

  void stop() {
    life_.end();
    limit_.stop();
    pause_.stop();
    std::error_code ignored;
    acceptor_.close(ignored);
    loop_.stop();  // strangers may be silent for ever
  }

  const model::StepPlace& place_;
  std::string words_;
  asio::io_context& loop_;
  tcp::acceptor& acceptor_;
  process::Alarm limit_;
  process::Alarm pause_;
  Crowd<VisitorPtr> silent_;
  std::map<std::uint32_t, std::uint32_t> told_;  // tasks to their processes
  process::Life life_;
};

}  // namespace

OtherTasks::OtherTasks(const model::StepPlace& place)
    : place_(place),
      begun_(Clock::now()),
      loop_(std::make_unique<asio::io_context>(1)),
      acceptor_(*loop_) {}

std::error_code OtherTasks::listen(std::uint16_t port) {
  std::error_code error;
  std::error_code ignored;
  acceptor_.close(ignored);
  acceptor_.open(tcp::v6(), error);
  const bool has_v6 = !error;
  if (!has_v6) acceptor_.open(tcp::v4(), error);
  if (error) return error;
  ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
  if (has_v6) acceptor_.set_option(asio::ip::v6_only(false), error);
  // Connections of the step's run before this one may still be closing.
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind({has_v6 ? tcp::v6() : tcp::v4(), port}, error);
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  return error;
}

base::Result<OtherTasks> OtherTasks::await(const model::StepPlace& place) {
  OtherTasks tasks(place);
  std::error_code error;
  for (const std::uint16_t port : link::step_ports(place.step)) {
    error = tasks.listen(port);
    if (!error) return tasks;
  }
  return base::fail(base::Fault::cannot_start,
                    "start it once, in the batch script or with srun -n 1",
                    "cannot wait for the other tasks of the step at one of the ports {}: {}",
                    fmt::join(link::step_ports(place.step), ", "), error.message());
}

void OtherTasks::end(int code) {
  const auto left = std::chrono::ceil<base::Duration>(begun_ + kMayCome - Clock::now());
  Farewell farewell(place_, code, *loop_, acceptor_);
  farewell.begin(std::max(left, kAreHeard));
  loop_->run();
}

}  // namespace muster::head

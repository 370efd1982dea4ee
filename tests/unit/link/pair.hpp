// A Link and an AgentLink, or either with bare pipes, on one loop.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "link/link.hpp"

namespace muster::link {

inline constexpr base::NodeIndex kAtOtherEnd{3};
inline constexpr base::RunIndex kRun{2};
inline const wire::Address kAddress{kRun, wire::HostSet(kAtOtherEnd)};

struct Pipe {
  process::UniqueFd read, write;
};

inline Pipe make_pipe() {
  int fds[2] = {-1, -1};
  EXPECT_EQ(::pipe2(fds, O_CLOEXEC), 0);
  return {process::UniqueFd(fds[0]), process::UniqueFd(fds[1])};
}

inline void put(const process::UniqueFd& fd, std::string_view bytes) {
  EXPECT_EQ(::write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

// As muster's processes do; a write to a closed pipe is then an error like any other.
class LinkTest : public ::testing::Test {
 protected:
  LinkTest() { std::signal(SIGPIPE, SIG_IGN); }

  // Runs the loop until the condition holds; a failure after ten seconds without any event.
  void run_until(const std::function<bool()>& condition) {
    while (!condition()) {
      if (loop.stopped()) loop.restart();
      ASSERT_EQ(loop.run_one_for(std::chrono::seconds(60)), 1u) << "nothing happens any more";
    }
  }
  // Runs what is ready now.
  void run_ready() {
    loop.restart();
    loop.poll();
  }

  // Events of the head's end are counted and kept unless the test replaces them before open().
  void open_head() {
    link = std::make_unique<Link>(loop, kAtOtherEnd, std::move(to_agent.write),
                                  std::move(from_agent.read), std::move(errors.read), events);
  }
  void open_agent() {
    agent = std::make_unique<AgentLink>(loop, std::move(to_agent.read), std::move(from_agent.write),
                                        agent_events);
  }

  asio::io_context loop;
  Pipe to_agent = make_pipe(), from_agent = make_pipe(), errors = make_pipe();

  int ups = 0, closes = 0, agent_closes = 0;
  std::vector<wire::ToHead> heard;
  std::string output;
  std::vector<base::Error> broken, agent_broken;
  std::vector<wire::ToAgent> told;

  LinkEvents events{[this] { ++ups; },
                    [this](base::RunIndex run, wire::ToHead message) {
                      EXPECT_EQ(run, kRun);
                      heard.push_back(std::move(message));
                    },
                    [this](base::RunIndex, const wire::OutputView& view) { output += view.bytes; },
                    [this](base::Error error) { broken.push_back(std::move(error)); },
                    [this] { ++closes; }};
  AgentLinkEvents agent_events{
      [this](base::RunIndex run, wire::ToAgent message) {
        EXPECT_EQ(run, kRun);
        told.push_back(std::move(message));
      },
      nullptr, [this](base::Error error) { agent_broken.push_back(std::move(error)); },
      [this] { ++agent_closes; }};
  std::unique_ptr<Link> link;
  std::unique_ptr<AgentLink> agent;
};

}  // namespace muster::link

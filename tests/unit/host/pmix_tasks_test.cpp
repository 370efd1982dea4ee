// What a host's PMIx server says, and when that is heard. The test is the server.
#include "host/pmix_tasks.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <optional>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/removals.hpp"
#include "unit/nest.hpp"
#include "wire/frame.hpp"

namespace muster::host {
namespace {

constexpr base::Rank kRank{0};

class Server : public testing::Test {
 protected:
  Server() {
    PmixTasks::Events events;
    events.to_head = [this](wire::ToHead message) { told_.push_back(std::move(message)); };
    events.spawn = [this](const process::SpawnOrder& order) { take_ends(order); };
    events.joined = [](base::Rank) {};
    events.signal = [this](base::Rank rank, std::int32_t number) {
      signals_.emplace_back(rank, number);
    };
    events.remove = [this](const std::string& folder) { removals_->remove(folder); };
    auto job = std::make_shared<pmix::Job>();
    job->nspace = "world";
    job->nodes.push_back({"here", {0, 1}});
    job->apps.push_back({"program", "/", 2});
    auto made = PmixTasks::create(loop_, {pmix::AddJob{job, 0, {}}}, {}, 2, std::move(events));
    if (made) tasks_ = std::move(*made);
  }

  // As the first rank does in MPI_Init; the server is ordered then.
  void knock() {
    const auto variables = tasks_->shared_variables(kRank);
    process::UniqueFd rank(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_of(variables));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(rank.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    loop_.run_one();
    ASSERT_TRUE(link_.get() >= 0);
  }

  void say(pmix::Upcall upcall) {
    std::string bytes;
    wire::append(bytes, wire::PmixUp{std::move(upcall)});
    ASSERT_EQ(::write(link_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  template <class Message>
  std::vector<Message> told() const {
    std::vector<Message> found;
    for (const wire::ToHead& message : told_) {
      if (const auto* one = std::get_if<Message>(&message)) found.push_back(*one);
    }
    return found;
  }

  asio::io_context loop_;
  std::optional<process::Removals> removals_{std::in_place, loop_};
  std::unique_ptr<PmixTasks> tasks_;
  process::UniqueFd link_;
  std::vector<std::pair<base::Rank, std::int32_t>> signals_;

 private:
  // "NAME;tcp4://127.0.0.1:PORT", as PMIx writes where a server is.
  static std::uint16_t port_of(const std::vector<PmixTasks::Variable>& variables) {
    for (const auto& [name, value, yields] : variables) {
      if (name != "PMIX_SERVER_URI4") continue;
      return static_cast<std::uint16_t>(std::stoi(value.substr(value.rfind(':') + 1)));
    }
    return 0;
  }

  // The guard hands the order's descriptors to the process; here they are kept.
  void take_ends(const process::SpawnOrder& order) {
    link_ = process::UniqueFd(::fcntl(order.in, F_DUPFD_CLOEXEC, 3));
  }

  std::vector<wire::ToHead> told_;
};

TEST_F(Server, SaysWhyBeforeTheRanksThatMissItHaveEnded) {
  knock();
  say(pmix::Broken{"cannot make its folder", "is it full?"});
  link_.reset();
  tasks_->hear_out();
  const auto refused = told<wire::Refused>();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].error.what, "cannot make its folder");
  tasks_->ended(kRank);
  tasks_->server_ended();
  EXPECT_EQ(told<wire::Refused>().size(), 1U);
}

TEST_F(Server, ThatDiesWithoutAWordIsNamedBeforeTheRanksThatMissIt) {
  knock();
  link_.reset();
  tasks_->hear_out();
  tasks_->server_ended();
  const auto refused = told<wire::Refused>();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].error.what, "the PMIx server of this host has died");
}

TEST_F(Server, ThatSaysNothingNewIsNotMissed) {
  tasks_->hear_out();
  knock();
  tasks_->hear_out();
  EXPECT_TRUE(told<wire::Refused>().empty());
}

TEST_F(Server, RankThatJoinedLeavesTheWorldWhateverIsHeardFirst) {
  knock();
  say(pmix::Connected{{"world", 0}});
  tasks_->hear_out();
  tasks_->ended(kRank);
  const auto aborted = told<wire::Aborted>();
  ASSERT_EQ(aborted.size(), 1U);
  EXPECT_EQ(aborted[0].message, "it ended without MPI_Finalize");
}

// PMIx_Job_control: for the ranks here, and passed on for those elsewhere.
TEST_F(Server, SignalsReachTheRanksOfTheNamespace) {
  using Signals = std::vector<std::pair<base::Rank, std::int32_t>>;
  const Signals both = {{base::Rank(0), 10}, {base::Rank(1), 10}};
  const pmix::Event order{pmix::kSignalRanks, {"world", pmix::kAllRanks}, 0, "10"};
  knock();
  say(order);
  tasks_->hear_out();
  EXPECT_EQ(signals_, both);
  EXPECT_EQ(told<wire::PmixUp>(), std::vector<wire::PmixUp>{{order}});
  signals_.clear();
  tasks_->hear(wire::PmixDown{order});  // from another host
  EXPECT_EQ(signals_, both);
  signals_.clear();
  tasks_->hear(wire::PmixDown{pmix::Event{pmix::kSignalRanks, {"other", 0}, 0, "10"}});
  tasks_->hear(wire::PmixDown{pmix::Event{pmix::kSignalRanks, {"world", 0}, 0, "ten"}});
  EXPECT_TRUE(signals_.empty());
  tasks_->hear(wire::PmixDown{pmix::Event{pmix::kSignalRanks, {}, 0, "12"}});
  EXPECT_EQ(signals_.size(), 2U);
}

// Its host is lost if it does not go on.
TEST_F(Server, WhatRanksPutIntoTheirFolderIsNotWaitedFor) {
  knock();
  std::string folder;
  for (const auto& [name, value, yields] : tasks_->shared_variables(kRank)) {
    if (name == "PMIX_SERVER_TMPDIR") folder = value;
  }
  ASSERT_EQ(::mkdir(folder.c_str(), 0700), 0);
  unit::nest(folder, 2'100);
  tasks_->clean_up();
  struct stat facts {};
  EXPECT_NE(::lstat(folder.c_str(), &facts), 0);
  siginfo_t child{};
  EXPECT_EQ(::waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT), 0) << "another removes it";
  removals_.reset();
  EXPECT_NE(::lstat(fmt::format("{}.gone-{}", folder, ::getpid()).c_str(), &facts), 0);
}

}  // namespace
}  // namespace muster::host

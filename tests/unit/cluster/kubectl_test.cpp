// Calls of programs that stand for kubectl, and the signal that ends them.
#include "cluster/kubectl.hpp"

#include <csignal>
#include <gtest/gtest.h>

#include "cluster/removal.hpp"
#include "process/signal_mask.hpp"
#include "unit/folder.hpp"

namespace muster::cluster::kubectl_test {
namespace {

// A pod that goes on, as the listing of a run's objects has it.
constexpr const char* kPod =
    R"({"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "kufari-workers-0",
"labels": {"app.kubernetes.io/instance": "kufari", "app.kubernetes.io/component": "workers"}},
"status": {"phase": "Running", "containerStatuses": [{"state": {"running": {}}}]}}]})";

class KubectlCalls : public testing::Test {
 protected:
  void program(const std::string& text) const {
    folder_.file("kubectl", "#!/bin/sh\ncd " + folder_.path() + "\n" + text, true);
  }

  [[nodiscard]] Kubectl kubectl() const {
    return {{}, {"PATH=" + folder_.path() + ":/usr/bin:/bin"}};
  }

  const unit::Folder folder_;
  const process::HeldSignals held_;
};

TEST_F(KubectlCalls, EndWithASignalThatComes) {
  program("kill -INT $PPID; exec sleep 3600");
  const auto said = kubectl().ask({"get", "pods"});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind, Refusal::unreachable);
  EXPECT_EQ(said.error().error.what, "given up before kubectl had answered");
  EXPECT_EQ(process::waiting_signal(), SIGINT);
}

TEST_F(KubectlCalls, ThatFeedAProgramEndLikewise) {
  program("kill -TERM $PPID; exec sleep 3600");
  const auto said = kubectl().feed({"exec", "pod"}, -1);
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().error.what, "given up before kubectl had answered");
  EXPECT_EQ(process::waiting_signal(), SIGTERM);
}

TEST_F(KubectlCalls, ThatBeginAfterItAreNotEndedByIt) {
  program("sleep 0.1; echo done");
  ASSERT_EQ(::raise(SIGINT), 0);
  EXPECT_EQ(kubectl().ask({"delete", "pods"}).value(), "done\n");
}

TEST_F(KubectlCalls, ForPodsThatStayAreNotMadeAgainOnceASignalWaits) {
  folder_.file("pods", kPod, false);
  program("echo look >> looks; cat pods");
  ASSERT_EQ(::raise(SIGINT), 0);
  const auto stay = await_pods(kubectl(), "kufari", Until::gone, [](const std::string&) {});
  ASSERT_TRUE(stay) << stay.error().error.what;
  EXPECT_EQ(stay->size(), 1U);
  EXPECT_EQ(folder_.read("looks"), "look\n");
}

}  // namespace
}  // namespace muster::cluster::kubectl_test

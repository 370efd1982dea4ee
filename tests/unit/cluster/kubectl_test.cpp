// Calls of programs that stand for kubectl, and the signal that ends them.
#include "cluster/kubectl.hpp"

#include <csignal>
#include <gtest/gtest.h>

#include "cluster/operated.hpp"
#include "cluster/removal.hpp"
#include "cluster/submission.hpp"
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

TEST_F(KubectlCalls, EndWhereASignalWaits) {
  program("exec sleep 3600");
  ASSERT_EQ(::raise(SIGINT), 0);
  EXPECT_FALSE(kubectl().ask({"get", "pods"}));
}

TEST_F(KubectlCalls, ThatDeleteGoOnWhateverSignalComes) {
  program("kill -INT $PPID; sleep 0.1; kill -TERM $PPID; sleep 0.1; echo done > deleted");
  EXPECT_TRUE(kubectl().order({"delete", "pods"}));
  EXPECT_EQ(folder_.read("deleted"), "done\n");
  EXPECT_NE(process::waiting_signal(), 0);
}

TEST_F(KubectlCalls, ForPodsThatStayAreNotMadeAgainOnceASignalWaits) {
  folder_.file("pods", kPod, false);
  program("if test -f looked; then kill -INT $PPID; exec sleep 3600; fi; touch looked; cat pods");
  const auto stay = await_pods(kubectl(), "kufari", Until::gone, [](const std::string&) {});
  ASSERT_FALSE(stay);
  EXPECT_EQ(stay.error().error.what, "given up before kubectl had answered");
}

// What has been begun is taken away once, however often somebody presses Ctrl-C.
class Submitted : public KubectlCalls {
 protected:
  [[nodiscard]] Answered<void> submitted() {
    Submission submission;
    submission.run.name = "kufari";
    const Attention attention{[this](const std::string& line) { said_ += line + "\n"; },
                              process::no_signal_waits};
    return submit(kubectl(), submission, attention);
  }

  std::string said_;
};

TEST_F(Submitted, AreTheirObjectsDeletedAfterASignalAndUnderAnother) {
  program(R"(echo "$1" >> calls
case "$*" in
  *raw=/version*) echo '{"gitVersion": "v1.30.0", "minor": "30"}';;
  create*) kill -INT $PPID; exec sleep 3600;;
  delete*) kill -TERM $PPID; sleep 0.1; echo "$2" > deleted;;
  get*) exec sleep 3600;;
esac)");
  const auto done = submitted();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().error.what, "given up before kubectl had answered");
  EXPECT_EQ(folder_.read("deleted"), "secrets,jobs\n");
  EXPECT_EQ(said_, "the pods of kufari may still be ending in the cluster\n");
  EXPECT_EQ(folder_.read("calls"), "get\ncreate\ndelete\nget\n");
}

TEST_F(Submitted, OfAnOperatorAreDeletedThough) {
  program(R"(case "$*" in
  *raw*) echo '"kind":"RayJob"';;
  create*) kill -INT $PPID; exec sleep 3600;;
  delete*) sleep 0.1; echo "$2" >> deleted;;
esac)");
  const kubernetes::Value job = kubernetes::object()
                                    .add("apiVersion", "ray.io/v1")
                                    .add("kind", "RayJob")
                                    .add("metadata", kubernetes::object().add("name", "kufari"));
  const auto done = create_operated(kubectl(), kubernetes::object(), {job});
  ASSERT_FALSE(done);
  EXPECT_EQ(folder_.read("deleted"), operated_id({job}) + "\npods,secrets,configmaps\n");
}

}  // namespace
}  // namespace muster::cluster::kubectl_test

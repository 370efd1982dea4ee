// DeviceListing: who waits for the driver's tool, and what those learn whom it does not answer.
#include "host/device_listing.hpp"

#include <algorithm>
#include <asio/io_context.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "process/signal_mask.hpp"
#include "unit/folder.hpp"

namespace muster::host {
namespace {

// Two GPUs have parts, and nvidia-smi is a script that notes each of its starts.
class ListingOfParts : public testing::Test {
 protected:
  ListingOfParts() {
    for (const std::string one : {"0", "1"}) {
      const std::string driver = folder_.path() + "/proc/driver/nvidia/";
      std::filesystem::create_directories(driver + "gpus/0000:0" + one + ":00.0");
      std::ofstream(driver + "gpus/0000:0" + one + ":00.0/information")
          << "GPU UUID: \t GPU-" << one << "\nDevice Minor: \t " << one << "\n";
      std::filesystem::create_directories(driver + "capabilities/gpu" + one + "/mig/gi1");
    }
  }
  void tool(const std::string& script) const {
    folder_.file("nvidia-smi", "#!/bin/sh\necho begun >> " + folder_.path() + "/starts\n" + script,
                 true);
  }
  [[nodiscard]] std::vector<std::string> environment() const {
    return {"PATH=" + folder_.path() + ":/usr/bin:/bin"};
  }
  void await(DeviceListing& listing, const std::string& id, const std::string& word) {
    const std::vector<model::Devices> devices = {{"CUDA_VISIBLE_DEVICES", {id}}};
    listing.await(devices, [this, word] { heard_ += word; });
  }
  static std::set<pid_t> children() {
    std::ifstream list("/proc/thread-self/children");
    return {std::istream_iterator<pid_t>(list), std::istream_iterator<pid_t>()};
  }

  const unit::Folder folder_;
  const std::vector<model::Devices> part_ = {{"CUDA_VISIBLE_DEVICES", {"MIG-1"}}};
  asio::io_context loop_;
  DeviceListing listing_{loop_, environment(), folder_.path()};
  std::string heard_;
};

TEST_F(ListingOfParts, NobodyWaitsWhoDoesNotNeedIt) {
  tool("exit 1");
  await(listing_, "0", "whole ");
  EXPECT_EQ(heard_, "whole ");
  loop_.run();
  EXPECT_FALSE(folder_.has("starts"));
}

TEST_F(ListingOfParts, AllWaitInTheOrderOfTheirCallsAndItIsAskedOnce) {
  tool("echo GPU 0: that one");
  await(listing_, "MIG-1", "part ");
  await(listing_, "0", "whole ");
  await(listing_, "MIG-2", "other");
  EXPECT_EQ(heard_, "");
  loop_.run();
  EXPECT_EQ(heard_, "part whole other");
  EXPECT_EQ(listing_.text(), "GPU 0: that one\n");
  EXPECT_EQ(listing_.unanswered(), "");
  await(listing_, "MIG-3", ", known");
  EXPECT_EQ(heard_, "part whole other, known");
  EXPECT_EQ(folder_.read("starts"), "begun\n");
}

TEST_F(ListingOfParts, OneThatFailsSaysNothingAndIsNotSpokenOf) {
  tool("echo no driver; exit 9");
  await(listing_, "MIG-1", "part");
  loop_.run();
  EXPECT_EQ(heard_, "part");
  EXPECT_EQ(listing_.text(), "");
  EXPECT_EQ(listing_.unanswered(), "");
}

TEST_F(ListingOfParts, OneThatFloodsIsSpokenOf) {
  tool("exec cat /dev/zero");
  await(listing_, "MIG-1", "part");
  loop_.run();
  EXPECT_EQ(heard_, "part");
  EXPECT_EQ(listing_.text(), "");
  EXPECT_EQ(listing_.unanswered(), "nvidia-smi -L says more than 1024 KiB");
}

TEST_F(ListingOfParts, WhoIsForgottenDoesNotHearOfIt) {
  tool("echo listing");
  await(listing_, "MIG-1", "part");
  listing_.forget();
  loop_.run();
  EXPECT_EQ(heard_, "");
  await(listing_, "MIG-1", "next");
  EXPECT_EQ(heard_, "next");
  EXPECT_EQ(listing_.text(), "listing\n");
}

TEST_F(ListingOfParts, ItIsReapedWhereNoLoopGoesOn) {
  const auto before = children();
  tool("exec cat /dev/zero");
  const auto told = DeviceListing::now(part_, environment(), folder_.path());
  EXPECT_EQ(told.unanswered, "nvidia-smi -L says more than 1024 KiB");
  EXPECT_TRUE(std::ranges::includes(before, children()));
}

TEST_F(ListingOfParts, ASignalThatIsHeldBackEndsTheWait) {
  tool("exec sleep 600");
  const process::HeldSignals held;
  std::raise(SIGTERM);
  const auto told = DeviceListing::now(part_, environment(), folder_.path());
  EXPECT_EQ(told.text, "");
  EXPECT_EQ(told.unanswered, "");
}

}  // namespace
}  // namespace muster::host

// PlaceClaims: of the runs that would write over each other's files one begins.
#include "store/place_claims.hpp"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "process/pipe.hpp"
#include "unit/folder.hpp"

namespace muster::store {
namespace {

class PlaceClaimsTest : public testing::Test {
 protected:
  // There is none yet before the first run of all.
  [[nodiscard]] std::string records() const { return folder_.path() + "/records"; }
  [[nodiscard]] std::string place(const std::string& name = "") const {
    return folder_.path() + "/out" + name;
  }
  // Whose place it is, "" for our own, as a process finds that has no other place.
  [[nodiscard]] std::string writer(const std::string& run, const std::string& path) const {
    return PlaceClaims(records(), run).take({path}).front().run;
  }

  unit::Folder folder_;
};

// Another process that has a place until it ends.
class Claimant {
 public:
  Claimant(const std::string& records, const std::string& place, const std::string& run) {
    auto said = *process::make_pipe();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      PlaceClaims claims(records, run);
      char byte = claims.take({place}).front().run.empty() ? 'y' : 'n';
      (void)!::write(said.write.get(), &byte, 1);
      for (;;) ::pause();
    }
    said.write.reset();
    char byte = 0;
    has_it = ::read(said.read.get(), &byte, 1) == 1 && byte == 'y';
  }
  ~Claimant() { end(); }
  Claimant(const Claimant&) = delete;
  Claimant& operator=(const Claimant&) = delete;

  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  bool has_it = false;

 private:
  pid_t pid_ = 0;
};

TEST_F(PlaceClaimsTest, OfSeveralProcessesOneHasThePlaceUntilItEnds) {
  Claimant first(records(), place(), "one/step");
  ASSERT_TRUE(first.has_it);
  EXPECT_FALSE(Claimant(records(), place(), "two").has_it);
  PlaceClaims claims(records(), "three");
  const PlaceClaims::Answer refused = claims.take({place()}).front();
  EXPECT_EQ(refused.run, "one");
  EXPECT_EQ(refused.place, place());
  EXPECT_FALSE(refused.is_outer);
  EXPECT_EQ(claims.take({place("side")}).front().run, "");
  first.end();
  EXPECT_EQ(claims.take({place()}).front().run, "");
  EXPECT_FALSE(Claimant(records(), place(), "four").has_it);
  EXPECT_FALSE(Claimant(records(), place("side"), "four").has_it);
}

TEST_F(PlaceClaimsTest, APlaceInAnotherOneIsTheSame) {
  const Claimant first(records(), place("/a"), "one");
  ASSERT_TRUE(first.has_it);
  EXPECT_EQ(writer("two", place()), "one");
  EXPECT_EQ(writer("two", place("/a/b/c")), "one");
  EXPECT_EQ(writer("two", "/"), "one");
  EXPECT_EQ(writer("two", place("/ab")), "");
  EXPECT_EQ(PlaceClaims(records(), "two").take({place()}).front().place, place("/a"));
}

TEST_F(PlaceClaimsTest, AnyNumberOfPlacesAreHeldAtOnce) {
  Claimant one(records(), place("/1"), "one");
  const Claimant two(records(), place("/2"), "two");
  const Claimant three(records(), place("/3"), "three");
  ASSERT_TRUE(one.has_it && two.has_it && three.has_it);
  one.end();
  EXPECT_EQ(writer("four", place("/1")), "");
  EXPECT_EQ(writer("four", place("/2")), "two");
  EXPECT_EQ(writer("four", place("/3")), "three");
}

TEST_F(PlaceClaimsTest, ARunMayHavePlacesInOneAnother) {
  PlaceClaims claims(records(), "one");
  EXPECT_EQ(claims.take({place("/a")}).front().run, "");
  EXPECT_EQ(claims.take({place()}).front().run, "");
  EXPECT_FALSE(Claimant(records(), place("/b"), "two").has_it);
}

TEST_F(PlaceClaimsTest, AStepHasThePlacesOfItsPipeline) {
  Claimant pipeline(records(), place(), "one");
  ASSERT_TRUE(pipeline.has_it);
  PlaceClaims step(records(), "one/step");
  const PlaceClaims::Answer own = step.take({place("/a")}).front();
  EXPECT_EQ(own.run, "");
  EXPECT_TRUE(own.is_of_pipeline);
  EXPECT_FALSE(step.take({folder_.path() + "/late"}).front().is_of_pipeline);
  pipeline.end();
  EXPECT_FALSE(Claimant(records(), place("/a"), "two").has_it) << "it is the step's, too";
}

TEST_F(PlaceClaimsTest, TheRunThatStartedThisProcessIsTheOuterOne) {
  PlaceClaims outer(records(), "outer");
  ASSERT_EQ(outer.take({place()}).front().run, "");
  const pid_t child = ::fork();
  if (child == 0) {
    PlaceClaims inner(records(), "inner");
    const PlaceClaims::Answer answer = inner.take({place("/a")}).front();
    ::_exit(answer.run == "outer" && answer.is_outer ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(PlaceClaimsTest, OfSeveralPlacesAllAreTakenOrNone) {
  const Claimant first(records(), place("/2"), "one");
  PlaceClaims claims(records(), "two");
  const auto refused = claims.take({place("/1"), place("/2"), place("/3")});
  ASSERT_EQ(refused.size(), 3U);
  EXPECT_EQ(refused[0].run, "");
  EXPECT_EQ(refused[1].run, "one");
  EXPECT_EQ(writer("three", place("/1")), "");
  std::vector<std::string> many;
  for (int i = 0; i < 5'000; ++i) many.push_back(place("/many/" + std::to_string(i)));
  for (const auto& answer : claims.take(many)) ASSERT_EQ(answer.run, "");
  EXPECT_FALSE(Claimant(records(), place("/many/4999"), "three").has_it);
}

TEST_F(PlaceClaimsTest, ALineThatCouldNotBeWrittenLeavesAnotherByteToOthers) {
  const std::string list = records() + "/.placed/writers";
  const Claimant first(records(), place("/1"), "one");
  ASSERT_TRUE(first.has_it);
  std::filesystem::remove(list);
  Claimant second(records(), place("/2"), "two");
  EXPECT_TRUE(second.has_it);
  EXPECT_EQ(writer("three", place("/2")), "two");
}

TEST_F(PlaceClaimsTest, NobodyIsKeptAwayByAListThatOthersMayWrite) {
  const Claimant first(records(), place(), "one");
  ASSERT_TRUE(first.has_it);
  std::filesystem::permissions(records() + "/.placed", std::filesystem::perms::all);
  EXPECT_EQ(writer("two", place()), "");
}

}  // namespace
}  // namespace muster::store

// Which source gives the hosts of a job.
#include "spec/sources.hpp"

#include <gtest/gtest.h>

namespace muster::spec::sources_test {
namespace {

base::Result<std::string> read(const std::string& path, std::size_t) {
  if (path == "none") return base::fail(base::Fault::bad_file, "", "no such file");
  return "from-" + path + " slots=2\n";
}

std::optional<std::string_view> around(std::string_view name) {
  if (name == kHostfile) return "job";
  if (name == kStartsRanks) return "1";
  return std::nullopt;
}

std::string named(const HostQuery& asked) {
  const auto found = find_hosts(asked);
  if (!found) return found.error().what;
  if (found->hosts.empty()) return "here";
  return found->name + " " + found->hosts.front().name;
}

TEST(Sources, WordsAreStrongerThanTheEnvironment) {
  EXPECT_EQ(named({.list = "a,b", .file = "f", .read_file = read, .variable = around}), "-H a");
  EXPECT_EQ(named({.file = "f", .read_file = read, .variable = around}), "f from-f");
  EXPECT_EQ(named({.read_file = read, .variable = around}), "job from-job");
  EXPECT_EQ(named({.read_file = read}), "here");
}

TEST(Sources, TheFileOfAJobThatStartsItsOwnRanksDoesNotCount) {
  const auto no_starter = [](std::string_view name) {
    return name == kHostfile ? around(name) : std::nullopt;
  };
  EXPECT_EQ(named({.read_file = read, .variable = no_starter}), "here");
}

TEST(Sources, AnErrorOfOneIsNotPassedOver) {
  EXPECT_EQ(named({.file = "none", .read_file = read, .variable = around}), "no such file");
}

TEST(Sources, AreTaken) {
  model::JobSpec spec;
  take_hosts(spec, *find_hosts({.file = "f", .read_file = read}));
  EXPECT_EQ(spec.source, model::kHostsInFile);
  EXPECT_EQ(spec.source_name, "f");
  ASSERT_EQ(spec.hosts.size(), 1U);
  EXPECT_EQ(spec.hosts.front().slots, 2U);
}

}  // namespace
}  // namespace muster::spec::sources_test

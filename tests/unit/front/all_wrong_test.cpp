// Options and hosts that are wrong are told together, whichever front end reads the line.
#include <algorithm>
#include <gtest/gtest.h>

#include "front/front.hpp"

namespace muster::front::all_wrong_test {
namespace {

using Words = std::vector<std::string>;

// What is told, and in which order: no front end has an option --zebra-a.
Words told(const std::string& name, const Words& words) {
  const auto reading = front_of(name)->read(
      {.called = name,
       .words = words,
       .environment = {"HOME=/home/u"},
       .current_folder = "/here",
       .read_file = [](const std::string& path, std::size_t) -> base::Result<std::string> {
         if (path == "hosts" || path == "/here/hosts") return "node1 slots=x\nno!de slots=2\n";
         return base::fail(base::Fault::bad_file, "", "no file {}", path);
       },
       .has_file = [](const std::string&) { return false; }});
  if (reading) return {"nothing"};
  Words all = {reading.error().what};
  for (const base::Error& other : reading.error().also) all.push_back(other.what);
  return all;
}

std::size_t count_of(const Words& lines, const std::string& part) {
  return static_cast<std::size_t>(std::ranges::count_if(
      lines, [&](const std::string& line) { return line.find(part) != std::string::npos; }));
}

TEST(AllThatIsWrong, IsToldOfOptionsAndHosts) {
  for (const auto& [name, option] :
       std::vector<std::pair<std::string, std::string>>{{"run", "-H"},
                                                        {"mpirun", "-H"},
                                                        {"mpiexec.hydra", "-hosts"},
                                                        {"horovodrun", "-H"},
                                                        {"torchrun", "-H"},
                                                        {"launch", "-H"},
                                                        {"lead", "-H"},
                                                        {"submit", "-H"},
                                                        {"explain", "-H"},
                                                        {"gc", "-H"}}) {
    const Words lines =
        told(name, {"--zebra-a=1", option, "no!de:1,node2:1,n?de:1", "--zebra-b=2"});
    EXPECT_EQ(count_of(lines, "unknown option"), 2U) << name;
    EXPECT_EQ(count_of(lines, "!"), 1U) << name;
    EXPECT_EQ(count_of(lines, "n?de"), 1U) << name;
    EXPECT_EQ(lines.front(), "unknown option '--zebra-a'") << name;
  }
}

TEST(AllThatIsWrong, IsToldOfHostfilesToo) {
  for (const char* name : {"run", "mpirun", "horovodrun", "torchrun", "deepspeed", "submit"}) {
    const Words lines = told(name, {"--zebra-a=1", "--hostfile", "hosts", "--zebra-b=2"});
    EXPECT_EQ(count_of(lines, "unknown option"), 2U) << name;
    EXPECT_GE(lines.size(), 3U) << name;
  }
}

TEST(AllThatIsWrong, IsToldOnBothSidesOfWhatIsNoOption) {
  for (const char* name : {"submit", "explain", "validate", "ps", "show", "rm", "gc", "join"}) {
    const Words lines = told(name, {"--zebra-a", "x", "--zebra-b", "--", "--zebra-c"});
    EXPECT_EQ(lines, (Words{"unknown option '--zebra-a'", "unknown option '--zebra-b'"})) << name;
  }
}

// Twenty, and how many more.
TEST(AllThatIsWrong, IsBounded) {
  Words words;
  for (int i = 0; i < 15; ++i)
    words.push_back("--zebra-" + std::string(1, static_cast<char>('a' + i)));
  std::string hosts;
  for (int i = 0; i < 15; ++i) hosts += "n!" + std::to_string(i) + ",";
  words.insert(words.end(), {"-H", hosts});
  EXPECT_EQ(told("run", words).size(), base::Errors::kTold);
}

}  // namespace
}  // namespace muster::front::all_wrong_test

// A file that a front end reads says the same whoever's editor wrote it: with Windows' line ends,
// blanks at the ends of lines, comments, empty lines, and no newline at its end.
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "front/front.hpp"

namespace muster::front::line_ends_test {
namespace {

using Words = std::vector<std::string>;

struct Case {
  const char* front;
  Words words;
  const char* path;
  Words lines;
  Words environment = {};
};

const std::vector<Case> kCases = {
    {"run", {"--hostfile", "/f", "p"}, "/f", {"a slots=2", "b slots=1"}},
    {"mpirun", {"--hostfile", "/f", "p"}, "/f", {"a slots=2", "b slots=1"}},
    {"mpirun", {"-H", "a:2,b:2", "-rf", "/f", "p"}, "/f", {"rank 0=a slot=0", "rank 1=b slot=1"}},
    {"mpirun", {"--app", "/f"}, "/f", {"-n 1 p 'x y'", "-n 2 q \"z\""}},
    {"mpirun", {"--tune", "/f", "p"}, "/f", {"-x A=1 -mca btl tcp", "orte_tag_output = 1"}},
    {"mpirun", {"p"}, "/h/.openmpi/mca-params.conf", {"orte_tag_output = 1", "-x B=2"}},
    {"mpiexec.hydra", {"-f", "/f", "p"}, "/f", {"a:2", "b:1"}},
    {"mpiexec.hydra", {"-configfile", "/f"}, "/f", {"-n 1 p x", "-n 2 q 'y z'"}},
    {"horovodrun", {"-np", "3", "--hostfile", "/f", "p"}, "/f", {"a slots=2", "b slots=1"}},
    {"horovodrun",
     {"-np", "2", "--config-file", "/f", "p"},
     "/f",
     {"params:", "  fusion_threshold_mb: 32", "  cycle_time_ms: 3.5"}},
    {"torchrun", {"--hostfile", "/f", "t.py"}, "/f", {"a slots=2", "b slots=2"}},
    {"deepspeed", {"--hostfile", "/f", "t.py"}, "/f", {"a slots=2", "b slots=1"}},
    {"deepspeed",
     {"--force_multi", "--num_gpus", "1", "t.py"},
     "/h/.deepspeed_env",
     {"A=1", "B=$A:/x", "C='q' \"r\"", "D={\"k\": 1}"}},
    {"deepspeed",
     {"--force_multi", "--num_gpus", "1", "t.py"},
     "/f",
     {"A=1", "B=${A}"},
     {"DS_ENV_FILE=/f"}},
};

base::Result<Reading> read(const Case& of, const std::string& text) {
  Words environment = of.environment;
  environment.emplace_back("HOME=/h");
  return front_of(of.front)->read(
      {.called = of.front,
       .words = of.words,
       .environment = environment,
       .current_folder = "/here",
       .read_file = [&](const std::string& path, std::size_t) -> base::Result<std::string> {
         if (path == of.path) return text;
         return base::fail_at({path, 0, 0}, base::Fault::bad_file, "", "no file");
       },
       .counts = {.cpus = [] { return 8U; },
                  .gpus = [] { return 2U; },
                  .xpus = [] { return 0U; },
                  .gpu_variable = [] { return std::string("CUDA_VISIBLE_DEVICES"); }},
       .version = "1",
       .has_file = [&](const std::string& path) { return path == of.path; }});
}

std::string written(const Words& lines, const std::string& end, const std::string& between) {
  std::string text = between;
  for (const std::string& line : lines) text += line + end + between;
  return text;
}

TEST(FilesOfLaunchers, SayTheSameHoweverTheirLinesEnd) {
  for (const Case& one : kCases) {
    const auto plain = read(one, written(one.lines, "\n", ""));
    ASSERT_TRUE(plain && plain->request)
        << one.front << one.path << (plain ? "" : to_string(plain.error()));
    const auto empty = read(one, "");
    EXPECT_FALSE(empty && empty->request && empty->request->spec == plain->request->spec)
        << one.front << " " << one.path << " is not heard";
    std::string cut = written(one.lines, "\n", "");
    cut.pop_back();
    for (const std::string& text :
         {written(one.lines, "\r\n", ""), written(one.lines, "  \n", ""),
          written(one.lines, "\t\r\n", ""), written(one.lines, "\n", "# told\n\n"),
          written(one.lines, "\r\n", "# told\r\n\r\n"), cut}) {
      const auto other = read(one, text);
      ASSERT_TRUE(other && other->request)
          << one.front << " " << text << (other ? "" : to_string(other.error()));
      EXPECT_EQ(other->request->spec.apps, plain->request->spec.apps) << one.front << " " << text;
      EXPECT_EQ(other->notices, plain->notices) << one.front << " " << text;
      const auto names = [](const Reading& reading) {
        Words all;
        for (const auto& host : reading.request->spec.hosts) {
          all.push_back(host.name + ":" + std::to_string(host.slots.value_or(0)) + host.visible);
        }
        return all;
      };
      EXPECT_EQ(names(*other), names(*plain)) << one.front << " " << text;
    }
  }
}

}  // namespace
}  // namespace muster::front::line_ends_test

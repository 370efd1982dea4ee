// What quotes, backslashes, $ and ~ in launchers' files stand for: what the launcher that the file
// is for makes of them, in one table for each. Where muster differs, the table says why.
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "front/front.hpp"

namespace muster::front::quotes_in_files_test {
namespace {

using Words = std::vector<std::string>;

base::Result<Reading> read(const std::string& front, const Words& words, const std::string& path,
                           const std::string& text) {
  const Words environment = {"HOME=/h", "B=b"};
  return front_of(front)->read(
      {.called = front,
       .words = words,
       .environment = environment,
       .current_folder = "/here",
       .read_file = [&](const std::string& asked, std::size_t) -> base::Result<std::string> {
         if (asked == path) return text;
         return base::fail_at({asked, 0, 0}, base::Fault::bad_file, "", "no file");
       },
       .counts = {.cpus = [] { return 8U; },
                  .gpus = [] { return 2U; },
                  .xpus = [] { return 0U; },
                  .gpu_variable = [] { return std::string("CUDA_VISIBLE_DEVICES"); }},
       .version = "1",
       .has_file = [&](const std::string& asked) { return asked == path; }});
}

// The last value of a variable; "refused" where the file is.
std::string value_of(const base::Result<Reading>& reading, const std::string& name) {
  if (!reading || !reading->request) return "refused";
  std::string value = "not set";
  for (const auto& setting : reading->request->spec.apps.front().exports) {
    if (setting.name == name && setting.value) value = *setting.value;
  }
  return value;
}

std::string command_of(const base::Result<Reading>& reading) {
  if (!reading || !reading->request) return "refused";
  return fmt::format("{}", fmt::join(reading->request->spec.apps.front().command, "|"));
}

struct Row {
  const char* text;
  const char* original;
  const char* ours = nullptr;  // where it differs from the original

  [[nodiscard]] std::string wanted() const { return ours != nullptr ? ours : original; }
};

// A shell of the node reads it (deepspeed/launcher/multinode_runner.py): `export A=TEXT; ` in
// DeepSpeed 0.15.1 and before, `export A="TEXT"; ` in 0.15.4 and later. What dash and bash make of
// these, with B=b and HOME=/h. Where both work and differ, the older way is meant by quotes and ~,
// the newer one by backslashes.
struct DeepspeedRow {
  const char* text;
  const char* before;
  const char* since;
  const char* ours;
};

TEST(QuotesInFiles, DeepspeedEnvironmentIsReadByAShell) {
  const std::vector<DeepspeedRow> rows = {
      {R"("x")", "x", "x", "x"},
      {"$B/${B}", "b/b", "b/b", "b/b"},
      {R"(\$B)", "$B", "$B", "$B"},
      {R"(\"x\")", "\"x\"", "\"x\"", "\"x\""},
      {R"({\"k\":1})", R"({"k":1})", R"({"k":1})", R"({"k":1})"},
      {R"("x\"y")", "x\"y", "x\"y", "x\"y"},
      {R"("\$B")", "$B", "$B", "$B"},
      {R"("~/x")", "~/x", "~/x", "~/x"},
      {"x~", "x~", "x~", "x~"},
      {"~other/x", "~other/x", "~other/x", "~other/x"},
      {"x*", "x*", "x*", "x*"},
      {"", "", "", ""},
      // Quotes that no longer mean this.
      {R"("x y")", "x y", "x", "x y"},
      {"'x y'", "x y", "'x y'", "x y"},
      {R"(/o/"my x"/'y z')", "/o/my x/y z", "failure", "/o/my x/y z"},
      {R"("x'y")", "x'y", "failure", "x'y"},
      {R"('x"y')", "x\"y", "failure", "x\"y"},
      {R"("$B y")", "b y", "b", "b y"},
      {"'$B y'", "$B y", "'b y'", "$B y"},
      {R"("x\y")", "x\\y", "xy", "x\\y"},
      {R"('x\y')", "x\\y", "'x\\y'", "x\\y"},
      {R"('x\$B')", R"(x\$B)", "'x$B'", R"(x\$B)"},
      {"''", "", "''", ""},
      {"~", "/h", "~", "/h"},
      {"~/x:~/y", "/h/x:/h/y", "~/x:~/y", "/h/x:/h/y"},
      // What no longer fails or is cut.
      {R"(x\y)", "xy", "x\\y", "x\\y"},
      {R"(x\ y)", "x y", "x\\ y", "x\\ y"},
      {R"(\'x\')", "'x'", R"(\'x\')", R"(\'x\')"},
      {"x y", "x", "x y", "x y"},
      {R"(x \$B)", "failure", "x $B", "x $B"},
      {R"({\"k\": \"$B\"})", "failure", R"({"k": "b"})", R"({"k": "b"})"},
      {"x(2)", "failure", "x(2)", "x(2)"},
      {"it's", "failure", "it's", "it's"},
      {"it's Bob's", "its Bobs", "it's Bob's", "it's Bob's"},
      {"x # y", "", "x # y", "x # y"},
      {"x;y", "x, and runs y", "x;y", "x;y"},
      // What neither does well.
      {"'x' \"y\"", "x", "'x' y", "'x' \"y\""},
      {R"("x)", "failure", "failure", "\"x"},
      {"x\\", "failure", "failure", "x\\"},
      {R"({"k":1})", "{k:1}", "{k:1}", R"({"k":1})"},
      {R"({"k":"a\"b"})", "{k:a\"b}", "{k:a\"b}", R"({"k":"a\"b"})"},
      {R"(["k"])", "[k]", "[k]", R"(["k"])"},
      // Nothing in a file of settings is run.
      {"$(y)", "the output of y", "the output of y", "$(y)"},
      {"\"$(y)\"", "the output of y", "the output of y", "$(y)"},
      {"`y`", "the output of y", "the output of y", "`y`"},
  };
  for (const DeepspeedRow& row : rows) {
    const auto reading = read("deepspeed", {"--force_multi", "--num_gpus", "1", "t.py"},
                              "/h/.deepspeed_env", fmt::format("A={}\n", row.text));
    EXPECT_EQ(value_of(reading, "A"), row.ours) << row.text;
  }
}

// Run with Open MPI 4.1.4: quotes are a part of words, and blanks always end them.
TEST(QuotesInFiles, AppfilesKeepThem) {
  const std::vector<Row> rows = {
      {R"({"k":1})", R"(p|{"k":1})"},
      {"'x'", "p|'x'"},
      {R"("x")", R"(p|"x")"},
      {R"("x\"y")", R"(p|"x\"y")"},
      {"it's", "p|it's"},
      {"it's x isn't", "p|it's|x|isn't"},
      {R"(k"l m)", R"(p|k"l|m)"},
      {"$B ${B} ~", "p|$B|${B}|~"},
      {R"(x\y x\\y)", R"(p|x\y|x\\y)"},
      {R"(x\ y)", R"(p|x\|y)"},
      {"x # y", "p|x"},
      {"x // y", "p|x"},
      // Broken words are no use to anyone.
      {"'x y'", "p|'x|y'", "p|x y"},
      {R"("x y")", R"(p|"x|y")", "p|x y"},
      {R"(--a="x y")", R"(p|--a="x|y")", "p|--a=x y"},
      {"'x y", "p|'x|y", "refused"},
      // Open MPI cuts addresses and names; here a comment begins in front of a word.
      {"http://x", "p|http:", "p|http://x"},
      {"x#y", "p|x", "p|x#y"},
  };
  for (const Row& row : rows) {
    const auto reading =
        read("mpirun", {"--app", "/f"}, "/f", fmt::format("-n 1 p {}\n", row.text));
    EXPECT_EQ(command_of(reading), row.wanted()) << row.text;
  }
}

// Run with Open MPI 4.1.4.
TEST(QuotesInFiles, TuneFilesKeepThemInVariables) {
  const std::vector<Row> rows = {
      {R"(-x A="x")", R"("x")"},
      {"-x A='x'", "'x'"},
      {R"(-x A={"k":1})", R"({"k":1})"},
      {R"(-x A="x\"y")", R"("x\"y")"},
      {"-x A=it's", "it's"},
      {"-x A=$B", "$B"},
      {"-x A=~/x", "~/x"},
      {R"(-x A=x\y)", R"(x\y)"},
      {"-x A=x#y", "x#y"},
      {"-x A=http://x", "http://x"},
      {"-x A=x # y", "x"},
      // Blanks end the value, with complaints about what follows.
      {R"(-x A="x y")", R"("x)", "x y"},
      {"-x A='x y'", "'x", "x y"},
      {R"(-x A="x)", R"("x)", "refused"},
  };
  for (const Row& row : rows) {
    const auto reading = read("mpirun", {"--tune", "/f", "p"}, "/f", row.text);
    EXPECT_EQ(value_of(reading, "A"), row.wanted()) << row.text;
  }
  // As on the command line, quotes around a parameter's value are none of it. (Open MPI's ranks
  // read the file themselves: no variable shows it there, but ompi_info as a rank does.)
  for (const char* text : {R"(-mca k "x")", "--mca k x"}) {
    EXPECT_EQ(value_of(read("mpirun", {"--tune", "/f", "p"}, "/f", text), "OMPI_MCA_k"), "x");
  }
}

// Run with Open MPI 4.1.4, which names the hostfile that it cannot open. Only parameters of mpirun
// itself are read here, the ranks' library reads the rest.
TEST(QuotesInFiles, ParametersMayLieInTheHomeFolder) {
  const std::vector<Row> rows = {
      {"~/x", "/h/x"},
      {"/x/~", "/x/~"},
      {"$B/x", "$B/x"},
      {"${B}", "${B}"},
      {R"(/x\y)", R"(/x\y)"},
      {"/x y", "/x y"},
      // Nobody has a file with such a name.
      {R"("/x y")", R"("/x y")", "/x y"},
      {R"("/x")", R"("/x")", "/x"},
      {"/x # y", "/x # y", "/x"},
  };
  for (const Row& row : rows) {
    const auto asked = [&](const Words& words, const std::string& text) {
      std::string found;
      const auto reading = front_of("mpirun")->read(
          {.called = "mpirun",
           .words = words,
           .environment = Words{"HOME=/h"},
           .current_folder = "/here",
           .read_file = [&](const std::string& path, std::size_t) -> base::Result<std::string> {
             if (path == "/h/.openmpi/mca-params.conf") return text;
             found = path;
             return base::fail_at({path, 0, 0}, base::Fault::bad_file, "", "no file");
           },
           .version = "1"});
      EXPECT_FALSE(reading);
      return found.substr(found.starts_with("/here/") ? 6 : 0);
    };
    EXPECT_EQ(asked({"p"}, fmt::format("orte_default_hostfile = {}\n", row.text)), row.wanted());
    if (row.ours != nullptr) continue;
    EXPECT_EQ(asked({"-mca", "orte_default_hostfile", row.text, "p"}, ""), row.wanted());
  }
}

// Run with MPICH 4.0.2: as in appfiles, but "//" is no comment.
TEST(QuotesInFiles, ConfigFilesOfHydraKeepThem) {
  const std::vector<Row> rows = {
      {R"({"k":1})", R"(p|{"k":1})"},
      {"'x'", "p|'x'"},
      {R"("x")", R"(p|"x")"},
      {R"(x\"y)", R"(p|x\"y)"},
      {"it's", "p|it's"},
      {"$B ${B} ~", "p|$B|${B}|~"},
      {R"(x\ y)", R"(p|x\|y)"},
      {"x // y", "p|x|//|y"},
      {"http://x", "p|http://x"},
      {"x # y", "p|x"},
      {"'x y'", "p|'x|y'", "p|x y"},
      {R"("x y")", R"(p|"x|y")", "p|x y"},
      {"'x y", "p|'x|y", "refused"},
      {"x#y", "p|x", "p|x#y"},
      {"x \\\ny", "p|x|\\, and runs y", "p|x|y"},  // as the MPI standard has it
  };
  for (const Row& row : rows) {
    const auto reading =
        read("mpiexec.hydra", {"-configfile", "/f"}, "/f", fmt::format("-n 1 p {}\n", row.text));
    EXPECT_EQ(command_of(reading), row.wanted()) << row.text;
  }
}

// Horovod reads YAML by PyYAML, and gives the value as it is.
TEST(QuotesInFiles, ConfigFilesOfHorovodAreYaml) {
  const std::vector<Row> rows = {
      {R"("x y")", "x y"}, {"'x y'", "x y"}, {"x y", "x y"},         {R"("x\"y")", "x\"y"},
      {"'x''y'", "x'y"},   {"it's", "it's"}, {"$B/${B}", "$B/${B}"}, {R"(x\y)", R"(x\y)"},
      {"x # y", "x"},      {"x#y", "x#y"},   {"\"x", "refused"},
  };
  for (const Row& row : rows) {
    const auto reading = read("horovodrun", {"-np", "1", "--config-file", "/f", "p"}, "/f",
                              fmt::format("timeline:\n  filename: /t/{}\n", row.text));
    const auto quoted = read("horovodrun", {"-np", "1", "--config-file", "/f", "p"}, "/f",
                             fmt::format("timeline:\n  filename: {}\n", row.text));
    const bool is_plain = row.text[0] != '"' && row.text[0] != '\'';
    const std::string value = value_of(is_plain ? reading : quoted, "HOROVOD_TIMELINE");
    EXPECT_EQ(value, is_plain ? "/t/" + row.wanted() : row.wanted()) << row.text;
  }
}

// No launcher knows quotes, variables or ~ there. Open MPI and Horovod refuse them; Hydra and
// DeepSpeed ask ssh for a host of that name, and here such a name is refused before anything
// starts.
TEST(QuotesInFiles, HostfilesHaveNone) {
  const Words names = {"\"a\"", "'a'", "\"a", "$H", "${H}", "~", "a\\b"};
  Words lines;
  for (const std::string& name : names) lines.push_back(name + " slots=2");
  for (const char* slots : {"\"2\"", "'2'", "$N", "~"}) {
    lines.push_back(fmt::format("a slots={}", slots));
  }
  lines.emplace_back("a slots=2 \\");
  for (const std::string& line : lines) {
    for (const char* front : {"run", "mpirun", "deepspeed"}) {
      EXPECT_FALSE(read(front, {"--hostfile", "/f", "t.py"}, "/f", line)) << front << line;
    }
    EXPECT_FALSE(read("horovodrun", {"-np", "1", "--hostfile", "/f", "p"}, "/f", line)) << line;
  }
  for (const std::string& name : names) {
    EXPECT_FALSE(read("mpiexec.hydra", {"-f", "/f", "p"}, "/f", name + ":2")) << name;
  }
  for (const char* line : {"a:\"2\"", "a:$N", "a:2 user=\"me\""}) {
    EXPECT_FALSE(read("mpiexec.hydra", {"-f", "/f", "p"}, "/f", line)) << line;
  }
}

// Open MPI 4.1.4 refuses all of these.
TEST(QuotesInFiles, RankfilesHaveNone) {
  const auto is_read = [](const std::string& line) {
    return read("mpirun", {"-rf", "/f", "p"}, "/f", line).has_value();
  };
  EXPECT_TRUE(is_read("rank 0=a slot=0"));
  for (const char* line :
       {"rank 0=a slot='0'", "rank 0=a slot=\"0", "rank \"0\"=a slot=0", "rank 0=a slot=$S",
        "rank 0=~ slot=0", "rank 0=$H slot=0", "rank 0=\"a\" slot=0", "rank 0=a slot=0 \\"}) {
    EXPECT_FALSE(is_read(line)) << line;
  }
  // Only one thing can be meant by quotes around the slots.
  EXPECT_TRUE(is_read("rank 0=a slot=\"0\""));
}

}  // namespace
}  // namespace muster::front::quotes_in_files_test

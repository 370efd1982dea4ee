// The launchers' ways to write output: what a line of theirs begins with, and where it goes.
#include "front/output_styles.hpp"

#include <gtest/gtest.h>

namespace muster::front {
namespace {

using model::Field;
using model::OutputSpec;
using model::Pattern;
using Tag = OpenMpiOutput::Tag;

// A pattern in short: fields by letter, with the text that is theirs alone.
std::string shown(const Pattern& pattern) {
  std::string out;
  for (const model::Piece& piece : pattern) {
    switch (piece.field) {
      case Field::text:
        out += piece.text;
        continue;
      case Field::world:
        out += "%w";
        break;
      case Field::group:
        out += "%g";
        break;
      case Field::spawned:
        out += "%W" + piece.text;
        break;
      case Field::rank:
        out += piece.width == model::Width::own       ? "%r"
               : piece.width == model::Width::largest ? "%0r"
                                                      : "%Nr";
        break;
      case Field::local_rank:
        out += "%l";
        break;
      case Field::node:
        out += "%n";
        break;
      case Field::other_node:
        out += "%" + piece.text + "n";
        break;
      case Field::host:
        out += "%h";
        break;
      case Field::role:
        out += "%R";
        break;
      case Field::stream:
        out += "%s";
        break;
      case Field::attempt:
        out += "%a";
        break;
      case Field::utc:
        out += "%u";
        break;
      case Field::local_time:
        out += "%t";
        break;
    }
  }
  return out;
}

bool silent(const OutputSpec& output) {
  return !output.routes.out.console && !output.routes.err.console;
}

TEST(MusterOutput, TagsAndKeepsBytesAsTheyCame) {
  const OutputSpec output = muster_output({.tag = true, .timestamp = true, .logs = "/d"});
  EXPECT_EQ(shown(output.prefix), "%u [%W:%0r] ");
  EXPECT_EQ(shown(output.out_file), "/d/%W/rank.%0r/stdout");
  EXPECT_EQ(shown(output.err_file), "/d/%W/rank.%0r/stderr");
  EXPECT_FALSE(output.prefix_in_files);
  EXPECT_FALSE(silent(output));
  EXPECT_EQ(muster_output({}), OutputSpec());
}

TEST(MusterOutput, MayBeMergedOrInFilesAlone) {
  const OutputSpec output = muster_output({.logs = "/d", .logs_only = true, .merge = true});
  EXPECT_EQ(output.err_file, output.out_file);
  EXPECT_TRUE(output.merge);
  EXPECT_TRUE(silent(output));
}

TEST(OpenMpiOutput, OfFour) {
  EXPECT_EQ(shown(open_mpi_output({.tag = Tag::job_and_rank}).prefix), "[%w,%r]<%s>:");
  EXPECT_EQ(shown(open_mpi_output({.timestamp = true}).prefix), "%t<%s>:");
  EXPECT_EQ(shown(open_mpi_output({.tag = Tag::job_and_rank, .timestamp = true}).prefix),
            "%t[%w,%r]<%s>:");
  const OutputSpec kept = open_mpi_output({.merge_files = true, .folder = "/d"});
  EXPECT_EQ(shown(kept.out_file), "/d/%w/rank.%Nr/stdout");
  EXPECT_EQ(kept.err_file, kept.out_file);
  EXPECT_FALSE(kept.merge) << "the console is as without it";
  EXPECT_TRUE(kept.prefix_in_files);
  EXPECT_EQ(shown(open_mpi_output({.folder = "/d", .job_folder = false}).err_file),
            "/d/rank.%Nr/stderr");
  EXPECT_TRUE(silent(open_mpi_output({.folder = "/d", .copy = false})));
  EXPECT_FALSE(silent(open_mpi_output({.copy = false}))) << "nothing would be left";
}

TEST(OpenMpiOutput, OfFive) {
  EXPECT_EQ(shown(open_mpi_output({.tag = Tag::job_and_rank, .of_five = true}).prefix),
            "[%w,%r]<%s>: ");
  EXPECT_EQ(shown(open_mpi_output({.tag = Tag::rank, .timestamp = true, .of_five = true}).prefix),
            "[%t][%r]<%s>: ");
  EXPECT_EQ(shown(open_mpi_output({.tag = Tag::with_host, .of_five = true}).prefix),
            "[%w,%r][%h]<%s>: ");
  EXPECT_EQ(shown(open_mpi_output({.file = "/f"}).out_file), "/f.%w.%Nr.out");
  EXPECT_EQ(shown(open_mpi_output({.file = "/f", .pattern = true}).err_file), "/f.err");
  EXPECT_EQ(shown(open_mpi_output({.merge = true, .file = "/f"}).err_file), "/f.%w.%Nr.out");
}

TEST(HydraOutput, HasPatterns) {
  EXPECT_EQ(hydra_output({}), OutputSpec{.prefix_in_files = true});
  EXPECT_EQ(shown(hydra_output({.prepend_rank = true})->prefix), "[%r] ");
  EXPECT_EQ(shown(hydra_output({.prepend_pattern = "%h/%g:%p%t%% "})->prefix), "%h/%g:%n0% ");
  const auto kept = hydra_output({.outfile = "/o.%r", .errfile = "/e"});
  ASSERT_TRUE(kept);
  EXPECT_EQ(shown(kept->out_file), "/o.%r");
  EXPECT_EQ(shown(kept->err_file), "/e");
  EXPECT_TRUE(silent(*kept));
  EXPECT_TRUE(hydra_output({.outfile = "/o"})->routes.err.console);
  for (const char* wrong : {"%", "a%", "%x", "%5r"}) {
    const auto refused = hydra_output({.prepend_pattern = wrong});
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().fault, base::Fault::usage);
  }
}

TEST(HydraOutput, MayBeOfOneRankOnly) {
  const auto output = hydra_output({.from = base::Rank(2)});
  ASSERT_TRUE(output);
  EXPECT_TRUE(silent(*output));
  EXPECT_TRUE(output->chosen.at(2).out.console);
  EXPECT_FALSE(output->by_local_rank);
}

TEST(TorchStreams, AreForAllOrByLocalRank) {
  EXPECT_EQ(read_torch_streams("-r", "3"), (TorchStreams{3, {}}));
  EXPECT_EQ(read_torch_streams("-r", "0:3,11:1"), (TorchStreams{0, {{0, 3}, {11, 1}}}));
  for (const char* wrong : {"", "4", "-1", "a", "0:", ":1", "0:4", ",", "0:1,2", "0=1"}) {
    EXPECT_FALSE(read_torch_streams("-r", wrong)) << wrong;
  }
}

TEST(TorchOutput, RedirectsGoToFilesAndTeesToBothWithAPrefix) {
  const OutputSpec output =
      torchrun_output({.folder = "/l/none_x", .redirects = {1, {{1, 0}}}, .tee = {0, {{2, 2}}}});
  EXPECT_EQ(shown(output.prefix), "[%R%l]:");
  EXPECT_EQ(shown(output.out_file), "/l/none_x%_n/attempt_%a/%l/%s.log");
  EXPECT_EQ(output.err_file, output.out_file);
  EXPECT_FALSE(output.prefix_in_files);
  EXPECT_TRUE(output.by_local_rank);
  EXPECT_EQ(output.routes.out, (model::Route{.console = false, .prefix = false, .file = true}));
  EXPECT_EQ(output.routes.err, (model::Route{.console = true, .prefix = false, .file = false}));
  EXPECT_EQ(output.chosen.at(1).out,
            (model::Route{.console = true, .prefix = false, .file = false}));
  EXPECT_EQ(output.chosen.at(2).err, (model::Route{.console = true, .prefix = true, .file = true}));
}

TEST(TorchOutput, TheFilterSilencesAllOthers) {
  const OutputSpec output =
      torchrun_output({.folder = "/l", .tee = {3, {}}, .local_ranks_filter = {1}});
  EXPECT_EQ(output.routes.out, (model::Route{.console = false, .prefix = true, .file = true}));
  EXPECT_TRUE(output.chosen.at(1).out.console);
  EXPECT_TRUE(silent(torchrun_output({.local_ranks_filter = {1}})));
}

TEST(HorovodOutput, IsItsOwnOrThatOfMpirun) {
  const OutputSpec output = horovod_output({.folder = "/d", .timestamp = true});
  EXPECT_EQ(shown(output.prefix), "%t[%r]<%s>:");
  EXPECT_EQ(shown(output.err_file), "/d/rank.%0r/%s");
  EXPECT_TRUE(output.prefix_in_files);
  const OutputSpec mpi = horovod_output({.folder = "/d", .as_mpi = true});
  EXPECT_EQ(shown(mpi.prefix), "[%w,%r]<%s>:");
  EXPECT_EQ(shown(mpi.out_file), "/d/%w/rank.%Nr/stdout");
}

}  // namespace
}  // namespace muster::front

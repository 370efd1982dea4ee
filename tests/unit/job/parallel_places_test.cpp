// Steps that may run at the same time do not write to the same place.
#include <fmt/format.h>

#include "unit/job/drawn.hpp"

namespace muster::job {
namespace {

// Two steps, the second one with more words, and the paths of their outputs.
Texts complaints(const std::string& first, const std::string& second,
                 const std::string& more = "") {
  return graph({{"p.yml", fmt::format(R"(
type: pipeline
jobs:
  a: {{command: x, outputs: {{o: {{path: {}}}}}}}
  b: {{command: x, outputs: {{p: {{path: {}}}}}{}}}
)",
                                      first, second, more)}})
      .complaints;
}

TEST(ParallelPlaces, TheSameOneIsTold) {
  EXPECT_EQ(
      complaints("./out", "out/"),
      Texts{"p.yml:5:29: the steps b and a may run at the same time, and write to the same "
            "path, /base/out (a: p.yml:4:29)\n  hint: use another path, make one step's output "
            "an input of the other, or say overwrite: true of both"});
}

TEST(ParallelPlaces, OneInTheOtherIsTheSame) {
  EXPECT_NE(complaints("out", "out/x/y").at(0).find("write to /base/out/x/y and /base/out (a: "),
            std::string::npos);
  EXPECT_NE(complaints("/else/out/x", "/else/out").at(0).find("/else/out and /else/out/x (a: "),
            std::string::npos);
  EXPECT_EQ(complaints("out", "../base/./out/x").size(), 1U);
  EXPECT_EQ(complaints("out", "out-b"), Texts{});
  EXPECT_EQ(complaints("out/a", "out/b"), Texts{});
}

// However a path is spelled.
TEST(ParallelPlaces, DotsAndSlashesMakeNoOther) {
  for (const char* path : {"/a/", "/a/.", "//a", "/a//", "/x/../a", "/../a", "/x/../../a/./"}) {
    const Texts told = complaints("/a", path);
    ASSERT_EQ(told.size(), 1U) << path;
    EXPECT_NE(told[0].find("write to the same path, /a ("), std::string::npos) << told[0];
  }
  EXPECT_EQ(complaints("/a", "/a/../b"), Texts{});
  EXPECT_EQ(complaints("/a", "/a..").size() + complaints("/a", "/.a").size(), 0U);
}

TEST(ParallelPlaces, StepsThatWaitForOneAnotherMayShareOne) {
  EXPECT_EQ(complaints("out", "out/x", ", inputs: {i: \"${{parent.jobs.a.outputs.o}}\"}"), Texts{});
  const Files files = {{"p.yml", R"(
type: pipeline
jobs:
  a: {command: x, outputs: {o: {path: out}, between: }}
  c: {command: x, inputs: {i: "${{parent.jobs.b.outputs.o}}"}, outputs: {o: {path: out/c}}}
  b: {command: x, inputs: {i: "${{parent.jobs.a.outputs.between}}"}, outputs: {o: }}
)"}};
  EXPECT_EQ(graph(files).complaints, Texts{});
}

TEST(ParallelPlaces, OfTwoBranchesOneIsTaken) {
  const Files files = {{"p.yml", R"(
type: pipeline
jobs:
  says: {command: x, outputs: {yes: {type: boolean, is_control: true}}}
  choice: {type: if_else, condition: "${{parent.jobs.says.outputs.yes}}", true_block: a,
           false_block: b}
  a: {command: x, outputs: {o: {path: out}}}
  b: {command: x, outputs: {o: {path: out}}}
  c: {command: x, outputs: {o: {path: out}}}
)"}};
  const Texts told = graph(files).complaints;
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find(": the steps c and b "), std::string::npos) << told[0];
}

TEST(ParallelPlaces, OfWhatFollowsTwoBranchesOneIsRun) {
  const auto told = [](const std::string& input) {
    return graph({{"p.yml", R"(
type: pipeline
jobs:
  says: {command: x, outputs: {yes: {type: boolean, is_control: true}}}
  choice: {type: if_else, condition: "${{parent.jobs.says.outputs.yes}}", true_block: a,
           false_block: b}
  a: {command: x, outputs: {o: }}
  b: {command: x, outputs: {o: }}
  d: {command: x, inputs: {i: "${{parent.jobs.a.outputs.o}}"}, outputs: {o: {path: out}}}
  e: {command: x, inputs: {i: "${{parent.jobs.)" +
                                input + R"(}}"}, outputs: {o: {path: out/e}}}
)"}}).complaints;
  };
  EXPECT_EQ(told("b.outputs.o"), Texts{});
  EXPECT_EQ(told("says.outputs.yes").size(), 1U);
}

TEST(ParallelPlaces, TheUserMayMeanIt) {
  const auto said = [](const char* first, const char* second) {
    return graph({{"p.yml", fmt::format(R"(
type: pipeline
jobs:
  a: {{command: x, outputs: {{o: {{path: out, overwrite: {}}}}}}}
  b: {{command: x, outputs: {{o: {{path: out/b, overwrite: {}}}}}}}
)",
                                        first, second)}})
        .complaints.size();
  };
  EXPECT_EQ(said("true", "true"), 0U);
  EXPECT_EQ(said("true", "false"), 1U);
}

TEST(ParallelPlaces, OfEachItemsStepItIsTheSame) {
  const Texts items = graph({{"p.yml", R"(
type: pipeline
jobs:
  each: {command: "x ${{inputs.i}}", inputs: {i: 1}, outputs: {o: {path: out}}}
  loop: {type: parallel_for, body: each, items: [{i: 1}, {i: 2}]}
)"}}).complaints;
  ASSERT_EQ(items.size(), 1U);
  EXPECT_NE(items[0].find("the steps each.1 and each.0 "), std::string::npos) << items[0];
}

TEST(ParallelPlaces, EachStepMayHaveItsOwnByItsName) {
  EXPECT_EQ(complaints("'./${{name}}'", "'./${{name}}'"), Texts{});
}

}  // namespace
}  // namespace muster::job

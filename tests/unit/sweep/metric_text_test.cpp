// Metrics as text: lines of MLflow's files, lines of the output, and files that grow.
#include "sweep/metric_text.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace muster::sweep {
namespace {

TEST(MetricText, LinesOfMlflowsFiles) {
  EXPECT_EQ(report_of("1700000000000 0.25 3"), (Report{1700000000000, 0.25, 3}));
  EXPECT_EQ(report_of("1700000000000 1e-05 -1\r"), (Report{1700000000000, 1e-5, -1}));
  EXPECT_EQ(report_of("1700000000000 2"), (Report{1700000000000, 2, 0}));  // of old versions
  EXPECT_TRUE(std::isnan(report_of("1 nan 0")->value));
  EXPECT_EQ(report_of("1 -inf 0")->value, -INFINITY);
  EXPECT_EQ(report_of("1 1e999 0")->value, INFINITY);
  EXPECT_EQ(report_of("1 1e-999 0")->value, 0);
  for (const char* line : {"", "1", "1 x 2", "x 1 2", "1 2 3 4", "1 2 3.5", "1.5 2 3"}) {
    EXPECT_EQ(report_of(line), std::nullopt) << line;
  }
}

TEST(MetricText, LinesOfTheOutput) {
  EXPECT_EQ(printed_value("loss=0.5", "loss"), 0.5);
  EXPECT_EQ(printed_value("  val/acc = +0.75 ", "val/acc"), 0.75);
  EXPECT_EQ(printed_value("loss=0.5", "los"), std::nullopt);
  EXPECT_EQ(printed_value("my loss=0.5", "loss"), std::nullopt);
  EXPECT_EQ(printed_value("loss=0.5 acc=1", "loss"), std::nullopt);
  EXPECT_EQ(printed_value("loss=", "loss"), std::nullopt);
  EXPECT_EQ(printed_value("loss 0.5", "loss"), std::nullopt);
}

TEST(MetricText, NamesLeadNowhereElse) {
  for (const char* name :
       {"loss", "val/loss", "a b", "test-multi_logloss", "a.b:c", "...", "größe"}) {
    EXPECT_TRUE(is_metric_name(name)) << name;
  }
  for (const char* name : {"", "/loss", "loss/", "a//b", "../loss", "a/../b", ".", "a\nb", "a=b"}) {
    EXPECT_FALSE(is_metric_name(name)) << name;
  }
  EXPECT_FALSE(is_metric_name(std::string(300, 'a')));
}

TEST(MetricText, AFolderAsAUri) {
  EXPECT_EQ(file_uri("/home/me/runs-1_a.b~c"), "file:///home/me/runs-1_a.b~c");
  EXPECT_EQ(file_uri("/a b/#1?x=%41/é;p"), "file:///a%20b/%231%3Fx%3D%2541/%C3%A9%3Bp");
}

TEST(MetricText, AFileThatGrowsIsReadByLines) {
  GrowingLines lines;
  EXPECT_EQ(lines.feed("1 0."), std::vector<std::string>{});
  EXPECT_EQ(lines.feed("5 0\n2 0.6 1\n3"), (std::vector<std::string>{"1 0.5 0", "2 0.6 1"}));
  EXPECT_EQ(lines.feed(" 1 2\n"), (std::vector<std::string>{"3 1 2"}));
  EXPECT_EQ(lines.feed(std::string(10'000, 'x')), std::vector<std::string>{});
  EXPECT_EQ(lines.feed("x\n4 1 2\n"), (std::vector<std::string>{"4 1 2"}));
  EXPECT_EQ(lines.feed("5 1"), std::vector<std::string>{});
  EXPECT_EQ(lines.rest(), "5 1");
  EXPECT_EQ(lines.rest(), "");
}

}  // namespace
}  // namespace muster::sweep

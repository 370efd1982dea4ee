// What an errand on another host has failed at is muster's own failure.
#include "cli/errand.hpp"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

model::RunReport errand_ended(std::int32_t code, std::int32_t signal,
                              std::vector<std::string> tail) {
  model::RunReport report;
  report.cause = model::Cause::rank_failed;
  report.first.code = code;
  report.first.signal = signal;
  report.host = "node2";
  report.tail = std::move(tail);
  return report;
}

TEST(Errand, IsToldAsWhatItSays) {
  const auto report = as_muster_has_failed(errand_ended(
      248, 0, {"muster: error: cannot write to /x/blobs: No space left on device", "  hint: rm"}));
  EXPECT_EQ(report.cause, model::Cause::fault);
  EXPECT_EQ(report.error, (base::Error{base::Fault::output,
                                       "node2: cannot write to /x/blobs: No space left on device",
                                       "rm",
                                       {}}));
  EXPECT_EQ(report.exit_code(), 248);
  EXPECT_EQ(report.code_from(), model::CodeFrom::muster);
}

TEST(Errand, ThatSaysNothingIsLost) {
  const auto killed = as_muster_has_failed(errand_ended(0, 9, {}));
  EXPECT_EQ(killed.error.what, "node2: muster's errand there ended with code 137");
  EXPECT_EQ(killed.exit_code(), 245);
  EXPECT_EQ(as_muster_has_failed(errand_ended(1, 0, {"x"})).exit_code(), 245);
}

TEST(Errand, ThatWentWellStaysSo) {
  EXPECT_EQ(as_muster_has_failed({}).cause, model::Cause::completed);
}

}  // namespace
}  // namespace muster::cli

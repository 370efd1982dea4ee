// What people read when a job fails: one golden text per kind of failure.
#include <csignal>
#include <gtest/gtest.h>

#include "golden/golden.hpp"
#include "view/report.hpp"

namespace muster::golden {
namespace {

using base::Rank;
using model::Cause;
using model::RankExit;
using model::RunReport;

// Rank 3 of 8 fails on node2, and muster ends the other seven.
[[nodiscard]] RunReport failure(RankExit first, std::vector<std::string> tail) {
  RunReport report;
  report.cause = Cause::rank_failed;
  first.pid = 4242;
  report.first = first;
  report.host = "node2";
  report.tail = std::move(tail);
  report.world_size = 8;
  report.ended = 7;
  report.grace = std::chrono::seconds(5);
  return report;
}

void expect_report(const std::string& name, const RunReport& report) {
  expect_golden("view/report_" + name + ".txt", view::report(report, {}));
}

TEST(ViewReport, RanksThatTheClocksDoNotTellApart) {
  RunReport report = failure({.rank = Rank(3), .code = 4}, {"ValueError: bad shape"});
  report.together = {{{.rank = Rank(0), .code = 1}, "node1"},
                     {{.rank = Rank(5), .signal = SIGSEGV}, "node3"}};
  report.together_within = std::chrono::microseconds(3120);
  report.others = {{.rank = Rank(7), .code = 1}};
  report.others_total = 1;
  report.ended = 4;
  expect_report("together", report);
}

TEST(ViewReport, PythonException) {
  const std::vector<std::string> tail{"Traceback (most recent call last):",
                                      "  File \"train.py\", line 41, in <module>",
                                      "    main()",
                                      "  File \"train.py\", line 17, in main",
                                      "    y = model(x)",
                                      "ValueError: bad shape"};
  RunReport report = failure({.rank = Rank(3), .code = 1}, tail);
  report.killed = 1;
  expect_report("python_exception", report);
}

TEST(ViewReport, ManyRanksFailAtOnce) {
  RunReport report = failure({.rank = Rank(3), .code = 3}, {"cannot open the data set"});
  for (std::uint32_t rank = 4; rank < 12; ++rank) {
    report.others.push_back(
        {.rank = Rank(rank), .code = rank == 7 ? 0 : 3, .signal = rank == 7 ? SIGABRT : 0});
  }
  report.others_total = 62;
  report.world_size = 64;
  report.ended = 1;
  expect_report("many_ranks", report);
}

TEST(ViewReport, OutOfMemory) {
  expect_report("out_of_memory",
                failure({.rank = Rank(3), .signal = SIGKILL, .max_rss_kib = 12u << 20}, {}));
}

TEST(ViewReport, FullDisk) {
  expect_report("full_disk",
                failure({.rank = Rank(3), .code = 1},
                        {"saving the model", "OSError: [Errno 28] No space left on device"}));
}

TEST(ViewReport, InvalidMemoryReference) {
  expect_report("invalid_memory",
                failure({.rank = Rank(3), .signal = SIGSEGV, .core_dumped = true}, {}));
}

TEST(ViewReport, CppException) {
  expect_report("cpp_exception",
                failure({.rank = Rank(3), .signal = SIGABRT},
                        {"terminate called after throwing an instance of 'std::runtime_error'",
                         "  what():  mesh has no cells"}));
}

TEST(ViewReport, CommandNotFoundInAShell) {
  expect_report("not_found", failure({.rank = Rank(3), .code = 127},
                                     {"job.sh: line 3: pyhton3: command not found"}));
}

TEST(ViewReport, HostLost) {
  RunReport report;
  report.cause = Cause::fault;
  report.host = "node2";
  report.error = {base::Fault::lost, "no sign of life for 8 s", "is the host up: ping node2", {}};
  report.world_size = 8;
  report.ended = 4;
  report.warnings = {"pid 4242 (python3) may still run on node2"};
  expect_report("host_lost", report);
}

TEST(ViewReport, Interrupted) {
  RunReport report;
  report.cause = Cause::interrupted;
  report.signal = SIGINT;
  report.world_size = 8;
  report.ended = 8;
  expect_report("interrupted", report);
}

}  // namespace
}  // namespace muster::golden

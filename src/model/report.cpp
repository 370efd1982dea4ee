// The exit code of a run, from its report.
#include "model/report.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"

namespace muster::model {

namespace {

constexpr int kOpenMpiTimeout = 110;      // ETIMEDOUT
constexpr int kOpenMpiCannotStart = 134;  // what its mpirun gives for a program that is not on PATH
constexpr int kHydraFault = 255;

int of_muster(const RunReport& report) {
  switch (report.cause) {
    case Cause::completed:
      return 0;
    case Cause::rank_failed:
      if (report.aborted) return report.first.exit_code();
      return std::max(report.first.exit_code(), report.worst);
    case Cause::fault:
      return base::exit_code(report.error.fault);
    case Cause::interrupted:
      return 128 + report.signal;
  }
  CHECK(false);
}

int of_open_mpi(const RunReport& report) {
  if (report.cause == Cause::rank_failed) return of_muster(report);
  if (report.cause == Cause::interrupted) return 1;
  if (report.error.fault == base::Fault::timeout) return kOpenMpiTimeout;
  return report.error.fault == base::Fault::cannot_start ? kOpenMpiCannotStart : 1;
}

int of_hydra(const RunReport& report) {
  if (report.cause == Cause::interrupted) return report.signal;
  if (report.cause == Cause::fault) return kHydraFault;
  return report.aborted ? report.first.code : report.codes;
}

}  // namespace

int RunReport::exit_code() const {
  if (cause == Cause::completed) return 0;
  switch (style) {
    case ExitStyle::muster:
      return of_muster(*this);
    case ExitStyle::open_mpi:
      return of_open_mpi(*this);
    case ExitStyle::hydra:
      return of_hydra(*this);
    case ExitStyle::torch:
      return 1;
  }
  CHECK(false);
}

std::string_view word(CodeFrom from) {
  constexpr std::array<std::string_view, 4> kOrigins = {"", "rank", "muster", "signal"};
  return kOrigins[static_cast<std::size_t>(from)];
}

CodeFrom RunReport::code_from() const {
  if (exit_code() == 0) return CodeFrom::nobody;
  const bool is_fixed =
      style == ExitStyle::torch || (style == ExitStyle::open_mpi && cause != Cause::rank_failed);
  if (is_fixed || cause == Cause::fault) return CodeFrom::muster;
  return cause == Cause::rank_failed ? CodeFrom::rank : CodeFrom::signal;
}

}  // namespace muster::model

// Prints what became of a run, and writes it to the file that the muster around has named.
#include "cli/tell.hpp"

#include <unistd.h>

#include "base/variables.hpp"
#include "cli/speak.hpp"
#include "host/report_file.hpp"
#include "process/unique_fd.hpp"
#include "view/report.hpp"
#include "wire/messages.hpp"

namespace muster::cli {

int tell(const model::RunReport& report, const Invocation& invocation, bool shows_errors) {
  const view::Style style = style_for(STDERR_FILENO);
  const bool is_known = invocation.is_step && report.cause == model::Cause::interrupted;
  const bool told =
      is_known || say(shows_errors ? view::untold(report, style) : view::report(report, style));
  const int code = first_code(report.exit_code(), told ? 0 : base::exit_code(base::Fault::output));
  tell_around(invocation, {code, false, code == 0 ? "" : view::report(report, {})});
  return code;
}

int refuse(const base::Error& error, int code, const Invocation& invocation) {
  const int own = complain(error);
  if (code == 0) code = own;
  tell_around(invocation, {code, false, view::error(error, {})});
  return code;
}

void tell_withheld(const std::vector<plan::Withheld>& withheld) {
  for (const plan::Withheld& one : withheld) {
    note(fmt::format("not passed on: {} ({})", one.name, one.why));
  }
}

void tell_around(const Invocation& invocation, const view::InnerReport& report) {
  const process::UniqueFd file =
      host::open_report_file(base::value_of(invocation.environment, host::kReportFile));
  // What an earlier one has told holds no more.
  if (!file || ::ftruncate(file.get(), 0) != 0 || report.words.empty()) return;
  std::string text = view::to_text(report);
  if (text.size() > wire::kErrorFileMax) text.resize(wire::kErrorFileMax);
  // Whoever cannot be told here hears of it by the exit code.
  (void)!::write(file.get(), text.data(), text.size());
}

}  // namespace muster::cli

// tell: reports how a run ended, to the user and to the muster in whose rank this one was called.
#pragma once

#include "cli/cli.hpp"
#include "model/report.hpp"
#include "plan/environment.hpp"
#include "view/inner_report.hpp"

namespace muster::cli {

// Prints the report to stderr and returns its exit code; 248 when that of a good run could not be
// printed. `shows_errors`: the ranks' stderr stood there as well. Of a step that its pipeline has
// interrupted, nothing is printed.
int tell(const model::RunReport& report, const Invocation& invocation, bool shows_errors);

// Bad input: nothing has been started. Returns `code`, or the error's own where that is 0.
int refuse(const base::Error& error, int code, const Invocation& invocation);

// What of the launching shell the ranks do not get.
void tell_withheld(const std::vector<plan::Withheld>& withheld);

// Hands the report to the muster around this one, if there is one; it stands for the rank's failure
// unless another launcher is called there, and ends well.
void tell_around(const Invocation& invocation, const view::InnerReport& report);

}  // namespace muster::cli

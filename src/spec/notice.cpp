// Reads notices of the time limit.
#include "spec/notice.hpp"

#include <charconv>
#include <csignal>

#include "base/signal_names.hpp"
#include "spec/in_quotes.hpp"
#include "spec/limits.hpp"

namespace muster::spec {
namespace {

using base::fail;
using base::Fault;
using base::Result;

constexpr const char* kExample = "for example USR1@60: SIGUSR1, 60 seconds before the time limit";

std::optional<base::Duration> read_before(std::string_view text) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seconds, std::chars_format::fixed);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  const double most = std::chrono::duration<double>(kTimeout.most).count();
  if (!(seconds >= 0.001 && seconds <= most)) return std::nullopt;
  return base::Duration(static_cast<base::Duration::rep>(seconds * 1000));
}

double as_seconds(base::Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

Result<model::Notice> read_notice(std::string_view text) {
  const std::size_t at = text.find('@');
  const auto number = base::signal_number(text.substr(0, at));
  const auto before =
      at == std::string_view::npos ? std::nullopt : read_before(text.substr(at + 1));
  if (!number || !before) {
    return fail(Fault::usage, kExample, "must be SIGNAL@SECONDS, not {}", in_quotes(text));
  }
  if (*number == SIGKILL || *number == SIGSTOP) {
    return fail(Fault::usage, kExample, "must be a signal that programs can catch, not {}",
                base::signal_name(*number));
  }
  return model::Notice{*number, *before};
}

Result<void> check_notice(const std::optional<model::Notice>& notice,
                          const std::optional<base::Duration>& timeout) {
  if (!notice) return {};
  if (!timeout) {
    return fail(Fault::usage, "a notice comes before the end that a time limit sets",
                "there is no time limit of which to give notice");
  }
  if (notice->before < *timeout) return {};
  return fail(Fault::usage, "give notice later, or more time",
              "notice {:g} s before the end of {:g} s would come before the start",
              as_seconds(notice->before), as_seconds(*timeout));
}

}  // namespace muster::spec

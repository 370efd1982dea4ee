// Writes and reads the file of a launcher's report.
#include "view/inner_report.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace muster::view {
namespace {

constexpr std::string_view kHead = "muster-report 1 ";
constexpr std::string_view kElsewhere = " elsewhere";

std::optional<InnerReport> read_inner(std::string_view text) {
  if (!text.starts_with(kHead)) return std::nullopt;
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view said = text.substr(kHead.size(), end - kHead.size());
  InnerReport report;
  const auto [rest, wrong] = std::from_chars(said.data(), said.data() + said.size(), report.code);
  if (wrong != std::errc()) return std::nullopt;
  report.elsewhere = std::string_view(rest, said.data() + said.size()) == kElsewhere;
  report.words = text.substr(std::min(end + 1, text.size()));
  return report;
}

}  // namespace

std::string to_text(const InnerReport& report) {
  return fmt::format("{}{}{}\n{}", kHead, report.code, report.elsewhere ? kElsewhere : "",
                     report.words);
}

std::optional<InnerReport> inner_report(const model::RunReport& report) {
  if (report.cause != model::Cause::rank_failed || report.aborted) return std::nullopt;
  auto inner = read_inner(report.error_file);
  if (!inner || inner->words.empty() || report.first.signal != 0) return std::nullopt;
  if (inner->code != report.first.code) return std::nullopt;
  return inner;
}

bool was_told(const InnerReport& inner, const model::RunReport& report) {
  if (inner.elsewhere) return true;
  std::string_view words = inner.words;
  if (words.ends_with('\n')) words.remove_suffix(1);
  const std::string_view last = words.substr(words.rfind('\n') + 1);
  return std::ranges::find(report.tail, last) != report.tail.end();
}

}  // namespace muster::view

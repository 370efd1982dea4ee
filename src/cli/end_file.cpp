// Writes and reads the end file.
#include "cli/end_file.hpp"

#include <algorithm>
#include <unistd.h>

#include "base/variables.hpp"
#include "process/output_file.hpp"
#include "process/write_all.hpp"
#include "store/files.hpp"
#include "store/reader.hpp"
#include "view/record_json.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

constexpr std::size_t kEndMax = 4000;

}  // namespace

std::string end_text(const model::RunRecord& record, const std::string& report) {
  model::RunRecord shown = record;
  std::string first = view::run_ended_line(shown);
  constexpr std::size_t kCauseMax = 1000;
  if (first.size() > kEndMax / 2) {
    shown.cause = view::utf8(shown.cause.substr(0, kCauseMax)) + "...";
    first = view::run_ended_line(shown);
  }
  const std::size_t room = kEndMax - std::min(first.size(), kEndMax);
  if (report.size() <= room) return first + report;
  return first + view::utf8(report.substr(0, room));
}

// Into the file that is there: it is mounted, and can be neither replaced nor made.
void write_end_file(const std::string& folder, const std::vector<std::string>& environment) {
  const bool is_asked = base::value_of(environment, kEndFile) == kMessageFile;
  if (!is_asked || ::access(kMessageFile, F_OK) != 0 || !store::is_finished(folder)) return;
  const auto record = store::read_record(folder);
  if (!record) return;
  const std::string report = store::read_file(folder + "/report.txt").value_or("");
  const process::UniqueFd file = process::open_output(kMessageFile, process::NamedBy::muster);
  // Whoever cannot be told here hears of it by the exit code.
  if (file) (void)process::write_all(file.get(), end_text(*record, report));
}

std::optional<EndText> read_end_text(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  auto ending = view::ending_of(text.substr(0, end + 1));
  if (!ending) return std::nullopt;
  return EndText{std::move(*ending), std::string(text.substr(end + 1))};
}

}  // namespace muster::cli

// Copies, then says what was left out.
#include "cli/copy_written.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "blobs/copy_tree.hpp"
#include "cli/heard_meanwhile.hpp"
#include "cli/left_behind.hpp"
#include "cli/speak.hpp"
#include "process/signal_mask.hpp"

namespace muster::cli {

namespace {

base::Result<void> copy(const std::string& from, const std::string& to, const std::string& place) {
  const blobs::Copied copied = blobs::copy_tree(from, to);
  if (copied.why != 0) return tl::unexpected(cannot_copy(copied, place));
  const LeftBehind::Part left = left_behind(copied.left_out).others;
  if (left.count == 0) return {};
  if (copied.left_out.front().path.empty()) {
    return base::fail(base::Fault::output, "", "{} is {}, not a file or a folder", from,
                      copied.left_out.front().why);
  }
  warn(fmt::format("not copied from {}: {}", from, left.words()));
  return {};
}

}  // namespace

base::Result<void> copy_written(const std::string& from, const std::string& to,
                                const std::string& place) {
  auto copied = heard_meanwhile([&] { return copy(from, to, place); }, Unfinished::is_ended);
  if (!copied && process::waiting_signal() != 0) remove_meanwhile(to);
  return copied;
}

void remove_meanwhile(const std::string& path) {
  const auto remove = [&]() -> base::Result<void> {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
    return {};
  };
  (void)heard_meanwhile(remove, Unfinished::goes_on);
}

}  // namespace muster::cli

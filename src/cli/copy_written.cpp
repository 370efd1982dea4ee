// Copies, then says what was left out.
#include "cli/copy_written.hpp"

#include <fmt/format.h>

#include "cli/left_behind.hpp"
#include "cli/speak.hpp"
#include "process/heard_meanwhile.hpp"
#include "process/signal_mask.hpp"

namespace muster::cli {

namespace {

base::Result<void> copy(const std::string& from, const std::string& to, const std::string& place,
                        blobs::CopiedLinks links) {
  const blobs::Copied copied = blobs::copy_tree(from, to, links);
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
                                const std::string& place, blobs::CopiedLinks links) {
  auto copied = process::heard_meanwhile([&] { return copy(from, to, place, links); },
                                         process::Unfinished::is_ended);
  if (!copied && process::waiting_signal() != 0) process::remove_meanwhile(to);
  return copied;
}

}  // namespace muster::cli

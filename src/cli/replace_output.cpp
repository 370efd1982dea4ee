// Copies, and exchanges names.
#include "cli/replace_output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>

#include "blobs/files.hpp"
#include "cli/code.hpp"
#include "cli/copy_written.hpp"
#include "probe/random.hpp"
#include "process/heard_meanwhile.hpp"
#include "process/output_file.hpp"
#include "process/own_streams.hpp"
#include "process/signal_mask.hpp"
#include "store/folder.hpp"
#include "store/placed.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Result;

tl::unexpected<base::Error> failed(const std::string& why) {
  return base::fail(base::Fault::output, "", "{}", why);
}

bool is_around(const fs::path& folder, const fs::path& path) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

// Whether nothing lies in it but the output: neither the record nor the folder of the user.
bool may_go(const fs::path& place, const std::string& record) {
  std::error_code wrong;
  const fs::path here = fs::current_path(wrong);
  return !is_around(place, fs::weakly_canonical(record, wrong)) && !is_around(place, here);
}

// Two names change places, so that one of them is always there; file systems that cannot do that
// have none for a moment. Returns where the old one is.
Result<std::string> take_name(const std::string& fresh, const std::string& to) {
  const char* const both[] = {fresh.c_str(), to.c_str()};
  if (::renameat2(AT_FDCWD, both[0], AT_FDCWD, both[1], RENAME_NOREPLACE) == 0) return "";
  if (::renameat2(AT_FDCWD, both[0], AT_FDCWD, both[1], RENAME_EXCHANGE) == 0) return fresh;
  std::string old = fresh + ".old";
  if (::rename(to.c_str(), old.c_str()) != 0 && errno != ENOENT) {
    return failed(std::strerror(errno));
  }
  if (::rename(fresh.c_str(), to.c_str()) != 0) return failed(std::strerror(errno));
  return old;
}

// Away from `place`: removed if muster has put it there, else it keeps a name beside it.
Result<std::string> put_away(const std::string& old, bool is_ours, const fs::path& place,
                             const std::string& record) {
  if (old.empty()) return "";
  if (is_ours) {
    process::remove_meanwhile(old);
    return "";
  }
  const std::string run = store::run_of(record);
  std::string kept = fmt::format("{}.before-{}", place.string(), run.substr(0, run.find('/')));
  if (::renameat2(AT_FDCWD, old.c_str(), AT_FDCWD, kept.c_str(), RENAME_NOREPLACE) == 0)
    return kept;
  return old;  // under the name that it has got
}

// A stream of the caller, such as /dev/stdout, a device, a FIFO, or what this process prints to:
// whoever reads it has it open, and its name must not become another file's.
bool is_written_into(const std::string& to, const fs::path& place) {
  std::error_code wrong;
  if (process::descriptor_named(to)) return true;
  const fs::file_status found = fs::status(place, wrong);
  return fs::exists(found) && !fs::is_directory(found) && !process::may_be_replaced(place);
}

Result<std::string> write_into(const std::string& from, const std::string& to) {
  const process::UniqueFd source = blobs::open_regular(from);
  if (!source) return failed(fmt::format("cannot write {}: the output is not a file", to));
  const process::UniqueFd file = process::open_output(to, process::NamedBy::user);
  if (file && blobs::send_file(source.get(), file.get(), process::no_signal_waits)) return "";
  return failed(fmt::format("cannot write {}: {}", to, process::output_trouble(errno)));
}

}  // namespace

Result<std::string> replace_output(const std::string& from, const std::string& to,
                                   const std::string& record) {
  std::error_code wrong;
  if (!fs::exists(from, wrong)) return "";
  fs::path place = fs::weakly_canonical(to, wrong);  // where links lead
  if (!place.has_filename()) place = place.parent_path();
  if (is_written_into(to, place)) return write_into(from, to);
  if (!may_go(place, record))
    return failed(to + " holds more than the output, and is not replaced");
  fs::create_directories(place.parent_path(), wrong);
  if (wrong)
    return failed(fmt::format("cannot make {}: {}", place.parent_path().string(), wrong.message()));
  const std::string hidden = "." + place.filename().string() + "." + probe::random_digits(8);
  const std::string fresh = place.parent_path() / hidden;
  if (auto copied = copy_written(from, fresh, place); !copied) {
    return tl::unexpected(copied.error());
  }
  const store::Placed placed(records_of(record), place);
  const bool is_ours = placed.users().files.empty();
  auto old = take_name(fresh, place);
  if (!old) {
    process::remove_meanwhile(fresh);
    return old;
  }
  placed.note_all();
  return put_away(*old, is_ours, place, record);
}

}  // namespace muster::cli

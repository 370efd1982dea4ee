// Copies, and exchanges names.
#include "cli/replace_output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <system_error>

#include "probe/random.hpp"

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
// have none for a moment.
Result<void> take_name(const std::string& fresh, const std::string& to) {
  std::error_code wrong;
  const char* const both[] = {fresh.c_str(), to.c_str()};
  if (::rename(both[0], both[1]) == 0) return {};  // a file, or nothing was there
  if (::renameat2(AT_FDCWD, both[0], AT_FDCWD, both[1], RENAME_EXCHANGE) == 0) {
    fs::remove_all(fresh, wrong);
    return {};
  }
  const std::string old = fresh + ".old";
  if (::rename(to.c_str(), old.c_str()) != 0) return failed(std::strerror(errno));
  if (::rename(fresh.c_str(), to.c_str()) != 0) return failed(std::strerror(errno));
  fs::remove_all(old, wrong);
  return {};
}

}  // namespace

Result<void> replace_output(const std::string& from, const std::string& to,
                            const std::string& record) {
  std::error_code wrong;
  if (!fs::exists(from, wrong)) return {};
  fs::path place = fs::weakly_canonical(to, wrong);  // where links lead
  if (!place.has_filename()) place = place.parent_path();
  if (!may_go(place, record))
    return failed(to + " holds more than the output, and is not replaced");
  fs::create_directories(place.parent_path(), wrong);
  const std::string hidden = "." + place.filename().string() + "." + probe::random_digits(8);
  const std::string fresh = place.parent_path() / hidden;
  fs::copy(from, fresh, fs::copy_options::recursive | fs::copy_options::copy_symlinks, wrong);
  if (wrong) {
    const std::string why = wrong.message();
    fs::remove_all(fresh, wrong);
    return failed(why);
  }
  auto taken = take_name(fresh, place);
  if (!taken) fs::remove_all(fresh, wrong);
  return taken;
}

}  // namespace muster::cli

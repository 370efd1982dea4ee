// Looks at what lies there, then reads it.
#include "cli/written_value.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/stat.h>

#include "base/byte_size.hpp"
#include "blobs/survey.hpp"
#include "store/files.hpp"

namespace muster::cli {
namespace {

constexpr std::uint64_t kValueMax = 1 << 20;  // values become words of commands, which hold less

tl::unexpected<base::Error> no_value(const std::string& path, std::string_view why) {
  return base::fail(base::Fault::bad_file,
                    "write the value as text into that file; an output that is a folder has the "
                    "type uri_folder, and a file of any kind has uri_file",
                    "cannot read the value in {}: {}", path, why);
}

}  // namespace

base::Result<std::string> written_value(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return no_value(path, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) return no_value(path, "it is a folder");
  if (!S_ISREG(facts.st_mode)) {
    return no_value(path, fmt::format("it is {}", blobs::odd_kind(facts.st_mode)));
  }
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  if (size > kValueMax) {
    return no_value(path, fmt::format("it has {}, and a value may have {}", base::byte_words(size),
                                      base::byte_words(kValueMax)));
  }
  errno = 0;
  auto text = store::read_file(path, kValueMax, store::Links::followed);
  if (text) return std::move(*text);
  return no_value(path, errno == 0 ? "it changes" : std::strerror(errno));
}

}  // namespace muster::cli

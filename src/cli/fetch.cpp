// Python's own library fetches: it is wherever jobs are, and knows proxies and certificates.
#include "cli/fetch.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "base/address.hpp"
#include "base/byte_size.hpp"
#include "base/variables.hpp"
#include "blobs/blob_store.hpp"
#include "blobs/sha256.hpp"
#include "cli/byte_progress.hpp"
#include "cli/package_tools.hpp"
#include "cli/speak.hpp"
#include "job/names.hpp"
#include "process/converse.hpp"
#include "process/signal_mask.hpp"
#include "store/files.hpp"
#include "store/owner.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;

constexpr std::size_t kIndexMax = 65536;

std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string> fields;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string_view::npos; begin = end + 1) {
    end = line.find(separator, begin);
    fields.emplace_back(line.substr(begin, end - begin));
  }
  return fields;
}

std::uint64_t number_of_bytes(std::string_view text) {
  std::uint64_t number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string shown(std::string_view address) {
  return view::one_line(base::without_secrets(address));
}

// What is known of an address since the last time.
struct Known {
  std::string hash;
  std::uint64_t size = 0;
  std::string etag;
  std::string modified;
};

class Index {
 public:
  Index(const std::string& records, const std::string& address) : records_(records) {
    const std::string folder = fmt::format("{}/{}", records, kFetched);
    blobs::Sha256 key;
    key.add(address);
    path_ = folder + "/" + key.take();
    (void)::mkdir(folder.c_str(), 0700);
    is_own_ = store::own_below(records, kFetched);
  }

  // Of what others can write there nothing is believed: it says which content an address has.
  [[nodiscard]] std::optional<Known> read() const {
    if (!is_own_) {
      warn(store::not_own_below(records_, kFetched) + ", so all is fetched anew");
      return std::nullopt;
    }
    const auto text = store::read_file(path_, kIndexMax);
    const std::vector<std::string> lines = fields_of(text.value_or(""), '\n');
    constexpr std::size_t kDigits = 64;
    if (lines.size() < 4 || lines[0].size() != kDigits) return std::nullopt;
    return Known{lines[0], number_of_bytes(lines[1]), lines[2], lines[3]};
  }

  // One that cannot be written costs a fetch the next time.
  void write(const Known& known) const {
    if (!is_own_) return;
    (void)store::replace_file(
        path_, fmt::format("{}\n{}\n{}\n{}\n", known.hash, known.size, known.etag, known.modified));
  }

 private:
  static constexpr std::string_view kFetched = ".fetched";
  std::string records_;
  std::string path_;
  bool is_own_ = false;
};

class Fetch {
 public:
  Fetch(const ToFetch& what, const std::vector<std::string>& environment)
      : what_(what),
        environment_(environment),
        store_(blobs::blobs_of(what.records), process::no_signal_waits),
        index_(what.records, what.address),
        progress_("fetched") {}

  Result<Fetched> go() {
    auto held = store_.hold();
    if (!held) return tl::unexpected(std::move(held.error()));
    if (!what_.sha256.empty()) {
      const auto size = store_.size_of(what_.sha256);
      if (size) return copied({what_.sha256, *size, "", ""});
    }
    if (const auto known = index_.read(); known && store_.has(known->hash, known->size)) {
      known_ = known;
    }
    if (auto called = call(); !called) return tl::unexpected(std::move(called.error()));
    if (last_.front() == "same" && known_)
      return checked(known_->hash).and_then([&] { return copied(*known_); });
    if (last_.front() == "done" && last_.size() == 4) {
      return checked(last_[1]).and_then([&] { return kept(); });
    }
    return last_.front() == "unwritten" ? unwritten() : wrong();
  }

 private:
  Result<void> call() {
    const std::string python = python_program(environment_);
    if (python.empty()) {
      return base::fail(Fault::bad_file, "install python3 on this machine, or fetch it yourself",
                        "{} cannot be fetched: there is no Python", shown(what_.address));
    }
    std::vector<std::string> own = environment_;
    own.push_back("MUSTER_FETCH_ADDRESS=" + what_.address);
    const auto seconds = patience();
    if (!seconds) return tl::unexpected(seconds.error());
    const auto answer = process::converse(
        {.words = {python, "-I", "-c", std::string(kFetchProgram), part(),
                   known_ ? known_->etag : "", known_ ? known_->modified : "", *seconds},
         .environment = std::move(own),
         .heard = [this](std::string_view bytes) { hear(bytes); },
         .goes_on = process::no_signal_waits});
    if (!answer) return tl::unexpected(answer.error());
    if (last_.empty()) last_ = {"wrong", "", last_line(answer->err)};
    return {};
  }

  // Seconds.
  [[nodiscard]] Result<std::string> patience() const {
    const std::string said = base::value_of(environment_, kFetchTimeout);
    if (said.empty()) return "60";
    const bool is_number = said.find_first_not_of("0123456789") == std::string::npos;
    constexpr std::uint64_t kMost = 86'400;
    const std::uint64_t seconds = is_number ? number_of_bytes(said) : 0;
    if (seconds >= 1 && seconds <= kMost && said.size() < 9) return said;
    return base::fail(Fault::usage, fmt::format("for example: {}=60", kFetchTimeout),
                      "{} must be a number of seconds from 1 to {}, not {}", kFetchTimeout, kMost,
                      view::one_line(said));
  }

  [[nodiscard]] std::string part() const { return what_.file + ".part"; }

  static std::string last_line(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return view::one_line(text.substr(text.rfind('\n') + 1));
  }

  void hear(std::string_view bytes) {
    line_ += bytes;
    for (std::size_t end = line_.find('\n'); end != std::string::npos; end = line_.find('\n')) {
      take(fields_of(std::string_view(line_).substr(0, end), '\t'));
      line_.erase(0, end + 1);
    }
  }

  void take(std::vector<std::string> fields) {
    const std::string& word = fields.front();
    if (word == "size" && fields.size() == 2) size_ = number_of_bytes(fields[1]);
    if (word == "size" || (word == "got" && !is_told_)) tell();
    if (word == "got" && fields.size() == 2) progress_.show(number_of_bytes(fields[1]), size_);
    if (word == "same" || word == "done" || word == "wrong" || word == "unwritten")
      last_ = std::move(fields);
  }

  void tell() {
    is_told_ = true;
    const std::string size = size_ > 0 ? fmt::format(" ({})", base::byte_words(size_)) : "";
    note(fmt::format("fetching {}{}", shown(what_.address), size));
  }

  Result<void> checked(const std::string& hash) const {
    if (what_.sha256.empty() || what_.sha256 == hash) return {};
    std::error_code ignored;
    fs::remove(part(), ignored);
    return base::fail(
        Fault::bad_file, "correct its sha256: in muster.yml, unless somebody has tampered with it",
        "{} has the SHA-256 {}, and should have {}", shown(what_.address), hash, what_.sha256);
  }

  Result<Fetched> copied(const Known& known) {
    return store_.copy_out(known.hash, known.size, what_.file, 0644).map([&] {
      return Fetched{known.hash, known.size};
    });
  }

  Result<Fetched> kept() {
    const auto kept = store_.keep(part());
    if (!kept) return tl::unexpected(kept.error());
    std::error_code wrong;
    fs::rename(part(), what_.file, wrong);
    if (wrong || !*kept) {
      return base::fail(Fault::output, "", "cannot make {}: {}", what_.file, wrong.message());
    }
    index_.write({(*kept)->hash, (*kept)->size, last_[2], last_[3]});
    return Fetched{(*kept)->hash, (*kept)->size};
  }

  // As on a full disk.
  tl::unexpected<base::Error> unwritten() const {
    std::error_code ignored;
    fs::remove(part(), ignored);
    const std::string reason = last_.size() > 1 ? view::one_line(last_[1]) : "it is not all there";
    return base::fail(Fault::output, "", "cannot write {}: {}", what_.file, reason);
  }

  tl::unexpected<base::Error> wrong() const {
    std::error_code ignored;
    fs::remove(part(), ignored);
    const std::string status = last_.size() > 1 ? last_[1] : "";
    const std::string reason = last_.size() > 2 ? view::one_line(last_[2]) : "no answer";
    return base::fail(Fault::bad_file, hint(status, reason), "{} cannot be fetched: {}{}{}",
                      shown(what_.address), status, status.empty() ? "" : " ", reason);
  }

  // Or where none is, which a proxy may be for.
  [[nodiscard]] bool concerns_proxies(const std::string& reason) const {
    constexpr const char* kProxies[] = {"https_proxy", "HTTPS_PROXY", "http_proxy",
                                        "HTTP_PROXY",  "all_proxy",   "ALL_PROXY"};
    const bool has_proxy = std::ranges::any_of(
        kProxies, [&](const char* name) { return !base::value_of(environment_, name).empty(); });
    const auto says = [&](std::string_view words) { return reason.find(words) != reason.npos; };
    return has_proxy || says("unreachable") || says("No route") || says("name resolution");
  }

  [[nodiscard]] std::string hint(const std::string& status, const std::string& reason) const {
    if (status == "401" || status == "403") {
      return "muster has no credentials of a cloud: the address must hold what it needs; or name "
             "a copy: " +
             job::how_to_say(job::Asset::data, what_.address);
    }
    if (status == "404" || status == "410") {
      return "is the address right? Or name a copy: " +
             job::how_to_say(job::Asset::data, what_.address);
    }
    if (known_) {
      return fmt::format(
          "to take what it held before: sha256: {} beside its path: in data: of "
          "muster.yml",
          known_->hash);
    }
    if (status.empty() && reason.starts_with("its certificate is not trusted")) {
      return "SSL_CERT_FILE or CURL_CA_BUNDLE names a file with whom to trust; or name a copy: " +
             job::how_to_say(job::Asset::data, what_.address);
    }
    const bool by_proxy = status.empty() && concerns_proxies(reason);
    return (by_proxy ? "proxies are those of https_proxy, http_proxy and no_proxy; or name a copy: "
                     : "name a copy: ") +
           job::how_to_say(job::Asset::data, what_.address);
  }

  const ToFetch& what_;
  const std::vector<std::string>& environment_;
  blobs::BlobStore store_;
  Index index_;
  ByteProgress progress_;
  std::optional<Known> known_;     // whose content is here
  std::string line_;               // that has not ended yet
  std::vector<std::string> last_;  // fields of the outcome
  std::uint64_t size_ = 0;
  bool is_told_ = false;
};

}  // namespace

Result<Fetched> fetch(const ToFetch& what, const std::vector<std::string>& environment) {
  return Fetch(what, environment).go();
}

}  // namespace muster::cli

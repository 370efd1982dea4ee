// Listens to the program until it says that the hosts are gone, or ends.
#include "head/holder.hpp"

#include <algorithm>
#include <fcntl.h>
#include <utility>

namespace muster::head {
namespace {

constexpr std::size_t kSaidMax = 64u << 10;

}  // namespace

void HolderWatch::start(std::function<void(const std::string&)> gone) {
  if (holder_.says < 0) return;
  gone_ = std::move(gone);
  process::UniqueFd own(::fcntl(holder_.says, F_DUPFD_CLOEXEC, 0));
  reader_ = std::make_shared<link::ByteReader>(
      loop_, std::move(own), [this](std::string_view bytes) { hear(bytes); },
      [this] { tell("what held them has ended"); });
  reader_->start();
}

void HolderWatch::hear(std::string_view bytes) {
  said_ += bytes.substr(0, kSaidMax - std::min(kSaidMax, said_.size()));
  const std::string why = holder_.why_gone(said_);
  if (!why.empty()) tell(why);
}

void HolderWatch::tell(const std::string& why) {
  const auto gone = std::exchange(gone_, nullptr);
  if (gone) gone(why);
}

void HolderWatch::end() {
  gone_ = nullptr;
  if (reader_) reader_->close();
}

}  // namespace muster::head

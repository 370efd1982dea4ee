// The bounded store, to a blob and back.
#include "pmi/pmi_blob.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "wire/messages.hpp"

namespace muster::pmi {
namespace {

constexpr std::size_t kHeader = 3;

struct Entry {
  std::string_view key;
  std::string_view value;
};

// The entry at the start, cut off; false when there is none that is whole.
bool take(std::string_view& blob, Entry& entry) {
  if (blob.size() < kHeader) return false;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(blob[at]); };
  const std::size_t key = byte(0);
  const std::size_t value = byte(1) | static_cast<std::size_t>(byte(2)) << 8;
  if (key == 0 || key > kKeyMax || value > kValueMax) return false;
  if (blob.size() - kHeader < key + value) return false;
  entry = {blob.substr(kHeader, key), blob.substr(kHeader + key, value)};
  blob.remove_prefix(kHeader + key + value);
  return true;
}

}  // namespace

bool KeyValues::put(std::string_view key, std::string_view value) {
  if (key.empty() || key.size() > kKeyMax || value.size() > kValueMax) return false;
  const auto found = values_.find(key);
  const std::size_t gone = found == values_.end() ? 0 : kHeader + key.size() + found->second.size();
  const std::size_t bytes = bytes_ - gone + kHeader + key.size() + value.size();
  if (bytes > bytes_max_) return false;
  bytes_ = bytes;
  values_.insert_or_assign(std::string(key), std::string(value));
  return true;
}

const std::string* KeyValues::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

void KeyValues::clear() {
  values_.clear();
  bytes_ = 0;
}

void KeyValues::encode(std::string& blob) const {
  blob.reserve(blob.size() + bytes_);
  for (const auto& [key, value] : values_) {
    blob.push_back(static_cast<char>(key.size()));
    blob.push_back(static_cast<char>(value.size() & 0xff));
    blob.push_back(static_cast<char>(value.size() >> 8));
    blob.append(key).append(value);
  }
}

base::Result<void> KeyValues::decode(std::string_view blob) {
  if (blob.size() > kBlobMax)
    return base::fail(base::Fault::lost, wire::kOtherVersion,
                      "a fence brought {} bytes, above its bound of {}", blob.size(), kBlobMax);
  std::vector<Entry> entries;
  for (std::string_view rest = blob; !rest.empty();)
    if (!take(rest, entries.emplace_back()))
      return base::fail(base::Fault::lost, wire::kOtherVersion,
                        "a fence brought bytes that do not decode");
  if (bytes_ + blob.size() > bytes_max_)
    return base::fail(base::Fault::lost, "", "the ranks have put more than {} bytes over PMI",
                      bytes_max_);
  for (const Entry& entry : entries)
    if (!put(entry.key, entry.value)) return base::fail(base::Fault::internal, "", "no room");
  return {};
}

}  // namespace muster::pmi

// A bounded store of keys and values, and the blob in which a fence carries them between hosts.
//
// A blob is entries back to back: length of the key (u8), length of the value (u16, little endian),
// key, value. Two blobs in a row are a blob, so the head joins them without looking inside; of
// several entries with one key the last counts.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "pmi/pmi_values.hpp"

namespace muster::pmi {

inline constexpr std::size_t kBlobMax = 48u << 20;  // fits a control frame with room to spare

class KeyValues {
 public:
  // `bytes_max` bounds the size that encode() gives.
  explicit KeyValues(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // False when there is no room, or key or value are too long; then nothing changed.
  [[nodiscard]] bool put(std::string_view key, std::string_view value);
  [[nodiscard]] const std::string* find(std::string_view key) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void clear();

  // Appends every pair, ordered by key.
  void encode(std::string& blob) const;
  // Takes in a blob from elsewhere: all of it, or nothing and an error.
  [[nodiscard]] base::Result<void> decode(std::string_view blob);

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::size_t bytes_ = 0;
  std::size_t bytes_max_;
};

}  // namespace muster::pmi

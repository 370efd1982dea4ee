// Any bytes to the key-value store, in pieces whose size the first byte tells: an answer, and the
// same one as for all bytes at once.
#include <cstdint>
#include <string>

#include "base/check.hpp"
#include "gloo/store.hpp"

namespace {

std::string answer(std::string_view bytes, std::size_t size) {
  muster::gloo::RequestReader reader;
  for (std::size_t at = 0; at < bytes.size() && !reader.ended(); at += size) {
    reader.take(bytes.substr(at, size));
  }
  if (!reader.ended()) return {};
  muster::gloo::Store store({{"global", 2}});
  return store.answer(reader);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = answer(bytes, bytes.size() + 1);
  CHECK(whole.empty() || whole.starts_with("HTTP/1.0 "));
  // A head that is too large is noticed at another byte, but noticed all the same.
  CHECK(answer(bytes, data[0] % 64 + 1U).empty() == whole.empty());
  return 0;
}

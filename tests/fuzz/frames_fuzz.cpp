// Any bytes from a peer, in pieces the first byte chooses: messages or one error, at both ends.
#include <cstdint>

#include "base/check.hpp"
#include "wire/frame.hpp"

template <class Reader>
void read_all(std::string_view bytes, std::size_t step) {
  Reader reader;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    reader.feed(bytes.substr(at, step));
    for (auto item = reader.next(); !item || *item; item = reader.next())
      if (!item) return CHECK(!item.error().what.empty());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  read_all<muster::wire::HeadReader>(bytes, 1u + data[0]);
  read_all<muster::wire::AgentReader>(bytes, 1u + data[0]);
  return 0;
}

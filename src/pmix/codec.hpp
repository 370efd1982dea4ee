// Codec: upcalls and commands to bytes and back, for the socket between agent and server process.
//
// A frame is: length (u32, of what follows), kind (u8, the index in the variant), fields. Integers
// are little endian; text and lists have a length (u32) before them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "pmix/values.hpp"

namespace muster::pmix {

inline constexpr std::size_t kFrameMax = 256u << 20;  // a fence of thousands of ranks

void append(std::string& out, const Upcall& upcall);
void append(std::string& out, const Command& command);

// Cuts bytes into frames. Feed, then take until it is empty or an error.
template <class Value>
class Reader {
 public:
  void feed(std::string_view bytes);
  base::Result<std::optional<Value>> next();

 private:
  std::string buffer_;
  std::size_t at_ = 0;
};

extern template class Reader<Upcall>;
extern template class Reader<Command>;

}  // namespace muster::pmix

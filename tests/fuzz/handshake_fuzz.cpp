// Any bytes to either side of a meeting, in pieces the first byte chooses: words to send, one
// error, or a node that has introduced itself; and any bytes as that introduction, and as what
// tasks of a step say.
#include <algorithm>
#include <cstdint>

#include "base/check.hpp"
#include "link/handshake.hpp"
#include "link/step_tasks.hpp"

namespace {

template <class Side>
void feed(Side side, std::string_view bytes, std::size_t piece) {
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const auto step = side.take(bytes.substr(at, piece));
    if (step) continue;
    CHECK(!step.error().what.empty() && step.error().what.find('\n') == std::string::npos);
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string nonce(32, 'a');
  const std::size_t piece = 1u + data[0];
  const wire::Join own{.nodes = 2, .command = {"prog"}, .workdir = "/"};
  feed(link::HostHandshake("secret", nonce), bytes, piece);
  feed(link::GuestHandshake("secret", nonce, own), bytes, piece);
  feed(link::GuestHandshake("secret", nonce, own),
       "muster-meeting 1 " + nonce + "\n" + std::string(bytes), piece);
  const model::StepPlace place{"1.0", "a", 3, 0, false};
  const auto who = link::who_greets(place, bytes);
  CHECK(!who || (who->task >= 1 && who->task <= 2));
  const auto code = link::code_of_end(place, bytes);
  CHECK(!code || (*code >= 0 && *code <= 255));
  const auto join = wire::decode_join(bytes);
  if (join)
    CHECK((join->called || !join->command.empty()) &&
          wire::decode_join(wire::encode(*join)) == join);
  return 0;
}

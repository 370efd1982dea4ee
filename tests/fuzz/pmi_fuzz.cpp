// Any bytes from a task, in pieces the first byte chooses: requests that our world answers, or one
// error; and any bytes as the blob of a fence.
#include "../unit/pmi/naive_head.hpp"
#include "base/check.hpp"
#include "pmi/pmi_session.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster::pmi;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  PmiSession session;
  const auto send = [&](auto, const Reply& reply) { CHECK(!session.answer(reply).empty()); };
  test::NaiveHead head({PmiWorld({"kvs", 1, 1, "(vector,(0,1,1))", "", {}, {{{}, 0}}})}, send);
  for (std::size_t at = 0; at < bytes.size(); at += 1u + data[0]) {
    session.feed(bytes.substr(at, 1u + data[0]));
    auto next = session.next();
    for (; next && *next; next = session.next()) head.request(0, {}, **next);
    if (!next) CHECK(!next.error().what.empty() && head.error.empty());
  }
  KeyValues values(1u << 20);
  CHECK(values.decode(bytes) || values.bytes() == 0);
  return 0;
}

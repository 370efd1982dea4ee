// Life: lets a pending handler find out that its owner is gone.
//
// Asio's cancel() and close() do not reach a handler whose operation is complete: it is in the
// loop's queue and will be called, without an error. So whatever gives `this` to a handler has a
// Life and gives it bound to that.
#pragma once

#include <memory>
#include <utility>

namespace muster::process {

class Life {
 public:
  // The handler, which does nothing once this is over. It may be what ends it.
  template <class Handler>
  [[nodiscard]] auto bind(Handler handler) const {
    return [life = watch(), handler = std::move(handler)](auto&&... what) mutable {
      if (!life.expired()) handler(std::forward<decltype(what)>(what)...);
    };
  }
  // Expires when this is over: for whoever calls out, and may be gone when the call returns.
  [[nodiscard]] std::weak_ptr<const void> watch() const { return token_; }
  // Over before its owner is: nothing that is bound shall be heard any more.
  void end() { token_.reset(); }

 private:
  std::shared_ptr<const char> token_ = std::make_shared<const char>('\0');
};

}  // namespace muster::process

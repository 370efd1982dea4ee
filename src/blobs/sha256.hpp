// Sha256: the hash by which contents are known.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace muster::blobs {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void add(std::string_view bytes);
  // Of all that was added, as 64 lower-case hexadecimal digits; begins anew.
  [[nodiscard]] std::string take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::blobs

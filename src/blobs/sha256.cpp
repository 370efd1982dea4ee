// Nettle's.
#include "blobs/sha256.hpp"

#include <array>
#include <nettle/sha2.h>

namespace muster::blobs {

struct Sha256::State {
  sha256_ctx context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { nettle_sha256_init(&state_->context); }
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) {
  nettle_sha256_update(&state_->context, bytes.size(),
                       reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string Sha256::take() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  nettle_sha256_digest(&state_->context, digest.size(), digest.data());
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace muster::blobs

// Compares a signal with the first one.
#include "machine/end_wish.hpp"

#include <csignal>

namespace muster::machine {

bool EndWish::hear(std::int32_t number, base::Instant now) {
  if (!first_) {
    first_ = now;
    return false;
  }
  const bool may_be_passed_on = number == SIGTERM || number == SIGHUP;
  return !may_be_passed_on || now > *first_ + kOneWish;
}

void EndWish::note(base::Instant now) {
  if (!first_) first_ = now;
}

}  // namespace muster::machine

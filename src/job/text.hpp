// Text and Count: values of a file, with their places.
#pragma once

#include <cstdint>
#include <string>

#include "job/node.hpp"

namespace muster::job {

struct Text {
  std::string text;
  Mark begin;
  Mark end;
  bool quoted = false;
};

struct Count {
  std::uint32_t number = 0;
  Mark begin;
};

}  // namespace muster::job

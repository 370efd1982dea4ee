// first_few: the first of many things by name, and how many more there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace muster::view {

// "a, b, c, d, e and 3 more". `name(i)` is asked for the first `few` of `count` only.
template <class Name>
std::string first_few(std::size_t count, Name name, std::string_view between = ", ",
                      std::size_t few = 5) {
  std::string text;
  for (std::size_t i = 0; i < std::min(count, few); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : between, name(i));
  }
  if (count > few) text += fmt::format(" and {} more", count - few);
  return text;
}

}  // namespace muster::view

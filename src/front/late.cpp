// Tells what argparse refuses from what comes after it.
#include "front/late.hpp"

#include <charconv>
#include <string_view>

namespace muster::front {
namespace {

std::string_view without_sign(std::string_view word) {
  const bool is_signed = word.starts_with('-') || word.starts_with('+');
  return is_signed ? word.substr(1) : word;
}

bool is_integer(std::string_view word) {
  const std::string_view digits = without_sign(word);
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_number(std::string_view word) {
  const std::string_view digits = without_sign(word);
  double number = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  return read.ec != std::errc::invalid_argument && read.ptr == end;
}

}  // namespace

base::Error found_late(base::Error error) {
  if (error.fault == base::Fault::usage) error.fault = kRefusedLate;
  return error;
}

base::Error late_if_integer(const Typed& typed, base::Error error) {
  return is_integer(typed.value) ? found_late(std::move(error)) : error;
}

base::Error late_if_number(const Typed& typed, base::Error error) {
  return is_number(typed.value) ? found_late(std::move(error)) : error;
}

}  // namespace muster::front

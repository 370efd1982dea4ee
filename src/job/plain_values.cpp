// What YAML 1.1 makes of plain words and numbers, as far as a program would notice.
#include "job/plain_values.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/words.hpp"

namespace muster::job {
namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// Small letters, capital letters, or a capital first: `yEs` is no word.
bool has_one_case(std::string_view plain) {
  const auto rest = plain.substr(1);
  return std::ranges::none_of(rest, is_capital) || std::ranges::all_of(plain, is_capital);
}

std::optional<std::string> as_truth(std::string_view plain) {
  if (!has_one_case(plain)) return std::nullopt;
  const std::string word = base::lower(plain);
  if (word == "true" || word == "yes" || word == "on") return "True";
  if (word == "false" || word == "no" || word == "off") return "False";
  return std::nullopt;
}

// Nothing beyond 64 bits, which hardly a program takes either.
std::optional<std::uint64_t> digits_of(std::string_view digits, int base) {
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, fault] = std::from_chars(digits.data(), end, number, base);
  if (fault != std::errc() || rest != end) return std::nullopt;
  return number;
}

// 1:30 is 90, and 1:00:00 is 3600; without a colon it is a decimal number.
std::optional<std::uint64_t> of_base_60(std::string_view text) {
  const std::vector<std::string> parts = base::split(text, ":");
  const auto colons = static_cast<std::size_t>(std::ranges::count(text, ':'));
  if (parts.size() != colons + 1) return std::nullopt;
  std::uint64_t number = 0;
  for (const std::string& part : parts) {
    const std::optional<std::uint64_t> digits = digits_of(part, 10);
    const bool is_first = &part == &parts.front();
    if (!digits || (!is_first && (part.size() > 2 || *digits > 59))) return std::nullopt;
    if (number > UINT32_MAX) return std::nullopt;
    number = number * 60 + *digits;
  }
  return number;
}

// As Python prints it: 1:30.50 is 90.5.
std::optional<std::string> with_fraction(const std::string& digits, std::size_t dot) {
  const std::optional<std::uint64_t> whole = of_base_60(digits.substr(0, dot));
  std::string fraction = digits.substr(dot + 1);
  if (!whole || fraction.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fmt::format("{}.{}", *whole, fraction.empty() ? "0" : fraction);
}

// Of one that begins with a digit, and has no underscores any more.
std::optional<std::uint64_t> as_whole(const std::string& digits) {
  if (digits.starts_with("0x")) return digits_of(digits.substr(2), 16);
  if (digits.starts_with("0b")) return digits_of(digits.substr(2), 2);
  if (digits.starts_with("0")) return digits_of(digits, 8);
  return of_base_60(digits);
}

std::optional<std::string> as_other_number(std::string_view plain) {
  const bool has_sign = plain.front() == '-' || plain.front() == '+';
  const std::string sign = plain.front() == '-' ? "-" : "";
  std::string digits(has_sign ? plain.substr(1) : plain);
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') return std::nullopt;
  const std::optional<std::uint64_t> as_read = digits_of(digits, 10);
  const bool has_underscores = std::erase(digits, '_') > 0;
  if (const std::size_t dot = digits.find('.'); dot != std::string::npos) {
    if (!has_underscores && digits.find(':') == std::string::npos) return std::nullopt;
    const std::optional<std::string> number = with_fraction(digits, dot);
    return number ? std::optional(sign + *number) : std::nullopt;
  }
  const std::optional<std::uint64_t> number = as_whole(digits);
  if (!number || number == as_read) return std::nullopt;
  return sign + std::to_string(*number);
}

void look_at(const std::string& of, const Text& value, std::vector<std::string>& lines) {
  const std::optional<std::string> passed =
      value.quoted ? std::nullopt : passed_by_azure(value.text);
  if (!passed) return;
  lines.push_back(
      fmt::format("{0} is passed as {1}, as written; Azure ML would pass {2} (write {2} to get the "
                  "same in both)",
                  of, value.text, *passed));
}

}  // namespace

std::optional<std::string> passed_by_azure(std::string_view plain) {
  if (plain.empty()) return std::nullopt;
  std::optional<std::string> passed = as_truth(plain);
  if (!passed) passed = as_other_number(plain);
  return passed && *passed == plain ? std::nullopt : passed;
}

std::vector<std::string> values_that_differ(const JobFile& job) {
  std::vector<std::string> lines;
  if (job.dialect != Dialect::command) return lines;
  for (const Named& variable : job.variables) {
    look_at("the variable " + variable.name, variable.value, lines);
  }
  for (const Input& input : job.inputs) {
    if (input.value && !input.is_path) look_at("the input " + input.name, *input.value, lines);
  }
  return lines;
}

}  // namespace muster::job

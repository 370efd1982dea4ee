// Reads numbers as Python writes them.
#include "sweep/metric_text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/words.hpp"

namespace muster::sweep {
namespace {

constexpr std::size_t kMetricLineMax = 4096;
constexpr std::size_t kMetricNameMax = 250;  // MLflow's own limit

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// "0.5", "1e-05", "nan", "-inf", "Infinity".
std::optional<double> metric_number(std::string_view text) {
  std::string word = base::lower(text);
  if (word.starts_with('+')) word.erase(0, 1);
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  double number = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number);
  if (parsed.ptr != word.data() + word.size() || word.empty()) return std::nullopt;
  if (parsed.ec == std::errc()) return number;
  if (parsed.ec != std::errc::result_out_of_range) return std::nullopt;
  // Too large or too small for a double.
  const bool small = word.find("e-") != std::string::npos;
  if (small) return 0;
  const double infinity = std::numeric_limits<double>::infinity();
  return word.starts_with('-') ? -infinity : infinity;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<Report> report_of(std::string_view line) {
  const std::vector<std::string> words = base::split(line, " \t\r");
  if (words.size() != 2 && words.size() != 3) return std::nullopt;
  const auto timestamp = whole_number(words[0]);
  const auto value = metric_number(words[1]);
  const auto step = words.size() == 3 ? whole_number(words[2]) : std::optional<std::int64_t>(0);
  if (!timestamp || !value || !step) return std::nullopt;
  return Report{*timestamp, *value, *step};
}

std::optional<double> printed_value(std::string_view line, std::string_view metric) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  if (without_blanks(line.substr(0, equals)) != metric) return std::nullopt;
  return metric_number(without_blanks(line.substr(equals + 1)));
}

bool is_metric_name(std::string_view name) {
  // MLflow takes letters of any script.
  const auto fits = [](char c) {
    return is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view("_-. /:").find(c) != std::string_view::npos;
  };
  if (name.empty() || name.size() > kMetricNameMax || !std::ranges::all_of(name, fits))
    return false;
  if (name.starts_with('/') || name.ends_with('/') || name.find("//") != name.npos) return false;
  for (const std::string& part : base::split(name, "/")) {
    if (part == "." || part == "..") return false;
  }
  return true;
}

std::string file_uri(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    // <run> stands for a name that is not known yet.
    if (is_letter_or_digit(c) || std::string_view("/-._~<>").find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri;
}

std::vector<std::string> GrowingLines::feed(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    drops_ = drops_ || begun_.size() + part.size() > kMetricLineMax;
    if (drops_) begun_.clear();
    if (!drops_) begun_ += part;
    if (end == std::string_view::npos) break;
    if (!drops_) lines.push_back(std::move(begun_));
    begun_.clear();
    drops_ = false;
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

void GrowingLines::skip() {
  begun_.clear();
  drops_ = true;
}

}  // namespace muster::sweep

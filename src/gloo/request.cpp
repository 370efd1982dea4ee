// Reads request lines and header fields strictly: CRLF, no folding, no chunks.
#include "gloo/request.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::gloo {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

// Takes everything up to the separator off the text, and the separator.
std::string_view cut(std::string_view& text, std::string_view separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + separator.size(), text.size()));
  return part;
}

bool is_name(std::string_view text) {
  const auto is_plain = [](char c) { return c > ' ' && c < 0x7F && c != '/'; };
  return !text.empty() && text.size() <= kNameMax && std::ranges::all_of(text, is_plain);
}

// RFC 9110, 5.6.2.
bool is_field_name(std::string_view text) {
  constexpr std::string_view kOdd = "!#$%&'*+-.^_`|~";
  const auto is_token = [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOdd.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, is_token);
}

bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && c != '\t') || byte == 0x7F;
  });
}

bool same_name(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::optional<Verb> verb_of(std::string_view word) {
  if (word == "GET") return Verb::get;
  if (word == "PUT") return Verb::put;
  if (word == "DELETE") return Verb::remove;
  return std::nullopt;
}

Status read_path(std::string_view path, Request& request) {
  if (!path.starts_with('/')) return kBadRequest;
  path.remove_prefix(1);
  const std::string_view scope = cut(path, "/");
  if (!is_name(scope) || !is_name(path)) return kBadRequest;
  request.scope = scope;
  request.key = path;
  return kFine;
}

Status read_request_line(std::string_view line, Request& request) {
  const std::string_view word = cut(line, " ");
  const std::string_view path = cut(line, " ");
  if (line != "HTTP/1.1" && line != "HTTP/1.0") return kBadRequest;
  const auto verb = verb_of(word);
  if (!verb) return kNoSuchVerb;
  request.verb = *verb;
  return read_path(path, request);
}

// A length that is given twice must be the same: else two readers could see two requests.
Status read_length(std::string_view text, std::optional<std::size_t>& length) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return kTooLarge;
  if (error != std::errc() || end != text.data() + text.size()) return kBadRequest;
  if (length && *length != number) return kBadRequest;
  length = number;
  return number > kBodyMax ? kTooLarge : kFine;
}

Status read_field(std::string_view line, std::optional<std::size_t>& length) {
  if (line.find(':') == std::string_view::npos) return kBadRequest;
  const std::string_view name = cut(line, ":");
  const std::string_view value = trimmed(line);
  if (!is_field_name(name) || !is_field_value(value)) return kBadRequest;
  if (same_name(name, "transfer-encoding")) return kNotImplemented;
  if (same_name(name, "content-length")) return read_length(value, length);
  return kFine;
}

}  // namespace

void RequestReader::take(std::string_view bytes) {
  if (state_ == State::head) return take_head(bytes);
  if (state_ == State::body) take_body(bytes);
}

void RequestReader::take_head(std::string_view bytes) {
  // The end may lie across two pieces.
  const std::size_t from = head_.size() < kHeadEnd.size() ? 0 : head_.size() - kHeadEnd.size();
  const std::size_t limits = kHeadMax - head_.size();
  const std::size_t before = head_.size();
  head_ += bytes.substr(0, limits);
  const std::size_t end = head_.find(kHeadEnd, from);
  if (end == std::string::npos) {
    if (head_.size() == kHeadMax) refuse(kHeadTooLarge);
    return;
  }
  const Status status = read_head(std::string_view(head_).substr(0, end));
  if (status != kFine) return refuse(status);
  state_ = State::body;
  take_body(bytes.substr(end + kHeadEnd.size() - before));
}

Status RequestReader::read_head(std::string_view head) {
  std::optional<std::size_t> length;
  Status status = read_request_line(cut(head, "\r\n"), request_);
  while (status == kFine && !head.empty()) status = read_field(cut(head, "\r\n"), length);
  if (status == kFine && !length && request_.verb == Verb::put) return kLengthRequired;
  length_ = length.value_or(0);
  return status;
}

void RequestReader::take_body(std::string_view bytes) {
  request_.body += bytes.substr(0, length_ - request_.body.size());
  if (request_.body.size() == length_) state_ = State::whole;
}

void RequestReader::refuse(Status why) {
  refusal_ = why;
  state_ = State::refused;
}

}  // namespace muster::gloo

// Cuts what a task sends into commands and keeps the order of request and reply.
#include "pmi/pmi_session.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.hpp"

namespace muster::pmi {
namespace {

using base::Result;
using MaybeRequest = std::optional<Request>;

constexpr std::size_t kLengthSize = 6;  // digits before a frame
constexpr std::string_view kBodyEnd = "\nendcmd\n";
// A task that sends more while it must wait for an answer has lost its way.
constexpr std::size_t kBufferMax = 2 * kFrameMax;

bool starts(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

// "    42", "42    ": both have been seen.
std::optional<std::size_t> frame_length(std::string_view digits) {
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return {};
  return length;
}

bool opens(const Request& request) {
  return std::holds_alternative<Init>(request) || std::holds_alternative<PortInit>(request) ||
         std::holds_alternative<SingletonInit>(request) || std::holds_alternative<Abort>(request);
}

std::string thread_of(const Command& command) {
  const auto found = command.fields.find("thrid");
  return found == command.fields.end() ? std::string() : found->second;
}

}  // namespace

void PmiSession::feed(std::string_view bytes) {
  if (broken_) return;
  if (at_ > 0) {
    buffer_.erase(0, at_);
    searched_ -= std::min(searched_, at_);
    at_ = 0;
  }
  buffer_.append(bytes);
  if (buffer_.size() > kBufferMax)
    broken_ = malformed("megabytes without waiting for an answer", "").value();
}

Result<MaybeRequest> PmiSession::next() {
  if (broken_) return tl::unexpected(*broken_);
  auto request = asked_ ? next_abort() : next_command();
  if (!request) {
    broken_ = request.error();
    buffer_ = {};
  }
  return request;
}

Result<MaybeRequest> PmiSession::next_command() {
  if (speaks_ == Speaks::frames) return next_frame();
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  // Too short to tell a body from a line: wait.
  constexpr std::string_view body = "mcmd=";
  if (rest.size() < body.size() && rest == body.substr(0, rest.size())) return std::nullopt;
  return starts(rest, body) ? next_body() : next_line();
}

// Another thread of the task may abort while the first waits.
Result<MaybeRequest> PmiSession::next_abort() {
  constexpr std::string_view abort = "cmd=abort";
  const bool framed = speaks_ == Speaks::frames;
  const std::size_t skip = std::min(at_ + (framed ? kLengthSize : 0), buffer_.size());
  const std::string_view rest = std::string_view(buffer_).substr(skip);
  if (rest.size() <= abort.size() || !starts(rest, abort)) return std::nullopt;
  if (std::string_view(" \n;").find(rest[abort.size()]) == std::string_view::npos)
    return std::nullopt;
  return framed ? next_frame() : next_line();
}

PmiSession::Taken PmiSession::take_line() {
  const std::string_view all(buffer_);
  const std::size_t end = all.find('\n', std::max(searched_, at_));
  const std::size_t length = std::min(end, all.size()) - at_;
  if (length > kLineMax) return malformed("too long a line", all.substr(at_));
  searched_ = all.size();
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = all.substr(at_, length);
  at_ = searched_ = end + 1;
  return line;
}

PmiSession::Taken PmiSession::take_body() {
  const std::string_view all(buffer_);
  // The end may have come in two pieces.
  const std::size_t from = std::max(searched_, at_ + kBodyEnd.size()) - kBodyEnd.size();
  const std::size_t end = all.find(kBodyEnd, from);
  const std::size_t length = std::min(end, all.size()) - at_;
  if (spawn_bytes_ + length > kFrameMax) return malformed("too long a spawn", all.substr(at_));
  searched_ = all.size();
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view body = all.substr(at_, length);
  at_ = searched_ = end + kBodyEnd.size();
  return body;
}

PmiSession::Taken PmiSession::take_frame() {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  if (rest.size() < kLengthSize) return std::nullopt;
  const std::string_view digits = rest.substr(0, kLengthSize);
  const auto length = frame_length(digits);
  if (!length) return malformed("a frame without its length", digits);
  if (rest.size() - kLengthSize < *length) return std::nullopt;
  at_ += kLengthSize + *length;
  return rest.substr(kLengthSize, *length);
}

MaybeRequest PmiSession::give(std::string name, Request request, std::string thread) {
  if (!std::holds_alternative<Abort>(request))
    asked_ = ReceivedRequest{std::move(name), request, std::move(thread)};
  return request;
}

Result<MaybeRequest> PmiSession::next_line() {
  const auto line = take_line();
  if (!line) return tl::unexpected(line.error());
  if (!*line) return std::nullopt;
  auto command = parse_line(**line);
  if (!command) return tl::unexpected(std::move(command.error()));
  if (spawn_) return malformed("a spawn without its end", **line);
  auto request = request_v1(*command);
  if (!request) return tl::unexpected(std::move(request.error()));
  if (speaks_ == Speaks::nothing && !opens(*request))
    return malformed("a request before init or after finalize", **line);
  return give(std::move(command->name), std::move(*request), {});
}

Result<MaybeRequest> PmiSession::next_body() {
  const std::size_t before = at_;
  const auto body = take_body();
  if (!body) return tl::unexpected(body.error());
  if (!*body) return std::nullopt;
  if (speaks_ == Speaks::nothing) return malformed("a spawn before init or after finalize", "");
  auto command = parse_body(**body);
  if (!command) return tl::unexpected(std::move(command.error()));
  auto part = spawn_body(*command);
  if (!part) return tl::unexpected(std::move(part.error()));
  return add_body(std::move(*part), at_ - before);
}

Result<MaybeRequest> PmiSession::add_body(SpawnBody body, std::size_t size) {
  if (!spawn_) {
    spawn_.emplace();
    bodies_ = body.total;
  }
  if (body.total != bodies_ || body.number != spawn_->commands.size() + 1 || body.number > bodies_)
    return malformed("the commands of a spawn out of order", "");
  spawn_bytes_ += size;
  spawn_->commands.push_back(std::move(body.command));
  spawn_->preput = std::move(body.preput);
  if (body.number < bodies_) return next_command();
  Request request = std::move(*spawn_);
  spawn_.reset();
  spawn_bytes_ = 0;
  return give("spawn", std::move(request), {});
}

Result<MaybeRequest> PmiSession::next_frame() {
  const auto payload = take_frame();
  if (!payload) return tl::unexpected(payload.error());
  if (!*payload) return std::nullopt;
  const auto command = parse_frame(**payload);
  if (!command) return tl::unexpected(command.error());
  auto request = request_v2(*command);
  if (!request) return tl::unexpected(std::move(request.error()));
  return give(command->name, std::move(*request), thread_of(*command));
}

std::string PmiSession::answer(const Reply& reply) {
  CHECK(asked_);
  // The answer to init is a line in both versions.
  const bool framed = speaks_ == Speaks::frames;
  std::string bytes = framed ? reply_v2(*asked_, reply) : reply_v1(*asked_, reply);
  follow(reply);
  asked_.reset();
  return bytes;
}

void PmiSession::follow(const Reply& reply) {
  if (std::holds_alternative<Finalize>(asked_->request)) speaks_ = Speaks::nothing;
  const auto* init = std::get_if<Init>(&asked_->request);
  if (init && std::holds_alternative<Done>(reply))
    speaks_ = init->version == 2 ? Speaks::frames : Speaks::lines;
}

}  // namespace muster::pmi

// LinkAbove: magic line, then frames both ways.
#include "link/link_above.hpp"

#include <fcntl.h>
#include <utility>

#include "link/noise.hpp"

namespace muster::link {
namespace {

constexpr const char* kWho = "the head above";

base::Error nonsense(std::string what) {
  return {base::Fault::lost, std::move(what), wire::kOtherVersion, {}};
}

}  // namespace

LinkAbove::LinkAbove(asio::io_context& loop, process::UniqueFd connection, LinkAboveEvents events)
    : events_(std::move(events)),
      out_(std::make_shared<OutQueue>(
          loop, process::UniqueFd(::fcntl(connection.get(), F_DUPFD_CLOEXEC, 3)))),
      in_(std::make_shared<ByteReader>(
          loop, std::move(connection), [this](std::string_view bytes) { take(bytes); },
          [this] { break_off(end()); })) {
  in_->start();
}

LinkAbove::~LinkAbove() {
  in_->close();
  out_->close();
}

void LinkAbove::send(const wire::ToAgent& message, const wire::Address& to) {
  if (!open_) return;
  last_.reset();
  wire::append(out_->tail(), message, to);
  (void)out_->flush();  // a head that does not read is one that has stopped, and we with it
}

void LinkAbove::send(std::shared_ptr<const std::string> frame) {
  if (!open_ || frame == last_) return;
  last_ = frame;
  out_->add(std::move(frame));
  (void)out_->flush();
}

base::Error LinkAbove::end() const {
  if (greeted_) return {base::Fault::lost, "the head above has gone", {}, {}};
  return {base::Fault::unreachable,
          "the head of this job does not answer at MUSTER_HEAD",
          "without that variable, hosts are reached from here",
          {}};
}

void LinkAbove::take(std::string_view bytes) {
  if (greeted_) {
    reader_.feed(bytes);
    return dispatch();
  }
  std::string rest;
  const auto state = filter_.feed(bytes, rest);
  if (const auto other = other_protocol(filter_.noise())) {
    return break_off(other_protocol_error(kWho, *other));
  }
  if (state == wire::NoiseFilter::State::too_much) {
    return break_off(nonsense("something else than a head listens there"));
  }
  if (state != wire::NoiseFilter::State::found) return;
  greeted_ = true;
  reader_.feed(rest);
  dispatch();
}

void LinkAbove::dispatch() {
  while (open_) {
    auto item = reader_.next();
    if (!item) return break_off(std::move(item.error()));
    if (!*item) return;
    if (!tell(std::move(**item))) return break_off(nonsense("a frame came that names no host"));
  }
}

bool LinkAbove::tell(wire::HeadReader::Item item) {
  const wire::Address from = reader_.address();
  if (!from.hosts.is_one()) return false;
  const base::NodeIndex host(from.hosts.ranges().front().first);
  if (auto* message = std::get_if<wire::ToHead>(&item)) {
    events_.message(host, from.run, std::move(*message));
  } else {
    events_.output(host, from.run, std::get<wire::OutputView>(item));
  }
  return true;
}

void LinkAbove::break_off(base::Error error) {
  if (!std::exchange(open_, false)) return;
  in_->close();
  out_->close();
  events_.gone(std::move(error));
}

}  // namespace muster::link

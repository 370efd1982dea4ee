// Link: the head's end; noise, magic line, frames, and the carrier's stderr beside them.
#include "link/link.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <utility>

#include "link/byte_reader.hpp"
#include "link/noise.hpp"
#include "link/out_queue.hpp"

namespace muster::link {
namespace {

constexpr std::size_t kErrorsMax = 16u << 10;

template <class Function, class... Args>
void tell(const Function& function, Args&&... args) {
  if (function) function(std::forward<Args>(args)...);
}

void keep_end(std::string& text, std::string_view more) {
  text.append(more);
  if (text.size() > kErrorsMax) text.erase(0, text.size() - kErrorsMax);
}

}  // namespace

// Callbacks may destroy the Link: every way in from the loop holds a shared_ptr to this first.
class Link::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(base::NodeIndex host, LinkEvents events) : hosts_{host}, events_(std::move(events)) {}

  void open(asio::io_context& loop, process::UniqueFd to_agent, process::UniqueFd from_agent,
            process::UniqueFd errors);
  // Calls add(queue), then sends.
  template <class Add>
  void send(Add add);
  void close();
  std::string errors();
  [[nodiscard]] const std::string& noise() const { return filter_.noise(); }
  [[nodiscard]] base::NodeIndex host() const { return hosts_.back(); }
  void renumber(base::NodeIndex host) {
    std::erase(hosts_, host);
    hosts_.push_back(host);
  }

 private:
  void take(std::string_view bytes);
  void skip_noise(std::string_view bytes);
  void dispatch();
  void tell_item(wire::HeadReader::Item item);
  void break_off(base::Error error);
  void end();

  std::vector<base::NodeIndex> hosts_;  // numbers of the one at the other end, each once; the last
                                        // counts
  LinkEvents events_;
  std::shared_ptr<OutQueue> out_;
  std::shared_ptr<ByteReader> in_;
  std::shared_ptr<ByteReader> errors_in_;
  wire::NoiseFilter filter_;
  wire::HeadReader reader_;
  std::string errors_;
  bool up_ = false;
  bool open_ = true;
};

void Link::Impl::open(asio::io_context& loop, process::UniqueFd to_agent,
                      process::UniqueFd from_agent, process::UniqueFd errors) {
  const std::weak_ptr<Impl> weak = weak_from_this();
  out_ = std::make_shared<OutQueue>(loop, std::move(to_agent));
  in_ = std::make_shared<ByteReader>(
      loop, std::move(from_agent),
      [weak](std::string_view bytes) {
        if (const auto self = weak.lock()) self->take(bytes);
      },
      [weak] {
        if (const auto self = weak.lock()) self->end();
      });
  errors_in_ = std::make_shared<ByteReader>(
      loop, std::move(errors),
      [weak](std::string_view bytes) {
        if (const auto self = weak.lock()) keep_end(self->errors_, bytes);
      },
      nullptr);
  in_->start();
  errors_in_->start();
}

template <class Add>
void Link::Impl::send(Add add) {
  if (!open_) return;
  add(*out_);
  if (out_->flush()) return;
  // Not from here: the caller is in the middle of something.
  asio::post(out_->executor(), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->open_)
      self->break_off({base::Fault::lost,
                       "the agent does not read what it is sent",
                       "is its host overloaded, or the agent stopped?",
                       {}});
  });
}

void Link::Impl::take(std::string_view bytes) {
  if (!open_) return;
  if (!up_) return skip_noise(bytes);
  reader_.feed(bytes);
  dispatch();
}

void Link::Impl::skip_noise(std::string_view bytes) {
  std::string rest;
  const auto state = filter_.feed(bytes, rest);
  if (const auto other = other_protocol(filter_.noise()))
    return break_off(other_protocol_error("the agent", *other));
  if (state == wire::NoiseFilter::State::too_much)
    return break_off(
        {base::Fault::unreachable,
         fmt::format("\"{}\" and {} KiB more came instead of an agent", first_line(filter_.noise()),
                     wire::kNoiseMax >> 10),
         "let the shell's start-up files there print nothing when no terminal is there",
         {}});
  if (state != wire::NoiseFilter::State::found) return;
  up_ = true;
  tell(events_.up);
  if (!open_) return;
  reader_.feed(rest);
  dispatch();
}

void Link::Impl::dispatch() {
  while (open_) {
    auto item = reader_.next();
    if (!item) return break_off(std::move(item.error()));
    if (!*item) return;
    tell_item(std::move(**item));
  }
}

void Link::Impl::tell_item(wire::HeadReader::Item item) {
  const wire::Address& from = reader_.address();
  const auto is_it = [&](base::NodeIndex host) { return from.hosts == wire::HostSet(host); };
  if (!from.hosts.empty() && std::ranges::none_of(hosts_, is_it)) {
    return break_off({base::Fault::lost, "its agent spoke for another host", {}, {}});
  }
  if (auto* message = std::get_if<wire::ToHead>(&item))
    return tell(events_.message, from.run, std::move(*message));
  tell(events_.output, from.run, std::get<wire::OutputView>(item));
}

void Link::Impl::break_off(base::Error error) {
  close();
  tell(events_.broken, std::move(error));
}

// The errors stay open: the carrier may have more to say than its stdout had.
void Link::Impl::end() {
  if (open_) tell(events_.closed);
}

void Link::Impl::close() {
  if (!std::exchange(open_, false)) return;
  in_->close();
  out_->close();
  errors_in_->drain();
  errors_in_->close();
}

// What lies in the pipe counts as said, whether or not the loop has come to it.
std::string Link::Impl::errors() {
  errors_in_->drain();
  return errors_;
}

Link::Link(asio::io_context& loop, base::NodeIndex host, process::UniqueFd to_agent,
           process::UniqueFd from_agent, process::UniqueFd errors, LinkEvents events)
    : impl_(std::make_shared<Impl>(host, std::move(events))) {
  impl_->open(loop, std::move(to_agent), std::move(from_agent), std::move(errors));
}

Link::~Link() { impl_->close(); }

void Link::send(base::RunIndex run, const wire::ToAgent& message) {
  const wire::Address address{run, wire::HostSet(impl_->host())};
  impl_->send([&](OutQueue& out) { wire::append(out.tail(), message, address); });
}

void Link::send(std::shared_ptr<const std::string> frame) {
  impl_->send([&](OutQueue& out) { out.add(std::move(frame)); });
}

void Link::renumber(base::NodeIndex host) { impl_->renumber(host); }
void Link::close() { impl_->close(); }
std::string Link::errors() const { return impl_->errors(); }
std::string Link::noise() const { return impl_->noise(); }

}  // namespace muster::link

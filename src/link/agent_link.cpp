// AgentLink: the agent's end, over two descriptors; its own stdin and stdout unless told others.
#include <asio/post.hpp>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "link/byte_reader.hpp"
#include "link/link.hpp"
#include "link/out_queue.hpp"
#include "process/life.hpp"
#include "process/shortage.hpp"

namespace muster::link {
namespace {

// 0 and 1 themselves stay open, so that no later descriptor takes their numbers.
process::UniqueFd copy_of(int fd) {
  return process::UniqueFd(process::required(::fcntl(fd, F_DUPFD_CLOEXEC, 3)));
}

}  // namespace

// Callbacks may destroy the AgentLink: every way in from the loop holds a shared_ptr to this first.
class AgentLink::Impl : public std::enable_shared_from_this<Impl> {
 public:
  explicit Impl(AgentLinkEvents events) : events_(std::move(events)) {}

  void open(asio::io_context& loop, process::UniqueFd from_head, process::UniqueFd to_head);
  // Calls add(bytes to send), then sends.
  template <class Add>
  void send(Add add);
  void drain(std::function<void()> done);
  void close();
  void end_life() { life_.end(); }
  [[nodiscard]] wire::Address about(base::RunIndex run) const { return {run, own_}; }

 private:
  void take(std::string_view bytes);
  [[nodiscard]] bool is_for_us(const wire::HostSet& hosts);
  void break_off(base::Error error);
  void end();

  AgentLinkEvents events_;
  std::shared_ptr<OutQueue> out_;
  std::shared_ptr<ByteReader> in_;
  wire::AgentReader reader_;
  wire::HostSet own_;  // this host's number, as last told; empty until the head has spoken
  bool has_heard_ = false;
  bool open_ = true;   // false: nothing more is read, and no event is called
  bool gone_ = false;  // nothing more is written either
  process::Life life_;
};

void AgentLink::Impl::open(asio::io_context& loop, process::UniqueFd from_head,
                           process::UniqueFd to_head) {
  const std::weak_ptr<Impl> weak = weak_from_this();
  out_ = std::make_shared<OutQueue>(loop, std::move(to_head));
  in_ = std::make_shared<ByteReader>(
      loop, std::move(from_head),
      [weak](std::string_view bytes) {
        if (const auto self = weak.lock()) self->take(bytes);
      },
      [weak] {
        if (const auto self = weak.lock()) self->end();
      });
  in_->start();
  send([](std::string& out) { out.append(wire::kMagic); });
}

template <class Add>
void AgentLink::Impl::send(Add add) {
  add(out_->tail());
  if (out_->flush()) return;
  // Not from here: the caller is in the middle of something.
  asio::post(out_->executor(), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->out_->close();
    self->break_off({base::Fault::lost, "the head does not read what it is sent", {}, {}});
  });
}

void AgentLink::Impl::take(std::string_view bytes) {
  reader_.feed(bytes);
  while (open_) {
    auto message = reader_.next();
    if (!message) return break_off(std::move(message.error()));
    if (!*message) return;
    const wire::Address to = reader_.address();
    // Another head has numbers of its own.
    if (std::holds_alternative<wire::Hello>(**message) && to.hosts.is_one()) own_ = to.hosts;
    if (!is_for_us(to.hosts))
      return break_off({base::Fault::lost, "a frame for another host came", {}, {}});
    const bool is_first = !std::exchange(has_heard_, true);
    if (auto* contain = std::get_if<wire::Contain>(&**message); contain != nullptr && is_first) {
      open_ = false;
      in_->close();
      if (events_.contain) events_.contain(std::move(*contain), std::string(reader_.rest()));
      return;
    }
    if (events_.message) events_.message(to.run, std::move(**message));
  }
}

// The first frame that names any host names this one alone, and so does every greeting.
bool AgentLink::Impl::is_for_us(const wire::HostSet& hosts) {
  if (hosts.empty()) return true;
  if (own_.empty() && hosts.is_one()) own_ = hosts;
  return !own_.empty() && (hosts & own_) == own_;
}

// Sending stays possible: what the agent has to tell may still reach the head.
void AgentLink::Impl::break_off(base::Error error) {
  if (!std::exchange(open_, false)) return;
  in_->close();
  if (events_.broken) events_.broken(std::move(error));
}

void AgentLink::Impl::end() {
  if (std::exchange(open_, false) && events_.closed) events_.closed();
}

void AgentLink::Impl::drain(std::function<void()> done) {
  if (gone_) return asio::post(out_->executor(), life_.bind(std::move(done)));
  out_->drain(std::move(done));
}

void AgentLink::Impl::close() {
  open_ = false;
  gone_ = true;
  in_->close();
  out_->close();
}

AgentLink::AgentLink(asio::io_context& loop, AgentLinkEvents events)
    : AgentLink(loop, copy_of(STDIN_FILENO), copy_of(STDOUT_FILENO), std::move(events)) {}

AgentLink::AgentLink(asio::io_context& loop, process::UniqueFd from_head, process::UniqueFd to_head,
                     AgentLinkEvents events)
    : impl_(std::make_shared<Impl>(std::move(events))) {
  impl_->open(loop, std::move(from_head), std::move(to_head));
}

AgentLink::~AgentLink() {
  impl_->end_life();
  impl_->close();
}

void AgentLink::send(base::RunIndex run, const wire::ToHead& message) {
  impl_->send([&](std::string& out) { wire::append(out, message, impl_->about(run)); });
}

void AgentLink::send_output(base::RunIndex run, base::Rank rank, wire::Stream stream,
                            std::string_view bytes) {
  impl_->send(
      [&](std::string& out) { wire::append_output(out, rank, stream, bytes, impl_->about(run)); });
}

void AgentLink::drain(std::function<void()> done) { impl_->drain(std::move(done)); }

void AgentLink::drop() { impl_->close(); }

}  // namespace muster::link

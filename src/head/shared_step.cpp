// Starts srun, hands it the agents' line, and keeps what it says.
#include "head/shared_step.hpp"

#include "probe/random.hpp"
#include "process/own_umask.hpp"
#include "process/write_all.hpp"

namespace muster::head {

SharedStep::SharedStep(Options options)
    : options_(std::move(options)), errors_(options_.hosts), secret_(probe::random_digits(32)) {}

SharedStep::~SharedStep() {
  if (err_) err_->close();
  if (out_) out_->close();
}

base::Result<std::shared_ptr<SharedStep>> SharedStep::start(asio::io_context& loop,
                                                            Options options) {
  std::shared_ptr<SharedStep> step(new SharedStep(std::move(options)));
  SharedStep* self = step.get();
  if (auto opened = self->open_door(loop); !opened) return tl::unexpected(opened.error());
  auto child = process::Child::start(
      loop, self->options_.words, self->options_.environment,
      [self](process::ChildEnd end) {
        self->end_ = end;
        self->err_->drain();
        self->options_.changed();
      },
      0, process::users_umask());  // the agents' ranks have it
  if (!child) return tl::unexpected(child.error());
  step->child_ = std::move(*child);
  step->read(loop, step->child_->pipes());
  return step;
}

base::Result<void> SharedStep::open_door(asio::io_context& loop) {
  const auto joined = [this](const VisitorPtr& visitor, const wire::Join& join) {
    options_.joined(*this, visitor, join);
  };
  const auto odd = [this](const VisitorPtr& visitor, const base::Error& why) {
    refuse(visitor, why);
  };
  door_.emplace(loop, secret_, options_.hosts.size(), DoorEvents{joined, odd, {}});
  auto error = door_->listen({asio::ip::address_v6(), 0});
  if (error) error = door_->listen({asio::ip::address_v4(), 0});
  if (error) return base::fail(base::Fault::cannot_start, {}, "cannot listen: {}", error.message());
  door_->open();
  return {};
}

process::UniqueFd SharedStep::take(const VisitorPtr& visitor) {
  has_taken_ = true;
  return door_->take(visitor);
}

// The line fits any pipe. Nobody listens to the agents' stdout, which has to be empty.
void SharedStep::read(asio::io_context& loop, process::ChildPipes& pipes) {
  const link::HeadCall call{door_->port(), options_.patience, secret_};
  (void)process::write_all(pipes.in.get(), link::call_line(call));
  pipes.in = process::UniqueFd();
  const auto heard = [this](std::string_view bytes) {
    errors_.take(bytes);
    options_.changed();
  };
  err_ = std::make_shared<link::ByteReader>(loop, std::move(pipes.err), heard, [] {});
  out_ = std::make_shared<link::ByteReader>(loop, std::move(pipes.out), heard, [] {});
  err_->start();
  out_->start();
}

}  // namespace muster::head

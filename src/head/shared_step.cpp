// Starts srun, hands it the agents' line, and keeps what it says.
#include "head/shared_step.hpp"

#include "process/write_all.hpp"

namespace muster::head {

SharedStep::SharedStep(Options options) : options_(std::move(options)), errors_(options_.hosts) {}

SharedStep::~SharedStep() {
  if (err_) err_->close();
  if (out_) out_->close();
}

base::Result<std::shared_ptr<SharedStep>> SharedStep::start(asio::io_context& loop,
                                                            Options options) {
  std::shared_ptr<SharedStep> step(new SharedStep(std::move(options)));
  SharedStep* self = step.get();
  auto child = process::Child::start(loop, self->options_.words, self->options_.environment,
                                     [self](process::ChildEnd end) {
                                       self->end_ = end;
                                       self->err_->drain();
                                       self->options_.changed();
                                     });
  if (!child) return tl::unexpected(child.error());
  step->child_ = std::move(*child);
  step->read(loop, step->child_->pipes());
  return step;
}

// The line fits any pipe. Nobody listens to the agents' stdout, which has to be empty.
void SharedStep::read(asio::io_context& loop, process::ChildPipes& pipes) {
  (void)process::write_all(pipes.in.get(), options_.call);
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

// LinkAbove: the connection from a launcher inside a rank to the head above it, which reaches hosts
// for it. Frames of all these hosts share it, and each names the launcher's number of its host.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/id.hpp"
#include "link/byte_reader.hpp"
#include "link/out_queue.hpp"
#include "process/unique_fd.hpp"
#include "wire/frame.hpp"

namespace muster::link {

struct LinkAboveEvents {
  std::function<void(base::NodeIndex, base::RunIndex, wire::ToHead)> message;  // never Output
  std::function<void(base::NodeIndex, base::RunIndex, const wire::OutputView&)> output;
  // Nothing more will be heard: the head above has gone, or sends what makes no sense.
  std::function<void(base::Error)> gone;
};

// The process must ignore SIGPIPE. A callback may not destroy the LinkAbove it comes from.
class LinkAbove {
 public:
  LinkAbove(asio::io_context& loop, process::UniqueFd connection, LinkAboveEvents events);
  ~LinkAbove();
  LinkAbove(const LinkAbove&) = delete;
  LinkAbove& operator=(const LinkAbove&) = delete;

  void send(const wire::ToAgent& message, const wire::Address& to);
  // The same frame several times in a row is sent once.
  void send(std::shared_ptr<const std::string> frame);

 private:
  void take(std::string_view bytes);
  void dispatch();
  [[nodiscard]] bool tell(wire::HeadReader::Item item);
  void break_off(base::Error error);
  [[nodiscard]] base::Error end() const;

  LinkAboveEvents events_;
  std::shared_ptr<OutQueue> out_;
  std::shared_ptr<ByteReader> in_;
  wire::NoiseFilter filter_;
  bool greeted_ = false;
  bool open_ = true;
  wire::HeadReader reader_;
  std::shared_ptr<const std::string> last_;  // the last frame that may come again
};

}  // namespace muster::link

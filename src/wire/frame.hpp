// Frames: how messages travel over a byte stream.
//
// A link starts with noise (banners of remote shells), then the magic line, then frames.
// A frame is: length (u32, little endian, of the payload), kind (u8), run (u32), ranges (u16), each
// of them first (u32) and last (u32) host, payload.
//   kind 1  control: one protobuf message of wire.proto
//   kind 2  output:  rank (u32), stream (u8), bytes         agent to head
//   kind 3  input:   rank (u32), bytes                      head to agent
// Bounds: control payloads kControlMax, raw payloads kRawMax, kRangesMax ranges, which ascend and
// do not touch; a frame that breaks a bound, has an unknown kind, or does not decode is an error,
// after which the link is of no use.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.hpp"
#include "wire/address.hpp"
#include "wire/messages.hpp"

namespace muster::wire {

inline constexpr std::size_t kControlMax = 64u << 20;
inline constexpr std::size_t kRawMax = (1u << 20) + 16;
inline constexpr std::size_t kRangesMax = 4096;
inline constexpr std::size_t kNoiseMax = 64u << 10;  // bytes before the magic line

// Written by an agent on its own line, before anything else.
inline constexpr std::string_view kMagic = "\x1dmuster-agent 4\n";
static_assert(kMagic[kMagic.size() - 2] == '0' + kProtocol, "it tells the protocol's number");

// Appends the message as one frame (two or more for raw bytes above kRawMax). `address`: whom it is
// for, or who says it.
void append(std::string& out, const ToAgent& message, const Address& address = {});
void append(std::string& out, const ToHead& message, const Address& address = {});
// The same for raw bytes that lie elsewhere, without making a message of them.
void append_output(std::string& out, base::Rank rank, Stream stream, std::string_view bytes,
                   const Address& address = {});
void append_input(std::string& out, base::Rank rank, std::string_view bytes,
                  const Address& address = {});

// Raw bytes as they lie in the reader's buffer; valid until the reader is fed again.
struct OutputView {
  base::Rank rank;
  Stream stream = Stream::out;
  std::string_view bytes;
};

// Cuts bytes into frames. Feed, then take until it is empty or an error.
class FrameBuffer {
 public:
  void feed(std::string_view bytes);
  // Of the frame that was taken last.
  [[nodiscard]] const Address& address() const { return address_; }
  // What has been fed, and not been taken.
  [[nodiscard]] std::string_view rest() const { return std::string_view(buffer_).substr(at_); }
  bool operator==(const FrameBuffer&) const = default;

 protected:
  struct Frame {
    std::uint8_t kind = 0;
    std::string_view payload;
  };
  base::Result<std::optional<Frame>> next_frame();

 private:
  std::string buffer_;
  std::size_t at_ = 0;
  Address address_;
};

// The head's end: skips noise up to the magic line, then frames from an agent.
class HeadReader : public FrameBuffer {
 public:
  using Item = std::variant<ToHead, OutputView>;  // never ToHead's Output: that comes as OutputView
  base::Result<std::optional<Item>> next();
};

// The agent's end.
class AgentReader : public FrameBuffer {
 public:
  base::Result<std::optional<ToAgent>> next();
  bool operator==(const AgentReader&) const = default;
};

// Finds the magic line in what an agent's carrier prints first.
class NoiseFilter {
 public:
  enum class State { searching, found, too_much };
  // Takes bytes until the magic has been seen; `rest` is what came after it.
  State feed(std::string_view bytes, std::string& rest);
  [[nodiscard]] const std::string& noise() const { return noise_; }

 private:
  std::string noise_;
  State state_ = State::searching;
};

}  // namespace muster::wire

// Frames: cutting bytes into frames, and making them.
#include "wire/frame.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/check.hpp"
#include "model/job_spec.hpp"
#include "wire/codec.hpp"

namespace muster::wire {
namespace {

constexpr std::uint8_t kControl = 1;
constexpr std::uint8_t kOutput = 2;
constexpr std::uint8_t kInput = 3;

constexpr std::size_t kStart = 5;         // length and kind
constexpr std::size_t kHeader = 11;       // these, run, how many ranges
constexpr std::size_t kRange = 8;         // first and last host
constexpr std::size_t kOutputHeader = 5;  // rank and stream
constexpr std::size_t kInputHeader = 4;   // rank
constexpr std::size_t kChunkMax = kRawMax - 16;

// Consumed bytes below this are not worth a move of what follows them.
constexpr std::size_t kCompactAt = 256u << 10;
// An empty buffer larger than this, left by a large message, is given back.
constexpr std::size_t kKeepMax = 4u << 20;

std::uint32_t load_u32(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::size_t load_u16(const char* bytes) {
  return static_cast<unsigned char>(bytes[0]) | static_cast<unsigned char>(bytes[1]) << 8;
}

void store_u32(char* bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 0xff);
}

void append_u32(std::string& out, std::size_t value) {
  char bytes[4];
  store_u32(bytes, static_cast<std::uint32_t>(value));
  out.append(bytes, sizeof bytes);
}

void append_header(std::string& out, std::uint8_t kind, const Address& address,
                   std::size_t length) {
  const auto& ranges = address.hosts.ranges();
  CHECK(ranges.size() <= kRangesMax);
  append_u32(out, length);
  out.push_back(static_cast<char>(kind));
  append_u32(out, address.run.value);
  out.push_back(static_cast<char>(ranges.size() & 0xff));
  out.push_back(static_cast<char>(ranges.size() >> 8));
  for (const HostSet::Range& range : ranges) {
    append_u32(out, range.first);
    append_u32(out, range.last);
  }
}

template <class Message>
void append_control(std::string& out, const Message& message, const Address& address) {
  const std::size_t start = out.size();
  append_header(out, kControl, address, 0);
  const std::size_t payload = out.size();
  encode(out, message);
  store_u32(out.data() + start, static_cast<std::uint32_t>(out.size() - payload));
}

// Calls put(chunk) for pieces that fit a frame; once for no bytes at all.
template <class Put>
void in_chunks(std::string_view bytes, Put put) {
  do {
    const std::string_view chunk = bytes.substr(0, kChunkMax);
    put(chunk);
    bytes.remove_prefix(chunk.size());
  } while (!bytes.empty());
}

// The largest payload of a kind; 0 for kinds that do not exist.
std::size_t longest(std::uint8_t kind) {
  if (kind == kControl) return kControlMax;
  return kind == kOutput || kind == kInput ? kRawMax : 0;
}

tl::unexpected<base::Error> wrong_kind(unsigned kind) {
  return base::fail(base::Fault::lost, kOtherVersion, "a frame of unknown kind {} came", kind);
}

base::Result<Address> read_address(std::string_view header) {
  Address address{base::RunIndex(load_u32(header.data() + kStart)), {}};
  for (std::size_t at = kHeader; at < header.size(); at += kRange) {
    const HostSet::Range range{load_u32(header.data() + at), load_u32(header.data() + at + 4)};
    if (range.last < model::kRanksMax && address.hosts.add(range)) continue;
    return base::fail(base::Fault::lost, kOtherVersion,
                      "a frame names hosts {} to {}, too high or out of order", range.first,
                      range.last);
  }
  return address;
}

base::Result<base::Rank> raw_rank(std::string_view payload, std::size_t header) {
  if (payload.size() < header)
    return base::fail(base::Fault::lost, kOtherVersion, "a raw frame of only {} bytes came",
                      payload.size());
  const std::uint32_t rank = load_u32(payload.data());
  if (rank < model::kRanksMax) return base::Rank(rank);
  return base::fail(base::Fault::lost, kOtherVersion, "a raw frame names rank {}, above {}", rank,
                    model::kRanksMax - 1);
}

base::Result<OutputView> read_output(std::string_view payload) {
  const auto rank = raw_rank(payload, kOutputHeader);
  if (!rank) return tl::unexpected(rank.error());
  const auto stream = static_cast<Stream>(payload[4]);
  if (stream != Stream::out && stream != Stream::err)
    return base::fail(base::Fault::lost, kOtherVersion, "an output frame names stream {}",
                      static_cast<unsigned>(stream));
  return OutputView{*rank, stream, payload.substr(kOutputHeader)};
}

base::Result<Input> read_input(std::string_view payload) {
  const auto rank = raw_rank(payload, kInputHeader);
  if (!rank) return tl::unexpected(rank.error());
  return Input{*rank, std::string(payload.substr(kInputHeader))};
}

// Result<T> to Result<optional<Wide>>.
template <class Wide, class T>
base::Result<std::optional<Wide>> widen(base::Result<T> result) {
  if (!result) return tl::unexpected(std::move(result.error()));
  return std::optional<Wide>(std::move(*result));
}

}  // namespace

void append_output(std::string& out, base::Rank rank, Stream stream, std::string_view bytes,
                   const Address& address) {
  in_chunks(bytes, [&](std::string_view chunk) {
    append_header(out, kOutput, address, kOutputHeader + chunk.size());
    append_u32(out, rank.value);
    out.push_back(static_cast<char>(stream));
    out.append(chunk);
  });
}

void append_input(std::string& out, base::Rank rank, std::string_view bytes,
                  const Address& address) {
  in_chunks(bytes, [&](std::string_view chunk) {
    append_header(out, kInput, address, kInputHeader + chunk.size());
    append_u32(out, rank.value);
    out.append(chunk);
  });
}

void append(std::string& out, const ToAgent& message, const Address& address) {
  if (const auto* input = std::get_if<Input>(&message))
    return append_input(out, input->rank, input->bytes, address);
  append_control(out, message, address);
}

void append(std::string& out, const ToHead& message, const Address& address) {
  if (const auto* output = std::get_if<Output>(&message))
    return append_output(out, output->rank, output->stream, output->bytes, address);
  append_control(out, message, address);
}

void FrameBuffer::feed(std::string_view bytes) {
  const std::size_t left = buffer_.size() - at_;
  // Moving no more than was consumed keeps the cost below one move per byte.
  if (left == 0 || (at_ >= kCompactAt && left <= at_)) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  if (buffer_.empty() && buffer_.capacity() > kKeepMax) buffer_ = {};
  buffer_.append(bytes);
}

base::Result<std::optional<FrameBuffer::Frame>> FrameBuffer::next_frame() {
  const std::string_view bytes = std::string_view(buffer_).substr(at_);
  if (bytes.size() < kStart) return std::nullopt;
  const std::uint32_t length = load_u32(bytes.data());
  const auto kind = static_cast<std::uint8_t>(bytes[4]);
  if (longest(kind) == 0) return wrong_kind(kind);
  if (length > longest(kind))
    return base::fail(base::Fault::lost, kOtherVersion,
                      "a frame of {} bytes came, above its bound of {}", length, longest(kind));
  if (bytes.size() < kHeader) return std::nullopt;
  const std::size_t ranges = load_u16(bytes.data() + kStart + 4);
  if (ranges > kRangesMax)
    return base::fail(base::Fault::lost, kOtherVersion,
                      "a frame for {} ranges of hosts came, above its bound of {}", ranges,
                      kRangesMax);
  const std::size_t header = kHeader + ranges * kRange;
  if (bytes.size() < header || bytes.size() - header < length) return std::nullopt;
  auto address = read_address(bytes.substr(0, header));
  if (!address) return tl::unexpected(std::move(address.error()));
  address_ = std::move(*address);
  at_ += header + length;
  return Frame{kind, bytes.substr(header, length)};
}

base::Result<std::optional<HeadReader::Item>> HeadReader::next() {
  const auto frame = next_frame();
  if (!frame) return tl::unexpected(frame.error());
  if (!*frame) return std::nullopt;
  const auto [kind, payload] = **frame;
  if (kind == kOutput) return widen<Item>(read_output(payload));
  if (kind == kControl) return widen<Item>(decode_to_head(payload));
  return wrong_kind(kind);
}

base::Result<std::optional<ToAgent>> AgentReader::next() {
  const auto frame = next_frame();
  if (!frame) return tl::unexpected(frame.error());
  if (!*frame) return std::nullopt;
  const auto [kind, payload] = **frame;
  if (kind == kInput) return widen<ToAgent>(read_input(payload));
  if (kind == kControl) return widen<ToAgent>(decode_to_agent(payload));
  return wrong_kind(kind);
}

NoiseFilter::State NoiseFilter::feed(std::string_view bytes, std::string& rest) {
  if (state_ == State::found) rest.append(bytes);
  if (state_ != State::searching) return state_;
  // The magic may have begun in what came before.
  const std::size_t from = noise_.size() - std::min(noise_.size(), kMagic.size() - 1);
  noise_.append(bytes);
  const std::size_t at = noise_.find(kMagic, from);
  const bool found = at != std::string::npos;
  if (found ? at > kNoiseMax : noise_.size() >= kNoiseMax + kMagic.size()) {
    noise_.resize(kNoiseMax);
    return state_ = State::too_much;
  }
  if (!found) return state_;
  rest.append(noise_, at + kMagic.size());
  noise_.resize(at);
  return state_ = State::found;
}

}  // namespace muster::wire

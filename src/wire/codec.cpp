// Bytes to messages and back; with its parts the only place that knows protobuf.
#include "wire/codec.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "wire/codec_parts.hpp"

namespace muster::wire {
namespace {

bool parse(google::protobuf::MessageLite& message, std::string_view payload) {
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(payload.data()),
                                            static_cast<int>(payload.size()));
  in.SetRecursionLimit(kNestingMax);
  return message.ParseFromCodedStream(&in) && in.ConsumedEntireMessage();
}

template <class Message, class Proto>
base::Result<Message> decode(std::string_view payload) {
  Proto in;
  if (!parse(in, payload))
    return base::fail(base::Fault::lost, kOtherVersion, "{} bytes do not decode as a message",
                      payload.size());
  Bounds bounds;
  std::optional<Message> message = read(in, bounds);
  if (!message)
    return base::fail(base::Fault::lost, kOtherVersion, "a message of an unknown kind came");
  if (bounds.complaint())
    return base::fail(base::Fault::lost, kOtherVersion, "a message breaks a bound: {}",
                      *bounds.complaint());
  return std::move(*message);
}

template <class Proto, class Message>
void encode_as(std::string& out, const Message& message) {
  Proto proto;
  write_message(proto, message);
  CHECK(proto.AppendToString(&out));
}

}  // namespace

void encode(std::string& out, const ToAgent& message) { encode_as<proto::ToAgent>(out, message); }
void encode(std::string& out, const ToHead& message) { encode_as<proto::ToHead>(out, message); }

base::Result<ToAgent> decode_to_agent(std::string_view payload) {
  return decode<ToAgent, proto::ToAgent>(payload);
}

base::Result<ToHead> decode_to_head(std::string_view payload) {
  return decode<ToHead, proto::ToHead>(payload);
}

}  // namespace muster::wire

// Join as bytes, and back.
#include "wire/codec_parts.hpp"
#include "wire/join.hpp"

namespace muster::wire {

std::string encode(const Join& join) {
  proto::Join to;
  to.set_protocol(join.protocol);
  to.set_version(join.version);
  to.set_nodes(join.nodes);
  to.set_node(join.node ? *join.node + 1 : 0);
  to.set_hostname(join.hostname);
  to.set_ranks(join.ranks);
  to.set_role(join.role);
  for (const std::string& word : join.command) to.add_command(word);
  to.set_workdir(join.workdir);
  write_variables(*to.mutable_environment(), join.environment);
  to.set_called(join.called);
  to.set_user(join.user);
  return to.SerializeAsString();
}

base::Result<Join> decode_join(std::string_view bytes) {
  proto::Join in;
  if (bytes.size() > kJoinMax || !in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return base::fail(base::Fault::unreachable, {}, "what it says of itself makes no sense");
  }
  Bounds bounds;
  Join join;
  join.protocol = in.protocol();
  join.version = std::move(*in.mutable_version());
  join.nodes = bounds.at_most("nodes", in.nodes(), model::kRanksMax);
  if (in.node() > 0) join.node = bounds.at_most("node", in.node() - 1, model::kRanksMax - 1);
  join.hostname = std::move(*in.mutable_hostname());
  join.ranks = bounds.at_most("ranks", in.ranks(), model::kRanksMax);
  bounds.at_least("ranks", join.ranks, 1);
  join.called = in.called();
  if (!join.called) bounds.at_least("words of a command", in.command_size(), 1);
  join.user = std::move(*in.mutable_user());
  join.role = std::move(*in.mutable_role());
  join.command = read_texts(*in.mutable_command());
  join.workdir = std::move(*in.mutable_workdir());
  join.environment = read_variables(*in.mutable_environment());
  if (bounds.complaint()) {
    return base::fail(base::Fault::unreachable, {}, "{}", *bounds.complaint());
  }
  return join;
}

}  // namespace muster::wire

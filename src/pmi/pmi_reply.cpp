// Writes replies of PMI-1 and PMI-2.
#include "pmi/pmi_reply.hpp"

#include <fmt/format.h>
#include <string_view>

#include "base/check.hpp"

namespace muster::pmi {
namespace {

// The reply that this request calls for; any other is a fault of our own.
template <class Wanted>
const Wanted& the(const Reply& reply) {
  const auto* found = std::get_if<Wanted>(&reply);
  CHECK(found);
  return *found;
}

// "Failed" and "NotFound" as one word; empty when the request was granted.
std::string refusal(const Reply& reply, std::string_view absent) {
  if (std::holds_alternative<NotFound>(reply)) return std::string(absent);
  const auto* failed = std::get_if<Failed>(&reply);
  return failed ? failed->message : std::string();
}

// A blank or a newline in a value would end it, and what follows would pass for our own words. A
// blank after a backslash stays in the value, see parse_line().
bool fits_a_line(std::string_view value) {
  bool escaped = false;
  for (const char letter : value) {
    if (letter == '\n' || letter == '\0' || (letter == ' ' && !escaped)) return false;
    escaped = letter == '\\' && !escaped;
  }
  return true;
}

// ---- PMI-1 --------------------------------------------------------------------------------------

std::string rc_and_message(const std::string& refused, int rc) {
  return refused.empty() ? "rc=0 msg=success" : fmt::format("rc={} msg={}", rc, refused);
}

std::string init_line(const ReceivedRequest& asked, const Reply& reply) {
  const auto& init = std::get<Init>(asked.request);
  const bool done = std::holds_alternative<Done>(reply);
  const std::uint32_t version = done ? init.version : 2;
  return fmt::format("cmd=response_to_init pmi_version={} pmi_subversion={} rc={}\n", version,
                     version == 1 ? 1 : 0, done ? 0 : -1);
}

// Four lines, which MPICH reads in this order.
std::string port_init_lines(const Reply& reply) {
  const auto& identity = the<Identity>(reply);
  return fmt::format("cmd=initack\ncmd=set size={}\ncmd=set rank={}\ncmd=set debug=0\n",
                     identity.size, identity.rank);
}

std::string maxes_line() {
  return fmt::format("cmd=maxes kvsname_max={} keylen_max={} vallen_max={}\n", kKvsNameMax, kKeyMax,
                     kToldValueMax);
}

std::string get_line(const ReceivedRequest& asked, const Reply& reply) {
  const auto& key = std::get<Get>(asked.request).key;
  std::string refused = refusal(reply, fmt::format("key_{}_not_found", key));
  const auto* text = std::get_if<Text>(&reply);
  if (text && fits_a_line(text->value)) {
    std::string line = fmt::format("cmd=get_result rc=0 msg=success value={}\n", text->value);
    if (line.size() < kReplyLineMax) return line;
  }
  if (text) refused = fmt::format("value_of_{}_does_not_fit_a_line", key);
  return fmt::format("cmd=get_result rc=-1 msg={} value=unknown\n", refused);
}

// MPICH 4.0 looks at info only, newer ones at rc only.
std::string name_line(std::string_view name, const Reply& reply, std::string_view absent) {
  const std::string refused = refusal(reply, absent);
  return fmt::format("cmd={} info={} {}\n", name, refused.empty() ? "ok" : "failed",
                     rc_and_message(refused, 1));
}

std::string lookup_line(const Reply& reply) {
  const auto* text = std::get_if<Text>(&reply);
  if (text && fits_a_line(text->value)) {
    std::string line =
        fmt::format("cmd=lookup_result port={} info=ok rc=0 msg=success\n", text->value);
    if (line.size() < kReplyLineMax) return line;
  }
  if (text) return name_line("lookup_result", Failed{"port_does_not_fit_a_line"}, "");
  return name_line("lookup_result", reply, "service_not_found");
}

// Clients take errcodes that are missing, for example because the line has no room, for zeros.
std::string spawn_line(const Reply& reply) {
  const std::string refused = refusal(reply, "not_found");
  if (!refused.empty()) return fmt::format("cmd=spawn_result rc=-1 msg={}\n", refused);
  const auto& errors = the<Spawned>(reply).errors;
  std::string line = fmt::format("cmd=spawn_result rc=0 errcodes={}\n", fmt::join(errors, ","));
  return errors.empty() || line.size() >= kReplyLineMax ? "cmd=spawn_result rc=0\n" : line;
}

std::string barrier_line(const Reply& reply) {
  const std::string refused = refusal(reply, "not_found");
  return refused.empty() ? "cmd=barrier_out\n"
                         : fmt::format("cmd=barrier_out rc=-1 msg={}\n", refused);
}

// "create_kvs" and its like.
std::string unsupported_line(const std::string& name, const Reply& reply) {
  std::string_view answer = "getbyidx_results";
  if (name == "create_kvs") answer = "newkvs";
  if (name == "destroy_kvs") answer = "kvs_destroyed";
  const std::string refused = refusal(reply, "not_found");
  return fmt::format("cmd={} rc=-1 msg={} reason={}\n", answer, refused, refused);
}

struct LineOf {
  const ReceivedRequest& asked;
  const Reply& reply;

  std::string operator()(const Init&) const { return init_line(asked, reply); }
  std::string operator()(const PortInit&) const { return port_init_lines(reply); }
  std::string operator()(const SingletonInit&) const {
    return fmt::format("cmd=singinit_info versionok=yes stdio=no kvsname={}\n",
                       the<Text>(reply).value);
  }
  std::string operator()(const GetMaxes&) const { return maxes_line(); }
  std::string operator()(const GetAppnum&) const {
    return fmt::format("cmd=appnum appnum={}\n", the<Number>(reply).value);
  }
  std::string operator()(const GetKvsName&) const {
    return fmt::format("cmd=my_kvsname kvsname={}\n", the<Text>(reply).value);
  }
  std::string operator()(const GetUniverseSize&) const {
    return fmt::format("cmd=universe_size size={}\n", the<Number>(reply).value);
  }
  std::string operator()(const Put&) const {
    return fmt::format("cmd=put_result {}\n", rc_and_message(refusal(reply, "not_found"), -1));
  }
  std::string operator()(const Get&) const { return get_line(asked, reply); }
  std::string operator()(const Barrier&) const { return barrier_line(reply); }
  std::string operator()(const Finalize&) const { return "cmd=finalize_ack\n"; }
  std::string operator()(const Publish&) const {
    return name_line("publish_result", reply, "key_already_present");
  }
  std::string operator()(const Lookup&) const { return lookup_line(reply); }
  std::string operator()(const Unpublish&) const {
    return name_line("unpublish_result", reply, "service_not_found");
  }
  std::string operator()(const Spawn&) const { return spawn_line(reply); }
  std::string operator()(const Unsupported&) const { return unsupported_line(asked.name, reply); }
  template <class OfPmi2>
  std::string operator()(const OfPmi2&) const {
    CHECK(!"a request that PMI-1 does not know");
  }
};

// ---- PMI-2 --------------------------------------------------------------------------------------

// One reply being written: fields, then rc, then the length before it all.
class Frame {
 public:
  explicit Frame(const ReceivedRequest& asked) {
    add("cmd", asked.name + "-response");
    if (!asked.thread.empty()) add("thrid", asked.thread);
  }
  void add(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(body_), "{}=", key);
    for (const char letter : value) {
      if (letter == ';') body_.push_back(';');
      body_.push_back(letter);
    }
    body_.push_back(';');
  }
  void add(std::string_view key, std::int64_t value) { add(key, std::to_string(value)); }
  std::string end(const std::string& refused) {
    add("rc", refused.empty() ? 0 : 1);
    if (!refused.empty()) add("errmsg", refused);
    return fmt::format("{:6}{}", body_.size(), body_);
  }

 private:
  std::string body_;
};

std::string full_init_frame(const ReceivedRequest& asked, const Reply& reply) {
  const auto& identity = the<Identity>(reply);
  Frame frame(asked);
  frame.add("pmi-version", 2);
  frame.add("pmi-subversion", 0);
  frame.add("rank", identity.rank);
  frame.add("size", identity.size);
  frame.add("appnum", identity.appnum);
  if (!identity.spawner.empty()) frame.add("spawner-jobid", identity.spawner);
  frame.add("debugged", "FALSE");
  frame.add("pmiverbose", "FALSE");
  return frame.end({});
}

// An absent key is no fault: rc stays 0.
std::string found_frame(const ReceivedRequest& asked, const Reply& reply) {
  Frame frame(asked);
  const auto* text = std::get_if<Text>(&reply);
  frame.add("found", text ? "TRUE" : "FALSE");
  if (text) frame.add("value", text->value);
  return frame.end(refusal(reply, ""));
}

// The port is called value by MPICH 4.0, port by newer ones. An absent name is a fault.
std::string lookup_frame(const ReceivedRequest& asked, const Reply& reply) {
  Frame frame(asked);
  const auto* text = std::get_if<Text>(&reply);
  frame.add("found", text ? "TRUE" : "FALSE");
  if (text) frame.add("value", text->value);
  if (text) frame.add("port", text->value);
  return frame.end(refusal(reply, "service_not_found"));
}

std::string spawn_frame(const ReceivedRequest& asked, const Reply& reply) {
  Frame frame(asked);
  if (const auto* spawned = std::get_if<Spawned>(&reply)) {
    frame.add("jobid", spawned->job);
    frame.add("nerrs", 0);
    if (!spawned->errors.empty())
      frame.add("errcodes", fmt::format("{}", fmt::join(spawned->errors, ",")));
  }
  return frame.end(refusal(reply, "not_found"));
}

struct FrameOf {
  const ReceivedRequest& asked;
  const Reply& reply;

  std::string done_or(std::string_view absent) const {
    return Frame(asked).end(refusal(reply, absent));
  }

  std::string operator()(const FullInit&) const { return full_init_frame(asked, reply); }
  std::string operator()(const GetKvsName&) const {
    Frame frame(asked);
    frame.add("jobid", the<Text>(reply).value);
    return frame.end({});
  }
  std::string operator()(const Get&) const { return found_frame(asked, reply); }
  std::string operator()(const GetJobAttribute&) const { return found_frame(asked, reply); }
  std::string operator()(const GetNodeAttribute&) const { return found_frame(asked, reply); }
  std::string operator()(const Lookup&) const { return lookup_frame(asked, reply); }
  std::string operator()(const Spawn&) const { return spawn_frame(asked, reply); }
  std::string operator()(const Publish&) const { return done_or("key_already_present"); }
  std::string operator()(const Unpublish&) const { return done_or("service_not_found"); }
  template <class DoneOrRefused>
  std::string operator()(const DoneOrRefused&) const {
    return done_or("not_found");
  }
};

}  // namespace

std::string reply_v1(const ReceivedRequest& asked, const Reply& reply) {
  return std::visit(LineOf{asked, reply}, asked.request);
}

std::string reply_v2(const ReceivedRequest& asked, const Reply& reply) {
  return std::visit(FrameOf{asked, reply}, asked.request);
}

}  // namespace muster::pmi

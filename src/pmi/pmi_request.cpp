// Makes requests of commands, with every bound checked.
#include "pmi/pmi_request.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace muster::pmi {
namespace {

using base::Result;

constexpr std::size_t kWordMax = 1u << 20;  // a program or argument: as long as a frame allows

const std::string* find(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  return found == fields.end() ? nullptr : &found->second;
}

// Collects the fields of one command; after the first that is wrong the rest is of no matter.
class Reader {
 public:
  Reader(std::string_view name, const Fields& fields) : name_(name), fields_(fields) {}

  std::string text(std::string_view key, std::size_t max) {
    const std::string* value = find(fields_, key);
    if (!value) complain("without", key);
    return value ? bounded(key, *value, max) : std::string();
  }
  // The key of a store: never empty.
  std::string key(std::string_view name) {
    std::string value = text(name, kKeyMax);
    if (value.empty()) complain("with an empty", name);
    return value;
  }
  std::string text_or_none(std::string_view key, std::size_t max) {
    const std::string* value = find(fields_, key);
    return value ? bounded(key, *value, max) : std::string();
  }
  template <class T>
  T number(std::string_view key, T least, T most) {
    const std::string* value = find(fields_, key);
    T out = least;
    if (value && parse(*value, out) && out >= least && out <= most) return out;
    complain(value ? "with a wrong" : "without", key);
    return least;
  }
  template <class T>
  T number_or(std::string_view key, T otherwise, T least, T most) {
    return find(fields_, key) ? number(key, least, most) : otherwise;
  }
  bool flag(std::string_view key) {
    const std::string* value = find(fields_, key);
    return value && *value == "TRUE";
  }
  [[nodiscard]] bool has(std::string_view key) const { return find(fields_, key) != nullptr; }

  template <class T>
  Result<T> give(T value) const {
    if (error_) return tl::unexpected(*error_);
    return value;
  }

 private:
  template <class T>
  static bool parse(const std::string& text, T& out) {
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, out);
    return error == std::errc() && stopped == end;
  }
  std::string bounded(std::string_view key, const std::string& value, std::size_t max) {
    if (value.size() <= max) return value;
    complain("with a too long", key);
    return {};
  }
  void complain(std::string_view what, std::string_view key) {
    if (!error_) error_ = malformed(fmt::format("{} {} {}", name_, what, key), "").value();
  }

  std::string_view name_;
  const Fields& fields_;
  std::optional<base::Error> error_;
};

constexpr std::uint32_t kAnyNumber = ~std::uint32_t{0};
constexpr std::uint32_t kPairsMax = kFieldsMax / 2;

// "info_key_0=", "info_val_0=", ... as many as `count` says.
std::vector<KeyValue> pairs(Reader& read, std::string_view count, std::string_view key,
                            std::string_view value) {
  std::vector<KeyValue> out;
  const auto number = read.number_or<std::uint32_t>(count, 0, 0, kPairsMax);
  for (std::uint32_t i = 0; i < number && read.has(fmt::format("{}{}", key, i)); ++i)
    out.push_back({read.text(fmt::format("{}{}", key, i), kTextMax),
                   read.text(fmt::format("{}{}", value, i), kWordMax)});
  if (out.size() < number) read.text(fmt::format("{}{}", key, out.size()), 0);
  return out;
}

std::vector<std::string> arguments(Reader& read, std::string_view count, std::string_view key,
                                   std::uint32_t first) {
  std::vector<std::string> out;
  const auto number = read.number_or<std::uint32_t>(count, 0, 0, std::uint32_t{kFieldsMax});
  for (std::uint32_t i = 0; i < number && read.has(fmt::format("{}{}", key, first + i)); ++i)
    out.push_back(read.text(fmt::format("{}{}", key, first + i), kWordMax));
  if (out.size() < number) read.text(fmt::format("{}{}", key, first + out.size()), 0);
  return out;
}

using Make = Request (*)(Reader&);
struct Known {
  std::string_view name;
  Make make;
};

template <class Plain>
Request plain(Reader& /*read*/) {
  return Plain{};
}

Request init(Reader& read) {
  return Init{read.number<std::uint32_t>("pmi_version", 0, kAnyNumber),
              read.number<std::uint32_t>("pmi_subversion", 0, kAnyNumber)};
}
Request port_init(Reader& read) {
  return PortInit{read.number<std::uint32_t>("pmiid", 0, kAnyNumber)};
}
Request put(Reader& read) {
  return Put{read.text_or_none("kvsname", kKvsNameMax), read.key("key"),
             read.text("value", kValueMax)};
}
Request get(Reader& read) {
  return Get{read.text_or_none("kvsname", kKvsNameMax), read.key("key")};
}
Request barrier(Reader& read) { return Barrier{read.text_or_none("group", kTextMax)}; }

// 4.0's PMI-1 sends exitcode alone, its PMI-2 isworld and msg; newer ones exitcode and message.
Request abort(Reader& read) {
  const auto code = read.number_or<std::int32_t>("exitcode", 1, INT32_MIN, INT32_MAX);
  return Abort{code, read.text_or_none(read.has("msg") ? "msg" : "message", kTextMax)};
}
Request publish(Reader& read) {
  return Publish{read.text("service", kTextMax), read.text("port", kTextMax)};
}
Request lookup(Reader& read) { return Lookup{read.text("service", kTextMax)}; }
Request unpublish(Reader& read) { return Unpublish{read.text("service", kTextMax)}; }

constexpr std::array<Known, 18> kV1{{
    {"init", init},
    {"initack", port_init},
    {"singinit", plain<SingletonInit>},
    {"get_maxes", plain<GetMaxes>},
    {"get_appnum", plain<GetAppnum>},
    {"get_my_kvsname", plain<GetKvsName>},
    {"get_universe_size", plain<GetUniverseSize>},
    {"put", put},
    {"get", get},
    {"barrier_in", barrier},
    {"finalize", plain<Finalize>},
    {"abort", abort},
    {"publish_name", publish},
    {"lookup_name", lookup},
    {"unpublish_name", unpublish},
    {"create_kvs", plain<Unsupported>},
    {"destroy_kvs", plain<Unsupported>},
    {"getbyidx", plain<Unsupported>},
}};

Request full_init(Reader& read) {
  if (!read.has("pmirank")) return FullInit{};
  return FullInit{read.number<std::uint32_t>("pmirank", 0, kAnyNumber)};
}
Request job_attribute(Reader& read) { return GetJobAttribute{read.key("key")}; }
Request put_node(Reader& read) {
  return PutNodeAttribute{read.key("key"), read.text_or_none("value", kValueMax)};
}
Request get_node(Reader& read) { return GetNodeAttribute{read.key("key"), read.flag("wait")}; }
// Newer MPICH leaves an empty value out.
Request put_v2(Reader& read) {
  return Put{{}, read.key("key"), read.text_or_none("value", kValueMax)};
}
// srcid says who put it, a hint that is not needed.
Request get_v2(Reader& read) {
  return Get{read.text_or_none("jobid", kKvsNameMax), read.key("key")};
}
Request publish_v2(Reader& read) {
  return Publish{read.text("name", kTextMax), read.text("port", kTextMax)};
}
Request lookup_v2(Reader& read) { return Lookup{read.text("name", kTextMax)}; }
Request unpublish_v2(Reader& read) { return Unpublish{read.text("name", kTextMax)}; }

constexpr std::array<Known, 15> kV2{{
    {"fullinit", full_init},
    {"job-getid", plain<GetKvsName>},
    {"info-getjobattr", job_attribute},
    {"info-putnodeattr", put_node},
    {"info-getnodeattr", get_node},
    {"kvs-put", put_v2},
    {"kvs-get", get_v2},
    {"kvs-fence", plain<Barrier>},
    {"name-publish", publish_v2},
    {"name-lookup", lookup_v2},
    {"name-unpublish", unpublish_v2},
    {"abort", abort},
    {"finalize", plain<Finalize>},
    {"job-connect", plain<Unsupported>},
    {"job-disconnect", plain<Unsupported>},
}};

template <class Table>
Result<Request> look_up(const Table& table, const Command& command) {
  for (const Known& known : table) {
    if (known.name != command.name) continue;
    Reader read(known.name, command.fields);
    Request request = known.make(read);
    return read.give(std::move(request));
  }
  return malformed("an unknown command", command.name);
}

// MPICH counts argv from 0 in 4.0 and from 1 later.
Result<SpawnCommand> part_v2(const Fields& fields) {
  Reader read("spawn", fields);
  SpawnCommand out;
  out.program = read.text("subcmd", kWordMax);
  out.copies = read.number<std::uint32_t>("maxprocs", 1, kSpawnCopiesMax);
  out.arguments = arguments(read, "argc", "argv", read.has("argv0") ? 0 : 1);
  out.info = pairs(read, "infokeycount", "infokey", "infoval");
  return read.give(std::move(out));
}

Result<Request> spawn_v2(const Command& command) {
  Reader read("spawn", command.fields);
  const auto count = read.number<std::uint32_t>("ncmds", 1, kSpawnCommandsMax);
  Spawn spawn{{}, pairs(read, "preputcount", "ppkey", "ppval")};
  if (auto head = read.give(true); !head) return tl::unexpected(head.error());
  if (count != command.parts.size())
    return malformed("a spawn with too many or too few commands", "");
  for (const Fields& fields : command.parts) {
    auto part = part_v2(fields);
    if (!part) return tl::unexpected(part.error());
    spawn.commands.push_back(std::move(*part));
  }
  return Request{std::move(spawn)};
}

}  // namespace

Result<Request> request_v1(const Command& command) { return look_up(kV1, command); }

Result<Request> request_v2(const Command& command) {
  return command.name == "spawn" ? spawn_v2(command) : look_up(kV2, command);
}

Result<SpawnBody> spawn_body(const Command& command) {
  if (command.name != "spawn") return malformed("an unknown command", command.name);
  Reader read("spawn", command.fields);
  SpawnBody out;
  out.total = read.number<std::uint32_t>("totspawns", 1, kSpawnCommandsMax);
  out.number = read.number<std::uint32_t>("spawnssofar", 1, kSpawnCommandsMax);
  out.command.program = read.text("execname", kWordMax);
  out.command.copies = read.number<std::uint32_t>("nprocs", 1, kSpawnCopiesMax);
  out.command.arguments = arguments(read, "argcnt", "arg", 1);
  out.command.info = pairs(read, "info_num", "info_key_", "info_val_");
  out.preput = pairs(read, "preput_num", "preput_key_", "preput_val_");
  return read.give(std::move(out));
}

}  // namespace muster::pmi

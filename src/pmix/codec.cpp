// One list of each value's fields serves both directions.
#include "pmix/codec.hpp"

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace muster::pmix {

namespace {

template <class Given, class Wanted>
concept Is = std::same_as<std::remove_const_t<Given>, Wanted>;

// The fields of each value, in the order in which they travel; for const and other values alike.
auto fields(Is<Ready> auto&) { return std::tie(); }
auto fields(Is<Broken> auto& v) { return std::tie(v.what, v.hint); }
auto fields(Is<Proc> auto& v) { return std::tie(v.nspace, v.rank); }
auto fields(Is<Connected> auto& v) { return std::tie(v.proc); }
auto fields(Is<Finalized> auto& v) { return std::tie(v.ticket, v.proc); }
auto fields(Is<Aborted> auto& v) {
  return std::tie(v.ticket, v.proc, v.code, v.message, v.victims);
}
auto fields(Is<Fence> auto& v) { return std::tie(v.ticket, v.procs, v.blob); }
auto fields(Is<Modex> auto& v) { return std::tie(v.ticket, v.proc); }
auto fields(Is<ModexFound> auto& v) { return std::tie(v.ticket, v.status, v.blob); }
auto fields(Is<Datum> auto& v) { return std::tie(v.owner, v.key, v.blob); }
auto fields(Is<Publish> auto& v) { return std::tie(v.ticket, v.data, v.once); }
auto fields(Is<Lookup> auto& v) { return std::tie(v.ticket, v.keys, v.wait); }
auto fields(Is<Unpublish> auto& v) { return std::tie(v.ticket, v.proc, v.keys); }
auto fields(Is<Connect> auto& v) { return std::tie(v.ticket, v.procs, v.apart); }
auto fields(Is<SpawnWish> auto& v) { return std::tie(v.key, v.value); }
auto fields(Is<AppOrder> auto& v) {
  return std::tie(v.command, v.arguments, v.environment, v.count, v.wishes);
}
auto fields(Is<Spawn> auto& v) { return std::tie(v.ticket, v.proc, v.apps); }
auto fields(Is<Event> auto& v) { return std::tie(v.code, v.source, v.range, v.blob); }
auto fields(Is<JobApp> auto& v) { return std::tie(v.command, v.workdir, v.size); }
auto fields(Is<Job> auto& v) {
  return std::tie(v.nspace, v.hosts, v.ranks, v.node, v.universe, v.scratch, v.apps, v.parent,
                  v.world, v.offset);
}
auto fields(Is<AddJob> auto& v) { return std::tie(v.job); }
auto fields(Is<Reply> auto& v) { return std::tie(v.ticket, v.status, v.blob); }
auto fields(Is<Found> auto& v) { return std::tie(v.ticket, v.status, v.data); }
auto fields(Is<Spawned> auto& v) { return std::tie(v.ticket, v.status, v.nspace); }
auto fields(Is<FetchModex> auto& v) { return std::tie(v.ticket, v.proc); }

class Out {
 public:
  explicit Out(std::string& bytes) : bytes_(bytes) {}

  template <class Number>
  requires std::is_integral_v<Number>
  void put(Number number) {
    auto bits = static_cast<std::uint64_t>(number);
    for (std::size_t i = 0; i < sizeof(Number); ++i, bits >>= 8) {
      bytes_.push_back(static_cast<char>(bits & 0xff));
    }
  }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  template <class Item>
  void put(const std::vector<Item>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const Item& item : list) put(item);
  }
  template <class Item>
  void put(const std::optional<Item>& item) {
    put(item.has_value());
    if (item) put(*item);
  }
  template <class Value>
  requires std::is_class_v<Value>
  void put(const Value& value) {
    std::apply([&](const auto&... field) { (put(field), ...); }, fields(value));
  }

 private:
  std::string& bytes_;
};

// Once something is missing, everything else reads as empty and good() is false.
class In {
 public:
  explicit In(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool good() const { return good_ && rest_.empty(); }
  template <class Number>
  requires std::is_integral_v<Number>
  void take(Number& number) {
    std::uint64_t bits = 0;
    int shift = 0;
    for (const char byte : bytes(sizeof(Number))) {
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << shift;
      shift += 8;
    }
    number = static_cast<Number>(bits);
  }
  void take(std::string& text) { text = bytes(count()); }
  template <class Item>
  void take(std::vector<Item>& list) {
    const std::uint32_t size = count();
    // Grows item by item: a length that lies must not become an allocation.
    for (std::uint32_t i = 0; i < size && good_; ++i) {
      if (rest_.empty()) good_ = false;
      take(list.emplace_back());
    }
  }
  template <class Item>
  void take(std::optional<Item>& item) {
    bool there = false;
    take(there);
    if (there) take(item.emplace());
  }
  template <class Value>
  requires std::is_class_v<Value>
  void take(Value& value) {
    std::apply([&](auto&... field) { (take(field), ...); }, fields(value));
  }

 private:
  std::string_view bytes(std::size_t count) {
    if (count > rest_.size()) {
      good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint32_t count() {
    std::uint32_t number = 0;
    take(number);
    return number;
  }

  std::string_view rest_;
  bool good_ = true;
};

template <class Variant>
void append_frame(std::string& out, const Variant& value) {
  std::string payload;
  Out archive(payload);
  archive.put(static_cast<std::uint8_t>(value.index()));
  std::visit([&](const auto& one) { archive.put(one); }, value);
  Out(out).put(static_cast<std::uint32_t>(payload.size()));
  out += payload;
}

// The alternative with that index, read; false when there is none or its bytes make no sense.
template <class Variant, std::size_t index = 0>
bool read(std::size_t kind, std::string_view payload, Variant& value) {
  if constexpr (index < std::variant_size_v<Variant>) {
    if (kind != index) return read<Variant, index + 1>(kind, payload, value);
    In archive(payload);
    archive.take(value.template emplace<index>());
    return archive.good();
  }
  return false;
}

constexpr std::size_t kHeader = 4;

}  // namespace

void append(std::string& out, const Upcall& upcall) { append_frame(out, upcall); }
void append(std::string& out, const Command& command) { append_frame(out, command); }

template <class Value>
void Reader<Value>::feed(std::string_view bytes) {
  buffer_.erase(0, std::exchange(at_, 0));
  buffer_ += bytes;
}

template <class Value>
base::Result<std::optional<Value>> Reader<Value>::next() {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  if (rest.size() < kHeader) return std::nullopt;
  std::uint32_t size = 0;
  In(rest.substr(0, kHeader)).take(size);
  if (size == 0 || size > kFrameMax) {
    return base::fail(base::Fault::internal, {}, "a PMIx frame of {} bytes", size);
  }
  if (rest.size() - kHeader < size) return std::nullopt;
  at_ += kHeader + size;
  Value value;
  const auto kind = static_cast<unsigned char>(rest[kHeader]);
  if (!read(kind, rest.substr(kHeader + 1, size - 1), value)) {
    return base::fail(base::Fault::internal, {}, "a PMIx frame of kind {} makes no sense", kind);
  }
  return value;
}

template class Reader<Upcall>;
template class Reader<Command>;

}  // namespace muster::pmix

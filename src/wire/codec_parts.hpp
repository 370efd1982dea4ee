// What the parts of the codec share. Included by them and by nothing else: it brings protobuf.
#pragma once

#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wire.pb.h"
#include "wire/bounds.hpp"
#include "wire/messages.hpp"

namespace muster::wire {

void write_message(proto::ToAgent& out, const ToAgent& message);
void write_message(proto::ToHead& out, const ToHead& message);
// Nothing: a kind that is not known here.
[[nodiscard]] std::optional<ToAgent> read(proto::ToAgent& in, Bounds& bounds);
[[nodiscard]] std::optional<ToHead> read(proto::ToHead& in, Bounds& bounds);

void write_pmix(proto::PmixUp& to, const PmixUp& up);
void write_pmix(proto::PmixDown& to, const PmixDown& down);
void write_pmix(proto::PmixAddJob& to, const pmix::AddJob& add);
// Nothing: a kind that is not known here.
[[nodiscard]] std::optional<PmixUp> read_pmix(proto::PmixUp& in, Bounds& bounds);
[[nodiscard]] std::optional<PmixDown> read_pmix(proto::PmixDown& in, Bounds& bounds);
[[nodiscard]] pmix::AddJob read_pmix(proto::PmixAddJob& in, Bounds& bounds);
void write_world(proto::World& to, const World& world);
[[nodiscard]] World read_world(proto::World& in, Bounds& bounds);

inline constexpr std::uint32_t kExitCodeMax = 255;

inline proto::Stream to_proto(Stream stream) {
  return stream == Stream::out ? proto::STREAM_OUT : proto::STREAM_ERR;
}

template <class Repeated>
void write_variables(Repeated& out, const std::vector<NameValue>& variables) {
  out.Reserve(static_cast<int>(variables.size()));
  for (const NameValue& variable : variables) {
    auto& one = *out.Add();
    one.set_name(variable.name);
    one.set_value(variable.value);
  }
}

template <class Repeated>
std::vector<NameValue> read_variables(Repeated& in) {
  std::vector<NameValue> variables;
  variables.reserve(static_cast<std::size_t>(in.size()));
  for (auto& one : in)
    variables.push_back({std::move(*one.mutable_name()), std::move(*one.mutable_value())});
  return variables;
}

template <class Repeated>
void write_devices(Repeated& out, const std::vector<model::Devices>& devices) {
  for (const model::Devices& some : devices) {
    auto& one = *out.Add();
    one.set_variable(some.variable);
    for (const std::string& id : some.ids) one.add_ids(id);
    for (const std::uint32_t user : some.holders) one.add_holders(user);
  }
}

template <class Repeated>
std::vector<std::string> read_texts(Repeated& in) {
  return {std::make_move_iterator(in.begin()), std::make_move_iterator(in.end())};
}

template <class Repeated>
std::vector<model::Devices> read_devices(Repeated& in) {
  std::vector<model::Devices> devices;
  devices.reserve(static_cast<std::size_t>(in.size()));
  for (auto& one : in) {
    devices.push_back({std::move(*one.mutable_variable()),
                       read_texts(*one.mutable_ids()),
                       {one.holders().begin(), one.holders().end()}});
  }
  return devices;
}

}  // namespace muster::wire

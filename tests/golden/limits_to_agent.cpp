// The limits of the head's messages; those of World and PMIx have files of their own.
#include <string>
#include <variant>

#include "golden/limits.hpp"
#include "golden/limits_parts.hpp"
#include "golden/raw_frames.hpp"
#include "model/job_spec.hpp"
#include "wire/codec.hpp"

namespace muster::wire {
namespace {

Limits limits(const Hello& sample) {
  return {limit("number of the host", model::kRanksMax - 1, sample,
                [](Hello& hello, auto value) { hello.node = base::NodeIndex(value); }),
          limit("ports to claim", model::kRolesRanksMax, sample,
                [](Hello& hello, auto value) { hello.ports = static_cast<std::uint32_t>(value); })};
}

// Sets of cpus that C++ could not hold are laid over those of the sample.
Limit cpu_limit(const std::string& name, const Prepare& sample, int number) {
  return around(name, model::kCpusMax - 1, [&](auto value) {
    return with_field(framed(sample), {2, number}, std::string_view(std::to_string(value)));
  });
}

Limits lists_of(Prepare sample) {
  sample.sets.resize(2);
  sample.bindings = {};
  sample.earlier = {};
  return {limit("fed ranks", model::kRanksMax, sample,
                [](Prepare& one, auto value) { one.fed.assign(value, 0); }),
          limit("sets of cpus", model::kRanksMax, sample,
                [](Prepare& one, auto value) { one.sets.assign(value, {}); }),
          limit("bindings", model::kRanksMax, sample,
                [](Prepare& one, auto value) { one.bindings.assign(value, 0); }),
          limit("index of a set, of two", 1, sample, [](Prepare& one, auto value) {
            one.bindings = {static_cast<std::uint32_t>(value)};
          })};
}

Limits limits(const Prepare& sample) {
  const Limits all = {
      of_world(sample),
      limit("number of the host", model::kRanksMax - 1, sample,
            [](Prepare& one, auto value) { one.node = base::NodeIndex(value); }),
      limit("fed rank", model::kRanksMax - 1, sample,
            [](Prepare& one, auto value) { one.fed = {static_cast<std::uint32_t>(value)}; }),
      cpu_limit("cpu of a set", sample, 20),
      cpu_limit("cpu of claims", sample, 16),
      around("held port", 65'535, [&](auto value) {
        return with_field(framed(sample), {2, 14}, value);
      })};
  const auto framed_job = [&sample](const pmix::AddJob& job) {
    Prepare with_job = sample;
    with_job.earlier = {job};
    return framed(with_job);
  };
  return joined(joined(all, lists_of(sample)), limits_of_job(framed_job));
}

Limits limits(const Start& sample) { return {of_world(sample)}; }
Limits limits(const Drop& sample) { return {of_world(sample)}; }
Limits limits(const ToLauncher& sample) { return {launcher_bytes(sample)}; }
Limits limits(const Release&) { return {}; }

Limits limits(const Contain& sample) {
  return {around("runtime", 5, [&](auto value) {
    return with_field(framed(sample), {22, 2}, value);
  })};
}

Limits limits(const Reach& sample) {
  return {limit("port", 65'535, sample,
                [](Reach& one, auto value) { one.port = static_cast<std::uint32_t>(value); })};
}

Limits limits(const FenceOut& sample) { return {of_world(sample)}; }
Limits limits(const Spawned& sample) { return {of_world(sample)}; }

template <class Message>
Limits signal_limits(const Message& sample) {
  const auto set = [](Message& one, auto value) { one.number = static_cast<std::int32_t>(value); };
  return {limit("lowest signal", 0, sample, set), limit("highest signal", kSignalMax, sample, set)};
}

Limits limits(const Signal& sample) { return signal_limits(sample); }
Limits limits(const Stop& sample) { return signal_limits(sample); }

Limits limits(const Input& sample) {
  return {of_rank(sample), around("shortest payload", 4, raw_of(kInputKind)),
          around("longest payload", kRawMax, raw_of(kInputKind))};
}

Limits limits(const InputEnd& sample) { return {of_rank(sample)}; }

Limits limits(const Credit& sample) { return joined({of_rank(sample)}, of_stream(sample, {8, 2})); }

Limits limits(const NameAnswer& sample) {
  return {around("verdict", 2, [&](auto value) {
    return with_field(framed(sample), {13, 2}, value);
  })};
}

Limits limits(const Bye& sample) {
  return {limit("exit code", 255, sample,
                [](Bye& bye, auto value) { bye.code = static_cast<std::uint32_t>(value); })};
}

Limits limits(const PmixDown& sample) { return limits_of_command(sample.command); }
Limits limits(const World& sample) { return limits_of_world(sample); }
Limits limits(const Suspend&) { return {}; }
Limits limits(const Ping&) { return {}; }
Limits limits(const Trace&) { return {}; }

}  // namespace

Limits limits_of(const ToAgent& message) {
  return std::visit([](const auto& one) { return limits(one); }, message);
}

}  // namespace muster::wire

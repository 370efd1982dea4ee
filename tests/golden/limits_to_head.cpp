// The limits of the agent's messages; those of PMIx have a file of their own.
#include <string>
#include <variant>

#include "golden/limits.hpp"
#include "golden/limits_parts.hpp"
#include "golden/raw_frames.hpp"
#include "model/job_spec.hpp"
#include "wire/codec.hpp"

namespace muster::wire {
namespace {

// A text of so many bytes: blanks are skipped.
std::string topology_of(std::int64_t bytes) {
  std::string text = "topology 1\nallowed 0-7\nmachine 0-7\n";
  return text.insert(text.size() - 1, std::string(bytes - text.size(), ' '));
}

std::string topology_with(std::int64_t cores) {
  std::string text = "topology 1\nallowed 0-7\nmachine 0-7\ncore";
  for (std::int64_t i = 0; i < cores; ++i) text += " 0";
  return text + "\n";
}

Limits limits(const Welcome& sample) {
  const auto number = [&](int field) {
    return [&sample, field](auto value) { return with_field(framed(sample), {1, field}, value); };
  };
  const auto topology = [&](auto text_of) {
    return [&sample, text_of](auto value) {
      return with_field(framed(sample), {1, 11}, std::string_view(text_of(value)));
    };
  };
  return {around("port", 65'535, number(8)),
          around("port of a rank", 65'535, number(12)),
          limit("ports of ranks", model::kRolesRanksMax, sample,
                [](Welcome& one, auto value) { one.facts.rank_ports.assign(value, 1); }),
          around("clock, when Hello came", kClockMax, number(14)),
          around("clock, when this left", kClockMax, number(15)),
          around("bytes of the topology", 1 << 20, topology(topology_of)),
          around("cores of the topology", model::kCpusMax, topology(topology_with))};
}

Limits limits(const Prepared& sample) {
  return {of_world(sample),
          limit("bytes of a program's path", kProgramPathMax, sample,
                [](Prepared& one, auto value) { one.outside.assign(value, 'x'); }),
          limit("bytes of why no memory is bound", kReasonMax, sample,
                [](Prepared& one, auto value) { one.no_memory.assign(value, 'x'); }),
          limit("bytes of which program does not answer", kReasonMax, sample,
                [](Prepared& one, auto value) { one.unanswered.assign(value, 'x'); })};
}
Limits limits(const FenceIn& sample) { return {of_world(sample)}; }

Limit of_fault(const std::string& frame, const std::vector<int>& path) {
  return around("fault", static_cast<int>(base::Fault::output),
                [&](auto value) { return with_field(frame, path, value); });
}

Limits limits(const Refused& sample) { return {of_fault(framed(sample), {3, 1})}; }

Limits limits(const Declined& sample) {
  return {of_world(sample), of_fault(framed(sample), {15, 2, 1})};
}

Limits limits(const Started& sample) { return {of_rank(sample)}; }

Limits limits(const Output& sample) {
  const auto stream = [](auto value) {
    return raw_frame(kOutputKind, std::string(4, '\0') + static_cast<char>(value) + "text");
  };
  return {of_rank(sample), around("lowest stream", 1, stream), around("highest stream", 2, stream),
          around("shortest payload", 5, raw_of(kOutputKind)),
          around("longest payload", kRawMax, raw_of(kOutputKind))};
}

Limits limits(const OutputEnd& sample) {
  return joined({of_rank(sample)}, of_stream(sample, {6, 2}));
}

Limits limits(const Exited& sample) {
  const auto code = [](Exited& one, auto value) { one.exit.code = static_cast<int>(value); };
  const auto signal = [](Exited& one, auto value) { one.exit.signal = static_cast<int>(value); };
  return {limit("rank", model::kRanksMax - 1, sample,
                [](Exited& one, auto value) { one.exit.rank = base::Rank(value); }),
          limit("lowest exit code", 0, sample, code),
          limit("highest exit code", 255, sample, code),
          limit("lowest signal", 0, sample, signal),
          limit("highest signal", kSignalMax, sample, signal),
          limit("bytes of the error file", kErrorFileMax, sample,
                [](Exited& one, auto value) { one.error_file.assign(value, 'e'); }),
          limit("clock", kClockMax, sample,
                [](Exited& one, auto value) { one.at_us = static_cast<std::uint64_t>(value); })};
}

Limits limits(const InputCredit& sample) { return {of_rank(sample)}; }
Limits limits(const Aborted& sample) { return {of_rank(sample)}; }

Limits limits(const NameAsk& sample) {
  return {around("verb", 2, [&](auto value) {
    return with_field(framed(sample), {13, 2}, value);
  })};
}

Limits limits(const Pong& sample) {
  return {limit("clock", kClockMax, sample,
                [](Pong& one, auto value) { one.at_us = static_cast<std::uint64_t>(value); })};
}

Limits limits(const Spawn& sample) {
  return {of_rank(sample),
          limit("words of a command", 1, sample,
                [](Spawn& one, auto value) { one.apps[0].command.assign(value, "word"); }),
          limit("ranks of an app", model::kRanksMax, sample, [](Spawn& one, auto value) {
            one.apps[0].ranks = static_cast<std::uint32_t>(value);
          })};
}

Limits limits(const Attendance& sample) {
  return {limit("rank", model::kRanksMax - 1, sample,
                [](Attendance& one, auto value) { one.ranks = {base::Rank(value)}; }),
          limit("bytes of the library's name", kLibraryMax, sample,
                [](Attendance& one, auto value) { one.library.assign(value, 'm'); })};
}

Limits limits(const Traced& sample) {
  return {of_rank(sample), limit("bytes of the stack", kStackMax, sample,
                                 [](Traced& one, auto value) { one.stack.assign(value, 's'); })};
}

Limits limits(const FromLauncher& sample) { return {launcher_bytes(sample)}; }
Limits limits(const Reached&) { return {}; }

Limits limits(const Unreached& sample) { return {of_fault(framed(sample), {22, 1, 1})}; }

Limits limits(const Taken& sample) {
  return {around("cpu", model::kCpusMax - 1, [&](auto value) {
    return with_field(framed(sample), {19, 1}, std::string_view(std::to_string(value)));
  })};
}

Limits limits(const PmixUp& sample) { return limits_of_upcall(sample.upcall); }
Limits limits(const Stopped&) { return {}; }

}  // namespace

Limits limits_of(const ToHead& message) {
  return std::visit([](const auto& one) { return limits(one); }, message);
}

}  // namespace muster::wire

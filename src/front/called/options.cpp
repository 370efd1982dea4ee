// Two tables: what a head is told, and what a host is told of it.
#include "front/called/options.hpp"

#include "front/reach_options.hpp"
#include "front/voice.hpp"
#include "option/values.hpp"
#include "spec/limits.hpp"

namespace muster::front {
namespace {

using base::Result;
using Row = Option<CalledDraft>;

constexpr std::uint32_t kHostsMost = 100'000;

constexpr std::string_view kOpen = "Hosts that are opened";
constexpr std::string_view kMeet = "Meeting";
constexpr std::string_view kUse = "Hosts";
constexpr std::string_view kStop = "Failures and termination";
constexpr std::string_view kSee = "Information";

Result<void> set_secret(CalledDraft& draft, const Typed& typed) {
  return store(read_text(typed), draft.request.secret_file);
}

Result<void> set_limit(CalledDraft& draft, const Typed& typed) {
  return store(read_seconds(typed, spec::kPatience), draft.request.meeting.limit);
}

Result<void> set_limits(CalledDraft& draft, const Typed& typed) {
  return set_limit(draft, typed).and_then([&] {
    return take_reach<CalledDraft, Reach::patience>(draft, typed);
  });
}

Result<void> ask_help(CalledDraft& draft, const Typed&) { return raise(draft.help); }

constexpr Row kSecret = {{"--secret-file", kMeet, Takes::file, "FILE",
                          "What head and hosts know and nobody else may: a file that others cannot "
                          "read, fresh for each run."},
                         set_secret};
constexpr Row kColor = color_row<CalledDraft>(kSee);
constexpr Row kQuiet = quiet_row<CalledDraft>(kSee);
constexpr Row kVersion = version_row<CalledDraft>(kSee);
constexpr Row kHelp = {{"-h --help", kSee, Takes::nothing, "", "Show this help.", {.ends = true}},
                       ask_help};

constexpr Row kLead[] = {
    {{"-H --host",
      kOpen,
      Takes::hosts,
      "LIST",
      "Hosts to be opened, with their slots: node1:8,node2:8 (default: those of the batch job "
      "around). Repeatable.",
      {.repeatable = true}},
     join_hosts<CalledDraft>},
    {{"--hostfile", kOpen, Takes::file, "FILE", "The same in a file: node1 slots=8 on each line."},
     take_hostfile<CalledDraft>},
    reach_row<CalledDraft, Reach::ssh_command>(kOpen),
    reach_row<CalledDraft, Reach::ssh_port>(kOpen),
    reach_row<CalledDraft, Reach::ssh_identity>(kOpen),
    reach_row<CalledDraft, Reach::agent_path>(kOpen),
    reach_row<CalledDraft, Reach::most_open>(kOpen),
    {{"--listen", kMeet, Takes::text, "ADDRESS:PORT",
      "Where hosts come to, an address of this machine or 0.0.0.0; nobody listens there once all "
      "have come."},
     [](CalledDraft& d, const Typed& t) { return store(read_text(t), d.listen); }},
    {{"--nodes", kMeet, Takes::number, "N", "How many hosts to wait for."},
     [](CalledDraft& d, const Typed& t) {
       return store(read_count(t, {1, kHostsMost}), d.nodes);
     }},
    kSecret,
    {{"--start-timeout", kMeet, Takes::number, "SECONDS",
      "How long to wait for all hosts that come (default: 600), or for one that is opened "
      "(default: "
      "15)."},
     set_limits},
    {{"--slots", kUse, Takes::number, "K",
      "Slots of each host, for launchers that count them (default: not said)."},
     [](CalledDraft& d, const Typed& t) {
       return store(read_count(t, {1, model::kRanksMax}), d.request.slots);
     }},
    {{"--names", kUse, Takes::file, "FILE",
      "Names of the hosts, one a line, in the order of their numbers (default: as they call "
      "themselves)."},
     [](CalledDraft& d, const Typed& t) { return store(read_text(t), d.names_file); }},
    {{"--grace", kStop, Takes::number, "SECONDS",
      "Time between the signal that ends COMMAND and SIGKILL (default: 15)."},
     [](CalledDraft& d, const Typed& t) {
       return store(read_seconds(t, spec::kGrace), d.request.spec.grace);
     }},
    reach_row<CalledDraft, Reach::lease>(kStop),
    kColor,
    kQuiet,
    kVersion,
    kHelp,
};

constexpr Row kJoin[] = {
    {{"--node", kMeet, Takes::number, "K",
      "The number of this host, from 0; each host has its own (default: as hosts come)."},
     [](CalledDraft& d, const Typed& t) {
       return store(read_count(t, {0, kHostsMost - 1}), d.node);
     }},
    {{"--of", kMeet, Takes::number, "N",
      "How many hosts there are, to be compared with what the head waits for."},
     [](CalledDraft& d, const Typed& t) {
       return store(read_count(t, {1, kHostsMost}), d.nodes);
     }},
    kSecret,
    {{"--start-timeout", kMeet, Takes::number, "SECONDS",
      "How long to try to reach the head, and to wait there for other hosts (default: 600)."},
     set_limit},
    kColor,
    kQuiet,
    kVersion,
    kHelp,
};

}  // namespace

std::span<const Row> lead_table() { return kLead; }
std::span<const Row> join_table() { return kJoin; }
OptionTexts lead_options() { return option::texts_of(lead_table()); }
OptionTexts join_options() { return option::texts_of(join_table()); }

}  // namespace muster::front

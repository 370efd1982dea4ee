// Reads the words of muster lead and muster join.
#include "front/called/front.hpp"

#include <algorithm>
#include <sstream>

#include "front/call.hpp"
#include "front/called/options.hpp"
#include "front/hosts.hpp"
#include "front/inherited.hpp"
#include "front/reach_options.hpp"
#include "option/help.hpp"
#include "option/read.hpp"
#include "spec/check.hpp"
#include "spec/host_word.hpp"
#include "spec/in_quotes.hpp"
#include "spec/limits.hpp"
#include "spec/number.hpp"
#include "spec/sources.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using Words = std::span<const std::string>;

constexpr std::string_view kLeadHead =
    R"(muster lead: hold hosts while COMMAND runs, once, beside the head. Launchers in COMMAND find
these hosts as they find those of a hostfile, and start ranks there at once, as often as they like.

Usage: muster lead [OPTIONS] -- COMMAND                   hosts of the batch job around
       muster lead -H HOSTS [OPTIONS] -- COMMAND          hosts that ssh reaches
       muster lead --listen ADDRESS:PORT --nodes N --secret-file FILE [OPTIONS] -- COMMAND
                                                          hosts that come by muster join

Examples:
  Many short runs in one job of Slurm, whose agents are started once:
    salloc -N 4 --ntasks-per-node=8 muster lead -- sh all-my-runs.sh
  A job file on three hosts, each of which runs muster join:
    muster lead --listen 10.0.0.1:7000 --nodes 3 --secret-file secret -- muster submit job.yml
  Eight ranks of an MPI program on each of them:
    muster lead --listen 10.0.0.1:7000 --nodes 3 --slots 8 --secret-file secret --
      mpirun -np 24 ./program
)";

constexpr std::string_view kLeadCodes = R"(
Exit codes: that of COMMAND; 243 when a host has not come in time, or cannot be reached; 240 to 248
as of muster run.
)";

constexpr std::string_view kJoinHead =
    R"(muster join: offer this host to a head (muster lead), which starts ranks here. It tries until
the head is there, and ends with it.

Usage: muster join ADDRESS:PORT --secret-file FILE [OPTIONS]

Examples:
  The first of three hosts:
    muster join 10.0.0.1:7000 --node 0 --of 3 --secret-file secret
)";

constexpr std::string_view kJoinCodes = R"(
Exit codes: 0 when the head has ended; 243 when it cannot be reached; 245 when it is lost; 128+N
after signal N; 240 to 248 as of muster run.
)";

constexpr Grammar kLeadGrammar = {.command = "muster lead", .glued = Glued::all};
constexpr Grammar kJoinGrammar = {.command = "muster join", .glued = Glued::all, .anywhere = true};

// "10.0.0.1:7000", "[fe80::1]:7000", "launcher:7000".
Result<void> read_place(std::string_view what, std::string_view text, model::Meeting& meeting) {
  const std::size_t colon = text.rfind(':');
  const auto wrong = [&](const char* hint = "for example 10.0.0.1:7000 or [fe80::1]:7000") {
    return fail(Fault::usage, hint, "{} must be ADDRESS:PORT, not {}", what, spec::in_quotes(text));
  };
  if (text.find("://") != std::string_view::npos) {
    return wrong("leave out what stands before the address; for example 10.0.0.1:7000");
  }
  if (colon == std::string_view::npos) {
    return wrong("add the port at which the head listens; for example 10.0.0.1:7000");
  }
  if (colon == 0) return wrong();
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  const bool odd = host.find_first_of(" /@[]") != std::string_view::npos;
  if (!bracketed && host.find(':') != std::string_view::npos) {
    return wrong("an IPv6 address needs brackets; for example [fe80::1]:7000");
  }
  if (host.empty() || odd) return wrong();
  const auto port =
      spec::read_number("the port", text.substr(colon + 1), {1, spec::kPortMax}, Fault::usage);
  if (!port) return wrong("a port is a number from 1 to 65535; for example 10.0.0.1:7000");
  meeting.host = host;
  meeting.port = *port;
  return {};
}

Result<void> need_secret(const CalledDraft& draft) {
  if (!draft.request.secret_file.empty()) return {};
  return fail(Fault::usage,
              "for example: (umask 077; head -c 32 /dev/urandom | base64 > secret), the same file "
              "on every host",
              "--secret-file is missing");
}

// ---- lead ---------------------------------------------------------------------------------------

Result<std::vector<std::string>> names_in(const std::string& path, const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  std::uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t end = line.find_last_not_of(" \t\r");
    if (end == std::string::npos) continue;
    auto word = spec::read_host_word(line.substr(0, end + 1), Fault::bad_file);
    const bool is_name = word && word->user.empty() && !word->slots && !word->slots_are_cores;
    if (!is_name || std::ranges::count(names, word->name) > 0) {
      return base::fail_at({path, number, 1}, Fault::bad_file, "one name a line, each once",
                           "{} cannot be the name of another host", spec::in_quotes(line));
    }
    names.push_back(std::move(word->name));
  }
  return names;
}

Result<void> read_names(const Call& call, CalledDraft& draft) {
  if (draft.names_file.empty()) return {};
  constexpr std::size_t kMost = std::size_t{16} << 20;
  auto text = call.read_file(draft.names_file, kMost);
  if (!text) return tl::unexpected(text.error());
  auto names = names_in(draft.names_file, *text);
  if (!names) return tl::unexpected(names.error());
  if (names->size() != *draft.nodes) {
    return base::fail_at({draft.names_file, 0, 0}, Fault::bad_file, "one name a line",
                         "{} name{} for {} host{}", names->size(), names->size() == 1 ? "" : "s",
                         *draft.nodes, *draft.nodes == 1 ? "" : "s");
  }
  draft.request.names = std::move(*names);
  return {};
}

Result<void> settle_command(const Call& call, CalledDraft& draft, Words words) {
  if (words.empty()) {
    return fail(Fault::usage, "for example: -- muster submit job.yml", "no command given");
  }
  model::App& app = draft.request.spec.apps.front();
  app.command.assign(words.begin(), words.end());
  app.ranks = 1;
  app.workdir = call.current_folder;
  app.exports.push_back({std::string(spec::kStartsRanks), std::string(spec::kRunsOfTheirOwn)});
  draft.request.spec.launchers = names_of_launchers();
  return spec::check(draft.request.spec);
}

Result<void> settle_meeting(const Call& call, CalledDraft& draft) {
  if (!draft.hosts.empty()) {
    return fail(Fault::usage, "keep one of them", "-H and --listen cannot be combined");
  }
  if (!draft.nodes) {
    return fail(Fault::usage, "--nodes N is how many hosts run muster join", "--nodes is missing");
  }
  draft.request.meeting.nodes = *draft.nodes;
  draft.request.meeting.node = 0;  // hosts may have numbers
  return read_place("--listen", draft.listen, draft.request.meeting)
      .and_then([&] { return need_secret(draft); })
      .and_then([&] { return read_names(call, draft); });
}

Result<void> check_nobody_comes(const CalledDraft& draft) {
  const bool is_of_meeting =
      draft.nodes || !draft.request.secret_file.empty() || !draft.names_file.empty();
  if (!is_of_meeting) return {};
  return fail(Fault::usage,
              "for example --listen 0.0.0.0:7000, where hosts come to; without --nodes, "
              "--secret-file and --names, muster reaches the hosts itself",
              "--listen is missing");
}

Result<void> settle_hosts_to_open(const Call& call, CalledDraft& draft) {
  model::JobSpec& spec = draft.request.spec;
  draft.request.opens = true;
  return check_nobody_comes(draft)
      .and_then([&] { return check_one_source(draft.hosts); })
      .and_then([&] { return given_hosts(call, spec, draft.hosts); })
      .and_then([&](spec::HostsFound found) -> Result<void> {
        if (found.source.has_list) return spec::take_hosts(spec, std::move(found)), Result<void>();
        return fail(Fault::usage,
                    "-H node1:8,node2:8 names hosts; --listen ADDRESS:PORT waits for those that "
                    "run muster join",
                    "there are no hosts to lead: no batch job around muster gives it some");
      })
      .and_then([&] { return take_inherited_settings(call, draft.request.said_reach, spec); });
}

Result<void> settle_lead(const Call& call, CalledDraft& draft, Words words) {
  draft.request.leads = true;
  draft.request.said_reach.push_back(kWorkdir);  // the command starts here
  const auto hosts =
      draft.listen.empty() ? settle_hosts_to_open(call, draft) : settle_meeting(call, draft);
  return hosts ? settle_command(call, draft, words) : hosts;
}

// ---- join ---------------------------------------------------------------------------------------

Result<void> settle_join(CalledDraft& draft, std::string_view place) {
  model::Meeting& meeting = draft.request.meeting;
  meeting.nodes = draft.nodes.value_or(0);
  meeting.node = draft.node;
  if (draft.nodes && draft.node && *draft.node >= *draft.nodes) {
    return fail(Fault::usage, "hosts are numbered from 0", "--node {} is not one of {} hosts",
                *draft.node, *draft.nodes);
  }
  return read_place("the head", place, meeting).and_then([&] { return need_secret(draft); });
}

// Options may stand before and after the place.
Result<std::string> read_join_words(CalledDraft& draft, Words words) {
  std::string place;
  while (true) {
    const auto read = read_options(join_table(), kJoinGrammar, words, draft);
    if (!read) return tl::unexpected(read.error());
    if (draft.help || read->program == words.size()) break;
    if (!place.empty()) {
      return fail(Fault::usage, "see muster join --help", "unexpected word {}",
                  spec::in_quotes(words[read->program]));
    }
    place = words[read->program];
    words = words.subspan(read->program + 1);
  }
  if (place.empty() && !draft.help) {
    return fail(Fault::usage, "for example: muster join 10.0.0.1:7000 --secret-file secret",
                "the address of the head is missing");
  }
  return place;
}

Reading asked(CalledDraft draft) {
  return {.called = std::make_shared<const CalledRequest>(std::move(draft.request))};
}

}  // namespace

Result<Reading> read_lead(const Call& call) {
  CalledDraft draft;
  draft.request.spec.grace = std::chrono::seconds(15);
  const Words words(call.words);
  const auto read = read_options(lead_table(), kLeadGrammar, words, draft);
  if (!read) return tl::unexpected(with_wrong_hosts(read.error(), call, draft.hosts));
  if (draft.help) {
    return Reading{.text = option::help_text(kLeadHead, lead_options(), kLeadCodes, call.columns)};
  }
  if (auto fine = settle_lead(call, draft, words.subspan(read->program)); !fine) {
    return tl::unexpected(fine.error());
  }
  return asked(std::move(draft));
}

Result<Reading> read_join(const Call& call) {
  CalledDraft draft;
  const auto place = read_join_words(draft, call.words);
  if (!place) return tl::unexpected(place.error());
  if (draft.help) {
    return Reading{.text = option::help_text(kJoinHead, join_options(), kJoinCodes, call.columns)};
  }
  if (auto fine = settle_join(draft, *place); !fine) return tl::unexpected(fine.error());
  return asked(std::move(draft));
}

}  // namespace muster::front

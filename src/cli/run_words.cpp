// Walks the words of `muster run`: options up to the first word that is none, then the program.
#include "cli/run_words.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "cli/elsewhere.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/read_file.hpp"
#include "spec/check.hpp"
#include "spec/hosts.hpp"
#include "spec/quoted.hpp"

namespace muster::cli {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using spec::quoted;

struct Match {
  const Option* option = nullptr;
  std::string_view name;
  std::optional<std::string_view> value;  // glued on, as --opt=value or -n4
};

std::optional<Match> match_name(std::string_view name) {
  for (const Option& option : run_options()) {
    const auto& names = option.names;
    if (!name.empty() && std::find(names.begin(), names.end(), name) != names.end()) {
      return Match{&option, name, std::nullopt};
    }
  }
  return std::nullopt;
}

bool starts_value(const Option& option, char first) {
  if (option.takes == Takes::number) return first >= '0' && first <= '9';
  return option.takes != Takes::nothing;
}

// -n4, -np4, -Hnode1,node2, -xNAME=VALUE: the longest short name in front of a fitting value.
std::optional<Match> match_glued(std::string_view word) {
  for (std::size_t length = std::min<std::size_t>(word.size() - 1, 3); length >= 2; --length) {
    auto match = match_name(word.substr(0, length));
    if (!match || !starts_value(*match->option, word[length])) continue;
    match->value = word.substr(length);
    return match;
  }
  return std::nullopt;
}

std::string_view without_value(std::string_view word) { return word.substr(0, word.find('=')); }

std::optional<Match> match(std::string_view word) {
  const std::string_view name = without_value(word);
  if (auto exact = match_name(name)) {
    if (name.size() < word.size()) exact->value = word.substr(name.size() + 1);
    return exact;
  }
  if (word.starts_with("--") || !elsewhere(name).empty()) return std::nullopt;
  return match_glued(word);
}

// Word processors turn "-" into these.
bool starts_with_long_dash(std::string_view word) {
  return word.starts_with("\xe2\x80\x93") || word.starts_with("\xe2\x80\x94") ||
         word.starts_with("\xe2\x88\x92");
}

tl::unexpected<base::Error> unknown(std::string_view word) {
  const std::string_view name = without_value(word);
  std::string hint = "muster run --help lists all options";
  if (starts_with_long_dash(word)) {
    hint = "this starts with a long dash, as word processors write; type '-'";
  } else if (const std::string other = elsewhere(name); !other.empty()) {
    hint = other;
  } else if (const auto near = base::nearest(name, option_names())) {
    hint = "did you mean " + *near + "?";
  }
  return fail(Fault::usage, hint, "unknown option {}", quoted(name));
}

// "-n, -np, --np, --ranks N: How many ranks to start (...)."
std::string usage_line(const Option& option) {
  return fmt::format("{} {}: {}", joined_names(option), option.argument, option.help);
}

// Reads options into a draft; holds what has been given so far.
class OptionReader {
 public:
  OptionReader(std::span<const std::string> words, Draft& draft)
      : words_(words), draft_(draft), given_(run_options().size()) {}

  // The index of the first word after the options. Stops early at --help.
  Result<std::size_t> read() {
    while (at_ < words_.size() && !draft_.help) {
      const std::string& word = words_[at_];
      if (word == "--") return at_ + 1;
      if (!word.starts_with('-') && !starts_with_long_dash(word)) break;
      const auto found = match(word);
      if (!found) return unknown(word);
      at_ += 1;
      if (auto taken = take(*found); !taken) return tl::unexpected(std::move(taken.error()));
    }
    return at_;
  }

 private:
  Result<void> take(const Match& found) {
    auto value = value_of(found);
    if (!value) return tl::unexpected(std::move(value.error()));
    if (auto once = note(found, *value); !once) return once;
    auto done = found.option->set(draft_, {found.name, *value});
    if (!done && done.error().hint.empty()) done.error().hint = usage_line(*found.option);
    return done;
  }

  Result<std::string_view> value_of(const Match& found) {
    if (found.option->takes == Takes::nothing) {
      if (!found.value) return std::string_view();
      return fail(Fault::usage, "write just " + std::string(found.name),
                  "{} takes no value, not {}", found.name, quoted(*found.value));
    }
    if (found.value) return *found.value;
    // A known option is no value: `--logs --tag` has forgotten the folder.
    if (at_ == words_.size() || words_[at_] == "--" || match_name(without_value(words_[at_]))) {
      return fail(Fault::usage, usage_line(*found.option), "{} needs a value: {}", found.name,
                  found.option->argument);
    }
    return std::string_view(words_[at_++]);
  }

  Result<void> note(const Match& found, std::string_view value) {
    auto& before = given_[static_cast<std::size_t>(found.option - run_options().data())];
    if (!before || found.option->repeatable || before->value == value) {
      before = Typed{found.name, value};
      return {};
    }
    return fail(Fault::usage, "keep one of them", "{} {} contradicts {} {}", found.name,
                quoted(value), before->option, quoted(before->value));
  }

  std::span<const std::string> words_;
  Draft& draft_;
  std::size_t at_ = 0;
  std::vector<std::optional<Typed>> given_;  // index: that of the option
};

Result<void> check_combinations(const Draft& draft) {
  const RunRequest& request = draft.request;
  if (draft.host_list && !draft.hostfile.empty()) {
    return fail(Fault::usage, "drop one; a hostfile may hold the slots that -H would",
                "-H and --hostfile exclude each other");
  }
  if (request.spec.fake_nodes > 0 && (draft.host_list || !draft.hostfile.empty())) {
    return fail(Fault::usage, "drop the hosts to rehearse on this machine",
                "--fake-nodes excludes -H and --hostfile");
  }
  if (request.dry_run) return {};
  if (request.show_environment) {
    return fail(Fault::usage, "add --dry-run; to set a variable, write -x NAME=VALUE",
                "--env works only with --dry-run");
  }
  if (request.json) return fail(Fault::usage, "add --dry-run", "--json works only with --dry-run");
  return {};
}

Result<std::vector<model::HostEntry>> read_hosts(const Draft& draft) {
  if (draft.host_list) return spec::read_host_list(*draft.host_list);
  if (draft.hostfile.empty()) return std::vector<model::HostEntry>();
  return read_input_file(draft.hostfile, spec::kHostTextMax).and_then([&](const std::string& text) {
    return spec::read_hostfile(text, draft.hostfile);
  });
}

Result<void> settle_hosts(Draft& draft) {
  model::JobSpec& job = draft.request.spec;
  if (draft.host_list) {
    job.source = model::HostSource::list;
    job.source_name = "-H";
  } else if (!draft.hostfile.empty()) {
    job.source = model::HostSource::file;
    job.source_name = draft.hostfile;
  }
  return read_hosts(draft).map([&](auto hosts) { job.hosts = std::move(hosts); });
}

Result<RunWords> finish(Draft draft, std::span<const std::string> program) {
  model::JobSpec& job = draft.request.spec;
  model::App& app = job.apps.front();
  app.command.assign(program.begin(), program.end());
  if (app.workdir.empty()) app.workdir = draft.current_folder;
  return check_combinations(draft)
      .and_then([&] { return settle_hosts(draft); })
      .and_then([&] { return spec::check(job); })
      .map([&] {
        return RunWords{std::move(draft.request), ""};
      });
}

}  // namespace

Result<RunWords> read_run_words(std::span<const std::string> words,
                                const std::string& current_folder) {
  Draft draft;
  draft.current_folder = current_folder;
  const auto program = OptionReader(words, draft).read();
  if (!program) return tl::unexpected(program.error());
  if (draft.help) return RunWords{std::nullopt, run_help()};
  return finish(std::move(draft), words.subspan(*program));
}

}  // namespace muster::cli

// Reads the values of options.
#include "option/values.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/words.hpp"
#include "spec/in_quotes.hpp"
#include "spec/notice.hpp"

namespace muster::option {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using spec::in_quotes;

// Milliseconds of "12", "12.", ".5" or "12.3456"; nothing for all else. Digits beyond the third
// decimal are dropped; 12 digits before the point are more than any bound allows.
std::optional<base::Duration> parse_seconds(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view part =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  constexpr const char* digits = "0123456789";
  if ((whole.empty() && part.empty()) || whole.size() > 12 ||
      whole.find_first_not_of(digits) != std::string_view::npos ||
      part.find_first_not_of(digits) != std::string_view::npos) {
    return std::nullopt;
  }
  base::Duration::rep total = 0;
  for (const char c : whole) total = total * 10 + (c - '0');
  for (std::size_t i = 0; i < 3; ++i) total = total * 10 + (i < part.size() ? part[i] - '0' : 0);
  return base::Duration(total);
}

double seconds(base::Duration time) { return std::chrono::duration<double>(time).count(); }

// A shell's word splitting as a machine that eats one character at a time.
class Splitter {
 public:
  void take(char c) {
    if (escaped_) {
      // Inside "..." a backslash stays, except before what it can protect there.
      if (quote_ == '"' && c != '"' && c != '\\' && c != '$' && c != '`') word_ += '\\';
      word_ += c;
      escaped_ = false;
    } else if (c == '\\' && quote_ != '\'') {
      escaped_ = open_ = true;
    } else if (quote_ != 0) {
      if (c == quote_)
        quote_ = 0;
      else
        word_ += c;
    } else if (c == '\'' || c == '"') {
      quote_ = c;
      open_ = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      end_word();
    } else {
      word_ += c;
      open_ = true;
    }
  }

  void end_word() {
    if (open_) words_.push_back(std::exchange(word_, {}));
    open_ = false;
  }

  [[nodiscard]] bool whole() const { return quote_ == 0 && !escaped_; }
  [[nodiscard]] std::vector<std::string> words() && { return std::move(words_); }

 private:
  std::vector<std::string> words_;
  std::string word_;
  char quote_ = 0;
  bool open_ = false;  // a word has begun, even if it is still empty, as ''
  bool escaped_ = false;
};

}  // namespace

Result<std::uint32_t> read_count(const Typed& typed, spec::Bounds bounds) {
  return spec::read_number(typed.option, typed.value, bounds, Fault::usage);
}

Result<base::Duration> read_seconds(const Typed& typed, spec::Span span) {
  const auto time = parse_seconds(typed.value);
  if (time && *time >= span.least && *time <= span.most) return *time;
  return fail(Fault::usage, "", "{} must be seconds from {:.15g} to {:.15g}, not {}", typed.option,
              seconds(span.least), seconds(span.most), in_quotes(typed.value));
}

Result<model::Notice> read_notice(const Typed& typed) {
  const auto notice = spec::read_notice(typed.value);
  if (notice) return *notice;
  base::Error error = notice.error();
  error.what = fmt::format("{} {}", typed.option, error.what);
  return tl::unexpected(std::move(error));
}

Result<model::OnFailure> read_on_failure(const Typed& typed) {
  if (typed.value == "abort") return model::OnFailure::abort;
  if (typed.value == "continue") return model::OnFailure::outlive_all;
  return fail(Fault::usage, "", "{} must be abort or continue, not {}", typed.option,
              in_quotes(typed.value));
}

Result<bool> read_closed_terminal(const Typed& typed) {
  if (typed.value == "continue") return true;
  if (typed.value == "end") return false;
  return fail(Fault::usage, "", "{} must be continue or end, not {}", typed.option,
              in_quotes(typed.value));
}

Result<model::Wireup> read_wireup(const Typed& typed) {
  if (typed.value == "auto") return model::Wireup::automatic;
  if (typed.value == "pmix") return model::Wireup::pmix;
  if (typed.value == "pmi1") return model::Wireup::pmi1;
  if (typed.value == "pmi2") return model::Wireup::pmi2;
  if (typed.value == "none") return model::Wireup::none;
  return fail(Fault::usage, "", "{} must be auto, pmix, pmi1, pmi2 or none, not {}", typed.option,
              in_quotes(typed.value));
}

Result<model::StdinSpec> read_stdin_to(const Typed& typed) {
  if (typed.value == "none") return model::StdinSpec{model::StdinTo::none, {}};
  if (typed.value == "all") return model::StdinSpec{model::StdinTo::all, {}};
  const auto rank = read_count(typed, {0, model::kRanksMax - 1});
  if (rank) return model::StdinSpec{model::StdinTo::one, base::Rank(*rank)};
  return fail(Fault::usage, "", "{} must be a rank, all or none, not {}", typed.option,
              in_quotes(typed.value));
}

Result<std::set<std::uint32_t>> read_shown_ranks(const Typed& typed) {
  std::set<std::uint32_t> ranks;
  if (typed.value == "all") return ranks;
  constexpr spec::Bounds kBounds = {0, model::kRanksMax - 1};
  for (const std::string& part : base::split(typed.value, ",")) {
    const std::string_view text = part;
    const std::size_t dash = std::min(text.find('-'), text.size());
    const auto first = read_count({typed.option, text.substr(0, dash)}, kBounds);
    const auto last = dash == text.size() ? first
                                          : read_count({typed.option, text.substr(dash + 1)},
                                                       {first.value_or(0), kBounds.most});
    if (!first || !last) ranks.clear();
    if (!first || !last) break;
    for (std::uint32_t rank = *first; rank <= *last; ++rank) ranks.insert(rank);
  }
  if (!ranks.empty()) return ranks;
  return fail(Fault::usage, "", "{} must be all, or ranks such as 0 or 0,4-7, not {}", typed.option,
              in_quotes(typed.value));
}

Result<model::EnvSetting> read_setting(const Typed& typed) {
  const std::size_t equals = typed.value.find('=');
  const std::string_view name = typed.value.substr(0, equals);
  if (name.empty()) {
    return fail(Fault::usage, "", "{} must be NAME or NAME=VALUE, not {}", typed.option,
                in_quotes(typed.value));
  }
  if (name.find_first_of(", \t\n") != std::string_view::npos) {
    return fail(Fault::usage, fmt::format("write {0} A {0} B for two variables", typed.option),
                "{}: {} is not a variable name", typed.option, in_quotes(name));
  }
  model::EnvSetting setting{std::string(name), std::nullopt};
  if (equals != std::string_view::npos) setting.value = typed.value.substr(equals + 1);
  return setting;
}

Result<std::string> read_text(const Typed& typed) {
  if (!typed.value.empty()) return std::string(typed.value);
  return fail(Fault::usage, "", "{} has an empty value", typed.option);
}

Result<std::vector<std::string>> read_words(const Typed& typed) {
  Splitter splitter;
  for (const char c : typed.value) splitter.take(c);
  if (!splitter.whole()) {
    return fail(Fault::usage, "", "{} has a quote without an end: {}", typed.option,
                in_quotes(typed.value));
  }
  splitter.end_word();
  auto words = std::move(splitter).words();
  if (words.empty() || words.front().empty()) {
    return fail(Fault::usage, "", "{} names no program", typed.option);
  }
  return words;
}

}  // namespace muster::option

// The end of a run in words: cause first, then the rank's own words, then what became of the rest.
#include "view/report.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "view/failure.hpp"
#include "view/first_few.hpp"
#include "view/inner_report.hpp"
#include "view/joining_words.hpp"
#include "view/python_error.hpp"
#include "view/rank_name.hpp"
#include "view/signals.hpp"
#include "view/tail.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

[[nodiscard]] std::string line(std::string_view text) { return fmt::format("muster: {}\n", text); }

// The line that says why: the only one that is coloured.
[[nodiscard]] std::string cause_line(std::string_view text, Style style) {
  if (!style.colour) return line(text);
  return fmt::format("\x1b[1;31mmuster: {}\x1b[0m\n", text);
}

[[nodiscard]] std::string hint_line(std::string_view hint) {
  return hint.empty() ? std::string() : fmt::format("  hint: {}\n", hint);
}

// "5 s", "0.5 s".
[[nodiscard]] std::string seconds(base::Duration duration) {
  return fmt::format("{:g} s", static_cast<double>(duration.count()) / 1000.0);
}

[[nodiscard]] std::vector<std::string> printable_tail(const model::RunReport& report) {
  std::vector<std::string> lines;
  lines.reserve(report.tail.size());
  for (const std::string& raw : report.tail) lines.push_back(printable(raw));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

[[nodiscard]] std::string tail_lines(const std::vector<std::string>& tail) {
  std::string text;
  for (const std::string& words : tail) text += fmt::format("  | {}\n", words);
  return text;
}

[[nodiscard]] std::string first_sentence(const model::RunReport& report) {
  const model::RankExit& first = report.first;
  std::string text = rank_name(report.worlds, first.rank);
  if (!report.host.empty()) text += fmt::format(" on {}", report.host);
  text += report.aborted ? fmt::format(" aborted the job with code {}", first.code)
                         : " " + end_of(first);
  std::string meaning(signal_facts(first.signal).meaning);
  if (first.signal == SIGKILL && report.around.memory) meaning = killer(report.around);
  if (!meaning.empty()) text += fmt::format(": {}", meaning);
  if (first.core_dumped) text += ", core dumped";
  if (!report.abort_message.empty()) text += ": " + printable(report.abort_message);
  return text + fmt::format(" (pid {})", first.pid);
}

// What joins the first line: the line that tells the cause or, when none is recognised and the last
// one would stand far below, that.
[[nodiscard]] std::string why(const std::vector<std::string>& tail, const std::string& telling) {
  constexpr std::size_t kShortTail = 2;  // its end still stands in the first three lines
  if (!telling.empty()) return ": " + telling;
  return tail.size() > kShortTail ? "; last line: " + tail.back() : "";
}

// "    at train.py:40 in step: loss = f(x)"; what was raised stands in the line above.
[[nodiscard]] std::string frame_lines(const PythonError& error) {
  std::string text;
  for (const std::string& frame : error.frames) text += fmt::format("    at {}\n", frame);
  return text;
}

// A program without a handler is ended by most signals.
[[nodiscard]] std::string notice_line(const model::RunReport& report) {
  if (report.notice == 0 || report.first.signal != report.notice) return {};
  return hint_line("that was the signal of the notice: the program must catch it");
}

// Of the rank that failed: whether they end just above the report.
enum class Lines : std::uint8_t { are_new, were_shown };

// A program may have redirected its stderr: then its exception stands nowhere else.
[[nodiscard]] bool holds(const std::vector<std::string>& tail, const PythonError& raised) {
  return std::ranges::any_of(
      tail, [&](const std::string& one) { return one.find(raised.what) != std::string::npos; });
}

// Frames tell what the traceback told that ends with this line: the others are left.
[[nodiscard]] std::vector<std::string> without_traceback(std::vector<std::string> tail,
                                                         const PythonError& raised) {
  if (raised.frames.empty()) return tail;
  const auto is_end = [&](const std::string& one) { return one.find(raised.what) != one.npos; };
  const auto end = std::ranges::find_if(tail.rbegin(), tail.rend(), is_end);
  if (end == tail.rend()) return tail;
  constexpr std::string_view kHeading = "Traceback (most recent call last)";
  const auto is_heading = [&](const std::string& one) { return one.find(kHeading) != one.npos; };
  const auto heading = std::ranges::find_if(end, tail.rend(), is_heading);
  if (heading == tail.rend()) return tail;  // it is so long that its heading is lost
  tail.erase(heading.base() - 1, end.base());
  return tail;
}

// A message that names tasks has those names below the lines that are quoted: they tell most.
[[nodiscard]] std::string step(const model::RunReport& report, const std::string& telling,
                               const std::vector<std::string>& tail, const PythonError& raised) {
  const std::string absent = raised.absent.empty() ? absent_tasks(tail) : raised.absent;
  if (absent.empty()) return next_step(report, telling);
  return fmt::format(
      "tasks that did not come to that barrier: {}; `muster run --timeout SECONDS --stack-traces` "
      "shows what each rank is doing",
      absent);
}

// When the telling line is all that the rank said it is not said twice. An exception tells most.
[[nodiscard]] std::string first_failure(const model::RunReport& report, Style style, Lines lines) {
  const std::vector<std::string> tail = printable_tail(report);
  const PythonError raised = python_error(report.error_file);
  const std::string telling = raised.what.empty() ? telling_line(tail).value_or("") : raised.what;
  std::string text = cause_line(first_sentence(report) + why(tail, telling), style) +
                     notice_line(report) + hint_line(step(report, telling, tail, raised));
  if (lines == Lines::were_shown && holds(tail, raised)) return text;
  return text + frame_lines(raised) +
         (tail.size() == 1 && !telling.empty() ? "" : tail_lines(without_traceback(tail, raised)));
}

[[nodiscard]] std::string equally_early(const model::RunReport& report) {
  if (report.together.empty()) return {};
  constexpr std::size_t kNamed = 8;
  const auto told = [&](std::size_t i) {
    const model::HostExit& one = report.together[i];
    return fmt::format("{} on {} {}", rank_name(report.worlds, one.exit.rank), one.host,
                       end_of(one.exit));
  };
  const std::string text = first_few(report.together.size(), told, ", ", kNamed);
  const double most = static_cast<double>(report.together_within.count()) / 1000.0;
  return line(fmt::format("at about the same time (within {:.1f} ms, by the hosts' clocks): {}",
                          most, text));
}

[[nodiscard]] std::string other_failures(const model::RunReport& report) {
  if (report.others_total == 0) return {};
  std::string text = ends_of(report.others, report.worlds);
  const std::size_t more = report.others_total - report.others.size();
  if (more != 0) {
    text += fmt::format("{}{} more {} too", text.empty() ? "" : "; and ", more,
                        more == 1 ? "rank failed" : "ranks failed");
  }
  return line("then " + text);
}

[[nodiscard]] std::string missing_ranks(const model::RunReport& report) {
  if (report.missing_total == 0) return {};
  std::string names;
  for (const base::Rank rank : report.missing) {
    names += (names.empty() ? "" : ", ") + rank_number(report.worlds, rank);
  }
  const std::size_t more = report.missing_total - report.missing.size();
  if (more != 0) names += fmt::format(" and {} more", more);
  const bool one = report.missing_total == 1;
  return line(fmt::format("{} {} never {}, while other ranks waited for {}", one ? "rank" : "ranks",
                          names, joining_words(report.joining).done, one ? "it" : "them"));
}

// "the 7 other ranks", "the other rank", "both ranks", or "3 ranks" when some had ended by
// themselves.
[[nodiscard]] std::string ended_ranks(const model::RunReport& report) {
  const bool rank_failed = report.cause == model::Cause::rank_failed;
  const std::uint32_t failed =
      rank_failed ? 1 + static_cast<std::uint32_t>(report.together.size()) + report.others_total
                  : 0;
  const std::string_view noun = report.ended == 1 ? "rank" : "ranks";
  if (report.ended + failed != report.world_size) return fmt::format("{} {}", report.ended, noun);
  if (!rank_failed && report.ended == 1) return "the only rank";
  if (!rank_failed && report.ended == 2) return "both ranks";
  if (!rank_failed) return fmt::format("all {} ranks", report.ended);
  if (report.ended == 1) return "the other rank";
  return fmt::format("the {} other ranks", report.ended);
}

[[nodiscard]] std::string kill_words(const model::RunReport& report) {
  if (report.killed == 0) return {};
  if (report.ended == 1) return fmt::format(" and needed SIGKILL after {}", seconds(report.grace));
  return fmt::format("; {} of them needed SIGKILL after {}", report.killed, seconds(report.grace));
}

[[nodiscard]] std::string what_became_of_the_rest(const model::RunReport& report) {
  if (report.ended == 0) return {};
  return line(fmt::format("{} {} ended with SIGTERM{}", ended_ranks(report),
                          report.ended == 1 ? "was" : "were", kill_words(report)));
}

[[nodiscard]] std::string error_line(const base::Error& error, Style style) {
  std::string text = base::to_string(error.place);
  if (!text.empty()) text += ": ";
  return cause_line("error: " + message_line(text + error.what), style);
}

// The host of "node1: no answer within 15 s", or what was typed as one, in quotes; empty: it is
// about no single thing.
[[nodiscard]] std::string_view subject_of(const base::Error& error) {
  const std::string_view what = error.what;
  if (what.starts_with('\'')) {
    const std::size_t quote = what.find("': ", 1);
    return quote == std::string_view::npos ? std::string_view() : what.substr(0, quote + 1);
  }
  const std::size_t end = what.find(": ");
  if (end == std::string_view::npos || what.substr(0, end).find(' ') != std::string_view::npos) {
    return {};
  }
  return what.substr(0, end);
}

// Whether the word is there, and no part of a longer one: hosts may be called "a" or "up".
[[nodiscard]] bool has_word_at(std::string_view text, std::size_t at, std::string_view word) {
  const auto is_in_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
                               text[i] == '_' || text[i] == '-');
  };
  return text.substr(at).starts_with(word) && (at == 0 || !is_in_word(at - 1)) &&
         !is_in_word(at + word.size());
}

// Whether two hints say the same of two things: "does `ssh node1 true` return by itself?"
[[nodiscard]] bool say_the_same(std::string_view one, std::string_view its, std::string_view other,
                                std::string_view others) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < one.size() && j < other.size()) {
    if (has_word_at(one, i, its) && has_word_at(other, j, others)) {
      i += its.size();
      j += others.size();
    } else if (one[i++] != other[j++]) {
      return false;
    }
  }
  return i == one.size() && j == other.size();
}

// Whether both say the same of different things.
[[nodiscard]] bool have_one_reason(const base::Error& one, const base::Error& other) {
  const std::string_view first = subject_of(one);
  const std::string_view second = subject_of(other);
  return !first.empty() && !second.empty() && one.place == other.place &&
         std::string_view(one.what).substr(first.size()) ==
             std::string_view(other.what).substr(second.size()) &&
         say_the_same(one.hint, first, other.hint, second);
}

// The error and those that it has with it; of those with one reason the first, for all of them:
// "node1, node2: no answer within 15 s", with the first one's hint.
[[nodiscard]] std::vector<base::Error> by_reason(const base::Error& error) {
  std::vector<base::Error> firsts = {error};
  std::vector<std::vector<std::string>> subjects = {{std::string(subject_of(error))}};
  for (const base::Error& other : error.also) {
    const auto is_of = [&](const base::Error& first) { return have_one_reason(first, other); };
    const auto first = std::ranges::find_if(firsts, is_of);
    if (first == firsts.end()) {
      firsts.push_back(other);
      subjects.push_back({std::string(subject_of(other))});
    } else {
      subjects[first - firsts.begin()].emplace_back(subject_of(other));
    }
  }
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    // Hosts fail in any order; node2 is looked for before node10.
    std::ranges::sort(subjects[i], [](const std::string& one, const std::string& other) {
      return strverscmp(one.c_str(), other.c_str()) < 0;
    });
    firsts[i].what.replace(0, subject_of(firsts[i]).size(),
                           fmt::format("{}", fmt::join(subjects[i], ", ")));
  }
  return firsts;
}

[[nodiscard]] std::string interrupted(const model::RunReport& report, Style style) {
  std::string text = "interrupted by " + signal_label(report.signal);
  if (report.in_batch_job && report.signal == SIGTERM) {
    text += ", as when the batch job around is cancelled or preempted";
  }
  if (report.ended != 0) {
    text += fmt::format(": {} {} ended{}", ended_ranks(report), report.ended == 1 ? "was" : "were",
                        kill_words(report));
  }
  return cause_line(fmt::format("{}; exit code {}", text, report.exit_code()), style);
}

[[nodiscard]] std::string fault(const model::RunReport& report, Style style) {
  base::Error named = report.error;
  if (!report.host.empty() && named.what.find(report.host) == std::string::npos) {
    named.what = fmt::format("{}: {}", report.host, named.what);
  }
  return error(named, style) + tail_lines(printable_tail(report));
}

[[nodiscard]] std::string earlier_rounds(const model::RunReport& report) {
  if (report.rounds.empty()) return {};
  constexpr std::size_t kNamed = 8;
  const auto latest = std::span(report.rounds).last(std::min(kNamed, report.rounds.size()));
  return line(fmt::format("after {} restart{}; before, {}", report.rounds.size(),
                          report.rounds.size() == 1 ? "" : "s", ends_of(latest, report.worlds)));
}

constexpr std::string_view kRanksOwn = " (set by the rank, not by muster)";

// A rank may end with a code that is also one of ours.
[[nodiscard]] std::string exit_line(const model::RunReport& report) {
  const int code = report.exit_code();
  const bool is_a_ranks = code_from(report) == model::CodeFrom::rank;
  return line(fmt::format("exit code {}{}", code,
                          is_a_ranks && base::looks_like_fault(code) ? kRanksOwn : ""));
}

// Where a launcher in the rank has failed, its report says which of its ranks did, and where.
[[nodiscard]] std::string cause_of(const model::RunReport& report, Style style, Lines lines) {
  const auto inner = inner_report(report);
  if (!inner) return first_failure(report, style, lines);
  std::string words = inner->words;
  const std::string last = exit_line(report);
  if (words.ends_with(last)) words.resize(words.size() - last.size());
  return words;
}

// A launcher that was started on each node fails on each, and has told what became of its ranks.
[[nodiscard]] bool is_one_failure(const model::RunReport& report) {
  const auto is_like_it = [&](const model::RankExit& other) {
    return other.signal == 0 && other.code == report.first.code;
  };
  return inner_report(report) && report.others_total == report.others.size() &&
         std::ranges::all_of(report.others, is_like_it) &&
         std::ranges::all_of(report.together, is_like_it, &model::HostExit::exit);
}

[[nodiscard]] std::string rest_of(const model::RunReport& report) {
  if (is_one_failure(report)) return {};
  return equally_early(report) + other_failures(report) + missing_ranks(report) +
         what_became_of_the_rest(report);
}

[[nodiscard]] std::string warnings_of(const model::RunReport& report) {
  std::string text;
  for (const std::string& warning : report.warnings) {
    text += line("warning: " + message_line(warning));
  }
  return text;
}

[[nodiscard]] std::string body(const model::RunReport& report, Style style, Lines lines) {
  switch (report.cause) {
    case model::Cause::completed:
      return {};
    case model::Cause::rank_failed:
      return cause_of(report, style, lines) + rest_of(report);
    case model::Cause::fault:
      return fault(report, style) + missing_ranks(report) + what_became_of_the_rest(report);
    case model::Cause::interrupted:
      return interrupted(report, style) + missing_ranks(report);
  }
  CHECK(false);
}

[[nodiscard]] std::string whole(const model::RunReport& report, Style style, Lines lines) {
  std::string text = body(report, style, lines);
  if (report.cause != model::Cause::completed) text += earlier_rounds(report);
  text += warnings_of(report);
  const bool says_code = report.cause == model::Cause::rank_failed ||  //
                         report.cause == model::Cause::fault;
  if (says_code) text += exit_line(report);
  return text;
}

}  // namespace

model::CodeFrom code_from(const model::RunReport& report) {
  const auto inner = inner_report(report);
  if (!inner || !base::looks_like_fault(inner->code)) return report.code_from();
  const bool is_a_ranks = inner->words.find(kRanksOwn) != std::string::npos;
  return is_a_ranks ? report.code_from() : model::CodeFrom::muster;
}

std::string report(const model::RunReport& report, Style style) {
  return whole(report, style, Lines::are_new);
}

std::string untold(const model::RunReport& told, Style style) {
  const auto inner = inner_report(told);
  const Lines lines = told.world_size == 1 ? Lines::were_shown : Lines::are_new;
  if (!inner || !was_told(*inner, told)) return whole(told, style, lines);
  const std::string text = rest_of(told) + earlier_rounds(told) + warnings_of(told);
  return text.empty() ? text : text + exit_line(told);
}

std::string failure(const model::RunReport& report) {
  const std::vector<std::string> tail = printable_tail(report);
  return first_sentence(report) + why(tail, telling_line(tail).value_or(""));
}

std::string error(const base::Error& error, Style style) {
  std::string text;
  const std::vector<base::Error> told = by_reason(error);
  for (std::size_t i = 0; i < told.size(); ++i) {
    text += error_line(told[i], style);
    const bool is_shared = i + 1 < told.size() && told[i + 1].hint == told[i].hint;
    if (!is_shared) text += hint_line(message_line(told[i].hint));
  }
  return error.untold == 0 ? text : text + line(fmt::format("and {} more errors", error.untold));
}

std::string cause_in(std::string text) {
  text.resize(std::min({text.find('\n'), text.find("; exit code "), text.size()}));
  for (const std::string_view frame : {"muster: ", "error: "}) {
    if (text.starts_with(frame)) text.erase(0, frame.size());
  }
  return text;
}

}  // namespace muster::view

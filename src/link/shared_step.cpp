// Words for srun and of srun (Slurm 22.05 to 24.05: src/api/step_launch.c, src/srun/libsrun).
#include "link/shared_step.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"

namespace muster::link {
namespace {

constexpr std::string_view kCall = "muster-step 2 ";
constexpr std::string_view kUncalled = "muster agent cannot connect from ";

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && !text.empty() ? std::optional(number) : std::nullopt;
}

std::string_view next_word(std::string_view& line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, space);
  line.remove_prefix(std::min(space + 1, line.size()));
  return word;
}

// " 3: text" (width of the largest number) is of task 3.
std::optional<std::uint32_t> task_of(std::string_view& line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::size_t begin = std::min(line.find_first_not_of(' '), colon);
  const auto task = number_in<std::uint32_t>(line.substr(begin, colon - begin));
  if (task) line.remove_prefix(colon + 2);
  return task;
}

}  // namespace

// --wait=0: a site may end steps some time after their first task. Output is not looked at.
std::vector<std::string> shared_step_words(const model::CarrierSpec& carrier,
                                           std::optional<std::uint32_t> component,
                                           const std::vector<std::string>& hosts,
                                           const std::string& name, const std::string& agent_path) {
  std::vector<std::string> words = {"srun"};
  if (component) words.push_back("--het-group=" + std::to_string(*component));
  const std::string count = std::to_string(hosts.size());
  words.insert(words.end(), {"--nodes=" + count, "--ntasks=" + count, "--ntasks-per-node=1",
                             fmt::format("--nodelist={}", fmt::join(hosts, ","))});
  words.insert(words.end(), carrier.step_words.begin(), carrier.step_words.end());
  words.insert(words.end(), {"--label", "--input=all", "--mpi=none", "--cpu-bind=none", "--no-kill",
                             "--kill-on-bad-exit=0", "--wait=0", "--job-name=" + name, agent_path,
                             "agent", std::string(kCallsHead)});
  return words;
}

base::Duration call_patience(std::size_t hosts, base::Duration start_limit) {
  constexpr base::Duration kLeast = std::chrono::seconds(2);
  const base::Duration wanted = kLeast + std::chrono::milliseconds(5) * hosts;
  return std::clamp(wanted, kLeast, std::max(kLeast, start_limit / 2));
}

std::string call_line(const HeadCall& call) {
  const auto patience = std::chrono::ceil<std::chrono::milliseconds>(call.patience).count();
  return fmt::format("{}{} {} {}\n", kCall, call.port, patience, call.secret);
}

std::optional<HeadCall> read_call(std::string_view line) {
  if (!line.starts_with(kCall) || line.size() > kCallMax) return std::nullopt;
  line.remove_prefix(kCall.size());
  const auto port = number_in<std::uint16_t>(next_word(line));
  const auto patience = number_in<std::uint32_t>(next_word(line));
  if (!port || *port == 0 || !patience || line.empty()) return std::nullopt;
  return HeadCall{*port, std::chrono::milliseconds(*patience), std::string(line)};
}

std::string uncalled_line(std::string_view host, std::string_view why) {
  return fmt::format("{}{}: {}", kUncalled, host, why);
}

StepErrors::StepErrors(std::vector<std::string> hosts) : hosts_(std::move(hosts)) {
  std::ranges::sort(hosts_);
}

void StepErrors::take(std::string_view bytes) {
  constexpr std::size_t kTextMax = 4096;
  rest_ += bytes;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    add(std::string_view(rest_).substr(begin, end - begin));
  }
  rest_.erase(0, begin);
  if (rest_.size() > kTextMax) add(std::exchange(rest_, {}));
}

void StepErrors::add(std::string_view line) {
  Line added;
  added.task = task_of(line);
  added.text = line;
  if (line.starts_with(kUncalled)) {
    line.remove_prefix(kUncalled.size());
    const std::size_t colon = std::min(line.find(": "), line.size());
    const std::string host(line.substr(0, colon));
    if (added.task) know(host, *added.task);
    uncalled_[host] = line.substr(std::min(colon + 2, line.size()));
  }
  if (lines_.size() == kLinesMax) lines_.erase(lines_.begin());
  lines_.push_back(std::move(added));
}

void StepErrors::know(std::string_view host, std::uint32_t task) { tasks_[task] = host; }

bool StepErrors::names_other(std::string_view text, std::string_view host) const {
  bool other = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" :,"), text.size());
    const std::string_view word = text.substr(0, end);
    if (word == host) return false;
    other = other || std::ranges::binary_search(hosts_, word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return other;
}

bool StepErrors::is_about(const Line& line, std::string_view host) const {
  const auto known = line.task ? tasks_.find(*line.task) : tasks_.end();
  return known != tasks_.end() ? known->second == host : !names_other(line.text, host);
}

std::string StepErrors::about(std::string_view host) const {
  std::string all;
  for (const Line& line : lines_) {
    if (is_about(line, host)) all += line.text + "\n";
  }
  return all;
}

std::string StepErrors::last_words(std::string_view host) const {
  const Line* last = nullptr;
  for (const Line& line : lines_) {
    if (is_about(line, host) && (line.task || last == nullptr || !last->task)) last = &line;
  }
  return last == nullptr ? std::string() : last->text;
}

bool StepErrors::has_ended(std::string_view host) const {
  const std::string end = fmt::format(" {}: task ", host);
  return std::ranges::any_of(lines_, [&](const Line& line) {
    return !line.task && line.text.find(end) != std::string::npos;
  });
}

std::optional<std::string> StepErrors::uncalled(std::string_view host) const {
  const auto found = uncalled_.find(host);
  return found == uncalled_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace muster::link

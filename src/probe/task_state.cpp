// Reads /proc/PID/status, wchan and stack.
#include "probe/task_state.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <vector>

#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

constexpr std::size_t kThreadsMax = 64;

// The value of "Name:\tvalue" in a status file; empty when it is not there.
std::string value_in(const std::string& status, const std::string& name) {
  const std::string key = "\n" + name + ":\t";
  const std::size_t at = ("\n" + status).find(key);
  if (at == std::string::npos) return {};
  const std::size_t start = at + key.size() - 1;
  return status.substr(start, status.find('\n', start) - start);
}

// Letters of proc(5).
std::string_view word_of(char state) {
  switch (state) {
    case 'R':
      return "running";
    case 'S':
      return "sleeping";
    case 'D':
      return "waiting for the disk or a driver";
    case 'T':
      return "stopped";
    case 't':
      return "held by a debugger";
    case 'Z':
      return "ended, not yet reaped";
    default:
      return "dead";
  }
}

std::string state_at(const std::string& folder, const std::string& status) {
  const std::string state = value_in(status, "State");
  if (state.empty()) return "gone";
  std::string words(word_of(state.front()));
  const std::string place = read_text(folder + "/wchan");
  if (!place.empty() && place != "0") words += " in " + place;
  return words;
}

std::string indented(const std::string& text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += "  " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return lines;
}

std::string thread_at(const std::string& folder) {
  const std::string status = read_text(folder + "/status");
  const std::string number = folder.substr(folder.rfind('/') + 1);
  return fmt::format("thread {} ({}): {}\n{}", number, value_in(status, "Name"),
                     state_at(folder, status), indented(read_text(folder + "/stack")));
}

}  // namespace

std::string task_state(const std::string& root, pid_t pid) {
  const std::string folder = fmt::format("{}/proc/{}", root, pid);
  const std::string status = read_text(folder + "/status");
  const std::string threads = value_in(status, "Threads");
  std::string words = state_at(folder, status);
  if (!threads.empty() && threads != "1") words += ", " + threads + " threads";
  return words;
}

bool is_going(const std::string& root, pid_t pid) {
  constexpr std::string_view kGoing = "RSDI";
  const std::string state =
      value_in(read_text(fmt::format("{}/proc/{}/status", root, pid)), "State");
  return !state.empty() && kGoing.find(state.front()) != std::string_view::npos;
}

std::string thread_states(const std::string& root, pid_t pid) {
  std::vector<std::string> folders;
  std::error_code ended;
  const std::string tasks = fmt::format("{}/proc/{}/task", root, pid);
  for (std::filesystem::directory_iterator it(tasks, ended), end; !ended && it != end;
       it.increment(ended)) {
    if (folders.size() == kThreadsMax) break;
    folders.push_back(it->path().string());
  }
  std::ranges::sort(folders);
  std::string text;
  for (const std::string& folder : folders) text += thread_at(folder);
  return text;
}

}  // namespace muster::probe

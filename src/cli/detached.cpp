// Two processes and a pipe: first the folder of the record goes through it, then a word.
#include "cli/detached.hpp"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/speak.hpp"
#include "process/detach.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/reader.hpp"
#include "view/record_json.hpp"
#include "view/record_words.hpp"

namespace muster::cli {
namespace {

constexpr std::string_view kRunning = "running\n";

struct Heard {
  std::string folder;  // of the record; empty: there is none
  bool running = false;
};

// Until the other process says that all ranks run, or is gone.
Heard listen(int pipe) {
  std::string text;
  std::array<char, 4096> piece;
  while (!text.ends_with(kRunning)) {
    const ssize_t size = ::read(pipe, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  return {text.substr(0, text.find('\n')), text.ends_with(kRunning)};
}

std::string words_file(const std::string& folder) { return folder + "/muster.log"; }

// It ended before all ranks ran.
int tell_end(const Heard& heard, int code, bool json) {
  if (heard.folder.empty()) return code;
  const auto record = store::read_record(heard.folder);
  if (code == 0 && record) return tell_begun(*record, json);  // a pipeline that had nothing to run
  say(store::read_file(words_file(heard.folder)).value_or(""));
  if (json && record) (void)tell_begun(*record, true);
  return code;
}

int accompany(const process::Detached& split, bool json) {
  const Heard heard = listen(split.pipe.get());
  if (!heard.running) return tell_end(heard, process::await_code(split.child), json);
  const auto record = store::read_record(heard.folder);
  if (record) return tell_begun(*record, json);
  return complain({base::Fault::internal, "the record has gone: " + heard.folder, {}, {}});
}

bool is_at_terminal() { return ::isatty(STDERR_FILENO) == 1 && !is_quiet(); }

}  // namespace

int run_detached(const std::function<int(const Invocation&)>& run, bool json,
                 const Invocation& invocation) {
  const auto split = process::detach();
  if (!split) return complain(split.error());
  if (split->child != 0) return accompany(*split, json);
  Invocation own = invocation;
  own.parent = split->pipe.get();
  return run(own);
}

int tell_begun(const model::RunRecord& record, bool json) {
  if (!json && is_at_terminal()) say(view::begin_words(record, true));
  return print(json ? view::record_json(record, store::utc_now()) + "\n" : record.run + "\n");
}

void tell_watched(const model::RunRecord& record, const Invocation& invocation) {
  const bool is_watched = invocation.parent < 0 && !invocation.is_step && is_at_terminal();
  if (is_watched) say(view::begin_words(record, false));
}

base::Result<void> go_on_unseen(int pipe, const model::RunRecord& record) {
  const std::string file = words_file(record.folder);
  if (!process::print_to(file.c_str())) {
    return store::cannot_write(base::Fault::cannot_start, file);
  }
  (void)store::write_all(pipe, record.folder + "\n");
  return {};
}

void tell_running(int pipe) { (void)store::write_all(pipe, kRunning); }

}  // namespace muster::cli

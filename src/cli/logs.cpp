// Reads the files of ranks from where it stopped, again and again while it follows.
#include "cli/logs.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/local_time.hpp"
#include "cli/speak.hpp"
#include "process/reopened.hpp"
#include "process/unique_fd.hpp"
#include "spec/number.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/growing_file.hpp"
#include "store/lock.hpp"
#include "store/reader.hpp"
#include "store/stream_times.hpp"
#include "view/record_json.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using front::RecordRequest;
using model::RunRecord;

constexpr int kPauseMs = 50;                      // between two looks, while following
constexpr std::size_t kLineMax = 1u << 20;        // a longer one is printed in parts
constexpr std::size_t kPrintedAtOnce = 1u << 20;  // bytes of a stream, before those of the next
constexpr std::string_view kFolder = "rank.";     // of a rank: "rank.3", or "rank.03" of 16

std::optional<std::uint32_t> number_of(std::string_view text) {
  const auto number = spec::read_number("", text, {0, model::kRanksMax}, Fault::usage);
  return number ? std::optional(*number) : std::nullopt;
}

// Ranks by world and number; a world that was spawned has a folder of its own, called by its
// number.
using Ranks = std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>;

void find_ranks(const std::string& folder, std::uint32_t world, Ranks& found) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kFolder)) {
      const auto rank = number_of(std::string_view(name).substr(kFolder.size()));
      if (rank) found[{world, *rank}] = entry.path();
    } else if (const auto other = number_of(name); other && world == 1) {
      find_ranks(entry.path(), *other, found);
    }
  }
}

// Makes of a line what is printed; null: bytes are printed as they come.
using Dress = std::function<std::string(std::string_view line)>;

using Writer = std::function<void(std::string_view)>;

// One file, and what of it has not been printed yet.
class Stream {
 public:
  // `tail`: lines of what is there already; none: all.
  Stream(process::UniqueFd file, const store::StreamName& name, std::optional<std::uint32_t> tail,
         Writer write, Dress dress)
      : file_(std::move(file)), name_(name), write_(std::move(write)), dress_(std::move(dress)) {
    struct stat facts {};
    if (file_ && ::fstat(file_.get(), &facts) == 0) size_ = facts.st_size;
    if (file_ && tail) grows_.begin_at_last(file_.get(), *tail);
  }

  // What came before the time of which `times` tells, as far as it was there when this was opened.
  void pass_over(const store::StreamTimes& times) {
    if (file_) grows_.begin_at_line_of(file_.get(), times.begin_of(name_, size_));
  }
  [[nodiscard]] bool is_empty() const { return size_ == 0; }

  // No more than others wait for. True: there is more.
  bool print_new() {
    read(kPrintedAtOnce);
    return file_ && grows_.has_more(file_.get());
  }
  // What is there by now, and a last line without an end.
  void finish() {
    if (file_) grows_.end(file_.get());
    read(std::numeric_limits<std::size_t>::max());
    end_line();
  }

 private:
  void read(std::size_t most) {
    if (file_) grows_.read(file_.get(), most, [this](std::string_view bytes) { take(bytes); });
  }
  void take(std::string_view bytes) {
    if (!dress_) return write_(bytes);
    rest_ += bytes;
    std::string lines;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos;) {
      lines += dress_(std::string_view(rest_).substr(begin, end - begin));
      begin = end + 1;
    }
    write_(lines);
    rest_.erase(0, begin);
    if (rest_.size() > kLineMax) end_line();
  }
  void end_line() {
    if (!rest_.empty()) write_(dress_(std::exchange(rest_, {})));
  }

  process::UniqueFd file_;
  store::StreamName name_;
  std::uint64_t size_ = 0;  // bytes that were there at the beginning
  store::GrowingFile grows_;
  Writer write_;
  Dress dress_;
  std::string rest_;
};

// A run whose output is printed: the one that was named, or a step of it.
struct Part {
  std::string step;    // empty: it is no step
  std::string folder;  // of its record
  std::string streams;
  std::uint32_t ranks = 0;
  std::size_t trials = 0;    // of a sweep
  bool is_over = false;      // and printed
  bool passed_over = false;  // what is too old of it
};

class Log {
 public:
  // `since`: what was written before that time is not printed.
  Log(const RunRecord& record, const RecordRequest& request, std::optional<model::Utc> since)
      : record_(record), request_(request), since_(since) {
    if (record_.steps.empty()) parts_[{}] = {"", record_.folder, record_.streams, record_.ranks};
  }

  // True: there is more.
  bool print_new() {
    bool has_more = false;
    find_parts();
    for (auto& [number, part] : parts_) {
      if (!part.is_over) has_more = print_part(number, part) || has_more;
    }
    tail_.reset();  // what appears from now on is new
    return has_more;
  }

  // What is there by now, one stream after the other.
  void finish() {
    find_parts();
    for (auto& [number, part] : parts_) {
      if (!part.is_over) end_part(number, part);
    }
  }

  // So that what is told next on stderr does not continue the last line of a rank.
  void close_line() {
    if (has_open_line_) write_aside("\n");
  }

  // Of what could not be printed, first; 0: nothing.
  [[nodiscard]] int code() const { return first_code(code_, code_aside_); }

 private:
  using Number = Ranks::key_type;
  using PartNumber = std::pair<std::size_t, std::size_t>;  // of a step, and of its trial, from 1 on
  using Place = std::pair<PartNumber, std::string>;        // of a stream: its part and its path

  void find_parts() {
    for (std::size_t i = 0; i < record_.steps.size(); ++i) find_step({i, 0}, record_.steps[i].name);
  }

  bool print_part(const PartNumber& number, Part& part) {
    part.is_over = !part.step.empty() && store::is_finished(step_of(part.step));
    if (part.is_over) {
      end_part(number, part);
      return false;
    }
    find_meant(number, part);
    bool has_more = false;
    for (auto one = first_of(number); one != end_of(number); ++one) {
      has_more = one->second.print_new() || has_more;
    }
    return has_more;
  }

  // Its files are closed: a pipeline may have more than descriptors.
  void end_part(const PartNumber& number, Part& part) {
    find_meant(number, part);
    for (auto one = first_of(number); one != end_of(number); ++one) one->second.finish();
    streams_.erase(first_of(number), end_of(number));
  }

  [[nodiscard]] std::map<Place, Stream>::iterator first_of(const PartNumber& number) {
    return streams_.lower_bound({number, ""});
  }
  [[nodiscard]] std::map<Place, Stream>::iterator end_of(const PartNumber& number) {
    return streams_.lower_bound({{number.first, number.second + 1}, ""});
  }

  // "train", or "tune/trial_0".
  [[nodiscard]] std::string step_of(const std::string& name) const {
    const std::size_t slash = std::min(name.find('/'), name.size());
    const std::string step = store::step_folder(record_.folder, name.substr(0, slash));
    return slash == name.size() ? step : store::step_folder(step, name.substr(slash + 1));
  }

  // Once it has been started.
  void find_step(const PartNumber& number, const std::string& name) {
    const auto part = parts_.find(number);
    if (part != parts_.end() && (part->second.is_over || part->second.trials == 0)) return;
    const auto record = store::read_record(step_of(name));
    if (!record) return;
    for (std::size_t i = 0; i < record->steps.size(); ++i) {
      find_step({number.first, i + 1}, name + "/" + record->steps[i].name);
    }
    parts_.try_emplace(
        number, Part{name, record->folder, record->streams, record->ranks, record->steps.size()});
  }

  // What is found later is new.
  void find_meant(const PartNumber& number, Part& part) {
    find_streams(number, part);
    if (!since_ || std::exchange(part.passed_over, true)) return;
    const auto times =
        store::StreamTimes::read(fmt::format("{}/{}", part.folder, store::kTimesFile), *since_);
    const auto has_output = [](const auto& one) { return !one.second.is_empty(); };
    if (!times && std::any_of(first_of(number), end_of(number), has_output)) return tell_all(part);
    for (auto one = first_of(number); times && one != end_of(number); ++one) {
      one->second.pass_over(*times);
    }
  }

  void tell_all(const Part& part) const {
    note(fmt::format("{} does not say when its output was written; all of it is shown",
                     part.step.empty() ? record_.run : record_.run + "/" + part.step));
  }

  void find_streams(const PartNumber& number, const Part& part) {
    Ranks ranks;
    if (!part.streams.empty()) find_ranks(part.streams, 1, ranks);
    for (const auto& [rank, folder] : ranks) {
      const bool is_meant = !request_.rank || rank == std::pair(1U, *request_.rank);
      if (is_meant) add({number, folder}, part, rank);
    }
  }

  void add(const Place& place, const Part& part, const Number& rank) {
    const bool only_errors = request_.only_errors;
    const store::StreamName out{rank.first, rank.second, false};
    const store::StreamName err{rank.first, rank.second, true};
    if (!only_errors) add(place, out, false, dress_of(part, rank, "stdout"));
    add(place, err, !only_errors && !request_.json, dress_of(part, rank, "stderr"));
  }

  void add(const Place& place, const store::StreamName& stream, bool aside, const Dress& dress) {
    const std::string path =
        fmt::format("{}/{}", place.second, stream.is_err ? "stderr" : "stdout");
    std::error_code ignored;  // a rank's folder is there before its files are
    if (streams_.contains({place.first, path}) || !fs::exists(path, ignored)) return;
    const Writer write = aside ? Writer([this](std::string_view bytes) { write_aside(bytes); })
                               : [this](std::string_view bytes) { write_out(bytes); };
    streams_.try_emplace({place.first, path}, opened(path), stream, tail_, write, dress);
  }

  // In the record, links lead nowhere: another user may have put them there.
  [[nodiscard]] process::UniqueFd opened(const std::string& path) const {
    if (!record_.holds(path)) return store::open_file(path, store::Links::followed);
    return store::open_below(record_.folder, path.substr(record_.folder.size() + 1));
  }

  // What has failed once is not tried again: it has been told.
  void write_out(std::string_view bytes) {
    if (is_one_place_) has_open_line_ = !bytes.ends_with('\n');
    if (code_ == 0) code_ = print(bytes);
  }
  void write_aside(std::string_view bytes) {
    has_open_line_ = !bytes.ends_with('\n');
    if (code_aside_ == 0 && !say(bytes)) code_aside_ = base::exit_code(Fault::output);
  }

  [[nodiscard]] Dress dress_of(const Part& part, const Number& rank, std::string_view name) const {
    if (request_.json) {
      const view::LogPlace place{rank.first, rank.second, name, part.step};
      return [place](std::string_view line) { return view::log_line(place, line) + "\n"; };
    }
    const std::string prefix = prefix_of(part, rank);
    if (prefix.empty()) return {};
    return [prefix](std::string_view line) { return fmt::format("{}{}\n", prefix, line); };
  }

  // "train: [3] "; of a spawned world "[2:3] ".
  [[nodiscard]] std::string prefix_of(const Part& part, const Number& rank) const {
    std::string step = part.step.empty() ? "" : part.step + ": ";
    if (request_.rank || part.ranks == 1) return step;
    const std::string world = rank.first == 1 ? "" : fmt::format("{}:", rank.first);
    return fmt::format("{}[{}{}] ", step, world, rank.second);
  }

  const RunRecord& record_;
  const RecordRequest& request_;
  std::optional<model::Utc> since_;
  std::optional<std::uint32_t> tail_ = request_.tail;
  std::map<PartNumber, Part> parts_;  // those that have been found
  std::map<Place, Stream> streams_;   // by part and path, which sorts by world and rank
  int code_ = 0;
  int code_aside_ = 0;  // of stderr
  bool is_one_place_ = process::same_place(STDOUT_FILENO, STDERR_FILENO);
  bool has_open_line_ = false;  // on stderr
};

int no_output(const RunRecord& record) {
  return complain({Fault::usage,
                   "the output of " + record.run + " was not kept",
                   "muster submit keeps it, and muster run --logs DIR",
                   {}});
}

int no_rank(const RunRecord& record, std::uint32_t rank) {
  return complain({Fault::usage,
                   fmt::format("{} has no rank {}", record.run, rank),
                   fmt::format("its ranks are 0 to {}", record.ranks - 1),
                   {}});
}

bool still_runs(const RunRecord& record) {
  const process::UniqueFd events = store::open_events(record.folder);
  return events && store::holder_of(events.get()).has_value();
}

}  // namespace

int logs(const RunRecord& record, const RecordRequest& request) {
  if (record.streams.empty() && record.steps.empty()) return no_output(record);
  if (request.rank && record.steps.empty() && *request.rank >= record.ranks)
    return no_rank(record, *request.rank);
  Log log(record, request, since_of(request));
  // What was written before the end is read after it.
  for (bool goes_on = request.follow; goes_on && log.code() == 0;) {
    goes_on = still_runs(record);
    const bool has_more = log.print_new();
    if (goes_on && !has_more) ::poll(nullptr, 0, kPauseMs);
  }
  log.finish();
  const bool is_told_how =
      request.follow && !store::read_record(record.folder).value_or(record).ended_well();
  if (is_told_how) log.close_line();
  return log.code();
}

}  // namespace muster::cli

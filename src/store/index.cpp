// The one file that knows SQLite.
#include "store/index.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/unique_fd.hpp"
#include "view/record_json.hpp"
#include "view/record_words.hpp"

namespace muster::store {
namespace {

using model::RunRecord;

constexpr int kBusyMs = 200;  // how long others may hold it; the records tell the same, more slowly

// A table of another form has another number. The two are apart since a table is read as a whole.
constexpr const char* kSettings = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;";
constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS json_3 (run TEXT PRIMARY KEY, json TEXT) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS cells_5 (run TEXT PRIMARY KEY, cells TEXT, state TEXT,"
    " experiment TEXT, tags TEXT, ended INTEGER) WITHOUT ROWID;";

enum Column : std::uint8_t { kRun, kText, kState, kExperiment, kTags, kEnded };

std::string path_of(const std::string& records) { return records + "/.index.sqlite"; }

// With what SQLite puts beside it.
constexpr std::array kEnds = {"", "-journal", "-wal", "-shm"};

// Where others may add files, one may have put a link there, an index that tells of other runs, or
// a journal, whose pages SQLite would take over.
bool is_own_file(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return errno == ENOENT;
  return S_ISREG(info.st_mode) && info.st_uid == ::geteuid();
}

// It repeats the words of all jobs, which may hold secrets. SQLite gives its journal the same mode.
void close_index_to_others(const std::string& index) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const process::UniqueFd file(::open(index.c_str(), kFlags, 0600));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return;
  if (S_ISREG(info.st_mode) && (info.st_mode & 0077) != 0) ::fchmod(file.get(), 0600);
}

// A statement that could not be prepared is null.
void carry_out(sqlite3_stmt* statement, const std::vector<std::string>& values) {
  if (statement == nullptr) return;
  int at = 0;
  for (const std::string& value : values) {
    sqlite3_bind_text(statement, ++at, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  }
  sqlite3_step(statement);
  sqlite3_reset(statement);
}

std::string lines_of(const RunRecord& record, model::Utc end) {
  std::string lines;
  for (const std::string& cell : view::record_cells(record, end)) lines += cell + "\n";
  return lines;
}

// Names and values, each with a zero byte behind it, which neither of them can hold.
std::string tags_text(const std::vector<model::Tag>& tags) {
  std::string text;
  for (const auto& [name, value] : tags) (((text += name) += '\0') += value) += '\0';
  return text;
}

std::string until_zero(std::string_view& text) {
  const std::size_t end = std::min(text.find('\0'), text.size());
  std::string part(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::vector<model::Tag> read_tags(std::string_view text) {
  std::vector<model::Tag> tags;
  while (!text.empty()) {
    std::string name = until_zero(text);
    tags.push_back({std::move(name), until_zero(text)});
  }
  return tags;
}

std::string text_of(sqlite3_stmt* statement, int column) {
  const void* text = sqlite3_column_blob(statement, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  return text == nullptr ? "" : std::string(static_cast<const char*>(text), size);
}

// What a filter looks at.
RunRecord looked_at(sqlite3_stmt* row) {
  RunRecord record;
  record.state = model::run_state(text_of(row, kState)).value_or(model::RunState::unknown);
  record.experiment = text_of(row, kExperiment);
  record.tags = read_tags(text_of(row, kTags));
  record.ended = model::Utc(std::chrono::milliseconds(sqlite3_column_int64(row, kEnded)));
  return record;
}

}  // namespace

std::optional<Index> Index::open(const std::string& records) {
  // SQLITE_OPEN_NOFOLLOW refuses links on the whole way, and those to the records are the user's.
  std::error_code wrong;
  const std::string real = std::filesystem::canonical(records, wrong).string();
  for (const bool is_second : {false, true}) {
    const std::string path = path_of(real);
    const auto is_own = [&](const char* end) { return is_own_file(path + end); };
    if (wrong || !std::ranges::all_of(kEnds, is_own)) return std::nullopt;
    close_index_to_others(path);
    sqlite3* opened = nullptr;
    constexpr int kFlags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    const int result = sqlite3_open_v2(path.c_str(), &opened, kFlags, nullptr);
    Index index(Database(opened, sqlite3_close));
    if (result == SQLITE_OK && index.set_up()) return index;
    // What is locked or out of reach stays as it is.
    if (is_second || !index.is_damaged()) return std::nullopt;
    forget(records);
  }
  return std::nullopt;
}

bool Index::set_up() {
  sqlite3_busy_timeout(database_.get(), kBusyMs);
  return perform(kSettings) && perform(kTable);
}

bool Index::is_damaged() const {
  const int code = sqlite3_errcode(database_.get());
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

void Index::forget(const std::string& records) {
  for (const char* const end : kEnds) {
    std::remove((path_of(records) + end).c_str());
  }
}

bool Index::perform(const char* words) {
  return sqlite3_exec(database_.get(), words, nullptr, nullptr, nullptr) == SQLITE_OK;
}

Index::Statement Index::prepare(const char* words) {
  sqlite3_stmt* made = nullptr;
  sqlite3_prepare_v2(database_.get(), words, -1, &made, nullptr);
  return {made, sqlite3_finalize};
}

std::optional<std::vector<Indexed>> Index::read(sqlite3_stmt* rows, const IsMeant& is_meant) {
  std::vector<Indexed> found;
  int step = SQLITE_ERROR;
  while (rows != nullptr && (step = sqlite3_step(rows)) == SQLITE_ROW) {
    found.push_back({text_of(rows, kRun), text_of(rows, kText), is_meant(rows)});
  }
  if (step != SQLITE_DONE) return std::nullopt;
  return found;
}

std::optional<std::vector<Indexed>> Index::runs(IndexText text) {
  const Statement rows =
      prepare(text == IndexText::json ? "SELECT run, json FROM json_3 ORDER BY run"
                                      : "SELECT run, cells FROM cells_5 ORDER BY run");
  return read(rows.get(), [](sqlite3_stmt*) { return true; });
}

// Both tables have the same runs: the filter looks at one of them, the text may be the other's.
std::optional<std::vector<Indexed>> Index::runs(IndexText text, const model::RunFilter& filter,
                                                model::Utc now) {
  const Statement rows =
      prepare("SELECT run, cells, state, experiment, tags, ended FROM cells_5 ORDER BY run");
  auto found =
      read(rows.get(), [&](sqlite3_stmt* row) { return matches(filter, looked_at(row), now); });
  if (!found || text == IndexText::cells) return found;
  auto others = runs(text);
  if (!others || others->size() != found->size()) return std::nullopt;
  for (std::size_t i = 0; i < found->size(); ++i) {
    if ((*others)[i].run != (*found)[i].run) return std::nullopt;  // others wrote in between
    (*others)[i].is_meant = (*found)[i].is_meant;
  }
  return others;
}

void Index::change(const std::vector<RunRecord>& added, const std::vector<std::string>& gone) {
  if ((added.empty() && gone.empty()) || !perform("BEGIN IMMEDIATE")) return;
  const Statement json = prepare("INSERT OR REPLACE INTO json_3 VALUES (?, ?)");
  const Statement cells = prepare("INSERT OR REPLACE INTO cells_5 VALUES (?, ?, ?, ?, ?, ?)");
  for (const RunRecord& record : added) {
    const model::Utc end = record.ended.value_or(record.created.value_or(model::Utc()));
    carry_out(json.get(), {record.run, view::record_json(record, end)});
    carry_out(cells.get(), {record.run, lines_of(record, end), std::string(word(record.state)),
                            record.experiment, tags_text(record.tags),
                            std::to_string(end.time_since_epoch().count())});
  }
  const Statement no_json = prepare("DELETE FROM json_3 WHERE run = ?");
  const Statement no_cells = prepare("DELETE FROM cells_5 WHERE run = ?");
  for (const std::string& run : gone) {
    carry_out(no_json.get(), {run});
    carry_out(no_cells.get(), {run});
  }
  (void)perform("COMMIT");
}

}  // namespace muster::store

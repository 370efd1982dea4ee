// The one file that knows SQLite.
#include "store/index.hpp"

#include <cstdio>
#include <sqlite3.h>

#include "view/record_json.hpp"

namespace muster::store {
namespace {

using model::RunRecord;

constexpr int kBusyMs = 200;  // how long others may hold it; the records tell the same, more slowly

// A table of another form would have another number: an index is never changed, but made anew.
constexpr const char* kSettings = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;";
constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS runs_1 (run TEXT PRIMARY KEY, experiment TEXT NOT NULL,"
    " record TEXT NOT NULL) WITHOUT ROWID;";

std::string path_of(const std::string& records) { return records + "/.index.sqlite"; }

void bind_text(sqlite3_stmt* statement, int at, const std::string& text) {
  sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

std::string text_of(sqlite3_stmt* statement, int column) {
  const void* text = sqlite3_column_blob(statement, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  return text == nullptr ? "" : std::string(static_cast<const char*>(text), size);
}

}  // namespace

std::optional<Index> Index::open(const std::string& records) {
  for (const bool is_second : {false, true}) {
    sqlite3* opened = nullptr;
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int result = sqlite3_open_v2(path_of(records).c_str(), &opened, kFlags, nullptr);
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
  for (const char* end : {"", "-journal", "-wal", "-shm"}) {
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

std::optional<std::vector<Indexed>> Index::runs() {
  const Statement statement = prepare("SELECT run, experiment FROM runs_1 ORDER BY run");
  std::vector<Indexed> found;
  int step = SQLITE_ERROR;
  while (statement && (step = sqlite3_step(statement.get())) == SQLITE_ROW) {
    found.push_back({text_of(statement.get(), 0), text_of(statement.get(), 1)});
  }
  if (step != SQLITE_DONE) return std::nullopt;
  return found;
}

std::optional<RunRecord> Index::record_of(const std::string& run) {
  if (!find_) find_ = prepare("SELECT record FROM runs_1 WHERE run = ?");
  if (!find_) return std::nullopt;
  bind_text(find_.get(), 1, run);
  std::optional<RunRecord> record;
  if (sqlite3_step(find_.get()) == SQLITE_ROW) {
    record = view::read_record(text_of(find_.get(), 0));
  }
  sqlite3_reset(find_.get());
  return record;
}

void Index::add(const RunRecord& record, sqlite3_stmt* statement) {
  bind_text(statement, 1, record.run);
  bind_text(statement, 2, record.experiment);
  bind_text(statement, 3, view::record_json(record, record.ended.value_or(model::Utc())));
  sqlite3_step(statement);
  sqlite3_reset(statement);
}

void Index::change(const std::vector<RunRecord>& added, const std::vector<std::string>& gone) {
  if ((added.empty() && gone.empty()) || !perform("BEGIN IMMEDIATE")) return;
  const Statement insert = prepare("INSERT OR REPLACE INTO runs_1 VALUES (?, ?, ?)");
  for (const RunRecord& record : added) {
    if (insert) add(record, insert.get());
  }
  const Statement remove = prepare("DELETE FROM runs_1 WHERE run = ?");
  for (const std::string& run : gone) {
    if (!remove) break;
    bind_text(remove.get(), 1, run);
    sqlite3_step(remove.get());
    sqlite3_reset(remove.get());
  }
  (void)perform("COMMIT");
}

}  // namespace muster::store

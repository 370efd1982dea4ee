// The one file that knows SQLite.
#include "store/index.hpp"

#include <cstdio>
#include <sqlite3.h>

#include "view/record_json.hpp"
#include "view/record_words.hpp"

namespace muster::store {
namespace {

using model::RunRecord;

constexpr int kBusyMs = 200;  // how long others may hold it; the records tell the same, more slowly

// A table of another form has another number. The two are apart since a table is read as a whole.
constexpr const char* kSettings = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;";
constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS json_2 (run TEXT PRIMARY KEY, json TEXT) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS cells_2 (run TEXT PRIMARY KEY, cells TEXT) WITHOUT ROWID;";

std::string path_of(const std::string& records) { return records + "/.index.sqlite"; }

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

std::optional<std::vector<Indexed>> Index::runs(IndexText text) {
  const Statement statement =
      prepare(text == IndexText::json ? "SELECT run, json FROM json_2 ORDER BY run"
                                      : "SELECT run, cells FROM cells_2 ORDER BY run");
  std::vector<Indexed> found;
  int step = SQLITE_ERROR;
  while (statement && (step = sqlite3_step(statement.get())) == SQLITE_ROW) {
    found.push_back({text_of(statement.get(), 0), text_of(statement.get(), 1)});
  }
  if (step != SQLITE_DONE) return std::nullopt;
  return found;
}

void Index::change(const std::vector<RunRecord>& added, const std::vector<std::string>& gone) {
  if ((added.empty() && gone.empty()) || !perform("BEGIN IMMEDIATE")) return;
  const Statement json = prepare("INSERT OR REPLACE INTO json_2 VALUES (?, ?)");
  const Statement cells = prepare("INSERT OR REPLACE INTO cells_2 VALUES (?, ?)");
  for (const RunRecord& record : added) {
    const model::Utc end = record.ended.value_or(model::Utc());
    carry_out(json.get(), {record.run, view::record_json(record, end)});
    carry_out(cells.get(), {record.run, lines_of(record, end)});
  }
  const Statement no_json = prepare("DELETE FROM json_2 WHERE run = ?");
  const Statement no_cells = prepare("DELETE FROM cells_2 WHERE run = ?");
  for (const std::string& run : gone) {
    carry_out(no_json.get(), {run});
    carry_out(no_cells.get(), {run});
  }
  (void)perform("COMMIT");
}

}  // namespace muster::store

// Index: what is known of runs that have ended, in one file beside their records.
//
// A cache of the records, updated by readers: it may be missing, locked, not writable or damaged,
// and nothing is lost. SQLite keeps it, without a write-ahead log, which does not work on network
// file systems.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/record.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace muster::store {

struct Indexed {
  std::string run;
  std::string text;
  bool is_meant = true;  // by the filter, if there is one
};

enum class IndexText : std::uint8_t {
  json,   // view::record_json()
  cells,  // view::record_cells(), one per line
};

class Index {
 public:
  // Nothing when it cannot be used, as a link or a file of another user's. A file that is not an
  // index is replaced.
  [[nodiscard]] static std::optional<Index> open(const std::string& records);
  static void forget(const std::string& records);

  // Whether the last call that failed found damaged data: then the index should be removed.
  [[nodiscard]] bool is_damaged() const;
  // The oldest first; nothing when it cannot be read.
  [[nodiscard]] std::optional<std::vector<Indexed>> runs(IndexText text);
  // All of them, too: runs that the filter excludes have is_meant false.
  [[nodiscard]] std::optional<std::vector<Indexed>> runs(IndexText text,
                                                         const model::RunFilter& filter,
                                                         model::Utc now);
  // Both in one transaction; not at all when others hold the lock for long.
  void change(const std::vector<model::RunRecord>& added, const std::vector<std::string>& gone);

 private:
  using Database = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;
  using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;
  using IsMeant = std::function<bool(sqlite3_stmt* row)>;

  explicit Index(Database database) : database_(std::move(database)) {}
  [[nodiscard]] bool set_up();
  [[nodiscard]] bool perform(const char* words);
  [[nodiscard]] Statement prepare(const char* words);
  [[nodiscard]] static std::optional<std::vector<Indexed>> read(sqlite3_stmt* rows,
                                                                const IsMeant& is_meant);

  Database database_;
};

}  // namespace muster::store

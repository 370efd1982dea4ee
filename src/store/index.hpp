// Index: what is known of runs that have ended, in one file beside their records.
//
// It is only a memory of what the records say, which readers bring up to date: it may be missing,
// locked, not writable or damaged, and nothing is lost. SQLite keeps it, without a write-ahead log,
// which network file systems do not bear.
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
  cells,  // view::record_cells(), a line each
};

class Index {
 public:
  // Nothing when it cannot be used. What is no index is made anew.
  [[nodiscard]] static std::optional<Index> open(const std::string& records);
  static void forget(const std::string& records);

  // Whether the last call that failed found nonsense: then it had better be forgotten.
  [[nodiscard]] bool is_damaged() const;
  // The oldest first; nothing when it cannot be read.
  [[nodiscard]] std::optional<std::vector<Indexed>> runs(IndexText text);
  // All of them, too: what is not meant is known nevertheless.
  [[nodiscard]] std::optional<std::vector<Indexed>> runs(IndexText text,
                                                         const model::RunFilter& filter,
                                                         model::Utc now);
  // Both at once; not at all when others hold it for long.
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

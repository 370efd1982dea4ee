// Reads, compares and rewrites the files of expected text.
#include "golden/golden.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <string_view>

namespace muster::golden {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  ASSERT_TRUE(file.flush()) << "cannot write " << path;
}

bool updating() {
  const char* set = std::getenv("UPDATE_GOLDEN");
  return set != nullptr && std::string_view(set) == "1";
}

}  // namespace

void expect_golden(const std::string& file_below_data, const std::string& actual) {
  const fs::path path = fs::path(MUSTER_SOURCE_DIR) / "tests/golden/data" / file_below_data;
  if (updating()) {
    write(path, actual);
    GTEST_SKIP() << "rewrote " << path;
  }
  const auto expected = read(path);
  ASSERT_TRUE(expected) << "no " << path << "; UPDATE_GOLDEN=1 writes it";
  EXPECT_EQ(*expected, actual) << "differs from " << path
                               << "; if the new text is right, UPDATE_GOLDEN=1 keeps it";
}

}  // namespace muster::golden

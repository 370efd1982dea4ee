// Any lines as the words of `muster run`: a request that is whole, help, or one complaint.
#include <cstdint>
#include <sstream>
#include <vector>

#include "base/check.hpp"
#include "cli/run_words.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) {
    if (word.find("hostfile") != std::string::npos) return 0;  // no file may be touched
    words.push_back(word);
  }
  const auto read = muster::cli::read_run_words(words, "/here");
  if (!read) CHECK(read.error().what.find('\n') == std::string::npos);
  if (read && read->request) CHECK(!read->request->spec.apps.front().command.front().empty());
  return 0;
}

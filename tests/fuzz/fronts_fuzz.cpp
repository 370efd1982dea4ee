// Any lines as the words of any front end; the first line names it. A request that is whole, text,
// or one complaint. Every file that the words name holds the same bytes.
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <vector>

#include "base/check.hpp"
#include "front/front.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find('\n'), size);
  const auto* front = muster::front::front_of(all.substr(0, end));
  if (front == nullptr) return 0;
  const std::string text = all.substr(std::min(end + 1, size));
  std::istringstream lines(text);
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  const auto read =
      front->read({.called = std::string(front->names.substr(0, front->names.find(' '))),
                   .words = words,
                   .environment = {"PATH=/bin", "HOME=/home", text.substr(0, text.find('\n'))},
                   .current_folder = "/here",
                   .read_file = [&](const std::string&, std::size_t) { return text; },
                   .counts = {[] { return 8U; }, [] { return 2U; }}});
  if (!read) CHECK(read.error().what.find('\n') == std::string::npos);
  if (read && read->request) {
    for (const auto& app : read->request->spec.apps) CHECK(!app.command.front().empty());
  }
  return 0;
}

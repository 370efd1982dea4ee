// Any lines as the words of `muster run`: a request that is whole, help, or one complaint.
#include <cstdint>
#include <sstream>
#include <vector>

#include "base/check.hpp"
#include "front/run/front.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  const auto read = muster::front::read_run(
      {.called = "run",
       .words = words,
       .current_folder = "/here",
       .read_file = [](const std::string&, std::size_t) { return std::string("node1 slots=2"); }});
  if (!read) CHECK(read.error().what.find('\n') == std::string::npos);
  if (read && read->request) CHECK(!read->request->spec.apps.front().command.front().empty());
  return 0;
}

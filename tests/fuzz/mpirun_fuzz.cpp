// Any lines as the words of mpirun: a request that is whole, text, or one complaint. Every file
// that the words name holds the same bytes.
#include <cstdint>
#include <sstream>
#include <vector>

#include "base/check.hpp"
#include "front/mpirun/front.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  std::istringstream lines(all);
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  const auto read = muster::front::read_mpirun(
      {.called = "mpirun",
       .words = words,
       .environment = {"PATH=/bin", "OMPI_MCA_" + all.substr(0, all.find('\n'))},
       .current_folder = "/here",
       .read_file = [&](const std::string&, std::size_t) { return all; }});
  if (!read) CHECK(read.error().what.find('\n') == std::string::npos);
  if (read && read->request) CHECK(!read->request->spec.apps.front().command.front().empty());
  return 0;
}

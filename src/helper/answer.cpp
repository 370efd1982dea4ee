// A question is a word and perhaps a value, an answer is text.
#include "helper/answer.hpp"

#include "helper/names.hpp"
#include "helper/topology.hpp"
#include "model/topology_text.hpp"

namespace muster::helper {

base::Result<std::string> answer(std::span<const std::string> words) {
  if (words.size() == 1 && words[0] == "topology") return read_topology().map(model::encode);
  if (words.size() == 2 && words[0] == "addresses") {
    return addresses_of(words[1]).map([](const std::vector<std::string>& addresses) {
      std::string text;
      for (const std::string& address : addresses) text += address + "\n";
      return text;
    });
  }
  return base::fail(base::Fault::usage, "muster starts this program by itself",
                    "the helper does not know this question");
}

}  // namespace muster::helper

// Small questions that all parts of mpirun's reader ask.
#include "front/mpirun/draft.hpp"

#include <algorithm>

namespace muster::front {

void notice(MpirunDraft& draft, std::string text) {
  if (std::ranges::find(draft.notices, text) != draft.notices.end()) return;
  draft.notices.push_back(std::move(text));
}

}  // namespace muster::front

// Process sets and groups are names that a launcher may give to some ranks; muster gives none.
#include "pmix/query.hpp"

#include <memory>

#include "pmix/convert.hpp"
#include "pmix/info.hpp"

namespace muster::pmix {

namespace {

// False when nobody here knows the answer.
bool add_answer(std::string_view key, Infos& answers) {
  for (const char* number : {PMIX_QUERY_NUM_PSETS, PMIX_QUERY_NUM_GROUPS}) {
    if (key == number) return answers.amount(number, 0), true;
  }
  for (const char* names : {PMIX_QUERY_PSET_NAMES, PMIX_QUERY_GROUP_NAMES}) {
    if (key == names) return answers.text(names, ""), true;
  }
  return false;
}

}  // namespace

pmix_status_t answer_queries(const pmix_query_t* queries, std::size_t count,
                             pmix_info_cbfunc_t call, void* given) {
  auto answers = std::make_unique<Infos>();
  bool all = true;
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::string& key : from_strings(queries[i].keys)) {
      all = add_answer(key, *answers) && all;
    }
  }
  if (answers->size() == 0) return PMIX_ERR_NOT_SUPPORTED;
  Infos* kept = answers.release();  // the library says when it has read them
  call(
      all ? PMIX_SUCCESS : PMIX_ERR_PARTIAL_SUCCESS, kept->data(), kept->size(), given,
      [](void* read) { delete static_cast<Infos*>(read); }, kept);
  return PMIX_SUCCESS;
}

}  // namespace muster::pmix

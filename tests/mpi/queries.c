// What an MPI library of version 5 asks PMIx for: process sets and groups, of which there are none;
// and that what nobody knows is refused rather than left without an answer.
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(99);                                                       \
    }                                                                 \
  } while (0)

static pmix_status_t ask(const char* first, const char* second, pmix_info_t** answers,
                         size_t* count) {
  pmix_query_t query;
  memset(&query, 0, sizeof query);
  char* keys[] = {(char*)first, (char*)second, NULL};
  query.keys = keys;
  *answers = NULL;
  *count = 0;
  return PMIx_Query_info(&query, 1, answers, count);
}

int main(void) {
  pmix_proc_t self;
  CHECK(PMIx_Init(&self, NULL, 0) == PMIX_SUCCESS);
  pmix_info_t* answers;
  size_t count;
  CHECK(ask(PMIX_QUERY_NUM_PSETS, PMIX_QUERY_PSET_NAMES, &answers, &count) == PMIX_SUCCESS);
  CHECK(count == 2 && answers[0].value.type == PMIX_SIZE && answers[0].value.data.size == 0);
  CHECK(answers[1].value.type == PMIX_STRING);
  CHECK(ask(PMIX_QUERY_NUM_GROUPS, NULL, &answers, &count) == PMIX_SUCCESS && count == 1);
  CHECK(ask(PMIX_QUERY_ALLOC_STATUS, NULL, &answers, &count) == PMIX_ERR_NOT_SUPPORTED);
  if (self.rank == 0) printf("queries ok\n");
  CHECK(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS);
  return 0;
}

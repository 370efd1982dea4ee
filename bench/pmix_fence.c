/* pmix_fence: each rank puts 1 KB and all fence with data, some times over; rank 0 prints the
 * median milliseconds of one round. */
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 15, BYTES = 1024 };

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int ascending(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static double round_ms(const pmix_proc_t* everyone, int round) {
  char key[32], bytes[BYTES];
  memset(bytes, 'x', sizeof bytes);
  snprintf(key, sizeof key, "bench-%d", round);
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo.bytes = bytes;
  value.data.bo.size = sizeof bytes;
  bool collect = true;
  pmix_info_t info;
  PMIX_INFO_CONSTRUCT(&info);
  PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
  if (PMIx_Fence(everyone, 1, NULL, 0) != PMIX_SUCCESS) exit(1);
  const double begin = now_ms();
  if (PMIx_Put(PMIX_GLOBAL, key, &value) != PMIX_SUCCESS) exit(1);
  if (PMIx_Commit() != PMIX_SUCCESS) exit(1);
  if (PMIx_Fence(everyone, 1, &info, 1) != PMIX_SUCCESS) exit(1);
  return now_ms() - begin;
}

int main(void) {
  pmix_proc_t self, everyone;
  if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 1;
  PMIX_LOAD_PROCID(&everyone, self.nspace, PMIX_RANK_WILDCARD);
  double times[ROUNDS];
  for (int i = 0; i < ROUNDS; ++i) times[i] = round_ms(&everyone, i);
  qsort(times, ROUNDS, sizeof times[0], ascending);
  if (self.rank == 0) printf("%.2f\n", times[ROUNDS / 2]);
  return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}

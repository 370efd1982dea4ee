// MPI_THREAD_MULTIPLE: several threads of each rank talk to their twins of the next rank at once.
#include <pthread.h>

#include "check.h"

enum { kThreads = 4, kTurns = 50 };

static int next, before;

static void* talk(void* given) {
  const int tag = (int)(long)given;
  for (int turn = 0; turn < kTurns; ++turn) {
    int out = tag * 1000 + turn, in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, next, tag, &in, 1, MPI_INT, before, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(in == out);
  }
  return NULL;
}

int main(int count, char** words) {
  int level = -1;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &level);
  CHECK(level == MPI_THREAD_MULTIPLE);
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) CHECK(!pthread_create(&threads[i], NULL, talk, (void*)i));
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  int is_main = 0;
  MPI_Is_thread_main(&is_main);
  CHECK(is_main);
  all_is_well("threads");
  MPI_Finalize();
  return 0;
}

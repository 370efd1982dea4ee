// What the programs share: a check that ends the whole job, and the line that says all went well.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      int rank_;                                                                      \
      MPI_Comm_rank(MPI_COMM_WORLD, &rank_);                                          \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, rank_, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 99);                                                  \
    }                                                                                 \
  } while (0)

static inline int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static inline int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

// The sum of 1..count.
static inline int sum_to(int count) { return count * (count + 1) / 2; }

static inline int sum_of(int mine, MPI_Comm comm) {
  int sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

// Said by rank 0 alone, once every rank has come so far.
static inline void all_is_well(const char* name) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_in(MPI_COMM_WORLD) == 0) printf("%s ok with %d\n", name, size_of(MPI_COMM_WORLD));
  fflush(stdout);
}

// All that a whole communicator does at once: each with a value that can be told beforehand.
#include "check.h"

enum { kLarge = 1 << 18 };  // doubles: 2 MB

static int rank, size;

static int* ints(int count) { return calloc(count > 0 ? count : 1, sizeof(int)); }

static void broadcast_and_reduce(void) {
  int value = rank == size - 1 ? 4711 : 0;
  MPI_Bcast(&value, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  CHECK(value == 4711);
  int sum = 0, most = 0, mine = rank + 1;
  MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  CHECK(rank != 0 || sum == sum_to(size));
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(most == size);
  struct {
    double value;
    int rank;
  } here = {-rank, rank}, least;
  MPI_Allreduce(&here, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  CHECK(least.rank == size - 1);
  int prefix = 0;
  MPI_Scan(&mine, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(prefix == sum_to(rank + 1));
  MPI_Exscan(&mine, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(rank == 0 || prefix == sum_to(rank));
}

static void gather_and_scatter(void) {
  int *all = ints(size), *out = ints(size), mine = rank * rank;
  MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i) CHECK(all[i] == i * i);
  int got = -1;
  MPI_Scatter(all, 1, MPI_INT, &got, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(got == mine);
  MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) CHECK(all[i] == i * i);
  for (int i = 0; i < size; ++i) out[i] = rank * size + i;
  MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) CHECK(all[i] == i * size + rank);
  MPI_Reduce_scatter_block(out, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(got == size * sum_to(size - 1) + size * rank);
  free(all);
  free(out);
}

// Rank i gives i+1 items, so every rank's place is known.
static void uneven(void) {
  const int total = sum_to(size);
  int *counts = ints(size), *places = ints(size), *all = ints(total), *mine = ints(rank + 1);
  for (int i = 0; i < size; ++i) {
    counts[i] = i + 1;
    places[i] = sum_to(i);
  }
  for (int i = 0; i <= rank; ++i) mine[i] = places[rank] + i;
  MPI_Allgatherv(mine, rank + 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < total; ++i) CHECK(all[i] == i);
  memset(all, 0, sizeof(int) * total);
  MPI_Gatherv(mine, rank + 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < total; ++i) CHECK(all[i] == i);
  memset(mine, 0, sizeof(int) * (rank + 1));
  MPI_Scatterv(all, counts, places, MPI_INT, mine, rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i <= rank; ++i) CHECK(mine[i] == places[rank] + i);
  for (int i = 0; i < total; ++i) all[i] = 1;
  MPI_Reduce_scatter(all, mine, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i <= rank; ++i) CHECK(mine[i] == size);
  free(counts);
  free(places);
  free(all);
  free(mine);
}

// To rank i go i+1 items; so rank+1 come from each.
static void uneven_to_all(void) {
  const int total = sum_to(size), each = rank + 1;
  int *out = ints(total), *in = ints(size * each);
  int *sent = ints(size), *from = ints(size), *taken = ints(size), *to = ints(size);
  for (int i = 0; i < size; ++i) {
    sent[i] = i + 1;
    from[i] = sum_to(i);
    taken[i] = each;
    to[i] = each * i;
  }
  for (int i = 0; i < total; ++i) out[i] = rank;
  MPI_Alltoallv(out, sent, from, MPI_INT, in, taken, to, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size * each; ++i) CHECK(in[i] == i / each);
  int* every[] = {out, in, sent, from, taken, to};
  for (int i = 0; i < 6; ++i) free(every[i]);
}

static void nonblocking(void) {
  int value = rank == 0 ? 99 : 0, sum = 0, mine = rank + 1, *all = ints(size);
  MPI_Request requests[4];
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[2]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  CHECK(value == 99 && sum == sum_to(size));
  for (int i = 0; i < size; ++i) CHECK(all[i] == i);
  free(all);
}

static void large(void) {
  double* mine = malloc(sizeof(double) * kLarge);
  double* sum = malloc(sizeof(double) * kLarge);
  for (int i = 0; i < kLarge; ++i) mine[i] = rank + i % 7;
  MPI_Allreduce(mine, sum, kLarge, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < kLarge; ++i) CHECK(sum[i] == sum_to(size - 1) + size * (i % 7));
  MPI_Bcast(mine, kLarge, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < kLarge; ++i) CHECK(mine[i] == i % 7);
  free(mine);
  free(sum);
}

static void product(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((long*)inout)[i] *= ((long*)in)[i];
}

static void own_operation(void) {
  MPI_Op op;
  MPI_Op_create(product, 1, &op);
  long mine = rank < 10 ? 2 : 1, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, op, MPI_COMM_WORLD);
  CHECK(all == 1L << (size < 10 ? size : 10));
  MPI_Op_free(&op);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  rank = rank_in(MPI_COMM_WORLD);
  size = size_of(MPI_COMM_WORLD);
  broadcast_and_reduce();
  gather_and_scatter();
  uneven();
  uneven_to_all();
  nonblocking();
  large();
  own_operation();
  all_is_well("collectives");
  MPI_Finalize();
  return 0;
}

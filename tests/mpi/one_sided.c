// Memory of other ranks, read and written without them; and memory shared by those of one host.
#include "check.h"

// Debian's MPICH 4.0.2 writes to wrong places in windows of a few bytes that lie in shared memory,
// and loses what is added to windows on the stack, under its own mpiexec too: all fill a page here.
enum { kPage = 4096 };

static int rank, size, next, before;

static void fenced(void) {
  int* here;
  MPI_Win window;
  MPI_Win_allocate(kPage, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &here, &window);
  here[0] = here[1] = -1;
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK(here[0] == before && here[1] == -1);
  int got = -2;
  MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK(got == rank);
  MPI_Win_free(&window);
}

static void accumulated(void) {
  long* sum;
  MPI_Alloc_mem(kPage, MPI_INFO_NULL, &sum);
  *sum = 0;
  MPI_Win window;
  MPI_Win_create(sum, kPage, sizeof *sum, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  const long mine = rank + 1;
  MPI_Accumulate(&mine, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, window);
  MPI_Win_fence(0, window);
  CHECK(rank != 0 || *sum == sum_to(size));
  MPI_Win_free(&window);
  MPI_Free_mem(sum);
}

static MPI_Group only(int one) {
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &one, &group);
  MPI_Group_free(&world);
  return group;
}

static void posted_and_started(void) {
  int* here;
  MPI_Win window;
  MPI_Win_allocate(kPage, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &here, &window);
  *here = -1;
  MPI_Group from = only(before), to = only(next);
  MPI_Win_post(from, 0, window);
  MPI_Win_start(to, 0, window);
  MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  CHECK(*here == before);
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  MPI_Win_free(&window);
}

// Everybody draws a ticket of rank 0's counter, and adds to a sum that must not lose one.
static void locked(void) {
  enum { kTurns = 10 };
  long* here;
  MPI_Win window;
  MPI_Win_allocate(kPage, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &here, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  here[0] = here[1] = here[2] = 0;
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  const long one = 1;
  long last = -1, ticket = -1, was = -1;
  MPI_Win_lock_all(0, window);
  for (int turn = 0; turn < kTurns; ++turn) {
    MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    CHECK(ticket > last && ticket < kTurns * size);
    last = ticket;
    MPI_Get_accumulate(&one, 1, MPI_LONG, &was, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_flush(0, window);
  }
  const long zero = 0, mine = rank + 1;
  MPI_Compare_and_swap(&mine, &zero, &was, MPI_LONG, 0, 2, window);
  MPI_Win_unlock_all(window);
  const int winners = sum_of(was == 0, MPI_COMM_WORLD);
  CHECK(winners == 1);
  MPI_Barrier(MPI_COMM_WORLD);
  long found[3];
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get(found, 3, MPI_LONG, 0, 0, 3, MPI_LONG, window);
  MPI_Win_unlock(0, window);
  CHECK(found[0] == kTurns * size && found[1] == kTurns * size);
  CHECK(found[2] >= 1 && found[2] <= size);
  MPI_Win_free(&window);
}

static void requested(void) {
  int* here;
  MPI_Win window;
  MPI_Win_allocate(kPage, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &here, &window);
  *here = 100 + rank;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  int got = -1;
  MPI_Request request;
  MPI_Rget(&got, 1, MPI_INT, next, 0, 1, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(got == 100 + next);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

static void shared(void) {
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int* mine;
  MPI_Win window;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, host, &mine, &window);
  MPI_Win_fence(0, window);
  *mine = rank_in(host) + 1;
  MPI_Win_fence(0, window);
  int sum = 0;
  for (int i = 0; i < size_of(host); ++i) {
    MPI_Aint bytes;
    int unit, *theirs;
    MPI_Win_shared_query(window, i, &bytes, &unit, &theirs);
    CHECK(bytes == sizeof(int));
    sum += *theirs;
  }
  CHECK(sum == sum_to(size_of(host)));
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Comm_free(&host);
}

static void dynamic(void) {
  int value = -1;
  MPI_Win window;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_attach(window, &value, sizeof value);
  MPI_Aint mine, theirs;
  MPI_Get_address(&value, &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, before, 0, &theirs, 1, MPI_AINT, next, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, next, theirs, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK(value == before);
  MPI_Win_detach(window, &value);
  MPI_Win_free(&window);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  rank = rank_in(MPI_COMM_WORLD);
  size = size_of(MPI_COMM_WORLD);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  fenced();
  accumulated();
  posted_and_started();
  locked();
  requested();
  shared();
  dynamic();
  all_is_well("one_sided");
  MPI_Finalize();
  return 0;
}

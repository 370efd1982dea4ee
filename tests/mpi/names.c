// Two halves of one world meet anew: through a port, and through a port with a published name.
#include "check.h"

static int rank, size;

// The group with the port: the even ranks. Both end with a communicator that spans both.
static MPI_Comm meet(MPI_Comm half, const char* port) {
  MPI_Comm other;
  if (rank % 2 == 0)
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &other);
  else
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &other);
  return other;
}

static void greet(MPI_Comm other) {
  int remote, sum = 0, mine = rank + 1;
  MPI_Comm_remote_size(other, &remote);
  CHECK(remote == (size + rank % 2) / 2);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, other);
  int expected = 0;
  for (int i = 1 - rank % 2; i < size; i += 2) expected += i + 1;
  CHECK(sum == expected);
  MPI_Comm merged;
  MPI_Intercomm_merge(other, rank % 2, &merged);
  CHECK(sum_of(1, merged) == size);
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&other);
  CHECK(other == MPI_COMM_NULL);
}

static void by_port(MPI_Comm half) {
  char port[MPI_MAX_PORT_NAME] = "";
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
  greet(meet(half, port));
  if (rank == 0) MPI_Close_port(port);
}

static void by_name(MPI_Comm half, const char* name) {
  char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Publish_name(name, MPI_INFO_NULL, port);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Lookup_name(name, MPI_INFO_NULL, found);
  MPI_Bcast(found, sizeof found, MPI_CHAR, 1, MPI_COMM_WORLD);
  MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(!strcmp(port, found));
  greet(meet(half, found));
  if (rank == 0) {
    MPI_Unpublish_name(name, MPI_INFO_NULL, port);
    MPI_Close_port(port);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void absent(void) {
  if (rank != 0) return;
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int error = MPI_Lookup_name("nobody", MPI_INFO_NULL, port);
  int kind = MPI_SUCCESS;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &kind);
  CHECK(error != MPI_SUCCESS && kind == MPI_ERR_NAME);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  rank = rank_in(MPI_COMM_WORLD);
  size = size_of(MPI_COMM_WORLD);
  CHECK(size > 1);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  by_port(half);
  by_name(half, "first");
  by_name(half, "second name");
  absent();
  MPI_Comm_free(&half);
  all_is_well("names");
  MPI_Finalize();
  return 0;
}

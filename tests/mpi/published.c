// MPI_Publish_name, MPI_Lookup_name, MPI_Unpublish_name: seen by all ranks, gone afterwards.
#include "check.h"

static int looked_up(const char* name, char* port) {
  return MPI_Lookup_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  char port[MPI_MAX_PORT_NAME] = "", name[64], own[64];
  CHECK(!looked_up("nobody", port));
  snprintf(own, sizeof own, "service-%d", rank);
  snprintf(port, sizeof port, "port-of-%d", rank);
  CHECK(MPI_Publish_name(own, MPI_INFO_NULL, port) == MPI_SUCCESS);
  CHECK(MPI_Publish_name(own, MPI_INFO_NULL, port) != MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int who = 0; who < size; ++who) {
    char expected[64];
    snprintf(name, sizeof name, "service-%d", who);
    snprintf(expected, sizeof expected, "port-of-%d", who);
    CHECK(looked_up(name, port) && !strcmp(port, expected));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(port, sizeof port, "port-of-%d", rank);
  CHECK(MPI_Unpublish_name(own, MPI_INFO_NULL, port) == MPI_SUCCESS);
  CHECK(!looked_up(own, port));
  all_is_well("published");
  MPI_Finalize();
  return 0;
}

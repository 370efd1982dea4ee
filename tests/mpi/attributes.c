// What a launcher tells through MPI: universe, application number, version, time, names.
// Words: the universe's size that must be told, if any.
#include "check.h"

static int* attribute(int key) {
  int* value = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found);
  return found ? value : NULL;
}

int main(int count, char** words) {
  int before = -1, after = -1;
  MPI_Initialized(&before);
  MPI_Init(&count, &words);
  MPI_Initialized(&after);
  CHECK(!before && after);
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const int* universe = attribute(MPI_UNIVERSE_SIZE);
  CHECK(universe != NULL);
  if (count > 1) CHECK(*universe == atoi(words[1]));
  const int* number = attribute(MPI_APPNUM);
  CHECK(number != NULL && *number == 0);
  const int* tag = attribute(MPI_TAG_UB);
  CHECK(tag != NULL && *tag >= 32767);
  CHECK(attribute(MPI_WTIME_IS_GLOBAL) != NULL);
  const double start = MPI_Wtime();
  CHECK(MPI_Wtick() > 0 && MPI_Wtime() >= start);
  CHECK(rank == atoi(getenv("RANK")) && size == atoi(getenv("WORLD_SIZE")));
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  CHECK(parent == MPI_COMM_NULL);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  CHECK(length > 0);
  all_is_well("attributes");
  MPI_Finalize();
  return 0;
}

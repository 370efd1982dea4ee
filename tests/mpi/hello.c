// The smallest program with a world: a barrier, a sum, the own name.
#include "check.h"

int main(int count, char** words) {
  MPI_Init(&count, &words);
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(sum_of(rank + 1, MPI_COMM_WORLD) == sum_to(size));
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_processor_name(name, &length);
  CHECK(length > 0 && (size_t)length == strlen(name));
  if (count > 1 && !strcmp(words[1], "name")) printf("%d on %s\n", rank, name);
  all_is_well("hello");
  MPI_Finalize();
  return 0;
}

// MPI_Abort: the first word is the code, the second the rank that calls it; others wait for ever.
#include "check.h"

int main(int count, char** words) {
  MPI_Init(&count, &words);
  CHECK(count > 2);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_in(MPI_COMM_WORLD) == atoi(words[2])) MPI_Abort(MPI_COMM_WORLD, atoi(words[1]));
  int never;
  MPI_Recv(&never, 1, MPI_INT, rank_in(MPI_COMM_WORLD), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}

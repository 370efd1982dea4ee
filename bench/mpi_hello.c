/* mpi_hello: the world forms, sums once over all ranks, and ends. */
#include <mpi.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int one = 1, sum = 0, size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == size ? 0 : 1;
}

/* What the ranks of the MPICH tests do; compiled with mpicc.mpich when the tests run. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

/* Every rank checks a sum, and a token that went once around. */
static int sum(void) {
  long mine = rank + 1, all = 0;
  int token = 17;
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank < size - 1) MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
  printf("%d of %d sum %ld token %d\n", rank, size, all, token);
  return all != (long)size * (size + 1) / 2;
}

/* The last rank aborts while the others wait for it. */
static int give_up(void) {
  if (rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 7);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

/* The first rank publishes, the last looks up. */
static int names(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) MPI_Publish_name("service", MPI_INFO_NULL, "tag#0$port#4711$");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) {
    MPI_Lookup_name("service", MPI_INFO_NULL, port);
    printf("port %s\n", port);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Unpublish_name("service", MPI_INFO_NULL, "tag#0$port#4711$");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1)
    printf("then %s\n",
           MPI_Lookup_name("service", MPI_INFO_NULL, port) == MPI_SUCCESS ? "found" : "absent");
  return 0;
}

int main(int argc, char** argv) {
  int failed = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "sum") == 0) failed = sum();
  if (argc > 1 && strcmp(argv[1], "abort") == 0) failed = give_up();
  if (argc > 1 && strcmp(argv[1], "names") == 0) failed = names();
  MPI_Finalize();
  return failed;
}

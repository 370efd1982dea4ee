// Communicators made of others: split, copied, by host, by group, across, as a grid.
#include "check.h"

static int rank, size;

static void copied_and_split(void) {
  MPI_Comm copy, half, none;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  int result;
  MPI_Comm_compare(copy, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_split(copy, rank % 2, -rank, &half);
  const int others = (size + (rank % 2 == 0)) / 2;
  CHECK(size_of(half) == others && rank_in(half) == others - 1 - rank / 2);
  MPI_Comm_split(copy, rank == 0 ? MPI_UNDEFINED : 1, 0, &none);
  CHECK((none == MPI_COMM_NULL) == (rank == 0));
  if (none != MPI_COMM_NULL) MPI_Comm_free(&none);
  MPI_Request request;
  MPI_Comm another;
  MPI_Comm_idup(half, &another, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum_of(1, another) == others);
  MPI_Comm_free(&another);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
}

// How many ranks this host has is the launcher's word; a simulated host counts as one too.
static void by_host(void) {
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  CHECK(size_of(host) == atoi(getenv("LOCAL_WORLD_SIZE")));
  CHECK(rank_in(host) == atoi(getenv("LOCAL_RANK")));
  MPI_Comm_free(&host);
}

static void by_group(void) {
  MPI_Group world, even;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int range[1][3] = {{0, size - 1, 2}};
  MPI_Group_range_incl(world, 1, range, &even);
  MPI_Comm comm = MPI_COMM_NULL;
  if (rank % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &comm);
    CHECK(size_of(comm) == (size + 1) / 2 && sum_of(1, comm) == (size + 1) / 2);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_create(MPI_COMM_WORLD, even, &comm);
  CHECK((comm == MPI_COMM_NULL) == (rank % 2 == 1));
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  MPI_Group_free(&even);
  MPI_Group_free(&world);
}

static void across(void) {
  if (size < 2) return;
  MPI_Comm half, bridge, merged;
  const int odd = rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 12, &bridge);
  int remote, sum = 0, one = 1;
  MPI_Comm_remote_size(bridge, &remote);
  CHECK(remote == (size + odd) / 2);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, bridge);
  CHECK(sum == remote);
  MPI_Intercomm_merge(bridge, odd, &merged);
  CHECK(size_of(merged) == size && sum_of(rank, merged) == sum_to(size - 1));
  MPI_Comm_free(&merged);
  MPI_Comm_free(&bridge);
  MPI_Comm_free(&half);
}

static void as_a_grid(void) {
  int dims[2] = {0, 0}, wraps[2] = {1, 0}, at[2], up, down;
  MPI_Dims_create(size, 2, dims);
  CHECK(dims[0] * dims[1] == size);
  MPI_Comm grid, row;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &grid);
  MPI_Cart_coords(grid, rank_in(grid), 2, at);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  int mine = at[0], got = -1;
  MPI_Sendrecv(&mine, 1, MPI_INT, down, 1, &got, 1, MPI_INT, up, 1, grid, MPI_STATUS_IGNORE);
  CHECK(got == (at[0] + dims[0] - 1) % dims[0]);
  int kept[2] = {0, 1};
  MPI_Cart_sub(grid, kept, &row);
  CHECK(size_of(row) == dims[1] && rank_in(row) == at[1]);
  int around[4] = {-1, -1, -1, -1};
  MPI_Neighbor_allgather(&mine, 1, MPI_INT, around, 1, MPI_INT, grid);
  CHECK(around[0] == got);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
}

static void as_a_graph(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  int got = -1;
  MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &got, 1, MPI_INT, graph);
  CHECK(got == before);
  MPI_Comm_free(&graph);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  rank = rank_in(MPI_COMM_WORLD);
  size = size_of(MPI_COMM_WORLD);
  copied_and_split();
  by_host();
  by_group();
  across();
  as_a_grid();
  as_a_graph();
  all_is_well("communicators");
  MPI_Finalize();
  return 0;
}

// Messages between two ranks: blocking and not, probed, from anybody, large, persistent, to itself.
#include "check.h"

enum { kLarge = 1 << 20 };  // ints: 4 MB, far above every eager limit

static int rank, size, next, before;

static void ring(void) {
  int got = -1;
  MPI_Status status;
  MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &status);
  CHECK(got == before && status.MPI_SOURCE == before && status.MPI_TAG == 1);
  got = rank;
  MPI_Sendrecv_replace(&got, 1, MPI_INT, next, 2, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(got == before);
}

static void blocking(void) {
  int token = 17;
  if (rank == 0) {
    MPI_Send(&token, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(token == 17 + size - 1);
  } else {
    MPI_Recv(&token, 1, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++token;
    MPI_Ssend(&token, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
  }
}

static void nonblocking(void) {
  int* in = malloc(sizeof(int) * size);
  int* out = malloc(sizeof(int) * size);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * 2 * size);
  for (int peer = 0; peer < size; ++peer) {
    out[peer] = rank * 1000 + peer;
    MPI_Irecv(&in[peer], 1, MPI_INT, peer, 4, MPI_COMM_WORLD, &requests[peer]);
  }
  for (int peer = 0; peer < size; ++peer)
    MPI_Isend(&out[peer], 1, MPI_INT, peer, 4, MPI_COMM_WORLD, &requests[size + peer]);
  MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
  for (int peer = 0; peer < size; ++peer) CHECK(in[peer] == peer * 1000 + rank);
  free(in);
  free(out);
  free(requests);
}

// Rank 0 takes from whoever comes, and learns the length before it makes room.
static void any_source(MPI_Comm apart) {
  if (rank != 0) {
    char* text = calloc(rank, 1);
    memset(text, 'a', rank);
    MPI_Send(text, rank, MPI_CHAR, 0, 100 + rank, apart);
    free(text);
    return;
  }
  int seen = 0;
  for (int i = 1; i < size; ++i) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, apart, &status);
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    CHECK(length == status.MPI_SOURCE && status.MPI_TAG == 100 + length);
    char* text = malloc(length);
    MPI_Recv(text, length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, apart, &status);
    for (int at = 0; at < length; ++at) CHECK(text[at] == 'a');
    free(text);
    seen += length;
  }
  CHECK(seen == sum_to(size - 1));
}

static void matched_probe(void) {
  MPI_Request request;
  MPI_Isend(&rank, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &request);
  MPI_Message message;
  MPI_Status status;
  int there = 0, got = -1;
  while (!there) MPI_Improbe(before, 5, MPI_COMM_WORLD, &there, &message, &status);
  MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
  CHECK(got == before);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void large(void) {
  int* out = malloc(sizeof(int) * kLarge);
  int* in = malloc(sizeof(int) * kLarge);
  for (int at = 0; at < kLarge; ++at) out[at] = at ^ rank;
  memset(in, 0, sizeof(int) * kLarge);
  MPI_Request requests[2];
  MPI_Irecv(in, kLarge, MPI_INT, before, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, kLarge, MPI_INT, next, 6, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int at = 0; at < kLarge; ++at) CHECK(in[at] == (at ^ before));
  free(in);
  free(out);
}

static void persistent(void) {
  int out = 0, in = -1;
  MPI_Request requests[2];
  MPI_Send_init(&out, 1, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, before, 7, MPI_COMM_WORLD, &requests[1]);
  for (int turn = 0; turn < 20; ++turn) {
    out = rank + turn;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(in == before + turn);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void myself(void) {
  int out = 42, in = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &request);
  MPI_Send(&out, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in == 42);
  MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD);
}

// A column of a matrix arrives as a row.
static void derived_type(void) {
  int matrix[4][4], column[4];
  for (int i = 0; i < 16; ++i) matrix[i / 4][i % 4] = 100 * rank + i;
  MPI_Datatype type;
  MPI_Type_vector(4, 1, 4, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(&matrix[0][1], 1, type, next, 9, column, 4, MPI_INT, before, 9, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i) CHECK(column[i] == 100 * before + 4 * i + 1);
  MPI_Type_free(&type);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  rank = rank_in(MPI_COMM_WORLD);
  size = size_of(MPI_COMM_WORLD);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  ring();
  if (size > 1) blocking();
  nonblocking();
  MPI_Comm apart;  // rank 0 takes any message there
  MPI_Comm_dup(MPI_COMM_WORLD, &apart);
  any_source(apart);
  MPI_Comm_free(&apart);
  matched_probe();
  large();
  persistent();
  myself();
  derived_type();
  all_is_well("point_to_point");
  MPI_Finalize();
  return 0;
}

// MPI_Comm_spawn: parents start children of the same program, talk to them, and part.
// Words: "one", "many" (spawn_multiple), "root" (only the root knows what), "again" (twice),
// "self" (each parent its own), "absent" (a program that is not there).
#include "check.h"

static const char* own_path;

static int child_of(MPI_Comm parent) {
  int remote;
  MPI_Comm_remote_size(parent, &remote);
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  CHECK(sum_of(rank + 1, MPI_COMM_WORLD) == sum_to(size));
  MPI_Comm all;
  MPI_Intercomm_merge(parent, 1, &all);
  CHECK(size_of(all) == remote + size && sum_of(1, all) == remote + size);
  MPI_Comm_free(&all);
  int* number = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
  const int mine = found ? *number : -1;
  MPI_Gather(&mine, 1, MPI_INT, NULL, 0, MPI_INT, 0, parent);
  MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return 0;
}

// `first` children have application number 0, all others 1.
static void meet(MPI_Comm children, MPI_Comm parents, int count, int first) {
  int remote;
  MPI_Comm_remote_size(children, &remote);
  CHECK(remote == count);
  MPI_Comm all;
  MPI_Intercomm_merge(children, 0, &all);
  CHECK(size_of(all) == size_of(parents) + count && sum_of(1, all) == size_of(all));
  MPI_Comm_free(&all);
  int* numbers = malloc(sizeof(int) * count);
  MPI_Gather(NULL, 0, MPI_INT, numbers, 1, MPI_INT, rank_in(parents) ? MPI_PROC_NULL : MPI_ROOT,
             children);
  if (rank_in(parents) == 0)
    for (int i = 0; i < count; ++i) CHECK(numbers[i] == (i >= first));
  free(numbers);
  MPI_Comm_disconnect(&children);
}

static void one(MPI_Comm parents, int root_only) {
  MPI_Comm children;
  int errors[2] = {-1, -1};
  const int known = !root_only || rank_in(parents) == 0;
  char* words[] = {(char*)"child", NULL};
  MPI_Comm_spawn(known ? own_path : "", words, known ? 2 : 0, MPI_INFO_NULL, 0, parents, &children,
                 errors);
  // Open MPI tells the others only as many as they asked for.
  if (known) CHECK(errors[0] == MPI_SUCCESS && errors[1] == MPI_SUCCESS);
  meet(children, parents, 2, 2);
}

static void many(void) {
  MPI_Comm children;
  char* programs[] = {(char*)own_path, (char*)own_path};
  char* first[] = {(char*)"child", NULL};
  char* second[] = {(char*)"child", (char*)"two words", NULL};
  char** words[] = {first, second};
  int counts[] = {1, 2}, errors[3];
  MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm_spawn_multiple(2, programs, words, counts, infos, 0, MPI_COMM_WORLD, &children, errors);
  for (int i = 0; i < 3; ++i) CHECK(errors[i] == MPI_SUCCESS);
  meet(children, MPI_COMM_WORLD, 3, 1);
}

static void absent(void) {
  MPI_Comm children;
  int error;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int result = MPI_Comm_spawn("/there/is/no/such/program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0,
                                    MPI_COMM_WORLD, &children, &error);
  CHECK(result != MPI_SUCCESS || error != MPI_SUCCESS);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  own_path = words[0];
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return child_of(parent);
  CHECK(count > 1);
  const char* what = words[1];
  if (!strcmp(what, "one")) one(MPI_COMM_WORLD, 0);
  if (!strcmp(what, "root")) one(MPI_COMM_WORLD, 1);
  if (!strcmp(what, "again"))
    for (int turn = 0; turn < 3; ++turn) one(MPI_COMM_WORLD, 0);
  if (!strcmp(what, "self")) one(MPI_COMM_SELF, 0);
  if (!strcmp(what, "many")) many();
  if (!strcmp(what, "absent")) absent();
  all_is_well("spawn");
  MPI_Finalize();
  return 0;
}

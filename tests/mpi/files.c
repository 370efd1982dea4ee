// MPI-IO in the folder that the first word names, which all ranks can reach.
#include "check.h"

enum { kItems = 1000 };

static int rank, size;

static MPI_File open_in(const char* folder, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  MPI_File file;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  CHECK(MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  return file;
}

static void at_offsets(const char* folder) {
  MPI_File file = open_in(folder, "offsets");
  int out[kItems], in[kItems];
  for (int i = 0; i < kItems; ++i) out[i] = rank * kItems + i;
  const MPI_Offset mine = (MPI_Offset)rank * sizeof out;
  const MPI_Offset theirs = (MPI_Offset)((rank + 1) % size) * sizeof out;
  MPI_Status status;
  MPI_File_write_at_all(file, mine, out, kItems, MPI_INT, &status);
  int count;
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == kItems);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_read_at_all(file, theirs, in, kItems, MPI_INT, &status);
  for (int i = 0; i < kItems; ++i) CHECK(in[i] == (rank + 1) % size * kItems + i);
  MPI_Offset bytes;
  MPI_File_get_size(file, &bytes);
  CHECK(bytes == (MPI_Offset)size * (MPI_Offset)sizeof out);
  MPI_File_close(&file);
}

// Item i of the file belongs to rank i % size.
static void through_views(const char* folder) {
  MPI_File file = open_in(folder, "views");
  MPI_Datatype every;
  MPI_Type_vector(kItems, 1, size, MPI_INT, &every);
  MPI_Type_commit(&every);
  MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL);
  int values[kItems];
  for (int i = 0; i < kItems; ++i) values[i] = rank + i * size;
  MPI_File_write_all(file, values, kItems, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_at(file, (MPI_Offset)rank * kItems, values, kItems, MPI_INT, MPI_STATUS_IGNORE);
  for (int i = 0; i < kItems; ++i) CHECK(values[i] == rank * kItems + i);
  MPI_Type_free(&every);
  MPI_File_close(&file);
}

// Everybody appends through one pointer: each number must be there once, in whatever order.
static void shared_pointer(const char* folder) {
  MPI_File file = open_in(folder, "shared");
  const int mine = rank + 1;
  MPI_File_write_shared(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  int* all = calloc(size, sizeof(int));
  MPI_File_read_at(file, 0, all, size, MPI_INT, MPI_STATUS_IGNORE);
  int sum = 0;
  for (int i = 0; i < size; ++i) sum += all[i];
  CHECK(sum == sum_to(size));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_ordered(file, &mine, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_read_at(file, 0, all, size, MPI_INT, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; ++i) CHECK(all[i] == i + 1);
  free(all);
  MPI_File_close(&file);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  rank = rank_in(MPI_COMM_WORLD);
  size = size_of(MPI_COMM_WORLD);
  CHECK(count > 1);
  at_offsets(words[1]);
  through_views(words[1]);
  // A host's own folder has no pointer for all hosts to share.
  if (count < 3 || strcmp(words[2], "no-shared-pointer")) shared_pointer(words[1]);
  all_is_well("files");
  MPI_Finalize();
  return 0;
}

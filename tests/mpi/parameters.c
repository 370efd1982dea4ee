// Prints the library's control variables whose names are its arguments, one NAME=VALUE a line: what
// the MCA parameters of a launcher's command line have come to in a rank.
#include "check.h"

static void print(const char* name, int index) {
  char text[4096] = "";
  int length = sizeof text, verbosity, binding, scope, count;
  MPI_Datatype type;
  MPI_T_enum numbers;
  CHECK(MPI_T_cvar_get_info(index, text, &length, &verbosity, &type, &numbers, NULL, NULL, &binding,
                            &scope) == MPI_SUCCESS);
  MPI_T_cvar_handle handle;
  CHECK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS);
  CHECK(type != MPI_CHAR || count < (int)sizeof text);
  union {
    char text[4096];
    int number;
    unsigned long large;
  } value;
  memset(&value, 0, sizeof value);
  CHECK(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS);
  if (type == MPI_CHAR) {
    printf("%s=%s\n", name, value.text);
  } else if (type == MPI_INT || type == MPI_UNSIGNED) {
    printf("%s=%d\n", name, value.number);
  } else {
    printf("%s=%lu\n", name, value.large);
  }
  CHECK(MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init(&argc, &argv);
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
  if (rank_in(MPI_COMM_WORLD) == 0) {
    for (int i = 1; i < argc; ++i) {
      int index;
      if (MPI_T_cvar_get_index(argv[i], &index) == MPI_SUCCESS) {
        print(argv[i], index);
      } else {
        printf("%s is unknown\n", argv[i]);
      }
    }
  }
  all_is_well("parameters");
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}

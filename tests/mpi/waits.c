// Stays in the MPI world while the words, a program and its arguments, run as a child.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

int main(int count, char** words) {
  MPI_Init(&count, &words);
  CHECK(count > 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const pid_t child = fork();
  if (child == 0) {
    execvp(words[1], words + 1);
    _exit(127);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  all_is_well("waits");
  MPI_Finalize();
  return 0;
}

// Fails on purpose. Words: where, and the rank that does it; the others wait for it for ever.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"

static const char* where;

static int is(const char* word) { return strcmp(where, word) == 0; }

static void die_soon(void) {
  const struct itimerval soon = {{0, 0}, {0, 300 * 1000}};
  setitimer(ITIMER_REAL, &soon, NULL);  // SIGALRM
}

static void say_ready(int rank) {
  char path[4096];
  snprintf(path, sizeof path, "%s/ready.%d", getenv("DIR"), rank);
  FILE* file = fopen(path, "w");
  if (file != NULL) fclose(file);
}

int main(int count, char** words) {
  const int own = atoi(getenv("RANK"));
  where = words[1];
  const int guilty = own == atoi(words[2]);
  if (is("never") && guilty) pause();
  if (is("no-init") && guilty) return 0;
  // Rank 0 does not come, so the guilty one is still waiting for it when its time is over.
  if (is("in-init") && own == 0) pause();
  if (is("in-init") && guilty) die_soon();
  MPI_Init(&count, &words);
  if (is("abort") && guilty) MPI_Abort(MPI_COMM_WORLD, 7);
  if (is("in-fence") && own == 0) pause();
  if (is("in-fence") && guilty) die_soon();
  say_ready(own);
  if (is("lost") && own == 0) pause();
  MPI_Finalize();
  if (is("after-finalize")) guilty ? exit(9) : (void)pause();
  return 0;
}

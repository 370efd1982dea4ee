// spawn_loop N PROGRAM [ARGS]: starts N processes and waits for all of them; the floor for
// launchers.
#include <cstdio>
#include <cstdlib>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  if (count < 3) {
    std::fputs("usage: spawn_loop N PROGRAM [ARGS]\n", stderr);
    return 2;
  }
  const long wanted = std::strtol(words[1], nullptr, 10);
  for (long i = 0; i < wanted; ++i) {
    pid_t pid = 0;
    if (::posix_spawn(&pid, words[2], nullptr, nullptr, words + 2, environ) != 0) return 1;
  }
  int failed = 0;
  int status = 0;
  while (::wait(&status) > 0) failed |= status;
  return failed == 0 ? 0 : 1;
}

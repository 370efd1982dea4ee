// MPI_Comm_join: ranks 0 and 1, of one host, meet over a socket of their own.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = port};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static int accepted(void) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  CHECK(!bind(listener, (struct sockaddr*)&address, length) && !listen(listener, 1));
  getsockname(listener, (struct sockaddr*)&address, &length);
  int port = address.sin_port;
  MPI_Send(&port, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  const int made = accept(listener, NULL, NULL);
  close(listener);
  return made;
}

static int connected(void) {
  int port;
  MPI_Recv(&port, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = loopback(port);
  CHECK(!connect(made, (struct sockaddr*)&address, sizeof address));
  return made;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  const int rank = rank_in(MPI_COMM_WORLD);
  CHECK(size_of(MPI_COMM_WORLD) == 2);
  const int socket = rank == 0 ? accepted() : connected();
  MPI_Comm other;
  MPI_Comm_join(socket, &other);
  int got = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
  CHECK(got == 1 - rank);
  MPI_Comm_disconnect(&other);
  close(socket);
  all_is_well("join");
  MPI_Finalize();
  return 0;
}

/* The ranks of the tests: mpi_ranks MODE; each mode is one thing that MPI programs do. */
#include <dlfcn.h>
#include <mpi.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* Every rank with every other: all pairs of nodes must reach each other. */
static void hello(void) {
  int one = rank + 1, sum = 0, local = 0;
  int* all = malloc(sizeof(int) * (size_t)size);
  MPI_Comm node;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Alltoall(memset(malloc(sizeof(int) * (size_t)size), 0, sizeof(int) * (size_t)size), 1,
               MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &local);
  printf("rank %d of %d sum %d local %d\n", rank, size, sum, local);
}

/* A process that has greeted its server and then ends without a word. */
static int die_in_init(void) {
  char proc[512];
  int (*init)(void*, void*, size_t);
  void* library = dlopen("libpmix.so.2", RTLD_NOW);
  if (library == NULL) return 4;
  *(void**)(&init) = dlsym(library, "PMIx_Init");
  return init(proc, NULL, 0) == 0 ? 3 : 5;
}

static void spawn(char* program) {
  MPI_Comm parent, children, all;
  char* words[] = {"spawn", NULL};
  int one = 1, sum = 0;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(program, words, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(children, 0, &all);
  } else {
    children = parent;
    MPI_Intercomm_merge(parent, 1, &all);
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  printf("%s sum %d\n", parent == MPI_COMM_NULL ? "parent" : "child", sum);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&children);
}

/* PMIx 4's structures, as its headers have them: an MPI program need not have those. */
struct proc {
  char nspace[256];
  unsigned rank;
};
struct value {
  unsigned short type;
  union {
    int number;
    void* room[3];
  } data;
};
struct info {
  char key[512];
  unsigned flags;
  struct value value;
};

/* What PMIx_Job_control_nb was answered, and that it was. */
static int answer;
static sem_t answered;

static void take_answer(int status, void* info, size_t count, void* about, void* release,
                        void* of_release) {
  (void)info, (void)count, (void)about, (void)release, (void)of_release;
  answer = status;
  sem_post(&answered);
}

typedef void taker(int, void*, size_t, void*, void*, void*);

static int control_later(void* library, const struct proc* all, const struct info* info) {
  int (*ask)(const struct proc*, size_t, const struct info*, size_t, taker*, void*);
  *(void**)(&ask) = dlsym(library, "PMIx_Job_control_nb");
  sem_init(&answered, 0, 0);
  const int refused = ask(all, 1, info, 1, take_answer, NULL);
  if (refused != 0) return refused;
  sem_wait(&answered);
  return answer;
}

/* Rank 1 asks for something that is done to all. */
static void control(const char* key, int number, int is_later) {
  int (*ask)(const struct proc*, size_t, const struct info*, size_t, void**, size_t*);
  void* answers = NULL;
  size_t count = 0;
  void* library = dlopen("libpmix.so.2", RTLD_NOW);
  struct info info;
  struct proc all;
  memset(&info, 0, sizeof info);
  strncpy(info.key, key, sizeof info.key - 1);
  info.value.type = number > 0 ? 6 : 1; /* PMIX_INT, PMIX_BOOL */
  info.value.data.number = number > 0 ? number : 1;
  memset(&all, 0, sizeof all);
  strncpy(all.nspace, getenv("PMIX_NAMESPACE"), sizeof all.nspace - 1);
  all.rank = 0xfffffffe; /* PMIX_RANK_WILDCARD */
  *(void**)(&ask) = dlsym(library, "PMIx_Job_control");
  if (rank == 1) {
    printf("asked: %d\n", is_later ? control_later(library, &all, &info)
                                   : ask(&all, 1, &info, 1, &answers, &count));
  }
  fflush(stdout);
}

static void apps(void) {
  int *number = NULL, found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
  printf("rank %d is of app %d\n", rank, found ? *number : -1);
}

static void names(void) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm other;
  int got = rank;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Publish_name("muster-test", MPI_INFO_NULL, port);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    MPI_Unpublish_name("muster-test", MPI_INFO_NULL, port);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Lookup_name("muster-test", MPI_INFO_NULL, port);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
  }
  MPI_Sendrecv_replace(&got, 1, MPI_INT, 0, 0, 0, 0, other, MPI_STATUS_IGNORE);
  printf("rank %d got %d\n", rank, got);
  MPI_Comm_disconnect(&other);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "hello";
  const char* own = getenv("PMIX_RANK");
  if (strcmp(mode, "die") == 0 && own != NULL && strcmp(own, "1") == 0) return die_in_init();
  begin(&argc, &argv);
  if (strcmp(mode, "hello") == 0 || strcmp(mode, "die") == 0) hello();
  if (strcmp(mode, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 42);
  if (strcmp(mode, "abort") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(mode, "spawn") == 0) spawn(argv[0]);
  if (strcmp(mode, "names") == 0) names();
  if (strcmp(mode, "apps") == 0) apps();
  if (strcmp(mode, "kill") == 0) control("pmix.jctrl.kill", 0, 0);
  if (strcmp(mode, "kill_nb") == 0) control("pmix.jctrl.kill", 0, 1);
  if (strcmp(mode, "signal") == 0) control("pmix.jctrl.sig", 10, 0);
  if (strcmp(mode, "signal_nb") == 0) control("pmix.jctrl.sig", 10, 1);
  if (strcmp(mode, "pause") == 0) control("pmix.jctrl.pause", 0, 0);
  if (strcmp(mode, "pause_nb") == 0) control("pmix.jctrl.pause", 0, 1);
  if (strcmp(mode, "kill") == 0) MPI_Barrier(MPI_COMM_SELF), pause();
  MPI_Finalize();
  return 0;
}

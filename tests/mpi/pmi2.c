// PMI-2 as Slurm's client library speaks it: identity, store, fence, attributes, names.
#include <slurm/pmi2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, getenv("RANK"), #condition); \
      exit(99);                                                                           \
    }                                                                                     \
  } while (0)

static int rank, size;

static void put(const char* what, int who, const char* value) {
  char key[PMI2_MAX_KEYLEN];
  snprintf(key, sizeof key, "%s-%d", what, who);
  CHECK(PMI2_KVS_Put(key, value) == PMI2_SUCCESS);
}

static void expect(const char* job, const char* what, int who, const char* value) {
  char key[PMI2_MAX_KEYLEN], got[PMI2_MAX_VALLEN] = "";
  int length = 0;
  snprintf(key, sizeof key, "%s-%d", what, who);
  CHECK(PMI2_KVS_Get(job, PMI2_ID_NULL, key, got, sizeof got, &length) == PMI2_SUCCESS);
  CHECK(!strcmp(got, value) && length == (int)strlen(value));
}

// Several rounds: what was put is seen by all after the fence, and long values arrive whole.
static void store(const char* job) {
  char value[PMI2_MAX_VALLEN - 1];
  for (int turn = 0; turn < 3; ++turn) {
    memset(value, 'a' + turn, sizeof value);
    const int length = turn < 2 ? 10 + turn * rank : 1000;
    value[length] = 0;
    put(turn == 0 ? "first" : turn == 1 ? "second" : "third", rank, value);
    CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
    for (int who = 0; who < size; ++who) {
      memset(value, 'a' + turn, sizeof value);
      value[turn < 2 ? 10 + turn * who : 1000] = 0;
      expect(job, turn == 0 ? "first" : turn == 1 ? "second" : "third", who, value);
    }
  }
  int length = 0;
  char got[PMI2_MAX_VALLEN];
  CHECK(PMI2_KVS_Get(job, PMI2_ID_NULL, "nobody", got, sizeof got, &length) != PMI2_SUCCESS ||
        length <= 0);
}

static void attributes(void) {
  char value[PMI2_MAX_ATTRVALUE] = "";
  int found = 0;
  CHECK(PMI2_Info_GetJobAttr("PMI_process_mapping", value, sizeof value, &found) == PMI2_SUCCESS);
  CHECK(found && !strncmp(value, "(vector", 7));
  CHECK(PMI2_Info_GetJobAttr("universeSize", value, sizeof value, &found) == PMI2_SUCCESS);
  CHECK(found && atoi(value) > 0);
  // The first rank of each host puts; all others of that host wait for it.
  if (!strcmp(getenv("LOCAL_RANK"), "0"))
    CHECK(PMI2_Info_PutNodeAttr("leader", getenv("RANK")) == PMI2_SUCCESS);
  CHECK(PMI2_Info_GetNodeAttr("leader", value, sizeof value, &found, 1) == PMI2_SUCCESS);
  CHECK(found && atoi(value) == rank - atoi(getenv("LOCAL_RANK")));
  CHECK(PMI2_Info_GetNodeAttr("absent", value, sizeof value, &found, 0) != PMI2_SUCCESS || !found);
}

static void names(void) {
  char port[1024] = "";
  if (rank == 0) CHECK(PMI2_Nameserv_publish("service", NULL, "a port") == PMI2_SUCCESS);
  CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
  CHECK(PMI2_Nameserv_lookup("service", NULL, port, sizeof port) == PMI2_SUCCESS);
  CHECK(!strcmp(port, "a port"));
  CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
  if (rank == 0) CHECK(PMI2_Nameserv_unpublish("service", NULL) == PMI2_SUCCESS);
  CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
  CHECK(PMI2_Nameserv_lookup("service", NULL, port, sizeof port) != PMI2_SUCCESS);
}

int main(int count, char** words) {
  int spawned = -1, application = -1, own = -1;
  CHECK(PMI2_Init(&spawned, &size, &rank, &application) == PMI2_SUCCESS);
  CHECK(!spawned && application == 0 && PMI2_Initialized());
  CHECK(rank == atoi(getenv("RANK")) && size == atoi(getenv("WORLD_SIZE")));
  CHECK(PMI2_Job_GetRank(&own) == PMI2_SUCCESS && own == rank);
  char job[256] = "";
  CHECK(PMI2_Job_GetId(job, sizeof job) == PMI2_SUCCESS && *job);
  if (count > 1 && !strcmp(words[1], "abort") && rank == size - 1) PMI2_Abort(1, "as asked");
  store(job);
  attributes();
  names();
  CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
  if (rank == 0) printf("pmi2 ok with %d\n", size);
  CHECK(PMI2_Finalize() == PMI2_SUCCESS);
  return 0;
}

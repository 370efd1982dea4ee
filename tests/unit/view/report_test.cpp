// The failure report: the cause within three lines, and every other line in its place.
#include "view/report.hpp"

#include <csignal>
#include <gtest/gtest.h>

#include "view/inner_report.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

using base::Fault;
using base::Rank;
using model::Cause;
using model::RankExit;
using model::RunReport;

[[nodiscard]] RunReport rank_3_exited_with(int code) {
  RunReport r;
  r.cause = Cause::rank_failed;
  r.first = RankExit{.rank = Rank(3), .pid = 4242, .code = code};
  r.host = "node2";
  r.world_size = 8;
  r.ended = 7;
  r.grace = std::chrono::seconds(5);
  return r;
}

[[nodiscard]] RunReport rank_3_killed_by(int signal) {
  RunReport r = rank_3_exited_with(0);
  r.first.signal = signal;
  return r;
}

TEST(Report, OfASuccessIsEmpty) { EXPECT_EQ(report(RunReport{}, {}), ""); }

TEST(Report, NamesOfAnyLengthAreCut) {
  const std::string name(100'000, 'x');
  const base::Error odd{Fault::cannot_start, "no program " + name, "is it " + name, {}};
  const std::string told = error(odd, {});
  EXPECT_LT(told.size(), 2 * kMessageMax + 50);
  EXPECT_TRUE(told.starts_with("muster: error: no program xx")) << told.substr(0, 50);
  EXPECT_TRUE(told.ends_with("xx...\n")) << told.substr(told.size() - 50);
}

TEST(Report, OfASuccessStillTellsWarnings) {
  RunReport r;
  r.warnings = {"pid 42 (sleep) on node1 could not be ended"};
  EXPECT_EQ(report(r, {}), "muster: warning: pid 42 (sleep) on node1 could not be ended\n");
}

TEST(Report, NamesRankHostCodeAndPid) {
  EXPECT_EQ(report(rank_3_exited_with(1), {}),
            "muster: rank 3 on node2 exited with code 1 (pid 4242)\n"
            "muster: the 7 other ranks were ended with SIGTERM\n"
            "muster: exit code 1\n");
}

TEST(Report, ARanksCodeIsNotTakenForOneOfMusters) {
  const std::string said = "muster: exit code 243 (set by the rank, not by muster)\n";
  EXPECT_TRUE(report(rank_3_exited_with(243), {}).ends_with(said));
  EXPECT_TRUE(report(rank_3_exited_with(239), {}).ends_with("muster: exit code 239\n"));
  RunReport fault;
  fault.cause = Cause::fault;
  fault.error = {base::Fault::unreachable, "ssh to node2 failed", {}, {}};
  EXPECT_TRUE(report(fault, {}).ends_with("muster: exit code 243\n"));
}

TEST(Report, TellsWhoseCodeItIs) {
  RunReport r = rank_3_exited_with(1);
  EXPECT_EQ(r.code_from(), model::CodeFrom::rank);
  r.style = model::ExitStyle::torch;  // 1, whatever the rank's code
  EXPECT_EQ(r.code_from(), model::CodeFrom::muster);
  r.style = model::ExitStyle::muster;
  r.cause = Cause::interrupted;
  r.signal = SIGINT;
  EXPECT_EQ(r.code_from(), model::CodeFrom::signal);
  r.cause = Cause::fault;
  EXPECT_EQ(r.code_from(), model::CodeFrom::muster);
  EXPECT_EQ(RunReport{}.code_from(), model::CodeFrom::nobody);
}

TEST(Report, TheCodeOfALauncherInARankIsMusters) {
  RunReport r = rank_3_exited_with(243);
  r.error_file = to_text({243, false, "muster: error: no node9\nmuster: exit code 243\n"});
  EXPECT_EQ(code_from(r), model::CodeFrom::muster);
  EXPECT_TRUE(report(r, {}).ends_with("muster: exit code 243\n"));
  const std::string own = "muster: exit code 243 (set by the rank, not by muster)\n";
  r.error_file = to_text({243, false, "muster: rank 0 exited with code 243\n" + own});
  EXPECT_EQ(code_from(r), model::CodeFrom::rank);
  EXPECT_TRUE(report(r, {}).ends_with(own));
}

TEST(Report, AProgramThatDiesOfTheNoticeIsTold) {
  RunReport r = rank_3_killed_by(SIGUSR1);
  r.notice = SIGUSR1;
  EXPECT_NE(
      report(r, {}).find("\n  hint: that was the signal of the notice: the program must catch"),
      std::string::npos);
  r.notice = SIGUSR2;
  EXPECT_EQ(report(r, {}).find("--notice"), std::string::npos);
}

TEST(Report, SaysWhenARankAskedForTheEnd) {
  RunReport r = rank_3_exited_with(7);
  r.aborted = true;
  r.abort_message = "no data";
  EXPECT_TRUE(report(r, {}).starts_with(
      "muster: rank 3 on node2 aborted the job with code 7: no data (pid 4242)\n"));
}

TEST(Report, NamesWhoNeverCalledMpiInit) {
  RunReport r;
  r.cause = Cause::interrupted;
  r.signal = SIGINT;
  r.world_size = r.ended = 12;
  r.missing = {Rank(4)};
  r.missing_total = 1;
  EXPECT_TRUE(report(r, {}).ends_with(
      "muster: rank 4 never called MPI_Init, while other ranks waited for it\n"));
  r.missing = {Rank(1), Rank(4)};
  r.missing_total = 5;
  EXPECT_TRUE(report(r, {}).ends_with(
      "muster: ranks 1, 4 and 3 more never called MPI_Init, while other ranks waited for them\n"));
}

// As jaxlib 0.10.2 says it; before, it had names as /job:jax_worker/replica:0/task:1.
TEST(Report, NamesTheTasksThatABarrierOfJaxMisses) {
  const std::string message =
      "JaxRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: checkpoint::0.";
  for (const auto& [names, first, second] :
       {std::tuple("1, 3", "1", "3"),
        {"2, 13", "/job:jax_worker/replica:0/task:2", "/job:jax_worker/replica:0/task:13"}}) {
    RunReport r = rank_3_exited_with(1);
    r.tail = {"  File \"t.py\", line 8, in <module>",
              "jax.errors." + message,
              "# of tasks that reached the barrier: 2/4.",
              "The first task at the barrier: 2. Some timed out task names:",
              first,
              second,
              "",
              "",
              "RPC: /xla.coordination.CoordinationService/Barrier"};
    const std::string hint =
        "\n  hint: tasks that did not come to that barrier: " + std::string(names) + "; ";
    EXPECT_NE(report(r, {}).find(hint), std::string::npos) << report(r, {});
    r.error_file = R"({"message": {"message": "JaxRuntimeError: Barrier timed out.\nThe first )"
                   R"(task at the barrier: 0. Some timed out task names:\n)" +
                   std::string(first) + "\\n" + second + "\\n\\nRPC\"}}";
    r.tail.clear();
    EXPECT_NE(report(r, {}).find(hint), std::string::npos) << "of a log that is elsewhere";
  }
}

TEST(Report, NamesWhoNeverCameToHorovodsStore) {
  RunReport r;
  r.cause = Cause::fault;
  r.error.what = "not all ranks came";
  r.joining = model::Joining::horovod;
  r.missing = {Rank(2), Rank(3)};
  r.missing_total = 2;
  EXPECT_EQ(report(r, {}),
            "muster: error: not all ranks came\n"
            "muster: ranks 2, 3 never connected to Horovod's store (hvd.init()), while other ranks "
            "waited for them\n"
            "muster: exit code 247\n");
}

TEST(Report, PutsTheExceptionIntoTheFirstLine) {
  RunReport r = rank_3_exited_with(1);
  r.tail = {"Traceback (most recent call last):", "  File \"t.py\", line 3, in <module>",
            "ValueError: bad shape", ""};
  r.killed = 1;
  EXPECT_EQ(
      report(r, {}),
      "muster: rank 3 on node2 exited with code 1 (pid 4242): ValueError: bad shape\n"
      "  | Traceback (most recent call last):\n"
      "  |   File \"t.py\", line 3, in <module>\n"
      "  | ValueError: bad shape\n"
      "muster: the 7 other ranks were ended with SIGTERM; 1 of them needed SIGKILL after 5 s\n"
      "muster: exit code 1\n");
}

TEST(Report, DoesNotRepeatAnOnlyLine) {
  RunReport r = rank_3_exited_with(1);
  r.tail = {"ValueError: bad shape"};
  r.world_size = 1;
  r.ended = 0;
  EXPECT_EQ(report(r, {}),
            "muster: rank 3 on node2 exited with code 1 (pid 4242): ValueError: bad shape\n"
            "muster: exit code 1\n");
}

TEST(Report, ShowsWordsThatItDoesNotKnow) {
  RunReport r = rank_3_exited_with(3);
  r.tail = {"\x1b[31mcannot go on\x1b[0m"};
  EXPECT_TRUE(
      report(r, {}).starts_with("muster: rank 3 on node2 exited with code 3 (pid 4242)\n"
                                "  | cannot go on\n"));
}

TEST(Report, PutsTheEndOfLongUnknownWordsIntoTheFirstLine) {
  RunReport r = rank_3_exited_with(3);
  r.tail = {"step 1", "step 2", "giving up", ""};
  EXPECT_TRUE(report(r, {}).starts_with(
      "muster: rank 3 on node2 exited with code 3 (pid 4242); last line: giving up\n"
      "  | step 1\n  | step 2\n  | giving up\nmuster: "));
}

TEST(Report, SaysSignalsInWords) {
  RunReport r = rank_3_killed_by(SIGSEGV);
  r.first.core_dumped = true;
  EXPECT_TRUE(report(r, {}).starts_with(
      "muster: rank 3 on node2 was killed by signal 11 (SIGSEGV): invalid "
      "memory reference, core dumped (pid 4242)\n  hint: "));
  EXPECT_TRUE(report(r, {}).ends_with("muster: exit code 139\n"));
}

TEST(Report, NamesTheOutOfMemoryKillerAndThePeak) {
  RunReport r = rank_3_killed_by(SIGKILL);
  r.first.max_rss_kib = 2048 * 1024;
  const std::string text = report(r, {});
  EXPECT_TRUE(text.starts_with(
      "muster: rank 3 on node2 was killed by signal 9 (SIGKILL): sent by a user, a batch system or "
      "the kernel's out-of-memory killer (pid 4242)\n  hint: dmesg -T on node2 "));
  EXPECT_NE(text.find("it had used up to 2048 MiB\n"), std::string::npos);
}

[[nodiscard]] RunReport rank_3_killed_with(model::MemoryKills kills) {
  RunReport r = rank_3_killed_by(SIGKILL);
  r.around.memory = std::move(kills);
  return r;
}

TEST(Report, NamesTheLimitOfTheControlGroup) {
  const std::string text =
      report(rank_3_killed_with({1, "/sys/fs/cgroup/job", 512U << 20U, false}), {});
  EXPECT_TRUE(text.starts_with(
      "muster: rank 3 on node2 was killed by signal 9 (SIGKILL): the kernel's out-of-memory killer "
      "killed it (pid 4242)\n  hint: 1 process of this job was killed this way on node2: control "
      "group "
      "/sys/fs/cgroup/job may use 512 MiB; "))
      << text;
}

TEST(Report, KnowsWhenTheMachineRanOutOfMemory) {
  EXPECT_NE(
      report(rank_3_killed_with({2, "", 0, false}), {})
          .find("hint: 2 processes of this job were killed this way on node2: its memory, or"),
      std::string::npos);
  const std::string whole = report(rank_3_killed_with({1, "", 0, true}), {});
  EXPECT_NE(whole.find("has probably killed it"), std::string::npos);
  EXPECT_NE(whole.find("dmesg -T there"), std::string::npos);
}

TEST(Report, DoesNotBlameTheKernelWhoseCountersHaveNotMoved) {
  const std::string text = report(rank_3_killed_with({}), {});
  EXPECT_NE(text.find("sent by some process, perhaps by the rank itself, not by the kernel's "
                      "out-of-memory killer (pid"),
            std::string::npos);
  EXPECT_NE(text.find("hint: a person, a batch system or"), std::string::npos);
}

TEST(Report, TellsOfKilledProcessesBelowARank) {
  RunReport r = rank_3_exited_with(1);
  r.around.memory = model::MemoryKills{1, "/sys/fs/cgroup/job", 64U << 20U, false};
  EXPECT_NE(report(r, {}).find("hint: the kernel's out-of-memory killer was active: 1 process"),
            std::string::npos);
  r.around.memory->whole_machine = true;  // it may have been somebody else's
  EXPECT_EQ(report(r, {}).find("hint"), std::string::npos);
  r = rank_3_exited_with(137);
  r.around.memory = model::MemoryKills{1, "/sys/fs/cgroup/job", 64U << 20U, false};
  EXPECT_NE(report(r, {}).find("the program below them; 1 process of this job was killed this way"),
            std::string::npos);
}

TEST(Report, ExplainsABusErrorBySmallSharedMemory) {
  RunReport r = rank_3_killed_by(SIGBUS);
  r.around.shared = model::SharedMemory{64U << 20U, 0, false};
  EXPECT_NE(report(r, {}).find("hint: /dev/shm on node2 has 64 MiB, 0 of them free now: "),
            std::string::npos);
  r.around.shared->read_only = true;
  EXPECT_NE(report(r, {}).find("/dev/shm on node2 is read-only"), std::string::npos);
  r.around.shared = model::SharedMemory{std::uint64_t{8} << 30U, std::uint64_t{7} << 30U, false};
  EXPECT_NE(report(r, {}).find("often /dev/shm on node2 is full"), std::string::npos);
}

TEST(Report, ExplainsWorkersOutOfSharedMemory) {
  RunReport r = rank_3_exited_with(1);
  r.around.shared = model::SharedMemory{64U << 20U, 64U << 20U, false};
  EXPECT_EQ(report(r, {}).find("hint"), std::string::npos) << "nothing tells of it";
  r.tail = {
      "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error. It is possible"};
  EXPECT_NE(report(r, {}).find("hint: /dev/shm on node2 has 64 MiB, 64 of them"),
            std::string::npos);
}

[[nodiscard]] std::string hint_for(RunReport r, std::vector<std::string> tail = {}) {
  r.tail = std::move(tail);
  const std::string text = report(r, {});
  const std::size_t at = text.find("  hint: ");
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

// Each line as its framework prints it.
TEST(Report, NamesTheGpuThatIsFullAndItsSize) {
  RunReport r = rank_3_exited_with(1);
  const std::string now =
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 280.80 GiB. GPU 0 has a total "
      "capacity of 139.80 GiB of which 139.29 GiB is free.";
  const std::string before =
      "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 23.69 "
      "GiB total capacity; 22.80 GiB already allocated;";
  const std::string rest =
      " is full: smaller batches, or see nvidia-smi there for another process that holds its "
      "memory";
  EXPECT_EQ(hint_for(r, {now}), "  hint: its GPU on node2 (139.80 GiB)" + rest);
  r.around.gpu = "NVIDIA H200";
  EXPECT_EQ(hint_for(r, {now}), "  hint: its GPU on node2 (NVIDIA H200 with 139.80 GiB)" + rest);
  EXPECT_EQ(hint_for(r, {before}), "  hint: its GPU on node2 (NVIDIA H200 with 23.69 GiB)" + rest);
  for (
      const char* line :
      {"RuntimeError: CUDA error: out of memory",
       "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to "
       "allocate 4398046511104 bytes.",
       "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor "
       "with shape[1048576,1048576] and type float on /job:localhost/replica:0/task:0/device:GPU:0 "
       "by allocator GPU_0_bfc [Op:Fill]"}) {
    EXPECT_EQ(hint_for(r, {line}), "  hint: its GPU on node2 (NVIDIA H200)" + rest) << line;
  }
  EXPECT_NE(hint_for(r, {"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2 MiB."})
                .find("see rocm-smi there"),
            std::string::npos);
}

TEST(Report, TakesNoWordsForTheSizeOfAGpu) {
  const RunReport r = rank_3_exited_with(1);
  for (const char* more :
       {"total capacity of", "total capacity of nothing that ends", "; total", " total capacity;",
        "total capacity of 1 with no unit for so long GiB"}) {
    const std::string hint = hint_for(r, {"RuntimeError: CUDA out of memory " + std::string(more)});
    EXPECT_EQ(hint.rfind("  hint: its GPU on node2 is full: ", 0), 0U) << hint;
  }
}

TEST(Report, GivesANextStepWhereThereIsOne) {
  EXPECT_NE(hint_for(rank_3_exited_with(127)).find("check PATH on node2"), std::string::npos);
  EXPECT_NE(hint_for(rank_3_exited_with(126)).find("may not be executed"), std::string::npos);
  EXPECT_NE(hint_for(rank_3_exited_with(137)).find("SIGKILL"), std::string::npos);
  EXPECT_NE(hint_for(rank_3_exited_with(139)).find("invalid memory reference"), std::string::npos);
  EXPECT_NE(hint_for(rank_3_killed_by(SIGBUS)).find("/dev/shm"), std::string::npos);
  EXPECT_NE(hint_for(rank_3_exited_with(1),
                     {"jax.errors.JaxRuntimeError: UNKNOWN: Gloo context initialization failed: "
                      "timed out connecting: SO_ERROR: Connection refused, remote=[127.0.1.1]:429"})
                .find("a host's own name means 127.0.1.1 in its /etc/hosts"),
            std::string::npos);
  EXPECT_NE(hint_for(rank_3_exited_with(1),
                     {"OSError: [Errno 98] Address already in use: ('127.0.1.1', 29500)"})
                .find("holds that port"),
            std::string::npos);
  EXPECT_NE(hint_for(rank_3_exited_with(1), {"OSError: [Errno 28] No space left on device"})
                .find("df -h"),
            std::string::npos);
}

TEST(Report, SaysWhatWordsOfMeetingsMean) {
  const auto advises = [](std::string line, std::string_view words) {
    return hint_for(rank_3_exited_with(1), {std::move(line)}).find(words) != std::string::npos;
  };
  for (const char* line :
       {"tensorflow.python.framework.errors_impl.UnknownError: Could not start gRPC server",
        "E1127 17:21:57.1   103 add_port.cc:83] Failed to add port to server: No address added",
        "jax.errors.JaxRuntimeError: UNKNOWN: Failed to start RPC server"}) {
    EXPECT_TRUE(advises(line, "the port is in use by another process on node2")) << line;
  }
  for (const char* line :
       {"RuntimeError: Socket Timeout",
        "TimeoutError: The client socket has timed out after 5s while trying to connect to (a, 1).",
        "RuntimeError: Timed out after 11 seconds waiting for clients. 1/2 clients joined.",
        "  what():  [http_store.cc:54] Wait timeout after 30 seconds for key(s): 1. You may want",
        "RuntimeError: [gloo/pair.cc:81] Timed out waiting 1800000ms for recv operation",
        "F1127 15:47:47.4   21 client.h:80] fatal errors. absl::Status: DEADLINE_EXCEEDED: D"}) {
    EXPECT_TRUE(advises(line, "perhaps it has waited in vain for another rank")) << line;
  }
  EXPECT_TRUE(
      advises("RuntimeError: use_libuv was requested but PyTorch was build without libuv "
              "support",
              "torch on node2 was built without libuv"));
  EXPECT_FALSE(advises("requests.exceptions.ReadTimeout: Read timed out.", "in vain"));
}

TEST(Report, GivesNoHintForAnOrdinaryFailure) {
  EXPECT_EQ(hint_for(rank_3_exited_with(1)), "");
  EXPECT_EQ(hint_for(rank_3_exited_with(255)), "");
  EXPECT_EQ(hint_for(rank_3_killed_by(SIGTERM)), "");
}

TEST(Report, ListsOtherFailuresShortly) {
  RunReport r = rank_3_exited_with(1);
  r.others = {RankExit{.rank = Rank(5), .code = 1}, RankExit{.rank = Rank(6), .signal = SIGABRT},
              RankExit{.rank = Rank(7), .code = 1}};
  r.others_total = 4;
  r.ended = 3;
  EXPECT_EQ(report(r, {}),
            "muster: rank 3 on node2 exited with code 1 (pid 4242)\n"
            "muster: then ranks 5, 7 exited with code 1; rank 6 was killed by signal 6 (SIGABRT); "
            "and 1 more rank failed too\n"
            "muster: the 3 other ranks were ended with SIGTERM\n"
            "muster: exit code 1\n");
}

TEST(Report, CountsRanksThatHadEndedBefore) {
  RunReport r = rank_3_exited_with(1);
  r.ended = 2;
  EXPECT_NE(report(r, {}).find("muster: 2 ranks were ended with SIGTERM\n"), std::string::npos);
  r.world_size = 2;
  r.ended = 1;
  r.killed = 1;
  r.grace = std::chrono::milliseconds(500);
  EXPECT_NE(
      report(r, {}).find("muster: the other rank was ended with SIGTERM and needed SIGKILL after "
                         "0.5 s\n"),
      std::string::npos);
}

TEST(Report, OfAFaultNamesHostAndNextStep) {
  RunReport r;
  r.cause = Cause::fault;
  r.host = "node2";
  r.error = {Fault::lost, "no sign of life for 8 s", "is it up?", {}};
  r.world_size = 8;
  r.ended = 8;
  EXPECT_EQ(report(r, {}),
            "muster: error: node2: no sign of life for 8 s\n"
            "  hint: is it up?\n"
            "muster: all 8 ranks were ended with SIGTERM\n"
            "muster: exit code 245\n");
}

TEST(Report, OfAFaultDoesNotNameTheHostTwice) {
  RunReport r;
  r.cause = Cause::fault;
  r.host = "node2";
  r.error = {Fault::unreachable, "ssh to node2 failed", "", {}};
  EXPECT_EQ(report(r, {}), "muster: error: ssh to node2 failed\nmuster: exit code 243\n");
}

TEST(Report, OfAnInterruptionIsOneLine) {
  RunReport r;
  r.cause = Cause::interrupted;
  r.signal = SIGINT;
  r.world_size = r.ended = 8;
  r.killed = 1;
  r.grace = std::chrono::seconds(5);
  EXPECT_EQ(report(r, {}),
            "muster: interrupted by signal 2 (SIGINT): all 8 ranks were ended; 1 of them needed "
            "SIGKILL after 5 s; exit code 130\n");
}

TEST(Report, OfTwoRanksSaysBoth) {
  RunReport r;
  r.cause = Cause::interrupted;
  r.signal = SIGINT;
  r.world_size = r.ended = 2;
  EXPECT_EQ(report(r, {}),
            "muster: interrupted by signal 2 (SIGINT): both ranks were ended; exit code 130\n");
}

TEST(Report, OfSigtermInABatchJobTellsWhoSendsIt) {
  RunReport r;
  r.cause = Cause::interrupted;
  r.in_batch_job = true;
  r.signal = SIGINT;
  EXPECT_EQ(report(r, {}), "muster: interrupted by signal 2 (SIGINT); exit code 130\n");
  r.signal = SIGTERM;
  EXPECT_EQ(report(r, {}),
            "muster: interrupted by signal 15 (SIGTERM), as when the batch job around is cancelled "
            "or preempted; exit code 143\n");
}

TEST(Report, ColoursOnlyTheCause) {
  EXPECT_EQ(report(rank_3_exited_with(1), Style{.colour = true}),
            "\x1b[1;31mmuster: rank 3 on node2 exited with code 1 (pid 4242)\x1b[0m\n"
            "muster: the 7 other ranks were ended with SIGTERM\n"
            "muster: exit code 1\n");
}

TEST(ErrorWords, ShowPlaceTextAndHint) {
  const base::Error wrong{
      Fault::bad_file, "slots must be from 1 to 8, not 0", "write slots=1", {"hosts", 3, 7}};
  EXPECT_EQ(error(wrong, {}),
            "muster: error: hosts:3:7: slots must be from 1 to 8, not 0\n  hint: write slots=1\n");
  EXPECT_EQ(error({Fault::usage, "bad\x1b[2J\xff", "", {}}, {}),
            "muster: error: bad\\x1b[2J\\xff\n");
}

TEST(Report, NamesSpawnedRanksInTheNumbersOfTheirOwnWorld) {
  RunReport r = rank_3_exited_with(5);
  r.worlds = {{1, Rank(0), 2}, {2, Rank(2), 6}};
  r.others = {RankExit{.rank = Rank(0), .code = 1}, RankExit{.rank = Rank(7), .code = 1}};
  r.others_total = 2;
  const std::string text = report(r, {});
  EXPECT_EQ(text.find("muster: rank 1 of spawned job 2 on node2 exited with code 5"), 0u) << text;
  EXPECT_NE(text.find("then ranks 0, 5 of spawned job 2 exited with code 1"), std::string::npos);
}

TEST(ErrorText, TellsOneReasonOnceForAllThatHaveIt) {
  base::Errors errors;
  const auto silent = [](const std::string& host) {
    return base::Error{
        Fault::unreachable, host + ": no answer", "does `ssh " + host + "` return?", {}};
  };
  errors.add(silent("n10"));
  errors.add({Fault::unreachable, "n2: refused", "does `ssh n2` return?", {}});
  errors.add(silent("n3"));
  errors.add({Fault::bad_file, "n4: no answer", "", {"hosts", 3, 1}});
  EXPECT_EQ(error(std::move(errors).together(), {}),
            "muster: error: n3, n10: no answer\n  hint: does `ssh n10` return?\n"
            "muster: error: n2: refused\n  hint: does `ssh n2` return?\n"
            "muster: error: hosts:3:1: n4: no answer\n");
}

// Their names may be parts of words of the hint, or words of it.
TEST(ErrorText, TellsOneReasonOnceWhateverTheHostsAreCalled) {
  base::Errors errors;
  const std::vector<std::string> hosts = {"a", "b", "do", "host", "ssh", "true", "up"};
  for (const std::string& host : hosts) {
    errors.add({Fault::unreachable,
                host + ": no answer",
                "is the host up, and does `ssh -J a-b " + host + " true` return by itself?",
                {}});
  }
  EXPECT_EQ(error(std::move(errors).together(), {}),
            "muster: error: a, b, do, host, ssh, true, up: no answer\n"
            "  hint: is the host up, and does `ssh -J a-b a true` return by itself?\n");
  errors = {};
  errors.add({Fault::unreachable, "a: no answer", "does `ssh a` return?", {}});
  errors.add({Fault::unreachable, "b: no answer", "does `ssh c` return?", {}});
  EXPECT_EQ(error(std::move(errors).together(), {}),
            "muster: error: a: no answer\n  hint: does `ssh a` return?\n"
            "muster: error: b: no answer\n  hint: does `ssh c` return?\n");
}

TEST(ErrorText, TellsOneReasonOnceForWhatIsInQuotes) {
  base::Errors errors;
  for (const char* host : {"a b", "c!"}) {
    errors.add({Fault::usage,
                fmt::format("'{}': not a valid host name", host),
                "use letters",
                {"-H", 0, 0}});
  }
  errors.add({Fault::usage, "'d': too long", "use letters", {"-H", 0, 0}});
  EXPECT_EQ(error(std::move(errors).together(), {}),
            "muster: error: -H: 'a b', 'c!': not a valid host name\n"
            "muster: error: -H: 'd': too long\n  hint: use letters\n");
}

TEST(ErrorText, TellsAHintOnceForAllThatShareIt) {
  base::Errors errors;
  for (const char* host : {"a b", "c d"}) {
    errors.add({base::Fault::usage, std::string("bad host ") + host, "names have no blanks", {}});
  }
  errors.add({base::Fault::usage, "unknown option --x", "use -x", {}});
  EXPECT_EQ(error(std::move(errors).together(), {}),
            "muster: error: bad host a b\nmuster: error: bad host c d\n"
            "  hint: names have no blanks\n"
            "muster: error: unknown option --x\n  hint: use -x\n");
}

}  // namespace
}  // namespace muster::view

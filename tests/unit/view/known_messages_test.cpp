// Messages with one known cause, as the programs print them.
#include "view/known_messages.hpp"

#include <gtest/gtest.h>
#include <set>

#include "view/failure.hpp"

namespace muster::view {
namespace {

std::string step_after(std::string_view telling) {
  model::RunReport report;
  report.host = "n1";
  report.first.code = 1;
  return next_step(report, telling);
}

TEST(KnownMessages, AreManyAndEachHasItsSource) {
  EXPECT_GE(known_messages().size(), 45U);
  std::set<std::string_view> words;
  for (const KnownMessage& one : known_messages()) {
    EXPECT_FALSE(one.source.empty()) << one.words;
    EXPECT_TRUE(words.insert(one.words).second) << one.words;
    EXPECT_FALSE(step_after(one.words).empty()) << one.words;
    EXPECT_EQ(step_after(one.words).find('\n'), std::string::npos) << "one line";
  }
}

// A row that another stands in front of would never be read.
TEST(KnownMessages, DoNotHideOneAnother) {
  const auto all = known_messages();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_EQ(all[i].words.find(all[j].words), std::string_view::npos)
          << all[j].words << " hides " << all[i].words;
    }
  }
}

TEST(KnownMessages, AreFoundInWhatProgramsPrint) {
  const std::pair<const char*, const char*> kPrinted[] = {
      {"RuntimeError: Distributed package doesn't have NCCL built in", "without NCCL"},
      {"ValueError: Error initializing torch.distributed using env:// rendezvous: environment "
       "variable RANK expected, but not set",
       "--unset"},
      {"RuntimeError: Default process group has not been initialized, please make sure to call "
       "init_process_group.",
       "init_process_group()"},
      {"Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 98000", "LOCAL_RANK"},
      {"NCCL WARN Bootstrap : no socket interface found", "NCCL_SOCKET_IFNAME names no interface"},
      {"RuntimeError: [enforce fail at gloo/transport/tcp/device.cc:212] ifa != nullptr. Unable to "
       "find interface for: [141.61.29.117]",
       "/etc/hosts"},
      {"RuntimeError: CUDA error: invalid device ordinal", "CUDA_VISIBLE_DEVICES"},
      {"RuntimeError: Unable to initialize backend 'cuda': INTERNAL: no supported devices found "
       "for "
       "platform CUDA (you may need to uninstall the failing plugin package, or set "
       "JAX_PLATFORMS=cpu to skip this backend.)",
       "n1 has no GPU that is left for this rank"},
      {"AcceleratorError: CUDA error: device-side assert triggered", "CUDA_LAUNCH_BLOCKING=1"},
      {"CUDARuntimeError: cudaErrorIllegalAddress: an illegal memory access was encountered",
       "compute-sanitizer"},
      {"RuntimeError: Attempting to deserialize object on CUDA device 3 but "
       "torch.cuda.device_count() is 1. Please use torch.load with map_location to map your "
       "storages to an existing device.",
       "map_location"},
      {"OutOfMemoryError: Out of memory allocating 1,099,511,627,776 bytes (allocated so far: 0 "
       "bytes).",
       "its GPU on n1 is full"},
      {"[rank0]:[E1218 20:27:21.4 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective "
       "operation timeout: WorkNCCL(SeqNum=1, OpType=BROADCAST)",
       "--stack-traces"},
      {"RuntimeError: received 0 items of ancdata", "ulimit -n"},
      {"ModuleNotFoundError: No module named 'mlflow'", "python3 -m muster SCRIPT.py"},
      {"ModuleNotFoundError: No module named 'azureml.core'", "Azure ML's SDK"},
      {"ModuleNotFoundError: No module named 'mlflow_x'", "the module is missing on n1"},
      {"ImportError: Extension horovod.torch has not been built: x.so not found", "Horovod on n1"},
      {"OSError: We couldn't connect to 'https://huggingface.co' to load this file",
       "HF_HUB_OFFLINE"},
      {"OMP: Error #15: Initializing libiomp5.so, but found libiomp5.so already initialized.",
       "OpenMP"},
      {"python3: can't open file '/home/me/a.py --lr 1': [Errno 2] No such file or directory",
       "n1 has no such script"},
      {"socket.gaierror: [Errno -2] Name or service not known", "/etc/hosts"},
      {"OSError: [Errno 122] Disk quota exceeded: '/home/me/x'", "quota"},
  };
  for (const auto& [printed, step] : kPrinted) {
    EXPECT_NE(step_after(printed).find(step), std::string::npos) << printed << "\n"
                                                                 << step_after(printed);
  }
}

TEST(KnownMessages, OfMissingInputSayWhatTheRunSays) {
  model::RunReport report;
  report.first.code = 1;
  EXPECT_EQ(next_step(report, "EOFError: EOF when reading a line"), "");
  report.input_step = "do this";
  EXPECT_EQ(next_step(report, "EOFError: EOF when reading a line"), "do this");
  EXPECT_EQ(next_step(report, "ValueError: no"), "");
}

}  // namespace
}  // namespace muster::view

// The table, in the order in which rows are tried.
#include "view/known_messages.hpp"

namespace muster::view {
namespace {

constexpr std::string_view kWaitedInVain =
    "perhaps it has waited in vain for another rank: `muster run --timeout SECONDS --stack-traces` "
    "shows what each rank is doing";

constexpr KnownMessage kMessages[] = {
    {"No space left on device", "a file system of {} is full: see df -h there, /dev/shm too",
     "ENOSPC, strerror(3)"},
    {"Disk quota exceeded", "your quota on a file system of {} is used up: see quota -s there",
     "EDQUOT, strerror(3)"},
    {"Stale file handle",
     "a file that {} still holds was replaced on its file server: start again, or "
     "mount it anew there",
     "ESTALE, strerror(3)"},
    {"Address already in use", "another process on {} holds that port: see ss -ltnp there",
     "EADDRINUSE, strerror(3)"},
    {"Could not start gRPC server",
     "most likely the port is in use by another process on {}: see ss -ltnp there",
     "TensorFlow, grpc_server_lib.cc"},
    {"Failed to add port to server",
     "most likely the port is in use by another process on {}: see ss -ltnp there",
     "gRPC, server_builder.cc"},
    {"Failed to start RPC server",
     "most likely the port is in use by another process on {}: see ss -ltnp there",
     "XLA, distributed service.cc"},
    {"Name or service not known",
     "that host name means nothing on {}: see /etc/hosts and getent hosts NAME there",
     "EAI_NONAME, gai_strerror(3)"},
    {"Temporary failure in name resolution",
     "{} reaches no name server: see /etc/resolv.conf there", "EAI_AGAIN, gai_strerror(3)"},
    {"without libuv support",
     "torch on {} was built without libuv, which it wants for its store: set "
     "USE_LIBUV=0, as in `-x USE_LIBUV=0`",
     "torch 2.4, distributed/rendezvous.py"},
    {"Distributed package doesn't have NCCL",
     "torch on {} was built without NCCL, for processors only: "
     "init_process_group(\"gloo\"), or install a CUDA build",
     "torch, distributed/distributed_c10d.py"},
    {"efault process group has not been initialized",
     "call torch.distributed.init_process_group() before it",
     "torch, distributed/distributed_c10d.py"},
    {"env:// rendezvous: environment variable",
     "torch was told nothing of its world: is the variable left out (--unset, "
     "--dialects, env -i), or is the script started without a launcher?",
     "torch, distributed/rendezvous.py"},
    {"Duplicate GPU detected",
     "two ranks use one GPU: torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"])) "
     "first of all, or `muster run --gpus-per-rank 1`",
     "NCCL, init.cc"},
    {"no socket interface found",
     "NCCL_SOCKET_IFNAME names no interface of {}: see ip -br address there", "NCCL, bootstrap.cc"},
    {"Unable to find interface for",
     "gloo knows an address that is on no interface of {}: is its name in /etc/hosts "
     "right? GLOO_SOCKET_IFNAME=NAME chooses one",
     "gloo, transport/tcp/device.cc"},
    {"Unable to find address for",
     "GLOO_SOCKET_IFNAME names no interface of {}: see ip -br address there",
     "gloo, transport/tcp/device.cc"},
    {"invalid device ordinal",
     "the rank's number is beyond the GPUs that it sees on {}: fewer ranks there, or "
     "see CUDA_VISIBLE_DEVICES",
     "cudaErrorInvalidDevice"},
    {"no supported devices found for platform CUDA",
     "{} has no GPU that is left for this rank: fewer ranks there, or see CUDA_VISIBLE_DEVICES",
     "XLA, gpu/se_gpu_pjrt_client.cc"},
    {"device-side assert triggered",
     "an index or a label is out of range on the GPU: the line with \"Assertion\" names which; "
     "with "
     "`-x CUDA_LAUNCH_BLOCKING=1` the traceback shows where",
     "cudaErrorAssert"},
    {"illegal memory access",
     "a kernel left the memory that it was given on a GPU of {}: `-x CUDA_LAUNCH_BLOCKING=1` shows "
     "which one, compute-sanitizer shows where",
     "cudaErrorIllegalAddress"},
    {"Found no NVIDIA driver",
     "{} has no NVIDIA driver, or the container there was started without its GPUs",
     "torch, cuda/__init__.py"},
    {"CUDA driver version is insufficient",
     "the NVIDIA driver of {} is older than that CUDA needs: see nvidia-smi there",
     "cudaErrorInsufficientDriver"},
    {"no kernel image is available for execution",
     "that program was built for other GPUs than those of {}", "cudaErrorNoKernelImageForDevice"},
    {"Cannot re-initialize CUDA in forked subprocess",
     "start such processes by spawn: torch.multiprocessing.set_start_method(\"spawn\")",
     "torch, cuda/__init__.py"},
    {"Attempting to deserialize object on a CUDA device",
     "{} has no such GPU: torch.load(..., map_location=\"cpu\")", "torch, serialization.py"},
    {"Attempting to deserialize object on CUDA device",
     "it was saved from a GPU whose number {} does not have: torch.load(..., "
     "map_location=\"cpu\"), or the rank's own GPU",
     "torch, serialization.py"},
    {"Expected to have finished reduction in the prior",
     "a parameter took no part in the loss: DistributedDataParallel(..., "
     "find_unused_parameters=True)",
     "torch, reducer.cpp"},
    {"Watchdog caught collective operation timeout",
     "another rank did not come to that collective: `muster run --timeout SECONDS "
     "--stack-traces` shows what each is doing",
     "torch, ProcessGroupNCCL.cpp"},
    {"CUDA_HOME environment variable is not set",
     "{} has no CUDA compiler, which this extension is built with: install it, or set "
     "CUDA_HOME",
     "torch, utils/cpp_extension.py"},
    {"mismatches the version that was used to compile",
     "the CUDA compiler of {} is of another version than torch: set CUDA_HOME to one "
     "that fits",
     "torch, utils/cpp_extension.py"},
    {"due to ninja not being installed",
     "DeepSpeed builds its operators with ninja: pip install ninja on {}",
     "DeepSpeed, op_builder/builder.py"},
    {"of ancdata",
     "too many files are open on {}: `ulimit -n 4096` before muster, or "
     "torch.multiprocessing.set_sharing_strategy(\"file_system\")",
     "Python, multiprocessing/reduction.py"},
    {"Extension horovod.",
     "Horovod on {} was built without that framework: install it anew there, with the "
     "framework present",
     "Horovod, common/util.py"},
    {"We couldn't connect to",
     "{} has no way to that server: fetch the model before, and set HF_HUB_OFFLINE=1",
     "transformers, utils/hub.py"},
    {"Initializing libiomp5",
     "two libraries bring an OpenMP of their own: install both from one place (conda, "
     "or pip)",
     "LLVM's and Intel's OpenMP runtime, error 15"},
    {"is incompatible with libgomp",
     "import numpy before the other libraries, or set MKL_THREADING_LAYER=GNU", "mkl-service"},
    {"OMPI was not built with SLURM",
     "srun started it without muster: use `muster mpirun`, or srun --mpi=pmix",
     "Open MPI 4.1, help-mpi-runtime.txt"},
    {"Read -1, expected",
     "ranks in a container may not read each other's memory: set "
     "OMPI_MCA_btl_vader_single_copy_mechanism=none",
     "Open MPI 4.1, btl_vader_get.c"},
    {"OFI addrinfo() failed",
     "libfabric finds no network that it can use on {}: set FI_PROVIDER=tcp",
     "MPICH, errnames.txt"},
    {"can't open file '",
     "{} has no such script: is its path right? Its own words come after it, outside the quotes",
     "Python, Modules/main.c"},
    {"No module named 'mlflow'",
     "`python3 -m muster SCRIPT.py` in the command logs without MLflow, where muster's Python "
     "package is; or pip install mlflow-skinny on {}",
     "Python"},
    {"No module named 'azureml",
     "`python3 -m muster SCRIPT.py` in the command stands in for Azure ML's SDK, where muster's "
     "Python package is; or install the SDK on {}",
     "Python"},
    {"ModuleNotFoundError",
     "the module is missing on {}, or another python comes first on PATH there", "Python"},
    {"error while loading shared libraries",
     "the library is missing on {}, or LD_LIBRARY_PATH does not name its folder",
     "glibc, ld.so(8)"},
    {"version `GLIBC",
     "{} has older system libraries than the machine where that was built: build it "
     "on the oldest of the hosts, or bring its libraries along (conda, a container)",
     "glibc, ld.so(8)"},
    {"\\r", "a script on {} has the line ends of Windows: sed -i 's/\\r$//' FILE", "bash, Python"},
    {"^M: bad interpreter", "a script on {} has the line ends of Windows: sed -i 's/\\r$//' FILE",
     "bash"},
    {"bad interpreter", "that script's `#!` line names a program that is not on {}", "bash"},
    {"Exec format error",
     "that file was built for another processor than that of {}, or is a script "
     "without a `#!` line",
     "ENOEXEC, strerror(3)"},
    {"Too many open files", "see `ulimit -n` on {}: `ulimit -n 4096` before muster allows more",
     "EMFILE, strerror(3)"},
    {"can't start new thread",
     "a limit of processes and threads on {} is reached: see `ulimit -u`, and "
     "pids.max of its control group",
     "Python, threading.py"},
    {"fork: Resource temporarily unavailable",
     "a limit of processes and threads on {} is reached: see `ulimit -u`, and "
     "pids.max of its control group",
     "bash"},
    // torch 2 asks a store for proof that it is one, which that of torch 1 cannot give.
    {"RuntimeError: Connection reset by peer",
     "what {} was connected to has ended, or does not understand it: do all hosts have the same "
     "version of torch?",
     "torch, TCPStore.cpp"},
    // Where torch's, gloo's and JAX's ranks wait for one another.
    {"Socket Timeout", kWaitedInVain, "torch, TCPStore.cpp"},
    {"socket has timed out", kWaitedInVain, "torch, socket.cpp"},
    {"Timed out waiting", kWaitedInVain, "gloo, transport/tcp/unbound_buffer.cc"},
    {"waiting for clients", kWaitedInVain, "torch, TCPStore.cpp"},
    {"Wait timeout after", kWaitedInVain, "Horovod, common/gloo/http_store.cc"},
    {"DEADLINE_EXCEEDED", kWaitedInVain, "gRPC, status codes"},
    // Last: whoever names an address may have more to say of it.
    {"127.0.1.1",
     "a host's own name means 127.0.1.1 in its /etc/hosts: programs that meet at their host's "
     "name, "
     "as JAX on processors does, need the address there by which others reach {}",
     "Debian, /etc/hosts"},
};

}  // namespace

std::span<const KnownMessage> known_messages() { return kMessages; }

}  // namespace muster::view

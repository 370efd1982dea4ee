// The module's text, and the least zip archive that holds it.
#include "host/python_hook.hpp"

#include <algorithm>
#include <cstdint>

namespace muster::host {
namespace {

constexpr std::string_view kName = "sitecustomize.py";

// 12,000 characters of a traceback's end: as JSON they stay below wire::kErrorFileMax. A child that
// was forked is not the rank; KeyboardInterrupt is no failure of the program, nor is SystemExit,
// but for one with a text: the interpreter writes that to stderr, when none of the program's frames
// is left, and a newline behind it, and ends with code 1. No hook is called, so these two writes
// are what shows it. What atexit calls may write the same, but by then the main thread has ended,
// as threading has it.
//
// The variable may have outlived its run, or name what the user or torchrun said: written to is
// only a regular file of this user, and behind a descriptor of another process only the file in
// memory that MUSTER_REPORT_FILE names, too (host/report_file). That may belong to whoever started
// the rank, which has become root since (sudo -E).
//
// At an interpreter's end mpi4py's MPI_Finalize and JAX's shutdown wait for all other ranks, which
// wait for this one: for ever, or for 5 minutes. So a rank that raised does without both. What is
// registered first is called last: `leave` comes after all that the program itself has registered.
//
// So does one that called sys.exit(1), unless somebody caught that: then the program's outermost
// frame has ended by a return.
//
// Of JAX the public name is asked where it is there. A JAX that has neither the names below
// jax._src is left alone: it waits as long as it likes, and the exception has been told by then.
//
// torch 2.2 has renamed a variable, and would warn of the old name, which torch 1.13 needs.
constexpr std::string_view kHook = R"(import atexit
import os
import sys


def may_write(target):
    import stat

    found = os.stat(target)
    if not stat.S_ISREG(found.st_mode):
        return False
    if not target.startswith(("/proc/", "/dev/")):
        return found.st_uid == os.geteuid()
    inode = os.environ.get("MUSTER_REPORT_FILE", "").rpartition(":")[2]
    is_meant = str(found.st_ino) == inode
    return is_meant and os.readlink(target) == '/memfd:muster-error-file (deleted)'


def record(target, text, stack):
    import json
    import time

    if not may_write(target):
        return
    extra = {"py_callstack": stack[-12000:], "timestamp": str(int(time.time()))}
    message = {"message": {"message": text[:1000], "extraInfo": extra}}
    with open(target, "rb+") as file:
        said = file.read(18)  # by torch's @record, or by a launcher, whose code may be this one's
        if said and (said == b"muster-report 1 1\n" or not said.startswith(b"muster-report")):
            return
        file.seek(0)
        file.truncate()
        file.write(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace"))


def record_raised(target, kind, value, trace):
    import traceback

    stack = "".join(traceback.format_exception(kind, value, trace))
    record(target, "{}: {}".format(kind.__name__, value), stack)


def waits_at_exit():
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi and mpi.Is_initialized() and not mpi.Is_finalized():
        return mpi.COMM_WORLD.Get_size() > 1
    public = getattr(sys.modules.get("jax.distributed"), "is_initialized", None)
    if public:
        return public()
    state = getattr(sys.modules.get("jax._src.distributed"), "global_state", None)
    return bool(getattr(state, "client", None))


def shall_leave(raised):
    if waits_at_exit():
        raised.append(True)
        clean_up = getattr(sys.modules.get("jax._src.api"), "clean_up", None)
        if clean_up:
            atexit.unregister(clean_up)


def leave(code):
    import gc
    import io

    for each in gc.get_objects():
        if type(each) in (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom):
            attempt(each.flush)
    os._exit(code)


def attempt(function, *words):
    try:
        function(*words)
    except Exception:
        pass


def keep_exits(kept):
    import _thread

    before, main = sys.exit, _thread.get_ident()

    def exit(*words):
        if _thread.get_ident() == main:
            frame = sys._getframe(1)
            while frame.f_back:
                frame = frame.f_back
            kept[:] = [(words[0] if words else None, frame)]
        before(*words)

    exit.__doc__ = before.__doc__
    sys.exit = exit


def watch_last_writes(ended):
    import threading
    import warnings  # those of the compiler are written by its functions then

    write, main, last = sys.stderr.write, threading.main_thread(), []

    def watched(text):
        is_main = threading.get_ident() == main.ident and main.is_alive()
        if is_main and sys._getframe().f_back is None:
            if text == "\n" and last:
                attempt(ended, last[0])
            last[:] = [text]
        return write(text)

    sys.stderr.write = watched


def code_of(kept):
    for wish, frame in kept:
        import opcode

        returns = [opcode.opmap.get(name) for name in ("RETURN_VALUE", "RETURN_CONST")]
        if wish is not None and frame.f_code.co_code[frame.f_lasti] not in returns:
            return wish & 255 if isinstance(wish, int) else 1
    return 0


def watch(target):
    owner, before, raised, kept = os.getpid(), sys.excepthook, [], []

    def hook(kind, value, trace):
        is_own = os.getpid() == owner and issubclass(kind, Exception)
        if is_own:
            attempt(record_raised, target, kind, value, trace)
        before(kind, value, trace)
        # Programs may call hooks themselves, and go on.
        if is_own and getattr(sys, "last_value", None) is value:
            attempt(shall_leave, raised)

    def ended_with(text):
        if os.getpid() == owner:
            attempt(record, target, text, "")
            shall_leave(raised)

    def at_exit():
        if os.getpid() != owner:
            return
        code = 1 if raised else code_of(kept)
        if code and not raised:
            attempt(shall_leave, raised)
        if raised:
            leave(code)

    sys.excepthook = hook
    keep_exits(kept)
    attempt(watch_last_writes, ended_with)
    atexit.register(at_exit)


def leave_no_trace():
    here = __file__.rsplit("/", 1)[0]
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if entries[0] == here:
        if entries[1:]:
            os.environ["PYTHONPATH"] = os.pathsep.join(entries[1:])
        else:
            del os.environ["PYTHONPATH"]
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)


def torch_version():
    for folder in sys.path:
        try:
            with open(os.path.join(folder, "torch", "version.py"), encoding="utf-8") as file:
                version = [line for line in file if line.startswith("__version__")][0]
        except OSError:
            continue
        return [int(number) for number in version.split("=")[1].strip(" '\"\n").split(".")[:2]]


def forget_old_name():
    old = "NCCL_ASYNC_ERROR_HANDLING"
    if os.environ.get(old) == os.environ.get("TORCH_" + old) == "1":
        if (torch_version() or [0]) >= [2, 2]:
            del os.environ[old]


def take_over():
    if getattr(sys, "argv", [])[:1] != ["-m"]:
        return
    with open("/proc/self/cmdline", "rb") as file:
        words = [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
    module = words[-len(sys.argv)]  # the last word that is not the module's own
    for suffix, name in ("distributed.launch", "launch"), ("distributed.run", "torchrun"):
        if module in ("torch." + suffix, "-mtorch." + suffix):
            os.environ.setdefault("PYTHON_EXEC", sys.executable)
            muster = os.path.join(os.environ["MUSTER_LAUNCHERS"], "muster")
            os.execv(muster, [muster, name] + sys.argv[1:])


def go_on():
    ours = sys.modules.pop(__name__)
    try:
        import sitecustomize
    except ImportError as error:
        sys.modules[__name__] = ours
        if error.name != __name__:
            raise


leave_no_trace()
if os.environ.get("MUSTER_LAUNCHERS"):
    take_over()
attempt(forget_old_name)
if os.environ.get("TORCHELASTIC_ERROR_FILE"):
    watch(os.environ["TORCHELASTIC_ERROR_FILE"])
go_on()
)";

// ISO 3309, as zip has it.
std::uint32_t crc32(std::string_view text) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

// Little endian, so many bytes.
void put(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

// What local and central header of a file say alike: stored, of 1 January 1980.
void put_entry(std::string& out) {
  constexpr std::uint32_t kVersion = 20;
  constexpr std::uint32_t kDay = 0x21;
  const auto size = static_cast<std::uint32_t>(kHook.size());
  put(out, kVersion, 2);
  put(out, 0, 2);  // flags
  put(out, 0, 2);  // stored
  put(out, 0, 2);  // time
  put(out, kDay, 2);
  put(out, crc32(kHook), 4);
  put(out, size, 4);
  put(out, size, 4);
  put(out, kName.size(), 2);
  put(out, 0, 2);  // no extra field
}

bool speaks_of_python(std::string_view text) {
  return text.find("python") != std::string_view::npos;
}

}  // namespace

std::string_view python_hook() { return kHook; }

// APPNOTE.TXT 4.3: local header and data, central directory, its end.
std::string python_hook_archive() {
  std::string out;
  put(out, 0x04034b50, 4);
  put_entry(out);
  out.append(kName).append(kHook);
  const auto directory = static_cast<std::uint32_t>(out.size());
  put(out, 0x02014b50, 4);
  put(out, 20, 2);  // made by
  put_entry(out);
  for (const int bytes : {2, 2, 2, 4, 4}) put(out, 0, bytes);  // comment ... offset: all 0
  out += kName;
  const auto size = static_cast<std::uint32_t>(out.size()) - directory;
  put(out, 0x06054b50, 4);
  for (const std::uint32_t number : {0, 0, 1, 1}) put(out, number, 2);
  put(out, size, 4);
  put(out, directory, 4);
  put(out, 0, 2);
  return out;
}

bool is_python(std::span<const std::string> command, std::string_view first_bytes) {
  if (std::ranges::any_of(command, speaks_of_python)) return true;
  const std::string_view line = first_bytes.substr(0, first_bytes.find('\n'));
  return line.starts_with("#!") && speaks_of_python(line);
}

}  // namespace muster::host

// Calls that the library answers later are waited for here: they take less than a millisecond.
#include "pmix/server.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <future>
#include <optional>
#include <string_view>
#include <unistd.h>

#include "pmix/convert.hpp"
#include "pmix/desk.hpp"
#include "pmix/environment.hpp"
#include "pmix/info.hpp"
#include "pmix/job_info.hpp"
#include "pmix/upcalls.hpp"

namespace muster::pmix {

namespace {

// A muster that runs under another launcher must not hand that one's settings to the library.
void forget_other_launchers() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.starts_with("PMIX_") || text.starts_with("OMPI_") || text.starts_with("SLURM_")) {
      names.emplace_back(text.substr(0, text.find('=')));
    }
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

void set_up_library() {
  forget_other_launchers();
  ::setenv("PMIX_MCA_gds", "hash", 1);     // job data goes over the socket: no files, no mmap
  ::setenv("PMIX_MCA_psec", "native", 1);  // no munge
  ::setenv("PMIX_MCA_prm", "default", 1);
  // hwloc looks for X servers and GPUs otherwise, which costs more than all the rest.
  ::setenv("HWLOC_COMPONENTS", "-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero", 1);
}

// Waits for an operation whose callback comes from the library's thread.
class Waited {
 public:
  static void done(pmix_status_t status, void* self) {
    static_cast<Waited*>(self)->result_.set_value(status);
  }
  // What the call itself returned: only PMIX_SUCCESS promises a callback.
  pmix_status_t after(pmix_status_t called) {
    if (called == PMIX_OPERATION_SUCCEEDED) return PMIX_SUCCESS;
    return called == PMIX_SUCCESS ? result_.get_future().get() : called;
  }

 private:
  std::promise<pmix_status_t> result_;
};

void free_strings(char** strings) {
  for (char** one = strings; one != nullptr && *one != nullptr; ++one) std::free(*one);
  std::free(strings);
}

std::uint16_t port_in(const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    const std::size_t colon = entry.rfind(':');
    if (!entry.starts_with("PMIX_SERVER_URI") || colon == std::string::npos) continue;
    std::uint16_t port = 0;
    std::from_chars(entry.data() + colon + 1, entry.data() + entry.size(), port);
    if (port != 0) return port;
  }
  return 0;
}

}  // namespace

class Server::Impl {
 public:
  explicit Impl(Library library) : desk(library), pmix(desk.library()) {}

  base::Result<void> init(const AddJob& first);
  base::Result<void> add(const AddJob& added);
  base::Result<void> find_port(const AddJob& first);
  void fetch(const FetchModex& wanted);
  void raise(const Event& event);
  tl::unexpected<base::Error> failed(std::string_view what, pmix_status_t status) const {
    return base::fail(base::Fault::internal, {}, "{} failed: {}", what, pmix.error_string(status));
  }

  Desk desk;
  const Library& pmix;
  std::uint16_t port = 0;

 private:
  struct Fetch {
    Desk& desk;
    Ticket ticket;
  };
};

base::Result<void> Server::Impl::init(const AddJob& first) {
  Infos infos;
  infos.text(PMIX_SERVER_NSPACE, server_nspace(first.job->nspace))
      .rank(PMIX_SERVER_RANK, first.node)
      .text(PMIX_HOSTNAME, first.job->nodes.at(first.node).host);
  if (!first.scratch.empty()) {
    // Ranks map our picture of the machine instead of each looking at it: a fifth of MPI_Init.
    infos.flag(PMIX_SERVER_SHARE_TOPOLOGY, true)
        .text(PMIX_SERVER_TMPDIR, first.scratch)
        .text(PMIX_SYSTEM_TMPDIR, first.scratch);
  }
  pmix_server_module_t module = upcall_module(desk);
  const pmix_status_t status = pmix.server_init(&module, infos.data(), infos.size());
  if (status != PMIX_SUCCESS) return failed("PMIx_server_init", status);
  return {};
}

base::Result<void> Server::Impl::add(const AddJob& added) {
  const Job& job = *added.job;
  const auto& local = job.nodes.at(added.node).ranks;
  Infos infos = job_info(pmix, added);
  const pmix_proc_t named = to_proc({job.nspace, 0});
  Waited all;
  pmix_status_t status =
      all.after(pmix.register_nspace(named.nspace, static_cast<int>(local.size()), infos.data(),
                                     infos.size(), Waited::done, &all));
  if (status != PMIX_SUCCESS) return failed("PMIx_server_register_nspace", status);
  for (const std::uint32_t rank : local) {
    const pmix_proc_t proc = to_proc({job.nspace, rank});
    Waited one;
    status = one.after(
        pmix.register_client(&proc, ::geteuid(), ::getegid(), nullptr, Waited::done, &one));
    if (status != PMIX_SUCCESS) return failed("PMIx_server_register_client", status);
  }
  return {};
}

base::Result<void> Server::Impl::find_port(const AddJob& first) {
  const auto& local = first.job->nodes.at(first.node).ranks;
  const pmix_proc_t proc = to_proc({first.job->nspace, local.empty() ? 0 : local.front()});
  char** environment = nullptr;
  const pmix_status_t status = pmix.setup_fork(&proc, &environment);
  port = port_in(from_strings(environment));
  free_strings(environment);
  if (status != PMIX_SUCCESS || port == 0) return failed("PMIx_server_setup_fork", status);
  return {};
}

void Server::Impl::fetch(const FetchModex& wanted) {
  const pmix_proc_t proc = to_proc(wanted.proc);
  auto* asked = new Fetch{desk, wanted.ticket};
  const auto found = [](pmix_status_t status, char* data, std::size_t size, void* given) {
    const auto* question = static_cast<Fetch*>(given);
    std::string blob = data == nullptr ? "" : std::string(data, size);
    question->desk.put(ModexFound{question->ticket, status, std::move(blob)});
    delete question;
  };
  const pmix_status_t status = pmix.dmodex_request(&proc, found, asked);
  if (status == PMIX_SUCCESS) return;
  desk.put(ModexFound{wanted.ticket, status, ""});
  delete asked;
}

void Server::Impl::raise(const Event& event) {
  if (event.blob.empty()) return;
  const std::size_t count = static_cast<unsigned char>(event.blob.front());
  std::vector<pmix_info_t> infos(count);
  const std::string_view packed = std::string_view(event.blob).substr(1);
  if (count > 0 && !unpack(pmix, packed, infos.data(), count, PMIX_INFO)) infos.clear();
  const pmix_proc_t source = to_proc(event.source);
  // Without a callback the library would wait for its own thread here.
  (void)pmix.notify_event(
      event.code, &source, event.range, infos.data(), infos.size(), [](pmix_status_t, void*) {},
      nullptr);
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

base::Result<std::unique_ptr<Server>> Server::start(const AddJob& first) {
  set_up_library();
  auto library = load_library();
  if (!library) return tl::unexpected(library.error());
  auto impl = std::make_unique<Impl>(*library);
  if (auto ready = impl->init(first); !ready) return tl::unexpected(ready.error());
  if (auto added = impl->add(first); !added) return tl::unexpected(added.error());
  if (auto found = impl->find_port(first); !found) return tl::unexpected(found.error());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const { return impl_->port; }
int Server::signal() const { return impl_->desk.signal(); }
std::vector<Upcall> Server::take() { return impl_->desk.take(); }

base::Result<void> Server::carry_out(const Command& command) {
  if (const auto* added = std::get_if<AddJob>(&command)) return impl_->add(*added);
  if (const auto* reply = std::get_if<Reply>(&command)) impl_->desk.answer(*reply);
  if (const auto* found = std::get_if<Found>(&command)) impl_->desk.answer(*found);
  if (const auto* spawned = std::get_if<Spawned>(&command)) impl_->desk.answer(*spawned);
  if (const auto* wanted = std::get_if<FetchModex>(&command)) impl_->fetch(*wanted);
  if (const auto* event = std::get_if<Event>(&command)) impl_->raise(*event);
  return {};
}

}  // namespace muster::pmix

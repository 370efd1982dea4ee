// Callbacks are called without the lock: the library may call us back from within.
#include "pmix/desk.hpp"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <sys/eventfd.h>
#include <utility>

#include "base/check.hpp"
#include "pmix/convert.hpp"

namespace muster::pmix {

Desk::Desk(Library library) : library_(library), signal_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CHECK(signal_);
}

void Desk::put(Upcall upcall) {
  const std::lock_guard lock(mutex_);
  upcalls_.push_back(std::move(upcall));
  ::eventfd_write(signal_.get(), 1);
}

std::vector<Upcall> Desk::take() {
  const std::lock_guard lock(mutex_);
  eventfd_t count = 0;
  (void)::eventfd_read(signal_.get(), &count);
  return std::exchange(upcalls_, {});
}

Ticket Desk::wait(Waiting waiting) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(++last_, waiting);
  return last_;
}

template <class Kind>
bool Desk::claim(Ticket ticket, Kind& kind) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(ticket);
  if (found == waiting_.end() || !std::holds_alternative<Kind>(found->second)) return false;
  kind = std::get<Kind>(found->second);
  waiting_.erase(found);
  return true;
}

void Desk::answer(const Reply& reply) {
  if (Operation operation{}; claim(reply.ticket, operation)) {
    operation.call(reply.status, operation.data);
    return;
  }
  Data data{};
  if (!claim(reply.ticket, data)) return;
  auto* kept = new std::string(reply.blob);  // the library says when it has read it
  data.call(
      reply.status, kept->data(), kept->size(), data.data,
      [](void* given) { delete static_cast<std::string*>(given); }, kept);
}

void Desk::answer(const Found& found) {
  Search search{};
  if (!claim(found.ticket, search)) return;
  std::vector<pmix_pdata_t> list;
  for (const Datum& datum : found.data) {
    pmix_pdata_t one;
    std::memset(&one, 0, sizeof one);
    one.proc = to_proc(datum.owner);
    std::strncpy(one.key, datum.key.c_str(), PMIX_MAX_KEYLEN);
    if (unpack(library_, datum.blob, &one.value, 1, PMIX_VALUE)) list.push_back(one);
  }
  // The library packs them before it returns.
  search.call(found.status, list.data(), list.size(), search.data);
}

void Desk::answer(const Spawned& spawned) {
  Start start{};
  if (!claim(spawned.ticket, start)) return;
  const pmix_proc_t named = to_proc({spawned.nspace, 0});
  pmix_nspace_t nspace;
  std::memcpy(nspace, named.nspace, sizeof nspace);
  start.call(spawned.status, nspace, start.data);
}

}  // namespace muster::pmix

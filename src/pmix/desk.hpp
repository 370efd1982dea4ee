// Desk: between the library's threads and ours. Upcalls become values in a queue; the library's
// callbacks wait here, under tickets, for their answers.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "pmix/library.hpp"
#include "pmix/values.hpp"
#include "process/unique_fd.hpp"

namespace muster::pmix {

class Desk {
 public:
  explicit Desk(Library library);

  // Readable when there are upcalls.
  [[nodiscard]] int signal() const { return signal_.get(); }
  [[nodiscard]] std::vector<Upcall> take();
  [[nodiscard]] const Library& library() const { return library_; }

  // Called by the library's threads.
  void put(Upcall upcall);
  struct Operation {
    pmix_op_cbfunc_t call;
    void* data;
  };
  struct Data {
    pmix_modex_cbfunc_t call;
    void* data;
  };
  struct Search {
    pmix_lookup_cbfunc_t call;
    void* data;
  };
  struct Start {
    pmix_spawn_cbfunc_t call;
    void* data;
  };
  using Waiting = std::variant<Operation, Data, Search, Start>;
  [[nodiscard]] Ticket wait(Waiting waiting);

  // The answers; one that fits no question is dropped, since it came from outside.
  void answer(const Reply& reply);
  void answer(const Found& found);
  void answer(const Spawned& spawned);

 private:
  template <class Kind>
  bool claim(Ticket ticket, Kind& kind);

  Library library_;
  process::UniqueFd signal_;
  std::mutex mutex_;
  std::vector<Upcall> upcalls_;
  std::map<Ticket, Waiting> waiting_;
  Ticket last_ = 0;
};

}  // namespace muster::pmix

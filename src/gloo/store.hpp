// Store: the key-value store through which Horovod's ranks find each other, and its answers. Pure.
//
// Ranks of a communicator share a scope: "global", "local_HOST" or "cross_LOCALRANK". Each puts its
// addresses under its rank, polls for those of the others (404 means: not yet), and says DELETE
// once it is connected to all. Another rank may still read what one has deleted, so a known scope
// is emptied only when all of its ranks have said so (horovod/runner/http/http_server.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "gloo/request.hpp"

namespace muster::gloo {

// How many ranks each scope has.
using Members = std::map<std::string, std::uint32_t>;

// What a store holds at the most.
struct Limits {
  std::size_t keys = 0;
  std::size_t bytes = 0;  // of all keys and values
};

// For a job of so many ranks, some times what they need: each rank puts an address for each other
// rank of a scope, of some 250 bytes, and process sets have scopes of their own.
[[nodiscard]] Limits limits_for(const Members& members);

// The rank of the job that joins the others with this request, for which it then waits: it puts its
// addresses for all of them under its number. One that believes it is alone puts an empty value,
// and waits for nobody (gloo/rendezvous/context.cc).
[[nodiscard]] std::optional<std::uint32_t> joined_by(const RequestReader& reader);

class Store {
 public:
  explicit Store(Members members) : members_(std::move(members)), limits_(limits_for(members_)) {}
  Store(Members members, Limits limits) : members_(std::move(members)), limits_(limits) {}

  // The bytes of the response to a request that has ended; the connection is then to be closed.
  [[nodiscard]] std::string answer(const RequestReader& reader);

 private:
  struct Scope {
    std::map<std::string, std::string> values;  // by key
    std::set<std::string> finished;             // keys
  };

  [[nodiscard]] std::string get(const Request& request) const;
  [[nodiscard]] std::string put(const Request& request);
  [[nodiscard]] std::string remove(const Request& request);
  void forget(Scope& scope, const std::string& key);

  Members members_;
  Limits limits_;
  std::map<std::string, Scope> scopes_;  // by name
  std::size_t keys_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace muster::gloo

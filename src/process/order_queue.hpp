// OrderQueue: orders on their way into a guard's socket, which never blocks their sender.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "process/unique_fd.hpp"

namespace muster::process {

class OrderQueue {
 public:
  // Why flush() stopped. `crowded`: the user has too many descriptors in sockets; no event tells
  // when that ends.
  enum class Flow { done, full, crowded, broken };

  // False at the queue's bound in bytes; orders that start nothing are small and need not ask.
  [[nodiscard]] bool has_room() const;
  // Sends the order at once, or keeps it with duplicates of its (borrowed) descriptors. Returns
  // an errno, and has kept nothing then: EMFILE when the descriptors could not be duplicated.
  [[nodiscard]] int add(int socket, const std::string& bytes, std::span<const int> descriptors);
  Flow flush(int socket);
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  void clear();

 private:
  struct Entry {
    std::string bytes;
    std::size_t sent = 0;
    std::vector<UniqueFd> descriptors;  // empty once the first byte is sent
  };
  [[nodiscard]] int keep(const std::string& bytes, std::size_t sent,
                         std::span<const int> descriptors);

  std::deque<Entry> entries_;
  std::size_t size_ = 0;  // bytes of all entries
};

}  // namespace muster::process

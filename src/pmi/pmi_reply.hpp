// Replies to bytes, in the protocol in which the request came.
#pragma once

#include <cstdint>
#include <string>

#include "pmi/pmi_values.hpp"

namespace muster::pmi {

// What a reply must know of its request.
struct ReceivedRequest {
  std::string name;  // "get", "kvs-get", ...
  Request request;
  std::string thread;  // PMI-2's thrid, sent back as it came; empty: none
};

// The longest line that 4.0's clients read, newline and zero byte included.
inline constexpr std::size_t kReplyLineMax = 1024;

// The longest value as get_maxes tells it. MPICH cuts its values into pieces of nearly this length,
// and each has to fit into a line both ways, beside the names of its store and its key. Hydra says
// 1024, and only newer clients read the longer lines of its replies.
inline constexpr std::size_t kToldValueMax = 896;

[[nodiscard]] std::string reply_v1(const ReceivedRequest& asked, const Reply& reply);
[[nodiscard]] std::string reply_v2(const ReceivedRequest& asked, const Reply& reply);

}  // namespace muster::pmi

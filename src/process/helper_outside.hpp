// The helper program for an agent inside a container, whose C library may not be the one that the
// helper needs: the agent outside starts it on the host.
//
// The two talk over a socket in a folder that both see at the same path. Each connection is for one
// process: a message with its words and its stdin and stdout, answered by one when it has ended.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {

// The variable that tells an agent the folder.
inline constexpr std::string_view kOutside = "MUSTER_OUTSIDE";
inline constexpr std::string_view kOutsideSocket = "/socket";

// Called once, by main, with what the variable says. There is no outside where no socket of this
// user lies in a folder of this user.
void set_outside(std::string folder);
// Empty: there is no outside.
[[nodiscard]] const std::string& outside();

// How a process ended that was asked for; -1 and 0: it could not be started.
struct OutsideEnd {
  std::int32_t code = 0;
  std::int32_t signal = 0;
};

// Has the helper started with these words, stdin and stdout (-1: none). It goes on when the
// connection is closed; then nobody hears of its end.
[[nodiscard]] base::Result<UniqueFd> start_outside(const std::vector<std::string>& words, int in,
                                                   int out);
// Waits for its end.
[[nodiscard]] OutsideEnd wait_outside(const UniqueFd& connection);

// The other side.
struct OutsideOrder {
  std::vector<std::string> words;
  std::array<UniqueFd, 2> ends;  // stdin and stdout
};
// What has come over a connection; nothing when it makes no sense.
[[nodiscard]] std::optional<OutsideOrder> receive_order(int connection);
void answer_order(int connection, OutsideEnd end);

}  // namespace muster::process

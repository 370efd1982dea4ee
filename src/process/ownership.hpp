// Whether what a variable or an address names belongs to the user of this process.
#pragma once

#include <string>

namespace muster::process {

// Themselves: where a link leads does not count.
[[nodiscard]] bool is_own_socket(const std::string& path);
// A folder to which other users cannot add anything.
[[nodiscard]] bool is_own_folder(const std::string& path);
// "it is another user's" of a folder that is, or of another user's link to any. Empty: it is this
// user's or root's, or not there.
[[nodiscard]] std::string why_others(const std::string& path);
// The same, and "others may write to it"; but the user's own group cannot from now on.
[[nodiscard]] std::string why_not_own(const std::string& path);
// A link that neither this user, root nor the owner of its folder has put there: where it leads is
// another user's choice.
[[nodiscard]] bool is_others_link(const std::string& path);
// The same of anything that lies there.
[[nodiscard]] bool is_others_place(const std::string& path);

// Of the process at the other end of a local socket; the kernel says so, and nobody can pretend.
[[nodiscard]] bool is_own_peer(int socket);

}  // namespace muster::process

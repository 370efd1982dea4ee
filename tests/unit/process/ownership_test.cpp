// What belongs to this user: the thing itself, not where a link leads.
#include "process/ownership.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "process/unique_fd.hpp"
#include "unit/folder.hpp"

namespace muster::process {
namespace {

UniqueFd bound_socket(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return socket;
}

TEST(Ownership, OfASocketIsThatOfItsFile) {
  const unit::Folder folder;
  const std::string path = folder.path() + "/socket";
  const UniqueFd socket = bound_socket(path);
  EXPECT_TRUE(is_own_socket(path));
  std::filesystem::create_symlink(path, folder.path() + "/link");
  EXPECT_FALSE(is_own_socket(folder.path() + "/link"));
  EXPECT_FALSE(is_own_socket(folder.path()));
  EXPECT_FALSE(is_own_socket(folder.path() + "/none"));
  EXPECT_FALSE(is_own_socket(""));
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(is_own_socket(path));
}

TEST(Ownership, AFolderIsOwnWhereNobodyElseAddsAnything) {
  const unit::Folder folder;
  EXPECT_TRUE(is_own_folder(folder.path()));
  std::filesystem::create_directory_symlink(folder.path(), folder.path() + "/link");
  EXPECT_FALSE(is_own_folder(folder.path() + "/link"));
  EXPECT_FALSE(is_own_folder(folder.file("file", "", false)));
  EXPECT_FALSE(is_own_folder(""));
  using std::filesystem::perms;
  std::filesystem::permissions(folder.path(), perms::all);
  EXPECT_FALSE(is_own_folder(folder.path()));
}

TEST(Ownership, OfALinkIsThatOfTheLinkItself) {
  const unit::Folder folder;
  const std::string link = folder.path() + "/link";
  std::filesystem::create_directory_symlink(folder.path(), link);
  EXPECT_FALSE(is_others_link(link));
  EXPECT_FALSE(is_others_link(folder.path()));
  EXPECT_FALSE(is_others_link(folder.path() + "/none"));
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(folder.path().c_str(), 12345, 12345), 0);
  EXPECT_FALSE(is_others_link(folder.path()));
  ASSERT_EQ(::lchown(link.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(is_others_link(link)) << "all that lies there is 12345's";
  ASSERT_EQ(::chown(folder.path().c_str(), 12346, 12346), 0);
  EXPECT_TRUE(is_others_link(link));
}

TEST(Ownership, OfAPlaceInAFolderOfAll) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  const unit::Folder folder;
  const std::string place = folder.path() + "/place";
  EXPECT_FALSE(is_others_place(place));
  std::filesystem::create_directory(place);
  EXPECT_FALSE(is_others_place(place));
  ASSERT_EQ(::chown(place.c_str(), 12345, 12345), 0);
  EXPECT_TRUE(is_others_place(place));
  EXPECT_FALSE(is_others_link(place));
  ASSERT_EQ(::chown(folder.path().c_str(), 12345, 12345), 0);
  EXPECT_FALSE(is_others_place(place)) << "all that lies there is 12345's";
}

TEST(Ownership, OfAPeerIsThatOfItsProcess) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const UniqueFd one(ends[0]);
  const UniqueFd other(ends[1]);
  EXPECT_TRUE(is_own_peer(one.get()));
  EXPECT_FALSE(is_own_peer(-1));
}

}  // namespace
}  // namespace muster::process

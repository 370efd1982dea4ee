// Folder: a temporary folder of a test's own, gone at its end.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <stdlib.h>
#include <string>

namespace muster::unit {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "muster-app-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  std::string file(const std::string& name, const std::string& text, bool executable) const {
    const std::string place = path_ + "/" + name;
    std::ofstream(place) << text;
    using std::filesystem::perms;
    std::filesystem::permissions(
        place, executable ? perms::owner_all : perms::owner_read | perms::owner_write);
    return place;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream stream(path_ + "/" + name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(path_ + "/" + name);
  }
  // Waits for what somebody else makes; false: it has not come in time.
  [[nodiscard]] bool comes(const std::string& name) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!has(name)) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      ::poll(nullptr, 0, 5);
    }
    return true;
  }

 private:
  std::string path_;
};

}  // namespace muster::unit

// Compares names, and series of versions.
#include "machine/mpi_libraries.hpp"

#include <string_view>

namespace muster::machine {

namespace {

constexpr std::string_view kAnyVersion = "Intel MPI ";

// "Open MPI 4.1" of "Open MPI 4.1.4".
std::string_view series(std::string_view library) {
  const std::size_t dot = library.find('.', library.rfind(' ') + 1);
  if (dot == std::string_view::npos) return library;
  return library.substr(0, library.find_first_not_of("0123456789", dot + 1));
}

}  // namespace

bool understand(const std::string& one, const std::string& other) {
  if (one.starts_with(kAnyVersion) && other.starts_with(kAnyVersion)) return true;
  return series(one) == series(other);
}

std::optional<MpiLibraries::Loaded> MpiLibraries::add(base::Rank rank, const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (!first_) first_ = Loaded{rank, name};
  return understand(first_->name, name) ? std::nullopt : first_;
}

}  // namespace muster::machine

// Nothing here keeps a pointer into the library's memory.
#include "pmix/convert.hpp"

#include <cstdlib>
#include <cstring>

namespace muster::pmix {

Proc from_proc(const pmix_proc_t& proc) {
  return {std::string(proc.nspace, ::strnlen(proc.nspace, sizeof proc.nspace)), proc.rank};
}

std::vector<Proc> from_procs(const pmix_proc_t* procs, std::size_t count) {
  std::vector<Proc> list;
  for (std::size_t i = 0; procs != nullptr && i < count; ++i) list.push_back(from_proc(procs[i]));
  return list;
}

pmix_proc_t to_proc(const Proc& proc) {
  pmix_proc_t made;
  std::memset(&made, 0, sizeof made);
  std::strncpy(made.nspace, proc.nspace.c_str(), PMIX_MAX_NSLEN);
  made.rank = proc.rank;
  return made;
}

std::vector<std::string> from_strings(char* const* strings) {
  std::vector<std::string> list;
  for (; strings != nullptr && *strings != nullptr; ++strings) list.emplace_back(*strings);
  return list;
}

std::string text_of(const pmix_info_t& info) {
  const bool text = info.value.type == PMIX_STRING && info.value.data.string != nullptr;
  return text ? info.value.data.string : "";
}

bool is_key(const pmix_info_t& info, const char* key) {
  return std::strncmp(info.key, key, PMIX_MAX_KEYLEN) == 0;
}

bool is_set(const pmix_info_t& info) {
  return info.value.type != PMIX_BOOL || info.value.data.flag;
}

std::string pack(const Library& library, const void* values, std::size_t count,
                 pmix_data_type_t type) {
  pmix_data_buffer_t buffer{};
  const auto size = static_cast<std::int32_t>(count);
  // The library takes a pointer to what it does not change.
  const int status = library.data_pack(nullptr, &buffer, const_cast<void*>(values), size, type);
  std::string bytes;
  if (status == PMIX_SUCCESS) bytes.assign(buffer.base_ptr, buffer.bytes_used);
  std::free(buffer.base_ptr);
  return bytes;
}

bool unpack(const Library& library, std::string_view bytes, void* values, std::size_t count,
            pmix_data_type_t type) {
  std::string copy(bytes);
  pmix_data_buffer_t buffer{};
  buffer.base_ptr = buffer.unpack_ptr = copy.data();
  buffer.pack_ptr = copy.data() + copy.size();
  buffer.bytes_allocated = buffer.bytes_used = copy.size();
  auto size = static_cast<std::int32_t>(count);
  const int status = library.data_unpack(nullptr, &buffer, values, &size, type);
  return status == PMIX_SUCCESS && static_cast<std::size_t>(size) == count;
}

}  // namespace muster::pmix

// Conversions between our plain values and the library's structures.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmix/library.hpp"
#include "pmix/values.hpp"

namespace muster::pmix {

[[nodiscard]] Proc from_proc(const pmix_proc_t& proc);
[[nodiscard]] std::vector<Proc> from_procs(const pmix_proc_t* procs, std::size_t count);
[[nodiscard]] pmix_proc_t to_proc(const Proc& proc);
// A list that ends with a null pointer.
[[nodiscard]] std::vector<std::string> from_strings(char* const* strings);
// "" when it is no text.
[[nodiscard]] std::string text_of(const pmix_info_t& info);
[[nodiscard]] bool is_key(const pmix_info_t& info, const char* key);
// A flag without a value is set.
[[nodiscard]] bool is_set(const pmix_info_t& info);

// Values with their types, as bytes that any server of the same library version reads. Empty when
// the library cannot do it.
[[nodiscard]] std::string pack(const Library& library, const void* values, std::size_t count,
                               pmix_data_type_t type);
// Into `values`, which has room for `count` and then owns memory of the library.
[[nodiscard]] bool unpack(const Library& library, std::string_view bytes, void* values,
                          std::size_t count, pmix_data_type_t type);

}  // namespace muster::pmix

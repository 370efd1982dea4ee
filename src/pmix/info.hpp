// Infos: an array of pmix_info_t that owns what its values point to.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <pmix_common.h>
#include <string>
#include <string_view>
#include <vector>

namespace muster::pmix {

class Infos {
 public:
  Infos& text(const char* key, std::string_view value);
  Infos& number16(const char* key, std::uint16_t value);
  Infos& number32(const char* key, std::uint32_t value);
  Infos& amount(const char* key, std::size_t value);
  Infos& rank(const char* key, std::uint32_t value);
  Infos& flag(const char* key, bool value);
  Infos& proc(const char* key, const pmix_proc_t& value);
  // What PMIx_generate_regex or _ppn gave; may hold zero bytes.
  Infos& regex(const char* key, std::string value);
  Infos& array(const char* key, Infos values);

  [[nodiscard]] pmix_info_t* data() { return infos_.data(); }
  [[nodiscard]] std::size_t size() const { return infos_.size(); }

 private:
  pmix_value_t& add(const char* key, pmix_data_type_t type);

  std::vector<pmix_info_t> infos_;
  // Deques: their elements never move.
  std::deque<std::string> texts_;
  std::deque<pmix_proc_t> procs_;
  std::deque<pmix_data_array_t> arrays_;
  std::deque<Infos> nested_;
};

}  // namespace muster::pmix

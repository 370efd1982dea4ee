// The library copies what it is given, so all of this may go when the call is over.
#include "pmix/info.hpp"

#include <cstring>

namespace muster::pmix {

pmix_value_t& Infos::add(const char* key, pmix_data_type_t type) {
  pmix_info_t& info = infos_.emplace_back();
  std::memset(&info, 0, sizeof info);
  std::strncpy(info.key, key, PMIX_MAX_KEYLEN);
  info.value.type = type;
  return info.value;
}

Infos& Infos::text(const char* key, std::string_view value) {
  add(key, PMIX_STRING).data.string = texts_.emplace_back(value).data();
  return *this;
}

Infos& Infos::number16(const char* key, std::uint16_t value) {
  add(key, PMIX_UINT16).data.uint16 = value;
  return *this;
}

Infos& Infos::number32(const char* key, std::uint32_t value) {
  add(key, PMIX_UINT32).data.uint32 = value;
  return *this;
}

Infos& Infos::amount(const char* key, std::size_t value) {
  add(key, PMIX_SIZE).data.size = value;
  return *this;
}

Infos& Infos::rank(const char* key, std::uint32_t value) {
  add(key, PMIX_PROC_RANK).data.rank = value;
  return *this;
}

Infos& Infos::flag(const char* key, bool value) {
  add(key, PMIX_BOOL).data.flag = value;
  return *this;
}

Infos& Infos::proc(const char* key, const pmix_proc_t& value) {
  add(key, PMIX_PROC).data.proc = &procs_.emplace_back(value);
  return *this;
}

Infos& Infos::regex(const char* key, std::string value) {
  std::string& kept = texts_.emplace_back(std::move(value));
  add(key, PMIX_REGEX).data.bo = {kept.data(), kept.size() + 1};  // with the closing zero
  return *this;
}

Infos& Infos::array(const char* key, Infos values) {
  Infos& kept = nested_.emplace_back(std::move(values));
  add(key, PMIX_DATA_ARRAY).data.darray =
      &arrays_.emplace_back(pmix_data_array_t{PMIX_INFO, kept.size(), kept.data()});
  return *this;
}

}  // namespace muster::pmix

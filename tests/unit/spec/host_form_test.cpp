// The forms in which launchers take hosts: what horovodrun and deepspeed ask beyond the others.
#include <gtest/gtest.h>

#include "spec/sources.hpp"

namespace muster::spec::host_form_test {
namespace {

base::Result<std::string> read(const std::string& text, std::size_t) { return text; }

base::Result<HostsFound> listed(const std::string& list, HostForm form) {
  return find_hosts({.list = list, .form = form});
}

// The path of the file is its text.
base::Result<HostsFound> in_file(const std::string& text, HostForm form) {
  return find_hosts({.file = text, .read_file = read, .form = form});
}

TEST(HostForm, RequiredSlotsAreMissedWhereTheyShouldStand) {
  const HostForm horovod = {.slots = HostSlots::required};
  EXPECT_TRUE(listed("a:2,b:1", horovod));
  const auto list = listed("a:2,b", horovod);
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().what, "b does not tell its slots");
  EXPECT_EQ(list.error().hint, "write b:N");
  const auto file = in_file("a slots=2\nb\n", horovod);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().hint, "write b slots=N");
  EXPECT_EQ(file.error().place.line, 2U);
}

TEST(HostForm, ADeviceCountIsThereOnceAndNotTooLarge) {
  const HostForm deepspeed = {.slots = HostSlots::devices, .each_once = true};
  EXPECT_TRUE(in_file("a slots=8\nb slots=1\n", deepspeed));
  EXPECT_FALSE(in_file("a\n", deepspeed));
  EXPECT_FALSE(in_file("a slots=100000\n", deepspeed));
  const auto twice = in_file("a slots=8\na slots=8\n", deepspeed);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().what, "a is listed twice");
}

TEST(HostForm, AListIsCalledByItsOption) {
  EXPECT_EQ(listed("a", {}).value().name, "-H");
  EXPECT_EQ(listed("a", {.list_option = "-hosts"}).value().name, "-hosts");
}

}  // namespace
}  // namespace muster::spec::host_form_test

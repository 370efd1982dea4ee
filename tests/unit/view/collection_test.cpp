// What muster gc says.
#include "view/collection.hpp"

#include <gtest/gtest.h>

namespace muster::view {
namespace {

TEST(Collections, NothingIsSaidOfWhatIsNotThere) {
  EXPECT_EQ(collection_words({}), "nothing to remove\n");
  EXPECT_TRUE(collection_notices({}, "/r").empty());
}

TEST(Collections, ALineForEachKindAndATotal) {
  Collection one;
  one.records = {3, 2'000'000};
  one.contents = {1, 1000};
  one.leftovers = {2, 0};
  one.offers = {1, 500};
  EXPECT_EQ(collection_words(one),
            "removed 3 records of ended runs: 2.0 MB\n"
            "removed 1 file of code that no record names: 1.0 kB\n"
            "removed 2 leftovers of killed musters: 0 bytes\n"
            "removed 1 entry for reuse of a run that has gone: 500 bytes\n"
            "freed 2.0 MB\n");
  one = {};
  one.dry_run = true;
  one.records = {1, 10};
  one.stays = 2000;
  EXPECT_EQ(collection_words(one),
            "would remove 1 record of an ended run: 10 bytes\n"
            "would free 10 bytes; what stays takes 2.0 kB\n");
}

TEST(Collections, HostsHaveLinesOfTheirOwn) {
  Collection one;
  one.hosts = {{"node1", {2, 3000}, {1, 10}}, {"node2", {}, {}}, {"node3", {}, {3, 0}}};
  EXPECT_EQ(collection_words(one),
            "nothing to remove\n"
            "node1: removed 2 folders of runs: 3.0 kB, 1 file of the cache: 10 bytes\n"
            "node2: nothing to remove\n"
            "node3: removed 3 files of the cache: 0 bytes\n");
  EXPECT_NE(
      collection_json(one).find(R"("hosts":[{"host":"node1","folders":{"count":2,"bytes":3000},)"
                                R"("cache":{"count":1,"bytes":10}})"),
      std::string::npos);
}

TEST(Collections, NoticesNameWhatStays) {
  Collection one;
  one.needed = {{"a", "b"}};
  one.unread = {"c/code.manifest"};
  one.strange = {"odd\nname"};
  one.failed = {"d (Permission denied)"};
  one.stays = 2000;
  one.bound = 1000;
  const std::vector<std::string> notices = collection_notices(one, "/r");
  ASSERT_EQ(notices.size(), 5U);
  EXPECT_EQ(notices[0], "records whose outputs others use stay as long as those: a (needed by b)");
  EXPECT_EQ(notices[1],
            "all code stays, since these cannot be read in /r: c/code.manifest; muster rm removes "
            "such records");
  EXPECT_EQ(notices[2], "/r holds what muster does not know; it stays: odd\\nname");
  EXPECT_EQ(notices[3],
            "2.0 kB stay, more than 1.0 kB: runs that have not ended, and what is needed");
  EXPECT_EQ(notices[4], "could not remove d (Permission denied)");
  one.is_held = true;
  EXPECT_EQ(collection_notices(one, "/r").size(), 5U);  // why more stays is clear then
}

TEST(Collections, Json) {
  Collection one;
  one.runs = {"a"};
  one.records = {1, 10};
  EXPECT_EQ(collection_json(one),
            R"({"dry_run":false,"bytes":10,"records":{"count":1,"bytes":10},)"
            R"("code":{"count":0,"bytes":0},"leftovers":{"count":0,"bytes":0},)"
            R"("reuse":{"count":0,"bytes":0},"runs":["a"],"needed":[],"unknown":[],"unread":[],)"
            R"("failed":[],"busy":false,"stays":null})"
            "\n");
}

}  // namespace
}  // namespace muster::view

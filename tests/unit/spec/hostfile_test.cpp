// Hostfiles: the forms that are read, and the place of every complaint.
#include <gtest/gtest.h>

#include "spec/hosts.hpp"

namespace muster::spec {
namespace {

using model::HostEntry;

struct Short {
  std::string name;
  std::optional<std::uint32_t> slots;
  std::optional<std::uint32_t> max_slots;
  bool operator==(const Short&) const = default;
};

void PrintTo(const Short& host, std::ostream* out) {
  *out << host.name << ':' << host.slots.value_or(0) << '/' << host.max_slots.value_or(0);
}

std::vector<Short> read(std::string_view text) {
  const auto hosts = read_hostfile(text, "hosts");
  if (!hosts) {
    ADD_FAILURE() << to_string(hosts.error());
    return {};
  }
  std::vector<Short> shorts;
  for (const HostEntry& host : *hosts) shorts.push_back({host.name, host.slots, host.max_slots});
  return shorts;
}

std::string complaint(std::string_view text) {
  const auto hosts = read_hostfile(text, "hosts");
  if (hosts) return "no complaint";
  EXPECT_EQ(hosts.error().fault, base::Fault::bad_file);
  EXPECT_EQ(hosts.error().what.find('\n'), std::string::npos);
  base::Error bare = hosts.error();
  bare.hint.clear();
  return to_string(bare);
}

std::string hint(std::string_view text) { return read_hostfile(text, "hosts").error().hint; }

const std::vector<Short> kTwo = {{"DEVICE1", 8, {}}, {"192.168.0.1", 8, {}}};

TEST(Hostfile, ReadsOpenMpiLines) {
  EXPECT_EQ(read("DEVICE1 slots=8\n192.168.0.1 slots=8\n"), kTwo);
}

TEST(Hostfile, ReadsHydraLines) { EXPECT_EQ(read("DEVICE1:8\n192.168.0.1:8"), kTwo); }

TEST(Hostfile, LeavesOutHostsWithoutSlots) {
  EXPECT_EQ(read("HEAD slots=0\nDEVICE1 slots=8\nhead2:0\n192.168.0.1 slots = 8"), kTwo);
}

TEST(Hostfile, ReadsWindowsAndOldMacLineEnds) {
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "DEVICE1 slots=8\r\n192.168.0.1 slots=8\r\n"),
            kTwo);
  EXPECT_EQ(read("DEVICE1 slots=8\r192.168.0.1 slots=8\r"), kTwo);
}

TEST(Hostfile, SkipsCommentsAndBlankLines) {
  EXPECT_EQ(read("# all\n\n  DEVICE1 slots=8 # fast\n// and\n\t192.168.0.1/* old */slots=8//x\n"
                 "/* gone slots=2\n gone2 */\n#"),
            kTwo);
}

TEST(Hostfile, ABlockCommentMayJoinLines) {
  EXPECT_EQ(read("DEVICE1 /*\n*/ slots=8\n192.168.0.1 slots=8"), kTwo);
}

TEST(Hostfile, KnowsEverySpellingOfSlots) {
  for (const char* key : {"slots", "count", "cpu"}) {
    EXPECT_EQ(read(fmt::format("a {}=3", key)), (std::vector<Short>{{"a", 3, {}}})) << key;
  }
}

TEST(Hostfile, KnowsEverySpellingOfMaxSlots) {
  for (const char* key :
       {"max_slots", "max-slots", "slots_max", "slots-max", "count_max", "count-max", "max_count",
        "max-count", "cpu_max", "cpu-max", "max_cpu", "max-cpu"}) {
    EXPECT_EQ(read(fmt::format("a slots=2 {} = 3", key)), (std::vector<Short>{{"a", 2, 3}})) << key;
  }
}

TEST(Hostfile, MaxSlotsAloneGivesTheSlots) {
  EXPECT_EQ(read("a max_slots=4"), (std::vector<Short>{{"a", 4, 4}}));
}

TEST(Hostfile, ABareHostHasNoSlots) { EXPECT_EQ(read("a"), (std::vector<Short>{{"a", {}, {}}})); }

TEST(Hostfile, ReadsUserAndPort) {
  for (const char* text : {"b@a port=2222", "a username=b port=2222", "a port = 2222 user-name = b",
                           "a user_name=b port=2222", "a user=b port=2222"}) {
    const auto hosts = read_hostfile(text, "f");
    ASSERT_TRUE(hosts) << text;
    EXPECT_EQ(hosts->at(0).user, "b") << text;
    EXPECT_EQ(hosts->at(0).port, 2222U) << text;
  }
}

TEST(Hostfile, ReadsIpv6InBrackets) {
  EXPECT_EQ(read("[fe80::1] slots=2\n[::2]:3"),
            (std::vector<Short>{{"fe80::1", 2, {}}, {"::2", 3, {}}}));
  EXPECT_EQ(complaint("fe80::1 slots=2"), "hosts:1:1: 'fe80::1': more than one ':'");
}

TEST(Hostfile, HostsOfOneLineAreAlikeButForTheirNumbers) {
  EXPECT_EQ(read("n[1-2] slots=2 max_slots=4\nm[08,10]:3"),
            (std::vector<Short>{{"n1", 2, 4}, {"n2", 2, 4}, {"m08", 3, {}}, {"m10", 3, {}}}));
  EXPECT_EQ(complaint("ok\nn[2-1] slots=2"),
            "hosts:2:1: 'n[2-1]': the brackets do not say which numbers the hosts have");
}

TEST(Hostfile, RemembersWhereEachHostStands) {
  const auto hosts = read_hostfile("a\n\n  b slots=2\n", "hosts");
  ASSERT_TRUE(hosts);
  EXPECT_EQ(hosts->at(0).place, (base::Place{"hosts", 1, 1}));
  EXPECT_EQ(hosts->at(1).place, (base::Place{"hosts", 3, 3}));
}

TEST(Hostfile, PlacesComplaintsAboutNumbers) {
  EXPECT_EQ(complaint("a slots=0\nb slots=0"), "hosts:1:1: no host has a slot: each is given 0");
  EXPECT_EQ(complaint("a slots = x"),
            "hosts:1:11: slots must be a whole number from 0 to 1000000, not 'x'");
  EXPECT_EQ(complaint("a slots=99999999999"),
            "hosts:1:9: slots must be from 0 to 1000000, not 99999999999");
  EXPECT_EQ(complaint("a max_slots=1 slots=2"), "hosts:1:1: max_slots of 1 is below slots of 2");
  EXPECT_EQ(complaint("a port=65536"), "hosts:1:8: port must be from 1 to 65535, not 65536");
  EXPECT_EQ(complaint("a:0"), "hosts:1:1: no host has a slot: each is given 0");
  EXPECT_EQ(complaint("a slots=-1"),
            "hosts:1:9: slots must be a whole number from 0 to 1000000, not '-1'");
}

TEST(Hostfile, PlacesComplaintsAboutKeys) {
  EXPECT_EQ(complaint("a slot=2"), "hosts:1:3: unknown key 'slot'");
  EXPECT_EQ(hint("a slot=2"), "did you mean slots=?");
  EXPECT_EQ(hint("a frobnicate=2"), "known keys: slots, max_slots, username, port");
  EXPECT_EQ(complaint("a slots"), "hosts:1:3: expected key=value after the host, not 'slots'");
  EXPECT_EQ(hint("a slots"), "write slots=N");
  EXPECT_EQ(complaint("a b c"), "hosts:1:3: expected key=value after the host, not 'b'");
  EXPECT_EQ(hint("a b c"), "each host has its own line: node1 slots=8");
  EXPECT_EQ(complaint("a slots="), "hosts:1:3: 'slots' has no value");
  EXPECT_EQ(complaint("a slots==2"), "hosts:1:3: 'slots' has no value");
}

TEST(Hostfile, RefusesWhatIsGivenTwiceOnALine) {
  EXPECT_EQ(complaint("a slots=2 cpu=2"), "hosts:1:11: the slot count is given twice on this line");
  EXPECT_EQ(complaint("a:2 slots=2"), "hosts:1:5: the slot count is given twice on this line");
  EXPECT_EQ(complaint("a max_slots=2 max-slots=3"),
            "hosts:1:15: the largest slot count is given twice on this line");
  EXPECT_EQ(complaint("b@a user=c"), "hosts:1:5: the user is given twice on this line");
  EXPECT_EQ(complaint("a port=1 port=1"), "hosts:1:10: the port is given twice on this line");
}

TEST(Hostfile, RefusesLinesWithoutAHost) {
  EXPECT_EQ(complaint("slots=8"), "hosts:1:1: the line does not start with a host name");
  EXPECT_EQ(complaint("= 8"), "hosts:1:1: the line does not start with a host name");
}

TEST(Hostfile, RefusesDangerousNames) {
  EXPECT_EQ(complaint("-oX slots=1"), "hosts:1:1: '-oX': a host name must not start with '-'");
  EXPECT_EQ(complaint("a\n b;c"), "hosts:2:2: 'b;c': not a valid host name");
  EXPECT_EQ(complaint("a user=-x"), "hosts:1:8: '-x': not a user name");
}

TEST(Hostfile, TellsBinaryFilesApart) {
  EXPECT_EQ(complaint(std::string_view("\x7f"
                                       "ELF\x01\0",
                                       6)),
            "hosts:1:1: byte 0x7f is not text");
  EXPECT_EQ(complaint(std::string_view("a\nbc\0d", 6)), "hosts:2:3: byte 0x00 is not text");
  EXPECT_EQ(complaint(std::string_view("\xff\xfe"
                                       "a\0",
                                       4)),
            "hosts:1:1: the file is UTF-16");
  EXPECT_EQ(complaint("n\xc3\xa9"), "hosts:1:1: 'n\\xc3\\xa9': not a valid host name");
  EXPECT_EQ(read("a # caf\xe9").size(), 1U) << "a comment may be in any encoding";
}

TEST(Hostfile, RefusesFilesWithoutAHost) {
  for (const char* text : {"", "\n\n", "# nothing\n", "/* a */"}) {
    EXPECT_EQ(complaint(text), "hosts: the file names no host") << text;
  }
}

TEST(Hostfile, FindsTheStartOfAnEndlessComment) {
  EXPECT_EQ(complaint("a\n /* b\n\n"), "hosts:2:2: this comment never ends");
  EXPECT_EQ(complaint("a /*/"), "hosts:1:3: this comment never ends");
}

TEST(Hostfile, HoldsItsBounds) {
  std::string text;
  for (std::size_t i = 0; i <= kHostsMax; ++i) text += "a\n";
  EXPECT_EQ(complaint(text), "hosts:1000001:1: more than 1000000 hosts");
  EXPECT_EQ(complaint(std::string(kHostTextMax + 1, ' ')), "hosts: the file is larger than 16 MiB");
}

}  // namespace
}  // namespace muster::spec

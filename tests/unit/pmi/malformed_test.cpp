// Whatever a task sends that is not PMI ends its conversation, with an error that says why.
#include <gtest/gtest.h>

#include "unit/pmi/talk.hpp"

namespace muster::pmi {
namespace {

struct Case {
  std::string bytes;
  std::string error;  // a part of it
};

void expect_error(std::string_view init, const Case& one) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{1000}, std::size_t{4} << 20}) {
    if (step == 1 && one.bytes.size() > 10'000) continue;
    const test::Heard heard = test::hear(std::string(init) + one.bytes, step);
    EXPECT_NE(heard.error.find(one.error), std::string::npos)
        << "instead of \"" << one.error << "\": \"" << heard.error << "\" for "
        << one.bytes.substr(0, 100) << " in pieces of " << step;
    EXPECT_NE(heard.error, "") << one.bytes.substr(0, 100);
    EXPECT_LT(heard.error.size(), 250u);
  }
}

TEST(Malformed, Lines) {
  const std::vector<Case> cases = {
      {"\n", "no command"},
      {"hello\n", "no command over PMI: \"hello\""},
      {"key=k cmd=get\n", "no command"},
      {"cmd=\n", "no command"},
      {"cmd\n", "no command"},
      {"=\n", "no command"},
      {"cmd=fly\n", "an unknown command over PMI: \"fly\""},
      {"cmd=fly\x01\x7f\n", "\"fly??\""},
      {std::string("cmd=get\0 key=k\n", 15), "a zero byte"},
      {"cmd=get kvsname=K\n", "get without key"},
      {"cmd=get key=\n", "get with an empty key"},
      {"cmd=get key=" + std::string(65, 'k') + "\n", "get with a too long key"},
      {"cmd=get kvsname=" + std::string(257, 'k') + " key=k\n", "too long kvsname"},
      {"cmd=put key=k\n", "put without value"},
      {"cmd=put key=k value=" + std::string(1025, 'v') + "\n", "too long value"},
      {"cmd=publish_name service=S\n", "without port"},
      {"cmd=abort exitcode=x\n", "abort with a wrong exitcode"},
      {"cmd=abort exitcode=99999999999\n", "abort with a wrong exitcode"},
      {"cmd=abort exitcode=1x\n", "abort with a wrong exitcode"},
      {std::string(4097, 'x'), "too long a line"},
      {"cmd=put key=k value=" + std::string(5000, 'v') + "\n", "too long a line"},
  };
  for (const Case& one : cases) expect_error(test::kInit1, one);
}

TEST(Malformed, OutOfTurn) {
  expect_error("", {"cmd=get_maxes\n", "before init"});
  expect_error("", {"mcmd=spawn\nendcmd\n", "before init"});
  expect_error("", {"cmd=init pmi_subversion=1\n", "init without pmi_version"});
  expect_error("", {"cmd=init pmi_version=-1 pmi_subversion=1\n", "wrong pmi_version"});
  expect_error(test::kInit1, {"cmd=finalize\ncmd=get_maxes\n", "after finalize"});
  expect_error("", {"cmd=initack\n", "initack without pmiid"});
}

std::string body(const std::string& fields) { return "mcmd=spawn\n" + fields + "endcmd\n"; }

const std::string kHead = "nprocs=1\nexecname=p\n";

TEST(Malformed, SpawnBodies) {
  const std::string order = "totspawns=1\nspawnssofar=1\n";
  const std::vector<Case> cases = {
      {body(""), "spawn without totspawns"},
      {"mcmd=fly\nendcmd\n", "unknown command"},
      {"mcmd=\nendcmd\n", "no command"},
      {body(order + "execname=p\n"), "without nprocs"},
      {body(order + "nprocs=0\nexecname=p\n"), "wrong nprocs"},
      {body(order + "nprocs=1000001\nexecname=p\n"), "wrong nprocs"},
      {body(order + "nprocs=1\n"), "without execname"},
      {body(order + kHead + "argcnt=1\n"), "without arg1"},
      {body(order + kHead + "argcnt=2\narg1=a\n"), "without arg2"},
      {body(order + kHead + "argcnt=4000000000\n"), "wrong argcnt"},
      {body(order + kHead + "info_num=1\ninfo_key_0=k\n"), "without info_val_0"},
      {body(order + kHead + "preput_num=1\n"), "without preput_key_0"},
      {body(kHead + "totspawns=2\nspawnssofar=2\n"), "out of order"},
      {body(kHead + "totspawns=1\nspawnssofar=0\n"), "wrong spawnssofar"},
      {body(kHead + "totspawns=2000\nspawnssofar=1\n"), "wrong totspawns"},
      {body(kHead + "totspawns=2\nspawnssofar=1\n") + "cmd=get_maxes\n", "spawn without its end"},
      {body(kHead + "totspawns=2\nspawnssofar=1\n") + body(kHead + "totspawns=3\nspawnssofar=2\n"),
       "out of order"},
      {"mcmd=spawn\n" + std::string(kFrameMax, 'x'), "too long a spawn"},
  };
  for (const Case& one : cases) expect_error(test::kInit1, one);
}

TEST(Malformed, AllBodiesOfASpawnTogetherAreBounded) {
  std::string bytes;
  const std::string argument = "argcnt=1\narg1=" + std::string(kFrameMax / 2, 'a') + "\n";
  for (int number = 1; number <= 3; ++number)
    bytes += body(kHead + argument + fmt::format("totspawns=3\nspawnssofar={}\n", number));
  expect_error(test::kInit1, {bytes, "too long a spawn"});
}

TEST(Malformed, TooManyFields) {
  std::string fields;
  for (std::size_t i = 0; i <= kFieldsMax; ++i) fields += fmt::format("f{}=\n", i);
  expect_error(test::kInit1, {body(fields), "too many fields"});
}

TEST(Malformed, Frames) {
  using test::frame;
  std::string many;
  for (std::size_t i = 0; i <= kFieldsMax; ++i) many += "f=;";
  const std::vector<Case> cases = {
      {"      ", "a frame without its length"},
      {"  x   ", "a frame without its length"},
      {"-1    ", "a frame without its length"},
      {"1 2   ", "a frame without its length"},
      {"cmd=kvs-fence;", "a frame without its length"},
      {"     0", "no command"},
      {frame("cmd=kvs-fence"), "without ';'"},
      {frame("cmd=kvs-fence;;"), "without ';'"},
      {frame("cmd=kvs-fly;"), "an unknown command"},
      {frame("key=k;cmd=kvs-get;"), "no command"},
      {frame(std::string("cmd=kvs-get;key=\0;", 18)), "a zero byte"},
      {frame("cmd=kvs-get;"), "kvs-get without key"},
      {frame("cmd=kvs-put;key=;value=v;"), "empty key"},
      {frame("cmd=kvs-put;key=k;value=" + std::string(1025, 'v') + ";"), "too long value"},
      {frame("cmd=fullinit;pmirank=x;"), "wrong pmirank"},
      {frame("cmd=spawn;"), "without ncmds"},
      {frame("cmd=spawn;ncmds=1;"), "too many or too few"},
      {frame("cmd=spawn;ncmds=1;subcmd=a;maxprocs=1;subcmd=b;maxprocs=1;"), "too many or too few"},
      {frame("cmd=spawn;ncmds=1;subcmd=a;"), "without maxprocs"},
      {frame("cmd=spawn;ncmds=1;subcmd=a;maxprocs=1;argc=1;"), "without argv1"},
      {frame("cmd=kvs-get;" + many), "too many fields"},
  };
  for (const Case& one : cases) expect_error(test::kInit2, one);
}

TEST(Malformed, NothingComesAfterAnError) {
  PmiSession session;
  session.feed("what?\n");
  const auto first = session.next();
  ASSERT_FALSE(first);
  session.feed(test::kInit1);
  const auto second = session.next();
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error(), second.error());
}

// A task that never waits for an answer fills no more than the buffer.
TEST(Malformed, AFlood) {
  PmiSession session;
  const std::string lines(1 << 16, '\n');
  session.feed(test::kInit1);
  ASSERT_TRUE(session.next().value());
  for (int i = 0; i < 31; ++i) session.feed(lines);
  EXPECT_EQ(session.next().value(), std::nullopt);
  for (int i = 0; i < 31; ++i) session.feed(lines);
  const auto next = session.next();
  ASSERT_FALSE(next);
  EXPECT_NE(next.error().what.find("megabytes"), std::string::npos);
  EXPECT_NE(next.error().hint, "");
}

}  // namespace
}  // namespace muster::pmi

// PMI-1: every command as a request, every reply as a line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/pmi/talk.hpp"

namespace muster::pmi {
namespace {

Request asked(const std::string& line) { return test::ask(test::kInit1, line + "\n"); }

std::string told(const std::string& line, const Reply& reply) {
  return test::reply_to(test::kInit1, line + "\n", reply);
}

TEST(Lines, RequestsWithoutFields) {
  EXPECT_EQ(asked("cmd=get_maxes"), Request{GetMaxes{}});
  EXPECT_EQ(asked("cmd=get_appnum"), Request{GetAppnum{}});
  EXPECT_EQ(asked("cmd=get_my_kvsname"), Request{GetKvsName{}});
  EXPECT_EQ(asked("cmd=get_universe_size"), Request{GetUniverseSize{}});
  EXPECT_EQ(asked("cmd=barrier_in"), Request{Barrier{}});
  EXPECT_EQ(asked("cmd=finalize"), Request{Finalize{}});
}

TEST(Lines, RequestsWithFields) {
  EXPECT_EQ(asked("cmd=put kvsname=K key=k value=a=b"), (Request{Put{"K", "k", "a=b"}}));
  EXPECT_EQ(asked("cmd=put kvsname=K key=k value="), (Request{Put{"K", "k", ""}}));
  EXPECT_EQ(asked("cmd=get kvsname=K key=-bcast-1-0"), (Request{Get{"K", "-bcast-1-0"}}));
  EXPECT_EQ(asked("cmd=get  key=k "), (Request{Get{"", "k"}}));
  EXPECT_EQ(asked("cmd=barrier_in group=NODE tag=4"), Request{Barrier{"NODE"}});
  EXPECT_EQ(asked("cmd=publish_name service=S port=P"), (Request{Publish{"S", "P"}}));
  EXPECT_EQ(asked("cmd=lookup_name service=S"), Request{Lookup{"S"}});
  EXPECT_EQ(asked("cmd=unpublish_name service=S"), Request{Unpublish{"S"}});
}

// 4.0 writes a name with a blank as it is, in publish and in lookup alike: both see its first word.
TEST(Lines, WhatFollowsABlankIsAFieldOfItsOwn) {
  EXPECT_EQ(asked("cmd=publish_name service=my svc port=P"), (Request{Publish{"my", "P"}}));
  EXPECT_EQ(asked("cmd=put key=k value=a\\ b flag"), (Request{Put{"", "k", "a\\ b"}}));
}

TEST(Lines, Abort) {
  EXPECT_EQ(asked("cmd=abort exitcode=7"), (Request{Abort{7, ""}}));
  EXPECT_EQ(asked("cmd=abort exitcode=-1 message=no\\ more"), (Request{Abort{-1, "no\\ more"}}));
  EXPECT_EQ(asked("cmd=abort"), (Request{Abort{1, ""}}));
}

TEST(Lines, AbortIsHeardBeforeInitAndWhileAnAnswerIsDue) {
  EXPECT_EQ(test::hear("cmd=abort exitcode=3\n").requests, (std::vector<Request>{Abort{3, ""}}));
  PmiSession session;
  session.feed(test::kInit1);
  ASSERT_TRUE(session.next());
  static_cast<void>(session.answer(Done{}));
  session.feed("cmd=barrier_in\ncmd=abor");
  EXPECT_EQ(session.next().value(), Request{Barrier{}});
  EXPECT_EQ(session.next().value(), std::nullopt);
  session.feed("t exitcode=9\ncmd=get_maxes\n");
  EXPECT_EQ(session.next().value(), (Request{Abort{9, ""}}));
  EXPECT_EQ(session.next().value(), std::nullopt);
  EXPECT_EQ(session.answer(Done{}), "cmd=barrier_out\n");
  EXPECT_EQ(session.next().value(), Request{GetMaxes{}});
}

TEST(Lines, AnAbortedWordIsNoAbort) {
  PmiSession session;
  session.feed(std::string(test::kInit1) + "cmd=abortion\n");
  ASSERT_TRUE(session.next());
  EXPECT_EQ(session.next().value(), std::nullopt);
}

std::string answer_to_init(const std::string& line, const Reply& reply) {
  return test::reply_to("", line + "\n", reply);
}

TEST(Lines, Init) {
  EXPECT_EQ(answer_to_init("cmd=init pmi_version=1 pmi_subversion=1", Done{}),
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  // The version that is really spoken is told: 1.2's groups are not.
  EXPECT_EQ(answer_to_init("cmd=init pmi_version=1 pmi_subversion=2", Done{}),
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  EXPECT_EQ(answer_to_init("cmd=init pmi_version=2 pmi_subversion=0", Done{}),
            "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n");
  EXPECT_EQ(answer_to_init("cmd=init pmi_version=3 pmi_subversion=0", Failed{"no"}),
            "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=-1\n");
}

TEST(Lines, AfterARefusedInitNothingElseIsTaken) {
  PmiSession session;
  session.feed("cmd=init pmi_version=3 pmi_subversion=0\ncmd=get_maxes\n");
  ASSERT_EQ(session.next().value(), (Request{Init{3, 0}}));
  static_cast<void>(session.answer(Failed{"version_not_supported"}));
  EXPECT_FALSE(session.next());
}

TEST(Lines, InitAgainAfterFinalize) {
  const std::string twice =
      std::string(test::kInit1) + "cmd=finalize\n" + std::string(test::kInit1) + "cmd=get_maxes\n";
  const test::Heard heard = test::hear(twice, 1);
  EXPECT_EQ(heard.error, "");
  EXPECT_EQ(heard.requests.size(), 4u);
}

TEST(Lines, ThroughAPort) {
  EXPECT_EQ(answer_to_init("cmd=initack pmiid=5", Identity{5, 8, 0, ""}),
            "cmd=initack\ncmd=set size=8\ncmd=set rank=5\ncmd=set debug=0\n");
  EXPECT_EQ(answer_to_init("cmd=singinit pmi_version=1 pmi_subversion=1 stdio=no authtype=none",
                           Text{"K"}),
            "cmd=singinit_info versionok=yes stdio=no kvsname=K\n");
}

TEST(Lines, RepliesWithoutRefusal) {
  EXPECT_EQ(told("cmd=get_maxes", Done{}),
            "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=896\n");
  EXPECT_EQ(told("cmd=get_appnum", Number{2}), "cmd=appnum appnum=2\n");
  EXPECT_EQ(told("cmd=get_my_kvsname", Text{"K"}), "cmd=my_kvsname kvsname=K\n");
  EXPECT_EQ(told("cmd=get_universe_size", Number{-1}), "cmd=universe_size size=-1\n");
  EXPECT_EQ(told("cmd=barrier_in", Done{}), "cmd=barrier_out\n");
  EXPECT_EQ(told("cmd=finalize", Done{}), "cmd=finalize_ack\n");
}

TEST(Lines, PutAndGet) {
  EXPECT_EQ(told("cmd=put key=k value=v", Done{}), "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(told("cmd=put key=k value=v", Failed{"no_room"}), "cmd=put_result rc=-1 msg=no_room\n");
  EXPECT_EQ(told("cmd=get key=k", Text{"v"}), "cmd=get_result rc=0 msg=success value=v\n");
  EXPECT_EQ(told("cmd=get key=k", NotFound{}),
            "cmd=get_result rc=-1 msg=key_k_not_found value=unknown\n");
  EXPECT_EQ(told("cmd=get key=k", Failed{"kvs_not_found"}),
            "cmd=get_result rc=-1 msg=kvs_not_found value=unknown\n");
}

TEST(Lines, Names) {
  EXPECT_EQ(told("cmd=publish_name service=S port=P", Done{}),
            "cmd=publish_result info=ok rc=0 msg=success\n");
  EXPECT_EQ(told("cmd=publish_name service=S port=P", NotFound{}),
            "cmd=publish_result info=failed rc=1 msg=key_already_present\n");
  EXPECT_EQ(told("cmd=lookup_name service=S", Text{"P"}),
            "cmd=lookup_result port=P info=ok rc=0 msg=success\n");
  EXPECT_EQ(told("cmd=lookup_name service=S", NotFound{}),
            "cmd=lookup_result info=failed rc=1 msg=service_not_found\n");
  EXPECT_EQ(told("cmd=unpublish_name service=S", Done{}),
            "cmd=unpublish_result info=ok rc=0 msg=success\n");
  EXPECT_EQ(told("cmd=unpublish_name service=S", NotFound{}),
            "cmd=unpublish_result info=failed rc=1 msg=service_not_found\n");
}

TEST(Lines, WhatNobodyUsesIsRefusedPolitely) {
  const Failed no{"not_supported"};
  EXPECT_EQ(told("cmd=create_kvs", no),
            "cmd=newkvs rc=-1 msg=not_supported reason=not_supported\n");
  EXPECT_EQ(told("cmd=destroy_kvs kvsname=K", no),
            "cmd=kvs_destroyed rc=-1 msg=not_supported reason=not_supported\n");
  EXPECT_EQ(told("cmd=getbyidx kvsname=K idx=0", no),
            "cmd=getbyidx_results rc=-1 msg=not_supported reason=not_supported\n");
  EXPECT_EQ(told("cmd=barrier_in group=0,1", no), "cmd=barrier_out rc=-1 msg=not_supported\n");
}

// A value that another task has put must not pass for words of the server.
TEST(Lines, ValuesThatWouldEndTheLineAreNotTold) {
  for (const std::string& value :
       std::vector<std::string>{"a b", "a\ncmd=barrier_out", "a\\\\  b", std::string(990, 'v')}) {
    EXPECT_EQ(told("cmd=get key=k", Text{value}),
              "cmd=get_result rc=-1 msg=value_of_k_does_not_fit_a_line value=unknown\n")
        << value;
    EXPECT_EQ(told("cmd=lookup_name service=S", Text{value}),
              "cmd=lookup_result info=failed rc=1 msg=port_does_not_fit_a_line\n")
        << value;
  }
  EXPECT_EQ(told("cmd=get key=k", Text{"a\\ b"}), "cmd=get_result rc=0 msg=success value=a\\ b\n");
}

TEST(Lines, TheLongestValueThatFits) {
  const std::string most(
      kReplyLineMax - 1 - std::string("cmd=get_result rc=0 msg=success value=\n").size(), 'v');
  EXPECT_EQ(told("cmd=get key=k", Text{most}).size(), kReplyLineMax - 1);
  EXPECT_LT(told("cmd=get key=k", Text{most + "v"}).size(), 100u);
}

// 5.0 fills its pieces up: a get of one that did not fit was refused, and it took what lay in its
// memory for the address of another rank.
TEST(Lines, AValueOfTheLengthThatIsToldFitsBothWays) {
  const std::string value(kToldValueMax, 'v');
  const std::string line =
      fmt::format("cmd=put kvsname=muster_0123456789abcdef_4294967295 key={} value={}\n",
                  std::string(kKeyMax, 'k'), value);
  EXPECT_LT(line.size(), kReplyLineMax);
  EXPECT_EQ(told("cmd=get key=k", Text{value}),
            fmt::format("cmd=get_result rc=0 msg=success value={}\n", value));
}

constexpr const char* kBody =
    "mcmd=spawn\nnprocs=2\nexecname=./child\ntotspawns=1\nspawnssofar=1\narg1=a b\narg2=x=y\n"
    "argcnt=2\npreput_num=1\npreput_key_0=PARENT_ROOT_PORT_NAME\npreput_val_0=tag#0$\n"
    "info_num=1\ninfo_key_0=wdir\ninfo_val_0=/tmp\nendcmd\n";

TEST(Lines, SpawnOfOneCommand) {
  const Spawn spawn{{{"./child", {"a b", "x=y"}, 2, {{"wdir", "/tmp"}}}},
                    {{"PARENT_ROOT_PORT_NAME", "tag#0$"}}};
  for (const std::size_t step : {1u, 2u, 7u, 10'000u}) {
    const test::Heard heard = test::hear(std::string(test::kInit1) + kBody, step);
    EXPECT_EQ(heard.error, "");
    EXPECT_EQ(heard.requests, (std::vector<Request>{Init{1, 1}, spawn})) << step;
  }
}

std::string body(int number, int total) {
  return fmt::format(
      "mcmd=spawn\nnprocs={}\nexecname=p{}\ntotspawns={}\nspawnssofar={}\nargcnt=0\n"
      "preput_num=0\ninfo_num=0\nendcmd\n",
      number, number, total, number);
}

TEST(Lines, SpawnOfSeveralCommandsIsOneRequest) {
  const std::string bytes = std::string(test::kInit1) + body(1, 3) + body(2, 3) + body(3, 3);
  for (const std::size_t step : {1u, 50u, 10'000u}) {
    const test::Heard heard = test::hear(bytes, step);
    EXPECT_EQ(heard.error, "");
    ASSERT_EQ(heard.requests.size(), 2u);
    const auto& spawn = std::get<Spawn>(heard.requests.back());
    ASSERT_EQ(spawn.commands.size(), 3u);
    EXPECT_EQ(spawn.commands[2], (SpawnCommand{"p3", {}, 3, {}}));
  }
}

TEST(Lines, SpawnReplies) {
  const auto told_spawn = [](const Reply& reply) {
    return test::reply_to(test::kInit1, kBody, reply);
  };
  EXPECT_EQ(told_spawn(Spawned{"J", {}}), "cmd=spawn_result rc=0\n");
  EXPECT_EQ(told_spawn(Spawned{"J", {0, 1}}), "cmd=spawn_result rc=0 errcodes=0,1\n");
  EXPECT_EQ(told_spawn(Failed{"no_slots"}), "cmd=spawn_result rc=-1 msg=no_slots\n");
  EXPECT_EQ(told_spawn(Spawned{"J", std::vector<std::int32_t>(2000, 0)}),
            "cmd=spawn_result rc=0\n");
}

}  // namespace
}  // namespace muster::pmi

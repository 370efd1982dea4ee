// PMI-2: every command as a request, every reply as a frame.
#include <gtest/gtest.h>

#include "unit/pmi/talk.hpp"

namespace muster::pmi::frames_test {
namespace {

using test::frame;

Request asked(const std::string& payload) { return test::ask(test::kInit2, frame(payload)); }

std::string told(const std::string& payload, const Reply& reply) {
  return test::reply_to(test::kInit2, frame(payload), reply);
}

TEST(Frames, Requests) {
  EXPECT_EQ(asked("cmd=fullinit;pmijobid=J;pmirank=3;threaded=FALSE;"), Request{FullInit{3}});
  EXPECT_EQ(asked("cmd=fullinit;threaded=TRUE;"), Request{FullInit{}});
  EXPECT_EQ(asked("cmd=job-getid;"), Request{GetKvsName{}});
  EXPECT_EQ(asked("cmd=info-getjobattr;key=universeSize;"),
            Request{GetJobAttribute{"universeSize"}});
  EXPECT_EQ(asked("cmd=info-putnodeattr;key=k;value=v;"), (Request{PutNodeAttribute{"k", "v"}}));
  EXPECT_EQ(asked("cmd=info-getnodeattr;key=k;wait=TRUE;"), (Request{GetNodeAttribute{"k", true}}));
  EXPECT_EQ(asked("cmd=info-getnodeattr;key=k;wait=FALSE;"), (Request{GetNodeAttribute{"k"}}));
  EXPECT_EQ(asked("cmd=kvs-put;key=k;value=a b;"), (Request{Put{"", "k", "a b"}}));
  EXPECT_EQ(asked("cmd=kvs-put;key=k;"), (Request{Put{"", "k", ""}}));
  EXPECT_EQ(asked("cmd=kvs-get;jobid=J;srcid=2;key=k;"), (Request{Get{"J", "k"}}));
  EXPECT_EQ(asked("cmd=kvs-fence;"), Request{Barrier{}});
  EXPECT_EQ(asked("cmd=name-publish;name=S;port=P;infokeycount=0;"), (Request{Publish{"S", "P"}}));
  EXPECT_EQ(asked("cmd=name-lookup;name=S;infokeycount=0;"), Request{Lookup{"S"}});
  EXPECT_EQ(asked("cmd=name-unpublish;name=S;infokeycount=0;"), Request{Unpublish{"S"}});
  EXPECT_EQ(asked("cmd=abort;isworld=TRUE;msg=all is lost;"), (Request{Abort{1, "all is lost"}}));
  EXPECT_EQ(asked("cmd=abort;exitcode=4;message=m;"), (Request{Abort{4, "m"}}));
  EXPECT_EQ(asked("cmd=finalize;"), Request{Finalize{}});
}

TEST(Frames, JobConnectIsRefused) {
  EXPECT_EQ(told("cmd=job-connect;jobid=J;", Failed{"not_supported"}),
            frame("cmd=job-connect-response;rc=1;errmsg=not_supported;"));
}

TEST(Frames, ASemicolonInAValueIsDoubled) {
  EXPECT_EQ(asked("cmd=kvs-put;key=k;value=a;;b;;;;;"), (Request{Put{"", "k", "a;b;;"}}));
  EXPECT_EQ(told("cmd=kvs-get;key=k;", Text{"a;b"}),
            frame("cmd=kvs-get-response;found=TRUE;value=a;;b;rc=0;"));
}

TEST(Frames, TheLengthMayStandAtEitherSide) {
  const std::string payload = "cmd=kvs-fence;";
  for (const char* length : {"    14", "14    ", "000014", "  14  "})
    EXPECT_EQ(test::ask(test::kInit2, length + payload), Request{Barrier{}}) << length;
}

TEST(Frames, InAnyPieces) {
  const std::string bytes = std::string(test::kInit2) + frame("cmd=fullinit;pmirank=0;") +
                            frame("cmd=kvs-put;key=k;value=v;") + frame("cmd=kvs-fence;") +
                            frame("cmd=finalize;") + std::string(test::kInit1) + "cmd=finalize\n";
  const std::vector<Request> all = {Init{2, 0}, FullInit{0}, Put{"", "k", "v"}, Barrier{},
                                    Finalize{}, Init{1, 1},  Finalize{}};
  for (const std::size_t step : {1u, 3u, 6u, 1000u}) {
    const test::Heard heard = test::hear(bytes, step);
    EXPECT_EQ(heard.error, "") << step;
    EXPECT_EQ(heard.requests, all) << step;
  }
}

TEST(Frames, FullInitReply) {
  EXPECT_EQ(told("cmd=fullinit;pmirank=3;", Identity{3, 8, 1, ""}),
            frame("cmd=fullinit-response;pmi-version=2;pmi-subversion=0;rank=3;size=8;appnum=1;"
                  "debugged=FALSE;pmiverbose=FALSE;rc=0;"));
  EXPECT_EQ(told("cmd=fullinit;pmirank=0;", Identity{0, 2, 0, "J1"}),
            frame("cmd=fullinit-response;pmi-version=2;pmi-subversion=0;rank=0;size=2;appnum=0;"
                  "spawner-jobid=J1;debugged=FALSE;pmiverbose=FALSE;rc=0;"));
}

TEST(Frames, Replies) {
  EXPECT_EQ(told("cmd=job-getid;", Text{"J"}), frame("cmd=job-getid-response;jobid=J;rc=0;"));
  EXPECT_EQ(told("cmd=kvs-put;key=k;value=v;", Done{}), frame("cmd=kvs-put-response;rc=0;"));
  EXPECT_EQ(told("cmd=kvs-put;key=k;value=v;", Failed{"no_room"}),
            frame("cmd=kvs-put-response;rc=1;errmsg=no_room;"));
  EXPECT_EQ(told("cmd=kvs-get;key=k;", NotFound{}),
            frame("cmd=kvs-get-response;found=FALSE;rc=0;"));
  EXPECT_EQ(told("cmd=kvs-fence;", Done{}), frame("cmd=kvs-fence-response;rc=0;"));
  EXPECT_EQ(told("cmd=info-getjobattr;key=k;", Text{"v"}),
            frame("cmd=info-getjobattr-response;found=TRUE;value=v;rc=0;"));
  EXPECT_EQ(told("cmd=info-getnodeattr;key=k;", NotFound{}),
            frame("cmd=info-getnodeattr-response;found=FALSE;rc=0;"));
  EXPECT_EQ(told("cmd=info-putnodeattr;key=k;value=v;", Done{}),
            frame("cmd=info-putnodeattr-response;rc=0;"));
  EXPECT_EQ(told("cmd=finalize;", Done{}), frame("cmd=finalize-response;rc=0;"));
}

TEST(Frames, NameReplies) {
  EXPECT_EQ(told("cmd=name-publish;name=S;port=P;", Done{}),
            frame("cmd=name-publish-response;rc=0;"));
  EXPECT_EQ(told("cmd=name-publish;name=S;port=P;", NotFound{}),
            frame("cmd=name-publish-response;rc=1;errmsg=key_already_present;"));
  EXPECT_EQ(told("cmd=name-lookup;name=S;", Text{"P"}),
            frame("cmd=name-lookup-response;found=TRUE;value=P;port=P;rc=0;"));
  EXPECT_EQ(told("cmd=name-lookup;name=S;", NotFound{}),
            frame("cmd=name-lookup-response;found=FALSE;rc=1;errmsg=service_not_found;"));
  EXPECT_EQ(told("cmd=name-unpublish;name=S;", NotFound{}),
            frame("cmd=name-unpublish-response;rc=1;errmsg=service_not_found;"));
}

TEST(Frames, TheThreadIsEchoed) {
  EXPECT_EQ(told("cmd=kvs-fence;thrid=0x7ffe;", Done{}),
            frame("cmd=kvs-fence-response;thrid=0x7ffe;rc=0;"));
}

constexpr const char* kSpawn =
    "cmd=spawn;thrid=1;ncmds=2;preputcount=1;ppkey0=K;ppval0=V;"
    "subcmd=a;maxprocs=2;argc=2;argv0=x;argv1=y z;infokeycount=1;infokey0=wdir;infoval0=/tmp;"
    "subcmd=b;maxprocs=1;argc=1;argv1=from one;";

TEST(Frames, Spawn) {
  const pmi::Spawn spawn{{{"a", {"x", "y z"}, 2, {{"wdir", "/tmp"}}}, {"b", {"from one"}, 1, {}}},
                         {{"K", "V"}}};
  EXPECT_EQ(asked(kSpawn), Request{spawn});
  EXPECT_EQ(told(kSpawn, Spawned{"J2", {}}),
            frame("cmd=spawn-response;thrid=1;jobid=J2;nerrs=0;rc=0;"));
  EXPECT_EQ(told(kSpawn, Spawned{"J2", {0, 0, 5}}),
            frame("cmd=spawn-response;thrid=1;jobid=J2;nerrs=0;errcodes=0,0,5;rc=0;"));
  EXPECT_EQ(told(kSpawn, Failed{"no_slots"}),
            frame("cmd=spawn-response;thrid=1;rc=1;errmsg=no_slots;"));
}

}  // namespace
}  // namespace muster::pmi::frames_test

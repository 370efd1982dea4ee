// Property: bytes mean the same in any pieces, whatever they are; and what is put over either
// protocol is what is got.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <utility>

#include "pmi/pmi_blob.hpp"
#include "unit/pmi/naive_head.hpp"
#include "unit/pmi/talk.hpp"

namespace muster::pmi {
namespace {

std::size_t below(std::size_t end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, end));
}

// Words of both protocols, whole and torn.
std::string some_words() {
  static const std::vector<std::string> words = {"cmd=init pmi_version=1 pmi_subversion=1\n",
                                                 "cmd=init pmi_version=2 pmi_subversion=0\n",
                                                 "cmd=get key=k\n",
                                                 "cmd=put key=k value=v\n",
                                                 "cmd=barrier_in\n",
                                                 "cmd=finalize\n",
                                                 "cmd=abort exitcode=1\n",
                                                 "mcmd=spawn\n",
                                                 "nprocs=1\nexecname=p\n",
                                                 "totspawns=1\nspawnssofar=1\n",
                                                 "endcmd\n",
                                                 "    14cmd=kvs-fence;",
                                                 "    13cmd=finalize;",
                                                 "cmd=",
                                                 "\n",
                                                 ";",
                                                 "=",
                                                 " ",
                                                 "    16cmd=kvs-get;key=;",
                                                 std::string(1, '\0'),
                                                 "\\"};
  std::string out(words[below(2)]);
  for (std::size_t left = below(20); left > 0; --left) out += words[below(words.size())];
  return out;
}

RC_GTEST_PROP(PmiSessions, PiecesDoNotMatter, ()) {
  const std::string bytes = some_words();
  const test::Heard whole = test::hear(bytes);
  const test::Heard torn = test::hear(bytes, 1 + below(9));
  RC_ASSERT(whole.requests == torn.requests);
  RC_ASSERT(whole.replies == torn.replies);
  RC_ASSERT(whole.error == torn.error);
}

// Small ones that fit one another now and then, and those at which types and limits end.
std::string any_number() {
  static const std::vector<std::string> numbers = {"0",
                                                   "1",
                                                   "2",
                                                   "3",
                                                   "-1",
                                                   "9999",
                                                   "1000000",
                                                   "2147483647",
                                                   "2147483648",
                                                   "-2147483648",
                                                   "4294967295",
                                                   "4294967296",
                                                   "18446744073709551615",
                                                   "18446744073709551616",
                                                   "1e9",
                                                   ""};
  return numbers[below(below(2) == 0 ? 4 : numbers.size())];
}

std::string replaced_numbers(std::string text) {
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#')) {
    text.replace(at, 1, any_number());
  }
  return text;
}

// Messages whose sizes, counts, ids and ranks contradict one another, or the world that they are
// sent in.
std::string contradicting(bool second) {
  static const std::vector<std::string> lines = {
      "cmd=init pmi_version=# pmi_subversion=#\n",
      "cmd=initack pmiid=#\n",
      "cmd=abort exitcode=#\n",
      "cmd=put kvsname=# key=k value=#\n",
      "cmd=get kvsname=kvs key=#\n",
      "cmd=getbyidx kvsname=kvs idx=#\n",
      "cmd=barrier_in group=#\n",
      "mcmd=spawn\nnprocs=#\nexecname=p\ntotspawns=#\nspawnssofar=#\nargcnt=#\narg1=a\n"
      "info_num=#\ninfo_key_0=k\ninfo_val_0=v\npreput_num=#\npreput_key_0=k\npreput_val_0=v\n"
      "endcmd\n",
      "mcmd=spawn\nnprocs=#\nexecname=p\ntotspawns=#\nspawnssofar=#\nendcmd\n"};
  static const std::vector<std::string> frames = {
      "cmd=fullinit;pmijobid=#;pmirank=#;threaded=FALSE;",
      "cmd=spawn;ncmds=#;preputcount=#;ppkey0=k;ppval0=v;subcmd=p;maxprocs=#;argc=#;argv0=a;"
      "infokeycount=#;infokey0=k;infoval0=v;",
      "cmd=spawn;ncmds=#;preputcount=0;subcmd=p;maxprocs=#;subcmd=q;maxprocs=#;",
      "cmd=kvs-put;key=#;value=#;thrid=#;",
      "cmd=kvs-get;jobid=#;srcid=#;key=k;",
      "cmd=kvs-fence;thrid=#;",
      "cmd=info-getnodeattr;key=#;wait=#;",
      "cmd=abort;isworld=#;exitcode=#;"};
  if (!second) return replaced_numbers(lines[below(lines.size())]);
  const std::string payload = replaced_numbers(frames[below(frames.size())]);
  const bool is_short = below(8) == 0;  // the frame's own length is wrong
  return fmt::format("{:6}{}", payload.size() - (is_short ? below(payload.size()) : 0), payload);
}

// They are taken or refused, whatever pieces they come in.
RC_GTEST_PROP(PmiSessions, ContradictionsAreTakenOrRefused, ()) {
  const bool second = below(2) == 1;
  std::string bytes(second ? test::kInit2 : test::kInit1);
  for (std::size_t left = 1 + below(4); left > 0; --left) bytes += contradicting(second);
  const test::Heard whole = test::hear(bytes);
  const test::Heard torn = test::hear(bytes, 1 + below(9));
  RC_ASSERT(whole.requests == torn.requests);
  RC_ASSERT(whole.error == torn.error);
  RC_ASSERT(whole.error.size() < 250u);
}

// What is taken is answered, or ends in an abort or a spawn: the servers of two hosts go on.
RC_GTEST_PROP(PmiWorlds, ContradictionsEndNoServer, ()) {
  const auto world = [](std::uint32_t rank) {
    WorldSpec spec;
    spec.kvs_name = "kvs";
    spec.size = 2;
    spec.tasks.push_back({base::Rank(rank), 0});
    return PmiWorld(spec);
  };
  std::array<bool, 2> waits = {};  // a task asks nothing before it has been answered
  test::NaiveHead head({world(0), world(1)},
                       [&](base::Rank to, const Reply&) { waits[to.value] = false; });
  for (std::size_t left = 1 + below(12); left > 0; --left) {
    const bool second = below(2) == 1;
    std::string bytes(second ? test::kInit2 : test::kInit1);
    bytes += contradicting(second);
    const std::size_t node = below(2);
    for (const Request& request : test::hear(bytes).requests) {
      if (std::exchange(waits[node], true)) break;
      head.request(node, base::Rank(static_cast<std::uint32_t>(node)), request);
    }
  }
}

std::string text_without(const std::string& forbidden) {
  std::string text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  std::erase_if(text, [&](char letter) { return forbidden.find(letter) != std::string::npos; });
  return text.substr(0, std::min<std::size_t>(text.size(), 900));
}

RC_GTEST_PROP(PmiSessions, WhatALineHoldsComesBack, ()) {
  const std::string value = text_without(std::string("\0\n \\", 4));
  const Request request = test::ask(test::kInit1, "cmd=put key=k value=" + value + "\n");
  RC_ASSERT(request == (Request{Put{"", "k", value}}));
  const std::string reply = test::reply_to(test::kInit1, "cmd=get key=k\n", Text{value});
  RC_ASSERT(reply == "cmd=get_result rc=0 msg=success value=" + value + "\n");
}

RC_GTEST_PROP(PmiSessions, WhatAFrameHoldsComesBack, ()) {
  const std::string value = text_without(std::string("\0", 1));
  std::string doubled;
  for (const char letter : value) doubled += std::string(letter == ';' ? 2 : 1, letter);
  const Request request =
      test::ask(test::kInit2, test::frame("cmd=kvs-put;key=k;value=" + doubled + ";"));
  RC_ASSERT(request == (Request{Put{"", "k", value}}));
  const std::string reply =
      test::reply_to(test::kInit2, test::frame("cmd=kvs-get;key=k;"), Text{value});
  RC_ASSERT(reply == test::frame("cmd=kvs-get-response;found=TRUE;value=" + doubled + ";rc=0;"));
}

// No value, whoever put it, makes a line into two or brings words of its own.
RC_GTEST_PROP(PmiSessions, AReplyIsOneLineOfOurWords, ()) {
  const std::string value = text_without("=");
  const std::string reply = test::reply_to(test::kInit1, "cmd=get key=k\n", Text{value});
  RC_ASSERT(std::count(reply.begin(), reply.end(), '\n') == 1);
  RC_ASSERT(std::count(reply.begin(), reply.end(), '=') == 4);
  RC_ASSERT(reply.size() < kReplyLineMax);
}

RC_GTEST_PROP(PmiBlobs, AnyBytesAreTakenWholeOrNotAtAll, ()) {
  KeyValues from(1 << 20), to(1 << 20);
  for (std::size_t left = below(6); left > 0; --left)
    RC_ASSERT(from.put("k" + std::to_string(below(9)), text_without("")));
  std::string blob;
  from.encode(blob);
  RC_ASSERT(to.decode(blob).has_value());
  std::string again;
  to.encode(again);
  RC_ASSERT(again == blob);
  if (blob.empty()) return;
  blob[below(blob.size())] ^= static_cast<char>(1 << below(8));
  KeyValues broken(1 << 20);
  RC_ASSERT(broken.decode(blob).has_value() || broken.bytes() == 0u);
}

}  // namespace
}  // namespace muster::pmi

// Property: bytes mean the same in any pieces, whatever they are; and what is put over either
// protocol is what is got.
#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "pmi/pmi_blob.hpp"
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

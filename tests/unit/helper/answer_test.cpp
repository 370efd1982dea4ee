// The helper's questions and answers.
#include "helper/answer.hpp"

#include <array>
#include <gtest/gtest.h>

#include "model/topology_text.hpp"

namespace muster::helper {
namespace {

TEST(Answer, TellsThisMachinesTopology) {
  const std::array<std::string, 1> question{"topology"};
  const auto text = answer(question);
  ASSERT_TRUE(text) << base::to_string(text.error());
  EXPECT_TRUE(model::decode_topology(*text));
}

TEST(Answer, TellsANamesAddressesOneOnALine) {
  const std::array<std::string, 2> question{"addresses", "localhost"};
  const auto text = answer(question);
  ASSERT_TRUE(text) << base::to_string(text.error());
  EXPECT_TRUE(text->find("127.0.0.1\n") != std::string::npos ||
              text->find("::1\n") != std::string::npos)
      << *text;
}

TEST(Answer, AnAddressIsItsOwn) {
  const std::array<std::string, 2> question{"addresses", "192.0.2.7"};
  EXPECT_EQ(answer(question), "192.0.2.7\n");
}

TEST(Answer, ANameThatNobodyKnows) {
  const std::array<std::string, 2> question{"addresses", "no name has blanks"};
  const auto text = answer(question);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().fault, base::Fault::unreachable);
  EXPECT_EQ(text.error().what.rfind("no name has blanks: ", 0), 0U) << text.error().what;
}

TEST(Answer, AQuestionThatItDoesNotKnow) {
  const std::array<std::string, 1> question{"weather"};
  const auto text = answer(question);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().fault, base::Fault::usage);
}

}  // namespace
}  // namespace muster::helper

// Destinations: routes of ranks, and the names of their files.
#include "view/destination.hpp"

#include <gtest/gtest.h>

namespace muster::view {
namespace {

using model::Field;
using model::Stream;

constexpr Speaker kSecond = {.world = {1, base::Rank(0), 4}, .rank = 3, .local_rank = 1};

TEST(Destination, IsTheStreamItselfUnlessMerged) {
  EXPECT_EQ(shown_on({}, Stream::err), Stream::err);
  EXPECT_EQ(shown_on({.merge = true}, Stream::err), Stream::out);
  EXPECT_EQ(shown_on({.xml = true}, Stream::err), Stream::out);
}

TEST(Destination, RanksMayBeChosenByEitherNumber) {
  model::OutputSpec output;
  output.chosen[1].err.console = false;
  EXPECT_TRUE(route_of(output, kSecond, Stream::err).console) << "3 in its world";
  output.by_local_rank = true;
  EXPECT_FALSE(route_of(output, kSecond, Stream::err).console);
  EXPECT_TRUE(route_of(output, kSecond, Stream::out).console);
}

TEST(Destination, NamesAFileForEachStreamThatHasOne) {
  model::OutputSpec output;
  EXPECT_EQ(file_of(output, kSecond, Stream::out), "");
  output.out_file = {{Field::text, "/logs/"}, {Field::rank}};
  EXPECT_EQ(file_of(output, kSecond, Stream::out), "/logs/3");
  EXPECT_EQ(file_of(output, kSecond, Stream::err), "");
  output.routes.out.file = false;
  EXPECT_EQ(file_of(output, kSecond, Stream::out), "");
}

}  // namespace
}  // namespace muster::view

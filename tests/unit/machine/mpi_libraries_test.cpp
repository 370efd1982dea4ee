// Which MPI libraries understand each other.
#include "machine/mpi_libraries.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

using base::Rank;

TEST(MpiLibraries, UnderstandEachOtherWithinASeries) {
  EXPECT_TRUE(understand("Open MPI 4.1.4", "Open MPI 4.1.6"));
  EXPECT_TRUE(understand("MPICH 4.2", "MPICH 4.2.1"));
  EXPECT_TRUE(understand("MPICH 4.2rc1", "MPICH 4.2.1"));
  EXPECT_FALSE(understand("Open MPI 4.1.4", "Open MPI 5.0.7"));
  EXPECT_FALSE(understand("MPICH 4.1.2", "MPICH 4.12.0"));
  EXPECT_FALSE(understand("MPICH 5.0.2", "Open MPI 5.0.2"));
  EXPECT_TRUE(understand("Intel MPI 2021.18.1", "Intel MPI 2021.9"));
  EXPECT_FALSE(understand("Intel MPI 2021.18.1", "MPICH 4.2.1"));
}

TEST(MpiLibraries, NameTheFirstRankThatDoesNotUnderstand) {
  MpiLibraries libraries;
  EXPECT_FALSE(libraries.add(Rank(4), ""));
  EXPECT_FALSE(libraries.add(Rank(3), "MPICH 4.0.2"));
  EXPECT_FALSE(libraries.add(Rank(7), "MPICH 4.0.3"));
  EXPECT_EQ(libraries.add(Rank(9), "MPICH 4.2.1"), (MpiLibraries::Loaded{Rank(3), "MPICH 4.0.2"}));
}

}  // namespace
}  // namespace muster::machine

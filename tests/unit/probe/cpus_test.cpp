// Cores that this process may use.
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

#include "probe/probe.hpp"

namespace muster::probe {
namespace {

// Affinity belongs to a thread, so a thread of its own can be bound without harm to other tests.
TEST(UsableCpus, FollowTheAffinityMask) {
  model::Cpus bound;
  int rc = -1;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    rc = ::sched_setaffinity(0, sizeof one, &one);
    bound = cpus();
  }).join();
  ASSERT_EQ(rc, 0);
  EXPECT_EQ(bound.usable, 1u);
  EXPECT_FALSE(bound.limited) << "its processes see no more";
}

TEST(UsableCpus, AreAtMostTheMachines) {
  EXPECT_GE(cpus().usable, 1u);
  EXPECT_LE(cpus().usable, std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace muster::probe

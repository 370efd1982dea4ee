// Handlers and timers whose owner has gone, or has thought better of it, when their turn comes.
#include "process/life.hpp"

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <gtest/gtest.h>
#include <memory>

#include "process/alarm.hpp"

namespace muster::process {
namespace {

using std::chrono::milliseconds;

TEST(Life, OfAnOwnerThatHasGone) {
  asio::io_context loop;
  int told = 0;
  auto life = std::make_unique<Life>();
  asio::post(loop, life->bind([&] { ++told; }));
  asio::post(loop, [&] { life.reset(); });
  asio::post(loop, life->bind([&] { told += 10; }));
  loop.run();
  EXPECT_EQ(told, 1);
}

TEST(Life, ThatAHandlerEndsItself) {
  Life life;
  int told = 0;
  auto handler = life.bind([&](int what) {
    told = what;
    life.end();
  });
  const auto watch = life.watch();
  EXPECT_FALSE(watch.expired());
  handler(7);
  handler(8);
  EXPECT_EQ(told, 7);
  EXPECT_TRUE(watch.expired());
}

// Both times have come by when the loop looks: Asio then calls both handlers, without an error.
class Alarms : public testing::Test {
 protected:
  template <class Do>
  void when_both_have_come(Do what) {
    first_.after(milliseconds(0), [this, what] {
      rang_ += 1;
      what();
    });
    second_->after(milliseconds(0), [this] { rang_ += 10; });
    loop_.run();
  }

  asio::io_context loop_;
  Alarm first_{loop_};
  std::unique_ptr<Alarm> second_ = std::make_unique<Alarm>(loop_);
  int rang_ = 0;
};

TEST_F(Alarms, Ring) {
  when_both_have_come([] {});
  EXPECT_EQ(rang_, 11);
}

TEST_F(Alarms, AreSilentOnceStopped) {
  when_both_have_come([this] { second_->stop(); });
  EXPECT_EQ(rang_, 1);
}

TEST_F(Alarms, AreSilentOnceDestroyed) {
  when_both_have_come([this] { second_.reset(); });
  EXPECT_EQ(rang_, 1);
}

TEST_F(Alarms, RingForTheLastSettingOnly) {
  when_both_have_come([this] { second_->after(milliseconds(1), [this] { rang_ += 100; }); });
  EXPECT_EQ(rang_, 101);
}

TEST_F(Alarms, MayDestroyThemselves) {
  second_->after(milliseconds(0), [this] {
    second_.reset();
    rang_ = 5;
  });
  loop_.run();
  EXPECT_EQ(rang_, 5);
}

}  // namespace
}  // namespace muster::process

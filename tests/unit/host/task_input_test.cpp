// TaskInput: keeps what comes before the task's pipe is there.
#include "host/task_input.hpp"

#include <array>
#include <asio/io_context.hpp>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "process/pipe.hpp"

namespace muster::host {
namespace {

std::string all_of(const process::UniqueFd& from) {
  std::string text;
  std::array<char, 64> some;
  for (ssize_t got = 0; (got = ::read(from.get(), some.data(), some.size())) > 0;) {
    text.append(some.data(), static_cast<std::size_t>(got));
  }
  return text;
}

TEST(TaskInput, WritesWhatCameBeforeThePipe) {
  asio::io_context loop;
  std::uint32_t taken = 0;
  const auto input = std::make_shared<TaskInput>(loop, [&](std::uint32_t n) { taken += n; });
  input->write("early, ");
  auto pipe = process::make_pipe().value();
  EXPECT_EQ(taken, 0u);
  input->open(std::move(pipe.write));
  EXPECT_EQ(taken, 7u);
  input->write("late");
  input->finish();
  EXPECT_EQ(all_of(pipe.read), "early, late");
}

TEST(TaskInput, EndsAtOnceWhenAllCameBeforeThePipe) {
  asio::io_context loop;
  const auto input = std::make_shared<TaskInput>(loop, [](std::uint32_t) {});
  input->write("all");
  input->finish();
  auto pipe = process::make_pipe().value();
  input->open(std::move(pipe.write));
  EXPECT_EQ(all_of(pipe.read), "all");
}

}  // namespace
}  // namespace muster::host

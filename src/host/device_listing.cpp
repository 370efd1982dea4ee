// Asks nvidia-smi, and lets those go on who wait for it.
#include "host/device_listing.hpp"

#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "probe/device_names.hpp"
#include "process/signal_mask.hpp"

namespace muster::host {
namespace {

// A good one answers within a second, the first time after a boot too.
constexpr std::chrono::seconds kListingTime{5};
constexpr std::size_t kListingMax = 1u << 20;
constexpr std::chrono::milliseconds kLook{20};  // for signals that are held back
// Of a tool that was killed; the kernel may hold one that waits for its driver.
constexpr std::chrono::seconds kReaping{1};

}  // namespace

void DeviceListing::await(std::span<const model::Devices> devices, std::function<void()> then) {
  if (is_known_ || (waiting_.empty() && !probe::needs_listing(devices, root_))) return then();
  waiting_.push_back(std::move(then));
  if (!std::exchange(is_asked_, true)) ask();
}

DeviceListing::Told DeviceListing::now(std::span<const model::Devices> devices,
                                       const std::vector<std::string>& environment,
                                       const std::string& root) {
  asio::io_context loop(1);
  DeviceListing listing(loop, environment, root);
  bool is_told = false;
  listing.await(devices, [&] { is_told = true; });
  while (!is_told && process::no_signal_waits()) loop.run_one_for(kLook);
  listing.tool_.end();
  loop.run_for(kReaping);
  return {listing.text(), listing.unanswered()};
}

void DeviceListing::ask() {
  tool_.ask(probe::listing_words(), environment_, {.time = kListingTime, .bytes = kListingMax},
            [this](process::Question::Said said) { take(std::move(said)); });
}

void DeviceListing::take(process::Question::Said said) {
  using Ending = process::Question::Ending;
  is_known_ = true;
  if (said.ending == Ending::well) text_ = std::move(said.out);
  if (said.ending == Ending::late)
    unanswered_ = fmt::format("nvidia-smi -L does not answer within {} s", kListingTime.count());
  if (said.ending == Ending::flooding)
    unanswered_ = fmt::format("nvidia-smi -L says more than {} KiB", kListingMax >> 10);
  for (const auto& then : std::exchange(waiting_, {})) then();
}

}  // namespace muster::host

// DeviceNames: by what a device is claimed, however a variable names it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/inventory.hpp"

namespace muster::probe {

// NVIDIA's tool, which tells of GPUs and their parts. It may hang: it is asked with a bound, and
// only where it is needed.
[[nodiscard]] std::vector<std::string> listing_words();

// By index, by UUID or by the beginning of one; a part of a device by the whole's name and its own
// behind a slash, so that both are known to be of one device (`ClaimNames`). Where a batch system
// deals devices out to jobs and numbers them anew in each, an index means something in this job
// alone.
class DeviceNames {
 public:
  // `listing`: what the tool has said, for parts that are named without their GPU where several
  // have parts. Without it such a part is known by its own name alone.
  explicit DeviceNames(const std::string& root = "", std::string listing = {});

  // "device-nvidia-0000:00:06.0"; "device-nvidia-0000:00:06.0/7/0", a part;
  // "device-amd-renderD128"; "device-intel-0000:03:00.0/1", a tile; "device-ascend-davinci2"; of a
  // name that is not known, made of that.
  [[nodiscard]] std::string claim_of(std::string_view variable, std::string_view id) const;
  // Whether the name of this one depends on the listing.
  [[nodiscard]] bool needs_listing(std::string_view variable, std::string_view id) const;

 private:
  struct Known {
    std::string name;       // the same for all processes of this machine
    std::string uuid;       // of NVIDIA's, question marks where the driver has not been asked yet
    bool in_parts = false;  // NVIDIA's, in MIG mode
  };
  enum class Maker : std::uint8_t { nvidia, amd, intel, ascend };
  using Devices = std::vector<Known>;  // those that are usable here, as indices count them

  static Maker maker_of(std::string_view variable);
  static Devices nvidia(const std::string& root);
  static Devices amd(const std::string& root);
  static Devices intel(const std::string& root);
  static Devices ascend(const std::string& root);
  [[nodiscard]] const Known* find(Maker maker, std::string_view id) const;
  [[nodiscard]] const Known* whole_of(std::string_view part) const;
  [[nodiscard]] std::ptrdiff_t count_in_parts() const;

  std::array<Devices, 4> devices_;  // index: maker
  std::string batch_job_;           // "job_4711"; empty outside of batch jobs
  std::string listing_;
};

// Whether the name of one of these does, on this machine.
[[nodiscard]] bool needs_listing(std::span<const model::Devices> devices,
                                 const std::string& root = "");

}  // namespace muster::probe

// DeviceNames: by what a device is claimed, however a variable names it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::probe {

// What `nvidia-smi -L` says of GPUs and their parts, or nothing. Takes up to 5 s, once in a
// process: whoever claims devices waits for it within the patience of the other side
// (`JobSpec::lease`).
[[nodiscard]] std::string list_nvidia();

// By index, by UUID or by the beginning of one; a part of a device by the whole's name and its own
// behind a slash, so that both are known to be of one device (`ClaimNames`). Where a batch system
// deals devices out to jobs and numbers them anew in each, an index means something in this job
// alone.
class DeviceNames {
 public:
  // `list` is asked where a part is named without its GPU and several have parts.
  explicit DeviceNames(const std::string& root = "",
                       std::function<std::string()> list = list_nvidia);

  // "device-nvidia-0000:00:06.0"; "device-nvidia-0000:00:06.0/7/0", a part;
  // "device-amd-renderD128"; "device-intel-0000:03:00.0/1", a tile; "device-ascend-davinci2"; of a
  // name that is not known, made of that.
  [[nodiscard]] std::string claim_of(std::string_view variable, std::string_view id) const;

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

  std::array<Devices, 4> devices_;  // index: maker
  std::string batch_job_;           // "job_4711"; empty outside of batch jobs
  std::function<std::string()> list_;
};

}  // namespace muster::probe

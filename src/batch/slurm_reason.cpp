// What squeue's reasons mean: squeue(1), JOB REASON CODES; slurm src/common/job_state_reason.c.
#include "batch/slurm_reason.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace muster::batch {
namespace {

struct Meaning {
  std::string_view begin;  // of the word
  std::string_view part;   // somewhere in it
  std::string_view text;   // {} is the job
};

// The first that fits counts. Reasons that pass by themselves have none.
constexpr std::array<Meaning, 28> kMeanings = {{
    {"PartitionConfig", "",
     "the partition has too few nodes with what it asks for, so it does not start unless that "
     "changes; sinfo -N -l shows what nodes have"},
    {"PartitionNodeLimit", "",
     "it asks for more nodes than the partition has or allows, or for nodes that are down, so it "
     "does not start unless that changes; sinfo shows them"},
    {"PartitionTimeLimit", "",
     "its time limit is longer than the partition allows; sinfo -o '%P %l' shows what it allows"},
    {"PartitionDown", "", "the partition starts no jobs until an administrator lets it"},
    {"PartitionInactive", "", "the partition starts no jobs until an administrator lets it"},
    {"ReqNodeNotAvail", "",
     "a node that it must have is down, drained or reserved; sinfo -R tells why"},
    {"NodeDown", "", "a node that it must have is down; sinfo -R tells why"},
    {"BadConstraints", "", "no nodes are as it asks for, so it never starts"},
    {"JobHeldUser", "", "held; scontrol release {} lets it start"},
    {"JobHeldAdmin", "", "held by an administrator, who alone can release it"},
    {"JobHoldMaxRequeue", "",
     "held, since its nodes could not start it time and again; scontrol release {} tries once "
     "more"},
    {"DependencyNeverSatisfied", "",
     "what it waits for can no longer happen, so it never starts; scancel {} takes it away"},
    {"JobLaunchFailure", "",
     "a node could not start it; scontrol release {} tries again, scancel {} takes it away"},
    {"launch failed", "",
     "a node could not start it; scontrol release {} tries again, scancel {} takes it away"},
    {"InvalidAccount", "", "its account may not be used here"},
    {"AccountNotAllowed", "", "its account may not be used in this partition"},
    {"InvalidQOS", "", "its quality of service may not be used here"},
    {"QOSNotAllowed", "", "its quality of service may not be used in this partition"},
    {"ReservationDeleted", "", "its reservation is gone; scontrol show reservation lists others"},
    {"ReservationInvalid", "",
     "its reservation is gone or not for you; scontrol show reservation lists others"},
    {"QOSMin", "", "it asks for less than its quality of service demands; sacctmgr show qos"},
    {"QOS", "PerJob",
     "it asks for more than its quality of service allows one job, so it does not start unless "
     "that changes; sacctmgr show qos"},
    {"Assoc", "PerJob",
     "it asks for more than the site allows one job of this account, so it does not start unless "
     "that changes; sacctmgr show assoc user=$USER"},
    {"QOS", "Per",
     "its quality of service is at the limit for you or for a node; sacctmgr show "
     "qos"},
    {"QOS", "", "its quality of service is at its limit; sacctmgr show qos"},
    {"Assoc", "", "your account is at a limit of the site; sacctmgr show assoc user=$USER"},
    {"MaxMemPerLimit", "", "it asks for more memory than the site allows"},
    {"Max", "Per",
     "you or your account are at a limit of its quality of service; sacctmgr show qos"},
}};

bool is_told(const Meaning& one, std::string_view reason) {
  return reason.starts_with(one.begin) && reason.find(one.part) != std::string_view::npos;
}

}  // namespace

std::string slurm_reason(std::string_view reason, std::string_view id) {
  const auto* const found =
      std::ranges::find_if(kMeanings, [&](const Meaning& one) { return is_told(one, reason); });
  if (found == kMeanings.end()) return std::string(reason);
  std::string text(found->text);
  for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}")) {
    text.replace(at, 2, id);
  }
  return fmt::format("{}: {}", reason, text);
}

}  // namespace muster::batch

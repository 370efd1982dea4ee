// The union of what PRRTE and Slurm register; the types are part of the contract (a local rank of
// 32 bits makes MPI_Init fail).
#include "pmix/job_info.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "pmix/convert.hpp"

namespace muster::pmix {

namespace {

using Generator = pmix_status_t (*)(const char*, char**);

// The library reads its own compressed forms and the plain list; a "blob" holds zero bytes, whose
// number only the library knows, so the plain list stands for it.
std::string generated(Generator generator, const std::string& words) {
  char* made = nullptr;
  const bool good = generator(words.c_str(), &made) == PMIX_SUCCESS && made != nullptr;
  std::string text = good ? made : "";
  std::free(made);
  return text.empty() || text.starts_with("blob") ? "raw:" + words : text;
}

std::string joined(const std::vector<std::uint32_t>& ranks) {
  return fmt::format("{}", fmt::join(ranks, ","));
}

std::uint32_t world(const Job& job) {
  std::size_t size = 0;
  for (const JobNode& node : job.nodes) size += node.ranks.size();
  return static_cast<std::uint32_t>(size);
}

void add_job(const Library& library, const AddJob& added, Infos& infos) {
  const Job& job = *added.job;
  const std::uint32_t size = world(job);
  // Only nodes that have ranks: the library takes no others.
  std::vector<std::string> hosts;
  std::vector<std::string> per_node;
  for (const JobNode& node : job.nodes) {
    if (node.ranks.empty()) continue;
    hosts.push_back(node.host);
    per_node.push_back(joined(node.ranks));
  }
  infos.text(PMIX_JOBID, job.nspace)
      .number32(PMIX_UNIV_SIZE, std::max(size, job.universe))
      .number32(PMIX_JOB_SIZE, size)
      .number32(PMIX_MAX_PROCS, size)
      .number32(PMIX_NUM_NODES, static_cast<std::uint32_t>(hosts.size()))
      .number32(PMIX_JOB_NUM_APPS, static_cast<std::uint32_t>(job.apps.size()))
      .number32(PMIX_NPROC_OFFSET, job.offset)
      .number32(PMIX_USERID, ::geteuid())
      .flag(PMIX_SPAWNED, job.parent.has_value())
      .regex(PMIX_NODE_MAP,
             generated(library.generate_regex, fmt::format("{}", fmt::join(hosts, ","))))
      .regex(PMIX_PROC_MAP,
             generated(library.generate_ppn, fmt::format("{}", fmt::join(per_node, ";"))))
      .text(PMIX_ANL_MAP, anl_map(job));
  if (!added.scratch.empty()) {
    infos.text(PMIX_TMPDIR, added.scratch)
        .text(PMIX_NSDIR, added.scratch + "/" + job.nspace)
        .flag(PMIX_TDIR_RMCLEAN, true);
  }
  if (job.parent) infos.proc(PMIX_PARENT_ID, to_proc(*job.parent));
}

void add_local(const AddJob& added, Infos& infos) {
  const auto& ranks = added.job->nodes[added.node].ranks;
  infos.number32(PMIX_LOCAL_SIZE, static_cast<std::uint32_t>(ranks.size()))
      .number32(PMIX_NODE_SIZE, static_cast<std::uint32_t>(ranks.size()))
      .text(PMIX_LOCAL_PEERS, joined(ranks));
  if (!ranks.empty()) infos.rank(PMIX_LOCALLDR, ranks.front());
}

Infos node_info(const Job& job, std::size_t node) {
  const auto& ranks = job.nodes[node].ranks;
  const auto size = static_cast<std::uint32_t>(ranks.size());
  Infos infos;
  infos.text(PMIX_HOSTNAME, job.nodes[node].host)
      .number32(PMIX_NODEID, static_cast<std::uint32_t>(node))
      .number32(PMIX_LOCAL_SIZE, size)
      .number32(PMIX_NODE_SIZE, size)
      .text(PMIX_LOCAL_PEERS, joined(ranks));
  if (!ranks.empty()) infos.rank(PMIX_LOCALLDR, ranks.front());
  return infos;
}

// Where each app's ranks begin, and, at the end, where the last one's end.
std::vector<std::uint32_t> app_leaders(const Job& job) {
  std::vector<std::uint32_t> leaders{0};
  for (const JobApp& app : job.apps) leaders.push_back(leaders.back() + app.size);
  return leaders;
}

Infos app_info(const JobApp& app, std::uint32_t number, std::uint32_t leader) {
  Infos infos;
  infos.number32(PMIX_APPNUM, number).number32(PMIX_APP_SIZE, app.size).rank(PMIX_APPLDR, leader);
  if (!app.workdir.empty()) infos.text(PMIX_WDIR, app.workdir);
  if (!app.command.empty()) infos.text(PMIX_APP_ARGV, app.command);
  return infos;
}

struct AppSeat {
  std::uint32_t app = 0;
  std::uint32_t rank = 0;  // within the app
};

AppSeat app_seat(const std::vector<std::uint32_t>& leaders, std::uint32_t rank) {
  const auto next = std::upper_bound(leaders.begin() + 1, leaders.end() - 1, rank);
  const auto app = static_cast<std::uint32_t>(next - leaders.begin() - 1);
  return {app, rank - leaders[app]};
}

Infos proc_data(const AddJob& added, const AppSeat& seat, std::size_t node, std::size_t local) {
  const Job& job = *added.job;
  const std::uint32_t rank = job.nodes[node].ranks[local];
  Infos infos;
  infos
      .rank(PMIX_RANK, rank)  // must be the first
      .number16(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(local))
      .number16(PMIX_NODE_RANK, static_cast<std::uint16_t>(local))
      .number32(PMIX_NODEID, static_cast<std::uint32_t>(node))
      .text(PMIX_HOSTNAME, job.nodes[node].host)
      .rank(PMIX_GLOBAL_RANK, job.offset + rank)
      .number32(PMIX_APPNUM, seat.app)
      .rank(PMIX_APP_RANK, seat.rank)
      .number32(PMIX_REINCARNATION, 0);
  if (!added.scratch.empty() && node == added.node) {
    infos.text(PMIX_PROCDIR, fmt::format("{}/{}/{}", added.scratch, job.nspace, rank));
  }
  if (job.parent) infos.proc(PMIX_PARENT_ID, to_proc(*job.parent));
  return infos;
}

struct Block {
  std::size_t first = 0, count = 0, ranks = 0;
};

}  // namespace

// Ranks that do not lie in blocks (two runs on one node) have no such form; empty means unknown.
std::string anl_map(const Job& job) {
  std::vector<Block> blocks;
  std::uint32_t next = 0;
  for (std::size_t node = 0; node < job.nodes.size(); ++node) {
    const auto& ranks = job.nodes[node].ranks;
    for (const std::uint32_t rank : ranks) {
      if (rank != next++) return "";
    }
    if (!blocks.empty() && blocks.back().ranks == ranks.size()) {
      ++blocks.back().count;
    } else {
      blocks.push_back({node, 1, ranks.size()});
    }
  }
  std::string text = "(vector";
  for (const Block& block : blocks) {
    if (block.ranks > 0) {
      text += fmt::format(",({},{},{})", block.first, block.count, block.ranks);
    }
  }
  return text + ")";
}

Infos job_info(const Library& library, const AddJob& added) {
  const Job& job = *added.job;
  Infos infos;
  add_job(library, added, infos);
  add_local(added, infos);
  for (std::size_t node = 0; node < job.nodes.size(); ++node) {
    infos.array(PMIX_NODE_INFO_ARRAY, node_info(job, node));
  }
  const std::vector<std::uint32_t> leaders = app_leaders(job);
  for (std::uint32_t app = 0; app < job.apps.size(); ++app) {
    infos.array(PMIX_APP_INFO_ARRAY, app_info(job.apps[app], app, leaders[app]));
  }
  for (std::size_t node = 0; node < job.nodes.size(); ++node) {
    const auto& ranks = job.nodes[node].ranks;
    for (std::size_t local = 0; local < ranks.size(); ++local) {
      const AppSeat seat = app_seat(leaders, ranks[local]);
      infos.array(PMIX_PROC_DATA, proc_data(added, seat, node, local));
    }
  }
  return infos;
}

}  // namespace muster::pmix

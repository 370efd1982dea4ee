// PmixTasks: what lets this host's tasks reach an OpenPMIx server, which is started only when the
// first of them asks for it.
//
// Until then all there is is a listening socket on the loopback and variables that point to it. The
// server is a process of its own, the helper program, and a child of the guard.
#pragma once

#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "pmix/listener.hpp"
#include "pmix/values.hpp"
#include "process/guard.hpp"
#include "process/life.hpp"
#include "wire/frame.hpp"
#include "wire/messages.hpp"

namespace muster::host {

class PmixTasks {
 public:
  // The guard's name for the server process; never that of a rank.
  static constexpr process::ProcessId kServer = 0xffffffff;

  struct Events {
    std::function<void(wire::ToHead)> to_head;
    std::function<void(const process::SpawnOrder&)> spawn;
    std::function<void(base::Rank)> joined;  // the task has called MPI_Init
    std::function<void(base::Rank, std::int32_t)> signal;
    std::function<void(const std::string&)> remove;  // a folder, which is not waited for
  };

  // `jobs` are never empty: the first world, and those spawned before this host joined.
  // `environment` is this process's own. More ranks here than `cpus`: waiting ones should yield.
  [[nodiscard]] static base::Result<std::unique_ptr<PmixTasks>> create(
      asio::io_context& loop, std::vector<pmix::AddJob> jobs, std::vector<std::string> environment,
      std::uint32_t cpus, Events events);
  ~PmixTasks();  // the job's folder is gone then
  PmixTasks(const PmixTasks&) = delete;
  PmixTasks& operator=(const PmixTasks&) = delete;

  struct Variable {
    std::string name;
    std::string value;
    bool yields = false;  // to the user's own
  };
  // Those of all tasks of this one's world, and its own.
  [[nodiscard]] std::vector<Variable> shared_variables(base::Rank rank) const;
  [[nodiscard]] std::string own_variable(base::Rank rank) const;
  void hear(wire::PmixDown message);
  // To a Spawn that was for PMIx.
  void hear(const wire::Spawned& answer);
  // A task has ended: all that the server said until then is heard, since it may tell why.
  void hear_out();
  // The task has ended: in the MPI world and without MPI_Finalize that is a failure, even with exit
  // code 0.
  void ended(base::Rank rank);
  void expect_end() { expected_ = true; }  // a sweep takes the server too
  void server_ended();
  void clean_up();  // removes the job's folder, once no task can use it

 private:
  // What is known of a world's ranks here, under their numbers in it.
  struct World {
    std::shared_ptr<const pmix::Job> job;
    std::uint32_t node = 0;            // this one
    std::set<std::uint32_t> in_world;  // between MPI_Init and MPI_Finalize
  };

  PmixTasks(asio::io_context& loop, pmix::Listener listener, std::vector<std::string> environment,
            std::uint32_t cpus, Events events);

  void wait_for_first();
  void start_server();
  [[nodiscard]] base::Result<void> order_server(const process::UniqueFd& link);
  [[nodiscard]] base::Result<void> ask_for_server(const process::UniqueFd& link);
  void read_server();
  [[nodiscard]] bool hear_server();
  [[nodiscard]] bool hear(std::string_view said);
  void refuse(base::Error error);
  void take(pmix::Upcall upcall);
  void add(pmix::AddJob job);
  [[nodiscard]] const World& world_of(base::Rank rank) const;
  [[nodiscard]] World* world_named(const std::string& nspace);
  void ask_spawn(const pmix::Spawn& upcall);
  [[nodiscard]] std::vector<wire::NameValue> wishes_of(const pmix::AppOrder& order,
                                                       base::Rank spawner) const;
  void note(const pmix::Connected& upcall);
  void note(const pmix::Finalized& upcall);
  void aborted(const World& world, std::uint32_t rank, std::int32_t code,
               const std::string& message);
  void signal_ranks(const pmix::Event& order);
  void send(pmix::Command command);
  void flush();

  std::string scratch_;                    // folder for all files of the run here
  std::map<std::uint32_t, World> worlds_;  // by number, and so by offset
  pmix::Listener listener_;
  asio::posix::stream_descriptor knock_;  // a copy of the listener, to see the first connection
  asio::local::stream_protocol::socket server_;
  std::vector<std::string> own_environment_;
  std::uint32_t cpus_;
  std::size_t tasks_ = 0;  // here, of all worlds
  Events events_;
  wire::HeadReader reader_;
  std::vector<pmix::Command> early_;  // for the server, which has not been started
  std::string queue_;                 // for the server, once it has
  bool writing_ = false;
  bool started_ = false;
  bool expected_ = false;
  process::Life life_;
};

}  // namespace muster::host

// Every function here runs on the library's progress thread: it returns at once and never throws.
#include "pmix/upcalls.hpp"

#include <cstring>

#include "pmix/convert.hpp"
#include "pmix/job_control.hpp"
#include "pmix/query.hpp"

namespace muster::pmix {

namespace {

Desk*& desk() {
  static Desk* only = nullptr;
  return only;
}

pmix_status_t connected(const pmix_proc_t* proc, void*, pmix_info_t*, std::size_t, pmix_op_cbfunc_t,
                        void*) {
  desk()->put(Connected{from_proc(*proc)});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t finalized(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t call, void* given) {
  desk()->put(Finalized{desk()->wait(Desk::Operation{call, given}), from_proc(*proc)});
  return PMIX_SUCCESS;
}

pmix_status_t aborted(const pmix_proc_t* proc, void*, int status, const char* message,
                      pmix_proc_t* procs, std::size_t count, pmix_op_cbfunc_t call, void* given) {
  desk()->put(Aborted{desk()->wait(Desk::Operation{call, given}), from_proc(*proc), status,
                      message == nullptr ? "" : message, from_procs(procs, count)});
  return PMIX_SUCCESS;
}

pmix_status_t fence(const pmix_proc_t* procs, std::size_t count, const pmix_info_t*, std::size_t,
                    char* data, std::size_t size, pmix_modex_cbfunc_t call, void* given) {
  std::string blob = data == nullptr ? "" : std::string(data, size);
  const Ticket ticket = desk()->wait(Desk::Data{call, given});
  desk()->put(Fence{ticket, from_procs(procs, count), std::move(blob)});
  return PMIX_SUCCESS;
}

pmix_status_t modex(const pmix_proc_t* proc, const pmix_info_t*, std::size_t,
                    pmix_modex_cbfunc_t call, void* given) {
  desk()->put(Modex{desk()->wait(Desk::Data{call, given}), from_proc(*proc)});
  return PMIX_SUCCESS;
}

bool is_directive(const pmix_info_t& info) {
  return is_key(info, PMIX_RANGE) || is_key(info, PMIX_PERSISTENCE) || is_key(info, PMIX_USERID) ||
         is_key(info, PMIX_GRPID) || is_key(info, PMIX_TIMEOUT);
}

pmix_status_t publish(const pmix_proc_t* proc, const pmix_info_t* infos, std::size_t count,
                      pmix_op_cbfunc_t call, void* given) {
  Publish made;
  for (std::size_t i = 0; i < count; ++i) {
    const pmix_info_t& info = infos[i];
    if (is_key(info, PMIX_PERSISTENCE)) {
      made.once = info.value.data.persist == PMIX_PERSIST_FIRST_READ;
    }
    if (is_directive(info)) continue;
    std::string blob = pack(desk()->library(), &info.value, 1, PMIX_VALUE);
    made.data.push_back({from_proc(*proc), info.key, std::move(blob)});
  }
  made.ticket = desk()->wait(Desk::Operation{call, given});
  desk()->put(std::move(made));
  return PMIX_SUCCESS;
}

pmix_status_t lookup(const pmix_proc_t*, char** keys, const pmix_info_t* infos, std::size_t count,
                     pmix_lookup_cbfunc_t call, void* given) {
  Lookup made;
  made.keys = from_strings(keys);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_key(infos[i], PMIX_WAIT)) made.wait = is_set(infos[i]);
  }
  made.ticket = desk()->wait(Desk::Search{call, given});
  desk()->put(std::move(made));
  return PMIX_SUCCESS;
}

pmix_status_t unpublish(const pmix_proc_t* proc, char** keys, const pmix_info_t*, std::size_t,
                        pmix_op_cbfunc_t call, void* given) {
  const Ticket ticket = desk()->wait(Desk::Operation{call, given});
  desk()->put(Unpublish{ticket, from_proc(*proc), from_strings(keys)});
  return PMIX_SUCCESS;
}

struct WishKey {
  const char* pmix;
  const char* mpi;
};

// PMIx's names of what MPI programs ask for through info keys.
constexpr WishKey kWishes[] = {
    {PMIX_HOST, "host"}, {PMIX_HOSTFILE, "hostfile"},         {PMIX_ADD_HOST, "add-host"},
    {PMIX_WDIR, "wdir"}, {PMIX_ADD_HOSTFILE, "add-hostfile"}, {PMIX_MAPBY, "map_by"},
};

void add_wishes(const pmix_info_t* infos, std::size_t count, std::vector<SpawnWish>& wishes) {
  for (std::size_t i = 0; infos != nullptr && i < count; ++i) {
    const std::string text = text_of(infos[i]);
    for (const WishKey& known : kWishes) {
      if (is_key(infos[i], known.pmix) && !text.empty()) wishes.push_back({known.mpi, text});
    }
  }
}

AppOrder order_of(const pmix_app_t& app, const std::vector<SpawnWish>& of_all) {
  AppOrder order;
  order.command = app.cmd == nullptr ? "" : app.cmd;
  order.arguments = from_strings(app.argv);
  order.environment = from_strings(app.env);
  order.count = app.maxprocs < 1 ? 1 : static_cast<std::uint32_t>(app.maxprocs);
  order.wishes = of_all;
  if (app.cwd != nullptr && app.cwd[0] != '\0') order.wishes.push_back({"wdir", app.cwd});
  add_wishes(app.info, app.ninfo, order.wishes);
  return order;
}

pmix_status_t spawn(const pmix_proc_t* proc, const pmix_info_t* infos, std::size_t info_count,
                    const pmix_app_t* apps, std::size_t count, pmix_spawn_cbfunc_t call,
                    void* given) {
  Spawn made;
  made.proc = from_proc(*proc);
  std::vector<SpawnWish> of_all;
  add_wishes(infos, info_count, of_all);
  for (std::size_t i = 0; i < count; ++i) made.apps.push_back(order_of(apps[i], of_all));
  made.ticket = desk()->wait(Desk::Start{call, given});
  desk()->put(std::move(made));
  return PMIX_SUCCESS;
}

pmix_status_t gather(const pmix_proc_t* procs, std::size_t count, bool apart, pmix_op_cbfunc_t call,
                     void* given) {
  const Ticket ticket = desk()->wait(Desk::Operation{call, given});
  desk()->put(Connect{ticket, from_procs(procs, count), apart});
  return PMIX_SUCCESS;
}

pmix_status_t connect(const pmix_proc_t* procs, std::size_t count, const pmix_info_t*, std::size_t,
                      pmix_op_cbfunc_t call, void* given) {
  return gather(procs, count, false, call, given);
}

pmix_status_t disconnect(const pmix_proc_t* procs, std::size_t count, const pmix_info_t*,
                         std::size_t, pmix_op_cbfunc_t call, void* given) {
  return gather(procs, count, true, call, given);
}

// The library itself remembers who wants which events.
pmix_status_t register_events(pmix_status_t*, std::size_t, const pmix_info_t*, std::size_t,
                              pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t deregister_events(pmix_status_t*, std::size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t notify_event(pmix_status_t code, const pmix_proc_t* source, pmix_data_range_t range,
                           pmix_info_t* infos, std::size_t count, pmix_op_cbfunc_t, void*) {
  // As a byte of its own before the values: how many they are.
  std::string blob = count > 255 ? "" : pack(desk()->library(), infos, count, PMIX_INFO);
  if (count > 0 && blob.empty()) count = 0;
  blob.insert(blob.begin(), static_cast<char>(count));
  desk()->put(Event{code, from_proc(*source), range, std::move(blob)});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t query(pmix_proc_t*, pmix_query_t* queries, std::size_t count, pmix_info_cbfunc_t call,
                    void* given) {
  return answer_queries(queries, count, call, given);
}

// A library's callback is for answers that come later; PRRTE's status comes at once, too.
pmix_status_t control(const pmix_proc_t* proc, const pmix_proc_t* targets, std::size_t count,
                      const pmix_info_t* directives, std::size_t directive_count,
                      pmix_info_cbfunc_t, void*) {
  auto asked = job_control(*proc, targets, count, directives, directive_count);
  if (!asked) return PMIX_ERR_NOT_SUPPORTED;
  desk()->put(*std::move(asked));
  return PMIX_OPERATION_SUCCEEDED;
}

}  // namespace

pmix_server_module_t upcall_module(Desk& the_desk) {
  desk() = &the_desk;
  pmix_server_module_t module;
  std::memset(&module, 0, sizeof module);
  module.client_connected2 = connected;
  module.client_finalized = finalized;
  module.abort = aborted;
  module.fence_nb = fence;
  module.direct_modex = modex;
  module.publish = publish;
  module.lookup = lookup;
  module.unpublish = unpublish;
  module.spawn = spawn;
  module.connect = connect;
  module.disconnect = disconnect;
  module.register_events = register_events;
  module.deregister_events = deregister_events;
  module.notify_event = notify_event;
  module.query = query;
  module.job_control = control;
  return module;
}

}  // namespace muster::pmix

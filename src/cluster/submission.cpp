// Objects in their order, and files over exec.
#include "cluster/submission.hpp"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <map>
#include <set>
#include <unistd.h>

#include "cluster/base64.hpp"
#include "cluster/creation.hpp"
#include "cluster/operated.hpp"
#include "cluster/removal.hpp"
#include "cluster/sight.hpp"
#include "kubernetes/gang.hpp"
#include "kubernetes/render.hpp"
#include "kubernetes/text.hpp"
#include "process/signal_mask.hpp"
#include "process/unique_fd.hpp"

namespace muster::cluster {
namespace {

using kubernetes::Cause;
using kubernetes::Field;
using kubernetes::Phase;
using kubernetes::PodState;
using kubernetes::RunState;
using kubernetes::Value;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{300};
constexpr const char* kLauncher = "launcher";

std::string read_whole(int file, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got =
        ::pread(file, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

Value& field_of(Value& value, std::string_view name) {
  return std::ranges::find(value.fields, name, &Field::name)->value;
}

std::string key_of(const kubernetes::Word& variable) { return "env." + variable.name; }

// The launcher's container gets them from the Secret: no object shows their values.
void add_variables(Value& launcher, const std::string& secret,
                   const std::vector<kubernetes::Word>& variables) {
  Value& pod = field_of(field_of(field_of(launcher, "spec"), "template"), "spec");
  Value& container = field_of(pod, "containers").items.front();
  for (const kubernetes::Word& one : variables) {
    Value key = kubernetes::object().add("name", secret).add("key", key_of(one));
    Value from = kubernetes::object().add("secretKeyRef", std::move(key));
    field_of(container, "env")
        .items.push_back(
            kubernetes::object().add("name", one.name).add("valueFrom", std::move(from)));
  }
}

class Making {
 public:
  Making(const Kubectl& kubectl, const Submission& submission, const Attention& attention)
      : kubectl_(kubectl), all_(submission), run_(submission.run), attention_(attention) {}

  Answered<void> make() {
    auto done = look_at_server()
                    .and_then([this] { return look_for_gang(); })
                    .and_then([this] { return create_secret(); })
                    .and_then([this] { return create_launcher(); })
                    .and_then([this] { return bring_launcher(); })
                    .and_then([this] { return create_workers(); })
                    .and_then([this] { return bring_workers(); });
    if (!done && may_be_there(done.error())) remove();
    return done;
  }

 private:
  static tl::unexpected<Refused> failed(base::Fault fault, std::string what,
                                        std::string hint = {}) {
    return tl::unexpected(Refused{Refusal::other, {fault, std::move(what), std::move(hint), {}}});
  }

  [[nodiscard]] bool pushes() const { return !run_.cluster.muster_image; }
  [[nodiscard]] bool fits() const { return !pushes() && all_.bundle.bytes <= kSecretBundleMax; }

  // kubectl may fail after the server has done what it was asked for.
  [[nodiscard]] bool may_be_there(const Refused& why) const {
    const bool is_open = why.kind == Refusal::other || why.kind == Refusal::unreachable;
    return !owner_.empty() || (has_begun_ && is_open);
  }

  Answered<void> look_at_server() {
    return ask_server(kubectl_).map([this](Server server) {
      run_.indexed = server.indexed_jobs;
      server_ = std::move(server);
    });
  }

  // What joins pods to one is not there without its scheduler, and found out before all else.
  Answered<void> look_for_gang() {
    if (!kubernetes::has_gang(run_.cluster)) return {};
    return look_for_operator(kubectl_, kubernetes::pod_group(run_, kubernetes::object()));
  }

  Value owned(Value object) const {
    return kubernetes::owned_by(std::move(object), {"v1", "Secret", secret_name(run_), owner_});
  }

  Answered<void> create_secret() {
    Value data = kubernetes::object();
    data.add(kubernetes::kSecretKey, base64(all_.secret));
    for (const kubernetes::Word& one : all_.keys) data.add(one.name, base64(one.value));
    for (const kubernetes::Word& one : all_.variables) data.add(key_of(one), base64(one.value));
    if (fits()) data.add(kBundleKey, base64(read_whole(all_.bundle.file, all_.bundle.bytes)));
    has_begun_ = true;
    return create(kubectl_, server_, {secret_object(run_).add("data", std::move(data))})
        .map([this](const std::vector<Value>& stored) {
          owner_ = kubernetes::text_at(stored.front(), "metadata.uid");
        });
  }

  Answered<void> create_launcher() {
    Value launcher = owned(launcher_object(run_));
    add_variables(launcher, secret_name(run_), all_.variables);
    return create(kubectl_, server_, {std::move(launcher)}).map([](const auto&) {});
  }

  Answered<void> create_workers() {
    std::vector<Value> workers = kubernetes::worker_objects(run_, address_);
    for (Value& one : workers) one = owned(std::move(one));
    return create(kubectl_, server_, workers).map([](const auto&) {});
  }

  // ---- pods -------------------------------------------------------------------------------------

  // Until each of the run's pods in which we have something to do has come so far.
  using IsReady = std::function<bool(const PodState&)>;
  Answered<std::vector<PodState>> await(std::size_t count, bool launcher, const IsReady& is_ready) {
    begun_ = Clock::now();
    const auto end = begun_ + std::chrono::seconds(run_.start_timeout);
    for (;;) {
      const auto state = observe();
      if (!state) return tl::unexpected(state.error());
      std::vector<PodState> ready;
      std::ranges::copy_if(state->pods, std::back_inserter(ready), [&](const PodState& pod) {
        return (pod.role == kLauncher) == launcher && is_ready(pod);
      });
      if (ready.size() >= count) return ready;
      if (auto wrong = hopeless(*state)) return tl::unexpected(std::move(*wrong));
      if (!attention_.goes_on())
        return failed(base::Fault::timeout, "given up before it had begun");
      if (Clock::now() > end) return too_late(count - ready.size());
      process::rest(kPause);
    }
  }

  // A server that does not answer may do so later.
  Answered<RunState> observe() {
    auto sight = look(kubectl_, secret_name(run_));
    if (!sight && sight.error().kind != Refusal::unreachable) {
      return tl::unexpected(std::move(sight.error()));
    }
    if (!sight) {
      if (attention_.goes_on()) tell(sight.error().error.what);
      return RunState();
    }
    for (const std::string& wait : sight->waits) tell(wait);
    return std::move(sight->state);
  }

  // What does not pass, however long one waits.
  static std::optional<Refused> hopeless(const RunState& state) {
    for (const Cause& cause : state.causes) {
      if (cause.is_final) return refused_by(cause.what, cause.hint, cause.pod);
    }
    const auto pod = std::ranges::find(state.pods, Phase::failed, &PodState::phase);
    if (pod == state.pods.end()) return std::nullopt;
    const std::string said = pod->message.empty() ? pod->reason : pod->message;
    return refused_by(
        fmt::format("{} has failed{}{}", kubernetes::subject(*pod), said.empty() ? "" : ": ", said),
        "", pod->name);
  }

  static Refused refused_by(const std::string& what, const std::string& hint,
                            const std::string& pod) {
    const std::string more = pod.empty() ? "" : "kubectl describe pod " + pod + " tells more";
    return {Refusal::other, {base::Fault::cannot_start, what, hint.empty() ? more : hint, {}}};
  }

  [[nodiscard]] Answered<std::vector<PodState>> too_late(std::size_t missing) const {
    return failed(
        base::Fault::unreachable,
        fmt::format("{} pod{} did not come within {} s{}", missing, missing == 1 ? "" : "s",
                    run_.start_timeout, said_.empty() ? "" : ": " + *said_.rbegin()),
        "start_timeout: in the target waits longer");
  }

  // Each once, with the time that it is waited for in the words of view::Waiting.
  void tell(const std::string& line) {
    if (!said_.insert(line).second) return;
    const auto waited = std::chrono::round<std::chrono::seconds>(Clock::now() - begun_);
    attention_.say(
        fmt::format("{} ({} s so far, at most {} s)", line, waited.count(), run_.start_timeout));
  }

  Answered<void> bring_launcher() {
    const bool needs_exec = pushes() || !fits();
    return await(1, true,
                 [&](const PodState& pod) {
                   return !pod.address.empty() && (!needs_exec || pod.runs);
                 })
        .and_then([&](const std::vector<PodState>& pods) -> Answered<void> {
          const PodState& launcher = pods.front();
          address_ = launcher.address;
          if (pushes()) {
            if (auto sent = push_program(launcher, ".part"); !sent) return sent;
          }
          if (!fits()) {
            if (auto sent = push_bundle(launcher); !sent) return sent;
          }
          return pushes() ? begin(launcher) : Answered<void>();
        });
  }

  Answered<void> bring_workers() {
    if (!pushes()) return {};
    return await(nodes_of(run_), false, [](const PodState& pod) { return pod.runs; })
        .and_then([&](const std::vector<PodState>& pods) -> Answered<void> {
          for (const PodState& pod : pods) {
            auto sent = push_program(pod, ".part").and_then([&] { return begin(pod); });
            if (!sent) return sent;
          }
          return {};
        });
  }

  // ---- what pods get over exec ------------------------------------------------------------------

  Answered<void> exec(const PodState& pod, int input, const std::vector<std::string>& command) {
    std::vector<std::string> words = {"exec", "--stdin", pod.name, "--container=" + pod.role, "--"};
    words.insert(words.end(), command.begin(), command.end());
    return kubectl_.feed(words, input).map([](const std::string&) {});
  }

  Answered<void> push_program(const PodState& pod, const std::string& suffix) {
    const process::UniqueFd file(::open(all_.program.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return failed(base::Fault::internal, "cannot read " + all_.program);
    const std::string path = kubernetes::kProgram + suffix;
    return exec(pod, file.get(), {"sh", "-c", fmt::format("cat > {0} && chmod 755 {0}", path)});
  }

  // The container's shell waits for the program under this name.
  Answered<void> begin(const PodState& pod) {
    return exec(pod, -1, {"sh", "-c", fmt::format("mv {0}.part {0}", kubernetes::kProgram)});
  }

  Answered<void> push_bundle(const PodState& pod) {
    const std::string program = std::string(kubernetes::kProgram) + (pushes() ? ".part" : "");
    (void)::lseek(all_.bundle.file, 0, SEEK_SET);
    return exec(pod, all_.bundle.file, {program, "errand", "unpack", all_.folder});
  }

  // The garbage collector removes what belongs to the Secret, even what is being made just now.
  void remove() const {
    process::drop_waiting_signals();  // one has been heard; another one ends the wait
    const std::string name = secret_name(run_);
    if (const auto deleted = delete_objects(kubectl_, name); !deleted) {
      attention_.say(fmt::format("{} stays in the cluster: {}", name, deleted.error().error.what));
      return;
    }
    const auto stay = await_pods(kubectl_, name, Until::gone, attention_.say);
    if (!process::no_signal_waits()) {
      return attention_.say(fmt::format("the pods of {} may still be ending in the cluster", name));
    }
    for (const std::string& line : stay.value_or(std::vector<std::string>())) {
      attention_.say(line + "; " + kStayingHint);
    }
  }

  const Kubectl& kubectl_;
  const Submission& all_;
  kubernetes::Run run_;
  Server server_;
  const Attention& attention_;
  bool has_begun_ = false;
  std::string owner_;    // the Secret's uid
  std::string address_;  // of the launcher's pod
  std::set<std::string> said_;
  Clock::time_point begun_;  // the wait for these pods
};

}  // namespace

Answered<bool> knows_indexed_jobs(const Kubectl& kubectl) {
  return ask_server(kubectl).map([](const Server& server) { return server.indexed_jobs; });
}

Answered<void> submit(const Kubectl& kubectl, const Submission& submission,
                      const Attention& attention) {
  return Making(kubectl, submission, attention).make();
}

}  // namespace muster::cluster

// Which srun starts which agents, and what becomes of those that have not come yet.
#include "head/step_links.hpp"

#include <algorithm>
#include <array>
#include <asio/post.hpp>
#include <map>

#include "base/variables.hpp"
#include "head/carried_link.hpp"
#include "host/clock.hpp"
#include "link/noise.hpp"
#include "machine/step_listing.hpp"
#include "plan/variable_owner.hpp"
#include "probe/random.hpp"
#include "view/waiting.hpp"

namespace muster::head {
namespace {

constexpr base::Duration kWatch = std::chrono::milliseconds(500);
constexpr base::Duration kSilence = std::chrono::seconds(2);
constexpr base::Duration kAnswer = std::chrono::seconds(5);
constexpr std::size_t kStepsMax = std::size_t{1} << 20;  // what squeue may say of a job's steps
constexpr base::Duration kLook = std::chrono::milliseconds(10);
// An agent that has connected by then comes, though srun has ended.
constexpr base::Duration kLastOnes = std::chrono::milliseconds(300);
// A word of a command line may have 128 KiB (Linux: MAX_ARG_STRLEN).
constexpr std::size_t kNamesMax = 100'000;

// srun takes a whole environment along. What belongs to this host, or to a run around this one,
// would be wrong there; an account is the same on all hosts.
bool stays_here(std::string_view variable) {
  constexpr std::array<std::string_view, 5> kAccount = {"HOME", "USER", "LOGNAME", "SHELL",
                                                        "TMPDIR"};  // which Slurm checks
  const std::string_view name = variable.substr(0, variable.find('='));
  if (name.starts_with("MUSTER_")) return true;
  return plan::belongs(name) == plan::Belongs::to_host && std::ranges::count(kAccount, name) == 0;
}

std::vector<std::string> environment_there(std::vector<std::string> environment) {
  std::erase_if(environment, [](const std::string& one) { return stays_here(one); });
  return link::step_environment(std::move(environment));
}

base::Error blocked(const std::string& host, const std::vector<std::string>& holders) {
  const std::string theirs = fmt::format("{}", fmt::join(holders, ", "));
  return {base::Fault::unreachable,
          fmt::format("{}: Slurm starts no step there; it has {}", host,
                      theirs.empty() ? "none of this job" : theirs),
          theirs.empty() ? "is the host ready? see scontrol show node"
                         : "end that step, or start it with srun --overlap",
          {}};
}

}  // namespace

// ---- one host -----------------------------------------------------------------------------------

class StepLinks::StepLink : public HostLink {
 public:
  StepLink(StepLinks& all, const CarrierNeeds& needs, base::NodeIndex node, model::Host host,
           HostLinkEvents events)
      : all_(all),
        needs_(needs),
        node_(node),
        host_(std::move(host)),
        events_(std::move(events)),
        watch_(needs.loop),
        last_(needs.loop) {
    all_.links_.insert(this);
  }
  ~StepLink() override {
    all_.links_.erase(this);
    std::erase(all_.fresh_, this);
    std::erase(all_.due_, this);
    all_.go_on_soon();
  }

  void send(base::RunIndex run, const wire::ToAgent& message) override {
    if (own_) own_->send(run, message);
  }
  void send(std::shared_ptr<const std::string> frame) override {
    if (own_) own_->send(std::move(frame));
  }
  [[nodiscard]] bool up() const override { return own_ && own_->up(); }

  [[nodiscard]] const model::Host& host() const { return host_; }
  [[nodiscard]] const CarrierNeeds& needs() const { return needs_; }
  [[nodiscard]] const std::string& agent() const {
    return needs_.spec.agent_path.empty() ? needs_.program : needs_.spec.agent_path;
  }
  [[nodiscard]] model::ByHand by_hand() const { return model::ByHand::step(needs_.spec, host_); }
  [[nodiscard]] bool is_expected() const { return step_ && !own_; }
  [[nodiscard]] bool is_expected_of(const SharedStep& step) const {
    return is_expected() && step_.get() == &step;
  }
  [[nodiscard]] const std::shared_ptr<SharedStep>& step() const { return step_; }
  // An srun of its own, and its agent is not up yet.
  [[nodiscard]] bool is_starting() const { return is_starting_; }

  void expect(std::shared_ptr<SharedStep> step) {
    step_ = std::move(step);
    begin_to_wait();
  }

  // There will be an srun of its own.
  void await_turn() {
    step_.reset();
    last_.stop();
    watch_.stop();
  }

  void start_own() {
    begin_to_wait();
    const auto words = link::step_words(needs_.spec, host_, all_.name_, agent());
    auto started = CarriedLink::start(needs_.loop, words, environment_there(needs_.environment),
                                      {node_, host_.name, agent(), words.front(), {}, by_hand()},
                                      own_events());
    is_starting_ = started.has_value();
    if (started)
      own_ = std::move(*started);
    else
      fail_soon({started.error()});
  }

  void take(process::UniqueFd connection, std::uint32_t task) {
    step_->errors().know(host_.name, task);
    const auto said = [step = step_, name = host_.name] { return step->errors().about(name); };
    own_ = CarriedLink::over(needs_.loop, std::move(connection),
                             {node_, host_.name, agent(), "srun", said, by_hand()},
                             std::move(events_));
  }

  // Something has been said of the step. May be the end of this.
  void look() {
    if (!is_expected()) return;
    if (const auto why = step_->errors().uncalled(host_.name)) {
      all_.tell_uncalled(host_.name, *why);
      return all_.start_each({this});
    }
    if (step_->end() || step_->errors().has_ended(host_.name))
      last_.after(kLastOnes, [this] { give_up(); });
  }

  void fail(const link::Diagnosis& why) {
    const auto ended = std::exchange(events_.ended, nullptr);
    if (ended) ended(why);
  }

 private:
  // The next link has its turn when this one is up or has ended.
  HostLinkEvents own_events() {
    HostLinkEvents events = events_;
    events.up = [this, up = events_.up] {
      started();
      up();
    };
    events.ended = [this, ended = events_.ended](const link::Diagnosis& why) {
      started();
      ended(why);
    };
    return events;
  }

  void started() {
    is_starting_ = false;
    all_.go_on_soon();
  }

  void begin_to_wait() {
    since_ = host::now();
    give_up_ = since_ + needs_.spec.patience;
    watch();
  }

  void fail_soon(link::Diagnosis why) {
    last_.after(base::Duration{0}, [this, why = std::move(why)] { fail(why); });
  }

  void watch() {
    watch_.at(std::min(give_up_, host::now() + kWatch), [this] {
      if (up()) return;
      if (host::now() - since_ >= kSilence) all_.ask_for_steps(needs_);
      const auto why = waits_for();
      if (why) all_.tell_blocked(*why, waited(), needs_.spec.patience);
      if (host::now() < give_up_) return watch();
      give_up();
    });
  }

  [[nodiscard]] base::Duration waited() const {
    return std::chrono::floor<base::Duration>(host::now() - since_);
  }

  // While Slurm does not start the step, of which srun says nothing (22.05) or little.
  [[nodiscard]] std::optional<base::Error> waits_for() const {
    if (all_.steps_.empty() || (step_ && step_->end())) return std::nullopt;
    const auto holders = machine::holders_of(host_.name, all_.steps_, all_.name_);
    return holders ? std::optional(blocked(host_.name, *holders)) : std::nullopt;
  }

  void give_up() {
    if (own_ && own_->up()) return;
    if (const auto why = waits_for()) return end_own({*why});
    if (own_) return own_->give_up({silence()});
    if (!step_) return;
    if (step_->end() && !step_->has_taken()) return all_.start_each({this});
    const auto end = step_->end().value_or(process::ChildEnd{});
    const std::string said = step_->errors().about(host_.name);
    if (step_->end()) {
      return fail(link::diagnose({host_.name, agent(), "srun", by_hand()},
                                 {end.code, end.signal, said, ""}));
    }
    const std::string line = link::first_line(step_->errors().last_words(host_.name));
    fail({base::Error{base::Fault::unreachable,
                      fmt::format("{}: its agent, started by srun with those of other hosts, has "
                                  "not come{}{}",
                                  host_.name, line.empty() ? "" : ": ", line),
                      "is the host up (scontrol show node)? --start-timeout SECONDS waits longer",
                      {}}});
  }

  [[nodiscard]] base::Error silence() const {
    const double seconds = std::chrono::duration<double>(needs_.spec.patience).count();
    return {base::Fault::unreachable,
            fmt::format("{}: no answer within {:g} s", host_.name, seconds),
            fmt::format("is the host up? see `scontrol show node {}`; --start-timeout SECONDS "
                        "waits longer",
                        host_.name),
            {}};
  }

  // Where it has an srun of its own, that has the events.
  void end_own(const link::Diagnosis& why) { own_ ? own_->give_up(why) : fail(why); }

  StepLinks& all_;
  CarrierNeeds needs_;
  base::NodeIndex node_;
  model::Host host_;
  HostLinkEvents events_;
  base::Instant since_{};  // its srun, or that which it shares
  base::Instant give_up_{};
  bool is_starting_ = false;
  std::shared_ptr<SharedStep> step_;  // that is to start, or has started, its agent
  std::unique_ptr<CarriedLink> own_;
  process::Alarm watch_;
  process::Alarm last_;
};

// ---- all of them --------------------------------------------------------------------------------

StepLinks::StepLinks(asio::io_context& loop, std::function<void(const std::string&)> say)
    : loop_(loop),
      say_(std::move(say)),
      name_("muster-" + probe::random_digits(6)),
      squeue_(loop),
      look_(loop) {}

OpenedCarrier StepLinks::open(const CarrierNeeds& needs, base::NodeIndex node,
                              const model::Host& host, HostLinkEvents events) {
  auto made = std::make_unique<StepLink>(*this, needs, node, host, std::move(events));
  if (fresh_.empty()) asio::post(loop_, life_.bind([this] { start_all(); }));
  fresh_.push_back(made.get());
  return made;
}

void StepLinks::start_all() {
  std::map<std::optional<std::uint32_t>, std::vector<Links>> steps;  // by component
  std::size_t names = 0;
  for (StepLink* link : std::exchange(fresh_, {})) {
    std::vector<Links>& its = steps[link->host().component];
    names += link->host().name.size() + 1;
    if (its.empty() || names > kNamesMax) {
      its.emplace_back();
      names = link->host().name.size() + 1;
    }
    its.back().push_back(link);
  }
  for (const auto& [component, all] : steps) {
    for (const Links& links : all) {
      const bool together = links.size() > 1 && !calls_fail_;
      together ? start_together(links) : start_each(links);
    }
  }
}

void StepLinks::start_each(const Links& links) {
  for (StepLink* link : links) link->await_turn();
  due_.insert(due_.end(), links.begin(), links.end());
  start_due();
}

// Each srun is a process here and a request to slurmctld.
void StepLinks::start_due() {
  auto starting = std::ranges::count_if(links_, &StepLink::is_starting);
  for (; !due_.empty() && starting < due_.front()->needs().spec.parallel; ++starting) {
    StepLink* link = due_.front();
    due_.pop_front();
    link->start_own();
  }
}

void StepLinks::start_together(const Links& links) {
  const CarrierNeeds& needs = links.front()->needs();
  std::vector<std::string> hosts;
  hosts.reserve(links.size());
  for (const StepLink* link : links) hosts.push_back(link->host().name);
  auto step =
      SharedStep::start(loop_, {link::shared_step_words(needs.spec, links.front()->host().component,
                                                        hosts, name_, links.front()->agent()),
                                environment_there(needs.environment), hosts,
                                link::call_patience(hosts.size(), needs.spec.patience),
                                [this] { look_.after(kLook, [this] { look_again(); }); },
                                [this](SharedStep& its, const VisitorPtr& visitor,
                                       const wire::Join& join) { take(its, visitor, join); }});
  if (!step) return start_each(links);  // which says why
  called_.push_back(*step);
  for (StepLink* link : links) link->expect(*step);
}

void StepLinks::take(SharedStep& step, const VisitorPtr& visitor, const wire::Join& join) {
  const auto found = std::ranges::find_if(links_, [&](const StepLink* link) {
    return link->is_expected_of(step) && link->host().name == join.hostname;
  });
  if (found == links_.end() || !join.called || !join.node) {
    return step.refuse(visitor, {base::Fault::usage, "this host is not expected", {}, {}});
  }
  StepLink* link = *found;
  asio::post(loop_, life_.bind([kept = link->step()] {}));  // while its door is calling
  if (join.protocol == wire::kProtocol) {
    link->take(step.take(visitor), *join.node);
  } else {
    base::Error other = link::other_protocol_error(link->agent(), std::to_string(join.protocol));
    other.what = link->host().name + ": " + other.what;
    step.refuse(visitor, other);
    link->fail({other});
  }
  go_on_soon();
}

// Not now: a link, or a door, is calling.
void StepLinks::go_on_soon() {
  if (std::exchange(goes_on_, true)) return;
  asio::post(loop_, life_.bind([this] {
    goes_on_ = false;
    start_due();
    close_idle_doors();
  }));
}

void StepLinks::close_idle_doors() {
  std::erase_if(called_, [this](const std::weak_ptr<SharedStep>& one) {
    const auto step = one.lock();
    const auto waits = [&](const StepLink* link) { return link->is_expected_of(*step); };
    if (step && std::ranges::any_of(links_, waits)) return false;
    if (step) step->close_door();
    return true;
  });
}

// A link may end, and others with it.
void StepLinks::look_again() {
  for (StepLink* link : std::vector<StepLink*>(links_.begin(), links_.end())) {
    if (links_.contains(link)) link->look();
  }
  go_on_soon();
}

void StepLinks::tell_uncalled(const std::string& host, const std::string& why) {
  if (std::exchange(calls_fail_, true)) return;
  say_(
      fmt::format("{} cannot connect to this host ({}): hosts that cannot get an srun of their "
                  "own, which takes longer",
                  host, why));
}

void StepLinks::tell_blocked(const base::Error& why, base::Duration waited, base::Duration most) {
  if (std::exchange(told_blocked_, true)) return;
  const std::string words = fmt::format("waiting for {}; {}", why.what, why.hint);
  if (const auto told = view::Waiting(most).tell(words, waited)) say_(*told);
}

// Anew after each answer: a step may have been started meanwhile.
void StepLinks::ask_for_steps(const CarrierNeeds& needs) {
  const std::string job = base::value_of(needs.environment, "SLURM_JOB_ID");
  if (is_asking_ && host::now() - asked_at_ < kAnswer) return;
  is_asking_ = true;
  asked_at_ = host::now();
  squeue_.ask({"squeue", "-h", "-s", "-j", job, "-o", std::string(machine::kStepFormat)},
              needs.environment, {.time = kAnswer, .bytes = kStepsMax},
              [this](const process::Question::Said& said) {
                if (said.ending != process::Question::Ending::well) return;  // not before kAnswer
                steps_ = said.out + "\n";
                is_asking_ = false;
              });
}

}  // namespace muster::head

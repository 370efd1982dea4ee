// Asks for hosts, and tells each link what is heard of its own.
#include "head/asked_links.hpp"

#include <utility>

#include "probe/socket_file.hpp"

namespace muster::head {

class AskedLinks::Asked final : public HostLink {
 public:
  Asked(AskedLinks& all, base::NodeIndex number, HostLinkEvents events, OwnWay own_way)
      : all_(all), number_(number), events_(std::move(events)), own_way_(std::move(own_way)) {
    all_.links_[number_] = this;
  }
  ~Asked() override {
    if (all_.links_.erase(number_) != 0) send(base::kFirstRun, wire::Release{});
  }

  void send(base::RunIndex run, const wire::ToAgent& message) override {
    if (own_) return own_->send(run, message);
    all_.above_->send(message, {run, wire::HostSet(number_)});
  }
  void send(std::shared_ptr<const std::string> frame) override {
    if (own_) return own_->send(std::move(frame));
    all_.above_->send(std::move(frame));
  }
  [[nodiscard]] bool up() const override { return own_ ? own_->up() : up_; }

  // Of these the events are copied: they may destroy this.
  void tell_up() {
    up_ = true;
    const auto up = events_.up;
    up();
  }
  void tell(base::RunIndex run, wire::ToHead message) {
    const auto told = events_.message;
    told(run, std::move(message));
  }
  void tell(base::RunIndex run, const wire::OutputView& view) const {
    const auto output = events_.output;
    output(run, view);
  }
  void tell_ended(base::Error error) {
    if (!up_ && error.fault == base::Fault::usage) return go_own_way();
    const auto ended = events_.ended;
    ended({std::move(error), model::Retry::no});
  }

 private:
  void go_own_way() {
    auto opened = own_way_(events_);
    if (opened) {
      own_ = std::move(*opened);
      return;
    }
    const auto ended = events_.ended;
    ended({std::move(opened.error()), model::Retry::no});
  }

  AskedLinks& all_;
  base::NodeIndex number_;
  HostLinkEvents events_;
  OwnWay own_way_;
  std::unique_ptr<HostLink> own_;  // once the head above has refused
  bool up_ = false;
};

AskedLinks::Opened AskedLinks::open(base::NodeIndex number, const model::Host& host,
                                    HostLinkEvents events, OwnWay own_way) {
  if (auto connected = connect(); !connected) return tl::unexpected(connected.error());
  auto made = std::make_unique<Asked>(*this, number, std::move(events), std::move(own_way));
  made->send(base::kFirstRun, wire::Reach{host.name, host.user, host.port});
  return made;
}

// A connection that has been lost is not made again: the job that we are part of is ending.
base::Result<void> AskedLinks::connect() {
  if (gone_) return tl::unexpected(*gone_);
  if (above_) return {};
  auto connection = probe::connect_to(socket_);
  if (!connection) return tl::unexpected(connection.error());
  link::LinkAboveEvents events;
  events.message = [this](base::NodeIndex number, base::RunIndex run, wire::ToHead message) {
    take(number, run, std::move(message));
  };
  events.output = [this](base::NodeIndex number, base::RunIndex run, const wire::OutputView& view) {
    const auto found = links_.find(number);
    if (found != links_.end()) found->second->tell(run, view);
  };
  events.gone = [this](const base::Error& error) {
    gone_ = error;
    end_all(error);
  };
  above_.emplace(loop_, std::move(*connection), std::move(events));
  return {};
}

void AskedLinks::take(base::NodeIndex number, base::RunIndex run, wire::ToHead message) {
  if (auto* unreached = std::get_if<wire::Unreached>(&message)) {
    return end(number, std::move(unreached->error));
  }
  const auto found = links_.find(number);
  if (found == links_.end()) return;
  if (std::holds_alternative<wire::Reached>(message)) return found->second->tell_up();
  found->second->tell(run, std::move(message));
}

void AskedLinks::end(base::NodeIndex number, base::Error error) {
  const auto ended = links_.extract(number);
  if (!ended.empty()) ended.mapped()->tell_ended(std::move(error));
}

void AskedLinks::end_all(const base::Error& error) {
  while (!links_.empty()) end(links_.begin()->first, error);
}

}  // namespace muster::head

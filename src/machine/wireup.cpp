// Answers fences and names, and counts who has come.
#include "machine/wireup.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "plan/process_mapping.hpp"

namespace muster::machine {

using base::Instant;
using base::NodeIndex;
using base::Rank;

namespace {

// What a published name takes, with its place in the map.
std::size_t name_bytes(const std::string& service, const std::string& port) {
  constexpr std::size_t kNamePlace = 128;
  return kNamePlace + service.size() + port.size();
}

}  // namespace

bool serves_pmi(model::Wireup wireup) {
  return wireup != model::Wireup::none && wireup != model::Wireup::pmix;
}

bool serves_pmix(model::Wireup wireup) {
  return wireup == model::Wireup::automatic || wireup == model::Wireup::pmix;
}

std::string mapping_for(const model::JobSpec& spec, const model::Plan& plan) {
  return serves_pmi(spec.wireup) ? plan::process_mapping(plan) : std::string();
}

void Wireup::add(PlacedWorld world) {
  CHECK(world.world.number == worlds_.size() + 1);
  CHECK(std::ranges::is_sorted(world.nodes));
  roll_.add(world.world);
  if (world.world.number == 1) store_roll_.add(world.world);
  std::vector<NodeIndex> nodes = world.nodes;
  worlds_.push_back({std::move(world), Fences(nodes.size()), std::move(nodes)});
}

void Wireup::renew() {
  PlacedWorld first = std::move(worlds_.front().placed);
  *this = {};
  add(std::move(first));
}

const PlacedWorld& Wireup::world(std::uint32_t number) const {
  CHECK(number >= 1 && number <= worlds_.size());
  return worlds_[number - 1].placed;
}

const PlacedWorld& Wireup::world_of(Rank rank) const {
  const auto first = [](const Entry& entry) { return entry.placed.world.first; };
  const auto after = std::ranges::upper_bound(worlds_, rank, {}, first);
  CHECK(after != worlds_.begin());
  return (after - 1)->placed;
}

std::optional<Wireup::Answer> Wireup::take(NodeIndex node, const wire::FenceIn& part) {
  if (part.world == 0 || part.world > worlds_.size()) return std::nullopt;
  auto& [placed, fences, answered] = worlds_[part.world - 1];
  if (!std::ranges::binary_search(placed.nodes, node)) return std::nullopt;
  auto joined = fences.add(part.sequence, node, part.blob);
  if (!joined) return std::nullopt;
  return Answer{answered, {part.sequence, std::move(*joined), part.world}};
}

void Wireup::ended(NodeIndex node) {
  for (Entry& one : worlds_) std::erase(one.answered, node);
}

wire::NameAnswer Wireup::take(const wire::NameAsk& ask) {
  const auto known = names_.find(ask.service);
  switch (ask.verb) {
    case wire::NameVerb::publish:
      if (name_bytes_ + name_bytes(ask.service, ask.port) > kNamesMax) break;
      if (!names_.try_emplace(ask.service, ask.port).second) break;
      name_bytes_ += name_bytes(ask.service, ask.port);
      return {ask.id, wire::NameVerdict::done, {}};
    case wire::NameVerb::lookup:
      if (known == names_.end()) break;
      return {ask.id, wire::NameVerdict::found, known->second};
    case wire::NameVerb::unpublish:
      if (known == names_.end()) break;
      name_bytes_ -= name_bytes(known->first, known->second);
      names_.erase(known);
      return {ask.id, wire::NameVerdict::done, {}};
  }
  return {ask.id, wire::NameVerdict::not_found, {}};
}

void Wireup::came(Rank rank, Instant now) {
  roll_.came(rank, now);
  watch();
}

void Wireup::told_store(Rank rank, Instant now) {
  if (!store_doubted_) store_roll_.came(rank, now);
  watch();
}

void Wireup::doubt_store() {
  store_doubted_ = true;
  store_roll_ = {};
  store_roll_.add(worlds_.front().placed.world);
  watch();
}

void Wireup::left(Rank rank, bool has_failed) {
  roll_.left(rank);
  const bool is_at_store = rank.value < worlds_.front().placed.world.size;
  if (has_failed && is_at_store) store_roll_.left(rank);
}

std::optional<Instant> Wireup::waited_at(base::Duration patience) const {
  return base::sooner(roll_.deadline(patience), store_roll_.deadline(patience));
}

std::optional<model::Joining> Wireup::longest_wait() const {
  const auto in_mpi = roll_.deadline(base::Duration(0));
  const auto at_store = store_roll_.deadline(base::Duration(0));
  if (at_store && (!in_mpi || *at_store < *in_mpi)) return model::Joining::horovod;
  if (in_mpi) return model::Joining::mpi;
  return std::nullopt;
}

void Wireup::watch() {
  const auto now = longest_wait();
  if (now == watched_) return;
  watched_ = now;
  patience_ = kAskRoll;
  asked_ = false;
}

// Of the store the head knows all by itself.
Wireup::Look Wireup::look(Instant now) {
  const auto due = next_look();
  if (!due || now < *due) return Look::nothing;
  asked_ = !asked_;
  patience_ += asked_ ? kTellRoll : kNextRoll;
  if (!asked_) return Look::name_absent;
  return watched_ == model::Joining::mpi ? Look::ask_who_came : Look::nothing;
}

WireupStatus Wireup::status() const {
  const RollCall& roll = watched_ == model::Joining::horovod ? store_roll_ : roll_;
  WireupStatus found{roll.missing(), roll.deadline(base::Duration(0)),
                     watched_.value_or(model::Joining::mpi)};
  for (const Entry& one : worlds_) found.open_fences += one.fences.open();
  return found;
}

}  // namespace muster::machine

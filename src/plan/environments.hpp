// Environments: those of all ranks, as what all have in common and what each has of its own, in
// time linear in ranks.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "plan/dialects.hpp"

namespace muster::plan {

// Which variables somebody set, of what goes along from the launching shell.
using SetBySomebody = std::function<std::vector<model::Variable>(const Forwarded& kept)>;

class Environments {
 public:
  // All that is given outlives this.
  Environments(const Sources& of, const Kept& kept, const SetBySomebody& set);

  // What every rank has, with the same value for the same reason; sorted by name.
  [[nodiscard]] const std::vector<model::Variable>& common() const { return common_; }
  // All else that a rank has; sorted by name.
  [[nodiscard]] std::vector<model::Variable> own(base::Rank rank) const;

 private:
  // The ranks of an app on the launching shell's machine, or on others.
  struct Group {
    AppDialects dialects;
    std::vector<model::Variable> alike;  // what all its ranks have, and others may not
  };
  using Groups = std::vector<std::optional<Group>>;  // two for each app; some have no ranks

  void add_groups(const Kept& kept, const SetBySomebody& set);
  [[nodiscard]] Group group(const Forwarded& kept, base::Rank rank, const SetBySomebody& set) const;
  [[nodiscard]] std::size_t group_of(base::Rank rank) const;
  void share_what_groups_have();
  void share_what_ranks_have();
  // What is neither common nor alike in the rank's group.
  [[nodiscard]] std::vector<model::Variable> beyond(const Groups& groups, base::Rank rank) const;

  Sources of_;
  Twins twins_;
  Groups groups_;
  std::vector<model::Variable> common_;
};

}  // namespace muster::plan

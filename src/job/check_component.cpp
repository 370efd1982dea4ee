// By the classes that read such files (azure-ml-component 0.9, _core/_component_definition.py):
// CommandComponentDefinition has a command, DistributedComponentDefinition a launcher.
#include "job/check_component.hpp"

#include "base/words.hpp"

namespace muster::job {
namespace {

constexpr std::string_view kLauncherHint =
    "write launcher: {type: mpi, additional_arguments: COMMAND}";

// "DistributedComponent", also as "DistributedComponent@1-legacy".
bool is_of(const Entry* type, std::string_view kind) {
  return type != nullptr && base::lower(type->value->text).starts_with(kind);
}

}  // namespace

void check_component(const Node& root, Complaints& complaints) {
  const Entry* type = find(root, "type");
  const Entry* command = find(root, "command");
  const Entry* launcher = find(root, "launcher");
  if (command != nullptr && launcher != nullptr) {
    const bool keeps_launcher = !is_of(type, "commandcomponent");
    const Entry* extra = keeps_launcher ? command : launcher;
    return complaints.add(extra->mark, "command and launcher cannot be combined",
                          keeps_launcher ? "a distributed component has a launcher alone, whose "
                                           "additional_arguments are its command"
                                         : "a CommandComponent has a command alone");
  }
  if (command != nullptr && is_of(type, "distributedcomponent")) {
    return complaints.add(
        command->mark, "a DistributedComponent needs a launcher",
        std::string(kLauncherHint) + ", or type: CommandComponent for a command in one process");
  }
  if (launcher != nullptr && is_of(type, "commandcomponent")) {
    complaints.add(launcher->mark, "a CommandComponent has no launcher",
                   "write type: DistributedComponent, or command: COMMAND");
  }
}

}  // namespace muster::job

// What a run asks its hosts and the head to do.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/id.hpp"
#include "machine/head_events.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

struct NeedHost {  // it is to be reached: answered by up(), or by missed()
  base::NodeIndex node;
};
// Of a relay: one more host, by the name that the launcher gave it, to be reached as by NeedHost.
// Answered by refused() instead when the launcher may not have it.
struct CallHost {
  base::NodeIndex node;
  model::Host host;
};
struct GreetHost {  // for this run, once it is up, or again; answered by greeted()
  base::NodeIndex node;
  std::string job;
  std::uint32_t ports = 0;  // as in wire::Hello
  bool topology = false;    // likewise
};
struct AskHost {  // whether it is alive, at once
  base::NodeIndex node;
};
struct NotAwaited {  // whether it can be reached, or greets, does not matter any more
  base::NodeIndex node;
};
struct DropHost {  // its agent is not to be trusted, or cannot be used: the link is closed
  base::NodeIndex node;
};
struct FreeHost {  // the run does not need it any more
  base::NodeIndex node;
  wire::Bye bye;
};

// Frames for the launcher whose run this is; none: its connection is to be closed.
struct AnswerLauncher {
  std::string bytes = {};
};

using RunEffect = std::variant<NeedHost, CallHost, GreetHost, AskHost, NotAwaited, DropHost,
                               FreeHost, AnswerLauncher, AddHost, ToNode, ToNodes, AddWorld,
                               NewRound, ServeGloo, Tell, ReadInput>;
using RunEffects = std::vector<RunEffect>;

}  // namespace muster::machine

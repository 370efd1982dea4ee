// What a run wants done: of the hosts that it was given, and of the head.
#pragma once

#include <variant>
#include <vector>

#include "base/id.hpp"
#include "machine/head_events.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

struct NeedHost {  // it is to be reached: answered by up(), or by missed()
  base::NodeIndex node;
};
struct GreetHost {  // again; answered by greeted()
  base::NodeIndex node;
};
struct AskHost {  // whether it is alive, at once
  base::NodeIndex node;
};
struct NotAwaited {  // whether it greets does not matter any more
  base::NodeIndex node;
};
struct DropHost {  // nothing more is to be heard of it
  base::NodeIndex node;
};
struct FreeHost {  // the run does not need it any more
  base::NodeIndex node;
  wire::Bye bye;
};

using RunEffect =
    std::variant<NeedHost, GreetHost, AskHost, NotAwaited, DropHost, FreeHost, AddHost, ToNode,
                 ToNodes, AddWorld, NewRound, ServeGloo, Tell, Say, ReadInput>;
using RunEffects = std::vector<RunEffect>;

}  // namespace muster::machine

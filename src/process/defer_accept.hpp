// defer_accept: lets nobody who connects and says nothing stand in the way of those behind him.
#pragma once

namespace muster::process {

// A connection to this listening TCP socket is accepted once its first bytes have come; without
// any, a second later. For those who speak first. A kernel that cannot do it accepts all at once.
void defer_accept(int listener);

}  // namespace muster::process

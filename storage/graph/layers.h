// Layers: what a snapshot reads: a base, and the one or two generations of the delta over it.
//
//   usually            base C0 + active
//   while a checkpoint
//   at C is running    base C0 + frozen (all commits in (C0, C]) + active (all commits after C)
//   when it has ended  base C1 + active
// A checkpoint freezes the active delta under the sequencer's mutex and puts an empty one over it, in constant time; from
// then on the frozen one never changes, so the checkpoint reads it like anybody, and it is freed as a whole when the last snapshot
// that needs it has ended. A transaction keeps the layers that were current when it began, and nothing that came after them.
// Threads: a Layers never changes. Which one is current is under the sequencer's mutex.
#pragma once

#include <memory>

#include "storage/graph/base.h"
#include "storage/graph/delta.h"

namespace fornix::storage {

struct Layers {
  std::shared_ptr<const Base> base;            // never null
  std::shared_ptr<Delta> frozen;               // null unless a checkpoint was running
  std::shared_ptr<Delta> active;               // never null
};

}  // namespace fornix::storage

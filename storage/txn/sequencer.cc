#include "storage/txn/sequencer.h"

#include "base/check.h"

namespace fornix::storage {

void Sequencer::Register(LiveSnapshot* snapshot) {
  snapshot->timestamp = visible();
  snapshot->serial = next_serial_++;
  DCHECK(live_.empty() || live_.back().timestamp <= snapshot->timestamp);
  live_.push_back(*snapshot);
}

void Sequencer::Unregister(LiveSnapshot* snapshot) {
  if (!snapshot->is_linked()) return;
  live_.erase(live_.iterator_to(*snapshot));
}

}  // namespace fornix::storage

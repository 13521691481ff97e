#include "storage/schema_state.h"

namespace fornix::storage {

SchemaHistory::SchemaHistory() {
  auto state = std::make_shared<SchemaState>();
  state->version = std::make_shared<SchemaVersion>();
  states_.push_back({0, std::move(state)});
}

std::shared_ptr<const SchemaState> SchemaHistory::At(Timestamp snapshot) const {
  for (auto it = states_.rbegin(); it != states_.rend(); ++it) {
    if (it->begin <= snapshot) return it->state;
  }
  return states_.front().state;
}

void SchemaHistory::Trim(Timestamp floor) {
  while (states_.size() > 1 && states_[1].begin <= floor) states_.pop_front();
}

}  // namespace fornix::storage

#include "storage/txn/generations.h"

#include <algorithm>

#include "base/check.h"
#include "base/errors.h"

namespace fornix::storage {

Generations::Generations(Sequencer* sequencer)
    : sequencer_(sequencer),
      current_(std::make_shared<Layers>(Layers{std::make_shared<EmptyBase>(), nullptr, std::make_shared<Delta>()})),
      chain_{current_->active} {}

void Generations::SetBudget(MemoryBudget* budget) {
  budget_ = budget;
  current_->active->set_budget(budget);
}

void Generations::Start(std::shared_ptr<const Base> base) {
  std::lock_guard lock(sequencer_->mutex());
  current_ = std::make_shared<Layers>(Layers{std::move(base), nullptr, current_->active});
}

void Generations::Restart() {
  std::shared_ptr<const Layers> empty =
      std::make_shared<Layers>(Layers{std::make_shared<EmptyBase>(), nullptr, std::make_shared<Delta>(budget_)});
  std::lock_guard lock(sequencer_->mutex());
  current_.swap(empty);                        // the old ones are freed behind the lock, if nobody holds them
  chain_ = {current_->active};
}

void Generations::Replace(Layers layers) {
  replaced_.push_back(current_);
  current_ = std::make_shared<Layers>(std::move(layers));
}

Result<Frozen> Generations::Freeze(const wal::LogWriter* log, const std::function<void()>& capture) {
  auto fresh = std::make_shared<Delta>(budget_);   // before the mutex: it is some hundred KiB of empty tables
  std::lock_guard lock(sequencer_->mutex());
  if (running_) return Busy("a checkpoint is running already");
  RETURN_IF_ERROR(sequencer_->failure());
  if (!frozen_) {
    const std::shared_ptr<Delta> old = current_->active;
    chain_.push_back(fresh);
    old->last = sequencer_->last();
    Replace({current_->base, old, std::move(fresh)});
    frozen_ = Frozen{old->last, log == nullptr ? 0 : log->next_lsn(), nullptr};
    if (capture) capture();
  }
  running_ = true;
  Frozen frozen = *frozen_;
  frozen.layers = current_;
  return frozen;
}

void Generations::Publish(std::shared_ptr<const Base> base) {
  std::lock_guard lock(sequencer_->mutex());
  CHECK(running_ && base->timestamp() == frozen_->timestamp);
  CHECK(sequencer_->visible() >= base->timestamp());   // else a new snapshot would see what isn't durable
  Replace({std::move(base), nullptr, current_->active});
  frozen_.reset();
  running_ = false;
}

void Generations::GiveUp() {
  std::lock_guard lock(sequencer_->mutex());
  running_ = false;
}

bool Generations::HasFrozen() const {
  std::lock_guard lock(sequencer_->mutex());
  return frozen_.has_value();
}

bool Generations::Release() {
  std::vector<std::shared_ptr<const Layers>> unused;   // destroyed behind the lock
  std::vector<std::shared_ptr<Delta>> untested;
  std::unique_lock lock(sequencer_->mutex());
  const auto held = std::partition(replaced_.begin(), replaced_.end(), [](const auto& layers) { return layers.use_count() > 1; });
  unused.assign(std::make_move_iterator(held), std::make_move_iterator(replaced_.end()));
  replaced_.erase(held, replaced_.end());
  const Timestamp floor = sequencer_->writers_floor();
  const auto needed = std::find_if(chain_.begin(), chain_.end(), [&](const auto& delta) { return delta->last > floor; });
  untested.assign(std::make_move_iterator(chain_.begin()), std::make_move_iterator(needed));
  chain_.erase(chain_.begin(), needed);
  const bool some_held = !replaced_.empty();
  lock.unlock();
  return some_held;
}

std::span<const std::shared_ptr<Delta>> Generations::Since(Timestamp snapshot) const {
  const auto first = std::find_if(chain_.begin(), chain_.end(), [&](const auto& delta) { return delta->last > snapshot; });
  return {first, chain_.end()};
}

void Generations::Collect() {
  const uint64_t oldest = sequencer_->oldest_serial();
  current_->active->retired().FreeBefore(oldest);
  if (current_->frozen != nullptr) current_->frozen->retired().FreeBefore(oldest);
}

Timestamp Generations::OldestBase() const {
  std::lock_guard lock(sequencer_->mutex());
  Timestamp oldest = current_->base->timestamp();
  for (const auto& layers : replaced_) {
    if (layers.use_count() > 1) oldest = std::min(oldest, layers->base->timestamp());
  }
  return oldest;
}

}  // namespace fornix::storage

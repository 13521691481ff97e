// Generations: which Layers are current, and their change when a checkpoint begins and ends (graph/layers.h).
//
//   Freeze   {base, -, active}        -> {base, active, new one}
//   Publish  {base, frozen, active}   -> {new base, -, active}
//   GiveUp   the checkpoint failed: the layers stay three; the next Freeze gives the same frozen generation again
// All three take constant time under the sequencer's mutex, so commits and readers never wait for them. Snapshots keep the
// layers that they began with, and nothing that came later. What was replaced is kept here until nobody holds it and is freed by
// Release, on the thread that asks: a generation is large, and a reader that ends must not pay for it.
// A commit is tested against everything committed since its snapshot, so the generations behind the oldest transaction that may write
// are kept too, in a chain.
// Threads: any; the sequencer's mutex guards everything (those who hold it say so).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "storage/graph/layers.h"
#include "storage/txn/sequencer.h"
#include "wal/writer.h"

namespace fornix::storage {

// What a checkpoint works on: the state at `timestamp`, which is layers->frozen over layers->base.
struct Frozen {
  Timestamp timestamp = 0;
  Lsn next_lsn = 0;                            // of the first record behind it; 0: there is no log
  std::shared_ptr<const Layers> layers;
};

class Generations {
 public:
  explicit Generations(Sequencer* sequencer);

  // REQUIRES: the sequencer's mutex. A shared pointer: who copies it must drop it under the mutex as well.
  const std::shared_ptr<const Layers>& current() const { return current_; }

  // Deltas are charged to it. Before anything is written.
  void SetBudget(MemoryBudget* budget);
  // Opening: the base of the root, before anybody reads or writes.
  void Start(std::shared_ptr<const Base> base);
  // Nothing at all again, as when it was made; snapshots keep what they have.
  void Restart();

  // These take the mutex. `log` null: none.
  // `capture` is called under it when a generation is frozen, not when an earlier one is given again.
  Result<Frozen> Freeze(const wal::LogWriter* log, const std::function<void()>& capture = {});
  // REQUIRES: a Freeze; `base` is the state at its timestamp, all of it durable.
  void Publish(std::shared_ptr<const Base> base);
  void GiveUp();
  // Whether a generation is frozen whose checkpoint gave up: the next Freeze gives it again, without what was committed since.
  bool HasFrozen() const;
  // Frees replaced layers that no snapshot holds any more, and generations that no commit will be tested against; true if some layers are
  // still held.
  bool Release();
  // REQUIRES: the sequencer's mutex, as long as the result is used; a transaction that may write, with that snapshot. The generations
  // with commits behind it, the active one last.
  std::span<const std::shared_ptr<Delta>> Since(Timestamp snapshot) const;
  // REQUIRES: the sequencer's mutex. Frees what was unlinked in the deltas and no snapshot can reach any more.
  void Collect();
  // The oldest base that a snapshot may still read: what only older ones reach can be overwritten.
  Timestamp OldestBase() const;

 private:
  void Replace(Layers layers);                 // under the mutex

  Sequencer* const sequencer_;
  std::shared_ptr<const Layers> current_;
  std::vector<std::shared_ptr<const Layers>> replaced_;
  std::vector<std::shared_ptr<Delta>> chain_;   // in the order of their commits; the last one is active
  std::optional<Frozen> frozen_;               // of the running checkpoint, or of one that gave up
  bool running_ = false;
  MemoryBudget* budget_ = nullptr;
};

}  // namespace fornix::storage

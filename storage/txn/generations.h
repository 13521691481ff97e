// Generations: which Layers are current, and their change when a checkpoint begins and ends (graph/layers.h).
//
//   Freeze   {base, -, active}        -> {base, active, new one}
//   Publish  {base, frozen, active}   -> {new base, -, active}
//   GiveUp   the checkpoint failed: the layers stay three; the next Freeze gives the same frozen generation again
// All three take constant time under the sequencer's mutex, so commits and readers never wait for them. Snapshots keep the
// layers that they began with. What was replaced is kept here until nobody holds it and is freed by Release, on the thread that
// asks: a generation is large, and a reader that ends must not pay for it.
// Threads: any; the sequencer's mutex guards everything (those who hold it say so).
#pragma once

#include <functional>
#include <memory>
#include <optional>
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
  // Frees replaced layers that no snapshot holds any more; true if some are still held.
  bool Release();
  // The oldest base that a snapshot may still read: what only older ones reach can be overwritten.
  Timestamp OldestBase() const;

 private:
  void Replace(Layers layers);                 // under the mutex

  Sequencer* const sequencer_;
  std::shared_ptr<const Layers> current_;
  std::vector<std::shared_ptr<const Layers>> replaced_;
  std::optional<Frozen> frozen_;               // of the running checkpoint, or of one that gave up
  bool running_ = false;
  MemoryBudget* budget_ = nullptr;
};

}  // namespace fornix::storage

// Operator: one step of a running plan, pulled batch by batch.
//
// Next fills the batch that it is handed with at least one row, or with none at the end. Open may be called again at any time and starts
// over, which is how the inner plan of an Apply runs once per outer row; it must be cheap. Operators hold ids and
// positions only between two calls.
// Next (not virtual) checks for cancel and deadline once a batch and keeps the profile: rows, own time, own hits.
// Threads: one run, one thread.
#pragma once

#include <memory>
#include <vector>

#include "engine/exec/batch.h"
#include "engine/exec/context.h"
#include "planner/physical/plan.h"

namespace fornix::engine {

using planner::PhysicalOperator;
using planner::Slot;
using planner::kNoSlot;

// The outer rows that a plan starts from. Set by the operator that owns the inner plan before it opens that plan; the
// rows must stay where they are until the inner plan ends or is opened anew.
struct ArgumentSource {
  const Batch* batch = nullptr;
  size_t first = 0, count = 0;
};

class Builder;

class Operator {
 public:
  Operator(Builder& builder, const PhysicalOperator& plan);
  virtual ~Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  Status Open() { return DoOpen(); }
  Status Next(Batch* out);
  const PhysicalOperator& plan() const { return plan_; }
  std::string_view name() const;                   // "Expand", for messages
  // What is written after `out` by this operator: plan.live and the hidden slots of enclosing operators.
  const std::vector<Slot>& live() const { return live_; }

 protected:
  virtual Status DoOpen() = 0;
  virtual Status DoNext(Batch* out) = 0;
  Status Charge(size_t bytes);                     // memory that this operator keeps
  // The same for what can go to disk. kSpill: it must, because neither the limit nor the budget has room for it (an operator that
  // holds next to nothing gets its room all the same, or neighbours could make it write a run a row).
  enum class Room : uint8_t { kHeld, kSpill };
  Result<Room> Hold(size_t bytes);
  void Release(size_t bytes);
  // Charges what a column's values take beside the column itself, if that is more than noise.
  Status ChargeLarge(const Column& column);
  Status ChargeTransaction();                      // the write set's size after writes
  void CountHits(uint64_t n) { context_.db_hits += n; }

  ExecutionContext& context_;
  const PhysicalOperator& plan_;
  std::vector<Slot> live_;
  size_t charged_ = 0;                             // by this operator, in all
  SpillCounts spilled_;
  void ReleaseAll();                               // gives back what was charged
};
using OperatorPtr = std::unique_ptr<Operator>;

// Rows kept by an operator that must see all its input: batches in order, live columns only, charged to the operator.
class RowBuffer {
 public:
  void Clear() { batches_.clear(); next_ = 0; rows_ = 0; }
  // Takes a copy of these slots of the batch. Small batches are joined into larger ones.
  void Add(const Batch& batch, const std::vector<Slot>& slots, size_t batch_rows_max);
  // Moves the next batch out; false at the end.
  bool Take(Batch* out);
  bool empty() const { return batches_.empty(); }
  size_t rows() const { return rows_; }
  std::vector<Batch>& batches() { return batches_; }
  void Rewind() { next_ = 0; }

 private:
  std::vector<Batch> batches_;
  size_t next_ = 0;
  size_t rows_ = 0;
};

}  // namespace fornix::engine

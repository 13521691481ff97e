// ExecutionContext: what all operators and evaluators of one run share: the transaction, parameters, limits, counters.
//
// CheckInterrupt is called for every batch and in every search, and CountWork (base/interrupt.h) in every loop over what may be long
// inside of one, so a cancel or a deadline takes effect within a few milliseconds. Memory is charged by the operators that hold rows, by name (memory_tracker.h).
// Threads: one run, one thread; the cancel flag is set from outside.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "engine/exec/batch.h"
#include "engine/exec/executor.h"
#include "engine/exec/memory_tracker.h"
#include "engine/exec/spill/spill_file.h"
#include "engine/function/function.h"

namespace fornix::engine {

class ViewElementReader;

// Cancelled, by the connection or because the transaction was terminated, or DeadlineExceeded. Null pointers and 0: never.
Status CheckInterrupted(const std::atomic<bool>* cancel, const OpenTransaction* open, uint64_t deadline_ns);

class ExecutionContext {
 public:
  ExecutionContext(const planner::PhysicalPlan& plan, const ExecutionOptions& options);
  // For a part of the same run in a transaction of its own (CALL { ... } IN TRANSACTIONS).
  ExecutionContext(ExecutionContext& outer, storage::Transaction* transaction);
  ~ExecutionContext();
  ExecutionContext(const ExecutionContext&) = delete;
  ExecutionContext& operator=(const ExecutionContext&) = delete;

  const planner::PhysicalPlan& plan() const { return plan_; }
  const ExecutionOptions& options() const { return options_; }
  storage::Transaction& transaction() { return *transaction_; }
  void set_transaction(storage::Transaction* transaction) { transaction_ = transaction; }
  const storage::GraphView& view() const { return transaction_->view(); }
  const storage::Tokens& tokens() const { return view().tokens(); }
  storage::Store* store() { return options_.store; }
  const planner::FunctionCatalog& catalog() const { return *options_.catalog; }
  FunctionContext& functions() { return functions_; }
  MemoryTracker& memory() { return shared_->memory; }
  // Where what doesn't fit goes; made when it is first asked for.
  bool can_spill() const { return options_.spill != nullptr; }
  Result<SpillFile*> spill();
  uint64_t spilled_bytes() const { return shared_->spill != nullptr ? shared_->spill->bytes_written() : 0; }

  Status ResolveParameters();                       // ParameterMissing
  const Value& parameter(uint32_t place) const { return shared_->parameters[place]; }

  // Cancelled (also of a transaction that was terminated) or DeadlineExceeded.
  Status CheckInterrupt() {
    if (options_.cancel == nullptr && options_.deadline_ns == 0 && options_.open == nullptr) return Status::Ok();
    return CheckInterrupted(options_.cancel, options_.open, options_.deadline_ns);
  }
  // True when this transaction deleted something, so that elements at hand may be gone.
  bool has_deletes() const {
    const storage::WriteCounters& c = transaction_->counters();
    return c.nodes_deleted + c.relationships_deleted > 0;
  }
  size_t fixed_batch_rows() const { return options_.batch_rows; }

  // Slots of a batch: those of the plan, then hidden ones that operators asked for while they were built.
  uint32_t slot_count() const { return shared_->slot_count; }
  uint32_t AddHiddenSlot() { return shared_->slot_count++; }
  // One row without columns: what the outermost plan starts from, and what constant expressions are evaluated on.
  const Batch& unit_row() {
    if (unit_row_.slots() != slot_count()) unit_row_ = Batch(slot_count());
    unit_row_.set_rows(1);
    return unit_row_;
  }

  bool profiling() const { return options_.profile; }
  planner::OperatorProfile& profile(uint32_t id) { return shared_->profile[id]; }
  const std::vector<planner::OperatorProfile>& profiles() const { return shared_->profile; }
  // Time spent in operators below the one that runs now; see Operator::Next.
  uint64_t child_time_ns = 0;
  // Elements, properties and list entries read so far, by everything; Operator::Next takes differences.
  uint64_t db_hits = 0;

  void Notify(planner::Notification notification) { shared_->notifications.push_back(std::move(notification)); }
  std::vector<planner::Notification>& notifications() { return shared_->notifications; }
  // What transactions of its own committed (IN TRANSACTIONS).
  storage::WriteCounters& inner_counters() { return shared_->inner_counters; }

 private:
  // One for a run, inner transactions included.
  struct Shared {
    explicit Shared(const planner::PhysicalPlan& plan, const ExecutionOptions& options);
    std::vector<Value> parameters;
    MemoryTracker memory;
    std::unique_ptr<SpillFile> spill;
    uint32_t slot_count;
    std::vector<planner::OperatorProfile> profile;
    std::vector<planner::Notification> notifications;
    storage::WriteCounters inner_counters;
    Random random;
  };

  const planner::PhysicalPlan& plan_;
  const ExecutionOptions& options_;
  storage::Transaction* transaction_;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<ViewElementReader> elements_;
  Batch unit_row_;
  FunctionContext functions_;
};

// Memory that an expression needs while it is evaluated for a batch: charged in steps, given back at the end of the scope.
class ScratchCharge {
 public:
  ScratchCharge(ExecutionContext& context, std::string_view what) : memory_(context.memory()), what_(what) {}
  ~ScratchCharge() { memory_.Release(charged_); }
  ScratchCharge(const ScratchCharge&) = delete;
  ScratchCharge& operator=(const ScratchCharge&) = delete;
  Status Add(size_t bytes) {
    pending_ += bytes;
    if (pending_ < 65536) return Status::Ok();   // what stays below this is noise
    RETURN_IF_ERROR(memory_.Charge(pending_, what_));
    charged_ += std::exchange(pending_, 0);
    return Status::Ok();
  }
  Status Add(const Value& v) {
    const bool large = v.type() == Type::kList || v.type() == Type::kMap || v.type() == Type::kString;
    return large ? Add(v.MemoryBytes()) : Status::Ok();
  }

 private:
  MemoryTracker& memory_;
  std::string_view what_;
  size_t pending_ = 0, charged_ = 0;
};

void AddCounters(const storage::WriteCounters& more, storage::WriteCounters* sum);

// The growing batch size of one operator: 1, 4, 16, ... 1,024, so that point lookups and a LIMIT pay for few rows more than
// they take: 30 expanded rows for LIMIT 5 were 30 with 1, 64, 1,024.
class BatchSizer {
 public:
  explicit BatchSizer(size_t fixed) : fixed_(fixed) {}
  void Reset() { next_ = 1; }
  size_t Next() {
    if (fixed_ > 0) return fixed_;
    const size_t rows = next_;
    next_ = std::min<size_t>(rows * 4, kBatchRowsMax);
    return rows;
  }

 private:
  size_t fixed_;
  size_t next_ = 1;
};

// Elements as functions see them: through the view, with names instead of tokens.
class ViewElementReader : public ElementReader {
 public:
  explicit ViewElementReader(ExecutionContext& context) : context_(context) {}
  Result<std::vector<std::string>> NodeLabels(uint64_t node) override;
  Result<std::string> RelationshipType(uint64_t relationship) override;
  Result<std::pair<uint64_t, uint64_t>> RelationshipEnds(uint64_t relationship) override;
  Result<Map> NodeProperties(uint64_t node) override;
  Result<Map> RelationshipProperties(uint64_t relationship) override;
  Result<Value> NodeProperty(uint64_t node, std::string_view key) override;
  Result<Value> RelationshipProperty(uint64_t relationship, std::string_view key) override;

 private:
  Status CheckAlive(NodeId id) const;
  Status CheckAlive(RelId id) const;
  ExecutionContext& context_;
};

Status DeletedAccess(bool relationship, uint64_t id);    // EntityNotFound, detail DeletedEntityAccess

}  // namespace fornix::engine

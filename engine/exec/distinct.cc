// Distinct: the first row of each combination of values, as they come.
//
// When there is no room to remember another combination, rows of unknown ones go to disk, divided by the hash of the values; those
// of known ones are dropped as before. After the input each part is dealt with by itself, the same way, so rows that went
// to disk come last. Every pass over a part remembers a combination at least, so it ends.
#include "engine/exec/group_table.h"
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/spill/partitions.h"

namespace fornix::engine {
namespace {

class DistinctOperator : public Operator {
 public:
  DistinctOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan), child_(builder.Build(*plan.children[0])), row_slots_(live_) {
    for (Slot slot : plan.slots) {
      if (std::find(row_slots_.begin(), row_slots_.end(), slot) == row_slots_.end()) row_slots_.push_back(slot);
    }
  }

 protected:
  Status DoOpen() override {
    parts_.clear();
    part_.reset();
    level_ = 0;
    ended_ = false;
    StartPass();
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    while (true) {
      RETURN_IF_ERROR(NextRows(out));
      if (out->empty()) return Status::Ok();
      keys_.clear();
      for (Slot slot : plan_.slots) keys_.push_back(&out->column(slot));
      keep_.clear();
      for (size_t row = 0; row < out->rows(); row++) {
        const uint64_t hash = GroupTable::HashRow(keys_, row);
        if (full_) {
          if (seen_.FindHashed(keys_, row, hash) == seen_.size()) RETURN_IF_ERROR(ToDisk(*out, row, hash));
          continue;
        }
        bool added = false;
        const size_t group = seen_.FindOrAdd(keys_, row, hash, &added);
        if (!added) continue;
        keep_.push_back(static_cast<uint32_t>(row));
        ASSIGN_OR_RETURN(const Room room, Hold(seen_.KeyBytes(group)));
        if (room == Room::kHeld) continue;
        // It is remembered already: the last one of this pass.
        ASSIGN_OR_RETURN(SpillFile * file, context_.spill());
        rows_out_.Start(file, &spilled_, level_);
        full_ = true;
      }
      if (keep_.empty()) continue;
      out->Keep(keep_);
      return Status::Ok();
    }
  }

 private:
  struct Part {
    Run rows;
    unsigned level;
    RunReader reader;
  };

  void StartPass() {
    ReleaseAll();
    seen_.Start(plan_.slots.size());
    rows_out_.Clear();
    full_ = false;
  }

  // The next rows of the child or of a part; none when all are through.
  Status NextRows(Batch* out) {
    if (!ended_) {
      RETURN_IF_ERROR(child_->Next(out));
      if (!out->empty()) return Status::Ok();
      ended_ = true;
    }
    Prepare(context_, out);
    while (true) {
      if (part_ != nullptr) {
        std::vector<Column*> columns;
        for (Slot slot : row_slots_) columns.push_back(&out->column(slot));
        const size_t rows_max = context_.fixed_batch_rows() > 0 ? context_.fixed_batch_rows() : kBatchRowsMax;
        ASSIGN_OR_RETURN(const size_t rows, part_->reader.Read(columns, rows_max));
        out->set_rows(rows);
        if (rows > 0) return Status::Ok();
      }
      RETURN_IF_ERROR(EndPass());
      part_.reset();
      if (parts_.empty()) return Status::Ok();
      part_ = std::move(parts_.back());
      parts_.pop_back();
      part_->reader = RunReader(&part_->rows);
      level_ = part_->level;
      StartPass();
    }
  }

  Status EndPass() {
    if (!full_) return Status::Ok();
    full_ = false;
    ASSIGN_OR_RETURN(std::vector<Run> runs, rows_out_.Finish());
    for (Run& run : runs) {
      if (run.empty()) continue;
      parts_.push_back(std::make_unique<Part>());
      parts_.back()->rows = std::move(run);
      parts_.back()->level = level_ + 1;
    }
    return Status::Ok();
  }

  Status ToDisk(const Batch& rows, size_t row, uint64_t hash) {
    columns_.clear();
    for (Slot slot : row_slots_) columns_.push_back(&rows.column(slot));
    return rows_out_.Of(hash).Add(columns_, row);
  }

  OperatorPtr child_;
  std::vector<Slot> row_slots_;               // what a row on disk is made of
  GroupTable seen_;
  bool full_ = false, ended_ = false;
  unsigned level_ = 0;
  Partitions rows_out_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_ptr<Part> part_;
  std::vector<const Column*> keys_, columns_;
  std::vector<uint32_t> keep_;
};

}  // namespace

OperatorPtr MakeDistinct(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<DistinctOperator>(builder, plan); }

}  // namespace fornix::engine

// HashJoin: rows of both children that agree in the key slots; null agrees with nothing. The second child is taken in whole; the
// result follows the order of the first.
//
// When the second child doesn't fit, both are written to disk, divided by the hash of the key, and joined part by part; what follows
// no order then. A part of the second child that is still too large (many rows of one key, for the most) is joined piece by piece,
// reading the first child's part again for each: it takes longer and never fails for want of memory.
#include "engine/exec/group_table.h"
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/spill/partitions.h"

namespace fornix::engine {
namespace {

constexpr uint32_t kNoRow = ~0u;
constexpr size_t kRowBytes = 2 * sizeof(uint64_t) + 4 * sizeof(uint32_t) + 3 * 2 * sizeof(uint32_t);   // of the table, beside the row itself

class HashJoinOperator : public Operator {
 public:
  HashJoinOperator(Builder& builder, const PhysicalOperator& plan)
      : Operator(builder, plan),
        probe_(builder.Build(*plan.children[0])),
        build_(builder.Build(*plan.children[1])),
        sizer_(builder.context().fixed_batch_rows()) {}

 protected:
  Status DoOpen() override {
    ReleaseAll();
    sizer_.Reset();
    built_ = divided_ = false;
    build_parts_.clear();
    probe_parts_.clear();
    part_ = 0;
    Prepare(context_, &rows_);
    Prepare(context_, &in_);
    Prepare(context_, &piece_);
    row_ = 0;
    match_ = kNoRow;
    RETURN_IF_ERROR(probe_->Open());
    return build_->Open();
  }

  Status DoNext(Batch* out) override {
    if (!built_) RETURN_IF_ERROR(TakeBuildSide(out));
    out->Clear();
    if (!divided_ && rows_.empty()) return Status::Ok();
    const size_t want = sizer_.Next();
    left_rows_.clear();
    right_rows_.clear();
    while (left_rows_.size() < want) {
      if (match_ != kNoRow) {
        left_rows_.push_back(static_cast<uint32_t>(row_));
        right_rows_.push_back(match_);
        match_ = next_same_[match_];
        if (match_ == kNoRow) row_++;
        continue;
      }
      if (row_ >= in_.rows()) {
        if (!left_rows_.empty()) break;
        RETURN_IF_ERROR(NextProbeRows());
        row_ = 0;
        if (in_.empty()) return Status::Ok();
        Keys(in_);
      }
      const size_t group = AnyNull(keys_, row_) ? table_.size() : table_.Find(keys_, row_);
      if (group == table_.size()) {
        row_++;
      } else {
        match_ = first_[group];
      }
    }
    for (Slot slot : live_) {
      Column& to = out->column(slot);
      if (in_.column(slot).filled()) {
        to.AppendRows(in_.column(slot), left_rows_);
      } else if (rows_.column(slot).filled()) {
        to.AppendRows(rows_.column(slot), right_rows_);
      }
    }
    out->set_rows(left_rows_.size());
    return Status::Ok();
  }

 private:
  static bool AnyNull(const std::vector<const Column*>& keys, size_t row) {
    for (const Column* key : keys) {
      if (key->IsNull(row)) return true;
    }
    return false;
  }
  void Keys(const Batch& rows) {
    keys_.clear();
    for (Slot slot : plan_.slots) keys_.push_back(&rows.column(slot));
  }
  size_t Bytes(const Batch& rows) const { return HeldBytes(rows, build_->live()) + rows.rows() * kRowBytes; }

  Status TakeBuildSide(Batch* in) {
    built_ = true;
    Partitions out;
    while (true) {
      RETURN_IF_ERROR(build_->Next(in));
      if (in->empty()) break;
      if (!divided_) {
        ASSIGN_OR_RETURN(const Room room, Hold(Bytes(*in)));
        if (room == Room::kHeld) {
          rows_.AppendRows(*in, build_->live(), 0, in->rows());
          continue;
        }
        divided_ = true;
        ASSIGN_OR_RETURN(SpillFile * file, context_.spill());
        out.Start(file, &spilled_, 0);
        RETURN_IF_ERROR(Divide(rows_, build_->live(), &out));
        ForgetRows();
      }
      RETURN_IF_ERROR(Divide(*in, build_->live(), &out));
    }
    if (!divided_) return MakeTable();
    ASSIGN_OR_RETURN(build_parts_, out.Finish());
    return TakeProbeSide();
  }

  Status TakeProbeSide() {
    Partitions out;
    ASSIGN_OR_RETURN(SpillFile * file, context_.spill());
    out.Start(file, &spilled_, 0);
    probe_slots_.clear();
    while (true) {
      RETURN_IF_ERROR(probe_->Next(&in_));
      if (in_.empty()) break;
      if (probe_slots_.empty()) {
        for (Slot slot : probe_->live()) {
          if (in_.column(slot).filled()) probe_slots_.push_back(slot);
        }
      }
      RETURN_IF_ERROR(Divide(in_, probe_slots_, &out));
    }
    ASSIGN_OR_RETURN(probe_parts_, out.Finish());
    part_ = 0;
    return StartPart();
  }

  // Writes the rows whose key has no null: the others agree with nothing.
  Status Divide(const Batch& rows, const std::vector<Slot>& slots, Partitions* out) {
    Keys(rows);
    columns_.clear();
    for (Slot slot : slots) columns_.push_back(&rows.column(slot));
    for (size_t row = 0; row < rows.rows(); row++) {
      if (row % kBatchRowsMax == 0) RETURN_IF_ERROR(context_.CheckInterrupt());
      if (AnyNull(keys_, row)) continue;
      RETURN_IF_ERROR(out->Of(GroupTable::HashRow(keys_, row)).Add(columns_, row));
    }
    return Status::Ok();
  }

  void ForgetRows() {
    rows_ = Batch(context_.slot_count());
    table_.Start(plan_.slots.size());
    ReleaseAll();
  }

  // The next part that has rows on both sides; part_ is one past the last when there is none.
  Status StartPart() {
    for (; part_ < build_parts_.size(); part_++) {
      if (build_parts_[part_].empty() || probe_parts_[part_].empty()) continue;
      build_reader_ = RunReader(&build_parts_[part_]);
      probe_reader_ = RunReader(&probe_parts_[part_]);
      piece_.Clear();
      return NextPiece().status();
    }
    return Status::Ok();
  }

  // As many rows of the part's build side as there is room for; false at its end.
  Result<bool> NextPiece() {
    ForgetRows();
    while (true) {
      if (piece_.empty()) {
        piece_.Clear();
        std::vector<Column*> columns;
        for (Slot slot : build_->live()) columns.push_back(&piece_.column(slot));
        ASSIGN_OR_RETURN(const size_t rows, build_reader_.Read(columns, kBatchRowsMax));
        piece_.set_rows(rows);
        if (rows == 0) break;
      }
      ASSIGN_OR_RETURN(const Room room, Hold(Bytes(piece_)));
      if (room == Room::kSpill) {
        if (!rows_.empty()) break;   // it waits for the next piece
        context_.memory().Force(Bytes(piece_));
        charged_ += Bytes(piece_);
      }
      rows_.AppendRows(piece_, build_->live(), 0, piece_.rows());
      piece_.Clear();
    }
    if (rows_.empty()) return false;
    RETURN_IF_ERROR(MakeTable());
    return true;
  }

  // Fills in_; none at the end.
  Status NextProbeRows() {
    if (!divided_) return probe_->Next(&in_);
    in_.Clear();
    while (part_ < build_parts_.size()) {
      RETURN_IF_ERROR(context_.CheckInterrupt());
      std::vector<Column*> columns;
      for (Slot slot : probe_slots_) columns.push_back(&in_.column(slot));
      ASSIGN_OR_RETURN(const size_t rows, probe_reader_.Read(columns, kBatchRowsMax));
      in_.set_rows(rows);
      if (rows > 0) return Status::Ok();
      ASSIGN_OR_RETURN(const bool more, NextPiece());
      if (more) {
        probe_reader_.Rewind();
        continue;
      }
      build_parts_[part_].Drop();
      probe_parts_[part_].Drop();
      part_++;
      RETURN_IF_ERROR(StartPart());
    }
    return Status::Ok();
  }

  Status MakeTable() {
    table_.Start(plan_.slots.size());
    first_.clear();
    last_.clear();
    Keys(rows_);
    next_same_.assign(rows_.rows(), kNoRow);
    for (uint32_t row = 0; row < rows_.rows(); row++) {
      CountWork(8);
      if (AnyNull(keys_, row)) continue;
      bool added = false;
      const size_t group = table_.FindOrAdd(keys_, row, &added);
      if (added) {
        first_.push_back(row);
        last_.push_back(row);
      } else {
        next_same_[last_[group]] = row;
        last_[group] = row;
      }
    }
    return Status::Ok();
  }

  OperatorPtr probe_, build_;
  BatchSizer sizer_;
  Batch rows_, in_, piece_;
  GroupTable table_;
  std::vector<uint32_t> first_, last_, next_same_;
  std::vector<uint32_t> left_rows_, right_rows_;
  std::vector<const Column*> keys_, columns_;
  size_t row_ = 0;
  uint32_t match_ = kNoRow;
  bool built_ = false;
  bool divided_ = false;                      // both sides are on disk
  std::vector<Run> build_parts_, probe_parts_;
  size_t part_ = 0;
  RunReader build_reader_, probe_reader_;     // of part_
  std::vector<Slot> probe_slots_;
};

}  // namespace

OperatorPtr MakeHashJoin(Builder& builder, const PhysicalOperator& plan) { return std::make_unique<HashJoinOperator>(builder, plan); }

}  // namespace fornix::engine

// WriteOperator: what all writing operators do. They take in all their input, write, and only then give rows: so a clause sees the
// graph as the clauses before it left it, and a LIMIT above can't cut off writes. With stream_input, where nothing before
// reads the graph, rows are written as they come in and only what is live of them is kept.
#pragma once

#include "engine/exec/leaf.h"

namespace fornix::engine {

class WriteOperator : public Operator {
 public:
  WriteOperator(Builder& builder, const PhysicalOperator& plan) : Operator(builder, plan), child_(builder.Build(*plan.children[0])) {}

 protected:
  Status DoOpen() override {
    ReleaseAll();
    results_.Clear();
    done_ = false;
    return child_->Open();
  }

  Status DoNext(Batch* out) override {
    if (!done_) RETURN_IF_ERROR(Run());
    if (!results_.Take(out)) {
      out->Clear();
      ReleaseAll();
    }
    return Status::Ok();
  }

  // Evaluates what may be evaluated before anything is written; may be called for every batch before the first Write.
  virtual Status PrepareBatch(const Batch&) { return Status::Ok(); }
  // Writes for one batch of input, in order, and hands rows to Emit.
  virtual Status Write(Batch* rows) = 0;
  // After the last batch.
  virtual Status FinishWrites() { return Status::Ok(); }

  Status Emit(const Batch& rows) {
    if (rows.empty()) return Status::Ok();
    results_.Add(rows, live_, batch_rows());
    return Charge(rows.rows() * (live_.size() * sizeof(uint64_t) + 1));
  }
  size_t batch_rows() const { return context_.fixed_batch_rows() > 0 ? context_.fixed_batch_rows() : kBatchRowsMax; }

 private:
  Status Run() {
    done_ = true;
    std::vector<Batch> input;
    Batch batch(context_.slot_count());
    while (true) {
      RETURN_IF_ERROR(child_->Next(&batch));
      if (batch.empty()) break;
      RETURN_IF_ERROR(PrepareBatch(batch));
      if (plan_.stream_input) {
        RETURN_IF_ERROR(Write(&batch));
        RETURN_IF_ERROR(ChargeTransaction());
        continue;
      }
      RETURN_IF_ERROR(Charge(batch.MemoryBytes()));
      input.push_back(std::move(batch));
      batch = Batch(context_.slot_count());
    }
    for (Batch& rows : input) {
      RETURN_IF_ERROR(context_.CheckInterrupt());
      RETURN_IF_ERROR(Write(&rows));
      RETURN_IF_ERROR(ChargeTransaction());
      rows = Batch();
    }
    return FinishWrites();
  }

 protected:
  OperatorPtr child_;

 private:
  RowBuffer results_;
  bool done_ = false;
};

}  // namespace fornix::engine

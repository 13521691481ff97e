// VectorSeed: the nearest elements of a vector index, by descending score.
//
// The index is asked for all k hits at once (its search has no cheap continuation), but rows leave in batches of 1, 2, 4 ...,
// so that a LIMIT above stops the expansion of later hits: at most about as many are expanded in vain as were needed. Distance computations go into the profile.
#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/vector_argument.h"

namespace fornix::engine {
namespace {

class VectorSeedOperator : public LeafOperator {
 public:
  VectorSeedOperator(Builder& builder, const PhysicalOperator& plan)
      : LeafOperator(builder, plan),
        query_(builder.Compile(*plan.exprs[0])),
        limit_(builder.Compile(*plan.exprs[1])),
        filter_(builder.CompileOptional(plan.predicate)) {}

 protected:
  Status DoOpen() override {
    started_ = false;
    want_ = context_.fixed_batch_rows() ? context_.fixed_batch_rows() : 1;
    return LeafOperator::DoOpen();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    const size_t want = std::min(sizer_.Next(), want_);
    want_ = std::min(want_ * 2, kBatchRowsMax);   // without its bound it would come to 0 after 64 batches, and hits be lost
    for (; !at_end(); NextRow(), started_ = false) {
      if (!started_) RETURN_IF_ERROR(Start());
      const size_t n = std::min(want, hits_.size() - next_);
      if (n == 0) continue;
      for (size_t i = 0; i < n; i++) {
        const storage::VectorHit& hit = hits_[next_ + i];
        if (plan_.relationship != kNoSlot) {
          out->column(plan_.relationship).AppendRelationship(RelId(hit.id));
        } else {
          out->column(plan_.node).AppendNode(NodeId(hit.id));
        }
        if (plan_.score != kNoSlot) out->column(plan_.score).AppendFloat(hit.score);
      }
      next_ += n;
      FillFromArgument(out, n);
      return Status::Ok();
    }
    return Status::Ok();
  }

 private:
  Status Start() {
    started_ = true;
    hits_.clear();
    next_ = 0;
    const uint32_t row = argument_row();
    ASSIGN_OR_RETURN(const Value query, query_->EvaluateRow(argument_batch(), row));
    ASSIGN_OR_RETURN(const Value limit, limit_->EvaluateRow(argument_batch(), row));
    if (query.is_null()) return Status::Ok();
    const bool relationship = plan_.relationship != kNoSlot;
    ASSIGN_OR_RETURN(const storage::IndexDefinition* index,
                     FindVectorIndex(context_.view().schema(), plan_.index_name,
                                     relationship ? storage::EntityKind::kRelationship : storage::EntityKind::kNode));
    std::vector<float> vector;
    if (Status status = ReadQueryVector(query, *index, &vector); !status.ok()) return std::move(status).At(query_->expr().position);
    const Result<size_t> count = ReadHitCount(limit);
    if (!count.ok()) return Status(count.status()).At(limit_->expr().position);
    const size_t k = *count;
    if (k == 0) return Status::Ok();
    std::function<bool(uint64_t)> filter;
    Status filter_status;
    Batch one(context_.slot_count());
    if (filter_ != nullptr) {
      filter = [&](uint64_t id) {
        if (!filter_status.ok()) return false;
        one.Clear();
        if (relationship) {
          one.column(plan_.relationship).AppendRelationship(RelId(id));
        } else {
          one.column(plan_.node).AppendNode(NodeId(id));
        }
        for (Slot slot = 0; slot < argument_batch().slots(); slot++) {
          const Column& from = argument_batch().column(slot);
          if (from.filled() && !one.column(slot).filled()) one.column(slot).AppendFrom(from, row);
        }
        one.set_rows(1);
        std::vector<uint32_t> keep;
        filter_status = SelectTrue(*filter_, one, AllRows(one), &keep);
        return filter_status.ok() && !keep.empty();
      };
    }
    storage::VectorSearchStats stats;
    const storage::VectorQuery wanted = {.vector = vector, .k = k, .filter = filter, .cancel = [this] { return context_.CheckInterrupt(); }};
    RETURN_IF_ERROR(context_.view().SearchVector(index->id, wanted, &hits_, &stats));
    RETURN_IF_ERROR(filter_status);
    if (context_.profiling()) context_.profile(plan_.id).distance_computations += stats.distance_computations;
    CountHits(hits_.size());
    return Status::Ok();
  }

  EvaluatorPtr query_, limit_, filter_;
  std::vector<storage::VectorHit> hits_;
  size_t next_ = 0;
  size_t want_ = 1;
  bool started_ = false;
};

}  // namespace

OperatorPtr MakeVectorSeed(Builder& builder, const PhysicalOperator& plan) {
  return std::make_unique<VectorSeedOperator>(builder, plan);
}

}  // namespace fornix::engine

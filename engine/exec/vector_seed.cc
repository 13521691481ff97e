// VectorSeed: the nearest elements of a vector index, by descending score.
//
// The index is asked for all k hits at once (its search has no cheap continuation), but rows leave in batches of 1, 2, 4 ...,
// so that a LIMIT above stops the expansion of later hits: at most about as many are expanded in vain as were needed.
//
// A filter goes into the search. Where the plan has sources for the elements that may pass (planner/physical/seed_ids.h), they are
// listed first, unless they turn out to be too many; what is left of the filter is asked of short lists a batch at a time, of
// others when the search comes across a candidate.
//
// With scan_else it stands for a scan that is sorted by similarity above, and does that scan itself where that's as good: few elements, many
// rows wanted, a query that is no vector of this index. So what the scan's expressions say of such a query stays said.
#include <algorithm>
#include <numeric>

#include "engine/exec/leaf.h"
#include "engine/exec/operators.h"
#include "engine/exec/vector_argument.h"
#include "engine/exec/vector_exact.h"
#include "planner/physical/similarity_scan.h"

namespace fornix::engine {
namespace {

constexpr size_t kIdsAlways = 1024;        // a list so short is used however small the index is
constexpr size_t kIdsFiltered = 16'384;    // about 5 ms for a property; a search asks of some thousand candidates
constexpr uint64_t kScanShare = 10;        // wanting more than a tenth of all, a walk is no faster than a scan

class VectorSeedOperator : public LeafOperator {
 public:
  VectorSeedOperator(Builder& builder, const PhysicalOperator& plan)
      : LeafOperator(builder, plan),
        query_(builder.Compile(*plan.exprs[0])),
        limit_(builder.Compile(*plan.exprs[1])),
        second_(builder.CompileOptional(plan.exprs[2])),
        options_(plan.exprs.size() > 3 ? builder.CompileOptional(plan.exprs[3]) : nullptr),
        filter_(builder.CompileOptional(plan.predicate)),
        element_(plan.relationship != kNoSlot ? plan.relationship : plan.node) {
    for (const auto& child : plan.children) sources_.push_back(builder.BuildInner(*child, &source_));
  }

 protected:
  Status DoOpen() override {
    started_ = false;
    ReleaseAll();
    want_ = context_.fixed_batch_rows() ? context_.fixed_batch_rows() : 1;
    return LeafOperator::DoOpen();
  }

  Status DoNext(Batch* out) override {
    out->Clear();
    const size_t want = std::min(sizer_.Next(), want_);
    want_ = std::min(want_ * 2, kBatchRowsMax);   // without its bound it would come to 0 after 64 batches, and hits be lost
    for (; !at_end(); NextRow(), started_ = false) {
      if (!started_) RETURN_IF_ERROR(Start());
      if (scanning_) {
        RETURN_IF_ERROR(sources_[0]->Next(out));
        if (out->empty()) continue;
        FillFromArgument(out, out->rows());
        return Status::Ok();
      }
      const size_t n = std::min(want, hits_.size() - next_);
      if (n == 0) continue;
      for (size_t i = 0; i < n; i++) {
        const storage::VectorHit& hit = hits_[next_ + i];
        AppendElement(hit.id, &out->column(element_));
        if (plan_.score != kNoSlot) out->column(plan_.score).AppendFloat(hit.score);
      }
      next_ += n;
      FillFromArgument(out, n);
      return Status::Ok();
    }
    return Status::Ok();
  }

 private:
  bool of_relationships() const { return plan_.relationship != kNoSlot; }
  void AppendElement(uint64_t id, Column* column) const {
    of_relationships() ? column->AppendRelationship(RelId(id)) : column->AppendNode(NodeId(id));
  }

  Status Start() {
    started_ = true;
    scanning_ = false;
    hits_.clear();
    next_ = 0;
    ReleaseAll();
    const uint32_t row = argument_row();
    ASSIGN_OR_RETURN(const Value query, query_->EvaluateRow(argument_batch(), row));
    ASSIGN_OR_RETURN(const Value limit, limit_->EvaluateRow(argument_batch(), row));
    ASSIGN_OR_RETURN(const storage::IndexDefinition* index,
                     FindVectorIndex(context_.view().schema(), plan_.index_name,
                                     of_relationships() ? storage::EntityKind::kRelationship : storage::EntityKind::kNode));
    if (plan_.scan_else) return StartForScan(*index, query, limit);
    if (query.is_null()) return Status::Ok();
    std::vector<float> vector;
    if (Status status = ReadQueryVector(query, *index, &vector); !status.ok()) return std::move(status).At(query_->expr().position);
    const Result<size_t> count = ReadHitCount(limit);
    if (!count.ok()) return Status(count.status()).At(limit_->expr().position);
    SearchOptions options;
    if (options_ != nullptr) {
      ASSIGN_OR_RETURN(const Value map, options_->EvaluateRow(argument_batch(), row));
      Result<SearchOptions> read = ReadSearchOptions(map);
      if (!read.ok()) return Status(read.status()).At(options_->expr().position);
      options = *read;
    }
    return *count == 0 ? Status::Ok() : Search(*index, vector, *count, options);
  }

  // The first limit + skip rows of a sort by similarity above.
  Status StartForScan(const storage::IndexDefinition& index, const Value& query, const Value& limit) {
    Value skip(0);
    if (second_ != nullptr) {
      ASSIGN_OR_RETURN(skip, second_->EvaluateRow(argument_batch(), argument_row()));
    }
    const uint64_t elements = CountIndexed(context_.view(), index);
    const auto count = [&](const Value& v) { return v.type() == Type::kInteger && v.AsInteger() >= 0 ? static_cast<uint64_t>(v.AsInteger()) : elements; };
    const uint64_t first = std::min(count(limit), elements), more = std::min(count(skip), elements);
    std::vector<float> vector;
    const bool searched = elements > planner::kScannedElements && (first + more) * kScanShare <= elements && first > 0 && ReadVector(query, "the vector", &vector).ok();
    if (searched) {
      const Status status = Search(index, vector, static_cast<size_t>(first + more), {});
      if (status.code() != Code::kArgumentError) {
        if (status.ok()) NoteApproximation();
        return status;
      }
    }
    scanning_ = true;
    hits_.clear();
    if (context_.profiling()) {
      context_.profile(plan_.id).searches.count++;
      context_.profile(plan_.id).searches.scanned++;
    }
    source_ = {&argument_batch(), argument_row(), 1};
    return sources_[0]->Open();
  }

  void NoteApproximation() {
    if (exact_ || notified_) return;
    notified_ = true;
    context_.Notify({"Neo.ClientNotification.Statement.ApproximateVectorSearch", "The nearest rows come from an approximate index.",
                     "The sort by similarity to " + query_->expr().text + " takes its rows from the vector index `" + plan_.index_name +
                         "`, which may miss a near one. `CYPHER vectorSearch=exact` before the statement compares every row.",
                     "INFORMATION", query_->expr().position});
  }

  Status Search(const storage::IndexDefinition& index, std::span<const float> vector, size_t k, const SearchOptions& options) {
    storage::VectorSearchStats stats;
    bool listed = false;
    ids_.clear();
    asked_.clear();
    if (!plan_.scan_else && !sources_.empty()) {
      if (!options.exact) {
        ASSIGN_OR_RETURN(listed, ListIds(index));
      }
      if (!listed && second_ != nullptr) asked_.push_back(second_.get());
    }
    if (filter_ != nullptr) asked_.push_back(filter_.get());
    if (listed && ids_.size() <= kIdsFiltered) {
      RETURN_IF_ERROR(Keep(&ids_));
      asked_.clear();
    }
    if (options.exact) {
      KeepIds keep;
      if (!asked_.empty()) keep = [&](std::vector<uint64_t>* ids) { return Keep(ids); };
      RETURN_IF_ERROR(SearchExactly(context_, index, vector, k, keep, &hits_, &stats));
    } else {
      Status failed;
      storage::VectorQuery wanted{.vector = vector, .k = k, .ef = options.ef, .filter = {}, .ids = {}, .cancel = {}};
      wanted.cancel = [&]() -> Status { return failed.ok() ? context_.CheckInterrupt() : failed; };
      if (listed) wanted.ids = ids_;
      if (!asked_.empty()) {
        FillRow(1);
        rows_.set_rows(1);
        wanted.filter = [&](uint64_t id) { return Passes(id, &failed); };
      }
      RETURN_IF_ERROR(context_.view().SearchVector(index.id, wanted, &hits_, &stats));
      RETURN_IF_ERROR(failed);
    }
    exact_ = stats.exact;
    RETURN_IF_ERROR(Charge(hits_.size() * sizeof(storage::VectorHit)));
    if (context_.profiling()) Note(stats, listed);
    CountHits(hits_.size());
    return Status::Ok();
  }

  // The elements that the sources find, ascending; false if they are too many for a list to be worth it.
  Result<bool> ListIds(const storage::IndexDefinition& index) {
    const size_t most = std::max<size_t>(kIdsAlways, static_cast<size_t>(CountIndexed(context_.view(), index) / 2));
    source_ = {&argument_batch(), argument_row(), 1};
    size_t distinct = 0;   // of the first so many it is known that they are
    const auto shrink = [&] {
      std::sort(ids_.begin(), ids_.end());
      ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
      distinct = ids_.size();
    };
    for (const OperatorPtr& source : sources_) {
      RETURN_IF_ERROR(source->Open());
      while (true) {
        Prepare(context_, &found_);
        RETURN_IF_ERROR(source->Next(&found_));
        if (found_.empty()) break;
        if (ids_.capacity() < ids_.size() + found_.rows()) {
          const size_t grown = std::max<size_t>(2 * ids_.capacity(), 1024 + found_.rows());
          if (!context_.memory().Hold((grown - ids_.capacity()) * sizeof(uint64_t), name())) return GiveUpList();
          charged_ += (grown - ids_.capacity()) * sizeof(uint64_t);
          ids_.reserve(grown);
        }
        const Column& column = found_.column(element_);
        for (size_t i = 0; i < found_.rows(); i++) {
          if (!column.IsNull(i)) ids_.push_back(column.kind() == ColumnKind::kBoxed ? IdOf(column.boxed_at(i)) : column.word(i));
        }
        if (ids_.size() > most && ids_.size() > 2 * distinct) {   // a pattern finds an element many times
          shrink();
          if (distinct > most) return GiveUpList();
        }
      }
    }
    shrink();
    return ids_.size() <= most ? true : GiveUpList();
  }
  bool GiveUpList() {
    std::vector<uint64_t>().swap(ids_);
    ReleaseAll();
    return false;
  }
  static uint64_t IdOf(const Value& v) { return v.type() == Type::kRelationshipRef ? v.AsRelationshipRef() : v.AsNodeRef(); }

  // Leaves the ids for which all that is asked is true, a batch at a time.
  Status Keep(std::vector<uint64_t>* ids) {
    size_t kept = 0;
    for (size_t first = 0; first < ids->size(); first += kBatchRowsMax) {
      RETURN_IF_ERROR(context_.CheckInterrupt());
      const size_t n = std::min(kBatchRowsMax, ids->size() - first);
      FillRow(n);
      Column& column = rows_.column(element_);
      column.Start(of_relationships() ? ColumnKind::kRelationship : ColumnKind::kNode, n);
      std::copy_n(ids->begin() + static_cast<ptrdiff_t>(first), n, column.mutable_words());
      rows_.set_rows(n);
      RETURN_IF_ERROR(Select());
      for (const uint32_t row : keep_) (*ids)[kept++] = (*ids)[first + row];
    }
    ids->resize(kept);
    return Status::Ok();
  }

  // The rows of rows_ for which all that is asked is true.
  Status Select() {
    keep_.resize(rows_.rows());
    std::iota(keep_.begin(), keep_.end(), 0);
    for (Evaluator* filter : asked_) {
      passed_.clear();
      if (keep_.empty()) break;
      const Selection rows = keep_.size() == rows_.rows() ? AllRows(rows_) : Selection{keep_.data(), keep_.size()};
      RETURN_IF_ERROR(SelectTrue(*filter, rows_, rows, &passed_));
      keep_.swap(passed_);
    }
    return Status::Ok();
  }

  // What is asked reads of the outer row, `n` times over.
  void FillRow(size_t n) {
    Prepare(context_, &rows_);
    std::vector<Slot> slots;
    for (const Evaluator* filter : asked_) {
      if (CollectSlots(filter->expr(), &slots)) continue;
      for (Slot slot = 0; slot < argument_batch().slots(); slot++) slots.push_back(slot);
    }
    for (const Slot slot : slots) {
      if (slot >= argument_batch().slots()) continue;
      const Column& from = argument_batch().column(slot);
      if (slot != element_ && from.filled() && !rows_.column(slot).filled()) rows_.column(slot).AppendRepeated(from, argument_row(), n);
    }
  }

  // Of a single candidate: rows_ has one row, in which only the element changes.
  bool Passes(uint64_t id, Status* failed) {
    if (!failed->ok()) return false;
    Column& column = rows_.column(element_);
    column.Clear();
    AppendElement(id, &column);
    *failed = Select();
    return failed->ok() && !keep_.empty();
  }

  void Note(const storage::VectorSearchStats& stats, bool listed) {
    planner::OperatorProfile& profile = context_.profile(plan_.id);
    profile.distance_computations += stats.distance_computations;
    planner::OperatorProfile::Searches& s = profile.searches;
    s.count++;
    s.passing += stats.passing;
    s.reranked += stats.reranked;
    s.unlinked += stats.unlinked;
    s.rejected += stats.candidates_rejected;
    s.exact = s.exact && stats.exact;
    if (listed) {
      s.listed++;
      s.ids += ids_.size();
    }
    if (!stats.strategy.empty() && std::find(s.strategies.begin(), s.strategies.end(), stats.strategy) == s.strategies.end()) s.strategies.push_back(stats.strategy);
  }

  EvaluatorPtr query_, limit_;
  EvaluatorPtr second_;                       // of a list: the part of the filter that it answers; of a scan: how many rows are skipped
  EvaluatorPtr options_, filter_;
  const Slot element_;
  std::vector<OperatorPtr> sources_;
  ArgumentSource source_;                     // of the sources: one row
  std::vector<storage::VectorHit> hits_;
  std::vector<uint64_t> ids_;
  Batch found_, rows_;
  std::vector<uint32_t> keep_, passed_;
  std::vector<Evaluator*> asked_;             // of the search that runs: what is left of the filter
  size_t next_ = 0;
  size_t want_ = 1;
  bool started_ = false, scanning_ = false, exact_ = false, notified_ = false;
};

}  // namespace

OperatorPtr MakeVectorSeed(Builder& builder, const PhysicalOperator& plan) {
  return std::make_unique<VectorSeedOperator>(builder, plan);
}

}  // namespace fornix::engine

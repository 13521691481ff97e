// db.index.vector.recallCheck: how many of the true nearest a vector index finds, measured on the vectors that are in it.
//
// Some of its elements, evenly spread over the ids, are taken as queries. One pass over all elements compares each with every query, which is
// the truth; then the index is asked. A hit that is none of the exact k but as near as the last of them counts as found: of vectors
// that are equally far, any will do. Everything sees one snapshot. The same call on the same data takes the same queries.
#include <algorithm>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/nearest.h"
#include "base/value_format.h"
#include "engine/exec/context.h"
#include "engine/exec/vector_argument.h"
#include "engine/exec/vector_exact.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/procedure/signature.h"

namespace fornix::engine {
namespace {

using storage::VectorHit;

constexpr int64_t kSampleDefault = 100, kSampleMax = 10'000;
constexpr int64_t kNearestDefault = 10, kNearestMax = 1000;

struct RecallOptions {
  size_t sample = kSampleDefault, k = kNearestDefault;
  SearchOptions search;
};

Result<size_t> Count(const std::string& key, const Value& value, int64_t most) {
  if (value.type() != Type::kInteger || value.AsInteger() < 1 || value.AsInteger() > most) {
    return Status(Code::kArgumentError, "the option `" + key + "` takes an integer from 1 to " + std::to_string(most) + ", but was " + ToShortText(value));
  }
  return static_cast<size_t>(value.AsInteger());
}

Result<RecallOptions> ReadOptions(const Value& value) {
  RecallOptions options;
  if (value.is_null()) return options;
  for (const auto& [key, given] : value.AsMap()) {
    if (key == "sample") {
      ASSIGN_OR_RETURN(options.sample, Count(key, given, kSampleMax));
    } else if (key == "k") {
      ASSIGN_OR_RETURN(options.k, Count(key, given, kNearestMax));
    } else if (key == "ef") {
      ASSIGN_OR_RETURN(options.search, ReadSearchOptions(Value(Map{{"ef", given}})));
    } else {
      return Status(Code::kArgumentError, "`" + key + "` is no option of db.index.vector.recallCheck" + DidYouMeanOrAll(key, {"sample", "k", "ef"}));
    }
  }
  return options;
}

class RecallCheck {
 public:
  RecallCheck(ExecutionContext& context, const storage::IndexDefinition& index, const RecallOptions& options)
      : context_(context), index_(index), options_(options), charge_(context, "db.index.vector.recallCheck"), nearest_(options.k, index) {}

  Result<List> Run() {
    RETURN_IF_ERROR(TakeSample());
    uint64_t start = MonotonicNanos();
    RETURN_IF_ERROR(CompareAll());
    const uint64_t exact_ns = MonotonicNanos() - start;
    start = MonotonicNanos();
    RETURN_IF_ERROR(AskIndex());
    const uint64_t index_ns = MonotonicNanos() - start;
    const double n = static_cast<double>(queries_.size());
    const auto mean = [&](double sum) { return queries_.empty() ? Value() : Value(sum / n); };
    return List{Value(index_.name), Value(static_cast<int64_t>(queries_.size())), Value(static_cast<int64_t>(options_.k)),
                wanted_ == 0 ? Value() : Value(static_cast<double>(found_) / static_cast<double>(wanted_)),
                mean(static_cast<double>(distances_)), Value(static_cast<int64_t>(vectors_)), mean(static_cast<double>(index_ns) / 1e6),
                mean(static_cast<double>(exact_ns) / 1e6)};
  }

 private:
  Status TakeSample() {
    const uint64_t elements = CountIndexed(context_.view(), index_);
    const uint64_t step = std::max<uint64_t>(1, elements / options_.sample);
    FloatReader reader(context_, index_);
    uint64_t place = 0, next = 0;
    size_t dimensions = index_.vector.dimensions;
    const auto take = [&](std::span<const uint64_t> ids) -> Status {
      if (queries_.size() < options_.sample && place + ids.size() > next) {
        reader.Gather(ids);
        std::vector<float> v;
        for (size_t i = 0; i < ids.size() && queries_.size() < options_.sample; i++) {
          if (place + i < next) continue;
          if (dimensions == 0) dimensions = reader.Dimensions(i);   // the first vector's, as the index took them
          if (dimensions == 0 || !reader.Read(i, dimensions, &v)) continue;
          RETURN_IF_ERROR(charge_.Add(v.size() * sizeof(float) + 2 * options_.k * sizeof(VectorHit)));
          queries_.push_back(v);
          next = place + i + step;
        }
      }
      place += ids.size();
      return Status::Ok();
    };
    return VisitIndexed(context_, index_, take);
  }

  Status CompareAll() {
    nearest_.Start(queries_.size());
    if (queries_.empty()) return Status::Ok();
    FloatReader reader(context_, index_);
    std::vector<float> v;
    const auto compare = [&](std::span<const uint64_t> ids) -> Status {
      reader.Gather(ids);
      for (size_t i = 0; i < ids.size(); i++) {
        if (!reader.Read(i, queries_[0].size(), &v)) continue;
        vectors_++;
        for (size_t q = 0; q < queries_.size(); q++) nearest_.Add(q, queries_[q], ids[i], v);
      }
      return Status::Ok();
    };
    RETURN_IF_ERROR(VisitIndexed(context_, index_, compare));
    nearest_.Finish();
    return Status::Ok();
  }

  Status AskIndex() {
    std::vector<VectorHit> hits;
    for (size_t q = 0; q < queries_.size(); q++) {
      storage::VectorSearchStats stats;
      const storage::VectorQuery wanted{.vector = queries_[q], .k = options_.k, .ef = options_.search.ef, .filter = {}, .ids = {},
                                        .cancel = [&] { return context_.CheckInterrupt(); }};
      RETURN_IF_ERROR(context_.view().SearchVector(index_.id, wanted, &hits, &stats));
      distances_ += stats.distance_computations;
      RETURN_IF_ERROR(CountFound(nearest_.of(q), queries_[q], hits));
    }
    return Status::Ok();
  }

  Status CountFound(const std::vector<VectorHit>& exact, std::span<const float> query, const std::vector<VectorHit>& hits) {
    wanted_ += exact.size();
    std::vector<uint64_t> others;
    for (const VectorHit& hit : hits) {
      const bool same = std::any_of(exact.begin(), exact.end(), [&](const VectorHit& e) { return e.id == hit.id; });
      same ? void(found_++) : others.push_back(hit.id);
    }
    if (exact.empty() || others.empty()) return Status::Ok();
    FloatReader reader(context_, index_);
    reader.Gather(others);
    std::vector<float> v;
    for (size_t i = 0; i < others.size(); i++) {
      found_ += reader.Read(i, query.size(), &v) && nearest_.ScoreOf(query, v) >= exact.back().score;
    }
    return Status::Ok();
  }

  ExecutionContext& context_;
  const storage::IndexDefinition& index_;
  const RecallOptions options_;
  ScratchCharge charge_;
  std::vector<std::vector<float>> queries_;
  ExactNearest nearest_;
  uint64_t vectors_ = 0, distances_ = 0, found_ = 0, wanted_ = 0;
};

Result<std::vector<List>> Check(ExecutionContext& context, std::span<const Value> arguments) {
  std::vector<List> rows;
  if (arguments[0].is_null()) return rows;
  const storage::SchemaVersion& schema = context.view().schema();
  const storage::IndexDefinition* known = schema.FindIndex(arguments[0].AsString());
  const storage::EntityKind entity = known != nullptr ? known->entity : storage::EntityKind::kNode;
  ASSIGN_OR_RETURN(const storage::IndexDefinition* index, FindVectorIndex(schema, arguments[0].AsString(), entity));
  ASSIGN_OR_RETURN(const RecallOptions options, ReadOptions(arguments[1]));
  ASSIGN_OR_RETURN(List row, RecallCheck(context, *index, options).Run());
  rows.push_back(std::move(row));
  return rows;
}

}  // namespace

void AddRecallProcedures(ProcedureCatalog* catalog) {
  catalog->AddBuiltin(
      Signature("db.index.vector.recallCheck", {StringField("indexName"), Optional(MapField("options"))},
                {StringField("index"), IntegerField("sample"), IntegerField("k"), FloatField("recall"), FloatField("distances"), IntegerField("vectors"),
                 FloatField("indexMilliseconds"), FloatField("exactMilliseconds")},
                "Measure a vector index on its own vectors: of the k nearest of `sample` of them the share that it finds, and what a search costs beside comparing all."),
      std::make_unique<RowsProcedure>(Check));
}

}  // namespace fornix::engine

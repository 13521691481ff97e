#include "bench/vector/public_index.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

#include "base/clock.h"

namespace fornix::bench {
namespace {

void Check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "vector benchmark: %s\n", status.ToString().c_str());
  std::exit(1);
}
template <typename T>
T Take(Result<T> result) {
  Check(result.status());
  return std::move(result).value();
}

const char* PropertyOf(FilterBy by) { return by == FilterBy::kRank ? "rank" : "near"; }
std::string FilteredText(FilterBy by) {
  return std::string("MATCH (p:Item) SEARCH p IN (VECTOR INDEX look FOR $q WHERE p.") + PropertyOf(by) + " < $below LIMIT 10) SCORE AS s RETURN p.id";
}
Value Count(size_t n) { return Value(static_cast<int64_t>(n)); }

}  // namespace

PublicIndex::PublicIndex(const Dataset& data, const std::string& quantization, const std::string& path) : data_(data) {
  rank_.resize(data.base.size());
  std::iota(rank_.begin(), rank_.end(), 0);
  std::mt19937 random(11);
  std::shuffle(rank_.begin(), rank_.end(), random);
  std::vector<std::pair<double, uint32_t>> by_distance;
  for (uint32_t i = 0; i < data.base.size(); ++i) by_distance.emplace_back(Distance(data.metric, data.queries[0], data.base[i]), i);
  std::sort(by_distance.begin(), by_distance.end());
  near_.resize(data.base.size());
  for (uint32_t place = 0; place < by_distance.size(); ++place) near_[by_distance[place].second] = place;
  for (const std::vector<float>& query : data.queries) queries_.push_back(Value::Vector(query));

  database_ = Take(Database::Open(path));
  connection_ = database_->Connect();
  const std::vector<Row> there = Take(connection_->Query("MATCH (p:Item) RETURN count(*)"));
  if (there[0][0].AsInteger() != static_cast<int64_t>(data.base.size())) Load(quantization);
  Check(connection_->Query("CALL db.awaitIndexes()").status());
  search_ = Take(connection_->Prepare("CALL db.index.vector.queryNodes($index, 10, $q, $options) YIELD node RETURN node.id"));
  by_rank_ = Take(connection_->Prepare(FilteredText(FilterBy::kRank)));
  by_near_ = Take(connection_->Prepare(FilteredText(FilterBy::kNear)));
}

PublicIndex::~PublicIndex() {
  search_.reset();
  by_rank_.reset();
  by_near_.reset();
  connection_.reset();
  Check(database_->Close());
}

void PublicIndex::Load(const std::string& quantization) {
  Check(connection_->Query("MATCH (p:Item) DETACH DELETE p").status());
  Check(connection_->Query("DROP INDEX look IF EXISTS").status());
  Check(connection_->Query("CREATE INDEX rank IF NOT EXISTS FOR (p:Item) ON (p.rank)").status());
  const std::string metric(vector::MetricName(data_.metric));
  Check(connection_->Query("CREATE VECTOR INDEX look FOR (p:Item) ON (p.look) OPTIONS {indexConfig: {`vector.dimensions`: " + std::to_string(data_.dimensions) +
                           ", `vector.similarity_function`: '" + metric + "', `vector.quantization.type`: '" + quantization + "'}}").status());
  std::vector<List> batches;   // made before the clock starts
  for (size_t i = 0; i < data_.base.size(); ++i) {
    if (i % 500 == 0) batches.emplace_back();
    batches.back().push_back(Value(Map({{"id", Count(i)}, {"rank", Count(rank_[i])}, {"near", Count(near_[i])}, {"look", Value::Vector(data_.base[i])}})));
  }
  const uint64_t start = MonotonicNanos();
  for (List& batch : batches) {
    Check(connection_->Query("UNWIND $rows AS row CREATE (:Item {id: row.id, rank: row.rank, near: row.near, look: row.look})",
                             Map({{"rows", Value(std::move(batch))}})).status());
  }
  Check(connection_->Query("CALL db.awaitIndexes()").status());
  load_seconds_ = static_cast<double>(MonotonicNanos() - start) / 1e9;
}

void PublicIndex::Read(const Prepared& statement, const Map& parameters, std::vector<uint32_t>* ids) {
  rows_.clear();
  auto cursor = Take(connection_->Execute(statement, parameters));
  while (!cursor->done()) Check(cursor->Fetch(100, &rows_));
  ids->clear();
  for (const Row& row : rows_) ids->push_back(static_cast<uint32_t>(row[0].AsInteger()));
}

void PublicIndex::Search(size_t query, size_t beam, std::vector<uint32_t>* ids) {
  Read(*search_, Map({{"index", Value("look")}, {"q", queries_[query]}, {"options", Value(beam == 0 ? Map() : Map{{"ef", Count(beam)}})}}), ids);
}

void PublicIndex::SearchFiltered(size_t query, FilterBy by, size_t below, std::vector<uint32_t>* ids) {
  Read(by == FilterBy::kRank ? *by_rank_ : *by_near_, Map({{"q", queries_[query]}, {"below", Count(below)}}), ids);
}

std::string PublicIndex::ProfileFiltered(size_t query, FilterBy by, size_t below) {
  auto cursor = Take(connection_->Execute("PROFILE " + FilteredText(by), Map({{"q", queries_[query]}, {"below", Count(below)}})));
  while (!cursor->done()) Check(cursor->Fetch(100, &rows_));
  const PlanNode* node = &*cursor->summary().plan;
  while (!node->children.empty()) node = &node->children[0];
  return node->details;
}

double PublicIndex::FilteredRecall(size_t query, FilterBy by, size_t below, const std::vector<uint32_t>& found) const {
  const std::vector<uint32_t>& order = by == FilterBy::kRank ? rank_ : near_;
  std::vector<std::pair<double, uint32_t>> passing;
  for (uint32_t i = 0; i < order.size(); ++i) {
    if (order[i] < below) passing.emplace_back(Distance(data_.metric, data_.queries[query], data_.base[i]), i);
  }
  std::sort(passing.begin(), passing.end());
  const size_t wanted = std::min<size_t>(kNeighbours, passing.size());
  if (wanted == 0) return 1;
  const double farthest = passing[wanted - 1].first;
  size_t right = 0;
  for (uint32_t id : found) right += order[id] < below && Distance(data_.metric, data_.queries[query], data_.base[id]) <= farthest;
  return static_cast<double>(std::min(right, wanted)) / static_cast<double>(wanted);
}

}  // namespace fornix::bench

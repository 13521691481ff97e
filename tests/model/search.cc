// Vector search by looking at every node.
#include <algorithm>
#include <cmath>

#include "tests/model/interpreter.h"

namespace fornix::model {

namespace {

// The numbers of a list or vector; empty if it isn't one.
std::vector<double> Numbers(const Value& value) {
  std::vector<double> out;
  if (value.type() == Type::kVector) {
    out.assign(value.AsVector().begin(), value.AsVector().end());
  } else if (value.type() == Type::kList) {
    for (const Value& element : value.AsList()) {
      if (!element.is_number()) return {};
      out.push_back(element.AsNumber());
    }
  }
  return out;
}

// 0..1, the larger the nearer, as Neo4j scores.
double Score(const std::string& similarity, const std::vector<double>& a, const std::vector<double>& b) {
  double dot = 0, aa = 0, bb = 0, distance = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    distance += (a[i] - b[i]) * (a[i] - b[i]);
  }
  if (similarity == "euclidean") return 1 / (1 + distance);
  if (similarity == "dot") return (1 + dot) / 2;
  return (1 + dot / std::sqrt(aa * bb)) / 2;
}

}  // namespace

Result<std::vector<Interpreter::Scored>> Interpreter::Search(const std::string& name, const Value& query, int64_t limit,
                                                             const std::function<Result<bool>(uint64_t)>& keep) {
  auto index = std::find_if(graph_->indexes.begin(), graph_->indexes.end(), [&](const Index& i) {
    return i.name == name && i.kind == ast::SchemaCommand::IndexKind::kVector;
  });
  if (index == graph_->indexes.end()) return Status(Code::kSchemaNotFound, "there is no vector index " + name);
  std::vector<Scored> hits;
  if (query.is_null()) return hits;
  const std::vector<double> wanted = Numbers(query);
  if (wanted.empty() || (index->dimensions != 0 && static_cast<int64_t>(wanted.size()) != index->dimensions)) {
    return Status(Code::kArgumentError, "the vector searched for has another number of dimensions");
  }
  for (const auto& [id, node] : graph_->nodes) {
    const bool labelled = std::any_of(index->labels.begin(), index->labels.end(),
                                      [&](const std::string& label) { return node.labels.contains(label); });
    const Value* property = node.properties.Find(index->properties[0]);
    if (!labelled || property == nullptr) continue;
    const std::vector<double> vector = Numbers(*property);
    if (vector.size() != wanted.size()) continue;
    const bool zero = std::all_of(vector.begin(), vector.end(), [](double x) { return x == 0; });
    if (zero && index->similarity == "cosine") continue;
    bool kept = true;
    if (keep) { ASSIGN_OR_RETURN(kept, keep(id)); }
    if (kept) hits.push_back({id, Score(index->similarity, wanted, vector)});
  }
  std::stable_sort(hits.begin(), hits.end(), [](const Scored& a, const Scored& b) { return a.score > b.score; });  // ties by id
  if (static_cast<int64_t>(hits.size()) > limit) hits.resize(static_cast<size_t>(limit));
  return hits;
}

}  // namespace fornix::model

// Patterns: for each part its first node runs over all nodes, each relationship over all relationships, both ways where the
// arrow allows. No relationship is used twice in one match.
#include <algorithm>

#include "base/value_compare.h"
#include "tests/model/interpreter.h"

namespace fornix::model {

struct Interpreter::Match {
  const std::vector<std::unique_ptr<ast::PatternPart>>& parts;
  const Found& found;
  std::set<uint64_t> used;                  // relationships
  List nodes, relationships;                // of the part being matched, for its path
};

void Interpreter::Names(const std::vector<std::unique_ptr<ast::PatternPart>>& parts, std::set<std::string>* names) {
  for (const auto& part : parts) {
    if (!part->path_variable.empty()) names->insert(part->path_variable.text);
    for (const ast::NodePattern& node : part->nodes) {
      if (!node.variable.empty()) names->insert(node.variable.text);
    }
    for (const ast::RelationshipPattern& relationship : part->relationships) {
      if (!relationship.variable.empty()) names->insert(relationship.variable.text);
    }
  }
}

Status Interpreter::MatchAll(const std::vector<std::unique_ptr<ast::PatternPart>>& parts, const Variables& row, const Found& found) {
  Match match{parts, found, {}, {}, {}};
  return MatchPart(&match, 0, row);
}

Status Interpreter::MatchPart(Match* match, size_t part, const Variables& row) {
  if (part == match->parts.size()) return match->found(row);
  if (match->parts[part]->selector != ast::PatternPart::Selector::kNone)
    return Status(Code::kNotAvailable, "the model knows no shortestPath");
  for (const ast::RelationshipPattern& r : match->parts[part]->relationships) {
    if (r.repeated) return Status(Code::kNotAvailable, "the model knows no repeated patterns");
  }
  List nodes, relationships;
  std::swap(nodes, match->nodes);
  std::swap(relationships, match->relationships);
  std::vector<uint64_t> all;                // a copy: a WHERE can't change the graph, but MERGE goes on creating afterwards
  for (const auto& [id, data] : graph_->nodes) all.push_back(id);
  for (uint64_t id : all) RETURN_IF_ERROR(MatchNode(match, part, 0, id, row));
  std::swap(nodes, match->nodes);
  std::swap(relationships, match->relationships);
  return Status::Ok();
}

// Property map and inline WHERE of an element.
Result<bool> Interpreter::Fits(const ast::ExprPtr& properties, const ast::ExprPtr& where, const Map& actual, const Variables& row) {
  if (properties) {
    ASSIGN_OR_RETURN(Value wanted, Evaluate(*properties, row));
    if (wanted.type() != Type::kMap) return Status(Code::kTypeError, "properties must be a map").Detail("InvalidArgumentType");
    for (const auto& [key, value] : wanted.AsMap()) {
      const Value* has = actual.Find(key);
      if (has == nullptr || Equals(*has, value) != Truth::kTrue) return false;
    }
  }
  return Holds(where.get(), row);
}

Status Interpreter::MatchNode(Match* match, size_t part, size_t index, uint64_t id, const Variables& row) {
  const ast::PatternPart& pattern = *match->parts[part];
  const ast::NodePattern& node = pattern.nodes[index];
  Variables bound = row;
  if (!node.variable.empty()) {
    auto it = bound.find(node.variable.text);
    if (it == bound.end()) {
      bound[node.variable.text] = Value::NodeRef(id);
    } else if (it->second.type() != Type::kNodeRef || it->second.AsNodeRef() != id) {
      return Status::Ok();
    }
  }
  if (++steps_ > kStepsMax) return Status(Code::kLimitExceeded, "too slow for the model");
  auto data = graph_->nodes.find(id);
  if (data == graph_->nodes.end()) return Status::Ok();
  if (node.labels) {
    ASSIGN_OR_RETURN(bool holds, LabelsHold(*node.labels, data->second.labels, bound));
    if (!holds) return Status::Ok();
  }
  ASSIGN_OR_RETURN(bool fits, Fits(node.properties, node.where, data->second.properties, bound));
  if (!fits) return Status::Ok();
  match->nodes.push_back(Value::NodeRef(id));
  Status status;
  if (index < pattern.relationships.size()) {
    status = MatchRelationship(match, part, index, id, bound);
  } else {
    if (!pattern.path_variable.empty()) bound[pattern.path_variable.text] = Value(Path{match->nodes, match->relationships});
    status = MatchPart(match, part + 1, bound);
  }
  RETURN_IF_ERROR(status);   // an error ends the whole match: nothing is put back on the way out
  match->nodes.pop_back();
  return Status::Ok();
}

Status Interpreter::MatchRelationship(Match* match, size_t part, size_t index, uint64_t from, const Variables& row) {
  return Walk(match, part, index, from, 0, {}, row);
}

// `at` is the last of match->nodes. `walked`: the relationships of this one pattern so far, one at most unless its length varies.
Status Interpreter::Walk(Match* match, size_t part, size_t index, uint64_t at, int64_t steps, List walked, const Variables& row) {
  const ast::RelationshipPattern& pattern = match->parts[part]->relationships[index];
  const int64_t min = pattern.length ? pattern.length->min.value_or(1) : 1;
  const int64_t max = pattern.length ? pattern.length->max.value_or(INT64_MAX) : 1;
  if (steps >= min && steps <= max) {
    Variables bound = row;
    bool matches = true;
    if (!pattern.variable.empty()) {
      Value value = pattern.length ? Value(walked) : walked[0];
      auto it = bound.find(pattern.variable.text);
      if (it == bound.end()) {
        bound[pattern.variable.text] = value;
      } else {
        matches = it->second == value;
      }
    }
    if (matches) {
      match->nodes.pop_back();              // MatchNode appends `at` itself
      RETURN_IF_ERROR(MatchNode(match, part, index + 1, at, bound));
      match->nodes.push_back(Value::NodeRef(at));
    }
  }
  if (steps >= max) return Status::Ok();
  std::vector<std::pair<uint64_t, RelationshipData>> all(graph_->relationships.begin(), graph_->relationships.end());
  for (const auto& [id, data] : all) {
    if (++steps_ > kStepsMax) return Status(Code::kLimitExceeded, "too slow for the model");
    if (match->used.contains(id)) continue;
    std::set<uint64_t> next;
    if (pattern.direction != ast::Direction::kLeft && data.start == at) next.insert(data.end);
    if (pattern.direction != ast::Direction::kRight && data.end == at) next.insert(data.start);
    if (next.empty()) continue;
    if (pattern.types) {
      ASSIGN_OR_RETURN(bool holds, LabelsHold(*pattern.types, {data.type}, row));
      if (!holds) continue;
    }
    Variables bound = row;
    if (!pattern.variable.empty() && !pattern.length) {
      auto it = bound.find(pattern.variable.text);
      if (it != bound.end() && it->second != Value::RelationshipRef(id)) continue;
      bound[pattern.variable.text] = Value::RelationshipRef(id);
    }
    ASSIGN_OR_RETURN(bool fits, Fits(pattern.properties, pattern.where, data.properties, bound));
    if (!fits) continue;
    for (uint64_t to : next) {
      match->used.insert(id);
      match->relationships.push_back(Value::RelationshipRef(id));
      List longer = walked;
      longer.push_back(Value::RelationshipRef(id));
      match->nodes.push_back(Value::NodeRef(to));
      RETURN_IF_ERROR(Walk(match, part, index, to, steps + 1, longer, row));
      match->nodes.pop_back();
      match->relationships.pop_back();
      match->used.erase(id);
    }
  }
  return Status::Ok();
}

}  // namespace fornix::model

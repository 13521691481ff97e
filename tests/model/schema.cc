// The graph's reader, the schema's commands and the check of all its rules.
#include <algorithm>

#include "base/value_compare.h"
#include "tests/model/graph.h"

namespace fornix::model {

using ast::SchemaCommand;

namespace {
Status Deleted() { return Status(Code::kEntityNotFound, "the element was deleted").Detail("DeletedEntityAccess"); }
Value PropertyOf(const Map& properties, std::string_view key) {
  const Value* value = properties.Find(key);
  return value ? *value : Value();
}
}  // namespace

Result<std::vector<std::string>> GraphReader::NodeLabels(uint64_t node) {
  auto it = graph_->nodes.find(node);
  if (it == graph_->nodes.end()) return Deleted();
  return std::vector<std::string>(it->second.labels.begin(), it->second.labels.end());
}
Result<std::string> GraphReader::RelationshipType(uint64_t relationship) {
  auto it = graph_->relationships.find(relationship);
  if (it != graph_->relationships.end()) return it->second.type;
  auto deleted = graph_->deleted_types.find(relationship);
  if (deleted == graph_->deleted_types.end()) return Deleted();
  return deleted->second;
}
Result<std::pair<uint64_t, uint64_t>> GraphReader::RelationshipEnds(uint64_t relationship) {
  auto it = graph_->relationships.find(relationship);
  if (it == graph_->relationships.end()) return Deleted();
  return std::pair(it->second.start, it->second.end);
}
Result<Map> GraphReader::NodeProperties(uint64_t node) {
  auto it = graph_->nodes.find(node);
  if (it == graph_->nodes.end()) return Deleted();
  return it->second.properties;
}
Result<Map> GraphReader::RelationshipProperties(uint64_t relationship) {
  auto it = graph_->relationships.find(relationship);
  if (it == graph_->relationships.end()) return Deleted();
  return it->second.properties;
}
Result<Value> GraphReader::NodeProperty(uint64_t node, std::string_view key) {
  ASSIGN_OR_RETURN(Map properties, NodeProperties(node));
  return PropertyOf(properties, key);
}
Result<Value> GraphReader::RelationshipProperty(uint64_t relationship, std::string_view key) {
  ASSIGN_OR_RETURN(Map properties, RelationshipProperties(relationship));
  return PropertyOf(properties, key);
}

bool HasType(const Value& value, std::string_view type_name) {
  // A | B at the top level.
  int depth = 0;
  for (size_t i = 0; i < type_name.size(); ++i) {
    depth += type_name[i] == '<' ? 1 : type_name[i] == '>' ? -1 : 0;
    if (type_name[i] == '|' && depth == 0) return HasType(value, type_name.substr(0, i - 1)) || HasType(value, type_name.substr(i + 2));
  }
  constexpr std::string_view kNotNull = " NOT NULL";
  if (type_name.ends_with(kNotNull)) return !value.is_null() && HasType(value, type_name.substr(0, type_name.size() - kNotNull.size()));
  if (value.is_null()) return type_name != "NOTHING";
  if (type_name == "ANY") return true;
  if (type_name == "PROPERTY VALUE")
    return value.type() != Type::kMap && value.type() != Type::kNodeRef && value.type() != Type::kRelationshipRef &&
           value.type() != Type::kPath;
  if (type_name.starts_with("LIST")) {
    if (value.type() != Type::kList) return false;
    if (type_name == "LIST") return true;
    const std::string_view inner = type_name.substr(5, type_name.size() - 6);
    return std::all_of(value.AsList().begin(), value.AsList().end(), [&](const Value& element) { return HasType(element, inner); });
  }
  static constexpr std::pair<std::string_view, Type> kTypes[] = {{"BOOLEAN", Type::kBoolean},
                                                                 {"INTEGER", Type::kInteger},
                                                                 {"FLOAT", Type::kFloat},
                                                                 {"STRING", Type::kString},
                                                                 {"MAP", Type::kMap},
                                                                 {"NODE", Type::kNodeRef},
                                                                 {"RELATIONSHIP", Type::kRelationshipRef},
                                                                 {"PATH", Type::kPath},
                                                                 {"DATE", Type::kDate},
                                                                 {"LOCAL TIME", Type::kLocalTime},
                                                                 {"ZONED TIME", Type::kTime},
                                                                 {"LOCAL DATETIME", Type::kLocalDateTime},
                                                                 {"ZONED DATETIME", Type::kDateTime},
                                                                 {"DURATION", Type::kDuration},
                                                                 {"POINT", Type::kPoint}};
  for (auto [name, type] : kTypes) {
    if (name == type_name) return value.type() == type;
  }
  return false;
}

namespace {

Status Violation(std::string what) { return Status(Code::kConstraintViolation, std::move(what)); }

// Label sets (or {type}) and properties of all elements that a rule is about.
std::vector<const Map*> Subjects(const Graph& graph, bool on_relationship, const std::string& label) {
  std::vector<const Map*> out;
  if (on_relationship) {
    for (const auto& [id, relationship] : graph.relationships) {
      if (relationship.type == label) out.push_back(&relationship.properties);
    }
  } else {
    for (const auto& [id, node] : graph.nodes) {
      if (node.labels.contains(label)) out.push_back(&node.properties);
    }
  }
  return out;
}

Status CheckConstraint(const Graph& graph, const Constraint& constraint) {
  using Kind = SchemaCommand::ConstraintKind;
  const std::vector<const Map*> subjects = Subjects(graph, constraint.on_relationship, constraint.label);
  for (size_t i = 0; i < subjects.size(); ++i) {
    bool complete = true;
    for (const std::string& key : constraint.properties) {
      const Value value = PropertyOf(*subjects[i], key);
      complete &= !value.is_null();
      if (constraint.kind == Kind::kPropertyType && !HasType(value, constraint.type_name))
        return Violation(constraint.name + ": wrong type of " + key);
    }
    if (!complete && (constraint.kind == Kind::kExistence || constraint.kind == Kind::kKey))
      return Violation(constraint.name + ": a property is missing");
    if (!complete || (constraint.kind != Kind::kUnique && constraint.kind != Kind::kKey)) continue;
    for (size_t j = 0; j < i; ++j) {
      bool same = true;
      for (const std::string& key : constraint.properties) same &= Equivalent(PropertyOf(*subjects[i], key), PropertyOf(*subjects[j], key));
      if (same) return Violation(constraint.name + ": two elements have the same values");
    }
  }
  return Status::Ok();
}

Status CheckVocabulary(const Graph& graph) {
  const Vocabulary& vocabulary = graph.vocabulary;
  for (const auto& [id, node] : graph.nodes) {
    for (const std::string& label : node.labels) {
      if (vocabulary.closed && !vocabulary.labels.contains(label)) return Violation("label " + label + " is not in the graph type");
      auto implied = vocabulary.implied.find(label);
      if (implied == vocabulary.implied.end()) continue;
      for (const std::string& other : implied->second) {
        if (!node.labels.contains(other)) return Violation("label " + label + " implies " + other);
      }
    }
  }
  for (const auto& [id, relationship] : graph.relationships) {
    if (vocabulary.closed && !vocabulary.types.contains(relationship.type))
      return Violation("type " + relationship.type + " is not in the graph type");
    auto ends = vocabulary.ends.find(relationship.type);
    if (ends == vocabulary.ends.end()) continue;
    const auto& start = graph.nodes.at(relationship.start).labels;
    const auto& end = graph.nodes.at(relationship.end).labels;
    const bool fits = std::any_of(ends->second.begin(), ends->second.end(), [&](const auto& pair) {
      return (pair.first.empty() || start.contains(pair.first)) && (pair.second.empty() || end.contains(pair.second));
    });
    if (!fits) return Violation("type " + relationship.type + " runs between other labels");
  }
  return Status::Ok();
}

std::vector<std::string> Texts(const std::vector<ast::Name>& names) {
  std::vector<std::string> out;
  for (const ast::Name& name : names) out.push_back(name.text);
  return out;
}

Result<std::string> NameOf(const SchemaCommand& command, const Map& parameters, const Graph& graph) {
  if (!command.name.empty()) return command.name.text;
  if (command.name_parameter.empty()) return "unnamed_" + std::to_string(graph.indexes.size() + graph.constraints.size());
  const Value* value = parameters.Find(command.name_parameter);
  if (value == nullptr || value->type() != Type::kString)
    return Status(Code::kParameterMissing, "there is no parameter $" + command.name_parameter);
  return value->AsString();
}

Result<Constraint> ConstraintOf(const SchemaCommand& command, const Map& parameters, const Graph& graph) {
  Constraint constraint;
  ASSIGN_OR_RETURN(constraint.name, NameOf(command, parameters, graph));
  constraint.kind = command.constraint_kind;
  constraint.on_relationship = command.on_relationship;
  constraint.label = command.labels_or_types[0].text;
  constraint.properties = Texts(command.properties);
  constraint.type_name = command.type_name;
  return constraint;
}

// Options of a vector index: constants and parameters.
Value Constant(const ast::Expr& expr, const Map& parameters) {
  if (expr.kind == ast::ExprKind::kParameter) return PropertyOf(parameters, expr.name);
  if (expr.kind != ast::ExprKind::kMap) return expr.value;
  Map map;
  for (size_t i = 0; i < expr.args.size(); ++i) map.Set(expr.keys[i], Constant(*expr.args[i], parameters));
  return Value(map);
}

void Declare(const SchemaCommand::ElementType& element, Graph* graph) {
  Vocabulary* vocabulary = &graph->vocabulary;
  const std::string& name = element.label_or_type.text;
  (element.is_relationship ? vocabulary->types : vocabulary->labels).insert(name);
  for (const ast::Name& implied : element.implied_labels) {
    vocabulary->labels.insert(implied.text);
    vocabulary->implied[name].insert(implied.text);
  }
  if (element.is_relationship) {
    vocabulary->ends[name].emplace_back(element.start_label.text, element.end_label.text);
    for (const ast::Name* end : {&element.start_label, &element.end_label}) {
      if (!end->empty()) vocabulary->labels.insert(end->text);
    }
  }
  using Kind = SchemaCommand::ConstraintKind;
  for (const SchemaCommand::PropertyType& property : element.properties) {
    auto add = [&](Kind kind) {
      graph->constraints.push_back({"type_" + std::to_string(graph->constraints.size()),
                                    kind,
                                    element.is_relationship,
                                    name,
                                    {property.name.text},
                                    property.type_name});
    };
    if (property.type_name != "ANY") add(Kind::kPropertyType);
    if (property.not_null) add(Kind::kExistence);
    if (property.unique) add(Kind::kUnique);
    if (property.key) add(Kind::kKey);
  }
}

}  // namespace

Status CheckSchema(const Graph& graph) {
  for (const Constraint& constraint : graph.constraints) RETURN_IF_ERROR(CheckConstraint(graph, constraint));
  return CheckVocabulary(graph);
}

Status RunSchemaCommand(const SchemaCommand& command, const Map& parameters, Graph* graph) {
  using Kind = SchemaCommand::Kind;
  if (command.kind == Kind::kShow) return Status(Code::kNotAvailable, "the model shows nothing");
  if (command.kind == Kind::kAlterIndex) return Status::Ok();   // codes change no answer
  if (command.kind == Kind::kAlterGraphType) {
    if (command.action != SchemaCommand::GraphTypeAction::kSet) return Status(Code::kNotAvailable, "the model knows SET alone");
    graph->constraints.clear();
    graph->vocabulary = {};
    graph->vocabulary.closed = command.closed;
    for (const auto& element : command.elements) Declare(element, graph);
    for (const auto& constraint : command.constraints) {
      ASSIGN_OR_RETURN(Constraint built, ConstraintOf(*constraint, parameters, *graph));
      graph->constraints.push_back(built);
    }
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(std::string name, NameOf(command, parameters, *graph));
  auto drop = [&](auto* from) {
    auto it = std::find_if(from->begin(), from->end(), [&](const auto& one) { return one.name == name; });
    if (it == from->end()) return command.if_exists ? Status::Ok() : Status(Code::kSchemaNotFound, "there is no " + name);
    from->erase(it);
    return Status::Ok();
  };
  if (command.kind == Kind::kDropIndex) return drop(&graph->indexes);
  if (command.kind == Kind::kDropConstraint) return drop(&graph->constraints);
  const bool taken = std::any_of(graph->indexes.begin(), graph->indexes.end(), [&](const Index& i) { return i.name == name; }) ||
                     std::any_of(graph->constraints.begin(), graph->constraints.end(), [&](const Constraint& c) { return c.name == name; });
  if (taken) return command.if_not_exists ? Status::Ok() : Status(Code::kSchemaConflict, name + " exists");
  if (command.kind == Kind::kCreateConstraint) {
    ASSIGN_OR_RETURN(Constraint constraint, ConstraintOf(command, parameters, *graph));
    for (const Constraint& other : graph->constraints) {
      if (other.kind != constraint.kind || other.on_relationship != constraint.on_relationship ||
          other.label != constraint.label || other.properties != constraint.properties)
        continue;
      return command.if_not_exists ? Status::Ok() : Status(Code::kSchemaConflict, "an equal constraint exists");
    }
    graph->constraints.push_back(constraint);
    return Status::Ok();
  }
  Index index;
  index.name = name;
  index.kind = command.index_kind;
  index.on_relationship = command.on_relationship;
  for (const ast::Name& label : command.labels_or_types) index.labels.insert(label.text);
  index.properties = Texts(command.properties);
  if (command.options) {
    const Value options = Constant(*command.options, parameters);
    const Value* config = options.type() == Type::kMap ? options.AsMap().Find("indexConfig") : nullptr;
    if (config != nullptr && config->type() == Type::kMap) {
      if (const Value* n = config->AsMap().Find("vector.dimensions"); n && n->type() == Type::kInteger) index.dimensions = n->AsInteger();
      if (const Value* s = config->AsMap().Find("vector.similarity_function"); s && s->type() == Type::kString)
        index.similarity = s->AsString();
    }
  }
  for (const Index& other : graph->indexes) {
    if (other.kind != index.kind || other.on_relationship != index.on_relationship || other.labels != index.labels ||
        other.properties != index.properties)
      continue;
    return command.if_not_exists ? Status::Ok() : Status(Code::kSchemaConflict, "an equal index exists");
  }
  graph->indexes.push_back(index);
  return Status::Ok();
}

}  // namespace fornix::model

// Clauses that write.
#include "base/value_compare.h"
#include "tests/model/interpreter.h"

namespace fornix::model {

namespace {

// What a property may hold: no maps, elements, paths or nulls, and lists of one kind without nulls.
Status CheckStorable(const Value& value) {
  auto refused = [&] {
    return Status(Code::kTypeError, "a property can't hold a " + std::string(TypeName(value.type()))).Detail("InvalidPropertyType");
  };
  switch (value.type()) {
    case Type::kMap:
    case Type::kNodeRef:
    case Type::kRelationshipRef:
    case Type::kNode:
    case Type::kRelationship:
    case Type::kPath: return refused();
    case Type::kList:
      for (const Value& element : value.AsList()) {
        if (element.type() == Type::kList || element.is_null()) return refused();
        RETURN_IF_ERROR(CheckStorable(element));
        const Value& first = value.AsList()[0];
        if (element.type() != first.type() && !(element.is_number() && first.is_number())) return refused();
      }
      return Status::Ok();
    default: return Status::Ok();
  }
}

Status NotAnElement() { return Status(Code::kTypeError, "a node or a relationship is needed").Detail("InvalidArgumentType"); }

}  // namespace

Result<Map*> Interpreter::MutableProperties(const Value& element) {
  if (element.type() == Type::kNodeRef) {
    auto it = graph_->nodes.find(element.AsNodeRef());
    if (it != graph_->nodes.end()) return &it->second.properties;
  } else if (element.type() == Type::kRelationshipRef) {
    auto it = graph_->relationships.find(element.AsRelationshipRef());
    if (it != graph_->relationships.end()) return &it->second.properties;
  } else {
    return NotAnElement();
  }
  return Status(Code::kEntityNotFound, "the element was deleted").Detail("DeletedEntityAccess");
}

Status Interpreter::SetProperty(const Value& element, const std::string& key, const Value& value) {
  if (element.is_null()) return Status::Ok();
  RETURN_IF_ERROR(CheckStorable(value));
  ASSIGN_OR_RETURN(Map* properties, MutableProperties(element));
  if (value.is_null()) {
    if (properties->Erase(key)) ++counters_.properties_set;
  } else {
    properties->Set(key, value);
    ++counters_.properties_set;
  }
  return Status::Ok();
}

Result<Map> Interpreter::PropertiesOf(const ast::ExprPtr& expr, const Variables& row, bool merging) {
  Map out;
  if (!expr) return out;
  ASSIGN_OR_RETURN(Value value, Evaluate(*expr, row));
  if (value.is_null()) return out;
  if (value.type() != Type::kMap) return Status(Code::kTypeError, "properties must be a map").Detail("InvalidArgumentType");
  for (const auto& [key, property] : value.AsMap()) {
    if (property.is_null() && merging) return Status(Code::kSemanticError, "MERGE can't look for null").Detail("MergeReadOwnWrites");
    RETURN_IF_ERROR(CheckStorable(property));
    if (!property.is_null()) out.Set(key, property);
  }
  return out;
}

Result<std::vector<std::string>> Interpreter::LabelNames(const ast::LabelExpr& labels, const Variables& row) {
  using Kind = ast::LabelExpr::Kind;
  if (labels.kind == Kind::kName) return std::vector<std::string>{labels.name.text};
  if (labels.kind == Kind::kDynamic) return DynamicNames(labels, row);
  std::vector<std::string> all;
  if (labels.kind != Kind::kAnd)
    return Status(Code::kSyntaxError, "labels to write are names, joined by ':' or '&'").Detail("UnexpectedSyntax");
  for (const auto& child : labels.children) {
    ASSIGN_OR_RETURN(std::vector<std::string> names, LabelNames(*child, row));
    all.insert(all.end(), names.begin(), names.end());
  }
  return all;
}

Status Interpreter::Create(const ast::PatternPart& part, bool merging, Variables* row) {
  List nodes, relationships;
  for (const ast::NodePattern& node : part.nodes) {
    auto bound = node.variable.empty() ? row->end() : row->find(node.variable.text);
    if (bound != row->end()) {
      if (bound->second.type() != Type::kNodeRef) return NotAnElement();
      if (!graph_->nodes.contains(bound->second.AsNodeRef()))
        return Status(Code::kEntityNotFound, "the node was deleted").Detail("DeletedEntityAccess");
      nodes.push_back(bound->second);
      continue;
    }
    NodeData data;
    if (node.labels) {
      ASSIGN_OR_RETURN(std::vector<std::string> labels, LabelNames(*node.labels, *row));
      data.labels.insert(labels.begin(), labels.end());
    }
    ASSIGN_OR_RETURN(data.properties, PropertiesOf(node.properties, *row, merging));
    const uint64_t id = graph_->next_node++;
    ++counters_.nodes_created;
    counters_.labels_added += data.labels.size();
    counters_.properties_set += data.properties.size();
    graph_->nodes[id] = data;
    nodes.push_back(Value::NodeRef(id));
    if (!node.variable.empty()) (*row)[node.variable.text] = nodes.back();
  }
  for (size_t i = 0; i < part.relationships.size(); ++i) {
    const ast::RelationshipPattern& relationship = part.relationships[i];
    if (!relationship.types || relationship.types->kind != ast::LabelExpr::Kind::kName) {
      return Status(Code::kSyntaxError, "a relationship to create has one type").Detail("NoSingleRelationshipType");
    }
    const bool left = relationship.direction == ast::Direction::kLeft;  // MERGE without a direction runs to the right
    RelationshipData data{relationship.types->name.text, nodes[left ? i + 1 : i].AsNodeRef(), nodes[left ? i : i + 1].AsNodeRef(), {}};
    ASSIGN_OR_RETURN(data.properties, PropertiesOf(relationship.properties, *row, merging));
    const uint64_t id = graph_->next_relationship++;
    ++counters_.relationships_created;
    counters_.properties_set += data.properties.size();
    graph_->relationships[id] = data;
    relationships.push_back(Value::RelationshipRef(id));
    if (!relationship.variable.empty()) (*row)[relationship.variable.text] = relationships.back();
  }
  if (!part.path_variable.empty()) (*row)[part.path_variable.text] = Value(Path{nodes, relationships});
  return Status::Ok();
}

Status Interpreter::RunCreate(const ast::Clause& clause, Table* table) {
  Names(clause.patterns, &table->scope);
  for (Variables& row : table->rows) {
    for (const auto& part : clause.patterns) RETURN_IF_ERROR(Create(*part, false, &row));
  }
  return Status::Ok();
}

Status Interpreter::RunMerge(const ast::Clause& clause, Table* table) {
  Table out;
  out.scope = table->scope;
  Names(clause.patterns, &out.scope);
  const ast::PatternPart& part = *clause.patterns[0];
  for (const Variables& row : table->rows) {
    // Nulls are refused before anything is looked for.
    for (const ast::NodePattern& node : part.nodes) {
      auto bound = row.find(node.variable.text);
      if (bound != row.end() && bound->second.is_null())
        return Status(Code::kSemanticError, "MERGE needs a node, not null").Detail("MergeReadOwnWrites");
      ASSIGN_OR_RETURN(Map ignored, PropertiesOf(node.properties, row, true));
      (void)ignored;
    }
    for (const ast::RelationshipPattern& relationship : part.relationships) {
      ASSIGN_OR_RETURN(Map ignored, PropertiesOf(relationship.properties, row, true));
      (void)ignored;
    }
    std::vector<Variables> matches;
    RETURN_IF_ERROR(MatchAll(clause.patterns, row, [&](const Variables& found) {
      matches.push_back(found);
      return Status::Ok();
    }));
    const bool found = !matches.empty();
    if (!found) {
      matches.push_back(row);
      RETURN_IF_ERROR(Create(part, true, &matches[0]));
    }
    for (const Variables& match : matches) {
      RETURN_IF_ERROR(RunSet(found ? clause.on_match : clause.on_create, match));
      out.rows.push_back(match);
    }
  }
  *table = out;
  return Status::Ok();
}

Status Interpreter::AddLabels(const ast::LabelExpr& labels, const Value& node, const Variables& row, bool add) {
  if (node.is_null()) return Status::Ok();
  if (node.type() != Type::kNodeRef) return NotAnElement();
  auto it = graph_->nodes.find(node.AsNodeRef());
  if (it == graph_->nodes.end()) return Status(Code::kEntityNotFound, "the node was deleted").Detail("DeletedEntityAccess");
  ASSIGN_OR_RETURN(std::vector<std::string> names, LabelNames(labels, row));
  for (const std::string& name : names) {
    if (add) {
      counters_.labels_added += it->second.labels.insert(name).second;
    } else {
      counters_.labels_removed += it->second.labels.erase(name);
    }
  }
  return Status::Ok();
}

Status Interpreter::RunSet(const std::vector<ast::SetItem>& items, const Variables& row) {
  using Kind = ast::SetItem::Kind;
  for (const ast::SetItem& item : items) {
    if (item.kind == Kind::kProperty || item.kind == Kind::kDynamicProperty) {
      ASSIGN_OR_RETURN(Value element, Evaluate(*item.target->args[0], row));
      ASSIGN_OR_RETURN(Value value, Evaluate(*item.value, row));
      std::string key = item.target->name;
      if (item.kind == Kind::kDynamicProperty) {
        ASSIGN_OR_RETURN(Value name, Evaluate(*item.target->args[1], row));
        if (name.type() != Type::kString)
          return Status(Code::kTypeError, "a property's key must be a string").Detail("InvalidArgumentType");
        key = name.AsString();
      }
      RETURN_IF_ERROR(SetProperty(element, key, value));
      continue;
    }
    ASSIGN_OR_RETURN(Value element, Evaluate(*item.target, row));
    if (item.kind == Kind::kLabels) {
      RETURN_IF_ERROR(AddLabels(*item.labels, element, row, true));
      continue;
    }
    ASSIGN_OR_RETURN(Value value, Evaluate(*item.value, row));
    if (element.is_null()) continue;
    Map wanted;
    if (value.type() == Type::kMap) {
      wanted = value.AsMap();
    } else if (value.type() == Type::kNodeRef) {
      ASSIGN_OR_RETURN(wanted, reader_.NodeProperties(value.AsNodeRef()));
    } else if (value.type() == Type::kRelationshipRef) {
      ASSIGN_OR_RETURN(wanted, reader_.RelationshipProperties(value.AsRelationshipRef()));
    } else {
      return Status(Code::kTypeError, "properties come from a map, a node or a relationship").Detail("InvalidArgumentType");
    }
    if (item.kind == Kind::kReplaceProperties) {
      ASSIGN_OR_RETURN(Map* properties, MutableProperties(element));
      const Map old = *properties;
      for (const auto& [key, ignored] : old) {
        if (wanted.Find(key) == nullptr) RETURN_IF_ERROR(SetProperty(element, key, Value()));
      }
    }
    for (const auto& [key, property] : wanted) RETURN_IF_ERROR(SetProperty(element, key, property));
  }
  return Status::Ok();
}

Status Interpreter::RunRemove(const ast::Clause& clause, Table* table) {
  using Kind = ast::RemoveItem::Kind;
  for (const Variables& row : table->rows) {
    for (const ast::RemoveItem& item : clause.remove_items) {
      if (item.kind == Kind::kLabels) {
        ASSIGN_OR_RETURN(Value node, Evaluate(*item.target, row));
        RETURN_IF_ERROR(AddLabels(*item.labels, node, row, false));
        continue;
      }
      ASSIGN_OR_RETURN(Value element, Evaluate(*item.target->args[0], row));
      std::string key = item.target->name;
      if (item.kind == Kind::kDynamicProperty) {
        ASSIGN_OR_RETURN(Value name, Evaluate(*item.target->args[1], row));
        if (name.type() != Type::kString)
          return Status(Code::kTypeError, "a property's key must be a string").Detail("InvalidArgumentType");
        key = name.AsString();
      }
      RETURN_IF_ERROR(SetProperty(element, key, Value()));
    }
  }
  return Status::Ok();
}

Status Interpreter::RunDelete(const ast::Clause& clause, Table* table) {
  std::set<uint64_t> nodes, relationships;
  for (const Variables& row : table->rows) {
    for (const ast::ExprPtr& expr : clause.exprs) {
      ASSIGN_OR_RETURN(Value value, Evaluate(*expr, row));
      List elements{value};
      if (value.type() == Type::kPath) {
        elements = value.AsPath().nodes;
        for (const Value& relationship : value.AsPath().relationships) elements.push_back(relationship);
      }
      for (const Value& element : elements) {
        if (element.is_null()) continue;
        if (element.type() == Type::kNodeRef) {
          nodes.insert(element.AsNodeRef());
        } else if (element.type() == Type::kRelationshipRef) {
          relationships.insert(element.AsRelationshipRef());
        } else {
          return Status(Code::kTypeError, "DELETE takes nodes, relationships and paths").Detail("InvalidArgumentType");
        }
      }
    }
  }
  for (const auto& [id, relationship] : graph_->relationships) {
    if (clause.detach && (nodes.contains(relationship.start) || nodes.contains(relationship.end))) relationships.insert(id);
  }
  for (uint64_t id : relationships) {
    auto it = graph_->relationships.find(id);
    if (it == graph_->relationships.end()) continue;
    graph_->deleted_types[id] = it->second.type;
    graph_->relationships.erase(it);
    ++counters_.relationships_deleted;
  }
  for (const auto& [id, relationship] : graph_->relationships) {
    if (nodes.contains(relationship.start) || nodes.contains(relationship.end)) {
      return Status(Code::kDeleteConnected, "a node to delete still has relationships").Detail("DeleteConnectedNode");
    }
  }
  for (uint64_t id : nodes) counters_.nodes_deleted += graph_->nodes.erase(id);
  return Status::Ok();
}

}  // namespace fornix::model

// Clauses that read, and the order of things.
#include "base/value_compare.h"
#include "tests/model/interpreter.h"

namespace fornix::model {

using ast::ClauseKind;

Interpreter::Interpreter(const ast::Statement& statement, const Map& parameters, Graph* graph)
    : statement_(statement), parameters_(parameters), graph_(graph), reader_(graph), random_(1) {
  functions_.elements = &reader_;
  functions_.random = &random_;
}

Result<Answer> Interpreter::Run() {
  Table unit;
  unit.rows.emplace_back();
  ASSIGN_OR_RETURN(Answer answer, RunQuery(*statement_.query, unit));
  for (Row& row : answer.rows) {
    for (Value& value : row) {
      ASSIGN_OR_RETURN(value, Shown(value));
    }
  }
  answer.counters = counters_;
  return answer;
}

Result<Answer> Interpreter::RunQuery(const ast::Query& query, const Table& input) {
  Answer all;
  for (size_t i = 0; i < query.parts.size(); ++i) {
    Table table = input;
    Answer answer;
    for (const auto& clause : query.parts[i].clauses) RETURN_IF_ERROR(RunClause(*clause, &table, &answer));
    if (query.parts[i].clauses.back()->kind == ClauseKind::kMatch) {  // EXISTS { MATCH ... } without RETURN
      for (size_t k = 0; k < table.rows.size(); ++k) answer.rows.emplace_back();
    }
    if (i == 0) {
      all = answer;
      continue;
    }
    if (answer.columns != all.columns)
      return Status(Code::kSyntaxError, "the parts of UNION have other columns").Detail("DifferentColumnsInUnion");
    for (Row& row : answer.rows) all.rows.push_back(row);
  }
  if (query.parts.size() > 1 && !query.union_all[0]) {
    std::vector<Row> distinct;
    for (const Row& row : all.rows) {
      bool again = false;
      for (const Row& other : distinct) {
        bool same = true;
        for (size_t i = 0; i < row.size(); ++i) same &= Equivalent(row[i], other[i]);
        again |= same;
      }
      if (!again) distinct.push_back(row);
    }
    all.rows = distinct;
  }
  return all;
}

Status Interpreter::RunClause(const ast::Clause& clause, Table* table, Answer* answer) {
  switch (clause.kind) {
    case ClauseKind::kMatch: return RunMatch(clause, table);
    case ClauseKind::kUnwind: return RunUnwind(clause, table);
    case ClauseKind::kWith: return Project(clause.projection, clause.where.get(), false, table, answer);
    case ClauseKind::kReturn: return Project(clause.projection, nullptr, true, table, answer);
    case ClauseKind::kCreate: return RunCreate(clause, table);
    case ClauseKind::kMerge: return RunMerge(clause, table);
    case ClauseKind::kSet:
      for (const Variables& row : table->rows) RETURN_IF_ERROR(RunSet(clause.set_items, row));
      return Status::Ok();
    case ClauseKind::kRemove: return RunRemove(clause, table);
    case ClauseKind::kDelete: return RunDelete(clause, table);
    case ClauseKind::kForeach: return RunForeach(clause, table);
    case ClauseKind::kCallSubquery: return RunSubquery(clause, table);
    case ClauseKind::kCallProcedure: return RunProcedure(clause, table, answer);
    case ClauseKind::kFinish: return Status::Ok();
    case ClauseKind::kLoadCsv: break;
  }
  return Status(Code::kNotAvailable, "the model knows no LOAD CSV");
}

Status Interpreter::RunMatch(const ast::Clause& clause, Table* table) {
  std::set<std::string> names;
  Names(clause.patterns, &names);
  if (clause.search && !clause.search->score.empty()) names.insert(clause.search->score.text);
  Table out;
  out.scope = table->scope;
  out.scope.insert(names.begin(), names.end());
  for (const Variables& row : table->rows) {
    const size_t before = out.rows.size();
    auto keep = [&](const Variables& found) -> Status {
      ASSIGN_OR_RETURN(bool holds, Holds(clause.where.get(), found));
      if (holds) out.rows.push_back(found);
      return Status::Ok();
    };
    if (!clause.search) {
      RETURN_IF_ERROR(MatchAll(clause.patterns, row, keep));
    } else {
      const ast::SearchClause& search = *clause.search;
      ASSIGN_OR_RETURN(Value query, Evaluate(*search.query, row));
      ASSIGN_OR_RETURN(int64_t limit, Count(search.limit, "LIMIT"));
      auto allowed = [&](uint64_t id) -> Result<bool> {
        Variables bound = row;
        bound[search.variable.text] = Value::NodeRef(id);
        return Holds(search.filter.get(), bound);
      };
      ASSIGN_OR_RETURN(std::vector<Scored> scored, Search(search.index.text, query, limit, allowed));
      for (const Scored& hit : scored) {
        Variables bound = row;
        bound[search.variable.text] = Value::NodeRef(hit.id);
        if (!search.score.empty()) bound[search.score.text] = Value(hit.score);
        RETURN_IF_ERROR(MatchAll(clause.patterns, bound, keep));
      }
    }
    if (!clause.optional || out.rows.size() > before) continue;
    Variables none = row;
    for (const std::string& name : names) none.emplace(name, Value());
    out.rows.push_back(none);
  }
  *table = out;
  return Status::Ok();
}

Status Interpreter::RunUnwind(const ast::Clause& clause, Table* table) {
  Table out;
  out.scope = table->scope;
  out.scope.insert(clause.name.text);
  for (const Variables& row : table->rows) {
    ASSIGN_OR_RETURN(Value value, Evaluate(*clause.expr, row));
    if (value.is_null()) continue;
    const List items = value.type() == Type::kList ? value.AsList() : List{value};
    for (const Value& item : items) {
      out.rows.push_back(row);
      out.rows.back()[clause.name.text] = item;
    }
  }
  *table = out;
  return Status::Ok();
}

Status Interpreter::RunSubquery(const ast::Clause& clause, Table* table) {
  // Without a scope a subquery sees outer variables in a leading WITH alone.
  const bool leading_with = !clause.has_scope && clause.subquery->parts[0].clauses[0]->kind == ClauseKind::kWith;
  const ast::Clause& last = *clause.subquery->parts[0].clauses.back();
  const bool returns = last.kind == ClauseKind::kReturn || last.kind == ClauseKind::kCallProcedure;
  Table out;
  out.scope = table->scope;
  for (const Variables& row : table->rows) {
    Table input;
    input.rows.emplace_back();
    for (const auto& [name, value] : row) {
      bool imported = leading_with || (clause.has_scope && clause.imports_star);
      for (const ast::Name& import : clause.imports) imported |= import.text == name;
      if (!imported) continue;
      input.rows[0][name] = value;
      input.scope.insert(name);
    }
    ASSIGN_OR_RETURN(Answer answer, RunQuery(*clause.subquery, input));
    if (!returns) {
      out.rows.push_back(row);
      continue;
    }
    out.scope.insert(answer.columns.begin(), answer.columns.end());
    for (const Row& result : answer.rows) {
      out.rows.push_back(row);
      for (size_t i = 0; i < result.size(); ++i) out.rows.back()[answer.columns[i]] = result[i];
    }
    if (answer.rows.empty() && clause.optional) {
      out.rows.push_back(row);
      for (const std::string& column : answer.columns) out.rows.back()[column] = Value();
    }
  }
  if (returns && last.kind == ClauseKind::kReturn) {  // known also when no row came in
    for (const ast::ProjectionItem& item : last.projection.items) {
      out.scope.insert(item.alias.empty() ? std::string(ast::TextOf(statement_, item.expr->span)) : item.alias.text);
    }
  }
  *table = out;
  return Status::Ok();
}

Status Interpreter::RunProcedure(const ast::Clause& clause, Table* table, Answer* answer) {
  std::vector<std::string> columns;
  std::function<Result<std::vector<Row>>(const List&)> call;
  auto names_of = [](const std::set<std::string>& names) {
    std::vector<Row> rows;
    for (const std::string& name : names) rows.push_back({Value(name)});
    return rows;
  };
  if (clause.procedure == "db.labels") {
    columns = {"label"};
    call = [&](const List&) -> Result<std::vector<Row>> {
      std::set<std::string> names;
      for (const auto& [id, node] : graph_->nodes) names.insert(node.labels.begin(), node.labels.end());
      return names_of(names);
    };
  } else if (clause.procedure == "db.relationshipTypes") {
    columns = {"relationshipType"};
    call = [&](const List&) -> Result<std::vector<Row>> {
      std::set<std::string> names;
      for (const auto& [id, relationship] : graph_->relationships) names.insert(relationship.type);
      return names_of(names);
    };
  } else if (clause.procedure == "db.index.vector.queryNodes") {
    columns = {"node", "score"};
    call = [&](const List& arguments) -> Result<std::vector<Row>> {
      if (arguments.size() != 3 || arguments[0].type() != Type::kString || arguments[1].type() != Type::kInteger) {
        return Status(Code::kSyntaxError, "queryNodes takes a name, a number and a vector").Detail("InvalidArgumentType");
      }
      ASSIGN_OR_RETURN(std::vector<Scored> scored, Search(arguments[0].AsString(), arguments[2], arguments[1].AsInteger(), nullptr));
      std::vector<Row> rows;
      for (const Scored& hit : scored) rows.push_back({Value::NodeRef(hit.id), Value(hit.score)});
      return rows;
    };
  } else {
    return Status(Code::kProcedureNotFound, "there is no procedure " + clause.procedure).Detail("ProcedureNotFound");
  }
  Table out;
  out.scope = table->scope;
  std::vector<std::pair<size_t, std::string>> yields;  // column, name
  if (!clause.has_yield || clause.yield_star) {
    for (size_t i = 0; i < columns.size(); ++i) yields.emplace_back(i, columns[i]);
  }
  for (const ast::YieldItem& item : clause.yield) {
    size_t column = 0;
    while (column < columns.size() && columns[column] != item.field.text) ++column;
    if (column == columns.size())
      return Status(Code::kSyntaxError, clause.procedure + " yields no " + item.field.text).Detail("UndefinedVariable");
    yields.emplace_back(column, item.alias.empty() ? item.field.text : item.alias.text);
  }
  for (const auto& [column, name] : yields) out.scope.insert(name);
  for (const Variables& row : table->rows) {
    List arguments;
    for (const ast::ExprPtr& expr : clause.exprs) {
      ASSIGN_OR_RETURN(Value value, Evaluate(*expr, row));
      arguments.push_back(value);
    }
    ASSIGN_OR_RETURN(std::vector<Row> rows, call(arguments));
    for (const Row& result : rows) {
      Variables bound = row;
      for (const auto& [column, name] : yields) bound[name] = result[column];
      ASSIGN_OR_RETURN(bool holds, Holds(clause.where.get(), bound));
      if (!holds) continue;
      out.rows.push_back(bound);
      if (!clause.standalone) continue;
      Row shown;
      for (const auto& [column, name] : yields) shown.push_back(result[column]);
      answer->rows.push_back(shown);
    }
  }
  if (clause.standalone) {
    for (const auto& [column, name] : yields) answer->columns.push_back(name);
  }
  *table = out;
  return Status::Ok();
}

Status Interpreter::RunForeach(const ast::Clause& clause, Table* table) {
  for (const Variables& row : table->rows) {
    ASSIGN_OR_RETURN(Value list, Evaluate(*clause.expr, row));
    if (list.is_null()) continue;
    if (list.type() != Type::kList) return Status(Code::kTypeError, "FOREACH needs a list").Detail("InvalidArgumentType");
    for (const Value& item : list.AsList()) {
      Table inner;
      inner.scope = table->scope;
      inner.scope.insert(clause.name.text);
      inner.rows.push_back(row);
      inner.rows[0][clause.name.text] = item;
      Answer none;
      for (const auto& body : clause.body) RETURN_IF_ERROR(RunClause(*body, &inner, &none));
    }
  }
  return Status::Ok();
}

Result<Value> Interpreter::Shown(const Value& value) {
  switch (value.type()) {
    case Type::kNodeRef: {
      ASSIGN_OR_RETURN(std::vector<std::string> labels, reader_.NodeLabels(value.AsNodeRef()));
      ASSIGN_OR_RETURN(Map properties, reader_.NodeProperties(value.AsNodeRef()));
      return Value(Node{value.AsNodeRef(), labels, properties});
    }
    case Type::kRelationshipRef: {
      const uint64_t id = value.AsRelationshipRef();
      ASSIGN_OR_RETURN(std::string type, reader_.RelationshipType(id));
      ASSIGN_OR_RETURN(auto ends, reader_.RelationshipEnds(id));
      ASSIGN_OR_RETURN(Map properties, reader_.RelationshipProperties(id));
      return Value(Relationship{id, type, ends.first, ends.second, properties});
    }
    case Type::kList: {
      List out;
      for (const Value& element : value.AsList()) {
        ASSIGN_OR_RETURN(Value shown, Shown(element));
        out.push_back(shown);
      }
      return Value(out);
    }
    case Type::kMap: {
      Map out;
      for (const auto& [key, element] : value.AsMap()) {
        ASSIGN_OR_RETURN(Value shown, Shown(element));
        out.Set(key, shown);
      }
      return Value(out);
    }
    case Type::kPath: {
      ASSIGN_OR_RETURN(Value nodes, Shown(Value(value.AsPath().nodes)));
      ASSIGN_OR_RETURN(Value relationships, Shown(Value(value.AsPath().relationships)));
      return Value(Path{nodes.AsList(), relationships.AsList()});
    }
    default: return value;
  }
}

}  // namespace fornix::model

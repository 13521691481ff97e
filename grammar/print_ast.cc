// A syntax tree as text: clauses a line each, expressions in one line with every level in brackets, so that a golden
// test shows precedence and a person sees what was understood. Not Cypher; nothing parses it.
#include "grammar/print_ast.h"

#include "base/value_format.h"

namespace fornix::grammar {
namespace {

using ast::ClauseKind;
using ast::Expr;
using ast::ExprKind;

constexpr const char* kOpTexts[] = {"=", "<>", "<", "<=", ">", ">=", "+", "-", "||", "*", "/", "%", "^"};
constexpr const char* kQuantifierTexts[] = {"all", "any", "none", "single"};

class Printer {
 public:
  std::string out;

  void Statement(const ast::Statement& s) {
    if (s.mode == ast::Statement::Mode::kExplain) out += "EXPLAIN\n";
    if (s.mode == ast::Statement::Mode::kProfile) out += "PROFILE\n";
    if (s.query) Query(*s.query, 0);
    if (s.schema) Schema(*s.schema, 0);
  }

  void Expression(const Expr* e) {
    if (e == nullptr) {
      out += "-";
      return;
    }
    switch (e->kind) {
      case ExprKind::kLiteral: out += ToText(e->value); break;
      case ExprKind::kParameter: out += "$" + e->name; break;
      case ExprKind::kVariable: out += e->name; break;
      case ExprKind::kProperty: Expression(e->args[0].get()); out += "." + e->name; break;
      case ExprKind::kSubscript: Call("element", *e); break;
      case ExprKind::kSlice: Call("slice", *e); break;
      case ExprKind::kList: Call("list", *e); break;
      case ExprKind::kMap:
        out += "{";
        for (size_t i = 0; i < e->args.size(); ++i) {
          out += (i == 0 ? "" : ", ") + e->keys[i] + ": ";
          Expression(e->args[i].get());
        }
        out += "}";
        break;
      case ExprKind::kMapProjection: MapProjection(*e); break;
      case ExprKind::kFunctionCall: Call((e->name + (e->distinct ? " distinct" : "")).c_str(), *e); break;
      case ExprKind::kCountStar: out += "count(*)"; break;
      case ExprKind::kAnd: Joined(*e, " AND "); break;
      case ExprKind::kOr: Joined(*e, " OR "); break;
      case ExprKind::kXor: Joined(*e, " XOR "); break;
      case ExprKind::kNot: Call("not", *e); break;
      case ExprKind::kComparison: case ExprKind::kArithmetic: Operators(*e); break;
      case ExprKind::kUnaryMinus: Call("minus", *e); break;
      case ExprKind::kUnaryPlus: Call("plus", *e); break;
      case ExprKind::kIn: Joined(*e, " IN "); break;
      case ExprKind::kStartsWith: Joined(*e, " STARTS WITH "); break;
      case ExprKind::kEndsWith: Joined(*e, " ENDS WITH "); break;
      case ExprKind::kContains: Joined(*e, " CONTAINS "); break;
      case ExprKind::kRegexMatch: Joined(*e, " =~ "); break;
      case ExprKind::kIsNull: Call("is null", *e); break;
      case ExprKind::kIsNotNull: Call("is not null", *e); break;
      case ExprKind::kIsTyped: Call(("is :: " + e->type_name).c_str(), *e); break;
      case ExprKind::kIsNotTyped: Call(("is not :: " + e->type_name).c_str(), *e); break;
      case ExprKind::kLabelCheck: Expression(e->args[0].get()); out += ":"; Labels(*e->labels); break;
      case ExprKind::kCase: Case(*e); break;
      case ExprKind::kListComprehension: Bound("list of", *e); break;
      case ExprKind::kPatternComprehension: Patterns("pattern list", *e); break;
      case ExprKind::kQuantifier: Bound(kQuantifierTexts[static_cast<int>(e->quantifier)], *e); break;
      case ExprKind::kReduce: Bound(("reduce " + e->name).c_str(), *e); break;
      case ExprKind::kPattern: Patterns("pattern", *e); break;
      case ExprKind::kExists: Patterns("exists", *e); break;
      case ExprKind::kCountSubquery: Patterns("count", *e); break;
      case ExprKind::kCollectSubquery: Patterns("collect", *e); break;
      case ExprKind::kShortestPath: Patterns("path", *e); break;
    }
  }

 private:
  void Line(int depth) {
    if (!out.empty() && out.back() != '\n') out += '\n';
    out.append(static_cast<size_t>(depth) * 2, ' ');
  }
  void Arguments(const Expr& e) {
    for (size_t i = 0; i < e.args.size(); ++i) {
      if (i > 0) out += ", ";
      Expression(e.args[i].get());
    }
  }
  void Call(const char* name, const Expr& e) {
    out += std::string(name) + "(";
    Arguments(e);
    out += ")";
  }
  void Joined(const Expr& e, const char* word) {
    out += "(";
    for (size_t i = 0; i < e.args.size(); ++i) {
      if (i > 0) out += word;
      Expression(e.args[i].get());
    }
    out += ")";
  }
  void Operators(const Expr& e) {
    out += "(";
    for (size_t i = 0; i < e.args.size(); ++i) {
      if (i > 0) out += std::string(" ") + kOpTexts[static_cast<int>(e.ops[i - 1])] + " ";
      Expression(e.args[i].get());
    }
    out += ")";
  }
  void Bound(const char* word, const Expr& e) {
    out += std::string(word) + "(" + e.variable.text + " IN ";
    Arguments(e);
    out += ")";
  }
  void Case(const Expr& e) {
    out += "case(";
    Expression(e.args[0].get());
    for (const auto& [when, then] : e.whens) {
      out += "; ";
      Expression(when.get());
      out += ": ";
      Expression(then.get());
    }
    out += "; else ";
    Expression(e.else_expr.get());
    out += ")";
  }
  void MapProjection(const Expr& e) {
    Expression(e.args[0].get());
    out += " {";
    for (size_t i = 0; i < e.projection.size(); ++i) {
      using Kind = ast::MapProjectionItem::Kind;
      const ast::MapProjectionItem& item = e.projection[i];
      out += i == 0 ? "" : ", ";
      if (item.kind == Kind::kAllProperties) out += ".*";
      if (item.kind == Kind::kProperty) out += "." + item.name.text;
      if (item.kind == Kind::kVariable) out += item.name.text;
      if (item.kind == Kind::kLiteral) {
        out += item.name.text + ": ";
        Expression(item.value.get());
      }
    }
    out += "}";
  }
  void Patterns(const char* word, const Expr& e) {
    out += std::string(word) + "(";
    for (size_t i = 0; i < e.patterns.size(); ++i) {
      if (i > 0) out += ", ";
      Part(*e.patterns[i]);
    }
    for (const ast::ExprPtr& argument : e.args) {
      if (!argument) continue;
      out += "; ";
      Expression(argument.get());
    }
    if (e.subquery) {
      out += '\n';
      Query(*e.subquery, 2);
    }
    out += ")";
  }

  void Labels(const ast::LabelExpr& l) {
    using Kind = ast::LabelExpr::Kind;
    switch (l.kind) {
      case Kind::kName: out += l.name.text; break;
      case Kind::kWildcard: out += "%"; break;
      case Kind::kNot: out += "!"; Labels(*l.children[0]); break;
      case Kind::kDynamic:
        out += l.dynamic_any ? "$any(" : "$(";
        Expression(l.dynamic.get());
        out += ")";
        break;
      case Kind::kAnd: case Kind::kOr:
        out += "(";
        for (size_t i = 0; i < l.children.size(); ++i) {
          if (i > 0) out += l.kind == Kind::kOr ? "|" : "&";
          Labels(*l.children[i]);
        }
        out += ")";
    }
  }
  template <typename Element>
  void Inside(const Element& element, const ast::LabelExprPtr& labels) {
    out += element.variable.text;
    if (labels) {
      out += ":";
      Labels(*labels);
    }
  }
  template <typename Element>
  void Filters(const Element& element) {
    if (element.properties) {
      out += " ";
      Expression(element.properties.get());
    }
    if (element.where) {
      out += " WHERE ";
      Expression(element.where.get());
    }
  }
  void Part(const ast::PatternPart& part) {
    if (!part.path_variable.empty()) out += part.path_variable.text + " = ";
    if (part.selector == ast::PatternPart::Selector::kShortestPath) out += "shortest ";
    if (part.selector == ast::PatternPart::Selector::kAllShortestPaths) out += "all shortest ";
    for (size_t i = 0; i < part.nodes.size(); ++i) {
      out += "(";
      Inside(part.nodes[i], part.nodes[i].labels);
      Filters(part.nodes[i]);
      out += ")";
      if (i >= part.relationships.size()) continue;
      const ast::RelationshipPattern& r = part.relationships[i];
      if (r.repeated) {
        out += "(";
        Part(*r.repeated);
        out += "){" + std::to_string(r.length->min.value_or(0)) + "," + (r.length->max ? std::to_string(*r.length->max) : "") + "}";
        continue;
      }
      out += r.direction == ast::Direction::kLeft ? "<-[" : "-[";
      Inside(r, r.types);
      if (r.length) {
        out += "*" + (r.length->min ? std::to_string(*r.length->min) : "") + ".." + (r.length->max ? std::to_string(*r.length->max) : "");
      }
      Filters(r);
      out += r.direction == ast::Direction::kRight ? "]->" : "]-";
    }
    Tail("WHERE", part.where);
  }

  void Query(const ast::Query& query, int depth) {
    for (size_t i = 0; i < query.parts.size(); ++i) {
      if (i > 0) {
        Line(depth);
        out += query.union_all[i - 1] ? "UNION ALL" : "UNION";
      }
      for (const auto& clause : query.parts[i].clauses) Clause(*clause, depth);
    }
  }
  void AllParts(const ast::Clause& c) {
    for (size_t i = 0; i < c.patterns.size(); ++i) {
      out += i == 0 ? " " : ", ";
      Part(*c.patterns[i]);
    }
  }
  void Tail(const char* word, const ast::ExprPtr& e) {
    if (!e) return;
    out += std::string(" ") + word + " ";
    Expression(e.get());
  }
  void Projection(const ast::Projection& p) {
    if (p.distinct) out += " DISTINCT";
    if (p.star) out += " *";
    for (size_t i = 0; i < p.items.size(); ++i) {
      out += i == 0 && !p.star ? " " : ", ";
      Expression(p.items[i].expr.get());
      if (!p.items[i].alias.empty()) out += " AS " + p.items[i].alias.text;
    }
    for (size_t i = 0; i < p.order_by.size(); ++i) {
      out += i == 0 ? " ORDER BY " : ", ";
      Expression(p.order_by[i].expr.get());
      if (p.order_by[i].descending) out += " DESC";
    }
    Tail("SKIP", p.skip);
    Tail("LIMIT", p.limit);
  }
  void SetItems(const std::vector<ast::SetItem>& items) {
    for (size_t i = 0; i < items.size(); ++i) {
      out += i == 0 ? " " : ", ";
      Expression(items[i].target.get());
      if (items[i].labels) {
        out += ":";
        Labels(*items[i].labels);
      } else {
        out += items[i].kind == ast::SetItem::Kind::kMergeProperties ? " += " : " = ";
        Expression(items[i].value.get());
      }
    }
  }
  void YieldItems(const std::vector<ast::YieldItem>& items, bool star) {
    out += star ? " YIELD *" : " YIELD";
    for (size_t i = 0; i < items.size(); ++i) {
      out += (i == 0 ? " " : ", ") + items[i].field.text;
      if (!items[i].alias.empty()) out += " AS " + items[i].alias.text;
    }
  }
  void Clause(const ast::Clause& c, int depth) {
    Line(depth);
    if (c.optional) out += "OPTIONAL ";
    if (c.detach) out += "DETACH ";
    switch (c.kind) {
      case ClauseKind::kMatch: out += "MATCH"; AllParts(c); Search(c); break;
      case ClauseKind::kUnwind: out += "UNWIND"; Tail("", c.expr); out += " AS " + c.name.text; break;
      case ClauseKind::kWith: out += "WITH"; Projection(c.projection); break;
      case ClauseKind::kReturn: out += "RETURN"; Projection(c.projection); break;
      case ClauseKind::kCreate: out += "CREATE"; AllParts(c); break;
      case ClauseKind::kMerge:
        out += "MERGE";
        AllParts(c);
        if (!c.on_create.empty()) out += " ON CREATE SET", SetItems(c.on_create);
        if (!c.on_match.empty()) out += " ON MATCH SET", SetItems(c.on_match);
        break;
      case ClauseKind::kSet: out += "SET"; SetItems(c.set_items); break;
      case ClauseKind::kRemove:
        out += "REMOVE";
        for (const ast::RemoveItem& item : c.remove_items) {
          out += " ";
          Expression(item.target.get());
          if (item.labels) out += ":", Labels(*item.labels);
        }
        break;
      case ClauseKind::kDelete:
        out += "DELETE";
        for (const ast::ExprPtr& e : c.exprs) out += " ", Expression(e.get());
        break;
      case ClauseKind::kForeach:
        out += "FOREACH " + c.name.text;
        Tail("IN", c.expr);
        for (const auto& inner : c.body) Clause(*inner, depth + 1);
        break;
      case ClauseKind::kCallProcedure:
        out += "CALL " + c.procedure + (c.implicit_arguments ? "" : "(");
        for (size_t i = 0; i < c.exprs.size(); ++i) {
          if (i > 0) out += ", ";
          Expression(c.exprs[i].get());
        }
        out += c.implicit_arguments ? "" : ")";
        if (c.has_yield) YieldItems(c.yield, c.yield_star);
        break;
      case ClauseKind::kCallSubquery: Subquery(c, depth); break;
      case ClauseKind::kLoadCsv: out += "LOAD CSV AS " + c.name.text; break;
      case ClauseKind::kFinish: out += "FINISH"; break;
    }
    Tail("WHERE", c.where);
  }
  void Search(const ast::Clause& c) {
    if (!c.search) return;
    out += " SEARCH " + c.search->variable.text + " IN " + (c.search->fulltext ? "FULLTEXT " : "VECTOR ") + c.search->index.text;
    Tail("FOR", c.search->query);
    Tail("FILTER", c.search->filter);
    Tail("LIMIT", c.search->limit);
    if (!c.search->score.empty()) out += " SCORE AS " + c.search->score.text;
  }
  void Subquery(const ast::Clause& c, int depth) {
    out += "CALL";
    if (c.has_scope) {
      out += c.imports_star ? " (*" : " (";
      for (size_t i = 0; i < c.imports.size(); ++i) out += (i == 0 ? "" : ", ") + c.imports[i].text;
      out += ")";
    }
    if (c.in_transactions) out += " IN TRANSACTIONS", Tail("OF", c.in_transactions->batch_rows);
    Query(*c.subquery, depth + 1);
  }

  static void Names(std::string* to, const char* word, const std::vector<ast::Name>& names) {
    if (names.empty()) return;
    *to += std::string(" ") + word;
    for (size_t i = 0; i < names.size(); ++i) *to += (i == 0 ? " " : ", ") + names[i].text;
  }
  void Schema(const ast::SchemaCommand& s, int depth) {
    static constexpr const char* kKinds[] = {"CREATE INDEX",    "DROP INDEX",       "CREATE CONSTRAINT",
                                             "DROP CONSTRAINT", "ALTER INDEX",      "ALTER GRAPH TYPE",
                                             "SHOW"};
    static constexpr const char* kIndexKinds[] = {"range", "text", "point", "lookup", "vector", "fulltext"};
    static constexpr const char* kConstraintKinds[] = {"unique", "key", "exists", "type"};
    static constexpr const char* kShowKinds[] = {"indexes",      "constraints", "functions", "procedures",
                                                 "transactions", "graph type",  "settings",  "databases", "terminate"};
    static constexpr const char* kActions[] = {"set", "add", "alter", "drop"};
    using Kind = ast::SchemaCommand::Kind;
    Line(depth);
    out += kKinds[static_cast<int>(s.kind)];
    if (!s.name.empty()) out += " " + s.name.text;
    if (!s.name_parameter.empty()) out += " $" + s.name_parameter;
    if (s.if_not_exists) out += " if not exists";
    if (s.if_exists) out += " if exists";
    if (s.kind == Kind::kCreateIndex) out += std::string(" ") + kIndexKinds[static_cast<int>(s.index_kind)];
    if (s.kind == Kind::kCreateConstraint) out += std::string(" ") + kConstraintKinds[static_cast<int>(s.constraint_kind)];
    if (s.kind == Kind::kAlterGraphType) out += std::string(" ") + kActions[static_cast<int>(s.action)] + (s.closed ? " closed" : "");
    if (s.kind == Kind::kShow)
      out += std::string(" ") + kShowKinds[static_cast<int>(s.show_kind)] + (s.show_filter.empty() ? "" : " " + s.show_filter);
    Names(&out, s.on_relationship ? "types" : "labels", s.labels_or_types);
    Names(&out, "properties", s.properties);
    Names(&out, "with", s.filter_properties);
    if (!s.type_name.empty()) out += " :: " + s.type_name;
    Tail("OPTIONS", s.options);
    for (const ast::SchemaCommand::ElementType& element : s.elements) ElementType(element, depth + 1);
    for (const auto& constraint : s.constraints) Schema(*constraint, depth + 1);
    if (s.has_yield) YieldItems(s.yield, s.yield_star), Projection(s.yield_projection);
    Tail("WHERE", s.where);
    if (s.has_return) out += " RETURN", Projection(s.returns);
  }
  void ElementType(const ast::SchemaCommand::ElementType& element, int depth) {
    Line(depth);
    out += element.is_relationship
               ? "(" + element.start_label.text + ")-[" + element.label_or_type.text + "]->(" + element.end_label.text + ")"
               : "(" + element.label_or_type.text + ")";
    Names(&out, "implies", element.implied_labels);
    for (const auto& property : element.properties) {
      out += " " + property.name.text + " :: " + property.type_name + (property.not_null ? " NOT NULL" : "") +
             (property.unique ? " unique" : "") + (property.key ? " key" : "");
    }
  }
};

}  // namespace

std::string ToString(const ast::Statement& statement) {
  Printer printer;
  printer.Statement(statement);
  return printer.out;
}

std::string ToString(const ast::Expr& expr) {
  Printer printer;
  printer.Expression(&expr);
  return printer.out;
}

}  // namespace fornix::grammar

// WITH and RETURN: grouping, DISTINCT, ORDER BY, SKIP, LIMIT, WHERE, in this order.
#include <algorithm>

#include "base/value_compare.h"
#include "grammar/print_ast.h"
#include "tests/model/interpreter.h"

namespace fornix::model {

using ast::Expr;
using ast::ExprKind;

bool Interpreter::HasAggregate(const Expr* expr) {
  if (expr == nullptr) return false;
  if (expr->kind == ExprKind::kCountStar) return true;
  if (expr->kind == ExprKind::kFunctionCall) {
    const planner::FunctionSignature* function = engine::BuiltinFunctions().FindFunction(expr->name);
    if (function != nullptr && function->aggregate) return true;
  }
  bool any = HasAggregate(expr->else_expr.get());
  for (const ast::ExprPtr& argument : expr->args) any |= HasAggregate(argument.get());
  for (const auto& [when, then] : expr->whens) any |= HasAggregate(when.get()) || HasAggregate(then.get());
  for (const ast::MapProjectionItem& item : expr->projection) any |= HasAggregate(item.value.get());
  return any;
}

Result<int64_t> Interpreter::Count(const ast::ExprPtr& expr, std::string_view word) {
  ASSIGN_OR_RETURN(Value value, Evaluate(*expr, {}));
  if (value.type() != Type::kInteger)
    return Status(Code::kSyntaxError, std::string(word) + " needs an integer").Detail("InvalidArgumentType");
  if (value.AsInteger() < 0) return Status(Code::kSyntaxError, std::string(word) + " can't be negative").Detail("NegativeIntegerArgument");
  return value.AsInteger();
}

Status Interpreter::Project(const ast::Projection& projection, const Expr* where, bool returns, Table* table, Answer* answer) {
  struct Item {
    std::string name;
    const Expr* expr;      // null: a variable of `*`
    bool aggregates;
  };
  std::vector<Item> items;
  if (projection.star) {
    for (const std::string& name : table->scope) items.push_back({name, nullptr, false});
  }
  bool aggregated = false;
  for (const ast::ProjectionItem& item : projection.items) {
    const std::string name = !item.alias.empty()                       ? item.alias.text
                             : item.expr->kind == ExprKind::kVariable && !returns ? item.expr->name
                                                                       : std::string(ast::TextOf(statement_, item.expr->span));
    items.push_back({name, item.expr.get(), HasAggregate(item.expr.get())});
    aggregated |= items.back().aggregates;
  }

  // An output row, and what ORDER BY and WHERE see besides it.
  struct Out {
    Row cells;
    Variables seen;
    Group group;
    std::vector<Value> keys;
  };
  std::vector<Out> out;
  auto cell = [&](const Item& item, const Variables& row, const Group* group) -> Result<Value> {
    if (item.expr == nullptr) return row.at(item.name);
    return Evaluate(*item.expr, row, group);
  };
  if (!aggregated) {
    for (const Variables& row : table->rows) {
      Out o;
      for (const Item& item : items) {
        ASSIGN_OR_RETURN(Value value, cell(item, row, nullptr));
        o.cells.push_back(value);
      }
      if (!projection.distinct) o.seen = row;
      out.push_back(std::move(o));
    }
  } else {
    std::vector<std::pair<Row, Group>> groups;  // by the cells that don't aggregate
    bool any_key = false;
    for (const Item& item : items) any_key |= !item.aggregates;
    if (!any_key) groups.emplace_back();
    for (const Variables& row : table->rows) {
      Row key;
      for (const Item& item : items) {
        if (item.aggregates) continue;
        ASSIGN_OR_RETURN(Value value, cell(item, row, nullptr));
        key.push_back(value);
      }
      auto same = [&](const std::pair<Row, Group>& other) {
        for (size_t i = 0; i < key.size(); ++i) {
          if (!Equivalent(key[i], other.first[i])) return false;
        }
        return true;
      };
      auto it = std::find_if(groups.begin(), groups.end(), same);
      if (it == groups.end()) it = groups.emplace(groups.end(), key, Group{});
      it->second.push_back(row);
    }
    for (const auto& [key, group] : groups) {
      Out o;
      const Variables first = group.empty() ? Variables{} : group[0];
      size_t k = 0;
      for (const Item& item : items) {
        Value value;
        if (item.aggregates) {
          ASSIGN_OR_RETURN(value, cell(item, first, &group));
        } else {
          value = key[k++];
        }
        o.cells.push_back(value);
      }
      o.seen = first;
      o.group = group;
      out.push_back(std::move(o));
    }
  }

  if (projection.distinct) {
    std::vector<Out> distinct;
    for (const Out& o : out) {
      bool again = false;
      for (const Out& other : distinct) {
        bool same = true;
        for (size_t i = 0; i < o.cells.size(); ++i) same &= Equivalent(o.cells[i], other.cells[i]);
        again |= same;
      }
      if (!again) distinct.push_back(o);
    }
    out = distinct;
  }
  for (Out& o : out) {
    for (size_t i = 0; i < items.size(); ++i) o.seen[items[i].name] = o.cells[i];
  }

  for (Out& o : out) {
    for (const ast::SortItem& sort : projection.order_by) {
      const std::string text = grammar::ToString(*sort.expr);
      Value key;
      bool is_item = false;
      for (size_t i = 0; i < items.size() && !is_item; ++i) {
        is_item = items[i].expr != nullptr && grammar::ToString(*items[i].expr) == text;
        if (is_item) key = o.cells[i];
      }
      if (!is_item) { ASSIGN_OR_RETURN(key, Evaluate(*sort.expr, o.seen, aggregated ? &o.group : nullptr)); }
      o.keys.push_back(key);
    }
  }
  std::stable_sort(out.begin(), out.end(), [&](const Out& a, const Out& b) {
    for (size_t i = 0; i < projection.order_by.size(); ++i) {
      int order = Order(a.keys[i], b.keys[i]);
      if (projection.order_by[i].descending) order = -order;
      if (order != 0) return order < 0;
    }
    return false;
  });

  int64_t skip = 0, limit = INT64_MAX;
  if (projection.skip) { ASSIGN_OR_RETURN(skip, Count(projection.skip, "SKIP")); }
  if (projection.limit) { ASSIGN_OR_RETURN(limit, Count(projection.limit, "LIMIT")); }
  Table next;
  for (const Item& item : items) next.scope.insert(item.name);
  for (const Out& o : out) {
    if (skip-- > 0) continue;
    if (limit-- <= 0) break;
    ASSIGN_OR_RETURN(bool holds, Holds(where, o.seen));
    if (!holds) continue;
    Variables row;
    for (size_t i = 0; i < items.size(); ++i) row[items[i].name] = o.cells[i];
    next.rows.push_back(row);
    if (returns) answer->rows.push_back(o.cells);
  }
  if (returns) {
    for (const Item& item : items) answer->columns.push_back(item.name);
  }
  *table = next;
  return Status::Ok();
}

}  // namespace fornix::model

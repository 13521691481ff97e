// Queries and clauses, and the rules about their order that need nothing but the text.
#include <cctype>

#include "grammar/build.h"
#include "grammar/diagnostics.h"

namespace fornix::grammar {

using ast::ClauseKind;
using ast::ExprKind;

namespace {

bool Updates(ClauseKind kind) {
  return kind == ClauseKind::kCreate || kind == ClauseKind::kMerge || kind == ClauseKind::kSet || kind == ClauseKind::kRemove ||
         kind == ClauseKind::kDelete || kind == ClauseKind::kForeach;
}

const char* WordOf(ClauseKind kind) {
  switch (kind) {
    case ClauseKind::kMatch: return "MATCH";
    case ClauseKind::kUnwind: return "UNWIND";
    case ClauseKind::kWith: return "WITH";
    case ClauseKind::kReturn: return "RETURN";
    case ClauseKind::kCreate: return "CREATE";
    case ClauseKind::kMerge: return "MERGE";
    case ClauseKind::kSet: return "SET";
    case ClauseKind::kRemove: return "REMOVE";
    case ClauseKind::kDelete: return "DELETE";
    case ClauseKind::kForeach: return "FOREACH";
    case ClauseKind::kCallProcedure: case ClauseKind::kCallSubquery: return "CALL";
    case ClauseKind::kLoadCsv: return "LOAD CSV";
    case ClauseKind::kFinish: return "FINISH";
  }
  return "";
}

// How an OPTIONAL or DETACH before it is found: the clause's first token isn't its own word.
bool BeginsWith(std::string_view text, std::string_view upper) {
  if (text.size() != upper.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::toupper(static_cast<unsigned char>(text[i])) != upper[i]) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<ast::Query> Builder::Query(P::QueryContext* context, Body body) {
  const std::vector<P::JoinWordContext*> words = context->joinWord();
  size_t last = 0;   // the first part behind the last NEXT
  for (size_t i = 0; i < words.size(); ++i) last = words[i]->next != nullptr ? i + 1 : last;
  const Body inside = last > 0 && body == Body::kTop ? Body::kSubquery : body;
  std::vector<std::unique_ptr<ast::Clause>> before;
  for (size_t first = 0; first < last;) {
    size_t end = first;
    while (words[end]->next == nullptr) ++end;
    std::unique_ptr<ast::Query> stage = Stage(context, first, end, inside);
    PassOn(std::move(stage), SpanOf(words[end]).start, &before);
    first = end + 1;
  }
  std::unique_ptr<ast::Query> query = Stage(context, last, words.size(), inside);
  query->span = SpanOf(context);
  if (last == 0) return query;
  if (query->parts.size() > 1) FailNotAvailable(query->parts[1].span.start, "UNION behind NEXT is not available yet; put it into CALL (*) { ... }");
  auto& clauses = query->parts[0].clauses;
  clauses.insert(clauses.begin(), std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
  query->parts[0].span = query->span;
  return query;
}

// Parts first to last, joined by UNION.
std::unique_ptr<ast::Query> Builder::Stage(P::QueryContext* context, size_t first, size_t last, Body body) {
  auto query = std::make_unique<ast::Query>();
  for (size_t i = first; i <= last; ++i) query->parts.push_back(SingleQuery(context->singleQuery(i), body));
  query->span = query->parts[0].span;
  for (size_t i = first; i < last; ++i) {
    P::JoinWordContext* word = context->joinWord(i);
    query->union_all.push_back(word->quantity != nullptr && TextOf(word->quantity).size() == 3);
    if (query->union_all.back() != query->union_all.front()) {
      FailSyntax(SpanOf(word).start, "UNION and UNION ALL can't be mixed in one query; put one of them into CALL { ... }",
                 "InvalidClauseComposition");
    }
  }
  return query;
}

// `... RETURN x NEXT ...`: what a query returns is all that the next one starts from, as behind WITH. A UNION becomes a subquery.
void Builder::PassOn(std::unique_ptr<ast::Query> stage, SourcePosition next, std::vector<std::unique_ptr<ast::Clause>>* before) {
  for (const ast::SingleQuery& part : stage->parts) {
    if (!part.clauses.empty() && part.clauses.back()->kind == ClauseKind::kReturn) continue;
    FailSyntax(next, "NEXT passes on what the query before it returns: end that with RETURN", "InvalidClauseComposition");
    return;
  }
  if (stage->parts.size() == 1) {
    for (auto& clause : stage->parts[0].clauses) before->push_back(std::move(clause));
    before->back()->kind = ClauseKind::kWith;
    return;
  }
  if (!before->empty()) FailNotAvailable(stage->parts[1].span.start, "UNION behind NEXT is not available yet; put it into CALL (*) { ... }");
  before->push_back(std::make_unique<ast::Clause>(ClauseKind::kCallSubquery, stage->span));
  before->back()->has_scope = true;
  before->back()->subquery = std::move(stage);
}

ast::SingleQuery Builder::SingleQuery(P::SingleQueryContext* context, Body body) {
  ast::SingleQuery query;
  query.span = SpanOf(context);
  for (P::ClauseContext* clause : context->clause()) query.clauses.push_back(Clause(clause));
  if (query.clauses.size() == 1 && query.clauses[0]->kind == ClauseKind::kCallProcedure) query.clauses[0]->standalone = body == Body::kTop;
  for (const auto& clause : query.clauses) {
    if (clause->kind != ClauseKind::kCallProcedure || !clause->yield_star || clause->standalone) continue;
    FailSyntax(clause->span.start, "YIELD * is for a CALL that stands alone; name the columns you need", "UnexpectedSyntax");
  }
  CheckOrder(query, body);
  return query;
}

void Builder::CheckOrder(const ast::SingleQuery& query, Body body) {
  for (size_t i = 0; i < query.clauses.size(); ++i) {
    const ast::Clause& clause = *query.clauses[i];
    const bool last = i + 1 == query.clauses.size();
    if ((clause.kind == ClauseKind::kReturn || clause.kind == ClauseKind::kFinish) && !last) {
      FailSyntax(query.clauses[i + 1]->span.start,
                 std::string(WordOf(clause.kind)) + " ends a query; " + WordOf(query.clauses[i + 1]->kind) +
                     " can't follow it (use WITH to go on)",
                 "UnexpectedSyntax");
    }
    if (read_only_ > 0 && Updates(clause.kind)) {
      FailSyntax(clause.span.start,
                 std::string(WordOf(clause.kind)) + " can't stand inside EXISTS, COUNT or COLLECT, which only read",
                 "InvalidClauseComposition");
    }
  }
  if (query.clauses.empty() || body == Body::kExpression) return;
  const ast::Clause& end = *query.clauses.back();
  const bool ends = Updates(end.kind) || end.kind == ClauseKind::kReturn || end.kind == ClauseKind::kFinish ||
                    end.kind == ClauseKind::kCallProcedure || end.kind == ClauseKind::kCallSubquery;
  if (!ends) {
    FailSyntax(end.span.start,
               std::string("a query can't end with ") + WordOf(end.kind) + "; add RETURN, or a clause that writes",
               "UnexpectedSyntax");
  }
}

std::unique_ptr<ast::Clause> Builder::Clause(P::ClauseContext* context) {
  auto clause = std::make_unique<ast::Clause>(ClauseKind::kFinish, SpanOf(context));
  ast::Clause* c = clause.get();
  c->optional = BeginsWith(TextOf(context->start), "OPTIONAL");
  if (auto* match = context->matchClause()) {
    c->kind = ClauseKind::kMatch;
    Match(match, c);
  } else if (auto* with = context->withClause()) {
    c->kind = ClauseKind::kWith;
    c->projection = Projection(with->projection());
    c->where = Where(with->whereClause());
  } else if (auto* returns = context->returnClause()) {
    c->kind = ClauseKind::kReturn;
    c->projection = Projection(returns->projection());
  } else if (auto* filter = context->filterClause()) {
    // FILTER p is WITH * WHERE p, LET x = e is WITH *, e AS x.
    c->kind = ClauseKind::kWith;
    c->projection.star = true;
    c->projection.span = c->span;
    c->where = Expression(filter->expr(), true);
  } else if (auto* let = context->letClause()) {
    c->kind = ClauseKind::kWith;
    c->let = true;
    c->projection.star = true;
    c->projection.span = c->span;
    for (P::LetItemContext* item : let->letItem()) {
      ast::ProjectionItem built;
      built.expr = Expression(item->expr());
      built.alias = NameOf(item->variable());
      c->projection.items.push_back(std::move(built));
    }
  } else if (auto* unwind = context->unwindClause()) {
    c->kind = ClauseKind::kUnwind;
    c->expr = Expression(unwind->expr());
    c->name = NameOf(unwind->name());
  } else if (auto* create = context->createClause()) {
    c->kind = ClauseKind::kCreate;
    c->patterns = Pattern(create->pattern(), PatternUse::kCreate);
  } else if (auto* merge = context->mergeClause()) {
    c->kind = ClauseKind::kMerge;
    Merge(merge, c);
  } else if (auto* set = context->setClause()) {
    c->kind = ClauseKind::kSet;
    c->set_items = SetItems(set);
  } else if (auto* remove = context->removeClause()) {
    c->kind = ClauseKind::kRemove;
    c->remove_items = RemoveItems(remove);
  } else if (auto* deletes = context->deleteClause()) {
    c->kind = ClauseKind::kDelete;
    c->detach = deletes->detach != nullptr;
    for (P::ExprContext* expr : deletes->expr()) {
      c->exprs.push_back(Expression(expr));
      if (c->exprs.back()->kind == ExprKind::kLabelCheck) {
        FailSyntax(c->exprs.back()->span.start,
                   "DELETE removes whole nodes and relationships; a label is taken away with REMOVE n:Label", "InvalidDelete");
      }
    }
  } else if (auto* foreach = context->foreachClause()) {
    c->kind = ClauseKind::kForeach;
    c->name = NameOf(foreach->variable());
    c->expr = Expression(foreach->expr());
    for (P::ClauseContext* inner : foreach->clause()) {
      c->body.push_back(Clause(inner));
      if (!Updates(c->body.back()->kind)) {
        FailSyntax(c->body.back()->span.start,
                   std::string(WordOf(c->body.back()->kind)) +
                       " can't stand inside FOREACH, which only holds clauses that write; use UNWIND or CALL { ... }",
                   "InvalidClauseComposition");
      }
    }
  } else if (auto* subquery = context->callSubquery()) {
    c->kind = ClauseKind::kCallSubquery;
    CallSubquery(subquery, c);
  } else if (auto* procedure = context->callProcedure()) {
    c->kind = ClauseKind::kCallProcedure;
    CallProcedure(procedure, c);
  } else if (auto* load = context->loadCsv()) {
    c->kind = ClauseKind::kLoadCsv;
    c->expr = Expression(load->expr());
    c->name = NameOf(load->name());
  }
  return clause;
}

void Builder::Match(P::MatchClauseContext* context, ast::Clause* clause) {
  clause->patterns = Pattern(context->pattern(), PatternUse::kMatch);
  std::vector<P::WhereClauseContext*> wheres = context->whereClause();
  if (!wheres.empty()) clause->where = Where(wheres[0]);
  if (wheres.size() > 1) FailSyntax(SpanOf(wheres[1]).start, "a MATCH has one WHERE; join the conditions with AND", "UnexpectedSyntax");
  std::vector<P::SearchClauseContext*> searches = context->searchClause();
  if (searches.size() > 1) FailSyntax(SpanOf(searches[1]).start, "a MATCH has one SEARCH", "UnexpectedSyntax");
  if (searches.empty()) return;
  P::SearchClauseContext* s = searches[0];
  auto search = std::make_unique<ast::SearchClause>();
  search->span = SpanOf(s);
  search->variable = NameOf(s->variable());
  search->fulltext = TextOf(s->kind).size() == 8;
  search->index = NameOf(s->name(0));
  search->query = Expression(s->expr(0));
  search->filter = Where(s->whereClause());
  search->limit = Expression(s->limitOf);
  search->score = NameOf(s->score);
  clause->search = std::move(search);
}

void Builder::Merge(P::MergeClauseContext* context, ast::Clause* clause) {
  clause->patterns.push_back(PatternPart(context->patternPart(), PatternUse::kMerge));
  for (P::MergeActionContext* action : context->mergeAction()) {
    auto& items = TextOf(action->on).size() == 6 ? clause->on_create : clause->on_match;
    for (ast::SetItem& item : SetItems(action->setClause())) items.push_back(std::move(item));
  }
}

void Builder::CallProcedure(P::CallProcedureContext* context, ast::Clause* clause) {
  P::DottedNameContext* dotted = context->dottedName();
  for (P::NameContext* name : dotted->name()) clause->procedure += (clause->procedure.empty() ? "" : ".") + NameOf(name).text;
  clause->name = NameOf(dotted);
  clause->implicit_arguments = context->parenthesis == nullptr;
  for (P::ExprContext* argument : context->expr()) clause->exprs.push_back(Expression(argument));
  if (!context->yieldItems()) return;
  clause->has_yield = true;
  clause->yield = YieldItems(context->yieldItems(), &clause->yield_star);
  clause->where = Where(context->whereClause());
}

std::vector<ast::YieldItem> Builder::YieldItems(P::YieldItemsContext* context, bool* star) {
  std::vector<ast::YieldItem> items;
  *star = context->star != nullptr;
  for (P::YieldItemContext* item : context->yieldItem()) {
    ast::YieldItem built{NameOf(item->name(0)), {}};
    if (item->name().size() > 1) built.alias = NameOf(item->name(1));
    items.push_back(std::move(built));
  }
  return items;
}

void Builder::CallSubquery(P::CallSubqueryContext* context, ast::Clause* clause) {
  if (P::ScopeContext* scope = context->scope()) {
    clause->has_scope = true;
    clause->imports_star = scope->star != nullptr;
    for (P::NameContext* name : scope->name()) clause->imports.push_back(NameOf(name));
  }
  clause->subquery = Query(context->query(), Body::kSubquery);
  P::InTransactionsContext* in = context->inTransactions();
  if (in == nullptr) return;
  ast::InTransactions transactions;
  // `n CONCURRENT` allows them to run side by side; one after the other is allowed too.
  transactions.concurrent = in->concurrent != nullptr;
  if (in->expr()) transactions.concurrency = Expression(in->expr());
  for (P::TransactionOptionContext* option : in->transactionOption()) {
    if (auto* rows = dynamic_cast<P::BatchRowsContext*>(option)) transactions.batch_rows = Expression(rows->expr());
    if (auto* error = dynamic_cast<P::ErrorHandlingContext*>(option)) OnError(error->onError(), &transactions);
    if (auto* report = dynamic_cast<P::ReportStatusContext*>(option)) transactions.status = NameOf(report->name());
  }
  clause->in_transactions = std::move(transactions);
}

void Builder::OnError(P::OnErrorContext* context, ast::InTransactions* transactions) {
  if (context->action != nullptr) {
    using OnError = ast::InTransactions::OnError;
    const size_t size = TextOf(context->action).size();
    transactions->on_error = size == 8 ? OnError::kContinue : size == 5 ? OnError::kBreak : OnError::kFail;
  }
  if (context->word == nullptr) return;
  transactions->retry = true;
  if (!BeginsWith(TextOf(context->word), "RETRY")) {
    FailSyntax(TokenOf(context->word).position(),
               "unexpected '" + std::string(TextOf(context->word)) + "', expected CONTINUE, BREAK, FAIL or RETRY", "UnexpectedSyntax");
  }
  if (context->expr() == nullptr) return;
  transactions->retry_seconds = Expression(context->expr());
  const std::string_view unit = TextOf(context->unit);
  if (BeginsWith(unit, "SECONDS") || BeginsWith(unit, "SECOND") || BeginsWith(unit, "SEC")) return;
  FailSyntax(TokenOf(context->unit).position(), "unexpected '" + std::string(unit) + "', expected SECONDS", "UnexpectedSyntax");
}

ast::Projection Builder::Projection(P::ProjectionContext* context) {
  ast::Projection projection;
  projection.span = SpanOf(context);
  projection.distinct = BeginsWith(TextOf(context->start), "DISTINCT");
  projection.star = context->star != nullptr;
  for (P::ProjectionItemContext* item : context->projectionItem()) {
    ast::ProjectionItem built;
    built.expr = Expression(item->expr());
    built.alias = NameOf(item->name());
    projection.items.push_back(std::move(built));
  }
  Tail(context->projectionTail(), &projection);
  return projection;
}

void Builder::Tail(P::ProjectionTailContext* context, ast::Projection* projection) {
  for (P::SortItemContext* item : context->sortItem()) {
    ast::SortItem built;
    built.expr = Expression(item->expr());
    built.descending = item->direction != nullptr && std::tolower(TextOf(item->direction)[0]) == 'd';
    projection->order_by.push_back(std::move(built));
  }
  if (context->skip) projection->skip = Expression(context->skip);
  if (context->limitOf) projection->limit = Expression(context->limitOf);
}

ast::ExprPtr Builder::PropertyTarget(P::PropertyTargetContext* context) {
  ast::ExprPtr target;
  if (context->variable()) {
    target = VariableOf(context->variable());
  } else if (context->functionCall()) {
    target = Function(context->functionCall());
  } else {
    target = Expression(context->expr());
    target->parenthesized = true;
  }
  const ast::Span whole = SpanOf(context);
  for (P::PropertyStepContext* step : context->propertyStep()) {
    const ast::Span last = SpanOf(step);
    ast::Span span{whole.start, last.start.offset + last.length - whole.start.offset};
    auto outer = std::make_unique<ast::Expr>(step->name() ? ExprKind::kProperty : ExprKind::kSubscript, span);
    outer->args.push_back(std::move(target));
    if (step->name()) {
      outer->name = NameOf(step->name()).text;
    } else {
      outer->args.push_back(Expression(step->expr()));
    }
    target = std::move(outer);
  }
  return target;
}

std::vector<ast::SetItem> Builder::SetItems(P::SetClauseContext* context) {
  using Kind = ast::SetItem::Kind;
  std::vector<ast::SetItem> items;
  for (P::SetItemContext* item : context->setItem()) {
    ast::SetItem built;
    built.span = SpanOf(item);
    if (auto* property = dynamic_cast<P::SetPropertyContext*>(item)) {
      built.target = PropertyTarget(property->propertyTarget());
      built.kind = built.target->kind == ExprKind::kProperty ? Kind::kProperty : Kind::kDynamicProperty;
      built.value = Expression(property->expr());
    } else if (auto* replace = dynamic_cast<P::SetReplaceContext*>(item)) {
      built.kind = Kind::kReplaceProperties;
      built.target = VariableOf(replace->variable());
      built.value = Expression(replace->expr());
    } else if (auto* merge = dynamic_cast<P::SetMergeContext*>(item)) {
      built.kind = Kind::kMergeProperties;
      built.target = VariableOf(merge->variable());
      built.value = Expression(merge->expr());
    } else {
      auto* labels = static_cast<P::SetLabelsContext*>(item);
      built.kind = Kind::kLabels;
      built.target = VariableOf(labels->variable());
      built.labels = Labels(labels->labels());
    }
    items.push_back(std::move(built));
  }
  return items;
}

std::vector<ast::RemoveItem> Builder::RemoveItems(P::RemoveClauseContext* context) {
  using Kind = ast::RemoveItem::Kind;
  std::vector<ast::RemoveItem> items;
  for (P::RemoveItemContext* item : context->removeItem()) {
    ast::RemoveItem built;
    built.span = SpanOf(item);
    if (auto* property = dynamic_cast<P::RemovePropertyContext*>(item)) {
      built.target = PropertyTarget(property->propertyTarget());
      built.kind = built.target->kind == ExprKind::kProperty ? Kind::kProperty : Kind::kDynamicProperty;
    } else {
      auto* labels = static_cast<P::RemoveLabelsContext*>(item);
      built.kind = Kind::kLabels;
      built.target = VariableOf(labels->variable());
      built.labels = Labels(labels->labels());
    }
    items.push_back(std::move(built));
  }
  return items;
}

}  // namespace fornix::grammar

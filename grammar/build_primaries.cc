// Operands: everything of an expression that begins with a token of its own.
#include <algorithm>
#include <cctype>

#include "grammar/build.h"
#include "grammar/diagnostics.h"

namespace fornix::grammar {

using ast::Expr;
using ast::ExprKind;
using ast::ExprPtr;

ExprPtr Builder::Primary(P::PrimaryContext* context, bool predicate) {
  if (auto* c = dynamic_cast<P::VariablePrimaryContext*>(context)) return VariableOf(c->variable());
  if (auto* c = dynamic_cast<P::LiteralPrimaryContext*>(context)) return Literal(c->literal());
  if (dynamic_cast<P::ParameterContext*>(context)) {
    ExprPtr out = Make(ExprKind::kParameter, context);
    out->name = Parameter(context->start);
    return out;
  }
  if (auto* c = dynamic_cast<P::FunctionContext*>(context)) return Function(c->functionCall());
  if (auto* c = dynamic_cast<P::ParenthesizedContext*>(context)) {
    ExprPtr inner = Expression(c->expr(), predicate);
    inner->parenthesized = true;
    inner->span = SpanOf(context);
    return inner;
  }
  if (auto* c = dynamic_cast<P::MapPrimaryContext*>(context)) return MapOf(c->map());
  if (auto* c = dynamic_cast<P::ListContext*>(context)) {
    ExprPtr out = Make(ExprKind::kList, context);
    for (P::ExprContext* element : c->expr()) out->args.push_back(Expression(element));
    return out;
  }
  if (dynamic_cast<P::ConstantListContext*>(context)) {
    ExprPtr out = Make(ExprKind::kLiteral, context);
    out->value = list_->constants[TokenOf(context->start).constant];
    return out;
  }
  if (dynamic_cast<P::CountStarContext*>(context)) return Make(ExprKind::kCountStar, context);
  if (auto* c = dynamic_cast<P::CaseContext*>(context)) return Case(c->caseExpression());
  if (auto* c = dynamic_cast<P::SubqueryContext*>(context)) return Subquery(c);
  if (auto* c = dynamic_cast<P::ListComprehensionContext*>(context)) {
    ExprPtr out = Make(ExprKind::kListComprehension, context);
    out->variable = NameOf(c->variable());
    out->args.push_back(Expression(c->source));
    out->args.push_back(Where(c->whereClause()));
    out->args.push_back(c->result ? Expression(c->result) : nullptr);
    return out;
  }
  if (auto* c = dynamic_cast<P::PatternComprehensionContext*>(context)) {
    ExprPtr out = Make(ExprKind::kPatternComprehension, context);
    auto part = std::make_unique<ast::PatternPart>();
    part->span = SpanOf(c->patternElement());
    PatternElement(c->patternElement(), PatternUse::kExpression, part.get());
    out->variable = NameOf(c->name());
    part->path_variable = out->variable;
    out->patterns.push_back(std::move(part));
    out->args.push_back(Where(c->whereClause()));
    out->args.push_back(Expression(c->expr()));
    return out;
  }
  if (auto* c = dynamic_cast<P::MapProjectionContext*>(context)) return MapProjection(c);
  if (auto* c = dynamic_cast<P::QuantifierContext*>(context)) {
    ExprPtr out = Make(ExprKind::kQuantifier, context);
    const std::string_view kind = TextOf(c->kind);
    const char second = static_cast<char>(std::tolower(kind[1]));  // aLl, aNy, nOne, sIngle
    out->quantifier = second == 'l'   ? ast::Quantifier::kAll
                      : second == 'n' ? ast::Quantifier::kAny
                      : second == 'o' ? ast::Quantifier::kNone
                                      : ast::Quantifier::kSingle;
    out->variable = NameOf(c->variable());
    out->args.push_back(Expression(c->expr()));
    out->args.push_back(Where(c->whereClause()));
    return out;
  }
  if (auto* c = dynamic_cast<P::ReduceContext*>(context)) {
    ExprPtr out = Make(ExprKind::kReduce, context);
    out->name = NameOf(c->variable(0)).text;
    out->variable = NameOf(c->variable(1));
    out->args.push_back(Expression(c->initial));
    out->args.push_back(Expression(c->source));
    out->args.push_back(Expression(c->result));
    return out;
  }
  if (auto* c = dynamic_cast<P::ShortestPathPrimaryContext*>(context)) {
    ExprPtr out = Make(ExprKind::kShortestPath, context);
    auto part = std::make_unique<ast::PatternPart>();
    part->span = SpanOf(context);
    ShortestPath(c->shortestPath(), PatternUse::kExpression, part.get());
    out->patterns.push_back(std::move(part));
    return out;
  }
  auto* c = static_cast<P::PatternPredicateContext*>(context);
  ExprPtr out = Make(ExprKind::kPattern, context);
  if (!predicate) {
    FailSyntax(out->span.start,
               "a pattern can't be a value here; test it in WHERE, count it with COUNT { ... } or list it with [pattern | ...]",
               "UnexpectedSyntax");
  }
  out->patterns.push_back(PatternChain(c->patternChain()));
  return out;
}

ExprPtr Builder::Number(antlr4::Token* token, antlr4::ParserRuleContext* context, bool negative) {
  ExprPtr out = Make(ExprKind::kLiteral, context);
  const Token& number = TokenOf(token);
  const std::string_view text = number.text(text_);
  if (number.malformed) {
    FailSyntax(number.position(),
               "'" + std::string(text.substr(0, 40)) + "' is no number; a name that begins with a digit is written in backticks",
               "InvalidNumberLiteral");
    return out;
  }
  Result<Value> value = ParseNumber(text, negative);
  if (value.ok()) {
    out->value = std::move(*value);
  } else {
    FailSyntax(number.position(), value.status().message(), value.status().detail());
  }
  return out;
}

ExprPtr Builder::Literal(P::LiteralContext* context) {
  const size_t type = context->start->getType();
  if (type == P::INTEGER || type == P::FLOAT) return Number(context->start, context, false);
  ExprPtr out = Make(ExprKind::kLiteral, context);
  const std::string_view text = TextOf(context->start);
  if (type == P::STRING) {
    out->value = Value(UnescapeString(text));
  } else if (std::tolower(text[0]) != 'n') {
    out->value = Value(std::tolower(text[0]) == 't');
  }
  return out;
}

ExprPtr Builder::MapOf(P::MapContext* context) {
  ExprPtr out = Make(ExprKind::kMap, context);
  for (P::MapEntryContext* entry : context->mapEntry()) {
    out->keys.push_back(KeyOf(entry->name()));
    out->args.push_back(Expression(entry->expr()));
  }
  return out;
}

ExprPtr Builder::Function(P::FunctionCallContext* context) {
  ExprPtr out = Make(ExprKind::kFunctionCall, context);
  const auto& words = context->functionName()->children;  // names and dots; joined by what was written, without backticks
  for (antlr4::tree::ParseTree* word : words) {
    if (auto* rule = dynamic_cast<antlr4::ParserRuleContext*>(word)) {
      out->name += NameOf(rule).text;
    } else {
      out->name += TextOf(static_cast<antlr4::tree::TerminalNode*>(word)->getSymbol());
    }
  }
  out->distinct = context->distinct != nullptr;
  // exists(pattern) is the old spelling of EXISTS { pattern }.
  const bool exists = out->name.size() == 6 && std::tolower(out->name[0]) == 'e' && std::tolower(out->name[1]) == 'x' &&
                      std::tolower(out->name[5]) == 's';
  for (P::ExprContext* argument : context->expr()) {
    if (argument != context->from) out->args.push_back(Expression(argument, exists));
  }
  if (context->from || context->side) {
    Trim(context, out.get());
  } else {
    NameLastWord(out.get());
  }
  return out;
}

// trim([LEADING | TRAILING | BOTH] [characters] FROM text) is ltrim, rtrim or trim of (text, characters).
void Builder::Trim(P::FunctionCallContext* context, ast::Expr* call) {
  const bool is_trim = call->name.size() == 4 && std::tolower(call->name[0]) == 't' && std::tolower(call->name[1]) == 'r';
  if (!context->from || !is_trim || call->args.size() > 1) {
    FailSyntax(SpanOf(context).start, "FROM belongs to trim([BOTH | LEADING | TRAILING] characters FROM text)", "UnexpectedSyntax");
    return;
  }
  if (context->side) {
    const size_t length = TextOf(context->side).size();
    if (length != 4) call->name = length == 7 ? "ltrim" : "rtrim";
  }
  call->args.insert(call->args.begin(), Expression(context->from));
}

// The last words of normalize(s, NFC) and vector(list, 3, FLOAT32) are written without quotes.
void Builder::NameLastWord(ast::Expr* call) {
  if (call->args.size() < 2 || call->args.back()->kind != ExprKind::kVariable) return;
  static constexpr std::string_view kFunctions[] = {"normalize", "vector"};
  static constexpr std::string_view kWords[] = {
      "NFC", "NFD", "NFKC", "NFKD", "FLOAT", "FLOAT64", "FLOAT32", "INTEGER", "INT", "INTEGER64", "INT64", "INTEGER32", "INT32", "INTEGER16",
      "INT16", "INTEGER8", "INT8"};
  auto equal = [](std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
  };
  ast::Expr& last = *call->args.back();
  if (std::none_of(std::begin(kFunctions), std::end(kFunctions), [&](std::string_view f) { return equal(f, call->name); })) return;
  for (std::string_view word : kWords) {
    if (!equal(word, last.name)) continue;
    last.kind = ExprKind::kLiteral;
    last.value = Value(std::string(word));
    last.name.clear();
    return;
  }
}

ExprPtr Builder::Case(P::CaseExpressionContext* context) {
  ExprPtr out = Make(ExprKind::kCase, context);
  for (P::CaseWhenContext* when : context->caseWhen()) {
    P::CaseTestContext* test = when->caseTest(0);
    if (when->caseTest().size() == 1 && test->children.size() == 1) continue;
    if (context->operand != nullptr) return ExtendedCase(context, std::move(out));
    FailSyntax(SpanOf(when).start, "only behind `CASE x` can WHEN take several values, or begin with an operator", "UnexpectedSyntax");
    return out;
  }
  out->args.push_back(context->operand ? Expression(context->operand) : nullptr);
  for (P::CaseWhenContext* when : context->caseWhen()) {
    ExprPtr condition = Expression(when->caseTest(0)->expr(), context->operand == nullptr);
    out->whens.emplace_back(std::move(condition), Expression(when->result));
  }
  if (context->otherwise) out->else_expr = Expression(context->otherwise);
  return out;
}

// CASE x WHEN > 1, 0 THEN a END is CASE WHEN x > 1 OR x = 0 THEN a END where x is a name or a property of one. Anything else is
// evaluated once: [s IN [x] | CASE WHEN s > 1 OR s = 0 THEN a END][0].
ExprPtr Builder::ExtendedCase(P::CaseExpressionContext* context, ExprPtr out) {
  constexpr const char* kSubject = " subject";   // no name that a text could have
  P::ExprContext* lowest = context->operand;
  while (auto* property = dynamic_cast<P::PropertyContext*>(lowest)) lowest = property->expr();
  auto* atom = dynamic_cast<P::AtomContext*>(lowest);
  const bool plain = atom != nullptr && (dynamic_cast<P::VariablePrimaryContext*>(atom->primary()) || dynamic_cast<P::ParameterContext*>(atom->primary()));
  const auto subject = [&] {
    if (plain) return Expression(context->operand);
    ExprPtr variable = Make(ExprKind::kVariable, context->operand);
    variable->name = kSubject;
    return variable;
  };
  out->args.push_back(nullptr);
  for (P::CaseWhenContext* when : context->caseWhen()) {
    std::vector<ExprPtr> tests;
    for (P::CaseTestContext* test : when->caseTest()) tests.push_back(CaseTest(test, subject()));
    ExprPtr condition = tests.size() > 1 ? Make(ExprKind::kOr, when) : std::move(tests[0]);
    if (tests.size() > 1) condition->args = std::move(tests);
    out->whens.emplace_back(std::move(condition), Expression(when->result));
  }
  if (context->otherwise) out->else_expr = Expression(context->otherwise);
  if (plain) return out;
  ExprPtr all = Make(ExprKind::kListComprehension, context), list = Make(ExprKind::kList, context->operand);
  list->args.push_back(Expression(context->operand));
  all->variable.text = kSubject;
  all->args.push_back(std::move(list));
  all->args.push_back(nullptr);
  all->args.push_back(std::move(out));
  ExprPtr first = Make(ExprKind::kSubscript, context), zero = Make(ExprKind::kLiteral, context);
  zero->value = Value(int64_t{0});
  first->args.push_back(std::move(all));
  first->args.push_back(std::move(zero));
  return first;
}

ExprPtr Builder::Subquery(P::SubqueryContext* context) {
  const std::string_view word = TextOf(context->kind);
  ExprPtr out = Make(word.size() == 6   ? ExprKind::kExists
                     : word.size() == 5 ? ExprKind::kCountSubquery
                                        : ExprKind::kCollectSubquery, context);
  ++read_only_;
  P::SubqueryBodyContext* body = context->subqueryBody();
  if (body->query()) {
    out->subquery = Query(body->query(), Body::kExpression);
    if (out->kind == ExprKind::kCollectSubquery) {
      for (const ast::SingleQuery& part : out->subquery->parts) {
        if (!part.clauses.empty() && part.clauses.back()->kind == ast::ClauseKind::kReturn) continue;
        FailSyntax(part.span.start, "COLLECT { ... } needs a RETURN of one column at its end", "InvalidClauseComposition");
      }
    }
  } else {
    if (out->kind == ExprKind::kCollectSubquery)
      FailSyntax(out->span.start, "COLLECT { ... } holds a query with MATCH and RETURN", "UnexpectedSyntax");
    out->patterns = Pattern(body->pattern(), PatternUse::kExpression);
    out->args.push_back(Where(body->whereClause()));
  }
  --read_only_;
  return out;
}

ExprPtr Builder::MapProjection(P::MapProjectionContext* context) {
  ExprPtr out = Make(ExprKind::kMapProjection, context);
  out->args.push_back(VariableOf(context->variable()));
  using Kind = ast::MapProjectionItem::Kind;
  for (P::ProjectedItemContext* item : context->projectedItem()) {
    ast::MapProjectionItem built;
    if (item->everything) {
      built.kind = Kind::kAllProperties;
    } else if (item->variable()) {
      built.kind = Kind::kVariable;
      built.name = NameOf(item->variable());
    } else {
      built.kind = item->expr() ? Kind::kLiteral : Kind::kProperty;
      built.name = NameOf(item->name());
      if (item->expr()) built.value = Expression(item->expr());
    }
    out->projection.push_back(std::move(built));
  }
  return out;
}

}  // namespace fornix::grammar

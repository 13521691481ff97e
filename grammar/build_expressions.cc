// Operators. The parse tree of a chain leans to the left and is as deep as the chain is long: it is walked down in a loop
// to its lowest operand and built upwards. Chains of one operator become one flat node; levels that stay levels are
// counted against kExpressionDepthMax.
#include <cctype>

#include "base/limits.h"
#include "grammar/build.h"
#include "grammar/diagnostics.h"

namespace fornix::grammar {

using ast::Expr;
using ast::ExprKind;
using ast::ExprPtr;
using ast::Op;

namespace {

Op OpOf(std::string_view sign) {
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"=", Op::kEq},  {"<>", Op::kNe}, {"<", Op::kLt},      {"<=", Op::kLe}, {">", Op::kGt},  {">=", Op::kGe}, {"+", Op::kAdd},
      {"-", Op::kSub}, {"||", Op::kConcat}, {"*", Op::kMul}, {"/", Op::kDiv}, {"%", Op::kMod}, {"^", Op::kPow}};
  for (auto [text, op] : kOps) {
    if (text == sign) return op;
  }
  return Op::kEq;
}

// Operators of one level may share a node.
int LevelOf(Op op) {
  if (op <= Op::kGe) return 0;
  if (op <= Op::kConcat) return 1;
  return op <= Op::kMod ? 2 : 3;
}

// STARTS WITH, ENDS WITH, CONTAINS, IN or =~, by its first letter.
ExprKind PredicateKind(char first) {
  switch (std::tolower(first)) {
    case 's': return ExprKind::kStartsWith;
    case 'e': return ExprKind::kEndsWith;
    case 'c': return ExprKind::kContains;
    case 'i': return ExprKind::kIn;
    default: return ExprKind::kRegexMatch;
  }
}

P::ExprContext* LeftOperand(P::ExprContext* context) {
  return context->children.size() < 2 ? nullptr : dynamic_cast<P::ExprContext*>(context->children[0]);
}

}  // namespace

ExprPtr Builder::Expression(P::ExprContext* context, bool predicate) {
  std::vector<P::ExprContext*> spine;
  size_t levels = 1;
  for (P::ExprContext* c = context; c != nullptr; c = LeftOperand(c)) {
    if (!spine.empty() && typeid(*c) != typeid(*spine.back())) ++levels;
    // These never share a node with their left operand.
    if (dynamic_cast<P::PropertyContext*>(c) || dynamic_cast<P::TestContext*>(c) || dynamic_cast<P::IndexOfContext*>(c) ||
        dynamic_cast<P::NullTestContext*>(c) || dynamic_cast<P::TypeTestContext*>(c) || dynamic_cast<P::LabelTestContext*>(c) ||
        dynamic_cast<P::WordTestContext*>(c)) {
      ++levels;
    }
    spine.push_back(c);
  }
  if (depth_ + levels > kExpressionDepthMax) {
    Fail(LimitErrorAt(text_, SpanOf(context).start,
                      "an expression deeper than " + std::to_string(kExpressionDepthMax) + " levels; split it with WITH"));
    return std::make_unique<Expr>(ExprKind::kLiteral, SpanOf(context));
  }
  depth_ += levels;
  // Below AND, OR, XOR and NOT truth is still all that matters; below any other operator a value is asked for.
  bool lowest_predicate = predicate;
  for (size_t i = 0; i + 1 < spine.size(); ++i) {
    lowest_predicate &=
        dynamic_cast<P::AndContext*>(spine[i]) || dynamic_cast<P::OrContext*>(spine[i]) || dynamic_cast<P::XorContext*>(spine[i]);
  }
  ExprPtr built = Lowest(spine.back(), lowest_predicate);
  for (size_t i = spine.size() - 1; i-- > 0;) built = Combine(std::move(built), spine[i], predicate);
  depth_ -= levels;
  return built;
}

ExprPtr Builder::Lowest(P::ExprContext* context, bool predicate) {
  if (auto* atom = dynamic_cast<P::AtomContext*>(context)) return Primary(atom->primary(), predicate);
  if (auto* sign = dynamic_cast<P::SignContext*>(context)) {
    const bool minus = TextOf(sign->op) == "-";
    if (auto* atom = dynamic_cast<P::AtomContext*>(sign->expr()); atom && minus) {
      auto* literal = dynamic_cast<P::LiteralPrimaryContext*>(atom->primary());
      antlr4::Token* token = literal ? literal->start : nullptr;
      if (token && (token->getType() == P::INTEGER || token->getType() == P::FLOAT)) return Number(token, context, true);
    }
    ExprPtr out = Make(minus ? ExprKind::kUnaryMinus : ExprKind::kUnaryPlus, context);
    out->args.push_back(Expression(sign->expr()));
    return out;
  }
  auto* negation = dynamic_cast<P::NotContext*>(context);
  ExprPtr out = Make(ExprKind::kNot, context);
  out->args.push_back(Expression(negation->expr(), predicate));
  return out;
}

ExprPtr Builder::Flat(ExprKind kind, ExprPtr left, P::ExprContext* context, P::ExprContext* right, bool predicate) {
  if (left->kind != kind || left->parenthesized) {
    ExprPtr node = Make(kind, context);
    node->args.push_back(std::move(left));
    left = std::move(node);
  }
  left->span = SpanOf(context);
  left->args.push_back(Expression(right, predicate));
  return left;
}

ExprPtr Builder::Operators(ExprKind kind, ExprPtr left, P::ExprContext* context, antlr4::Token* token, P::ExprContext* right) {
  const Op op = OpOf(TextOf(token));
  const bool same = left->kind == kind && !left->parenthesized && LevelOf(left->ops[0]) == LevelOf(op);
  if (!same) {
    ExprPtr node = Make(kind, context);
    node->args.push_back(std::move(left));
    left = std::move(node);
  }
  left->span = SpanOf(context);
  left->ops.push_back(op);
  left->args.push_back(Expression(right));
  return left;
}

ExprPtr Builder::Combine(ExprPtr left, P::ExprContext* context, bool predicate) {
  if (auto* c = dynamic_cast<P::PropertyContext*>(context)) {
    ExprPtr out = Make(ExprKind::kProperty, context);
    out->name = KeyOf(c->name());
    out->args.push_back(std::move(left));
    return out;
  }
  if (auto* c = dynamic_cast<P::ComparisonContext*>(context))
    return Operators(ExprKind::kComparison, std::move(left), c, c->op, c->expr(1));
  if (auto* c = dynamic_cast<P::AndContext*>(context)) return Flat(ExprKind::kAnd, std::move(left), c, c->expr(1), predicate);
  if (auto* c = dynamic_cast<P::OrContext*>(context)) return Flat(ExprKind::kOr, std::move(left), c, c->expr(1), predicate);
  if (auto* c = dynamic_cast<P::XorContext*>(context)) return Flat(ExprKind::kXor, std::move(left), c, c->expr(1), predicate);
  if (auto* c = dynamic_cast<P::SumContext*>(context)) return Operators(ExprKind::kArithmetic, std::move(left), c, c->op, c->expr(1));
  if (auto* c = dynamic_cast<P::ProductContext*>(context)) return Operators(ExprKind::kArithmetic, std::move(left), c, c->op, c->expr(1));
  if (auto* c = dynamic_cast<P::PowerContext*>(context)) return Operators(ExprKind::kArithmetic, std::move(left), c, c->op, c->expr(1));
  if (auto* c = dynamic_cast<P::TestContext*>(context)) {
    ExprPtr out = Make(PredicateKind(TextOf(c->predicate()->start)[0]), context);
    out->args.push_back(std::move(left));
    out->args.push_back(Expression(c->expr(1)));
    return out;
  }
  if (auto* c = dynamic_cast<P::IndexOfContext*>(context)) {
    P::SubscriptContext* subscript = c->subscript();
    ExprPtr out = Make(subscript->dots ? ExprKind::kSlice : ExprKind::kSubscript, context);
    out->args.push_back(std::move(left));
    out->args.push_back(subscript->from ? Expression(subscript->from) : nullptr);
    if (subscript->dots) out->args.push_back(subscript->to ? Expression(subscript->to) : nullptr);
    return out;
  }
  if (auto* c = dynamic_cast<P::NullTestContext*>(context)) {
    ExprPtr out = Make(c->negated ? ExprKind::kIsNotNull : ExprKind::kIsNull, context);
    out->args.push_back(std::move(left));
    return out;
  }
  if (auto* c = dynamic_cast<P::TypeTestContext*>(context)) {
    ExprPtr out = Make(c->negated ? ExprKind::kIsNotTyped : ExprKind::kIsTyped, context);
    out->args.push_back(std::move(left));
    out->type_name = TypeName(c->type());
    return out;
  }
  if (auto* c = dynamic_cast<P::WordTestContext*>(context)) return WordTest(c, c->word, c->second, c->negated != nullptr, std::move(left));
  auto* c = static_cast<P::LabelTestContext*>(context);
  ExprPtr out = Make(ExprKind::kLabelCheck, context);
  out->args.push_back(std::move(left));
  out->labels = LabelOr(c->labelOr());
  return out;
}

// `text IS [NOT] [NFC | NFD | NFKC | NFKD] NORMALIZED`, and `n IS Label`.
ExprPtr Builder::WordTest(antlr4::ParserRuleContext* context, antlr4::Token* word_token, antlr4::Token* second_token, bool negated, ExprPtr left) {
  auto upper = [this](antlr4::Token* token) {
    std::string word(token == nullptr ? "" : TextOf(token));
    for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return word;
  };
  const std::string first = upper(word_token), second = upper(second_token);
  const bool normalized = second.empty() ? first == "NORMALIZED" : second == "NORMALIZED";
  ExprPtr out = Make(normalized ? ExprKind::kFunctionCall : ExprKind::kLabelCheck, context);
  out->args.push_back(std::move(left));
  if (normalized) {
    out->name = "isNormalized";
    if (!second.empty()) {
      ExprPtr form = Make(ExprKind::kLiteral, context);
      form->value = Value(first);
      out->args.push_back(std::move(form));
    }
  } else {
    if (!second.empty()) FailSyntax(TokenOf(second_token).position(), "unexpected '" + second + "'", "UnexpectedSyntax");
    out->labels = std::make_unique<ast::LabelExpr>();
    out->labels->name.text = UnescapeName(TextOf(word_token));
    out->labels->name.span = out->labels->span = ast::Span{TokenOf(word_token).position(), static_cast<uint32_t>(TextOf(word_token).size())};
  }
  if (!negated) return out;
  ExprPtr negation = Make(ExprKind::kNot, context);
  negation->args.push_back(std::move(out));
  return negation;
}

// `WHEN > 5`, `WHEN IS NULL`, `WHEN 'a'` with the subject of its CASE on the left.
ExprPtr Builder::CaseTest(P::CaseTestContext* context, ExprPtr left) {
  if (P::PredicateContext* predicate = context->predicate()) {
    ExprPtr out = Make(PredicateKind(TextOf(predicate->start)[0]), context);
    out->args.push_back(std::move(left));
    out->args.push_back(Expression(context->expr()));
    return out;
  }
  if (context->expr()) {
    ExprPtr out = Make(ExprKind::kComparison, context);
    out->ops.push_back(context->op != nullptr ? OpOf(TextOf(context->op)) : Op::kEq);
    out->args.push_back(std::move(left));
    out->args.push_back(Expression(context->expr()));
    return out;
  }
  const bool negated = context->negated != nullptr;
  if (context->word != nullptr) return WordTest(context, context->word, context->second, negated, std::move(left));
  ExprPtr out = context->type() ? Make(negated ? ExprKind::kIsNotTyped : ExprKind::kIsTyped, context)
                                : Make(negated ? ExprKind::kIsNotNull : ExprKind::kIsNull, context);
  if (context->type()) out->type_name = TypeName(context->type());
  out->args.push_back(std::move(left));
  return out;
}

ExprPtr Builder::VariableOf(antlr4::ParserRuleContext* context) {
  ExprPtr out = Make(ExprKind::kVariable, context);
  out->name = NameOf(context).text;
  return out;
}

}  // namespace fornix::grammar

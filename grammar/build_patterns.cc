// Patterns and label expressions.
#include <charconv>

#include "base/limits.h"
#include "grammar/build.h"
#include "grammar/diagnostics.h"

namespace fornix::grammar {

using ast::LabelExpr;
using ast::LabelExprPtr;

std::vector<std::unique_ptr<ast::PatternPart>> Builder::Pattern(P::PatternContext* context, PatternUse use) {
  std::vector<std::unique_ptr<ast::PatternPart>> parts;
  for (P::PatternPartContext* part : context->patternPart()) parts.push_back(PatternPart(part, use));
  return parts;
}

std::unique_ptr<ast::PatternPart> Builder::PatternPart(P::PatternPartContext* context, PatternUse use) {
  auto part = std::make_unique<ast::PatternPart>();
  part->span = SpanOf(context);
  part->path_variable = NameOf(context->name());
  if (context->shortestPath()) {
    ShortestPath(context->shortestPath(), use, part.get());
  } else {
    PatternElement(context->patternElement(), use, part.get());
  }
  return part;
}

void Builder::ShortestPath(P::ShortestPathContext* context, PatternUse use, ast::PatternPart* part) {
  using Selector = ast::PatternPart::Selector;
  part->selector = TextOf(context->selector).size() == 12 ? Selector::kShortestPath : Selector::kAllShortestPaths;
  PatternElement(context->patternElement(), use, part);
  const SourcePosition at = SpanOf(context).start;
  if (use == PatternUse::kCreate || use == PatternUse::kMerge)
    FailSyntax(at, "shortestPath finds paths; it can't create one", "UnexpectedSyntax");
  if (part->relationships.size() != 1)
    FailSyntax(at, "shortestPath takes one relationship between two nodes, such as (a)-[:T*..10]->(b)", "UnexpectedSyntax");
}

void Builder::PatternElement(P::PatternElementContext* context, PatternUse use, ast::PatternPart* part) {
  if (auto* enclosed = dynamic_cast<P::EnclosedContext*>(context)) {
    if (enclosed->quantifierTail() || enclosed->whereClause()) {
      FailNotAvailable(SpanOf(context).start,
                       "quantified path patterns are not available yet; write (a)-[:T*1..3]->(b) for a repeated relationship");
    }
    PatternElement(enclosed->patternElement(), use, part);
    return;
  }
  auto* chain = static_cast<P::ChainContext*>(context);
  for (P::NodePatternContext* node : chain->nodePattern()) part->nodes.push_back(NodePattern(node, use));
  for (P::RelationshipPatternContext* r : chain->relationshipPattern()) part->relationships.push_back(RelationshipPattern(r, use));
  CheckElements(*part);
}

std::unique_ptr<ast::PatternPart> Builder::PatternChain(P::PatternChainContext* context) {
  auto part = std::make_unique<ast::PatternPart>();
  part->span = SpanOf(context);
  ast::NodePattern first = NodePattern(context, PatternUse::kExpression);
  // The chain's own tokens begin with its first node; its span ends where the first relationship begins.
  const ast::Span relationship = SpanOf(context->relationshipPattern(0));
  std::string_view node_text = text_.substr(first.span.start.offset, relationship.start.offset - first.span.start.offset);
  first.span.length = static_cast<uint32_t>(node_text.find_last_of(')') + 1);
  part->nodes.push_back(std::move(first));
  for (P::NodePatternContext* node : context->nodePattern()) part->nodes.push_back(NodePattern(node, PatternUse::kExpression));
  for (P::RelationshipPatternContext* r : context->relationshipPattern())
    part->relationships.push_back(RelationshipPattern(r, PatternUse::kExpression));
  CheckElements(*part);
  return part;
}

void Builder::CheckElements(const ast::PatternPart& part) {
  if (part.nodes.size() + part.relationships.size() <= kPatternElementsMax) return;
  Fail(LimitErrorAt(text_, part.span.start,
                    "a pattern of " + std::to_string(part.nodes.size() + part.relationships.size()) +
                        " nodes and relationships; at most " + std::to_string(kPatternElementsMax) +
                        " are allowed, split it into several"));
}

template <typename Context>
ast::NodePattern Builder::NodePattern(Context* context, PatternUse use) {
  ast::NodePattern node;
  node.span = SpanOf(context);
  node.variable = NameOf(context->variable());
  if (context->labels()) node.labels = Labels(context->labels());
  if (context->properties()) node.properties = Properties(context->properties(), use);
  node.where = Where(context->whereClause());
  return node;
}

ast::RelationshipPattern Builder::RelationshipPattern(P::RelationshipPatternContext* context, PatternUse use) {
  ast::RelationshipPattern relationship;
  relationship.span = SpanOf(context);
  const bool left = context->left != nullptr, right = context->right != nullptr;
  relationship.direction = left == right ? ast::Direction::kBoth : left ? ast::Direction::kLeft : ast::Direction::kRight;
  P::RelationshipDetailContext* detail = context->relationshipDetail();
  if (detail == nullptr) return relationship;
  relationship.variable = NameOf(detail->variable());
  if (detail->labels()) relationship.types = Labels(detail->labels());
  relationship.length = Hops(detail->hops());
  if (detail->properties()) relationship.properties = Properties(detail->properties(), use);
  relationship.where = Where(detail->whereClause());
  return relationship;
}

std::optional<ast::VarLength> Builder::Hops(P::HopsContext* context) {
  if (context == nullptr) return std::nullopt;
  ast::VarLength length;
  auto read = [this](antlr4::Token* token) {
    Result<Value> value = ParseNumber(TextOf(token), false);
    if (TokenOf(token).malformed || !value.ok()) {
      FailSyntax(TokenOf(token).position(), "the number of hops must be an INTEGER",
                 TokenOf(token).malformed ? "InvalidNumberLiteral" : value.status().detail());
      return int64_t{1};
    }
    return value->AsInteger();
  };
  if (context->from) length.min = read(context->from);
  if (context->to) length.max = read(context->to);
  if (context->from && !context->dots) length.max = length.min;
  return length;
}

ast::ExprPtr Builder::Properties(P::PropertiesContext* context, PatternUse use) {
  if (context->map()) return MapOf(context->map());
  ast::ExprPtr out = Make(ast::ExprKind::kParameter, context);
  out->name = Parameter(context->start);
  if (use != PatternUse::kCreate) {
    FailSyntax(out->span.start, "a whole map as a parameter is only allowed in CREATE; write {key: $" + out->name + ".key}",
               "InvalidParameterUse");
  }
  return out;
}

LabelExprPtr Builder::LabelOr(P::LabelOrContext* context) {
  std::vector<P::LabelAndContext*> parts = context->labelAnd();
  if (parts.size() == 1) return LabelAnd(parts[0]);
  auto out = std::make_unique<LabelExpr>();
  out->kind = LabelExpr::Kind::kOr;
  out->span = SpanOf(context);
  for (P::LabelAndContext* part : parts) out->children.push_back(LabelAnd(part));
  return out;
}

LabelExprPtr Builder::LabelAnd(P::LabelAndContext* context) {
  std::vector<P::LabelNotContext*> parts = context->labelNot();
  if (parts.size() == 1) return LabelNot(parts[0]);
  auto out = std::make_unique<LabelExpr>();
  out->kind = LabelExpr::Kind::kAnd;
  out->span = SpanOf(context);
  for (P::LabelNotContext* part : parts) out->children.push_back(LabelNot(part));
  out->is_colon_and = true;
  for (antlr4::tree::ParseTree* child : context->children) {
    auto* sign = dynamic_cast<antlr4::tree::TerminalNode*>(child);
    if (sign && TextOf(sign->getSymbol()) == "&") out->is_colon_and = false;
  }
  return out;
}

LabelExprPtr Builder::LabelNot(P::LabelNotContext* context) {
  P::LabelAtomContext* atom = context->labelAtom();
  LabelExprPtr out;
  if (atom->labelOr()) {
    out = LabelOr(atom->labelOr());
    out->is_colon_and = false;
  } else {
    out = std::make_unique<LabelExpr>();
    if (atom->name()) {
      out->name = NameOf(atom->name());
    } else if (atom->expr()) {
      out->kind = LabelExpr::Kind::kDynamic;
      out->dynamic = Expression(atom->expr());
      if (antlr4::tree::TerminalNode* word = atom->PARAMETER()) {  // $any(..), $all(..)
        std::string_view text = TextOf(word->getSymbol());
        out->dynamic_any = text == "$any" || text == "$ANY";
        if (!out->dynamic_any && text != "$all" && text != "$ALL") {
          FailSyntax(TokenOf(word->getSymbol()).position(), "dynamic labels are written $(...), $all(...) or $any(...)",
                     "UnexpectedSyntax");
        }
      }
    } else {
      out->kind = LabelExpr::Kind::kWildcard;
    }
  }
  out->span = SpanOf(atom);
  const size_t negations = context->children.size() - 1;
  if (negations % 2 == 0) return out;  // !!A is A
  auto negation = std::make_unique<LabelExpr>();
  negation->kind = LabelExpr::Kind::kNot;
  negation->span = SpanOf(context);
  negation->children.push_back(std::move(out));
  return negation;
}

}  // namespace fornix::grammar

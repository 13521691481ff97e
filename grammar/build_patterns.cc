// Patterns and label expressions.
#include <cctype>
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
    if (context->selector()) Selector(context->selector(), use, part.get());
    PatternElement(context->patternElement(), use, part.get());
  }
  return part;
}

void Builder::ShortestPath(P::ShortestPathContext* context, PatternUse use, ast::PatternPart* part) {
  using Kind = ast::PatternPart::Selector;
  part->selector = TextOf(context->kind).size() == 12 ? Kind::kShortestPath : Kind::kAllShortestPaths;
  part->selector_function = true;
  PatternElement(context->patternElement(), use, part);
  const SourcePosition at = SpanOf(context).start;
  if (use == PatternUse::kCreate || use == PatternUse::kMerge)
    FailSyntax(at, "shortestPath finds paths; it can't create one", "UnexpectedSyntax");
  if (part->relationships.size() != 1 || part->relationships[0].repeated)
    FailSyntax(at, "shortestPath takes one relationship between two nodes, such as (a)-[:T*..10]->(b)", "UnexpectedSyntax");
}

// [ANY | ALL] SHORTEST [k] [PATH | PATHS] [GROUP | GROUPS], ALL [PATHS], ANY [k] [PATHS]: how many paths between each two ends.
// [ALL | ANY | SHORTEST] [SHORTEST] [k] [PATH | PATHS] [GROUP | GROUPS]
void Builder::Selector(P::SelectorContext* context, PatternUse use, ast::PatternPart* part) {
  using Selector = ast::PatternPart::Selector;
  std::string words;
  const ast::Span span = SpanOf(context);
  antlr4::Token* count = nullptr;
  for (antlr4::tree::ParseTree* child : context->children) {
    antlr4::Token* token = static_cast<antlr4::tree::TerminalNode*>(child)->getSymbol();
    std::string word(TextOf(token));
    for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (word == "PATHS") word = "PATH";
    if (word == "GROUPS") word = "GROUP";
    if (token->getType() == P::INTEGER) {
      word = count == nullptr ? "k" : "k k";
      count = token;
    }
    words += (words.empty() ? "" : " ") + word;
  }
  if (const size_t at = words.find(" PATH"); at != std::string::npos) words.erase(at, 5);
  if (use == PatternUse::kCreate || use == PatternUse::kMerge) {
    FailSyntax(span.start, "unexpected '" + std::string(TextOf(span)) + "', expected '('", "UnexpectedSyntax");
  } else if (words == "ANY SHORTEST" || words == "SHORTEST k" || words == "ANY" || words == "ANY k") {
    part->selector = Selector::kShortestPath;   // any path will do, so the shortest does
  } else if (words == "ALL SHORTEST" || words == "SHORTEST k GROUP" || words == "SHORTEST GROUP") {
    part->selector = Selector::kAllShortestPaths;
  } else if (words != "ALL") {
    FailSyntax(span.start, "unexpected '" + std::string(TextOf(span)) + "', expected '(', SHORTESTPATH or ALLSHORTESTPATHS", "UnexpectedSyntax");
  }
  if (count == nullptr) return;
  const Result<Value> k = ParseNumber(TextOf(count), false);
  if (!k.ok() || k->type() != Type::kInteger || k->AsInteger() <= 0) {
    return FailSyntax(TokenOf(count).position(), "a count of paths is 1 or more, found " + std::string(TextOf(count)), "InvalidArgumentType");
  }
  part->selected = static_cast<uint32_t>(std::min<int64_t>(k->AsInteger(), UINT32_MAX));
}

// Between two nodes stands a relationship or a repeated part; where a repeated part begins or ends the pattern, or another one follows, a
// node without a name stands.
void Builder::PatternElement(P::PatternElementContext* context, PatternUse use, ast::PatternPart* part) {
  bool node_before = false, relationship_before = false;
  auto anonymous = [&] {
    ast::NodePattern node;
    node.span = SpanOf(context);
    part->nodes.push_back(std::move(node));
  };
  for (antlr4::tree::ParseTree* child : context->children) {
    if (auto* relationship = dynamic_cast<P::RelationshipPatternContext*>(child)) {
      if (!node_before) {
        FailSyntax(SpanOf(relationship).start, "a node stands between a repeated pattern and a relationship: ((a)-->(b)){2} (c)-->(d)", "UnexpectedSyntax");
        return;
      }
      part->relationships.push_back(RelationshipPattern(relationship, use));
      node_before = false;
      relationship_before = true;
      continue;
    }
    auto* factor = static_cast<P::PatternFactorContext*>(child);
    if (factor->nodePattern()) {
      if (node_before) {
        FailSyntax(SpanOf(factor).start, "two nodes stand side by side; write a relationship between them, (a)-->(b), or a comma", "UnexpectedSyntax");
        return;
      }
      part->nodes.push_back(NodePattern(factor->nodePattern(), use));
      node_before = true;
      relationship_before = false;
      continue;
    }
    if (factor->repeatCount()) {
      if (relationship_before) {
        FailSyntax(SpanOf(factor).start, "a node stands between a relationship and a repeated pattern: (a)-->(b) ((c)-->(d)){2}", "UnexpectedSyntax");
        return;
      }
      if (!node_before) anonymous();
      Repeated(factor, use, part);
      node_before = false;
      continue;
    }
    // Parentheses around the whole: its own elements, and a WHERE that belongs to them.
    if (context->children.size() != 1) {
      FailSyntax(SpanOf(factor).start, "a pattern in parentheses beside other elements needs a quantifier, such as {1,3} or +", "UnexpectedSyntax");
      return;
    }
    if (factor->name()) part->path_variable = NameOf(factor->name());
    PatternElement(factor->patternElement(), use, part);
    part->where = Where(factor->whereClause());
    return;
  }
  if (!node_before) anonymous();
  CheckElements(*part);
}

void Builder::Repeated(P::PatternFactorContext* context, PatternUse use, ast::PatternPart* part) {
  const SourcePosition at = SpanOf(context).start;
  ast::RelationshipPattern made;
  made.span = SpanOf(context);
  made.length = Quantified(context->repeatCount());
  made.repeated = std::make_unique<ast::PatternPart>();
  ast::PatternPart& inner = *made.repeated;
  inner.span = SpanOf(context->patternElement());
  PatternElement(context->patternElement(), use, &inner);
  inner.where = Where(context->whereClause());
  if (use == PatternUse::kCreate || use == PatternUse::kMerge) {
    FailSyntax(at, "a repeated pattern is found, not made: write each relationship", "UnexpectedSyntax");
  }
  if (context->name()) FailNotAvailable(at, "a path variable inside a repeated pattern is not available yet");
  if (inner.relationships.empty()) FailSyntax(at, "a repeated pattern needs a relationship", "UnexpectedSyntax");
  for (const ast::RelationshipPattern& r : inner.relationships) {
    if (r.length) FailSyntax(r.span.start, "a quantifier can't stand inside another one", "UnexpectedSyntax");
  }
  part->relationships.push_back(std::move(made));
}

// {n}, {m,n}, {m,}, {,n}, + and *.
ast::VarLength Builder::Quantified(P::RepeatCountContext* context) {
  ast::VarLength length;
  length.min = 0;
  if (context->sign != nullptr) {
    if (TextOf(context->sign) == "+") length.min = 1;
    return length;
  }
  if (context->from) length.min = HopCount(context->from);
  if (context->to) length.max = HopCount(context->to);
  if (context->from && !context->dots) length.max = length.min;
  const SourcePosition at = SpanOf(context).start;
  if (!context->from && !context->dots) FailSyntax(at, "a quantifier needs a number: {2}, {1,3}, {1,} or {,3}", "UnexpectedSyntax");
  if (length.max && *length.max < *length.min) FailSyntax(at, "the quantifier's upper bound is below its lower one", "UnexpectedSyntax");
  if (length.max && *length.max == 0) FailSyntax(at, "a quantifier's upper bound is at least 1", "UnexpectedSyntax");
  return length;
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
  if (context->repeatCount()) {
    const SourcePosition at = SpanOf(context->repeatCount()).start;
    relationship.length = Quantified(context->repeatCount());
    if (use == PatternUse::kCreate || use == PatternUse::kMerge) {
      FailSyntax(at, "a quantifier finds relationships; CREATE and MERGE make one at a time", "UnexpectedSyntax");
    }
    if (detail && detail->hops()) FailSyntax(at, "a relationship has a quantifier or a *, not both", "UnexpectedSyntax");
  }
  if (detail == nullptr) return relationship;
  relationship.variable = NameOf(detail->variable());
  if (detail->labels()) relationship.types = Labels(detail->labels());
  if (detail->hops()) relationship.length = Hops(detail->hops());
  if (detail->properties()) relationship.properties = Properties(detail->properties(), use);
  relationship.where = Where(detail->whereClause());
  return relationship;
}

std::optional<ast::VarLength> Builder::Hops(P::HopsContext* context) {
  if (context == nullptr) return std::nullopt;
  ast::VarLength length;
  if (context->from) length.min = HopCount(context->from);
  if (context->to) length.max = HopCount(context->to);
  if (context->from && !context->dots) length.max = length.min;
  return length;
}

int64_t Builder::HopCount(antlr4::Token* token) {
  Result<Value> value = ParseNumber(TextOf(token), false);
  if (TokenOf(token).malformed || !value.ok()) {
    FailSyntax(TokenOf(token).position(), "the number of hops must be an INTEGER",
               TokenOf(token).malformed ? "InvalidNumberLiteral" : value.status().detail());
    return 1;
  }
  return value->AsInteger();
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

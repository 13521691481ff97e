// From ANTLR's parse tree to ours. Inside grammar/ only: this and parse.cc are where generated types are seen.
//
// Errors are sticky: the first one by order of building is kept, building goes on with placeholders, and the tree is
// thrown away at the end. Left-recursive trees are as deep as a chain is long, so operators are walked in a loop
// (build_expressions.cc); recursion is bounded by kNestingMax, which was checked on the tokens.
#pragma once

#include <set>
#include <string>

#include "CypherParser.h"
#include "grammar/ast/ast.h"
#include "grammar/lexer.h"

namespace fornix::grammar {

using P = parser::CypherParser;

class Builder {
 public:
  Builder(std::string_view text, TokenList* list) : text_(text), list_(list) {}

  Result<std::unique_ptr<ast::Statement>> Build(P::StatementContext* context);

 private:
  enum class Body { kTop, kSubquery, kExpression };   // where a query stands: which clauses it may hold, what it must end with
  enum class PatternUse { kMatch, kCreate, kMerge, kExpression };

  // build.cc: names, spans, errors.
  void Fail(Status status);
  void FailSyntax(SourcePosition at, std::string message, std::string detail);
  void FailNotAvailable(SourcePosition at, std::string what);
  const Token& TokenOf(antlr4::Token* token) const { return list_->tokens[token->getTokenIndex()]; }
  std::string_view TextOf(antlr4::Token* token) const { return TokenOf(token).text(text_); }
  std::string_view TextOf(const ast::Span& span) const { return text_.substr(span.start.offset, span.length); }
  ast::Span SpanOf(antlr4::ParserRuleContext* context) const;
  void ReadOptions(P::VersionContext* context, ast::Statement* statement);
  ast::Name NameOf(antlr4::ParserRuleContext* context);      // an empty name is an error; no context gives an empty one
  std::string KeyOf(antlr4::ParserRuleContext* context) const { return UnescapeName(TextOf(context->start)); }  // may be empty
  std::string Parameter(antlr4::Token* token);

  // build_clauses.cc
  std::unique_ptr<ast::Query> Query(P::QueryContext* context, Body body);
  std::unique_ptr<ast::Query> Stage(P::QueryContext* context, size_t first, size_t last, Body body);
  void PassOn(std::unique_ptr<ast::Query> stage, SourcePosition next, std::vector<std::unique_ptr<ast::Clause>>* before);
  ast::SingleQuery SingleQuery(P::SingleQueryContext* context, Body body);
  std::unique_ptr<ast::Clause> Clause(P::ClauseContext* context);
  void CheckOrder(const ast::SingleQuery& query, Body body);
  void Match(P::MatchClauseContext* context, ast::Clause* clause);
  void Merge(P::MergeClauseContext* context, ast::Clause* clause);
  void CallProcedure(P::CallProcedureContext* context, ast::Clause* clause);
  void CallSubquery(P::CallSubqueryContext* context, ast::Clause* clause);
  void OnError(P::OnErrorContext* context, ast::InTransactions* transactions);
  ast::Projection Projection(P::ProjectionContext* context);
  void Tail(P::ProjectionTailContext* context, ast::Projection* projection);
  std::vector<ast::YieldItem> YieldItems(P::YieldItemsContext* context, bool* star);
  std::vector<ast::SetItem> SetItems(P::SetClauseContext* context);
  std::vector<ast::RemoveItem> RemoveItems(P::RemoveClauseContext* context);
  ast::ExprPtr PropertyTarget(P::PropertyTargetContext* context);

  // build_patterns.cc
  std::vector<std::unique_ptr<ast::PatternPart>> Pattern(P::PatternContext* context, PatternUse use);
  std::unique_ptr<ast::PatternPart> PatternPart(P::PatternPartContext* context, PatternUse use);
  void ShortestPath(P::ShortestPathContext* context, PatternUse use, ast::PatternPart* part);
  void Selector(P::SelectorContext* context, PatternUse use, ast::PatternPart* part);
  void PatternElement(P::PatternElementContext* context, PatternUse use, ast::PatternPart* part);
  void Repeated(P::PatternFactorContext* context, PatternUse use, ast::PatternPart* part);
  ast::VarLength Quantified(P::RepeatCountContext* context);
  int64_t HopCount(antlr4::Token* token);
  std::unique_ptr<ast::PatternPart> PatternChain(P::PatternChainContext* context);
  template <typename Context>
  ast::NodePattern NodePattern(Context* context, PatternUse use);
  ast::RelationshipPattern RelationshipPattern(P::RelationshipPatternContext* context, PatternUse use);
  std::optional<ast::VarLength> Hops(P::HopsContext* context);
  ast::ExprPtr Properties(P::PropertiesContext* context, PatternUse use);
  void CheckElements(const ast::PatternPart& part);
  ast::LabelExprPtr Labels(P::LabelsContext* context) { return LabelOr(context->labelOr()); }
  ast::LabelExprPtr LabelOr(P::LabelOrContext* context);
  ast::LabelExprPtr LabelAnd(P::LabelAndContext* context);
  ast::LabelExprPtr LabelNot(P::LabelNotContext* context);

  // build_expressions.cc. `predicate`: only the truth of the expression matters there, so a pattern may stand in it.
  ast::ExprPtr Expression(P::ExprContext* context, bool predicate = false);
  ast::ExprPtr Where(P::WhereClauseContext* context) { return context == nullptr ? nullptr : Expression(context->expr(), true); }
  ast::ExprPtr Lowest(P::ExprContext* context, bool predicate);
  ast::ExprPtr Combine(ast::ExprPtr left, P::ExprContext* context, bool predicate);
  ast::ExprPtr Flat(ast::ExprKind kind, ast::ExprPtr left, P::ExprContext* context, P::ExprContext* right, bool predicate);
  ast::ExprPtr Operators(ast::ExprKind kind, ast::ExprPtr left, P::ExprContext* context, antlr4::Token* op, P::ExprContext* right);
  ast::ExprPtr Make(ast::ExprKind kind, antlr4::ParserRuleContext* context) { return std::make_unique<ast::Expr>(kind, SpanOf(context)); }
  // `word` and `second` of IS [NOT] NFC NORMALIZED, IS Label.
  ast::ExprPtr WordTest(antlr4::ParserRuleContext* context, antlr4::Token* word, antlr4::Token* second, bool negated, ast::ExprPtr left);
  ast::ExprPtr CaseTest(P::CaseTestContext* context, ast::ExprPtr left);
  ast::ExprPtr VariableOf(antlr4::ParserRuleContext* context);

  // build_primaries.cc
  ast::ExprPtr Primary(P::PrimaryContext* context, bool predicate);
  ast::ExprPtr Number(antlr4::Token* token, antlr4::ParserRuleContext* context, bool negative);
  ast::ExprPtr Literal(P::LiteralContext* context);
  ast::ExprPtr MapOf(P::MapContext* context);
  ast::ExprPtr Function(P::FunctionCallContext* context);
  void Trim(P::FunctionCallContext* context, ast::Expr* call);
  void NameLastWord(ast::Expr* call);
  ast::ExprPtr Case(P::CaseExpressionContext* context);
  ast::ExprPtr ExtendedCase(P::CaseExpressionContext* context, ast::ExprPtr out);
  ast::ExprPtr Subquery(P::SubqueryContext* context);
  ast::ExprPtr MapProjection(P::MapProjectionContext* context);

  // build_schema.cc
  std::unique_ptr<ast::SchemaCommand> Command(P::CommandContext* context);
  std::unique_ptr<ast::SchemaCommand> CreateIndex(P::CreateIndexContext* context);
  std::unique_ptr<ast::SchemaCommand> CreateConstraint(P::CreateConstraintContext* context);
  std::unique_ptr<ast::SchemaCommand> Drop(P::DropCommandContext* context);
  std::unique_ptr<ast::SchemaCommand> AlterIndex(P::AlterIndexContext* context);
  std::unique_ptr<ast::SchemaCommand> AlterGraphType(P::AlterGraphTypeContext* context);
  std::unique_ptr<ast::SchemaCommand> Show(P::ShowCommandContext* context);
  std::unique_ptr<ast::SchemaCommand> ShowPart(P::ShowPartContext* context);
  void ShowKind(P::ShowPartContext* context, ast::SchemaCommand* command);
  P::ShowWordContext* ShownName(P::ShowPartContext* context);
  ast::ExprPtr ShownId(P::ShownIdContext* context);
  std::string Element(P::ElementContext* context, ast::SchemaCommand* command);
  void Requirement(P::RequirementContext* context, const std::string& variable, ast::SchemaCommand* command);
  ast::Name PropertyOf(P::PropertyOfContext* context, const std::string& variable);
  void SchemaName(P::SchemaNameContext* context, ast::SchemaCommand* command);
  std::vector<ast::SchemaCommand::PropertyType> TypedMap(P::TypedMapContext* context);
  std::string TypeName(P::TypeContext* context);           // normalised
  std::string TypeAtom(P::TypeAtomContext* context);

  std::string_view text_;
  TokenList* list_;
  Status error_;
  std::set<std::string, std::less<>> parameters_;
  size_t depth_ = 0;       // levels of the tree above what is being built
  size_t read_only_ = 0;   // inside EXISTS, COUNT or COLLECT
};

}  // namespace fornix::grammar

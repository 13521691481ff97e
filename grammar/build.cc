// The statement as a whole, and what all parts of the builder use.
#include "grammar/build.h"

#include "base/limits.h"
#include "grammar/diagnostics.h"

namespace fornix::grammar {

void Builder::Fail(Status status) {
  if (error_.ok()) error_ = std::move(status);
}

void Builder::FailSyntax(SourcePosition at, std::string message, std::string detail) {
  if (error_.ok()) error_ = SyntaxErrorAt(text_, at, std::move(message), std::move(detail));
}

void Builder::FailNotAvailable(SourcePosition at, std::string what) {
  if (error_.ok()) error_ = Status(Code::kNotAvailable, std::move(what) + Excerpt(text_, at)).At(at).CompileTime();
}

ast::Span Builder::SpanOf(antlr4::ParserRuleContext* context) const {
  const Token& first = TokenOf(context->start);
  const Token& last = context->stop == nullptr ? first : TokenOf(context->stop);
  if (last.offset < first.offset) return {first.position(), 0};
  return {first.position(), last.offset + last.length - first.offset};
}

ast::Name Builder::NameOf(antlr4::ParserRuleContext* context) {
  if (context == nullptr) return {};
  ast::Name name{KeyOf(context), SpanOf(context)};
  if (name.empty()) FailSyntax(name.span.start, "a name can't be empty", "UnexpectedSyntax");
  return name;
}

std::string Builder::Parameter(antlr4::Token* token) {
  std::string name = ParameterName(TextOf(token));
  parameters_.insert(name);
  return name;
}

// Options that we don't know are those of other engines, which clients send to all.
void Builder::ReadOptions(P::VersionContext* context, ast::Statement* statement) {
  const auto names = context->name();
  for (size_t i = 0; i + 1 < names.size(); i += 2) {
    if (NameOf(names[i]).text != "vectorSearch") continue;
    const ast::Name value = NameOf(names[i + 1]);
    statement->exact_vectors = value.text == "exact";
    if (value.text == "exact" || value.text == "approximate") continue;
    FailSyntax(value.span.start, "vectorSearch is `exact` or `approximate`, found `" + value.text + "`", "UnexpectedSyntax");
  }
}

Result<std::unique_ptr<ast::Statement>> Builder::Build(P::StatementContext* context) {
  auto statement = std::make_unique<ast::Statement>();
  statement->text = std::string(text_);
  for (P::PrefixContext* prefix : context->prefix()) {
    if (dynamic_cast<P::ExplainContext*>(prefix)) statement->mode = ast::Statement::Mode::kExplain;
    if (dynamic_cast<P::ProfileContext*>(prefix)) statement->mode = ast::Statement::Mode::kProfile;
    if (auto* version = dynamic_cast<P::VersionContext*>(prefix); version && version->version) {
      std::string_view number = TextOf(version->version);
      if (number != "5" && number != "25") {
        FailSyntax(TokenOf(version->version).position(),
                   "there is no Cypher " + std::string(number) + "; the versions are 5 and 25", "UnexpectedSyntax");
      }
      statement->cypher_version = number == "5" ? 5 : 25;
    }
    if (auto* version = dynamic_cast<P::VersionContext*>(prefix)) ReadOptions(version, statement.get());
  }
  if (context->query()) statement->query = Query(context->query(), Body::kTop);
  if (context->command()) statement->schema = Command(context->command());
  if (!error_.ok()) return error_;
  statement->parameters.assign(parameters_.begin(), parameters_.end());
  return statement;
}

}  // namespace fornix::grammar

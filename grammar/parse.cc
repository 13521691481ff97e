// Text, tokens, shapes, parser, tree: the steps of Parse, and what a syntax error says.
//
// The parser runs in SLL mode first and stops at the first error. Then it runs once more in LL mode, which understands a
// few texts that SLL doesn't; if that stops too, a third run collects at the place of the error every token that could
// have stood there. Only texts with errors pay for that.
#include "grammar/parse.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "base/limits.h"
#include "grammar/build.h"
#include "grammar/diagnostics.h"
#include "grammar/shapes.h"

namespace fornix::grammar {
namespace {

// Our token as ANTLR wants to see it.
class TokenView final : public antlr4::Token {
 public:
  TokenView(const grammar::Token* token, std::string_view text, size_t index) : token_(token), text_(text), index_(index) {}
  std::string getText() const override { return std::string(token_->text(text_)); }
  size_t getType() const override { return token_->type == Vocabulary::kEnd ? antlr4::Token::EOF : token_->type; }
  size_t getLine() const override { return token_->line; }
  size_t getCharPositionInLine() const override { return token_->column - 1; }
  size_t getChannel() const override { return 0; }
  size_t getTokenIndex() const override { return index_; }
  size_t getStartIndex() const override { return token_->offset; }
  size_t getStopIndex() const override { return token_->offset + token_->length - 1; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  antlr4::CharStream* getInputStream() const override { return nullptr; }
  std::string toString() const override { return getText(); }

 private:
  const grammar::Token* token_;
  std::string_view text_;
  size_t index_;
};

class TokenStream final : public antlr4::TokenStream {
 public:
  TokenStream(const std::vector<grammar::Token>& tokens, std::string_view text) {
    views_.reserve(tokens.size());
    for (size_t i = 0; i < tokens.size(); ++i) views_.emplace_back(&tokens[i], text, i);
  }
  void consume() override { index_ = std::min(index_ + 1, views_.size() - 1); }
  size_t LA(ssize_t i) override { return LT(i)->getType(); }
  antlr4::Token* LT(ssize_t k) override {
    ssize_t at = static_cast<ssize_t>(index_) + (k > 0 ? k - 1 : k);
    return &views_[static_cast<size_t>(std::clamp<ssize_t>(at, 0, static_cast<ssize_t>(views_.size()) - 1))];
  }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return index_; }
  void seek(size_t index) override { index_ = std::min(index, views_.size() - 1); }
  size_t size() override { return views_.size(); }
  std::string getSourceName() const override { return "statement"; }
  antlr4::Token* get(size_t index) const override { return const_cast<TokenView*>(&views_[index]); }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

 private:
  std::vector<TokenView> views_;
  size_t index_ = 0;
};

// Thrown through the generated code; caught below.
struct Stopped {};

// Stops at the first error and remembers where. `collect_at`: the token at which expectations are gathered.
class Strategy final : public antlr4::DefaultErrorStrategy {
 public:
  explicit Strategy(size_t collect_at) : collect_at_(collect_at) {}
  size_t error_at() const { return error_at_; }
  const antlr4::misc::IntervalSet& expected() const { return expected_; }
  bool in_relationship() const { return in_relationship_; }  // the error stands between the brackets of a relationship

  void sync(antlr4::Parser* parser) override { Collect(parser); }
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) override {
    if (const auto* none = dynamic_cast<const antlr4::NoViableAltException*>(&e)) CollectAhead(parser, *none);
    Stop(parser, e.getOffendingToken() ? e.getOffendingToken()->getTokenIndex() : parser->getTokenStream()->index());
  }
  void recover(antlr4::Parser* parser, std::exception_ptr) override { Stop(parser, parser->getTokenStream()->index()); }
  antlr4::Token* recoverInline(antlr4::Parser* parser) override {
    Stop(parser, parser->getTokenStream()->index());
    return nullptr;
  }

 private:
  void Collect(antlr4::Parser* parser) {
    if (parser->getTokenStream()->index() == collect_at_) expected_.addAll(parser->getExpectedTokens());
  }
  // A decision that looked ahead failed further on than the parser stands: `(n RETURN` may be a node or a path in parentheses up to RETURN.
  void CollectAhead(antlr4::Parser* parser, const antlr4::NoViableAltException& e) {
    if (e.getDeadEndConfigs() == nullptr || e.getOffendingToken() == nullptr || e.getOffendingToken()->getTokenIndex() != collect_at_) return;
    for (const auto& config : e.getDeadEndConfigs()->configs) expected_.addAll(parser->getATN().nextTokens(config->state));
  }
  [[noreturn]] void Stop(antlr4::Parser* parser, size_t at) {
    Collect(parser);
    error_at_ = at;
    for (auto* c = static_cast<antlr4::tree::ParseTree*>(parser->getContext()); c != nullptr; c = c->parent) {
      const size_t rule = static_cast<antlr4::RuleContext*>(c)->getRuleIndex();
      if (rule == P::RuleExpr) break;
      in_relationship_ |= rule == P::RuleRelationshipDetail;
    }
    throw Stopped{};
  }
  size_t collect_at_;
  size_t error_at_ = 0;
  bool in_relationship_ = false;
  antlr4::misc::IntervalSet expected_;
};

constexpr size_t kNowhere = static_cast<size_t>(-1);

struct Attempt {
  std::shared_ptr<Strategy> strategy;
  P::StatementContext* tree = nullptr;
};

Attempt Run(P* parser, TokenStream* stream, antlr4::atn::PredictionMode mode, size_t collect_at) {
  Attempt attempt;
  attempt.strategy = std::make_shared<Strategy>(collect_at);
  stream->seek(0);
  parser->reset();
  parser->setErrorHandler(attempt.strategy);
  parser->getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(mode);
  try {
    attempt.tree = parser->statement();
  } catch (const Stopped&) {
    attempt.tree = nullptr;
  }
  return attempt;
}

std::string ShownToken(std::string_view text, const Token& token) {
  if (token.type == Vocabulary::kEnd) return "end of the text";
  std::string shown(token.text(text).substr(0, 40));
  return shown.find('\'') == std::string::npos ? "'" + shown + "'" : shown;
}

// Whether what follows is the name of a label, a type or a property.
bool NamesBehind(const Vocabulary& words, TokenType type) {
  return type == words.colon || type == words.dot || type == words.pipe || type == words.bar || type == words.ampersand || type == words.exclamation;
}

// Whether an expression may be over with the token, so that a clause can begin behind it.
bool EndsExpression(const Vocabulary& words, std::string_view text, const Token& token) {
  if (words.IsKeyword(token.type)) return token.type == words.null || token.type == words.true_ || token.type == words.false_ || token.type == words.end;
  const char last = token.text(text).back();
  return last == ')' || last == ']' || last == '}' || last == '*' || words.IsWord(token.type) || token.type == words.string || token.type == words.integer ||
         token.type == words.real || token.type == words.parameter;
}

// After a whole expression nearly everything fits; what ends it is what was forgotten.
std::vector<std::string> Closers(const std::vector<std::string>& expected) {
  std::vector<std::string> closers;
  for (const char* sign : {"','", "')'", "']'", "'}'", "'|'", "AS", "THEN", "WHEN", "ELSE", "END", "WHERE"}) {
    if (std::find(expected.begin(), expected.end(), sign) != expected.end()) closers.push_back(sign);
  }
  if (!closers.empty()) closers.push_back("an operator");
  return closers;
}

Status Explain(std::string_view text, const std::vector<Token>& tokens, size_t at, const Attempt& attempt) {
  const Vocabulary& words = Vocabulary::Get();
  const Token& token = tokens[std::min(at, tokens.size() - 1)];
  std::vector<std::string> keywords, signs;
  bool name = false;
  for (ssize_t type : attempt.strategy->expected().toList()) {
    if (type == static_cast<ssize_t>(antlr4::Token::EOF)) {
      signs.push_back("the end");
    } else if (type > 0 && words.IsKeyword(static_cast<TokenType>(type))) {
      keywords.push_back(words.Display(static_cast<TokenType>(type)));
    } else if (type > 0) {
      if (static_cast<TokenType>(type) == words.identifier) name = true;
      std::string shown = words.Display(static_cast<TokenType>(type));
      if (std::find(signs.begin(), signs.end(), shown) == signs.end()) signs.push_back(std::move(shown));
    }
  }
  std::string message = "unexpected " + ShownToken(text, token);
  // Where a name fits, all words do, and listing them helps nobody.
  std::string near;
  if (token.type == words.identifier || (token.type != Vocabulary::kEnd && words.IsKeyword(token.type))) {
    near = Nearest(token.text(text), keywords.empty() ? words.keywords() : keywords);
  }
  // A name before the place may be the misspelt word: RETRUN n stops at n. Not where it names a label or a property.
  const bool begins = at < 2 || !NamesBehind(words, tokens[at - 2].type);
  if (near.empty() && at > 0 && begins && tokens[at - 1].type == words.identifier && token.type != Vocabulary::kEnd) {
    near = Nearest(tokens[at - 1].text(text), words.keywords());
    if (!near.empty()) near += " instead of " + std::string(tokens[at - 1].text(text));
  }
  std::vector<std::string> expected = signs;
  if (!name) expected.insert(expected.end(), keywords.begin(), keywords.end());
  // RETURN in `x = RETURN n` was read as a name: what would go on behind that name helps nobody.
  const bool clause_as_name = near.empty() && at > 1 && begins && token.type != Vocabulary::kEnd && words.is_clause_word[tokens[at - 1].type] &&
                              !EndsExpression(words, text, tokens[at - 2]);
  if (clause_as_name) expected.clear();
  constexpr size_t kExpectedMax = 12;
  if (expected.size() > kExpectedMax && !name && std::find(keywords.begin(), keywords.end(), "MATCH") == keywords.end()) {
    expected = Closers(expected);
  }
  if (!expected.empty() && expected.size() <= kExpectedMax) {
    message += ", expected ";
    for (size_t i = 0; i < expected.size(); ++i) {
      message += (i == 0 ? "" : i + 1 == expected.size() ? " or " : ", ") + expected[i];
    }
  } else if (name && !clause_as_name) {
    message += ", expected an expression or a name";
  } else if (std::find(expected.begin(), expected.end(), "MATCH") != expected.end()) {
    message += ", expected a clause such as MATCH, CREATE or RETURN";
  }
  if (!near.empty()) {
    message += "; did you mean " + near + "?";
  } else if (clause_as_name) {
    message += "; " + std::string(tokens[at - 1].text(text)) + " was read as a name, for the expression before it isn't finished";
  }
  if (token.type == words.dollar) message += "; a parameter is written $name";
  if (token.type == words.dots && attempt.strategy->in_relationship()) message += "; a number of hops is written *1..3";
  const bool relationship = attempt.strategy->in_relationship() &&
                            (token.type == words.dots || token.type == words.minus || token.type == words.integer);
  return SyntaxErrorAt(text, token.position(), std::move(message), relationship ? "InvalidRelationshipPattern" : "UnexpectedSyntax");
}

// The parsers of all threads share what they learnt about decisions. It grows with every new shape of text, so that it is
// thrown away when it is large; nobody may parse meanwhile.
std::shared_mutex& LearntMutex() {
  static std::shared_mutex* const mutex = new std::shared_mutex;
  return *mutex;
}
void ForgetIfLarge(P* parser) {
  static std::atomic<uint32_t> parsed{0};
  constexpr uint32_t kParsedBetweenChecks = 64;
  if (++parsed % kParsedBetweenChecks != 0) return;
  auto* interpreter = parser->getInterpreter<antlr4::atn::ParserATNSimulator>();
  std::unique_lock<std::shared_mutex> alone(LearntMutex());
  size_t states = 0;
  for (const antlr4::dfa::DFA& dfa : interpreter->decisionToDFA) states += dfa.states.size();
  if (states > kParserStatesMax) interpreter->clearDFA();
}

Result<std::unique_ptr<ast::Statement>> ParseTokens(std::string_view text, TokenList* list) {
  TokenStream stream(list->tokens, text);
  P parser(&stream);
  ForgetIfLarge(&parser);
  parser.removeErrorListeners();
  std::shared_lock<std::shared_mutex> together(LearntMutex());
  Attempt attempt = Run(&parser, &stream, antlr4::atn::PredictionMode::SLL, kNowhere);
  if (attempt.tree == nullptr) attempt = Run(&parser, &stream, antlr4::atn::PredictionMode::LL, kNowhere);
  if (attempt.tree != nullptr) return Builder(text, list).Build(attempt.tree);
  const size_t at = attempt.strategy->error_at();
  attempt = Run(&parser, &stream, antlr4::atn::PredictionMode::LL, at);
  return Explain(text, list->tokens, at, attempt);
}

}  // namespace

namespace {

// Statements that a later version brings: named, so that nobody looks for a typing error.
Status RefuseLater(std::string_view text, const TokenList& list) {
  static constexpr struct { std::string_view word, what; } kLater[] = {
      {"DATABASE", "several databases in one file are"}, {"DATABASES", "several databases in one file are"},
      {"USER", "users and roles are"}, {"USERS", "users and roles are"}, {"ROLE", "users and roles are"}, {"ROLES", "users and roles are"},
      {"ALIAS", "aliases of databases are"}};
  auto word = [&](size_t i) {
    std::string upper(i < list.tokens.size() ? list.tokens[i].text(text) : "");
    for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return upper;
  };
  const std::string first = word(0);
  if (first == "USE") {
    return Status(Code::kNotAvailable, "several databases in one file are not available yet").At(list.tokens[0].position()).CompileTime();
  }
  if (first == "WHEN") {
    return Status(Code::kNotAvailable, "conditional queries (WHEN ... THEN ... ELSE ...) are not available yet; CALL (*) { WITH * WHERE ... } chooses, too")
        .At(list.tokens[0].position())
        .CompileTime();
  }
  if (first != "CREATE" && first != "DROP" && first != "ALTER" && first != "SHOW" && first != "START" && first != "STOP") return {};
  const size_t second = word(1) == "OR" ? 3 : 1;
  for (const auto& later : kLater) {
    if (word(second) != later.word) continue;
    return Status(Code::kNotAvailable, std::string(later.what) + " not available yet").At(list.tokens[second].position()).CompileTime();
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ast::Statement>> Parse(std::string_view text) {
  if (text.size() > kQueryBytesMax) {
    return Status(Code::kLimitExceeded, "the statement has " + std::to_string(text.size()) + " bytes; at most " +
                                            std::to_string(kQueryBytesMax) + " (16 MiB) are allowed, pass data as parameters")
        .At({1, 1, 0})
        .Detail("StatementTooLarge")
        .CompileTime();
  }
  ASSIGN_OR_RETURN(TokenList list, Tokenize(text));
  RETURN_IF_ERROR(FindShapes(text, &list));
  if (list.tokens.size() == 1) {
    return Status(Code::kSyntaxError, "the statement is empty: nothing but blanks and comments")
        .At(list.tokens[0].position())
        .Detail("UnexpectedSyntax")
        .CompileTime();
  }
  auto statement = ParseTokens(text, &list);
  if (!statement.ok()) RETURN_IF_ERROR(RefuseLater(text, list));
  return statement;
}

void WarmUp() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (std::string_view text : {
             "MATCH (n:A {id: $id})-[r:T|U*1..3]->(m:B) WHERE n.x = 1 AND NOT m.y IN [1, 2] OR (n)--(m) RETURN DISTINCT n.a AS "
             "a, count(*), collect(m {.*}) ORDER BY a DESC SKIP 1 LIMIT 10",
             "UNWIND $rows AS row MERGE (n:A {id: row.id}) ON CREATE SET n.x = row.x, n += row.m ON MATCH SET n:B WITH n, row "
             "CREATE (n)-[:T {w: 0.5}]->(:C)",
             "MATCH (m:M) SEARCH m IN (VECTOR INDEX i FOR $q LIMIT 10) SCORE AS s CALL (m) { MATCH (m)-[:T]->(x) RETURN x LIMIT "
             "3 } RETURN m, x, s ORDER BY s DESC",
             "CALL db.index.vector.queryNodes('i', 10, $q) YIELD node, score WHERE score > 0.5 RETURN node.text, [x IN range(1, "
             "3) WHERE x > 1 | x * 2], CASE WHEN score IS NULL THEN 'a' ELSE 'b' END",
             "CREATE VECTOR INDEX i IF NOT EXISTS FOR (n:A) ON (n.e) OPTIONS {indexConfig: {`vector.dimensions`: 3}}",
         }) {
      auto ignored = Parse(text);
      (void)ignored;
    }
  });
}

}  // namespace fornix::grammar

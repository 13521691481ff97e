// Reading and comparing cells; see cell.h.
#include "tests/tck/cell.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/value_format.h"

namespace fornix::tck {
namespace {

std::string UnescapeGherkin(std::string_view cell) {
  std::string out;
  for (size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] == '\\' && i + 1 < cell.size()) {
      char next = cell[i + 1];
      if (next == '|' || next == '\\') { out += next; ++i; continue; }
      if (next == 'n') { out += '\n'; ++i; continue; }
    }
    out += cell[i];
  }
  size_t first = out.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return out.substr(first, out.find_last_not_of(" \t") - first + 1);
}

class CellParser {
 public:
  explicit CellParser(std::string_view text) : text_(text) {}

  Result<Expected> ParseAll() {
    ASSIGN_OR_RETURN(Expected value, ParseValue());
    SkipBlanks();
    if (at_ != text_.size()) return Fail("the end");
    return value;
  }

 private:
  Status Fail(std::string_view wanted) {
    return Status(Code::kUsage, "cell '" + std::string(text_) + "': expected " + std::string(wanted) + " at " + std::to_string(at_));
  }
  void SkipBlanks() { while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_; }
  bool Accept(std::string_view token) {
    SkipBlanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  char Peek() { SkipBlanks(); return at_ < text_.size() ? text_[at_] : '\0'; }
  std::string ParseName() {
    SkipBlanks();
    size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '$')) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  Result<Expected> ParseValue() {
    Expected e;
    switch (Peek()) {
      case '\'': {
        e.kind = Expected::Kind::kString;
        for (++at_; at_ < text_.size() && text_[at_] != '\''; ++at_) {
          if (text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '\'' || text_[at_ + 1] == '\\')) ++at_;
          e.text += text_[at_];
        }
        if (!Accept("'")) return Fail("'");
        return e;
      }
      case '[': {
        ++at_;
        if (Peek() == ':') return ParseRelationshipRest();
        e.kind = Expected::Kind::kList;
        if (Accept("]")) return e;
        do {
          ASSIGN_OR_RETURN(Expected item, ParseValue());
          e.items.push_back(std::move(item));
        } while (Accept(","));
        if (!Accept("]")) return Fail("]");
        return e;
      }
      case '{':
        e.kind = Expected::Kind::kMap;
        RETURN_IF_ERROR(ParseEntries(&e));
        return e;
      case '(': return ParseNode();
      case '<': return ParsePath();
      default: break;
    }
    if (Accept("null")) return e;
    if (Accept("true")) { e.kind = Expected::Kind::kBoolean; e.boolean = true; return e; }
    if (Accept("false")) { e.kind = Expected::Kind::kBoolean; return e; }
    if (Accept("NaN")) { e.kind = Expected::Kind::kFloat; e.real = std::nan(""); return e; }
    if (Accept("Inf")) { e.kind = Expected::Kind::kFloat; e.real = INFINITY; return e; }
    if (Accept("-Inf")) { e.kind = Expected::Kind::kFloat; e.real = -INFINITY; return e; }
    size_t start = at_;
    bool real = false;
    while (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || std::string_view("+-.eE").find(text_[at_]) != std::string_view::npos)) {
      real |= text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E';
      ++at_;
    }
    if (at_ == start) return Fail("a value");
    e.kind = real ? Expected::Kind::kFloat : Expected::Kind::kInteger;
    const char *first = text_.data() + start, *last = text_.data() + at_;
    auto parsed = real ? std::from_chars(first, last, e.real) : std::from_chars(first, last, e.integer);
    if (parsed.ec != std::errc() || parsed.ptr != last) return Fail("a number");
    return e;
  }

  Status ParseEntries(Expected* e) {
    if (!Accept("{")) return Fail("{");
    if (Accept("}")) return Status::Ok();
    do {
      std::string key = ParseName();
      if (key.empty() || !Accept(":")) return Fail("a key and ':'");
      ASSIGN_OR_RETURN(Expected value, ParseValue());
      e->entries.emplace_back(std::move(key), std::move(value));
    } while (Accept(","));
    if (!Accept("}")) return Fail("}");
    std::sort(e->entries.begin(), e->entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return Status::Ok();
  }

  Result<Expected> ParseNode() {
    Expected e;
    e.kind = Expected::Kind::kNode;
    if (!Accept("(")) return Fail("(");
    while (Accept(":")) e.labels.push_back(ParseName());
    std::sort(e.labels.begin(), e.labels.end());
    if (Peek() == '{') RETURN_IF_ERROR(ParseEntries(&e));
    if (!Accept(")")) return Fail(")");
    return e;
  }
  Result<Expected> ParseRelationshipRest() {   // after '['
    Expected e;
    e.kind = Expected::Kind::kRelationship;
    if (!Accept(":")) return Fail(":");
    e.text = ParseName();
    if (Peek() == '{') RETURN_IF_ERROR(ParseEntries(&e));
    if (!Accept("]")) return Fail("]");
    return e;
  }
  Result<Expected> ParsePath() {
    Expected e;
    e.kind = Expected::Kind::kPath;
    if (!Accept("<")) return Fail("<");
    ASSIGN_OR_RETURN(Expected start, ParseNode());
    e.items.push_back(std::move(start));
    while (!Accept(">")) {
      bool backwards = Accept("<-");
      if (!backwards && !Accept("-")) return Fail("- or <-");
      if (!Accept("[")) return Fail("[");
      ASSIGN_OR_RETURN(Expected relationship, ParseRelationshipRest());
      if (!Accept(backwards ? "-" : "->")) return Fail("the arrow's end");
      ASSIGN_OR_RETURN(Expected node, ParseNode());
      e.items.push_back(std::move(relationship));
      e.items.push_back(std::move(node));
      e.backwards.push_back(backwards);
    }
    return e;
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool EntriesMatch(const std::vector<std::pair<std::string, Expected>>& expected, const Map& actual, bool ignore) {
  return std::equal(expected.begin(), expected.end(), actual.begin(), actual.end(), [&](const auto& e, const Map::Entry& a) {
    return e.first == a.first && Matches(e.second, a.second, ignore);
  });
}

bool ListMatches(const std::vector<Expected>& expected, const List& actual, bool ignore_order) {
  if (expected.size() != actual.size()) return false;
  if (!ignore_order) {
    for (size_t i = 0; i < actual.size(); ++i) {
      if (!Matches(expected[i], actual[i], false)) return false;
    }
    return true;
  }
  std::vector<bool> used(actual.size());
  for (const Expected& e : expected) {
    bool found = false;
    for (size_t i = 0; i < actual.size() && !found; ++i) {
      if (!used[i] && Matches(e, actual[i], true)) used[i] = found = true;
    }
    if (!found) return false;
  }
  return true;
}

bool PathMatches(const Expected& expected, const Path& path, bool ignore) {
  if (path.relationships.size() != expected.backwards.size()) return false;
  for (size_t i = 0; i < path.nodes.size(); ++i) {
    if (!Matches(expected.items[2 * i], path.nodes[i], ignore)) return false;
    if (i == path.relationships.size()) break;
    if (!Matches(expected.items[2 * i + 1], path.relationships[i], ignore)) return false;
    const Relationship& r = path.relationships[i].AsRelationship();
    uint64_t from = path.nodes[i].AsNode().id, to = path.nodes[i + 1].AsNode().id;
    if (from != to && (r.start != from) != expected.backwards[i]) return false;
  }
  return true;
}

}  // namespace

Result<Expected> ParseCell(std::string_view cell) {
  std::string text = UnescapeGherkin(cell);
  return CellParser(text).ParseAll();
}

Result<Value> ToParameter(const Expected& e) {
  switch (e.kind) {
    case Expected::Kind::kNull: return Value();
    case Expected::Kind::kBoolean: return Value(e.boolean);
    case Expected::Kind::kInteger: return Value(e.integer);
    case Expected::Kind::kFloat: return Value(e.real);
    case Expected::Kind::kString: return Value(e.text);
    case Expected::Kind::kList: {
      List list;
      for (const Expected& item : e.items) {
        ASSIGN_OR_RETURN(Value v, ToParameter(item));
        list.push_back(std::move(v));
      }
      return Value(std::move(list));
    }
    case Expected::Kind::kMap: {
      Map map;
      for (const auto& [key, item] : e.entries) {
        ASSIGN_OR_RETURN(Value v, ToParameter(item));
        map.Set(key, std::move(v));
      }
      return Value(std::move(map));
    }
    default: return Status(Code::kUsage, "an element can't be a parameter");
  }
}

bool Matches(const Expected& e, const Value& v, bool ignore) {
  switch (e.kind) {
    case Expected::Kind::kNull: return v.is_null();
    case Expected::Kind::kBoolean: return v.type() == Type::kBoolean && v.AsBoolean() == e.boolean;
    case Expected::Kind::kInteger: return v.type() == Type::kInteger && v.AsInteger() == e.integer;
    case Expected::Kind::kFloat:
      return v.type() == Type::kFloat && (v.AsFloat() == e.real || (std::isnan(v.AsFloat()) && std::isnan(e.real)));
    case Expected::Kind::kString:
      switch (v.type()) {
        case Type::kString: return v.AsString() == e.text;
        case Type::kDate: case Type::kLocalTime: case Type::kTime: case Type::kLocalDateTime: case Type::kDateTime: case Type::kDuration:
        case Type::kPoint: case Type::kVector:
          return ToDisplay(v) == e.text;
        default: return false;
      }
    case Expected::Kind::kList: return v.type() == Type::kList && ListMatches(e.items, v.AsList(), ignore);
    case Expected::Kind::kMap: return v.type() == Type::kMap && EntriesMatch(e.entries, v.AsMap(), ignore);
    case Expected::Kind::kNode:
      return v.type() == Type::kNode && v.AsNode().labels == e.labels && EntriesMatch(e.entries, v.AsNode().properties, ignore);
    case Expected::Kind::kRelationship:
      return v.type() == Type::kRelationship && v.AsRelationship().type == e.text &&
             EntriesMatch(e.entries, v.AsRelationship().properties, ignore);
    case Expected::Kind::kPath: return v.type() == Type::kPath && PathMatches(e, v.AsPath(), ignore);
  }
  return false;
}

}  // namespace fornix::tck

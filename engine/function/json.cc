#include "engine/function/json.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/element_id.h"
#include "base/interrupt.h"
#include "base/limits.h"
#include "base/value_format.h"
#include "engine/function/errors.h"

namespace fornix::engine {
namespace {

// ---- writing

void AppendQuoted(std::string* out, std::string_view s) {
  constexpr char kHex[] = "0123456789abcdef";
  *out += '"';
  CountText(s.size());
  for (char c : s) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (byte < 0x20) {
      *out += "\\u00";
      *out += kHex[byte >> 4];
      *out += kHex[byte & 15];
    } else {
      *out += c;
    }
  }
  *out += '"';
}

class JsonWriter {
 public:
  explicit JsonWriter(FunctionContext& context) : context_(context) {}
  std::string Take() { return std::move(out_); }

  Status Write(const Value& v) {
    CountWork(4);
    switch (v.type()) {
      case Type::kNull: case Type::kBoolean: case Type::kInteger: out_ += ToText(v); return Status::Ok();
      case Type::kFloat: out_ += std::isfinite(v.AsFloat()) ? FormatFloat(v.AsFloat()) : "null"; return Status::Ok();
      case Type::kString: AppendQuoted(&out_, v.AsString()); return Status::Ok();
      case Type::kList: return WriteList(v.AsList());
      case Type::kMap: return WriteMap(v.AsMap());
      case Type::kVector: return WriteList(List(v.AsVector().begin(), v.AsVector().end()));
      case Type::kNode: return WriteNode(v.AsNode());
      case Type::kRelationship: return WriteRelationship(v.AsRelationship());
      case Type::kNodeRef: {
        Node node{v.AsNodeRef(), {}, {}};
        ASSIGN_OR_RETURN(node.labels, context_.elements->NodeLabels(node.id));
        ASSIGN_OR_RETURN(node.properties, context_.elements->NodeProperties(node.id));
        return WriteNode(node);
      }
      case Type::kRelationshipRef: {
        Relationship r;
        r.id = v.AsRelationshipRef();
        ASSIGN_OR_RETURN(r.type, context_.elements->RelationshipType(r.id));
        ASSIGN_OR_RETURN(auto ends, context_.elements->RelationshipEnds(r.id));
        r.start = ends.first;
        r.end = ends.second;
        ASSIGN_OR_RETURN(r.properties, context_.elements->RelationshipProperties(r.id));
        return WriteRelationship(r);
      }
      case Type::kPath: {                      // nodes and relationships by turns
        List steps;
        for (size_t i = 0; i < v.AsPath().nodes.size(); ++i) {
          steps.push_back(v.AsPath().nodes[i]);
          if (i < v.AsPath().relationships.size()) steps.push_back(v.AsPath().relationships[i]);
        }
        return WriteList(steps);
      }
      default: AppendQuoted(&out_, ToText(v)); return Status::Ok();
    }
  }

 private:
  Status WriteList(const List& list) {
    out_ += '[';
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ',';
      RETURN_IF_ERROR(Write(list[i]));
    }
    out_ += ']';
    return Status::Ok();
  }
  Status WriteMap(const Map& map) {
    out_ += '{';
    bool first = true;
    for (const auto& [key, value] : map) {
      if (!first) out_ += ',';
      first = false;
      AppendQuoted(&out_, key);
      out_ += ':';
      RETURN_IF_ERROR(Write(value));
    }
    out_ += '}';
    return Status::Ok();
  }
  Status WriteNode(const Node& node) {
    return WriteMap(Map{{"id", NodeElementId(node.id)}, {"type", "node"},
                        {"labels", List(node.labels.begin(), node.labels.end())}, {"properties", node.properties}});
  }
  Status WriteRelationship(const Relationship& r) {
    return WriteMap(Map{{"id", RelationshipElementId(r.id)}, {"type", "relationship"}, {"label", r.type},
                        {"start", NodeElementId(r.start)}, {"end", NodeElementId(r.end)}, {"properties", r.properties}});
  }

  FunctionContext& context_;
  std::string out_;
};

// ---- reading

void AppendUtf8(std::string* out, uint32_t c) {
  if (c < 0x80) {
    *out += static_cast<char>(c);
  } else if (c < 0x800) {
    *out += static_cast<char>(0xc0 | c >> 6);
    *out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    *out += static_cast<char>(0xe0 | c >> 12);
    *out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    *out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    *out += static_cast<char>(0xf0 | c >> 18);
    *out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    *out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    *out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Result<Value> ReadAll() {
    ASSIGN_OR_RETURN(Value v, Read(1));
    SkipSpace();
    if (at_ != text_.size()) return Wrong("the end of the text");
    return v;
  }

 private:
  Status Wrong(std::string_view expected) const {
    return BadArgument("this isn't JSON: expected " + std::string(expected) + " at byte " + std::to_string(at_));
  }
  void SkipSpace() {
    for (; at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos; ++at_) {
      if (at_ % 1024 == 0) CountWork(1024 / 4);
    }
  }
  bool Take(std::string_view word) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Result<Value> Read(size_t depth) {
    CountWork(4);
    if (depth > kParameterNestingMax) {
      return Status(Code::kLimitExceeded, "JSON nested more than " + std::to_string(kParameterNestingMax) +
          " levels deep (kParameterNestingMax)");
    }
    if (Take("null")) return Value();
    if (Take("true")) return Value(true);
    if (Take("false")) return Value(false);
    if (Take("[")) return ReadList(depth);
    if (Take("{")) return ReadMap(depth);
    if (at_ < text_.size() && text_[at_] == '"') {
      ASSIGN_OR_RETURN(std::string s, ReadString());
      return Value(std::move(s));
    }
    return ReadNumber();
  }

  Result<Value> ReadList(size_t depth) {
    List list;
    if (Take("]")) return Value(std::move(list));
    do {
      ASSIGN_OR_RETURN(Value item, Read(depth + 1));
      list.push_back(std::move(item));
    } while (Take(","));
    if (!Take("]")) return Wrong("',' or ']'");
    return Value(std::move(list));
  }

  Result<Value> ReadMap(size_t depth) {
    std::vector<Map::Entry> entries;
    if (Take("}")) return Value(Map());
    do {
      SkipSpace();
      ASSIGN_OR_RETURN(std::string key, ReadString());
      if (!Take(":")) return Wrong("':'");
      ASSIGN_OR_RETURN(Value value, Read(depth + 1));
      entries.emplace_back(std::move(key), std::move(value));
    } while (Take(","));
    if (!Take("}")) return Wrong("',' or '}'");
    return Value(Map::FromEntries(std::move(entries)));
  }

  Result<Value> ReadNumber() {
    size_t begin = at_;
    bool whole = true;
    while (at_ < text_.size() && std::string_view("+-0123456789.eE").find(text_[at_]) != std::string_view::npos) {
      whole = whole && std::string_view(".eE").find(text_[at_]) == std::string_view::npos;
      ++at_;
    }
    std::string number(text_.substr(begin, at_ - begin));
    const char *first = number.data(), *last = first + number.size();
    int64_t i = 0;
    if (whole) {
      auto [end, error] = std::from_chars(first, last, i);
      if (error == std::errc() && end == last) return Value(i);
    }
    double d = 0;
    auto [end, error] = std::from_chars(first, last, d);
    if (error == std::errc::invalid_argument || end != last) {
      at_ = begin;
      return Wrong("a value");
    }
    return Value(error == std::errc::result_out_of_range ? std::strtod(number.c_str(), nullptr) : d);
  }

  Result<uint32_t> ReadHex() {
    uint32_t code = 0;
    if (at_ + 4 > text_.size()) return Wrong("four hexadecimal digits");
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
    if (error != std::errc() || end != text_.data() + at_ + 4) return Wrong("four hexadecimal digits");
    at_ += 4;
    return code;
  }

  Status ReadEscape(std::string* out) {
    if (at_ >= text_.size()) return Wrong("an escape");
    char c = text_[at_++];
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (size_t i = kLetters.find(c); i != std::string_view::npos) {
      *out += kMeanings[i];
      return Status::Ok();
    }
    if (c != 'u') return Wrong("an escape");
    ASSIGN_OR_RETURN(uint32_t code, ReadHex());
    if (code >= 0xd800 && code < 0xdc00) {     // the first half of a pair
      if (!text_.substr(at_).starts_with("\\u")) return Wrong("the second half of a surrogate pair");
      at_ += 2;
      ASSIGN_OR_RETURN(uint32_t low, ReadHex());
      if (low < 0xdc00 || low > 0xdfff) return Wrong("the second half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      return Wrong("the first half of a surrogate pair");
    }
    AppendUtf8(out, code);
    return Status::Ok();
  }

  Result<std::string> ReadString() {
    if (at_ >= text_.size() || text_[at_] != '"') return Wrong("a string");
    ++at_;
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (at_ % 1024 == 0) CountWork(1024 / 4);
      char c = text_[at_++];
      if (c == '\\') {
        RETURN_IF_ERROR(ReadEscape(&out));
      } else {
        out += c;
      }
    }
    if (at_ >= text_.size()) return Wrong("'\"'");
    ++at_;
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::string> ToJson(FunctionContext& context, const Value& v) {
  JsonWriter writer(context);
  RETURN_IF_ERROR(writer.Write(v));
  return writer.Take();
}

Result<Value> FromJson(std::string_view text) { return JsonReader(text).ReadAll(); }

}  // namespace fornix::engine

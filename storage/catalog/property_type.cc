#include "storage/catalog/property_type.h"

#include <algorithm>
#include <optional>

namespace fornix::storage {
namespace {

struct Spelling {
  std::string_view words;
  Type type;
};
// The first spelling of a type is the one that is written back. Longer ones stand before their beginnings.
constexpr Spelling kSpellings[] = {
    {"BOOLEAN", Type::kBoolean}, {"BOOL", Type::kBoolean},
    {"STRING", Type::kString}, {"VARCHAR", Type::kString},
    {"INTEGER", Type::kInteger}, {"SIGNED INTEGER", Type::kInteger}, {"INTEGER64", Type::kInteger},
    {"INT64", Type::kInteger}, {"INT", Type::kInteger},
    {"FLOAT", Type::kFloat}, {"FLOAT64", Type::kFloat},
    {"DATE", Type::kDate},
    {"LOCAL TIME", Type::kLocalTime}, {"TIME WITHOUT TIME ZONE", Type::kLocalTime},
    {"ZONED TIME", Type::kTime}, {"TIME WITH TIME ZONE", Type::kTime}, {"TIME WITH TIMEZONE", Type::kTime},
    {"LOCAL DATETIME", Type::kLocalDateTime}, {"TIMESTAMP WITHOUT TIME ZONE", Type::kLocalDateTime},
    {"ZONED DATETIME", Type::kDateTime}, {"TIMESTAMP WITH TIME ZONE", Type::kDateTime},
    {"DURATION", Type::kDuration}, {"POINT", Type::kPoint}, {"BYTES", Type::kBytes},
};
constexpr size_t kTypeDepthMax = 4;            // lists of lists can't be stored; one level more for a clear message

class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : text_(text) { Split(); }

  Result<std::shared_ptr<const ParsedType>> Parse() {
    ASSIGN_OR_RETURN(std::shared_ptr<const ParsedType> type, Union(0));
    if (at_ != words_.size()) return Wrong();
    return type;
  }

 private:
  // Words in upper case, and signs.
  void Split() {
    for (size_t i = 0; i < text_.size();) {
      const unsigned char c = static_cast<unsigned char>(text_[i]);
      if (std::isspace(c)) { ++i; continue; }
      std::string word;
      while (i < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[i])) || text_[i] == '_')) {
        word += static_cast<char>(std::toupper(static_cast<unsigned char>(text_[i++])));
      }
      if (word.empty()) word = text_[i++];
      words_.push_back(std::move(word));
    }
  }
  bool Take(std::string_view word) {
    if (at_ >= words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  // A spelling of several words.
  bool TakeAll(std::string_view spelling) {
    size_t at = at_;
    while (!spelling.empty()) {
      const size_t space = std::min(spelling.find(' '), spelling.size());
      if (at >= words_.size() || words_[at] != spelling.substr(0, space)) return false;
      ++at;
      spelling.remove_prefix(std::min(space + 1, spelling.size()));
    }
    at_ = at;
    return true;
  }
  Status Wrong() const {
    return Status(Code::kSyntaxError,
                  "'" + std::string(text_) + "' is no property type" +
                      (at_ < words_.size() ? " (at '" + words_[at_] + "')" : " (it ends too early)") +
                      "; there are BOOLEAN, STRING, INTEGER, FLOAT, DATE, LOCAL TIME, ZONED TIME, LOCAL DATETIME, ZONED "
                      "DATETIME, DURATION, POINT, BYTES, VECTOR<FLOAT32>(dimension), LIST<TYPE NOT NULL>, ANY, and unions "
                      "of these: INTEGER | FLOAT")
        .Detail("InvalidPropertyType");
  }

  Result<std::shared_ptr<const ParsedType>> Union(size_t depth) {
    if (depth > kTypeDepthMax) return Wrong();
    auto type = std::make_shared<ParsedType>();
    do {
      RETURN_IF_ERROR(One(depth, type.get()));
    } while (Take("|"));
    return std::shared_ptr<const ParsedType>(std::move(type));
  }

  Status One(size_t depth, ParsedType* out) {
    const size_t first = out->alternatives.size();
    ParsedType::Alternative alternative;
    if (Take("ANY")) {
      if (Take("<")) {
        ASSIGN_OR_RETURN(std::shared_ptr<const ParsedType> inner, Union(depth + 1));
        if (!Take(">")) return Wrong();
        out->alternatives.insert(out->alternatives.end(), inner->alternatives.begin(), inner->alternatives.end());
      } else {
        if (!Take("VALUE")) Take("PROPERTY");
        Take("VALUE");
        alternative.any = true;
        out->alternatives.push_back(alternative);
      }
    } else if (Take("LIST") || Take("ARRAY")) {
      alternative.type = Type::kList;
      if (Take("<")) {
        ASSIGN_OR_RETURN(alternative.element, Union(depth + 1));
        if (!Take(">")) return Wrong();
      }
      out->alternatives.push_back(std::move(alternative));
    } else if (Take("VECTOR")) {
      RETURN_IF_ERROR(Vector(&alternative));
      out->alternatives.push_back(std::move(alternative));
    } else {
      const Spelling* found = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                           [this](const Spelling& s) { return TakeAll(s.words); });
      if (found == std::end(kSpellings)) return Wrong();
      alternative.type = found->type;
      out->alternatives.push_back(alternative);
    }
    TakeAll("NOT NULL");                       // null is never accepted here; existence is another rule
    while (Take("LIST") || Take("ARRAY")) {    // INTEGER NOT NULL LIST
      auto element = std::make_shared<ParsedType>();
      element->alternatives.assign(out->alternatives.begin() + static_cast<ptrdiff_t>(first), out->alternatives.end());
      out->alternatives.resize(first);
      ParsedType::Alternative list;
      list.type = Type::kList;
      list.element = std::move(element);
      out->alternatives.push_back(std::move(list));
      TakeAll("NOT NULL");
    }
    return Status::Ok();
  }

  // VECTOR, VECTOR<FLOAT32>, VECTOR(8), VECTOR<FLOAT32>(8), VECTOR(8, FLOAT32). Stored vectors have 32-bit floats.
  Status Vector(ParsedType::Alternative* out) {
    out->type = Type::kVector;
    if (Take("<")) {
      RETURN_IF_ERROR(Coordinate());
      if (!Take(">")) return Wrong();
    }
    if (!Take("(")) return Status::Ok();
    if (at_ >= words_.size() || words_[at_].size() > 6 || words_[at_].find_first_not_of("0123456789") != std::string::npos) {
      return Wrong();
    }
    out->dimensions = static_cast<uint32_t>(std::stoul(words_[at_++]));
    if (Take(",")) RETURN_IF_ERROR(Coordinate());
    return Take(")") ? Status::Ok() : Wrong();
  }
  Status Coordinate() {
    if (!Take("FLOAT32") && !Take("FLOAT") && !Take("FLOAT64")) return Wrong();
    TakeAll("NOT NULL");
    return Status::Ok();
  }

  std::string_view text_;
  std::vector<std::string> words_;
  size_t at_ = 0;
};

}  // namespace

bool ParsedType::Accepts(const Value& value) const {
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const Alternative& a) {
    if (a.any) return !value.is_null();
    if (a.type != value.type()) return false;
    if (a.type == Type::kVector) return a.dimensions == 0 || a.dimensions == value.AsVector().size();
    if (a.type != Type::kList || a.element == nullptr) return true;
    const List& list = value.AsList();
    return std::all_of(list.begin(), list.end(), [&](const Value& v) { return a.element->Accepts(v); });
  });
}

std::string ParsedType::ToString() const {
  std::string text;
  for (const Alternative& a : alternatives) {
    if (!text.empty()) text += " | ";
    if (a.any) {
      text += "ANY";
    } else if (a.type == Type::kList) {
      text += "LIST<" + (a.element == nullptr ? std::string("ANY") : a.element->ToString()) + " NOT NULL>";
    } else if (a.type == Type::kVector) {
      text += "VECTOR<FLOAT32>";
      if (a.dimensions != 0) text += "(" + std::to_string(a.dimensions) + ")";
    } else {
      text += TypeName(a.type);
    }
  }
  return text;
}

Result<std::shared_ptr<const ParsedType>> ParsePropertyType(std::string_view text) { return TypeParser(text).Parse(); }

}  // namespace fornix::storage

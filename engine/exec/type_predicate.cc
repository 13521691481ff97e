#include "engine/exec/type_predicate.h"

#include <cctype>
#include <utility>

namespace fornix::engine {

namespace {

constexpr TypeSet kZonedTime = Only(Type::kTime);
constexpr TypeSet kPropertyValue = kBooleanType | kNumberType | kStringType | kTemporalType | kPointType | kVectorType |
                                   Only(Type::kBytes) | kListType;

struct TypeWord {
  std::string_view words;
  TypeSet types;
  bool any = false;
};
// Longer spellings come before their prefixes.
constexpr TypeWord kTypes[] = {
    {"ANY PROPERTY VALUE", kPropertyValue},
    {"PROPERTY VALUE", kPropertyValue},
    {"ANY VALUE", kAnyType, true},
    {"ANY NODE", kNodeType},
    {"ANY VERTEX", kNodeType},
    {"ANY RELATIONSHIP", kRelationshipType},
    {"ANY EDGE", kRelationshipType},
    {"ANY MAP", kMapType},
    {"ANY", kAnyType, true},
    {"BOOLEAN", kBooleanType},
    {"BOOL", kBooleanType},
    {"VARCHAR", kStringType},
    {"STRING", kStringType},
    {"INTEGER", kIntegerType},
    {"INT", kIntegerType},
    {"SIGNED INTEGER", kIntegerType},
    {"FLOAT", kFloatType},
    {"NUMBER", kNumberType},
    {"DATE", Only(Type::kDate)},
    {"LOCAL TIME", Only(Type::kLocalTime)},
    {"TIME WITHOUT TIMEZONE", Only(Type::kLocalTime)},
    {"TIME WITHOUT TIME ZONE", Only(Type::kLocalTime)},
    {"ZONED TIME", kZonedTime},
    {"TIME WITH TIMEZONE", kZonedTime},
    {"TIME WITH TIME ZONE", kZonedTime},
    {"LOCAL DATETIME", Only(Type::kLocalDateTime)},
    {"TIMESTAMP WITHOUT TIMEZONE", Only(Type::kLocalDateTime)},
    {"TIMESTAMP WITHOUT TIME ZONE", Only(Type::kLocalDateTime)},
    {"ZONED DATETIME", Only(Type::kDateTime)},
    {"TIMESTAMP WITH TIMEZONE", Only(Type::kDateTime)},
    {"TIMESTAMP WITH TIME ZONE", Only(Type::kDateTime)},
    {"DURATION", kDurationType},
    {"POINT", kPointType},
    {"VECTOR", kVectorType},
    {"BYTES", Only(Type::kBytes)},
    {"NODE", kNodeType},
    {"VERTEX", kNodeType},
    {"RELATIONSHIP", kRelationshipType},
    {"EDGE", kRelationshipType},
    {"MAP", kMapType},
    {"PATH", kPathType},
    {"PATHS", kPathType},
    {"NOTHING", TypeSet{0}},
    {"NULL", kNullType},
};

void SkipBlanks(std::string_view* text) {
  while (!text->empty() && text->front() == ' ') text->remove_prefix(1);
}

// Takes `words` off the front, case-blind, any number of blanks between words, and not in the middle of a longer word.
bool TakeWords(std::string_view* text, std::string_view words) {
  std::string_view rest = *text;
  SkipBlanks(&rest);
  size_t i = 0;
  for (char w : words) {
    if (w == ' ') {
      if (i >= rest.size() || rest[i] != ' ') return false;
      while (i < rest.size() && rest[i] == ' ') i++;
      continue;
    }
    if (i >= rest.size() || std::toupper(static_cast<unsigned char>(rest[i])) != w) return false;
    i++;
  }
  if (i < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[i])) != 0 || rest[i] == '_')) return false;
  *text = rest.substr(i);
  return true;
}

bool TakeChar(std::string_view* text, char c) {
  SkipBlanks(text);
  if (text->empty() || text->front() != c) return false;
  text->remove_prefix(1);
  return true;
}

}  // namespace

Result<TypePredicate> TypePredicate::Parse(std::string_view text) {
  std::string_view rest = text;
  ASSIGN_OR_RETURN(TypePredicate predicate, ParseUnion(&rest));
  SkipBlanks(&rest);
  if (!rest.empty()) {
    return Status(Code::kSyntaxError, "'" + std::string(text) + "' is no type: '" + std::string(rest) + "' was not expected");
  }
  return predicate;
}

Result<TypePredicate> TypePredicate::ParseUnion(std::string_view* text) {
  TypePredicate predicate;
  do {
    Alternative alternative;
    if (TakeWords(text, "LIST") || TakeWords(text, "ARRAY")) {
      alternative.types = kListType;
      if (TakeChar(text, '<')) {
        ASSIGN_OR_RETURN(TypePredicate element, ParseUnion(text));
        if (!TakeChar(text, '>')) return Status(Code::kSyntaxError, "a '>' is missing after the element type of LIST<");
        alternative.element.push_back(std::move(element));
      }
    } else if (std::string_view behind = *text; TakeWords(&behind, "ANY") && TakeChar(&behind, '<')) {
      *text = behind;
      ASSIGN_OR_RETURN(TypePredicate inner, ParseUnion(text));
      if (!TakeChar(text, '>')) return Status(Code::kSyntaxError, "a '>' is missing after ANY<");
      for (Alternative& a : inner.alternatives_) predicate.alternatives_.push_back(std::move(a));
      continue;
    } else {
      const TypeWord* found = nullptr;
      for (const TypeWord& word : kTypes) {
        if (TakeWords(text, word.words)) {
          found = &word;
          break;
        }
      }
      if (found == nullptr) {
        SkipBlanks(text);
        return Status(Code::kSyntaxError, "'" + std::string(text->substr(0, 40)) + "' is not the name of a type");
      }
      alternative.types = found->types;
      alternative.any = found->any;
      alternative.nullable = found->types.bits != 0;
      if (found->types == kVectorType) {   // VECTOR<FLOAT32>(1536): the element type and the dimension are not told apart here
        if (TakeChar(text, '<')) {
          const size_t end = text->find('>');
          text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
        }
        if (TakeChar(text, '(')) {
          const size_t end = text->find(')');
          text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
        }
      }
    }
    if (TakeWords(text, "NOT NULL") || TakeChar(text, '!')) alternative.nullable = false;
    predicate.alternatives_.push_back(std::move(alternative));
  } while (TakeChar(text, '|'));
  return predicate;
}

bool TypePredicate::Accepts(const Value& value) const {
  for (const Alternative& a : alternatives_) {
    if (value.is_null()) {
      if (a.nullable) return true;
      continue;
    }
    if (a.any) return true;
    Type type = value.type();
    if (type == Type::kNodeRef) type = Type::kNode;
    if (type == Type::kRelationshipRef) type = Type::kRelationship;
    if (!a.types.Has(type)) continue;
    if (a.element.empty()) return true;
    bool all = true;
    for (const Value& item : value.AsList()) all = all && a.element[0].Accepts(item);
    if (all) return true;
  }
  return false;
}

}  // namespace fornix::engine

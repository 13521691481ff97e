#include "engine/exec/vector_argument.h"

#include <cmath>

#include "base/nearest.h"
#include "base/value_format.h"

namespace fornix::engine {
namespace {

constexpr int64_t kSearchEfMax = 100'000;   // beyond it a scan is no slower

}  // namespace

Result<const storage::IndexDefinition*> FindVectorIndex(const storage::SchemaVersion& schema, std::string_view name, storage::EntityKind entity) {
  const storage::IndexDefinition* index = schema.FindIndex(name);
  if (index == nullptr || index->kind != storage::IndexKind::kVector) {
    std::vector<std::string> names;
    for (const auto& known : schema.indexes) {
      if (known.kind == storage::IndexKind::kVector) names.push_back(known.name);
    }
    return Status(Code::kSchemaNotFound, (index == nullptr ? "There is no such vector index: " + std::string(name)
                                                           : "The index " + std::string(name) + " is no vector index") + DidYouMeanOrAll(name, names));
  }
  if (index->entity != entity) {
    const bool nodes = index->entity == storage::EntityKind::kNode;
    return Status(Code::kArgumentError, "The vector index " + std::string(name) + " is over " + (nodes ? "nodes" : "relationships") + ", not over " +
                                            (nodes ? "relationships" : "nodes"));
  }
  return index;
}

Status ReadVector(const Value& value, std::string_view what, std::vector<float>* out) {
  out->clear();
  if (value.type() == Type::kVector) {
    *out = value.AsVector();
  } else if (value.type() == Type::kList) {
    out->reserve(value.AsList().size());
    for (const Value& item : value.AsList()) {
      if (!item.is_number()) {
        return Status(Code::kTypeError, std::string(what) + " must consist of numbers, but entry " + std::to_string(out->size()) + " is " +
                                            std::string(TypeName(item.type())))
            .Detail("InvalidArgumentType");
      }
      out->push_back(static_cast<float>(item.AsNumber()));
    }
  } else {
    return Status(Code::kTypeError, std::string(what) + " must be a list of numbers or a VECTOR, but was " + std::string(TypeName(value.type())))
        .Detail("InvalidArgumentType");
  }
  if (out->empty()) return Status(Code::kArgumentError, std::string(what) + " must have at least one number");
  for (size_t i = 0; i < out->size(); i++) {
    if (!std::isfinite((*out)[i])) {
      return Status(Code::kArgumentError, std::string(what) + " must have finite 32-bit numbers, but entry " + std::to_string(i) + " is not");
    }
  }
  return Status::Ok();
}

Status ReadQueryVector(const Value& value, const storage::IndexDefinition& index, std::vector<float>* out) {
  RETURN_IF_ERROR(ReadVector(value, "the query vector", out));
  if (index.vector.dimensions != 0 && out->size() != index.vector.dimensions) {
    return Status(Code::kArgumentError, "Index query vector has " + std::to_string(out->size()) + " dimensions, but indexed vectors have " +
                                            std::to_string(index.vector.dimensions) + " (index " + index.name + ")");
  }
  return Status::Ok();
}

Result<size_t> ReadHitCount(const Value& value) {
  if (value.type() != Type::kInteger) {
    return Status(Code::kTypeError, "the number of nearest neighbours must be an integer, but was " + std::string(TypeName(value.type())))
        .Detail("InvalidArgumentType");
  }
  if (value.AsInteger() < 0) {
    return Status(Code::kArgumentError, "the number of nearest neighbours must not be negative, but was " + std::to_string(value.AsInteger()))
        .Detail("NegativeIntegerArgument");
  }
  return static_cast<size_t>(value.AsInteger());
}

Result<SearchOptions> ReadSearchOptions(const Value& value) {
  SearchOptions options;
  if (value.is_null()) return options;
  if (value.type() != Type::kMap) {
    return Status(Code::kTypeError, "the options of a vector search must be a map, but were " + ToShortText(value)).Detail("InvalidArgumentType");
  }
  for (const auto& [key, given] : value.AsMap()) {
    if (key == "ef") {
      const bool fits = given.type() == Type::kInteger && given.AsInteger() >= 1 && given.AsInteger() <= kSearchEfMax;
      if (!fits) {
        return Status(Code::kArgumentError, "the option `ef` takes an integer from 1 to " + std::to_string(kSearchEfMax) + ", but was " + ToShortText(given));
      }
      options.ef = static_cast<size_t>(given.AsInteger());
    } else if (key == "exact") {
      if (given.type() != Type::kBoolean) return Status(Code::kArgumentError, "the option `exact` takes true or false, but was " + ToShortText(given));
      options.exact = given.AsBoolean();
    } else {
      return Status(Code::kArgumentError, "`" + key + "` is no option of a vector search" + DidYouMeanOrAll(key, {"ef", "exact"}));
    }
  }
  return options;
}

}  // namespace fornix::engine

#include "engine/exec/schema_definition.h"

#include <algorithm>
#include <cctype>

#include "base/limits.h"
#include "base/nearest.h"
#include "base/value_format.h"

namespace fornix::engine {
namespace {

using Command = ast::SchemaCommand;
using storage::ConstraintDefinition;
using storage::EntityKind;
using vector::Quantization;

Status NotAvailableYet(const std::string& what, const Command& command) {
  return Status(Code::kNotAvailable, what + " is not available yet").At(command.span.start);
}

Result<std::string> NameOf(const Command& command, const SchemaInputs& inputs) {
  if (command.name_parameter.empty()) return command.name.text;
  if (inputs.name.type() != Type::kString || inputs.name.AsString().empty()) {
    return Status(Code::kParameterInvalid, "the parameter $" + command.name_parameter + " names an index or a constraint, so it must be a string, but was " +
                                               ToShortText(inputs.name))
        .At(command.span.start);
  }
  return inputs.name.AsString();
}

Result<std::vector<uint32_t>> InternNames(ExecutionContext& context, const std::vector<ast::Name>& names, bool relationship) {
  std::vector<uint32_t> tokens;
  for (const ast::Name& name : names) {
    if (relationship) {
      ASSIGN_OR_RETURN(const TypeId id, context.transaction().InternType(name.text));
      tokens.push_back(id.value);
    } else {
      ASSIGN_OR_RETURN(const LabelId id, context.transaction().InternLabel(name.text));
      tokens.push_back(id.value);
    }
  }
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

Result<std::vector<PropertyId>> InternProperties(ExecutionContext& context, const std::vector<ast::Name>& names) {
  std::vector<PropertyId> ids;
  for (const ast::Name& name : names) {
    ASSIGN_OR_RETURN(const PropertyId id, context.transaction().InternProperty(name.text));
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
      return Status(Code::kSyntaxError, "the property `" + name.text + "` stands twice").At(name.span.start);
    }
    ids.push_back(id);
  }
  return ids;
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Status BadOption(std::string_view key, const std::string& allowed, const Value& given) {
  return {Code::kArgumentError, "the option `" + std::string(key) + "` takes " + allowed + ", but was " + ToShortText(given)};
}

Result<uint32_t> IntegerOption(std::string_view key, const Value& value, int64_t least, int64_t most) {
  if (value.type() != Type::kInteger || value.AsInteger() < least || value.AsInteger() > most) {
    return BadOption(key, "an integer from " + std::to_string(least) + " to " + std::to_string(most), value);
  }
  return static_cast<uint32_t>(value.AsInteger());
}

// Names of ours, of Neo4j, and of what others call the same.
std::optional<Quantization> FindQuantization(std::string_view name) {
  if (name == "none" || name == "f32") return Quantization::kNone;
  if (name == "f16") return Quantization::kHalf;
  if (name == "scalar" || name == "int8" || name == "8-bit") return Quantization::kByte;
  if (name == "binary" || name == "rabitq" || name == "rabitq8") return Quantization::kRabitq8;
  if (name == "rabitq4") return Quantization::kRabitq4;
  return std::nullopt;
}

Status ReadIndexConfig(const Map& config, storage::VectorIndexOptions* out) {
  std::optional<bool> enabled;
  std::optional<Quantization> type;
  for (const auto& [key, value] : config) {
    const std::string name = Lower(key);
    if (name == "vector.dimensions") {
      ASSIGN_OR_RETURN(out->dimensions, IntegerOption(key, value, 1, kVectorDimensionsMax));
    } else if (name == "vector.similarity_function") {
      const std::string metric = value.type() == Type::kString ? Lower(value.AsString()) : "";
      if (metric == "cosine") {
        out->metric = storage::Metric::kCosine;
      } else if (metric == "euclidean") {
        out->metric = storage::Metric::kEuclidean;
      } else if (metric == "dot") {
        out->metric = storage::Metric::kDot;
      } else {
        return BadOption(key, "'cosine', 'euclidean' or 'dot'", value);
      }
    } else if (name == "vector.hnsw.m") {
      ASSIGN_OR_RETURN(out->m, IntegerOption(key, value, 1, 512));
    } else if (name == "vector.hnsw.ef_construction") {
      ASSIGN_OR_RETURN(out->ef_construction, IntegerOption(key, value, 1, 3200));
    } else if (name == "vector.quantization.enabled") {
      if (value.type() != Type::kBoolean) return BadOption(key, "true or false", value);
      enabled = value.AsBoolean();
    } else if (name == "vector.quantization.type") {
      type = FindQuantization(value.type() == Type::kString ? Lower(value.AsString()) : "");
      if (!type) return BadOption(key, "'none', 'f16', 'scalar', 'binary' or 'rabitq4'", value);
    } else if (name == "vector.default_search_expansion_factor") {
      if (!value.is_number() || !(value.AsNumber() >= 1.0 && value.AsNumber() <= 10000.0)) return BadOption(key, "a number from 1.0 to 10000", value);
      out->expansion_factor = value.AsNumber();
    } else if (name == "vector.model") {
      if (value.type() != Type::kString || value.AsString().empty()) return BadOption(key, "a text that isn't empty", value);
      out->model = value.AsString();
    } else {
      return {Code::kArgumentError,
              "`" + key + "` is no option of a vector index" +
                  DidYouMeanOrAll(key, {"vector.dimensions", "vector.similarity_function", "vector.hnsw.m", "vector.hnsw.ef_construction",
                                        "vector.quantization.enabled", "vector.quantization.type", "vector.default_search_expansion_factor",
                                        "vector.model"})};
    }
  }
  if (enabled == false && type && *type != Quantization::kNone) {
    return {Code::kArgumentError, "`vector.quantization.enabled` is false, but `vector.quantization.type` names one"};
  }
  if (type) out->quantization = *type;
  if (enabled == false) out->quantization = Quantization::kNone;
  if (enabled == true && !type && out->quantization == Quantization::kNone) out->quantization = Quantization::kByte;
  return Status::Ok();
}

// Options of anything but a vector index: a provider name and an empty configuration may stand there.
Status CheckNoOptions(const Value& options, const char* what) {
  if (options.is_null()) return Status::Ok();
  for (const auto& [key, value] : options.AsMap()) {
    const bool harmless = key == "indexProvider" || (key == "indexConfig" && value.type() == Type::kMap && value.AsMap().empty());
    if (!harmless) return {Code::kArgumentError, "`" + key + "` is no option of " + what};
  }
  return Status::Ok();
}

Status CreateIndex(ExecutionContext& context, const Command& command, const SchemaInputs& inputs) {
  storage::IndexDefinition index;
  switch (command.index_kind) {
    case Command::IndexKind::kRange: index.kind = storage::IndexKind::kRange; break;
    case Command::IndexKind::kVector: index.kind = storage::IndexKind::kVector; break;
    case Command::IndexKind::kText: return NotAvailableYet("CREATE TEXT INDEX", command);
    case Command::IndexKind::kPoint: return NotAvailableYet("CREATE POINT INDEX", command);
    case Command::IndexKind::kFulltext: return NotAvailableYet("CREATE FULLTEXT INDEX", command);
    case Command::IndexKind::kLookup: return NotAvailableYet("CREATE LOOKUP INDEX", command);
  }
  ASSIGN_OR_RETURN(index.name, NameOf(command, inputs));
  if (!inputs.options.is_null() && inputs.options.type() != Type::kMap) {
    return Status(Code::kTypeError, "OPTIONS must be a map, but was " + ToShortText(inputs.options)).Detail("InvalidArgumentType").At(command.span.start);
  }
  index.entity = command.on_relationship ? EntityKind::kRelationship : EntityKind::kNode;
  if (index.kind == storage::IndexKind::kRange && command.labels_or_types.size() != 1) {
    return Status(Code::kSyntaxError, "a range index is on exactly one label or type").At(command.span.start);
  }
  ASSIGN_OR_RETURN(index.tokens, InternNames(context, command.labels_or_types, command.on_relationship));
  ASSIGN_OR_RETURN(index.properties, InternProperties(context, command.properties));
  ASSIGN_OR_RETURN(index.filter_properties, InternProperties(context, command.filter_properties));
  if (index.kind == storage::IndexKind::kVector) {
    if (index.properties.size() != 1) return Status(Code::kSyntaxError, "a vector index is on exactly one property").At(command.span.start);
    index.vector.quantization = Quantization::kByte;   // the default: half a percent of recall at most is made good by the vectors themselves
    RETURN_IF_ERROR(ReadVectorOptions(inputs.options, &index.vector));
    if (!inputs.options.is_null()) index.options = inputs.options.AsMap();
  } else {
    RETURN_IF_ERROR(CheckNoOptions(inputs.options, "a range index"));
  }
  return context.transaction().CreateIndex(std::move(index), command.if_not_exists).status();
}

// What doesn't follow from the vectors can be changed: codes, links, the default of searches.
Status AlterIndex(ExecutionContext& context, const Command& command, const SchemaInputs& inputs) {
  ASSIGN_OR_RETURN(const std::string name, NameOf(command, inputs));
  if (inputs.options.type() != Type::kMap) {
    return Status(Code::kTypeError, "OPTIONS must be a map, but was " + ToShortText(inputs.options)).Detail("InvalidArgumentType").At(command.span.start);
  }
  const storage::IndexDefinition* index = context.view().schema().FindIndex(name);
  if (index == nullptr && command.if_exists) return Status::Ok();
  const auto change = [options = inputs.options](storage::VectorIndexOptions* out) -> Status {
    const storage::VectorIndexOptions before = *out;
    RETURN_IF_ERROR(ReadVectorOptions(options, out));
    if (out->metric != before.metric || out->dimensions != before.dimensions || out->model != before.model) {
      return {Code::kArgumentError, "`vector.dimensions`, `vector.similarity_function` and `vector.model` belong to the vectors of an index; for "
                                    "others create another index"};
    }
    return Status::Ok();
  };
  return context.transaction().AlterVectorIndex(name, change).status();
}

Result<ConstraintDefinition> ConstraintOf(ExecutionContext& context, const Command& command, std::string name) {
  ConstraintDefinition constraint;
  constraint.name = std::move(name);
  constraint.entity = command.on_relationship ? EntityKind::kRelationship : EntityKind::kNode;
  switch (command.constraint_kind) {
    case Command::ConstraintKind::kUnique: constraint.kind = storage::ConstraintKind::kUnique; break;
    case Command::ConstraintKind::kKey: constraint.kind = storage::ConstraintKind::kKey; break;
    case Command::ConstraintKind::kExistence: constraint.kind = storage::ConstraintKind::kExistence; break;
    case Command::ConstraintKind::kPropertyType:
      constraint.kind = storage::ConstraintKind::kPropertyType;
      constraint.type.text = command.type_name;
      break;
  }
  if (command.labels_or_types.size() != 1) {
    return Status(Code::kSyntaxError, "a constraint is on exactly one label or type").At(command.span.start);
  }
  ASSIGN_OR_RETURN(const std::vector<uint32_t> tokens, InternNames(context, command.labels_or_types, command.on_relationship));
  constraint.token = tokens[0];
  ASSIGN_OR_RETURN(constraint.properties, InternProperties(context, command.properties));
  const bool single = constraint.kind == storage::ConstraintKind::kExistence || constraint.kind == storage::ConstraintKind::kPropertyType;
  if (constraint.properties.empty() || (single && constraint.properties.size() != 1)) {
    return Status(Code::kSyntaxError, single ? "this constraint is on exactly one property" : "a constraint needs a property").At(command.span.start);
  }
  return constraint;
}

Status CreateConstraint(ExecutionContext& context, const Command& command, const SchemaInputs& inputs) {
  if (!inputs.options.is_null() && inputs.options.type() == Type::kMap) RETURN_IF_ERROR(CheckNoOptions(inputs.options, "a constraint"));
  ASSIGN_OR_RETURN(std::string name, NameOf(command, inputs));
  ASSIGN_OR_RETURN(ConstraintDefinition constraint, ConstraintOf(context, command, std::move(name)));
  return context.transaction().CreateConstraint(std::move(constraint), command.if_not_exists).status();
}

// ---------------------------------------------------------------------------------------------------------- graph type

std::string Written(const Command::ElementType& element) {
  std::string inner = (element.label_or_type.empty() ? "" : ":" + QuoteName(element.label_or_type.text));
  for (size_t i = 0; i < element.implied_labels.size(); i++) inner += (i == 0 ? " => :" : " & :") + QuoteName(element.implied_labels[i].text);
  if (!element.properties.empty()) {
    inner += element.implied_labels.empty() ? " => {" : " {";
    for (size_t i = 0; i < element.properties.size(); i++) {
      const auto& p = element.properties[i];
      inner += (i > 0 ? ", " : "") + QuoteName(p.name.text) + (p.type_name.empty() ? "" : " :: " + p.type_name) + (p.not_null ? " NOT NULL" : "") +
               (p.unique ? " IS UNIQUE" : "") + (p.key ? " IS KEY" : "");
    }
    inner += "}";
  }
  if (!element.is_relationship) return "(" + inner + ")";
  auto end = [](const ast::Name& label) { return "(" + (label.empty() ? std::string() : ":" + QuoteName(label.text)) + ")"; };
  return end(element.start_label) + "-[" + inner + "]->" + end(element.end_label);
}

Status AddElement(ExecutionContext& context, const Command::ElementType& element, storage::GraphType* type, std::vector<ConstraintDefinition>* constraints) {
  if (element.label_or_type.empty()) {
    return Status(Code::kSyntaxError, "an element type needs a label or a relationship type").At(element.span.start);
  }
  if (element.is_relationship) {
    type->types.push_back(element.label_or_type.text);
    type->endpoints.push_back({element.label_or_type.text, element.start_label.text, element.end_label.text});
    for (const ast::Name* end : {&element.start_label, &element.end_label}) {
      if (!end->empty()) type->labels.push_back(end->text);
    }
  } else {
    type->labels.push_back(element.label_or_type.text);
    for (const ast::Name& implied : element.implied_labels) type->labels.push_back(implied.text);
  }
  ASSIGN_OR_RETURN(const std::vector<uint32_t> token, InternNames(context, {element.label_or_type}, element.is_relationship));
  for (const auto& property : element.properties) {
    ConstraintDefinition base;
    base.entity = element.is_relationship ? EntityKind::kRelationship : EntityKind::kNode;
    base.token = token[0];
    ASSIGN_OR_RETURN(const PropertyId key, context.transaction().InternProperty(property.name.text));
    base.properties = {key};
    auto add = [&](storage::ConstraintKind kind) {
      base.kind = kind;
      constraints->push_back(base);
    };
    if (property.not_null && !property.key) add(storage::ConstraintKind::kExistence);
    if (property.unique) add(storage::ConstraintKind::kUnique);
    if (property.key) add(storage::ConstraintKind::kKey);
    if (!property.type_name.empty()) {
      base.type.text = property.type_name;
      add(storage::ConstraintKind::kPropertyType);
    }
  }
  return Status::Ok();
}

void SortUnique(std::vector<std::string>* names) {
  std::sort(names->begin(), names->end());
  names->erase(std::unique(names->begin(), names->end()), names->end());
}

Status AlterGraphType(ExecutionContext& context, const Command& command) {
  switch (command.action) {
    case Command::GraphTypeAction::kSet: break;
    case Command::GraphTypeAction::kAdd: return NotAvailableYet("ALTER CURRENT GRAPH TYPE ADD", command);
    case Command::GraphTypeAction::kAlter: return NotAvailableYet("ALTER CURRENT GRAPH TYPE ALTER", command);
    case Command::GraphTypeAction::kDrop: return NotAvailableYet("ALTER CURRENT GRAPH TYPE DROP", command);
  }
  storage::GraphType type;
  type.declared = true;
  type.closed = command.closed;
  std::vector<ConstraintDefinition> constraints;
  for (const auto& element : command.elements) {
    RETURN_IF_ERROR(AddElement(context, element, &type, &constraints));
    type.text += (type.text.empty() ? "" : ",\n ") + Written(element);
  }
  for (const auto& constraint : command.constraints) {
    ASSIGN_OR_RETURN(ConstraintDefinition definition, ConstraintOf(context, *constraint, constraint->name.text));
    constraints.push_back(std::move(definition));
    for (const ast::Name& name : constraint->labels_or_types) (constraint->on_relationship ? type.types : type.labels).push_back(name.text);
  }
  type.text = "{" + type.text + "}" + (type.closed ? " CLOSED" : "");
  SortUnique(&type.labels);
  SortUnique(&type.types);
  return context.transaction().SetGraphType(std::move(type), std::move(constraints));
}

}  // namespace

Status ReadVectorOptions(const Value& options, storage::VectorIndexOptions* out) {
  if (options.is_null()) return Status::Ok();
  for (const auto& [key, value] : options.AsMap()) {
    if (key == "indexProvider") {
      if (value.type() != Type::kString || value.AsString().rfind("vector-", 0) != 0) return BadOption(key, "'vector-1.0' or 'vector-2.0'", value);
    } else if (key == "indexConfig") {
      if (value.type() != Type::kMap) return BadOption(key, "a map", value);
      RETURN_IF_ERROR(ReadIndexConfig(value.AsMap(), out));
    } else {
      return {Code::kArgumentError, "`" + key + "` is no option of an index" + DidYouMeanOrAll(key, {"indexConfig", "indexProvider"})};
    }
  }
  return Status::Ok();
}

namespace {
Status Run(ExecutionContext& context, const ast::SchemaCommand& command, const SchemaInputs& inputs) {
  switch (command.kind) {
    case Command::Kind::kCreateIndex: return CreateIndex(context, command, inputs);
    case Command::Kind::kCreateConstraint: return CreateConstraint(context, command, inputs);
    case Command::Kind::kDropIndex: {
      ASSIGN_OR_RETURN(const std::string name, NameOf(command, inputs));
      return context.transaction().DropIndex(name, command.if_exists).status();
    }
    case Command::Kind::kDropConstraint: {
      ASSIGN_OR_RETURN(const std::string name, NameOf(command, inputs));
      return context.transaction().DropConstraint(name, command.if_exists).status();
    }
    case Command::Kind::kAlterIndex: return AlterIndex(context, command, inputs);
    case Command::Kind::kAlterGraphType: return AlterGraphType(context, command);
    case Command::Kind::kShow: break;
  }
  return {Code::kInternal, "SHOW is planned as a query"};
}
}  // namespace

Status RunSchemaCommand(ExecutionContext& context, const ast::SchemaCommand& command, const SchemaInputs& inputs) {
  Status status = Run(context, command, inputs);
  if (status.ok()) return status;
  // The data already there break the rule: nothing is refused but the rule.
  if (status.code() == Code::kConstraintViolation) status = Status(status).Detail("ConstraintCreationFailed");
  return std::move(status).At(command.name.empty() ? command.span.start : command.name.span.start);
}

}  // namespace fornix::engine

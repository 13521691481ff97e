// What the writing operators share: reading property maps and labels out of expressions, creating the elements of a pattern,
// and running SET items.
#pragma once

#include <string>
#include <vector>

#include "engine/exec/builder.h"

namespace fornix::engine {

// Properties to be written from a map, null values dropped (or refused for MERGE), every value checked to be storable.
Status PropertiesFromMap(ExecutionContext& context, const Map& map, storage::PropertyList* out);
// The map itself, or the properties of a node or relationship.
Result<Map> MapOf(ExecutionContext& context, const Value& value);
// Appends the names that dynamic labels evaluate to: a string or a list of strings each.
Status DynamicNames(const std::vector<EvaluatorPtr>& exprs, const Batch& rows, uint32_t row, std::vector<std::string>* names);
// EntityNotFound if this transaction deleted the element.
Status CheckWritable(ExecutionContext& context, const Value& element);

// Creates the elements of a CREATE or MERGE pattern.
class CreateRunner {
 public:
  CreateRunner(Builder& builder, const std::vector<planner::CreateElement>& elements, bool merge);
  // Evaluates what doesn't depend on the elements to be created, for all rows at once: before anything is written.
  struct Prepared {
    std::vector<std::vector<Column>> values;        // [element][property]
  };
  Status Prepare(const Batch& rows, Prepared* prepared);
  // Creates all elements for one row and appends their ids to the columns of their slots, which end at this row.
  Status CreateRow(Batch* rows, uint32_t row, const Prepared& prepared);

 private:
  struct Property {
    std::string key;
    EvaluatorPtr value;
    bool early = false;                             // independent of the created elements
  };
  struct Element {
    const planner::CreateElement* plan = nullptr;
    std::vector<Property> properties;               // a map written out
    EvaluatorPtr map;                               // any other expression
    std::vector<EvaluatorPtr> dynamic_labels;
    std::vector<LabelId> labels;                    // interned at the first use
    TypeId type;
    bool interned = false;
    bool either_direction = false;
  };
  Status ReadProperties(Element& element, size_t index, const Batch& rows, uint32_t row, const Prepared& prepared, storage::PropertyList* out);
  Status CreateNode(Element& element, Batch* rows, uint32_t row, storage::PropertyList properties);
  Status CreateRelationship(Element& element, Batch* rows, uint32_t row, storage::PropertyList properties);

 public:
  // MERGE: a relationship that was looked for without a direction.
  void MarkEitherDirection(Slot relationship);

 private:
  ExecutionContext& context_;
  const bool merge_;
  std::vector<Element> elements_;
};

// Runs SET and REMOVE items for one row, left to right: each sees what the ones before it wrote.
class SetRunner {
 public:
  SetRunner(Builder& builder, const std::vector<planner::SetAction>& actions);
  Status RunRow(const Batch& rows, uint32_t row);
  bool empty() const { return actions_.empty(); }

 private:
  struct Action {
    const planner::SetAction* plan = nullptr;
    EvaluatorPtr target, key, value;
    std::vector<EvaluatorPtr> dynamic_labels;
  };
  Status RunOne(Action& action, const Batch& rows, uint32_t row);
  Status SetOne(const Value& target, std::string_view key, const Value& value);
  Status SetAll(const Value& target, const Value& value, bool replace);
  Status Labels(const Value& target, Action& action, const Batch& rows, uint32_t row);

  ExecutionContext& context_;
  std::vector<Action> actions_;
};

}  // namespace fornix::engine

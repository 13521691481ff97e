// The rules of a schema against one element's post-image. Uniqueness is not here: it is a property of an index
// (index/index_plan.h). Pure: reads what it is given.
//
// CheckElement     existence, key (its existence half) and property type constraints of the element's labels or type
// CheckLabels      a closed graph type's labels
// CheckType        a closed graph type's relationship types
// CheckEnds        the end labels that a declared relationship type allows
#pragma once

#include "storage/index/element_image.h"
#include "storage/schema_state.h"

namespace fornix::storage {

Status CheckElement(const SchemaState& schema, const Tokens& tokens, EntityKind entity, uint64_t id, const ElementImage& image);
Status CheckLabels(const GraphType& type, const Tokens& tokens, NodeId id, std::span<const LabelId> labels);
Status CheckType(const GraphType& graph_type, const Tokens& tokens, RelId id, TypeId type);
Status CheckEnds(const GraphType& graph_type, const Tokens& tokens, RelId id, const RelationshipEnds& ends,
                 std::span<const LabelId> start_labels, std::span<const LabelId> end_labels);
inline bool HasEndRules(const GraphType& type) { return type.declared && !type.endpoints.empty(); }

}  // namespace fornix::storage

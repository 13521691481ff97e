// ElementReader: what functions may ask about a node or a relationship they were handed by id: labels(n), type(r),
// properties(n), startNode(r). The engine answers from the snapshot and the transaction's own writes, the reference model
// from its maps. An element deleted by this transaction gives EntityNotFound (detail DeletedEntityAccess).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix {

class ElementReader {
 public:
  virtual ~ElementReader() = default;
  virtual Result<std::vector<std::string>> NodeLabels(uint64_t node) = 0;          // sorted by name
  virtual Result<std::string> RelationshipType(uint64_t relationship) = 0;         // also of a deleted one
  virtual Result<std::pair<uint64_t, uint64_t>> RelationshipEnds(uint64_t relationship) = 0;
  virtual Result<Map> NodeProperties(uint64_t node) = 0;
  virtual Result<Map> RelationshipProperties(uint64_t relationship) = 0;
  virtual Result<Value> NodeProperty(uint64_t node, std::string_view key) = 0;     // null if it has none
  virtual Result<Value> RelationshipProperty(uint64_t relationship, std::string_view key) = 0;
};

}  // namespace fornix

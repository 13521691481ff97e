// Scans that ask for the rows nearest to a vector,
//   MATCH (n:L) WHERE ... WITH n, vector.similarity.cosine(n.e, $v) AS score ORDER BY score DESC LIMIT k,
// are answered from a vector index where the answer is the same: the index is on that property, compares by that function, has all
// that the pattern can match, and the rows without a score, which DESC puts first, are filtered away. The scan's source becomes a
// VectorSeed over itself (scan_else); filters, scores, sort and limit stay above it, so scores and order are those of the functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "planner/physical/plan.h"
#include "planner/planner.h"

namespace fornix::planner {

inline constexpr uint64_t kScannedElements = 4096;    // compared one by one in a few milliseconds, exactly
inline constexpr uint64_t kScanToldOf = 10'000;       // a scan of more without an index is told of

// `exact`: indexes are left alone, because the statement says so.
void UseVectorIndexes(PhysicalOperator* root, const PlannerInput& input, bool exact, std::vector<std::string>* slot_names,
                      std::vector<Notification>* notifications);

}  // namespace fornix::planner

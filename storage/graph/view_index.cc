#include "storage/graph/view.h"
#include "storage/txn/transaction_impl.h"

namespace fornix::storage {

Status View::SeekIndex(IndexId, const KeyRange&, bool, std::vector<uint64_t>*) const {
  return Status(Code::kNotAvailable, "range indexes are not available yet");
}
Status View::SearchVector(IndexId, std::span<const float>, size_t, size_t, const std::function<bool(uint64_t id)>&,
                          const CancelCheck&, std::vector<VectorHit>*, VectorSearchStats*) const {
  return Status(Code::kNotAvailable, "vector indexes are not available yet");
}

}  // namespace fornix::storage

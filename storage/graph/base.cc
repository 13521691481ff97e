#include "storage/graph/base.h"

#include "storage/graph/stored_properties.h"

namespace fornix::storage {
namespace {

template <typename Id>
void GatherOneByOne(const Base& base, std::span<const Id> ids, PropertyId key, Base::TakeFloats take) {
  std::vector<float> numbers;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (FloatsOf(base.Property(ids[i], key), &numbers)) take(i, numbers);
  }
}

}  // namespace

void Base::GatherFloats(std::span<const NodeId> ids, PropertyId key, TakeFloats take) const { GatherOneByOne(*this, ids, key, take); }
void Base::GatherFloats(std::span<const RelId> ids, PropertyId key, TakeFloats take) const { GatherOneByOne(*this, ids, key, take); }

}  // namespace fornix::storage

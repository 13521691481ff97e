#include "storage/base/list_access.h"

namespace fornix::storage {
namespace {

void AppendRange(const IdArray& neighbours, const IdArray& relationships, uint64_t begin, uint64_t end, std::vector<Neighbour>* out) {
  const size_t before = out->size();
  out->resize(before + (end - begin));
  Neighbour* to = out->data() + before;
  for (uint64_t i = begin; i < end; ++i) *to++ = {NodeId(neighbours[i]), RelId(relationships[i])};
}

}  // namespace

void ListAt::Append(uint64_t at, size_t max, std::vector<Neighbour>* out) const {
  if (hub_ != nullptr) return AppendHub(at, max, out);
  const uint64_t size = end_ - begin_;
  if (at >= size) return;
  AppendRange(piece_->neighbours(), piece_->relationships(), begin_ + at, begin_ + at + std::min<uint64_t>(max, size - at), out);
}

void ListAt::AppendHub(uint64_t at, size_t max, std::vector<Neighbour>* out) const {
  if (at >= hub_->degree) return;
  const HubRoot& root = ReadHubRoot(*context_, *chunk_, part_, *hub_);
  auto fence =
      std::upper_bound(root.fences.begin(), root.fences.end(), at, [](uint64_t place, const HubFence& f) { return place < f.before; });
  for (--fence; fence != root.fences.end() && max > 0; ++fence) {
    const HubLeaf& leaf = ReadHubLeaf(*context_, *chunk_, part_, *fence);
    const uint64_t begin = at - fence->before, take = std::min<uint64_t>(max, leaf.count - begin);
    AppendRange(leaf.neighbours, leaf.relationships, begin, begin + take, out);
    at += take;
    max -= take;
  }
}

template <typename F>
void ListAt::Runs(uint64_t neighbour, F take) const {
  if (piece_ == nullptr) return;
  auto run = [&](const IdArray& neighbours, const IdArray& relationships, uint32_t begin, uint32_t end) {
    const uint32_t from = neighbours.LowerBound(begin, end, neighbour), to = neighbours.EndOfRun(from, end, neighbour);
    if (from < to) take(relationships, from, to);
  };
  if (hub_ == nullptr) return run(piece_->neighbours(), piece_->relationships(), begin_, end_);
  const HubRoot& root = ReadHubRoot(*context_, *chunk_, part_, *hub_);
  // From the last leaf that begins with less than the neighbour to the last that begins with it.
  const auto first = std::lower_bound(root.neighbours.begin(), root.neighbours.end(), neighbour);
  auto fence = root.fences.begin() + (first - root.neighbours.begin());
  if (fence != root.fences.begin()) --fence;
  for (; fence != root.fences.end() && fence->first.neighbour <= neighbour; ++fence) {
    const HubLeaf& leaf = ReadHubLeaf(*context_, *chunk_, part_, *fence);
    run(leaf.neighbours, leaf.relationships, 0, leaf.count);
  }
}

void ListAt::Between(uint64_t neighbour, std::vector<RelId>* out) const {
  Runs(neighbour, [out](const IdArray& relationships, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) out->emplace_back(relationships[i]);
  });
}

uint64_t ListAt::CountBetween(uint64_t neighbour) const {
  uint64_t n = 0;
  Runs(neighbour, [&n](const IdArray&, uint32_t begin, uint32_t end) { n += end - begin; });
  return n;
}

}  // namespace fornix::storage

#include "storage/stats/type_sampler.h"

#include <algorithm>

namespace fornix::storage {
namespace {

// Costs of plans are compared by orders of magnitude; below some hundred elements any plan will do.
constexpr uint64_t kEpochFactor = 4;
constexpr uint64_t kEpochSlack = 512;
constexpr uint64_t kCommitsUnseen = 1024;        // labels may move without the number of elements

bool StillFits(uint64_t then, uint64_t now) {
  return now <= then * kEpochFactor + kEpochSlack && then <= now * kEpochFactor + kEpochSlack;
}

class Taker {
 public:
  Taker(const GraphView& view, TypeId type) : view_(view), type_(type) {}

  TypeSample Take(uint64_t type_count) {
    TypeSample sample;
    sample.type_count = type_count;
    if (type_count <= kWholeMax) {
      From(0, kWholeMax);
    } else {
      const uint64_t first = FirstFrom(0), last = LastAfter(first);
      for (int i = 0; i < kProbes; ++i) {
        const double share = (i + 0.5) / kProbes;
        From(first + static_cast<uint64_t>(static_cast<double>(last - first) * share), kTaken);
      }
    }
    for (auto& [ends, seen] : seen_) {
      sample.kinds.push_back({ends.first, ends.second, seen});
      sample.seen += seen;
    }
    return sample;
  }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};

  uint64_t FirstFrom(uint64_t id) const {
    ScanPosition position;
    position.next = id;
    RelId found;
    return view_.ScanRelationships(type_, &position, &found, 1) == 1 ? found.value : kNone;
  }
  // About the last one: a step of a hundredth of the range doesn't matter.
  uint64_t LastAfter(uint64_t first) const {
    uint64_t there = first, step = 1;
    while (FirstFrom(there + step) != kNone) {
      there += step;
      step *= 2;
    }
    for (; step > 1 && step > (there - first) / 128; step /= 2) {
      if (FirstFrom(there + step / 2) != kNone) there += step / 2;
    }
    return there;
  }
  void From(uint64_t id, size_t count) {
    ScanPosition position;
    position.next = id;
    found_.resize(count);
    const size_t n = view_.ScanRelationships(type_, &position, found_.data(), count);
    std::pair<std::vector<LabelId>, std::vector<LabelId>> ends;
    for (size_t i = 0; i < n; ++i) {
      const RelationshipEnds at = view_.Ends(found_[i]);
      view_.Labels(at.start, &ends.first);
      view_.Labels(at.end, &ends.second);
      ++seen_[ends];
    }
  }

  const GraphView& view_;
  TypeId type_;
  std::vector<RelId> found_;
  std::map<std::pair<std::vector<LabelId>, std::vector<LabelId>>, uint64_t> seen_;
};

}  // namespace

TypeSample TakeSample(const GraphView& view, TypeId type, uint64_t type_count) { return Taker(view, type).Take(type_count); }

std::shared_ptr<const TypeSample> TypeSampler::Get(TypeId type, uint64_t count, uint64_t epoch, const std::function<TypeSample()>& take) {
  {
    std::lock_guard lock(mutex_);
    if (auto it = kept_.find(type.value); it != kept_.end()) {
      const uint64_t then = it->second.sample->type_count;
      const uint64_t moved = then > count ? then - count : count - then;
      if (it->second.epoch == epoch && moved <= then / 8) return it->second.sample;
    }
  }
  auto sample = std::make_shared<const TypeSample>(take());
  std::lock_guard lock(mutex_);
  kept_[type.value] = {epoch, sample};
  return sample;
}

uint64_t EpochOfCounts::Now(uint64_t elements, uint64_t commits, const std::function<std::vector<uint64_t>()>& counts) {
  std::lock_guard lock(mutex_);
  const uint64_t moved = elements > elements_ ? elements - elements_ : elements_ - elements;
  if (started_ && moved <= elements_ / 8 + 64 && commits - commits_ < kCommitsUnseen) return epoch_;
  std::vector<uint64_t> now = counts();
  bool fits = started_;
  for (size_t i = 0; i < now.size() && fits; ++i) fits = StillFits(i < counts_.size() ? counts_[i] : 0, now[i]);
  elements_ = elements;
  commits_ = commits;
  if (!fits) {
    if (started_) ++epoch_;
    counts_ = std::move(now);
    started_ = true;
  }
  return epoch_;
}

}  // namespace fornix::storage

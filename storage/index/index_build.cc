#include "storage/index/index_build.h"

#include <algorithm>

#include "base/interrupt.h"
#include "storage/index/element_image.h"
#include "storage/index/own_keys.h"

namespace fornix::storage {
namespace {

uint64_t PrefixOf(std::string_view key) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < 8; ++i) prefix = prefix << 8 | (i < key.size() ? static_cast<uint8_t>(key[i]) : 0);
  return prefix;
}

}  // namespace

IndexBuild::IndexBuild(const Overlay& overlay, const IndexDefinition& definition, MemoryBudget* budget, uint64_t memory_bytes)
    : overlay_(overlay), definition_(definition), budget_(budget), memory_bytes_(memory_bytes) {
  CollectFirst();
}

IndexBuild::~IndexBuild() { budget_->Release(MemoryUse::kCheckpoint, charged_); }

void IndexBuild::Charge() {
  const uint64_t now = bytes_.capacity() + items_.capacity() * sizeof(Item);
  if (now > charged_) budget_->Add(MemoryUse::kCheckpoint, now - charged_);
  if (now < charged_) budget_->Release(MemoryUse::kCheckpoint, charged_ - now);
  charged_ = now;
}

// Visits (key, id) of every element that the index holds.
template <typename Visit>
void IndexBuild::ScanKeys(Visit&& visit) {
  auto take = [&](uint64_t id) {
    CountWork(64);
    const SeenImage seen = ImageOf(overlay_, definition_.entity, id);
    const std::optional<IndexKey> key = KeyOf(definition_, seen.image());
    if (key && key->bytes.size() > kIndexKeyBytesMax) {
      too_long_ = TooLong{id, key->bytes.size()};
    } else if (key) {
      visit(*key, id);
    }
    return true;
  };
  if (definition_.entity == EntityKind::kNode) {
    overlay_.VisitNodes(LabelId(definition_.tokens[0]), 0, [&](NodeId id) { return take(id.value); });
  } else {
    overlay_.VisitRelationships(TypeId(definition_.tokens[0]), 0, [&](RelId id) { return take(id.value); });
  }
}

void IndexBuild::CollectFirst() {
  constexpr size_t kSample = 64;               // one of so many keys: enough to cut evenly, small beside the rest
  std::vector<std::string> sample;
  uint64_t count = 0, total_bytes = 0;
  bool fits = true;
  ScanKeys([&](const IndexKey& key, uint64_t id) {
    total_bytes += key.bytes.size() + sizeof(Item);
    if (count++ % kSample == 0) sample.push_back(key.bytes);
    if (!fits) return;
    items_.push_back({PrefixOf(key.bytes), bytes_.size(), static_cast<uint32_t>(key.bytes.size()), key.nan, id});
    bytes_.insert(bytes_.end(), key.bytes.begin(), key.bytes.end());
    if (held() <= memory_bytes_) return;
    fits = false;
    std::vector<Item>().swap(items_);
    std::vector<char>().swap(bytes_);
  });
  Charge();
  if (fits) {
    Sort();
    bounds_ = {std::string()};
    part_ = 1;
    return;
  }
  CutIntoParts(std::move(sample), total_bytes);
}

void IndexBuild::CutIntoParts(std::vector<std::string> sample, uint64_t total_bytes) {
  std::sort(sample.begin(), sample.end());
  // Twice as many as would fit exactly: vectors double, and samples are uneven.
  const uint64_t parts = 2 * total_bytes / memory_bytes_ + 2;
  bounds_ = {std::string()};
  for (uint64_t part = 1; part < parts; ++part) {
    const std::string& bound = sample[part * sample.size() / parts];
    if (bound > bounds_.back()) bounds_.push_back(bound);
  }
}

void IndexBuild::Collect(const std::string& lower, const std::string& upper) {
  items_.clear();
  bytes_.clear();
  ScanKeys([&](const IndexKey& key, uint64_t id) {
    if (key.bytes < lower || (!upper.empty() && key.bytes >= upper)) return;
    items_.push_back({PrefixOf(key.bytes), bytes_.size(), static_cast<uint32_t>(key.bytes.size()), key.nan, id});
    bytes_.insert(bytes_.end(), key.bytes.begin(), key.bytes.end());
  });
  Charge();
  Sort();
}

void IndexBuild::Sort() {
  at_ = 0;
  std::sort(items_.begin(), items_.end(), [this](const Item& a, const Item& b) {
    CountWork(1);
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order = KeyOfItem(a).compare(KeyOfItem(b));
    return order != 0 ? order < 0 : a.id < b.id;
  });
}

Result<std::optional<TreeEntry>> IndexBuild::Next() {
  while (at_ == items_.size()) {
    if (part_ == bounds_.size()) return std::optional<TreeEntry>();
    Collect(bounds_[part_], part_ + 1 < bounds_.size() ? bounds_[part_ + 1] : std::string());
    ++part_;
  }
  CountWork(8);
  const Item& item = items_[at_++];
  const std::string_view key = KeyOfItem(item);
  if (!duplicate_ && !item.nan && has_previous_ && key == previous_key_) duplicate_ = Duplicate{previous_id_, item.id};
  previous_key_.assign(key);
  previous_id_ = item.id;
  has_previous_ = !item.nan;
  return std::optional<TreeEntry>(TreeEntry{key, item.id});
}

}  // namespace fornix::storage

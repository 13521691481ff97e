// Where pages end, and the shortest bound between two of them.
#include "storage/index/tree/page_maker.h"

#include <algorithm>

#include "base/check.h"

namespace fornix::storage {
namespace {

constexpr size_t kFull = kTreePageBytes - 64;           // head, and what an entry takes more when it begins a page
constexpr size_t kFilled = kFull * 9 / 10;

size_t VarintBytes(uint64_t value) {
  size_t n = 1;
  for (; value >= 0x80; value >>= 7) ++n;
  return n;
}

size_t Shared(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

size_t Pages(size_t bytes, size_t page) { return (bytes + page - 1) / page; }

}  // namespace

PageMaker::PageMaker(ExtentFile* file, IndexId index, uint32_t level, Sink sink)
    : file_(file), index_(index), sink_(std::move(sink)) {
  entries_.level = level;
}

void PageMaker::Start(std::string_view key, uint64_t id) {
  CHECK(empty());
  start_.key = key;
  start_.id = id;
  made_ = false;
}

// Stored, with the entry before it on the same page.
size_t PageMaker::Cost(size_t i) const {
  const std::string_view key = entries_.key(i), previous = i == 0 ? std::string_view() : entries_.key(i - 1);
  const size_t shared = Shared(previous, key);
  size_t bytes = VarintBytes(shared) + VarintBytes(key.size() - shared) + (key.size() - shared) +
                 VarintBytes(ZigZag(static_cast<int64_t>(entries_.ids[i] - (i == 0 ? 0 : entries_.ids[i - 1]))));
  if (entries_.level > 0) {
    const ExtentRef& ref = entries_.children[i];
    bytes += VarintBytes(ref.page) + VarintBytes(ref.pages) + VarintBytes(ref.seq);
  }
  return bytes;
}

void PageMaker::Add(std::string_view key, uint64_t id, const ExtentRef& child) {
  entries_.keys.append(key);
  entries_.offsets.push_back(static_cast<uint32_t>(entries_.keys.size()));
  entries_.ids.push_back(id);
  if (entries_.level > 0) entries_.children.push_back(child);
  bytes_ += Cost(entries_.size() - 1);
  key_bytes_ += key.size();
  if (bytes_ < 4 * kFull && key_bytes_ < 4 * kTreePageKeyBytes) return;
  while (bytes_ > 2 * kFull || key_bytes_ > 2 * kTreePageKeyBytes) Make(Fitting(kFilled));
  // What was made goes, so that a run of any length takes the memory of a few pages.
  TreeContent rest;
  rest.level = entries_.level;
  for (size_t i = first_; i < entries_.size(); ++i) {
    rest.keys.append(entries_.key(i));
    rest.offsets.push_back(static_cast<uint32_t>(rest.keys.size()));
    rest.ids.push_back(entries_.ids[i]);
    if (rest.level > 0) rest.children.push_back(entries_.children[i]);
  }
  entries_ = std::move(rest);
  first_ = bytes_ = 0;
  for (size_t i = 0; i < entries_.size(); ++i) bytes_ += Cost(i);
}

void PageMaker::AddAll(const TreeContent& content) {
  for (size_t i = 0; i < content.size(); ++i) Add(content.key(i), content.ids[i], content.level > 0 ? content.children[i] : ExtentRef{});
}

// How many of the entries from first_ on fit a page of `limit` bytes.
size_t PageMaker::Fitting(size_t limit) const {
  const size_t least = entries_.level == 0 ? 1 : 2;
  size_t count = 0, bytes = 0, key_bytes = 0;
  for (size_t i = first_; i < entries_.size(); ++i, ++count) {
    bytes += count == 0 ? entries_.key(i).size() : Cost(i);
    key_bytes += entries_.key(i).size();
    if (count >= least && (bytes > limit || key_bytes > kTreePageKeyBytes)) break;
  }
  return count;
}

void PageMaker::Make(size_t count) {
  const std::string_view first_key = entries_.key(first_);
  TreeChild child = start_;
  if (entries_.level > 0) {
    child.key = first_key;                              // it is such a bound already
    child.id = entries_.ids[first_];
  } else if (made_) {
    const size_t shared = Shared(last_key_, first_key);
    if (shared == first_key.size()) {                   // equal keys: the ids decide
      child.key = first_key;
      child.id = entries_.ids[first_];
    } else {
      child.key = first_key.substr(0, shared + 1);      // after the last key, and not after the first one
      child.id = 0;
    }
  }
  const Result<ExtentRef> ref = file_->Write(TreeKind(entries_.level), TreeOwner(index_, entries_.level),
                                             EncodeTreePage(entries_, first_, count), Compress::kNever);
  if (!ref.ok()) throw ReadFailure(ref.status());
  child.ref = *ref;
  last_key_ = entries_.key(first_ + count - 1);
  for (size_t i = first_; i < first_ + count; ++i) {
    bytes_ -= Cost(i);
    key_bytes_ -= entries_.key(i).size();
  }
  first_ += count;
  made_ = true;
  sink_(std::move(child));
}

void PageMaker::Flush() {
  while (!empty()) {
    const size_t pages = std::max(Pages(bytes_, kFilled), Pages(key_bytes_, kTreePageKeyBytes));
    const bool one = bytes_ <= kFull && key_bytes_ <= kTreePageKeyBytes;
    Make(one ? entries() : Fitting(bytes_ / std::max<size_t>(pages, 2)));
  }
  const uint32_t level = entries_.level;
  entries_ = {};
  entries_.level = level;
  first_ = bytes_ = key_bytes_ = 0;
}

void PageMaker::MoveTo(PageMaker* other) {
  CHECK(!made_ && first_ == 0);
  other->AddAll(entries_);
  const uint32_t level = entries_.level;
  entries_ = {};
  entries_.level = level;
  bytes_ = key_bytes_ = 0;
}

}  // namespace fornix::storage

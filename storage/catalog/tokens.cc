// Tokens: readers probe an open-addressing table of pointers without a lock. A full table is replaced by one of twice the
// size; old tables stay until the end, so a reader that holds one finds all names it could know of.
#include <atomic>
#include <functional>
#include <mutex>

#include "storage/catalog/catalog.h"
#include "storage/graph/directory.h"

namespace fornix::storage {
namespace {
struct Entry {
  std::string name;
  uint32_t id = 0;
};
struct ProbeTable {
  explicit ProbeTable(size_t n) : mask(n - 1), slots(new std::atomic<const Entry*>[n]()) {}
  const size_t mask;                           // size is a power of two, at most half full
  std::unique_ptr<std::atomic<const Entry*>[]> slots;
  const Entry* Find(std::string_view name) const {
    for (size_t at = std::hash<std::string_view>{}(name) & mask;; at = (at + 1) & mask) {
      const Entry* entry = slots[at].load(std::memory_order_acquire);
      if (entry == nullptr || entry->name == name) return entry;
    }
  }
  void Insert(const Entry* entry) {
    size_t at = std::hash<std::string_view>{}(entry->name) & mask;
    while (slots[at].load(std::memory_order_relaxed) != nullptr) at = (at + 1) & mask;
    slots[at].store(entry, std::memory_order_release);
  }
};
const std::string kNoName;
}  // namespace

template <typename TokenId>
struct TokenTable<TokenId>::Impl {
  std::mutex mutex;
  std::atomic<const ProbeTable*> current;
  std::vector<std::unique_ptr<ProbeTable>> tables;
  TokenArray<Entry> entries;
  std::atomic<uint32_t> count{0};              // ids given out, holes included
  size_t named = 0;

  Impl() { Grow(64); }
  void Grow(size_t n) {
    tables.push_back(std::make_unique<ProbeTable>(n));
    for (uint32_t id = 0; id < count.load(); ++id) {
      const Entry* entry = entries.Find(id);
      if (entry != nullptr && !entry->name.empty()) tables.back()->Insert(entry);
    }
    current.store(tables.back().get(), std::memory_order_release);
  }
  void Put(std::string_view name, uint32_t id) {
    Entry* entry = entries.Ensure(id);
    entry->name = name;
    entry->id = id;
    if (++named * 2 > tables.back()->mask) Grow((tables.back()->mask + 1) * 2);
    // Grow looks at ids below count only, so this one isn't in the table yet.
    const_cast<ProbeTable*>(current.load(std::memory_order_relaxed))->Insert(entry);
    if (id >= count.load()) count.store(id + 1, std::memory_order_release);
  }
};

template <typename TokenId>
TokenTable<TokenId>::TokenTable() : impl_(std::make_unique<Impl>()) {}
template <typename TokenId>
TokenTable<TokenId>::~TokenTable() = default;

template <typename TokenId>
std::optional<TokenId> TokenTable<TokenId>::Find(std::string_view name) const {
  const Entry* entry = impl_->current.load(std::memory_order_acquire)->Find(name);
  if (entry == nullptr) return std::nullopt;
  return TokenId(entry->id);
}

template <typename TokenId>
const std::string& TokenTable<TokenId>::Name(TokenId id) const {
  const Entry* entry = impl_->entries.Find(id.value);
  return entry == nullptr ? kNoName : entry->name;
}

template <typename TokenId>
size_t TokenTable<TokenId>::size() const {
  return impl_->count.load(std::memory_order_acquire);
}

template <typename TokenId>
Result<TokenId> TokenTable<TokenId>::Intern(std::string_view name) {
  if (auto found = Find(name)) return *found;
  if (name.empty()) return Status(Code::kSyntaxError, "a name of a label, type or property can't be empty");
  std::lock_guard lock(impl_->mutex);
  if (auto found = Find(name)) return *found;
  const uint32_t id = impl_->count.load(std::memory_order_relaxed);
  if (id >= kTokensMax) {
    return Status(Code::kLimitExceeded, "more than " + std::to_string(kTokensMax) +
                                            " names of labels, of types or of properties; refused: " + std::string(name));
  }
  impl_->Put(name, id);
  return TokenId(id);
}

template <typename TokenId>
bool TokenTable<TokenId>::Place(TokenId id, std::string_view name) {
  if (id.value >= kTokensMax || name.empty()) return false;
  std::lock_guard lock(impl_->mutex);
  const Entry* entry = impl_->entries.Find(id.value);
  const std::optional<TokenId> known = Find(name);
  if (entry != nullptr && !entry->name.empty()) return known && *known == id;
  if (known) return false;
  impl_->Put(name, id.value);
  return true;
}

template <typename TokenId>
std::vector<std::string> TokenTable<TokenId>::Names() const {
  std::vector<std::string> names;
  const size_t n = size();
  for (uint32_t id = 0; id < n; ++id) names.push_back(Name(TokenId(id)));
  return names;
}

template class TokenTable<LabelId>;
template class TokenTable<TypeId>;
template class TokenTable<PropertyId>;

}  // namespace fornix::storage

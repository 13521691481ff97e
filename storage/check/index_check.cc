#include "storage/check/index_check.h"

#include "base/limits.h"
#include "storage/index/element_image.h"
#include "storage/index/key.h"

namespace fornix::storage {
namespace {

constexpr size_t kBatch = 1024;

uint64_t HashOf(std::string_view key, uint64_t id) {
  uint64_t h = 0x9E3779B97F4A7C15ull ^ id;
  for (size_t i = 0; i < key.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, key.data() + i, std::min<size_t>(8, key.size() - i));
    h = (h ^ word) * 0xBF58476D1CE4E5B9ull;
    h ^= h >> 31;
  }
  return (h ^ key.size()) * 0x94D049BB133111EBull;
}

struct Sum {
  uint64_t entries = 0, hashes = 0;
  void Add(std::string_view key, uint64_t id) {
    ++entries;
    hashes += HashOf(key, id);
  }
  bool operator==(const Sum&) const = default;
};

class Checker {
 public:
  Checker(const BaseContext& context, const BaseRoots& roots, const Base& base, const CatalogContent& catalog, IndexCheck* check)
      : context_(context), roots_(roots), base_(base), catalog_(catalog), check_(*check) {}

  void Run() {
    std::vector<const IndexDefinition*> indexes;
    for (const IndexDefinition& index : catalog_.schema.indexes) {
      if (index.kind == IndexKind::kRange) indexes.push_back(&index);
    }
    uint64_t done = 0;
    for (const IndexDefinition* index : indexes) {
      try {
        One(*index);
      } catch (const ReadFailure& failure) {
        check_.problem("index " + index->name + ": " + failure.status().message());
      }
      if (check_.progress) check_.progress(++done, indexes.size());
    }
    for (const auto& [id, tree] : roots_.trees) {
      if (catalog_.schema.FindIndex(IndexId(id)) == nullptr) check_.problem("the base has a tree for index " + std::to_string(id) + ", which the schema doesn't know");
    }
  }

 private:
  // Calls take(id, key) for each element that belongs into the index.
  template <typename F>
  void Elements(const IndexDefinition& index, F take) {
    const bool nodes = index.entity == EntityKind::kNode;
    uint64_t ids[kBatch];
    PropertyList properties;
    for (uint64_t from = 0;;) {
      EpochGuard guard;
      const size_t n = nodes ? base_.Nodes(LabelId(index.tokens[0]), from, ids, kBatch) : base_.Relationships(TypeId(index.tokens[0]), from, ids, kBatch);
      if (n == 0) return;
      for (size_t i = 0; i < n; ++i) {
        if (nodes) base_.Properties(NodeId(ids[i]), &properties);
        else base_.Properties(RelId(ids[i]), &properties);
        if (const auto key = KeyOf(index, {index.tokens, &properties})) take(ids[i], *key);
      }
      from = ids[n - 1] + 1;
    }
  }

  // The key that the element of this id has; none if it isn't there or doesn't belong into the index.
  std::optional<IndexKey> KeyOfElement(const IndexDefinition& index, uint64_t id) {
    EpochGuard guard;
    PropertyList properties;
    if (index.entity == EntityKind::kNode) {
      const LabelSet* labels = base_.Labels(NodeId(id));
      if (labels == nullptr || !labels->Has(LabelId(index.tokens[0]))) return std::nullopt;
      base_.Properties(NodeId(id), &properties);
    } else {
      const auto ends = base_.Ends(RelId(id));
      if (!ends || ends->type != TypeId(index.tokens[0])) return std::nullopt;
      base_.Properties(RelId(id), &properties);
    }
    return KeyOf(index, {index.tokens, &properties});
  }

  void One(const IndexDefinition& index) {
    if (index.tokens.size() != 1) {
      check_.problem("index " + index.name + ": the schema gives it " + std::to_string(index.tokens.size()) + " labels or types, expected one");
      return;
    }
    const auto root = roots_.trees.find(index.id.value);
    const IndexTree tree(context_.file, context_.cache, index.id, root == roots_.trees.end() ? TreeRoot{} : root->second);
    Sum elements, entries;
    Elements(index, [&](uint64_t id, const IndexKey& key) {
      // Left out, which is why the index isn't online: recover.h.
      if (!index.online && key.bytes.size() > kIndexKeyBytesMax) return;
      elements.Add(key.bytes, id);
    });
    std::string last_key;
    uint64_t last_id = 0;
    tree.Visit("", 0, "", [&](const TreeEntry& entry) {
      if (index.owner.valid() && entries.entries > 0 && entry.key == last_key) TwoHolders(index, last_id, entry.id);
      entries.Add(entry.key, entry.id);
      last_key = entry.key;
      last_id = entry.id;
      return true;
    });
    check_.entries += entries.entries;
    if (entries.entries != tree.root().entries) {
      check_.problem("index " + index.name + ": its root says " + std::to_string(tree.root().entries) + " entries, counted " + std::to_string(entries.entries));
    }
    if (elements == entries) return;
    Differences(index, tree);
  }

  // NaN equals nothing, so two may have it.
  void TwoHolders(const IndexDefinition& index, uint64_t first, uint64_t second) {
    const auto key = KeyOfElement(index, second);
    if (!key || key->nan) return;
    const ConstraintDefinition* owner = nullptr;
    for (const ConstraintDefinition& constraint : catalog_.schema.constraints) {
      if (constraint.id == index.owner) owner = &constraint;
    }
    if (owner != nullptr && (owner->kind == ConstraintKind::kUnique || owner->kind == ConstraintKind::kKey)) {
      check_.problem("constraint " + owner->name + ": " + Element(index, first) + " and " + Element(index, second) + " have the same unique key");
    }
  }

  void Differences(const IndexDefinition& index, const IndexTree& tree) {
    Elements(index, [&](uint64_t id, const IndexKey& key) {
      bool found = false;
      tree.Visit(key.bytes, id, "", [&](const TreeEntry& entry) {
        found = entry.id == id && entry.key == key.bytes;
        return false;
      });
      if (!found) check_.problem("index " + index.name + " has no entry for " + Element(index, id));
    });
    tree.Visit("", 0, "", [&](const TreeEntry& entry) {
      const auto key = KeyOfElement(index, entry.id);
      if (!key || key->bytes != entry.key) {
        check_.problem("index " + index.name + " has an entry for " + Element(index, entry.id) + (key ? ", whose value is another" : ", which doesn't belong into it"));
      }
      return true;
    });
  }

  static std::string Element(const IndexDefinition& index, uint64_t id) {
    return (index.entity == EntityKind::kNode ? "node " : "relationship ") + std::to_string(id);
  }

  const BaseContext& context_;
  const BaseRoots& roots_;
  const Base& base_;
  const CatalogContent& catalog_;
  IndexCheck& check_;
};

}  // namespace

void CheckIndexes(const BaseContext& context, const BaseRoots& roots, const Base& base, const CatalogContent& catalog, IndexCheck* check) {
  Checker(context, roots, base, catalog, check).Run();
}

}  // namespace fornix::storage

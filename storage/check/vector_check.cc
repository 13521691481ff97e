#include "storage/check/vector_check.h"

#include <algorithm>

#include "base/read_failure.h"
#include "storage/cache/epoch.h"
#include "storage/index/own_vectors.h"
#include "storage/index/vector_image.h"
#include "storage/index/vector_index.h"

namespace fornix::storage {
namespace {

constexpr size_t kBatch = 1024;

class Checker {
 public:
  Checker(const ExtentFile& file, const Base& base, const IndexDefinition& definition, VectorCheck* check)
      : file_(file), base_(base), definition_(definition), check_(*check) {}

  void Run(const ExtentRef& first) {
    std::vector<ExtentRef> links;
    const auto directory = ReadVectorDirectory(file_, definition_.id, first, &links);
    if (!directory.ok()) return;               // told when its extents were looked for
    if (directory->timestamp > base_.timestamp()) {
      Problem("its image is of commit " + std::to_string(directory->timestamp) + ", the base of " + std::to_string(base_.timestamp()));
    }
    const auto loaded = LoadVectors(file_, definition_.id, *directory, {});
    if (!loaded.ok()) return Problem(loaded.status().message());
    if (loaded->graph != nullptr) {
      const vector::HnswOptions& options = directory->options;
      const uint32_t dimensions = definition_.vector.dimensions;
      if (options.metric != VectorMetric(definition_.vector.metric) || (dimensions != 0 && options.dimensions != dimensions)) {
        Problem("its image has " + std::to_string(options.dimensions) + " dimensions and metric " + std::to_string(static_cast<int>(options.metric)) +
                ", by the schema " + std::to_string(dimensions) + " and " + std::to_string(static_cast<int>(definition_.vector.metric)));
        return;
      }
      Graph(*loaded);
    }
    Elements(*directory, *loaded);
  }

 private:
  void Problem(const std::string& what) { check_.problem("vector index " + definition_.name + ": " + what); }

  void Graph(const LoadedVectors& loaded) {
    // As after an opening: what isn't live is only a way.
    for (uint32_t slot = 0; slot < loaded.live.size(); ++slot) {
      if (!loaded.live[slot]) loaded.graph->Retire(slot);
    }
    const vector::GraphReport report = loaded.graph->CheckGraph();
    check_.slots += report.slots;
    check_.linked += report.linked;
    if (report.bad_links != 0) Problem(std::to_string(report.bad_links) + " links that lead to their own slot, or to one slot twice");
    const uint32_t unreachable = report.linked - report.retired - report.reachable;
    check_.unreachable += unreachable;
    if (unreachable == 0) return;
    std::string slots;
    for (const uint32_t slot : report.unreachable) slots += " " + std::to_string(loaded.ids[slot]);
    Problem(std::to_string(unreachable) + " of " + std::to_string(report.linked - report.retired) +
            " linked vectors are reached from no other, so that only a scan finds them; of elements" + slots);
  }

  void Elements(const VectorDirectory& directory, const LoadedVectors& loaded) {
    std::vector<uint64_t> have, want;
    for (size_t slot = 0; slot < loaded.ids.size(); ++slot) {
      if (loaded.live[slot]) have.push_back(loaded.ids[slot]);
    }
    check_.live += have.size();
    std::sort(have.begin(), have.end());
    for (const uint32_t token : definition_.tokens) ElementsOf(token, directory.options.dimensions, &want);
    std::sort(want.begin(), want.end());
    want.erase(std::unique(want.begin(), want.end()), want.end());
    std::vector<uint64_t> missing, foreign;
    std::set_difference(want.begin(), want.end(), have.begin(), have.end(), std::back_inserter(missing));
    std::set_difference(have.begin(), have.end(), want.begin(), want.end(), std::back_inserter(foreign));
    if (directory.complete) {
      for (const uint64_t id : missing) Problem("has no vector of " + Element(id));
    }
    for (const uint64_t id : foreign) Problem("has a vector of " + Element(id) + ", which has none");
  }

  void ElementsOf(uint32_t token, uint32_t dimensions, std::vector<uint64_t>* out) {
    const bool nodes = definition_.entity == EntityKind::kNode;
    uint64_t ids[kBatch];
    std::vector<float> v;
    for (uint64_t from = 0;;) {
      EpochGuard guard;
      const size_t n = nodes ? base_.Nodes(LabelId(token), from, ids, kBatch) : base_.Relationships(TypeId(token), from, ids, kBatch);
      if (n == 0) return;
      for (size_t i = 0; i < n; ++i) {
        const PropertyId key = definition_.properties[0];
        const Value value = nodes ? base_.Property(NodeId(ids[i]), key) : base_.Property(RelId(ids[i]), key);
        // One that was there before the index, and is no vector of it, it doesn't have.
        if (FloatsOf(value, &v) && !v.empty() && v.size() == dimensions && judge_.Validate(v, dimensions).ok()) out->push_back(ids[i]);
      }
      from = ids[n - 1] + 1;
    }
  }

  std::string Element(uint64_t id) const { return (definition_.entity == EntityKind::kNode ? "node " : "relationship ") + std::to_string(id); }

  const ExtentFile& file_;
  const Base& base_;
  const IndexDefinition& definition_;
  VectorCheck& check_;
  const VectorIndex judge_{definition_.vector};
};

}  // namespace

void ReachVectorImages(const ExtentFile& file, const BaseRoots& roots, VectorCheck* check) {
  for (const auto& [id, first] : roots.vectors) {
    std::vector<ExtentRef> links;
    const auto directory = ReadVectorDirectory(file, IndexId(id), first, &links);
    for (const ExtentRef& link : links) check->extent(link, ExtentKind::kVectorDirectory);
    if (!directory.ok()) {
      check->problem(directory.status().message());
      continue;
    }
    for (size_t at = 0; at < kVectorArrays; ++at) {
      for (const ExtentRef& ref : directory->groups[at]) check->extent(ref, KindOf(static_cast<VectorArray>(at)));
    }
  }
}

void CheckVectorImages(const ExtentFile& file, const BaseRoots& roots, const Base& base, const CatalogContent& catalog, VectorCheck* check) {
  uint64_t done = 0;
  for (const auto& [id, first] : roots.vectors) {
    const IndexDefinition* definition = catalog.schema.FindIndex(IndexId(id));
    if (definition == nullptr || definition->kind != IndexKind::kVector || definition->properties.size() != 1) {
      check->problem("the base has an image of vector index " + std::to_string(id) + ", which the schema doesn't know");
    } else {
      try {
        Checker(file, base, *definition, check).Run(first);
      } catch (const ReadFailure& failure) {
        check->problem("vector index " + definition->name + ": " + failure.status().message());
      }
    }
    if (check->progress) check->progress(++done, roots.vectors.size());
  }
}

}  // namespace fornix::storage

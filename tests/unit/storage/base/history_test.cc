// Random histories: many checkpoints of random edits, each base compared with the model; older ones stay readable.
#include "tests/unit/storage/base/model.h"

namespace fornix::storage::base_test {
namespace {

struct Shape {
  uint64_t node_chunks = 3, rel_chunks = 6;
  uint64_t changes = 300;      // a checkpoint, about
  bool large = true;           // blobs and lists of floats
  uint64_t hub_in = 0;         // one relationship in so many ends at one of two hubs; 0: none
};

uint64_t FreshId(Random& random, uint64_t chunks, const std::set<uint64_t>& used) {
  for (;;) {
    // Dense at the front of a chunk as ids are given out, here and there elsewhere.
    const uint64_t id = random.Below(chunks) * 4096 + (random.OneIn(8) ? random.Below(4096) : random.Below(1000));
    if (!used.contains(id)) return id;
  }
}
template <typename M>
uint64_t AnyKey(Random& random, const M& map, uint64_t chunks) {
  const auto it = map.lower_bound(random.Below(chunks) * 4096 + random.Below(1100));
  return it == map.end() ? map.begin()->first : it->first;
}

void Change(Random& random, const Shape& shape, Model* model) {
  const bool shrinking = random.OneIn(4);
  const uint64_t changes = random.OneIn(5) ? 3 : 1 + random.Below(2 * shape.changes);
  for (uint64_t i = 0; i < changes; ++i) {
    const uint64_t what = random.Below(shrinking ? 12 : 8);
    if (model->nodes.size() < 10 || what < 2) {
      const uint64_t id = FreshId(random, shape.node_chunks, model->used_nodes);
      model->used_nodes.insert(id);
      model->nodes[id] = {RandomLabels(random), RandomProperties(random, shape.large)};
    } else if (what < 4) {
      uint64_t start = AnyKey(random, model->nodes, shape.node_chunks), end = AnyKey(random, model->nodes, shape.node_chunks);
      if (random.OneIn(20)) end = start;
      if (shape.hub_in != 0 && random.OneIn(shape.hub_in)) (random.OneIn(2) ? start : end) = model->nodes.begin()->first;
      model->AddRel(FreshId(random, shape.rel_chunks, model->used_rels), {start, end, RandomProperties(random, false)});
    } else if (what == 4) {
      Model::ModelNode& node = model->nodes[AnyKey(random, model->nodes, shape.node_chunks)];
      if (random.OneIn(3)) node.labels = RandomLabels(random); else node.properties = RandomProperties(random, shape.large);
    } else if (what == 5) {
      Model::ModelNode& node = model->nodes[AnyKey(random, model->nodes, shape.node_chunks)];
      SetInList(&node.properties, PropertyId(static_cast<uint32_t>(random.Below(Model::kProperties))),
                random.OneIn(4) ? Value() : RandomValue(random, shape.large));
    } else if (what < 8 && !model->rels.empty()) {
      Model::ModelRel& rel = model->rels[AnyKey(random, model->rels, shape.rel_chunks)];
      SetInList(&rel.properties, PropertyId(0), Value(static_cast<int64_t>(random.Below(2000))));
    } else if (what < 10 && !model->rels.empty()) {
      model->RemoveRel(AnyKey(random, model->rels, shape.rel_chunks));
    } else if (what >= 10 && model->nodes.size() > 10) {
      model->RemoveNode(AnyKey(random, model->nodes, shape.node_chunks));
    }
  }
}

void History(uint64_t seed, const Shape& shape, int checkpoints) {
  INFO("seed=" << seed);
  Random random(seed);
  TestFile file;
  Model model;
  BaseRoots roots;
  std::shared_ptr<const Base> before;
  Model before_model;
  for (int i = 1; i <= checkpoints; ++i) {
    Model next = model;
    Change(random, shape, &next);
    if (i % 9 == 0) {   // everything goes
      while (!next.nodes.empty()) next.RemoveNode(next.nodes.begin()->first);
    }
    INFO("checkpoint " << i);
    // What only the roots before the last one reach may be written over.
    const BaseRoots old = roots;
    roots = Checkpoint(file, old, model, next, static_cast<Timestamp>(i), file.seq < 1 ? 0 : file.seq - 1);
    const auto base = OpenBase(file.context, roots);
    REQUIRE(base->timestamp() == static_cast<Timestamp>(i));
    Compare(*base, next, random);
    CheckWhole(file, roots);
    if (before != nullptr && i % 3 == 0) Compare(*before, before_model, random);
    before = base;
    before_model = next;
    model = std::move(next);
    if (i % 4 == 0) file.cache.EvictTo(0);
  }
}

}  // namespace

TEST_CASE("a base says what the model says over many checkpoints, and the one before still does") {
  for (uint64_t seed = 1; seed <= 4; ++seed) History(seed, {}, 14);
}

TEST_CASE("many small checkpoints patch columns and merge the patches") {
  for (uint64_t seed = 11; seed <= 12; ++seed) History(seed, {.node_chunks = 1, .rel_chunks = 3, .changes = 40, .large = false}, 40);
}

}  // namespace fornix::storage::base_test

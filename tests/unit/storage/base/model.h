// A plain model of a base (maps), random histories of it, and the comparison of everything that a Base answers.
#pragma once

#include <map>
#include <set>

#include "tests/unit/storage/base/fixture.h"

namespace fornix::storage::base_test {

struct Model {
  struct ModelNode {
    std::vector<LabelId> labels;
    PropertyList properties;
    friend bool operator==(const ModelNode&, const ModelNode&) = default;
  };
  struct ModelRel {
    uint64_t start = 0, end = 0;
    PropertyList properties;
    friend bool operator==(const ModelRel&, const ModelRel&) = default;
  };
  static constexpr uint32_t kTypes = 3, kLabels = 5, kProperties = 6;
  static uint32_t TypeOf(uint64_t rel) { return static_cast<uint32_t>(rel / 4096 % kTypes); }

  std::map<uint64_t, ModelNode> nodes;
  std::map<uint64_t, ModelRel> rels;
  std::map<uint64_t, std::set<uint64_t>> around;   // node -> relationships that begin or end there
  std::set<uint64_t> used_nodes, used_rels;        // ids never come back

  void AddRel(uint64_t id, ModelRel rel) {
    around[rel.start].insert(id);
    around[rel.end].insert(id);
    used_rels.insert(id);
    rels.emplace(id, std::move(rel));
  }
  void RemoveRel(uint64_t id) {
    around[rels[id].start].erase(id);
    around[rels[id].end].erase(id);
    rels.erase(id);
  }
  void RemoveNode(uint64_t id) {
    const std::set<uint64_t> its = around[id];
    for (const uint64_t rel : its) RemoveRel(rel);
    around.erase(id);
    nodes.erase(id);
  }
};

inline std::vector<LabelId> RandomLabels(Random& random) {
  std::vector<LabelId> labels;
  for (uint32_t label = 0; label < Model::kLabels; ++label) {
    if (random.OneIn(label == 0 ? 2 : 6)) labels.emplace_back(label);
  }
  return labels;
}
inline PropertyList RandomProperties(Random& random, bool large) {
  PropertyList properties;
  for (uint32_t key = 0; key < Model::kProperties; ++key) {
    if (random.OneIn(3)) continue;
    // Keys 0 to 2 mostly have a kind of their own, the others are mixed.
    Value value = key == 0   ? Value(static_cast<int64_t>(random.Below(2000)))
                  : key == 1 ? Value(RandomText(random, 40))
                  : key == 2 ? Value(random.Unit())
                             : RandomValue(random, large);
    if (key < 3 && random.OneIn(50)) value = RandomValue(random, large);
    properties.emplace_back(PropertyId(key), std::move(value));
  }
  return properties;
}

// What turns `before` into `after`, written as the next base.
inline BaseRoots Checkpoint(TestFile& file, const BaseRoots& roots, const Model& before, const Model& after, Timestamp timestamp,
                            uint64_t oldest = 0) {
  std::map<uint64_t, NodeChunkEdit> nodes;
  std::map<uint64_t, RelChunkEdit> rels;
  std::vector<std::unique_ptr<StoredProperties>> kept;
  auto stored = [&](const PropertyList& properties) {
    return kept.emplace_back(std::make_unique<StoredProperties>(PackProperties(properties))).get();
  };
  std::set<uint64_t> ids;
  for (const auto& [id, node] : before.nodes) ids.insert(id);
  for (const auto& [id, node] : after.nodes) ids.insert(id);
  for (const uint64_t id : ids) {
    const auto was = before.nodes.find(id), is = after.nodes.find(id);
    if (was != before.nodes.end() && is != after.nodes.end() && was->second == is->second) continue;
    NodeChunkEdit& chunk = nodes[id / 4096];
    chunk.chunk = id / 4096;
    NodeEdit& edit = chunk.nodes.emplace_back();
    edit.slot = static_cast<uint32_t>(id % 4096);
    edit.deleted = is == after.nodes.end();
    if (edit.deleted) continue;
    if (was == before.nodes.end() || was->second.labels != is->second.labels) edit.labels = file.label_sets.Intern(is->second.labels);
    if (was == before.nodes.end() || was->second.properties != is->second.properties) edit.properties = stored(is->second.properties);
  }
  ids.clear();
  for (const auto& [id, rel] : before.rels) ids.insert(id);
  for (const auto& [id, rel] : after.rels) ids.insert(id);
  auto list = [&](uint64_t id, const Model::ModelRel& rel, bool removed) {
    for (const bool incoming : {false, true}) {
      const uint64_t node = incoming ? rel.end : rel.start, other = incoming ? rel.start : rel.end;
      nodes[node / 4096].chunk = node / 4096;
      nodes[node / 4096].adjacency.push_back({Model::TypeOf(id), incoming, removed, static_cast<uint32_t>(node % 4096), other, id});
    }
  };
  for (const uint64_t id : ids) {
    const auto was = before.rels.find(id), is = after.rels.find(id);
    const bool created = was == before.rels.end(), deleted = is == after.rels.end();
    if (!created && !deleted && was->second == is->second) continue;
    RelChunkEdit& chunk = rels[id / 4096];
    chunk.chunk = id / 4096;
    chunk.type = Model::TypeOf(id);
    RelEdit& edit = chunk.relationships.emplace_back();
    edit.slot = static_cast<uint32_t>(id % 4096);
    edit.created = created;
    edit.deleted = deleted;
    if (deleted) {
      list(id, was->second, true);
      continue;
    }
    if (created) {
      edit.start = is->second.start;
      edit.end = is->second.end;
      list(id, is->second, false);
    }
    edit.properties = stored(is->second.properties);
  }
  file.Begin(oldest);
  BaseWriter writer(file.context, file.file.get(), roots);
  for (auto& [number, chunk] : nodes) {
    std::sort(chunk.adjacency.begin(), chunk.adjacency.end());
    Must(writer.Apply(chunk));
  }
  for (auto& [number, chunk] : rels) Must(writer.Apply(chunk));
  BaseRoots next = Must(writer.Finish(timestamp));
  file.Commit();
  return next;
}

// The integrity check finds nothing, and every page of the file is in exactly one extent, free, or the free map's.
inline void CheckWhole(const TestFile& file, const BaseRoots& roots) {
  std::map<uint32_t, std::pair<uint32_t, std::string>> ranges;   // first page -> pages, what
  auto add = [&](uint32_t page, uint32_t pages, std::string what) {
    if (!ranges.emplace(page, std::pair(pages, what)).second)
      FAIL("page " << page << " is used twice: " << what << " and " << ranges[page].second);
  };
  BaseCheck check;
  check.extent = [&](const ExtentRef& ref, ExtentKind kind, uint64_t owner) -> Status {
    add(ref.page, ref.pages, "kind " + std::to_string(static_cast<int>(kind)));
    return file.file->Read(ref, kind, owner).status();
  };
  check.problem = [](std::string text) { FAIL(text); };
  Must(CheckBase(file.context, roots, check));
  for (const auto& [page, pages] : Must(file.file->FreeRanges())) add(page, pages, "free");
  for (const ExtentRef& ref : Must(file.file->FreeMapExtents())) add(ref.page, ref.pages, "free map");
  uint32_t next = kFirstExtentPage;
  for (const auto& [page, range] : ranges) {
    if (page != next) FAIL("pages [" << next << ", " << page << ") are lost before " << range.second << " (or used twice)");
    next = page + range.first;
  }
  REQUIRE(next == file.file->file_pages());
}

inline std::string TextOf(const PropertyList& properties) {
  std::string text;
  for (const auto& [key, value] : properties) text += std::to_string(key.value) + ": " + ToText(value).substr(0, 60) + "; ";
  return text;
}

// Everything a Base answers against the model. `ids` and `rel_ids`: asked about, there or not.
inline void Compare(const Base& base, const Model& model, Random& random) {
  auto fail = [](const std::string& what, uint64_t id) { FAIL(what << " of " << id); };
  REQUIRE(base.NodeCount() == model.nodes.size());
  REQUIRE(base.RelationshipCount() == model.rels.size());
  std::vector<NodeId> ids;
  std::vector<RelId> rel_ids;
  for (const uint64_t id : model.used_nodes) ids.emplace_back(id);
  for (const uint64_t id : model.used_rels) rel_ids.emplace_back(id);
  ids.emplace_back(uint64_t{999} * 4096);
  rel_ids.emplace_back(uint64_t{1} << 39);
  if (random.OneIn(2)) {
    std::shuffle(ids.begin(), ids.end(), random);
    std::shuffle(rel_ids.begin(), rel_ids.end(), random);
  }
  // Elements and their properties, alone and in batches.
  static const PropertyList kNone;
  PropertyList properties;
  for (const NodeId id : ids) {
    const auto it = model.nodes.find(id.value);
    const LabelSet* labels = base.Labels(id);
    if ((labels != nullptr) != (it != model.nodes.end())) fail("existence", id.value);
    if (labels != nullptr && labels->labels != it->second.labels) fail("labels", id.value);
    base.Properties(id, &properties);
    const PropertyList& expected = labels == nullptr ? kNone : it->second.properties;
    if (properties != expected) fail("properties " + TextOf(properties) + " instead of " + TextOf(expected), id.value);
  }
  for (const RelId id : rel_ids) {
    const auto it = model.rels.find(id.value);
    if (base.Has(id) != (it != model.rels.end())) fail("existence of a relationship", id.value);
    const auto ends = base.Ends(id);
    if (ends.has_value() != (it != model.rels.end())) fail("ends", id.value);
    if (ends && (ends->start.value != it->second.start || ends->end.value != it->second.end || ends->type.value != Model::TypeOf(id.value)))
      fail("ends", id.value);
    base.Properties(id, &properties);
    const PropertyList& expected = ends ? it->second.properties : kNone;
    if (properties != expected)
      fail("properties " + TextOf(properties) + " instead of " + TextOf(expected) + " of a relationship", id.value);
  }
  std::vector<const LabelSet*> sets(ids.size());
  base.GatherLabels(ids, sets.data());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (sets[i] != base.Labels(ids[i])) fail("gathered labels", ids[i].value);
  }
  for (uint32_t key = 0; key <= Model::kProperties; ++key) {
    std::vector<Value> values(ids.size(), Value(true)), rel_values(rel_ids.size(), Value(true));
    base.Gather(std::span<const NodeId>(ids), PropertyId(key), values.data());
    base.Gather(std::span<const RelId>(rel_ids), PropertyId(key), rel_values.data());
    for (size_t i = 0; i < ids.size(); ++i) {
      const auto it = model.nodes.find(ids[i].value);
      const Value* expected = it == model.nodes.end() ? nullptr : FindProperty(it->second.properties, PropertyId(key));
      if (!(values[i] == (expected == nullptr ? Value() : *expected))) fail("gathered property " + std::to_string(key), ids[i].value);
      if (i % 7 == 0 && !(base.Property(ids[i], PropertyId(key)) == values[i])) fail("property", ids[i].value);
    }
    for (size_t i = 0; i < rel_ids.size(); ++i) {
      const auto it = model.rels.find(rel_ids[i].value);
      const Value* expected = it == model.rels.end() ? nullptr : FindProperty(it->second.properties, PropertyId(key));
      if (!(rel_values[i] == (expected == nullptr ? Value() : *expected)))
        fail("gathered property of a relationship " + std::to_string(key), rel_ids[i].value);
      if (i % 7 == 0 && !(base.Property(rel_ids[i], PropertyId(key)) == rel_values[i])) fail("property", rel_ids[i].value);
    }
  }
  // Scans.
  const size_t step = 1 + random.Below(300);
  auto scan = [&](auto next) {
    std::vector<uint64_t> all, buffer(step);
    uint64_t from = 0;
    while (const size_t n = next(from, buffer.data(), step)) {
      all.insert(all.end(), buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(n));
      from = all.back() + 1;
    }
    return all;
  };
  for (uint32_t label = 0; label <= Model::kLabels; ++label) {
    std::vector<uint64_t> expected;
    std::optional<LabelId> wanted;
    if (label < Model::kLabels) wanted = LabelId(label);
    for (const auto& [id, node] : model.nodes) {
      if (!wanted || std::find(node.labels.begin(), node.labels.end(), *wanted) != node.labels.end()) expected.push_back(id);
    }
    REQUIRE(scan([&](uint64_t from, uint64_t* out, size_t max) { return base.Nodes(wanted, from, out, max); }) == expected);
    if (wanted) REQUIRE(base.LabelCount(*wanted) == expected.size());
  }
  for (uint32_t type = 0; type <= Model::kTypes; ++type) {
    std::vector<uint64_t> expected;
    std::optional<TypeId> wanted;
    if (type < Model::kTypes) wanted = TypeId(type);
    for (const auto& [id, rel] : model.rels) {
      if (!wanted || Model::TypeOf(id) == type) expected.push_back(id);
    }
    REQUIRE(scan([&](uint64_t from, uint64_t* out, size_t max) { return base.Relationships(wanted, from, out, max); }) == expected);
    if (wanted) REQUIRE(base.TypeCount(*wanted) == expected.size());
  }
  // Lists.
  for (uint32_t type = 0; type < Model::kTypes; ++type) {
    for (const bool incoming : {false, true}) {
      std::vector<uint32_t> ends;
      std::vector<Neighbour> all;
      base.NeighboursOf(ids, TypeId(type), incoming, &ends, &all);
      REQUIRE(ends.size() == ids.size());
      size_t begin = 0;
      for (size_t i = 0; i < ids.size(); ++i) {
        std::vector<std::pair<uint64_t, uint64_t>> expected, found, piecewise;
        if (const auto around = model.around.find(ids[i].value); around != model.around.end()) {
          for (const uint64_t rel : around->second) {
            const Model::ModelRel& r = model.rels.at(rel);
            if (Model::TypeOf(rel) == type && (incoming ? r.end : r.start) == ids[i].value)
              expected.emplace_back(incoming ? r.start : r.end, rel);
          }
        }
        std::sort(expected.begin(), expected.end());
        for (; begin < ends[i]; ++begin) found.emplace_back(all[begin].node.value, all[begin].relationship.value);
        if (found != expected) fail("neighbours", ids[i].value);
        if (base.Degree(ids[i], TypeId(type), incoming) != expected.size()) fail("degree", ids[i].value);
        if (expected.empty() || (expected.size() < 100 && !random.OneIn(4))) continue;
        std::vector<Neighbour> part;
        for (uint64_t at = 0; at < expected.size(); at += step) {
          base.Neighbours(ids[i], TypeId(type), incoming, at, step, &part);
        }
        for (const Neighbour& n : part) piecewise.emplace_back(n.node.value, n.relationship.value);
        if (piecewise != expected) fail("neighbours in steps", ids[i].value);
        for (const uint64_t other : {expected[random.Below(expected.size())].first, expected.back().first, ids[i].value, uint64_t{0}}) {
          std::vector<uint64_t> between;
          for (const auto& [node, rel] : expected) {
            if (node == other) between.push_back(rel);
          }
          std::vector<RelId> got;
          base.Between(ids[i], TypeId(type), incoming, NodeId(other), &got);
          if (got.size() != between.size()) fail("between", ids[i].value);
          for (size_t k = 0; k < got.size(); ++k) {
            if (got[k].value != between[k]) fail("between", ids[i].value);
          }
          if (other == ids[i].value && !incoming && base.Loops(ids[i], TypeId(type)) != between.size()) fail("loops", ids[i].value);
        }
      }
    }
  }
  for (size_t i = 0; i < ids.size(); i += 5) {
    std::set<uint32_t> expected;
    if (const auto around = model.around.find(ids[i].value); around != model.around.end()) {
      for (const uint64_t rel : around->second) expected.insert(Model::TypeOf(rel));
    }
    std::vector<TypeId> types;
    base.Types(ids[i], &types);
    std::set<uint32_t> found;
    for (const TypeId type : types) found.insert(type.value);
    if (found != expected || types.size() != expected.size()) fail("types", ids[i].value);
  }
}

}  // namespace fornix::storage::base_test

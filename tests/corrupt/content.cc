#include "tests/corrupt/content.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/read_failure.h"
#include "base/value_format.h"

namespace fornix::corrupt {
namespace {

using namespace storage;   // NOLINT: a test

constexpr char kMark[] = "AddedByTheTest";
// A walk that gives more than this of anything runs in a circle.
constexpr size_t kItemsMax = 1'000'000;

class Teller {
 public:
  Teller(const GraphView& view, bool without_mark) : view_(view), without_mark_(without_mark) {}

  Result<std::string> All() {
    RETURN_IF_ERROR(Nodes());
    RETURN_IF_ERROR(Relationships());
    RETURN_IF_ERROR(Adjacency());
    RETURN_IF_ERROR(Indexes());
    for (const ConstraintDefinition& c : view_.schema().constraints) text_ += "constraint " + c.name + " " + c.type.text + "\n";
    return text_ + differences_;
  }

 private:
  template <typename Id, typename Scan>
  Result<std::vector<Id>> Ids(Scan&& scan) {
    std::vector<Id> ids;
    ScanPosition position;
    Id buffer[64];
    while (size_t n = scan(&position, buffer, 64)) {
      ids.insert(ids.end(), buffer, buffer + n);
      if (ids.size() > kItemsMax) return Status(Code::kInternal, "a scan doesn't end");
    }
    return ids;
  }
  void Differ(const std::string& what) { differences_ += "DISAGREES " + what + "\n"; }
  template <typename A, typename B>
  void Equal(const A& a, const B& b, const std::string& what) {
    if (!(a == b)) Differ(what);
  }

  void Put(const PropertyList& properties) {
    std::map<std::string, std::string> named;
    for (const auto& [key, value] : properties) named[view_.tokens().properties.Name(key)] = ToText(value);
    for (const auto& [key, value] : named) text_ += " " + key + "=" + value;
  }

  Status Nodes() {
    ASSIGN_OR_RETURN(nodes_, Ids<NodeId>([&](auto* p, auto* out, size_t max) { return view_.ScanNodes(p, out, max); }));
    const std::optional<LabelId> mark = view_.tokens().labels.Find(kMark);
    if (without_mark_ && mark) {
      std::erase_if(nodes_, [&](NodeId id) {
        if (!view_.HasLabel(id, *mark)) return false;
        ++hidden_;
        return true;
      });
    }
    std::map<LabelId, std::vector<NodeId>> by_label;
    PropertyList properties;
    std::vector<LabelId> labels;
    for (NodeId id : nodes_) {
      text_ += "node " + std::to_string(id.value);
      view_.Labels(id, &labels);
      std::set<std::string> names;
      for (LabelId label : labels) {
        names.insert(view_.tokens().labels.Name(label));
        by_label[label].push_back(id);
        Equal(view_.HasLabel(id, label), true, "a label of node " + std::to_string(id.value));
      }
      for (const std::string& name : names) text_ += ":" + name;
      view_.Properties(id, &properties);
      Put(properties);
      for (const auto& [key, value] : properties) {
        if (ToText(view_.Property(id, key)) != ToText(value)) Differ("property of node " + std::to_string(id.value));
      }
      text_ += "\n";
    }
    Equal(view_.CountNodes(), nodes_.size() + hidden_, "the count of nodes");
    for (uint32_t i = 0; i < view_.tokens().labels.size(); ++i) {
      const LabelId label(static_cast<LabelId::rep>(i));
      if (without_mark_ && mark && *mark == label) continue;
      ASSIGN_OR_RETURN(const auto found, Ids<NodeId>([&](auto* p, auto* out, size_t max) { return view_.ScanLabel(label, p, out, max); }));
      Equal(found, by_label[label], "the scan of label " + std::to_string(i));
      Equal(view_.CountLabel(label), by_label[label].size(), "the count of label " + std::to_string(i));
    }
    return Status::Ok();
  }

  Status Relationships() {
    ASSIGN_OR_RETURN(rels_, Ids<RelId>([&](auto* p, auto* out, size_t max) { return view_.ScanRelationships({}, p, out, max); }));
    std::map<TypeId, std::vector<RelId>> by_type;
    PropertyList properties;
    for (RelId id : rels_) {
      const RelationshipEnds ends = view_.Ends(id);
      by_type[ends.type].push_back(id);
      out_[ends.start].emplace(ends.type.value, ends.end.value, id.value);
      in_[ends.end].emplace(ends.type.value, ends.start.value, id.value);
      text_ += "relationship " + std::to_string(id.value) + ":" + view_.tokens().types.Name(ends.type) + " " + std::to_string(ends.start.value) +
               "->" + std::to_string(ends.end.value);
      view_.Properties(id, &properties);
      Put(properties);
      text_ += "\n";
    }
    Equal(view_.CountRelationships({}), rels_.size(), "the count of relationships");
    for (uint32_t i = 0; i < view_.tokens().types.size(); ++i) {
      const TypeId type(static_cast<TypeId::rep>(i));
      ASSIGN_OR_RETURN(const auto found, Ids<RelId>([&](auto* p, auto* out, size_t max) { return view_.ScanRelationships(type, p, out, max); }));
      Equal(found, by_type[type], "the scan of type " + std::to_string(i));
      Equal(view_.CountRelationships(type), by_type[type].size(), "the count of type " + std::to_string(i));
    }
    return Status::Ok();
  }

  using Triples = std::set<std::tuple<uint64_t, uint64_t, uint64_t>>;   // type, neighbour, relationship
  Status Around(NodeId id, Direction direction, const Triples& expected, const std::string& what) {
    Triples found;
    std::vector<Neighbour> step;
    size_t total = 0;
    ScanPosition position;
    for (bool done = false; !done;) {
      step.clear();
      done = view_.Expand(id, {}, direction, &position, 50, &step);
      for (const Neighbour& n : step) found.emplace(view_.Ends(n.relationship).type.value, n.node.value, n.relationship.value);
      total += step.size();
      if (total > kItemsMax) return Status(Code::kInternal, "the neighbours of a node don't end");
    }
    Equal(found, expected, what + " of node " + std::to_string(id.value));
    Equal(total, expected.size(), "how many are " + what + " of node " + std::to_string(id.value));
    Equal(view_.Degree(id, {}, direction), expected.size(), "the degree, " + what + ", of node " + std::to_string(id.value));
    return Status::Ok();
  }
  Status Adjacency() {
    for (NodeId id : nodes_) {
      RETURN_IF_ERROR(Around(id, Direction::kOutgoing, out_[id], "outgoing"));
      RETURN_IF_ERROR(Around(id, Direction::kIncoming, in_[id], "incoming"));
    }
    for (const auto* side : {&out_, &in_}) {
      for (const auto& [id, triples] : *side) {
        if (!std::binary_search(nodes_.begin(), nodes_.end(), id)) Differ("an end of a relationship is no node: " + std::to_string(id.value));
      }
    }
    return Status::Ok();
  }

  // Whether an element is one that the index is about.
  bool Covered(const IndexDefinition& index, uint64_t id) const {
    if (index.entity == EntityKind::kRelationship) {
      const uint32_t type = static_cast<uint32_t>(view_.Ends(RelId(id)).type.value);
      return std::find(index.tokens.begin(), index.tokens.end(), type) != index.tokens.end();
    }
    return std::any_of(index.tokens.begin(), index.tokens.end(), [&](uint32_t token) {
      return view_.HasLabel(NodeId(id), LabelId(static_cast<LabelId::rep>(token)));
    });
  }
  Value PropertyOf(const IndexDefinition& index, uint64_t id, PropertyId key) const {
    return index.entity == EntityKind::kNode ? view_.Property(NodeId(id), key) : view_.Property(RelId(id), key);
  }
  Status Indexes() {
    for (const IndexDefinition& index : view_.schema().indexes) {
      text_ += "index " + index.name + (index.kind == IndexKind::kVector ? " vector" : "") + "\n";
      std::vector<uint64_t> elements;
      if (index.entity == EntityKind::kNode) for (NodeId id : nodes_) elements.push_back(id.value);
      else for (RelId id : rels_) elements.push_back(id.value);
      std::erase_if(elements, [&](uint64_t id) { return !Covered(index, id); });
      RETURN_IF_ERROR(index.kind == IndexKind::kVector ? Vector(index, elements) : Range(index, elements));
    }
    return Status::Ok();
  }
  Status Seek(const IndexDefinition& index, const KeyRange& range, bool descending, std::vector<uint64_t>* out) {
    for (SeekPosition position; !position.done;) {
      RETURN_IF_ERROR(view_.SeekIndex(index.id, range, descending, &position, 64, out));
      if (out->size() > kItemsMax) return Status(Code::kInternal, "a seek doesn't end");
    }
    return Status::Ok();
  }
  Status Range(const IndexDefinition& index, std::vector<uint64_t> elements) {
    std::erase_if(elements, [&](uint64_t id) {
      return std::any_of(index.properties.begin(), index.properties.end(), [&](PropertyId key) { return PropertyOf(index, id, key).is_null(); });
    });
    std::vector<uint64_t> found;
    RETURN_IF_ERROR(Seek(index, KeyRange{}, false, &found));
    std::sort(found.begin(), found.end());
    Equal(found, elements, "index " + index.name);
    for (uint64_t id : elements) {
      List key;
      for (PropertyId property : index.properties) key.push_back(PropertyOf(index, id, property));
      found.clear();
      RETURN_IF_ERROR(Seek(index, ExactKey(key), true, &found));
      const bool nan = std::any_of(key.begin(), key.end(), [](const Value& v) { return v.type() == Type::kFloat && v.AsFloat() != v.AsFloat(); });
      if (!nan && std::find(found.begin(), found.end(), id) == found.end()) Differ("index " + index.name + " lost " + std::to_string(id));
    }
    return Status::Ok();
  }
  Status Vector(const IndexDefinition& index, const std::vector<uint64_t>& elements) {
    const uint32_t dimensions = index.vector.dimensions;
    if (dimensions == 0 || index.properties.size() != 1) return Status::Ok();
    size_t expected = 0;
    for (uint64_t id : elements) {
      const Value value = PropertyOf(index, id, index.properties[0]);
      expected += (value.type() == Type::kList && value.AsList().size() == dimensions) ||
                  (value.type() == Type::kVector && value.AsVector().size() == dimensions);
    }
    const std::vector<float> query(dimensions, 1.0f);
    std::vector<VectorHit> hits;
    VectorSearchStats stats;
    RETURN_IF_ERROR(view_.SearchVector(index.id, {.vector = query, .k = expected + 10}, &hits, &stats));
    Equal(hits.size(), expected, "vector index " + index.name);
    for (const VectorHit& hit : hits) {
      if (!std::binary_search(elements.begin(), elements.end(), hit.id)) Differ("vector index " + index.name + " has " + std::to_string(hit.id));
    }
    return Status::Ok();
  }

  const GraphView& view_;
  const bool without_mark_;
  size_t hidden_ = 0;
  std::vector<NodeId> nodes_;
  std::vector<RelId> rels_;
  std::map<NodeId, Triples> out_, in_;
  std::string text_, differences_;
};

Result<std::string> Tell(Store& store, bool without_mark) {
  try {
    RETURN_IF_ERROR(store.AwaitIndexes());
    ASSIGN_OR_RETURN(const auto transaction, store.Begin(true));
    return Teller(transaction->view(), without_mark).All();
  } catch (const ReadFailure& failure) {
    return failure.status();
  }
}

Result<std::unique_ptr<Store>> Open(FileSystem& files, const std::string& path, const StoreOptions& options) {
  try {
    return Store::Open(files, path, options);
  } catch (const ReadFailure& failure) {
    return failure.status();
  }
}
Status Close(Store& store) {
  try {
    return store.Close();
  } catch (const ReadFailure& failure) {
    return failure.status();
  }
}

Status Mark(Store& store) {
  try {
    ASSIGN_OR_RETURN(const auto transaction, store.Begin());
    ASSIGN_OR_RETURN(const LabelId label, transaction->InternLabel(kMark));
    RETURN_IF_ERROR(transaction->CreateNode({&label, 1}, {}).status());
    return transaction->Commit().status();
  } catch (const ReadFailure& failure) {
    return failure.status();
  }
}

}  // namespace

Result<std::string> Content(Store& store) { return Tell(store, false); }

Result<Visit> ReadDatabase(FileSystem& files, const std::string& path, const StoreOptions& options) {
  StoreOptions read = options;
  read.read_only = true;
  Visit visit;
  ASSIGN_OR_RETURN(const auto store, Open(files, path, read));
  visit.opened = true;
  ASSIGN_OR_RETURN(visit.content, Content(*store));
  RETURN_IF_ERROR(Close(*store));
  return visit;
}

Result<Visit> WriteDatabase(FileSystem& files, const std::string& path, const StoreOptions& options) {
  Visit visit;
  {
    ASSIGN_OR_RETURN(const auto store, Open(files, path, options));
    visit.opened = true;
    ASSIGN_OR_RETURN(visit.content, Content(*store));
    RETURN_IF_ERROR(Mark(*store));
    RETURN_IF_ERROR(Close(*store));
  }
  ASSIGN_OR_RETURN(const auto store, Open(files, path, options));
  ASSIGN_OR_RETURN(visit.after, Tell(*store, true));
  RETURN_IF_ERROR(Close(*store));
  return visit;
}

}  // namespace fornix::corrupt

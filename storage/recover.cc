#include "storage/recover.h"

#include <set>

#include "base/errors.h"
#include "base/limits.h"
#include "storage/txn/commit_plan.h"
#include "storage/txn/ddl.h"

namespace fornix::storage {

Status Recovery::Apply(Lsn lsn, std::span<const std::byte> body) {
  own_ = std::make_unique<WriteSet>();
  new_schema_ = nullptr;
  const std::string source = "log record " + std::to_string(lsn);
  RETURN_IF_ERROR(ReadRecord(body, source, this));
  bytes_ += body.size();
  return Commit();
}

Status Recovery::ApplyCatalog(std::span<const std::byte> record, const std::string& source, std::shared_ptr<const Base> base,
                              const std::map<uint32_t, ExtentRef>& images) {
  own_ = std::make_unique<WriteSet>();
  new_schema_ = nullptr;
  in_catalog_ = true;
  const Status read = ReadRecord(record, source, this);
  in_catalog_ = false;
  RETURN_IF_ERROR(read);
  if (!own_->empty()) return Corruption(source + ": a catalog that changes elements");
  if (ts_ != base->timestamp()) return Corruption(source + ": of commit " + std::to_string(ts_) + ", its base of " + std::to_string(base->timestamp()));
  store_->generations.Start(std::move(base));
  std::lock_guard lock(store_->sequencer.mutex());
  store_->sequencer.StartAt(ts_);
  if (new_schema_ == nullptr) return Status::Ok();
  // Range indexes have their trees; vector indexes are loaded in the background, or filled from the base (index/vector_fill.h).
  for (const VectorBinding& binding : new_schema_->vectors) {
    binding.index->SetUsableFrom(kNever);
    if (images.contains(binding.definition->id.value)) binding.index->BeginLoading();
    binding.index->SetBudget(store_->budget);
  }
  store_->schemas.Add(ts_, new_schema_);
  store_->schemas.Trim(ts_);
  return Status::Ok();
}

Status Recovery::Commit() {
  Sequencer& sequencer = store_->sequencer;
  const WriteSet none;
  const Layers& layers = *store_->generations.current();
  const Overlay committed(layers, sequencer.last(), &none);
  const std::shared_ptr<const SchemaState> schema = store_->schemas.newest();
  CommitPlan plan;
  std::set<IndexId> left_out;
  if (!own_->empty()) {
    plan.Build(&store_->label_sets, committed, *own_, *schema);
    plan.mutable_indexes().LeaveOutLongKeys(&left_out);
    RETURN_IF_ERROR(plan.indexes().TestVectors(store_->tokens));
  }
  // Where a log is followed, snapshots come and go meanwhile, and vector indexes are filled.
  std::lock_guard lock(sequencer.mutex());
  if (!own_->empty()) {
    plan.Reserve(layers, &sequencer);
    plan.Apply(ts_, &sequencer);
  }
  sequencer.StartAt(ts_);
  if (new_schema_ != nullptr) {
    for (const VectorBinding& binding : new_schema_->vectors) binding.index->SetBudget(store_->budget);
    const Overlay head(layers, ts_, &none);
    NewRanges ranges;
    RETURN_IF_ERROR(FillSchema(*schema, *new_schema_, store_->tokens, head, ts_, false, DeferredSchema(), layers.active.get(), &ranges));
    left_out.insert(ranges.left_out().begin(), ranges.left_out().end());
    ranges.Install(layers.active.get());
    store_->schemas.Add(ts_, new_schema_);
    store_->schemas.Trim(ts_);
  }
  TakeOffline(std::move(left_out));
  store_->generations.Collect();
  return Status::Ok();
}

// No plan uses an index that isn't online; its unique keys are kept, for keys as long as those can't come any more.
void Recovery::TakeOffline(std::set<IndexId> left_out) {
  const std::shared_ptr<const SchemaState> schema = store_->schemas.newest();
  left_out.insert(left_out_.begin(), left_out_.end());
  std::shared_ptr<SchemaVersion> changed;
  for (const IndexId id : left_out) {
    const RangeBinding* binding = schema->FindRange(id);
    if (binding == nullptr || !binding->definition->online) continue;
    if (changed == nullptr) changed = std::make_shared<SchemaVersion>(*schema->version);
    for (IndexDefinition& definition : changed->indexes) {
      if (definition.id == id) definition.online = false;
    }
  }
  left_out_ = std::move(left_out);
  if (changed == nullptr) return;
  ++changed->epoch;
  store_->schemas.Add(ts_, SchemaState::Bind(std::move(changed), schema.get()));
  store_->schemas.Trim(ts_);
}

Status Recovery::Begin(Timestamp ts) {
  // A database that was closed without a commit has a catalog of timestamp 0.
  if ((ts == 0 && !in_catalog_) || ts == kNever || ts < store_->sequencer.last()) {
    return Corruption("timestamp " + std::to_string(ts) + " after " + std::to_string(store_->sequencer.last()));
  }
  ts_ = ts;
  return Status::Ok();
}

namespace {
template <typename Table, typename Id>
Status Place(Table* table, Id id, std::string_view name) {
  if (table->Place(id, name)) return Status::Ok();
  return Corruption("token " + std::to_string(id.value) + " named '" + std::string(name) + "', but the number or the name is another's");
}
Status NotThere(const char* what, uint64_t id) { return Corruption(what + std::to_string(id) + " is changed, but isn't there"); }
}  // namespace

Status Recovery::Label(LabelId id, std::string_view name) {
  RETURN_IF_ERROR(Place(&store_->tokens.labels, id, name));
  store_->logged.Add(id);   // whose number is one
  return Status::Ok();
}
Status Recovery::RelationshipType(TypeId id, std::string_view name) {
  RETURN_IF_ERROR(Place(&store_->tokens.types, id, name));
  store_->logged.Add(id);   // whose number is one
  return Status::Ok();
}
Status Recovery::PropertyKey(PropertyId id, std::string_view name) {
  RETURN_IF_ERROR(Place(&store_->tokens.properties, id, name));
  store_->logged.Add(id);   // whose number is one
  return Status::Ok();
}

Status Recovery::CheckLabels(std::span<const LabelId> labels) const {
  for (LabelId label : labels) {
    if (store_->tokens.labels.Name(label).empty()) return Corruption("label " + std::to_string(label.value) + " has no name");
  }
  return Status::Ok();
}
Status Recovery::CheckKeys(const PropertyList& properties) const {
  for (const auto& [key, value] : properties) {
    if (store_->tokens.properties.Name(key).empty()) return Corruption("property " + std::to_string(key.value) + " has no name");
  }
  return Status::Ok();
}

Status Recovery::CreateNode(NodeId id, std::vector<LabelId> labels, PropertyList properties) {
  if (Seen().StateOf(id) != ElementState::kAbsent) return Corruption("node " + std::to_string(id.value) + " is created twice");
  RETURN_IF_ERROR(CheckLabels(labels));
  RETURN_IF_ERROR(CheckKeys(properties));
  for (const auto& [key, value] : properties) {
    if (value.is_null()) return Corruption("a new node has a property that is null");
  }
  store_->ids.ObserveNode(id, labels);
  own_->CreateNode(id, std::move(labels), std::move(properties));
  return Status::Ok();
}

Status Recovery::DeleteNode(NodeId id) {
  const Overlay seen = Seen();
  const LabelsSeen labels = seen.LabelsOf(id);
  if (!labels.exists) return NotThere("node ", id.value);
  std::vector<TypeId> types;
  seen.TypesOf(id, &types);
  for (TypeId type : types) {
    const Overlay::Degrees degrees = seen.DegreesOf(id, type, true, true);
    if (degrees.out + degrees.in > 0) {
      return Corruption("node " + std::to_string(id.value) + " is deleted, but has relationships");
    }
  }
  const std::vector<LabelId> before(labels.labels.begin(), labels.labels.end());
  own_->DeleteNode(own_->Touch(id), before);
  return Status::Ok();
}

Status Recovery::SetLabels(NodeId id, std::vector<LabelId> labels) {
  const LabelsSeen seen = Seen().LabelsOf(id);
  if (!seen.exists) return NotThere("node ", id.value);
  RETURN_IF_ERROR(CheckLabels(labels));
  const std::vector<LabelId> before(seen.labels.begin(), seen.labels.end());
  own_->SetLabels(own_->Touch(id), before, std::move(labels));
  return Status::Ok();
}

Status Recovery::SetProperties(NodeId id, PropertyList changed) {
  const Overlay seen = Seen();
  if (seen.StateOf(id) != ElementState::kVisible) return NotThere("node ", id.value);
  RETURN_IF_ERROR(CheckKeys(changed));
  PropertyList before;
  seen.Properties(id, &before);
  OwnNode* node = own_->Touch(id);
  node->properties = std::move(before);
  for (auto& [key, value] : changed) own_->SetProperty(node, key, std::move(value));
  return Status::Ok();
}

Status Recovery::CreateRelationship(RelId id, const RelationshipEnds& ends, PropertyList properties) {
  const Overlay seen = Seen();
  if (seen.StateOf(id) != ElementState::kAbsent || store_->generations.current()->active->Find(id) != nullptr) {
    return Corruption("relationship " + std::to_string(id.value) + " is created twice");
  }
  if (seen.StateOf(ends.start) != ElementState::kVisible) return NotThere("start node ", ends.start.value);
  if (seen.StateOf(ends.end) != ElementState::kVisible) return NotThere("end node ", ends.end.value);
  if (store_->tokens.types.Name(ends.type).empty()) return Corruption("type " + std::to_string(ends.type.value) + " has no name");
  RETURN_IF_ERROR(CheckKeys(properties));
  // A chunk of the base has one type for all that is in it.
  const TypeId of_chunk = chunk_types_.emplace(ChunkOf(id.value), ends.type).first->second;
  if (of_chunk != ends.type) {
    return Corruption("relationship " + std::to_string(id.value) + " of type " + store_->tokens.types.Name(ends.type) + " in a chunk of type " +
                      store_->tokens.types.Name(of_chunk));
  }
  store_->ids.ObserveRelationship(id, ends.type);
  own_->CreateRelationship(id, ends.start, ends.type, ends.end, std::move(properties));
  return Status::Ok();
}

Status Recovery::DeleteRelationship(RelId id) {
  const Overlay seen = Seen();
  if (seen.StateOf(id) != ElementState::kVisible) return NotThere("relationship ", id.value);
  own_->DeleteRelationship(own_->Touch(id, *seen.EndsOf(id)));
  return Status::Ok();
}

Status Recovery::SetProperties(RelId id, PropertyList changed) {
  const Overlay seen = Seen();
  if (seen.StateOf(id) != ElementState::kVisible) return NotThere("relationship ", id.value);
  RETURN_IF_ERROR(CheckKeys(changed));
  PropertyList before;
  seen.Properties(id, &before);
  OwnRelationship* rel = own_->Touch(id, *seen.EndsOf(id));
  rel->properties = std::move(before);
  for (auto& [key, value] : changed) own_->SetProperty(rel, key, std::move(value));
  return Status::Ok();
}

namespace {
// What the commit that wrote it had tested, as far as code relies on it.
Status CheckSchema(const SchemaVersion& schema) {
  std::set<uint32_t> ids;
  if (schema.next_id > kTokensMax) return Corruption("a schema with " + std::to_string(schema.next_id) + " numbers of indexes and constraints");
  auto known = [&](uint32_t id) { return id >= schema.next_id || !ids.insert(id).second; };
  for (const IndexDefinition& d : schema.indexes) {
    if (known(d.id.value)) return Corruption("index " + d.name + " has a number that another has, or that is still to come");
    if (d.kind == IndexKind::kRange && d.tokens.size() != 1) return Corruption("range index " + d.name + " of several labels");
    if (d.kind != IndexKind::kVector) continue;
    const VectorIndexOptions& o = d.vector;
    if (d.properties.size() != 1 || o.dimensions > kVectorDimensionsMax || o.m < 1 || o.m > kHnswMMax || o.ef_construction < 1 ||
        o.ef_construction > kHnswEfConstructionMax) {
      return Corruption("vector index " + d.name + " with options out of their range");
    }
  }
  for (const ConstraintDefinition& d : schema.constraints) {
    if (known(d.id.value)) return Corruption("constraint " + d.name + " has a number that another has, or that is still to come");
  }
  return Status::Ok();
}

bool IsOpenRange(uint64_t next, uint64_t end, uint64_t chunks) {
  return next <= end && end - next <= kChunkElements && end <= chunks * kChunkElements && end % kChunkElements == 0;
}
}  // namespace

// Numbers never come back: lists of an index that was dropped are still there for snapshots from before.
Status Recovery::CheckNumbers(const SchemaVersion& schema, const SchemaVersion& before) {
  if (schema.next_id < before.next_id) return Corruption("a schema that gives numbers away a second time");
  std::map<IndexId, IndexKind> gone;
  for (const IndexDefinition& d : before.indexes) gone.emplace(d.id, d.kind);
  for (const IndexDefinition& d : schema.indexes) {
    const auto was = gone.find(d.id);
    if (dropped_.contains(d.id) || (was != gone.end() && was->second != d.kind)) {
      return Corruption("index " + d.name + " has the number of one that was dropped");
    }
    if (was != gone.end()) gone.erase(was);
  }
  for (const auto& [id, kind] : gone) dropped_.insert(id);
  return Status::Ok();
}

Status Recovery::Schema(SchemaVersion schema) {
  RETURN_IF_ERROR(CheckSchema(schema));
  RETURN_IF_ERROR(CheckNumbers(schema, *(new_schema_ != nullptr ? *new_schema_ : *store_->schemas.newest()).version));
  new_schema_ = SchemaState::Bind(std::make_shared<const SchemaVersion>(std::move(schema)), store_->schemas.newest().get());
  return Status::Ok();
}

Status Recovery::Ids(const IdAllocator::Snapshot& ids) {
  const uint64_t chunks_max = kIdsMax / kChunkElements;
  bool good = ids.node_chunks <= chunks_max && ids.relationship_chunks <= chunks_max &&
              IsOpenRange(ids.shared_next, ids.shared_end, ids.node_chunks);
  for (const auto& set : ids.node_sets) good = good && IsOpenRange(set.next, set.end, ids.node_chunks);
  for (const auto& range : ids.types) good = good && IsOpenRange(range.next, range.end, ids.relationship_chunks);
  // Of two ranges that are open in one chunk the same id would be taken twice.
  std::set<uint64_t> open;
  auto apart = [&](uint64_t next, uint64_t end) { return next == end || open.insert(end).second; };
  good = good && apart(ids.shared_next, ids.shared_end);
  for (const auto& set : ids.node_sets) good = good && apart(set.next, set.end);
  open.clear();
  for (const auto& range : ids.types) good = good && apart(range.next, range.end);
  if (!good) return Corruption("open ranges of ids that no allocator has");
  store_->ids.Restore(ids);
  return Status::Ok();
}

}  // namespace fornix::storage

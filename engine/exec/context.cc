#include "engine/exec/context.h"

#include <algorithm>

#include "base/nearest.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/session/transaction_registry.h"

namespace fornix::engine {

namespace {
// Seeds of runs that ask for none: a thread asks the operating system once, not for every statement.
uint64_t NextSeed() {
  thread_local Random seeds(SystemRandom64());
  return seeds.Next();
}
}  // namespace

ExecutionContext::Shared::Shared(const planner::PhysicalPlan& plan, const ExecutionOptions& options)
    : memory(options.memory_bytes_max, options.budget),
      slot_count(plan.slot_count),
      profile(options.profile ? plan.operator_count : 0),
      notifications(plan.notifications),
      random(options.random_seed != 0 ? options.random_seed : NextSeed()) {}

ExecutionContext::ExecutionContext(const planner::PhysicalPlan& plan, const ExecutionOptions& options)
    : plan_(plan),
      options_(options),
      transaction_(options.transaction),
      shared_(std::make_shared<Shared>(plan, options)),
      elements_(std::make_unique<ViewElementReader>(*this)) {
  functions_ = {elements_.get(), options.statement_time, options.transaction_time, &shared_->random};
}

ExecutionContext::ExecutionContext(ExecutionContext& outer, storage::Transaction* transaction)
    : plan_(outer.plan_),
      options_(outer.options_),
      transaction_(transaction),
      shared_(outer.shared_),
      elements_(std::make_unique<ViewElementReader>(*this)) {
  functions_ = outer.functions_;
  functions_.elements = elements_.get();
}

ExecutionContext::~ExecutionContext() = default;

Result<SpillFile*> ExecutionContext::spill() {
  if (shared_->spill == nullptr) {
    ASSIGN_OR_RETURN(std::unique_ptr<File> file, options_.spill->NewFile());
    shared_->spill = std::make_unique<SpillFile>(std::move(file), shared_->memory);
  }
  return shared_->spill.get();
}

Status ExecutionContext::ResolveParameters() {
  shared_->parameters.assign(plan_.parameters.size(), Value());
  std::vector<bool> literal(plan_.parameters.size());
  for (const auto& [place, number] : plan_.literals) {
    if (number >= options_.literals.size()) return {Code::kInternal, "a plan of lifted literals was run without them"};
    shared_->parameters[place] = options_.literals[number];
    literal[place] = true;
  }
  for (size_t i = 0; i < plan_.parameters.size(); ++i) {
    if (literal[i]) continue;
    const std::string& name = plan_.parameters[i];
    const Value* value = options_.parameters.Find(name);
    if (value == nullptr) {
      std::vector<std::string> given;
      for (const auto& [known, unused] : options_.parameters) given.push_back(known);
      return Status(Code::kParameterMissing, "Expected parameter(s): " + name + "; the statement names $" + name +
                                                 " but no value was given for it" + DidYouMeanOrAll(name, given))
          .Detail("MissingParameter")
          .CompileTime();
    }
    shared_->parameters[i] = *value;
  }
  return Status::Ok();
}

Status CheckInterrupted(const std::atomic<bool>* cancel, const OpenTransaction* open, uint64_t deadline_ns) {
  if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return {Code::kCancelled, "the statement was cancelled"};
  if (open != nullptr && open->terminated()) return open->CheckTerminated();
  if (deadline_ns != 0 && MonotonicNanos() >= deadline_ns) {
    return {Code::kDeadlineExceeded, "the statement took longer than its time limit allows"};
  }
  return Status::Ok();
}

void AddCounters(const storage::WriteCounters& more, storage::WriteCounters* sum) {
  sum->nodes_created += more.nodes_created;
  sum->nodes_deleted += more.nodes_deleted;
  sum->relationships_created += more.relationships_created;
  sum->relationships_deleted += more.relationships_deleted;
  sum->properties_set += more.properties_set;
  sum->labels_added += more.labels_added;
  sum->labels_removed += more.labels_removed;
  sum->indexes_added += more.indexes_added;
  sum->indexes_removed += more.indexes_removed;
  sum->constraints_added += more.constraints_added;
  sum->constraints_removed += more.constraints_removed;
}

Status DeletedAccess(bool relationship, uint64_t id) {
  return Status(Code::kEntityNotFound, std::string("the ") + (relationship ? "relationship" : "node") + " with id " +
                                           std::to_string(id) + " has been deleted in this transaction")
      .Detail("DeletedEntityAccess");
}

Status ViewElementReader::CheckAlive(NodeId id) const {
  if (!context_.has_deletes() || context_.view().StateOf(id) == storage::ElementState::kVisible) return Status::Ok();
  return DeletedAccess(false, id.value);
}

Status ViewElementReader::CheckAlive(RelId id) const {
  if (!context_.has_deletes() || context_.view().StateOf(id) == storage::ElementState::kVisible) return Status::Ok();
  return DeletedAccess(true, id.value);
}

Result<std::vector<std::string>> ViewElementReader::NodeLabels(uint64_t node) {
  RETURN_IF_ERROR(CheckAlive(NodeId(node)));
  std::vector<LabelId> labels;
  context_.view().Labels(NodeId(node), &labels);
  std::vector<std::string> names;
  names.reserve(labels.size());
  for (LabelId label : labels) names.push_back(context_.tokens().labels.Name(label));
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> ViewElementReader::RelationshipType(uint64_t relationship) {
  return std::string(context_.tokens().types.Name(context_.view().Ends(RelId(relationship)).type));
}

Result<std::pair<uint64_t, uint64_t>> ViewElementReader::RelationshipEnds(uint64_t relationship) {
  const storage::RelationshipEnds ends = context_.view().Ends(RelId(relationship));
  return std::pair<uint64_t, uint64_t>(ends.start.value, ends.end.value);
}

namespace {
Map Named(const storage::Tokens& tokens, storage::PropertyList& list) {
  std::vector<Map::Entry> entries;
  entries.reserve(list.size());
  for (auto& [key, value] : list) entries.emplace_back(tokens.properties.Name(key), std::move(value));
  return Map::FromEntries(std::move(entries));
}
}  // namespace

Result<Map> ViewElementReader::NodeProperties(uint64_t node) {
  RETURN_IF_ERROR(CheckAlive(NodeId(node)));
  storage::PropertyList list;
  context_.view().Properties(NodeId(node), &list);
  return Named(context_.tokens(), list);
}

Result<Map> ViewElementReader::RelationshipProperties(uint64_t relationship) {
  RETURN_IF_ERROR(CheckAlive(RelId(relationship)));
  storage::PropertyList list;
  context_.view().Properties(RelId(relationship), &list);
  return Named(context_.tokens(), list);
}

Result<Value> ViewElementReader::NodeProperty(uint64_t node, std::string_view key) {
  RETURN_IF_ERROR(CheckAlive(NodeId(node)));
  const std::optional<PropertyId> id = context_.tokens().properties.Find(key);
  if (!id) return Value();
  return context_.view().Property(NodeId(node), *id);
}

Result<Value> ViewElementReader::RelationshipProperty(uint64_t relationship, std::string_view key) {
  RETURN_IF_ERROR(CheckAlive(RelId(relationship)));
  const std::optional<PropertyId> id = context_.tokens().properties.Find(key);
  if (!id) return Value();
  return context_.view().Property(RelId(relationship), *id);
}

}  // namespace fornix::engine

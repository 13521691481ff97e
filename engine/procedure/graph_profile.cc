#include "engine/procedure/graph_profile.h"

#include <algorithm>

#include "engine/exec/expression.h"

namespace fornix::engine {
namespace {

constexpr size_t kElementsAtOnce = 1024;
constexpr size_t kEntryBytes = 256;              // an entry of a map, with its name

class Profiler {
 public:
  Profiler(ExecutionContext& context, const ProfileWanted& wanted, ScratchCharge* charge, GraphProfile* out)
      : context_(context), wanted_(wanted), charge_(charge), out_(out), label_names_(context.tokens().labels.Names()),
        type_names_(context.tokens().types.Names()), property_names_(context.tokens().properties.Names()) {}

  Status Labels() {
    for (uint32_t i = 0; i < label_names_.size(); i++) {
      const uint64_t count = context_.view().CountLabel(LabelId(i));
      if (count == 0 || !wanted_.Label(label_names_[i])) continue;
      RETURN_IF_ERROR(charge_->Add(kEntryBytes));
      ElementProfile& profile = out_->labels[label_names_[i]];
      storage::ScanPosition position;
      const auto next = [&](NodeId* ids) { return context_.view().ScanLabel(LabelId(i), &position, ids, kElementsAtOnce); };
      const auto read = [&](NodeId id) -> Status {
        context_.view().Labels(id, &labels_);
        for (LabelId other : labels_) {
          if (other.value == i || !profile.other_labels.insert(label_names_[other.value]).second) continue;
          RETURN_IF_ERROR(charge_->Add(kEntryBytes));
        }
        return ReadInto(id, &profile);
      };
      RETURN_IF_ERROR(Nodes(count, next, read));
    }
    return Status::Ok();
  }

  Status LabelSets() {
    storage::ScanPosition position;
    const auto next = [&](NodeId* ids) { return context_.view().ScanNodes(&position, ids, kElementsAtOnce); };
    return Nodes(context_.view().CountNodes(), next, [&](NodeId id) -> Status {
      const auto [it, is_new] = out_->label_sets.try_emplace(NamesOf(id));
      if (is_new) RETURN_IF_ERROR(charge_->Add(kEntryBytes * (1 + it->first.size())));
      return ReadInto(id, &it->second);
    });
  }

  Status Types() {
    std::vector<RelId> ids(kElementsAtOnce);
    for (uint32_t i = 0; i < type_names_.size(); i++) {
      const TypeId type(i);
      const uint64_t count = context_.view().CountRelationships(type);
      if (count == 0 || !wanted_.RelationshipType(type_names_[i])) continue;
      RETURN_IF_ERROR(charge_->Add(kEntryBytes));
      ElementProfile& profile = out_->types[type_names_[i]];
      storage::ScanPosition position;
      const uint64_t step = Step(count);
      uint64_t place = 0;
      while (true) {
        RETURN_IF_ERROR(context_.CheckInterrupt());
        const size_t n = context_.view().ScanRelationships(type, &position, ids.data(), ids.size());
        if (n == 0) break;
        for (size_t k = 0; k < n; k++) {
          if (place++ % step != 0) continue;
          RETURN_IF_ERROR(ReadInto(ids[k], &profile));
          if (wanted_.labels) RETURN_IF_ERROR(Join(ids[k], type));
        }
      }
    }
    return Status::Ok();
  }

 private:
  uint64_t Step(uint64_t count) const { return wanted_.sample == 0 ? 1 : std::max<uint64_t>(1, count / wanted_.sample); }

  template <typename NextIds, typename Read>
  Status Nodes(uint64_t count, const NextIds& next, const Read& read) {
    std::vector<NodeId> ids(kElementsAtOnce);
    const uint64_t step = Step(count);
    uint64_t place = 0;
    while (true) {
      RETURN_IF_ERROR(context_.CheckInterrupt());
      const size_t n = next(ids.data());
      if (n == 0) return Status::Ok();
      for (size_t k = 0; k < n; k++) {
        if (place++ % step == 0) RETURN_IF_ERROR(read(ids[k]));
      }
    }
  }

  template <typename Id>
  Status ReadInto(Id id, ElementProfile* profile) {
    profile->read++;
    context_.view().Properties(id, &properties_);
    context_.db_hits += properties_.size();
    for (const auto& [key, value] : properties_) {
      const auto [it, is_new] = profile->properties.try_emplace(property_names_[key.value]);
      if (is_new) RETURN_IF_ERROR(charge_->Add(kEntryBytes));
      PropertyProfile& property = it->second;
      property.seen++;
      property.types[value.type()]++;
      if (value.type() == Type::kList) property.items[value.AsList().empty() ? Type::kNull : value.AsList()[0].type()]++;
    }
    return Status::Ok();
  }

  Status Join(RelId id, TypeId type) {
    const storage::RelationshipEnds ends = context_.view().Ends(id);
    const uint64_t left = context_.view().Degree(ends.start, {&type, 1}, storage::Direction::kOutgoing);
    const uint64_t right = context_.view().Degree(ends.end, {&type, 1}, storage::Direction::kIncoming);
    const std::vector<std::string> starts = NamesOf(ends.start), to = NamesOf(ends.end);
    const auto add = [&](auto* joins, const std::vector<std::string>& labels, const std::vector<std::string>& others, uint64_t degree) -> Status {
      for (const std::string& label : labels) {
        const auto [it, is_new] = joins->try_emplace({label, type_names_[type.value]});
        if (is_new) RETURN_IF_ERROR(charge_->Add(kEntryBytes));
        JoinProfile& join = it->second;
        join.count++;
        join.left += left;
        join.right += right;
        join.several = join.several || degree > 1;
        for (const std::string& other : others) {
          if (join.others[other]++ == 0) RETURN_IF_ERROR(charge_->Add(kEntryBytes));
        }
      }
      return Status::Ok();
    };
    RETURN_IF_ERROR(add(&out_->out, starts, to, left));
    return add(&out_->in, to, starts, right);
  }

  // Sorted.
  std::vector<std::string> NamesOf(NodeId id) {
    context_.view().Labels(id, &labels_);
    std::vector<std::string> names;
    for (LabelId label : labels_) names.push_back(label_names_[label.value]);
    std::sort(names.begin(), names.end());
    return names;
  }

  ExecutionContext& context_;
  const ProfileWanted& wanted_;
  ScratchCharge* const charge_;
  GraphProfile* const out_;
  const std::vector<std::string> label_names_, type_names_, property_names_;
  std::vector<LabelId> labels_;
  storage::PropertyList properties_;
};

}  // namespace

Status ReadProfileOptions(const Value& config, ProfileWanted* wanted) {
  wanted->sample = kSampleDefault;
  if (config.type() != Type::kMap) return Status::Ok();
  if (const Value* sample = config.AsMap().Find("sample"); sample != nullptr && !sample->is_null()) {
    if (sample->type() != Type::kInteger) {
      return Status(Code::kTypeError, "the option `sample` is an INTEGER, not " + Shown(*sample)).Detail("InvalidArgumentType");
    }
    wanted->sample = sample->AsInteger() <= 0 ? 0 : static_cast<uint64_t>(sample->AsInteger());
  }
  const std::pair<const char*, std::set<std::string>*> lists[] = {{"includeLabels", &wanted->include_labels}, {"labels", &wanted->include_labels},
                                                                  {"excludeLabels", &wanted->exclude_labels}, {"excludes", &wanted->exclude_labels},
                                                                  {"includeRels", &wanted->include_types},    {"rels", &wanted->include_types},
                                                                  {"excludeRels", &wanted->exclude_types}};
  for (const auto& [key, set] : lists) {
    const Value* value = config.AsMap().Find(key);
    if (value == nullptr || value->is_null()) continue;
    if (value->type() != Type::kList) {
      return Status(Code::kTypeError, "the option `" + std::string(key) + "` is a LIST<STRING>, not " + Shown(*value)).Detail("InvalidArgumentType");
    }
    for (const Value& name : value->AsList()) {
      if (name.type() == Type::kString) set->insert(name.AsString());
    }
  }
  return Status::Ok();
}

Type PropertyProfile::MostOften() const {
  Type most = Type::kNull;
  uint64_t count = 0;
  for (const auto& [type, n] : types) {
    if (n > count) most = type, count = n;
  }
  return most;
}

Status ProfileGraph(ExecutionContext& context, const ProfileWanted& wanted, ScratchCharge* charge, GraphProfile* out) {
  Profiler profiler(context, wanted, charge, out);
  if (wanted.labels) RETURN_IF_ERROR(profiler.Labels());
  if (wanted.label_sets) RETURN_IF_ERROR(profiler.LabelSets());
  return wanted.types ? profiler.Types() : Status::Ok();
}

}  // namespace fornix::engine

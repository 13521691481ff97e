#include "tests/corrupt/sample.h"

#include <functional>
#include <limits>

namespace fornix::corrupt {
namespace {

using namespace storage;   // NOLINT: a test

// One transaction; the first error ends it.
class Writes {
 public:
  static Result<Writes> Begin(Store& store) {
    ASSIGN_OR_RETURN(auto transaction, store.Begin());
    return Writes(std::move(transaction));
  }
  NodeId Node(std::vector<std::string> labels, std::vector<std::pair<std::string, Value>> properties) {
    std::vector<LabelId> ids;
    for (const std::string& label : labels) ids.push_back(Take(t_->InternLabel(label)));
    return Take(t_->CreateNode(ids, List(std::move(properties))));
  }
  RelId Rel(NodeId start, const std::string& type, NodeId end, std::vector<std::pair<std::string, Value>> properties = {}) {
    return Take(t_->CreateRelationship(start, Take(t_->InternType(type)), end, List(std::move(properties))));
  }
  PropertyId Key(const std::string& name) { return Take(t_->InternProperty(name)); }
  LabelId Label(const std::string& name) { return Take(t_->InternLabel(name)); }
  TypeId Type(const std::string& name) { return Take(t_->InternType(name)); }
  void Note(const Status& status) {
    if (status_.ok()) status_ = status;
  }
  Transaction& operator*() { return *t_; }
  Transaction* operator->() { return t_.get(); }
  Status Commit() {
    RETURN_IF_ERROR(status_);
    return t_->Commit().status();
  }

 private:
  explicit Writes(std::unique_ptr<Transaction> t) : t_(std::move(t)) {}
  PropertyList List(std::vector<std::pair<std::string, Value>> properties) {
    PropertyList list;
    for (auto& [name, value] : properties) list.emplace_back(Key(name), std::move(value));
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return list;
  }
  template <typename T>
  T Take(Result<T> result) {
    Note(result.status());
    return result.ok() ? std::move(result).value() : T{};
  }
  std::unique_ptr<Transaction> t_;
  Status status_;
};

Value Floats(int n, double from) {
  List list;
  for (int i = 0; i < n; ++i) list.emplace_back(from + 0.25 * i);
  return list;
}

Status Schema(Store& store) {
  struct Range { const char *name, *token, *property; EntityKind entity; bool unique; };
  for (const Range& r : {Range{"person_key", "Person", "key", EntityKind::kNode, true}, Range{"person_name", "Person", "name", EntityKind::kNode, false},
                         Range{"knows_since", "KNOWS", "since", EntityKind::kRelationship, false}}) {
    ASSIGN_OR_RETURN(Writes w, Writes::Begin(store));
    const uint32_t token = r.entity == EntityKind::kNode ? w.Label(r.token).value : w.Type(r.token).value;
    if (r.unique) {
      ConstraintDefinition constraint;
      constraint.name = r.name;
      constraint.token = token;
      constraint.properties = {w.Key(r.property)};
      w.Note(w->CreateConstraint(std::move(constraint), false).status());
    } else {
      IndexDefinition index;
      index.name = r.name;
      index.entity = r.entity;
      index.tokens = {token};
      index.properties = {w.Key(r.property)};
      w.Note(w->CreateIndex(std::move(index), false).status());
    }
    RETURN_IF_ERROR(w.Commit());
  }
  ASSIGN_OR_RETURN(Writes w, Writes::Begin(store));
  IndexDefinition index;
  index.name = "memory_vector";
  index.kind = IndexKind::kVector;
  index.tokens = {w.Label("Memory").value};
  index.properties = {w.Key("embedding")};
  index.vector.dimensions = 8;
  index.vector.metric = Metric::kEuclidean;
  w.Note(w->CreateIndex(std::move(index), false).status());
  return w.Commit();
}

Status AllKinds(Store& store) {
  ASSIGN_OR_RETURN(Writes w, Writes::Begin(store));
  const double inf = std::numeric_limits<double>::infinity();
  w.Node({"Kinds"}, {{"true", true}, {"false", false}, {"zero", 0}, {"min", std::numeric_limits<int64_t>::min()},
                     {"max", std::numeric_limits<int64_t>::max()}, {"pi", 3.14159}, {"minus_zero", -0.0}, {"inf", inf},
                     {"empty", ""}, {"text", "\xC3\xA5ngstr\xC3\xB6m \xF0\x9F\x8C\xB2"}, {"bytes", Value::Bytes(std::string("\0\xFF\x80", 3))}});
  w.Node({"Kinds", "Other"}, {{"list", List{1, 2, 3}}, {"texts", List{"a", "", "b"}}, {"none", List{}}, {"floats", Floats(12, 0.1)},
                              {"doubles", Value(List{0.1, 1e300, -5e-324, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0})},
                              {"vector", Value::Vector({1.0f, -2.5f, 0.0f})}, {"date", Date{-1}}, {"dates", List{Date{0}, Date{20000}}}});
  w.Node({"Kinds"}, {{"local_time", LocalTime{86399999999999}}, {"time", Time{1, -3600}}, {"local", LocalDateTime{-62135596800, 999999999}},
                     {"zoned", DateTime{1700000000, 5, 3600, "Europe/Stockholm"}}, {"offset", DateTime{0, 0, 7200, ""}},
                     {"duration", Duration{-1, 30, -5, 999999999}}, {"point", Point{4326, 12.5, -55.25, 0}}, {"point3", Point{9157, 1, 2, 3}}});
  return w.Commit();
}

}  // namespace

StoreOptions SampleOptions() {
  StoreOptions options;
  options.log_segment_bytes = 64 << 10;
  options.background_threads = false;
  return options;
}

std::unique_ptr<FaultFileSystem> EmptyDisk() {
  auto disk = std::make_unique<FaultFileSystem>();
  (void)disk->CreateDir("db");
  return disk;
}

Status FillSample(Store& store, const SampleSize& size) {
  RETURN_IF_ERROR(Schema(store));
  RETURN_IF_ERROR(AllKinds(store));
  std::vector<NodeId> people;
  for (uint32_t at = 0; at < size.nodes;) {
    ASSIGN_OR_RETURN(Writes w, Writes::Begin(store));
    for (const uint32_t end = std::min(size.nodes, at + 20); at < end; ++at) {
      const auto n = static_cast<int64_t>(at);
      people.push_back(w.Node(at % 3 == 0 ? std::vector<std::string>{"Person", "Friend"} : std::vector<std::string>{"Person"},
                              {{"key", n}, {"name", "person " + std::to_string(at % 17)}, {"score", at * 0.5}}));
      w.Node({"Memory"}, {{"text", "memory " + std::to_string(at)}, {"embedding", Floats(8, at * 0.01)}});
      if (at > 0) w.Rel(people[at - 1], "KNOWS", people[at], {{"since", n % 11}});
      if (at % 7 == 0) w.Rel(people[at], "LIKES", people[at / 2]);
      if (at % 10 == 0) w.Rel(people[at], "KNOWS", people[at], {{"since", -n}});
      if (at % 15 == 1) w.Rel(people[at - 1], "KNOWS", people[at]);
    }
    RETURN_IF_ERROR(w.Commit());
  }
  ASSIGN_OR_RETURN(Writes w, Writes::Begin(store));
  const NodeId hub = w.Node({"Hub"}, {{"name", "hub"}});
  for (uint32_t i = 0; i < size.hub; ++i) {
    const NodeId other = people[i % people.size()];
    const bool outgoing = size.hub_outgoing || i % 2 == 0;
    w.Rel(outgoing ? hub : other, "AT", outgoing ? other : hub);
  }
  if (size.text_bytes > 0) {
    std::string text;
    for (uint32_t i = 0; text.size() < size.text_bytes; ++i) text += std::to_string(i * 2654435761u);
    w.Node({"Long"}, {{"text", text}});
  }
  RETURN_IF_ERROR(w.Commit());
  ASSIGN_OR_RETURN(Writes d, Writes::Begin(store));
  for (size_t i = 5; i < people.size(); i += 13) d.Note(d->DeleteNode(people[i], true));
  return d.Commit();
}

Status ChangeSample(Store& store, const std::function<Status()>& after_each) {
  const auto one = [&](const std::function<void(Writes&)>& change) -> Status {
    ASSIGN_OR_RETURN(Writes w, Writes::Begin(store));
    change(w);
    RETURN_IF_ERROR(w.Commit());
    return after_each();
  };
  NodeId first, second;
  RETURN_IF_ERROR(one([&](Writes& w) { first = w.Node({"Person", "Late"}, {{"key", 100'000}, {"name", "late"}}); }));
  RETURN_IF_ERROR(one([&](Writes& w) { second = w.Node({"Memory"}, {{"text", "late"}, {"embedding", Floats(8, 3)}}); }));
  RETURN_IF_ERROR(one([&](Writes& w) { w.Rel(first, "REMEMBERS", second, {{"since", 7}}); }));
  RETURN_IF_ERROR(one([&](Writes& w) { w.Note(w->SetProperty(first, w.Key("name"), "later")); }));
  return one([&](Writes& w) {
    w.Note(w->RemoveLabel(first, w.Label("Late")));
    w.Note(w->SetProperty(second, w.Key("text"), Value()));
    const NodeId third = w.Node({"Person"}, {{"key", 100'001}});
    w.Rel(third, "KNOWS", first, {{"since", 1}});
    w.Rel(third, "KNOWS", third);
  });
}

Result<std::vector<std::byte>> FileBytes(FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, files.Open(path, {}));
  ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  std::vector<std::byte> bytes(size);
  RETURN_IF_ERROR(file->ReadExactAt(0, bytes));
  return bytes;
}

Status PutFile(FileSystem& files, const std::string& path, std::span<const std::byte> bytes) {
  OpenOptions options;
  options.write = options.create = true;
  ASSIGN_OR_RETURN(const auto file, files.Open(path, options));
  RETURN_IF_ERROR(file->Truncate(bytes.size()));
  if (bytes.empty()) return Status::Ok();
  return file->WriteAt(0, bytes);
}

}  // namespace fornix::corrupt

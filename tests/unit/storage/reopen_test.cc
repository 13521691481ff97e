#include <atomic>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "base/fault_file.h"
#include "base/random.h"
#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {

const std::string kPath = "/d/x.fornix";

StoreOptions Small(bool compact) {
  StoreOptions options;
  options.log_segment_bytes = 64 << 10;
  options.background_threads = false;
  options.checkpoint_on_close = compact;
  return options;
}

// All that a view shows, as text: equal texts, equal stores, ids included.
std::string DumpView(const GraphView& v, bool schema) {
  std::string text;
  PropertyList properties;
  auto put_properties = [&] {
    std::map<std::string, std::string> named;
    for (const auto& [key, value] : properties) named[v.tokens().properties.Name(key)] = ToText(value);
    for (const auto& [key, value] : named) text += " " + key + "=" + value;
    text += "\n";
  };
  for (uint64_t id : AllNodes(v)) {
    std::vector<LabelId> labels;
    v.Labels(NodeId(id), &labels);
    std::set<std::string> names;
    for (LabelId label : labels) names.insert(v.tokens().labels.Name(label));
    text += "n" + std::to_string(id);
    for (const std::string& name : names) text += ":" + name;
    std::set<uint64_t> out, in;
    for (auto [node, rel] : Around(v, NodeId(id), Direction::kOutgoing)) out.insert(rel);
    for (auto [node, rel] : Around(v, NodeId(id), Direction::kIncoming, {}, 3)) in.insert(rel);
    std::set<uint64_t> either = out;
    either.insert(in.begin(), in.end());
    CHECK(v.Degree(NodeId(id), {}, Direction::kOutgoing) == out.size());
    CHECK(v.Degree(NodeId(id), {}, Direction::kIncoming) == in.size());
    CHECK(v.Degree(NodeId(id), {}, Direction::kBoth) == either.size());
    for (uint64_t rel : out) text += " out" + std::to_string(rel);
    for (uint64_t rel : in) text += " in" + std::to_string(rel);
    v.Properties(NodeId(id), &properties);
    put_properties();
  }
  for (uint64_t id : AllRelationships(v)) {
    const RelationshipEnds ends = v.Ends(RelId(id));
    text += "r" + std::to_string(id) + ":" + v.tokens().types.Name(ends.type) + " " + std::to_string(ends.start.value) + "->" +
            std::to_string(ends.end.value);
    v.Properties(RelId(id), &properties);
    put_properties();
  }
  if (schema) {
    for (const IndexDefinition& d : v.schema().indexes) text += "index " + d.name + "\n";
    for (const ConstraintDefinition& d : v.schema().constraints) text += "constraint " + d.name + " " + d.type.text + "\n";
  }
  return text + "counts " + std::to_string(v.CountNodes()) + " " + std::to_string(v.CountRelationships({})) + "\n";
}
std::string Dump(TestStore& db, bool schema = true) {
  auto t = db.Begin(true);
  return DumpView(t->view(), schema);
}

// The same graph in maps.
struct Model {
  using Properties = std::map<std::string, Value>;
  struct Node { std::set<std::string> labels; Properties properties; };
  struct Rel { uint64_t start; std::string type; uint64_t end; Properties properties; };
  std::map<uint64_t, Node> nodes;
  std::map<uint64_t, Rel> rels;

  std::string Dump() const {
    std::string text;
    auto put_properties = [&](const Properties& properties) {
      for (const auto& [key, value] : properties) text += " " + key + "=" + ToText(value);
      text += "\n";
    };
    for (const auto& [id, node] : nodes) {
      text += "n" + std::to_string(id);
      for (const std::string& name : node.labels) text += ":" + name;
      for (const auto& [rel_id, rel] : rels) text += rel.start == id ? " out" + std::to_string(rel_id) : "";
      for (const auto& [rel_id, rel] : rels) text += rel.end == id ? " in" + std::to_string(rel_id) : "";
      put_properties(node.properties);
    }
    for (const auto& [id, rel] : rels) {
      text += "r" + std::to_string(id) + ":" + rel.type + " " + std::to_string(rel.start) + "->" + std::to_string(rel.end);
      put_properties(rel.properties);
    }
    return text + "counts " + std::to_string(nodes.size()) + " " + std::to_string(rels.size()) + "\n";
  }
};

// A random transaction, done to the model too.
void RandomWrites(Transaction& t, Random& random, Model* model) {
  auto pick = [&](const auto& map) { return std::next(map.begin(), static_cast<long>(random.Below(map.size())))->first; };
  const char* labels[] = {"A", "B", "C"};
  const char* types[] = {"R", "S"};
  auto set = [](Model::Properties* properties, const std::string& key, const Value& value) {
    if (value.is_null()) properties->erase(key);
    else (*properties)[key] = value;
  };
  for (uint64_t n = 1 + random.Below(8); n > 0; --n) {
    const uint64_t what = random.Below(10);
    const std::string label = labels[random.Below(3)];
    if (model->nodes.empty() || what < 3) {
      const int64_t x = static_cast<int64_t>(random.Below(100));
      model->nodes[MakeNode(t, label, {{"x", x}}).value] = {{label}, {{"x", x}}};
    } else if (what < 5) {
      const uint64_t start = pick(model->nodes), end = pick(model->nodes);
      const std::string type = types[random.Below(2)];
      model->rels[MakeRelationship(t, NodeId(start), type, NodeId(end)).value] = {start, type, end, {}};
    } else if (what == 5) {
      const uint64_t id = pick(model->nodes);
      const std::string key = random.OneIn(2) ? "x" : "y";
      const Value value = random.OneIn(3) ? Value() : Value("v" + std::to_string(random.Below(9)));
      Must(t.SetProperty(NodeId(id), P(t, key), value));
      set(&model->nodes[id].properties, key, value);
    } else if (what == 6) {
      const uint64_t id = pick(model->nodes);
      const bool add = random.OneIn(2);
      Must(add ? t.AddLabel(NodeId(id), L(t, label)) : t.RemoveLabel(NodeId(id), L(t, label)));
      if (add) model->nodes[id].labels.insert(label);
      else model->nodes[id].labels.erase(label);
    } else if (what == 7 && !model->rels.empty()) {
      const uint64_t id = pick(model->rels);
      const int64_t w = static_cast<int64_t>(random.Below(9));
      Must(t.SetProperty(RelId(id), P(t, "w"), w));
      model->rels[id].properties["w"] = w;
    } else if (what == 8 && !model->rels.empty()) {
      const uint64_t id = pick(model->rels);
      Must(t.DeleteRelationship(RelId(id)));
      model->rels.erase(id);
    } else if (what == 9 && random.OneIn(2)) {
      const uint64_t id = pick(model->nodes);
      Must(t.DeleteNode(NodeId(id), true));
      model->nodes.erase(id);
      std::erase_if(model->rels, [id](const auto& r) { return r.second.start == id || r.second.end == id; });
    }
  }
}

}  // namespace

TEST_CASE("what was committed is there after a close and after a crash, with its ids") {
  const bool close = GENERATE(false, true), compact = GENERATE(false, true);
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  std::string before;
  NodeId next;
  {
    TestStore db(disk, kPath, Small(compact));
    auto t = db.Begin();
    PropertyList everything;
    int n = 0;
    List embedding;
    for (int i = 0; i < 20; ++i) embedding.emplace_back(i / 8.0);
    List exact = embedding;
    exact[3] = 0.1;
    for (Value v : std::initializer_list<Value>{
             true, false, 1, -5000000000, 1.5, "text", Value::Bytes("b\0y"), List{"b", "a"}, embedding, exact, Value::Vector({1, 2.5}),
             Date{-3}, LocalTime{5}, Time{6, -3600}, LocalDateTime{-7, 8}, DateTime{9, 10, 3600, "Europe/Paris"},
             Duration{1, -2, 3, 4}, Point{4979, 1, 2, 3}, Point{7203, 1, 2, 0}}) {
      everything.emplace_back(P(*t, "p" + std::to_string(n++)), v);
    }
    const LabelId ab[] = {L(*t, "B"), L(*t, "A")};
    const NodeId a = Must(t->CreateNode(ab, everything));
    const NodeId b = MakeNode(*t, "B", {{"x", 1}});
    const NodeId gone = MakeNode(*t, "Gone");
    const RelId r = MakeRelationship(*t, a, "R", b);
    Must(t->SetProperty(r, P(*t, "w"), 2));
    Must(t->Commit());
    t = db.Begin();
    Must(t->DeleteNode(gone, false));
    Must(t->SetProperty(b, P(*t, "x"), Value()));
    Must(t->SetProperty(b, P(*t, "z"), "zz"));
    Must(t->RemoveLabel(a, L(*t, "A")));
    Must(t->Commit());
    t = db.Begin();
    ConstraintDefinition c;
    c.name = "typed";
    c.kind = ConstraintKind::kPropertyType;
    c.token = L(*t, "B").value;
    c.properties = {P(*t, "z")};
    c.type.text = "LIST<INTEGER NOT NULL> | STRING";
    Must(t->CreateConstraint(c, false));
    c.kind = ConstraintKind::kUnique;
    c.name = "key";
    Must(t->CreateConstraint(c, false));
    Must(t->Commit());
    before = Dump(db);
    next = NodeId(gone.value + 1);
    if (close) Must(db.store->Close());
  }
  for (int i = 0; i < 3; ++i) {
    TestStore db(disk, kPath, Small(compact));
    CHECK(Dump(db) == before);
    auto t = db.Begin();
    const uint64_t fresh = MakeNode(*t, "B").value;  // the id of a deleted node doesn't come back
    CHECK((i == 0 ? fresh == next.value : fresh >= next.value));
    t->Rollback();
    t = db.Begin();
    MakeNode(*t, "B", {{"z", "zz"}});
    CHECK(t->Commit().status().code() == Code::kConstraintViolation);
    std::vector<uint64_t> found;
    auto reader = db.Begin(true);
    SeekPosition position;
    Must(reader->view().SeekIndex(reader->view().schema().FindIndex("key")->id, ExactKey({"zz"}), false, &position, 10, &found));
    CHECK(found.size() == 1);
    reader.reset();
    Must(db.store->Close());
  }
}

TEST_CASE("a second open of the same file is refused, and a read-only one neither writes nor creates") {
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  StoreOptions reading = Small(true);
  reading.read_only = true;
  CHECK(Store::Open(disk, kPath, reading).status().code() == Code::kIoError);
  {
    TestStore db(disk, kPath, Small(true));
    CHECK(Store::Open(disk, kPath, Small(true)).status().code() == Code::kBusy);
    auto t = db.Begin();
    MakeNode(*t, "A");
    Must(t->Commit());
    Must(db.store->Close());
  }
  TestStore db(disk, kPath, reading);
  auto t = db.Begin();
  CHECK(t->CreateNode({}, {}).status().code() == Code::kReadOnly);
  CHECK(AllNodes(t->view()).size() == 1);
}

TEST_CASE("after any cut of power the store holds a prefix of the commits, all acknowledged ones among them") {
  const uint64_t seed = GENERATE(11, 12);
  std::cout << "seed=" << seed << "\n";
  Random random(seed);
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  Must(disk.SyncDir("/"));
  Model model;
  std::vector<std::string> states;             // after each commit
  std::vector<uint64_t> acknowledged_at;       // the disk's operation count then
  for (int session = 0; session < 3; ++session) {
    TestStore db(disk, kPath, Small(true));
    if (states.empty()) {
      states.push_back(Dump(db));
      acknowledged_at.push_back(0);
    }
    for (int i = 0; i < 12; ++i) {
      auto t = db.Begin();
      if (i == 5 && session == 0) {
        IndexDefinition d;
        d.name = "i";
        d.tokens = {L(*t, "A").value};
        d.properties = {P(*t, "x")};
        Must(t->CreateIndex(d, false));
      } else {
        RandomWrites(*t, random, &model);
      }
      Must(t->Commit());
      states.push_back(Dump(db));
      acknowledged_at.push_back(disk.op_count());
    }
    Must(db.store->Close());
  }
  const uint64_t ops = disk.op_count();
  for (int image = 0; image < 150; ++image) {
    const uint64_t cut = random.Below(ops + 1);
    const Damage damage = kAllDamage[random.Below(4)];
    INFO("cut before op " << cut << " of " << ops << " " << (cut < ops ? disk.DescribeOp(cut) : "") << " damage " << static_cast<int>(damage) << " image " << image);
    auto cut_disk = disk.ImageAt(cut, damage, seed * 1000 + static_cast<uint64_t>(image));
    if (cut_disk->Kind("/d").value() == FileKind::kNone) continue;
    TestStore db(*cut_disk, kPath, Small(true));
    const std::string found = Dump(db);
    const size_t least = static_cast<size_t>(std::upper_bound(acknowledged_at.begin(), acknowledged_at.end(), cut) - acknowledged_at.begin()) - 1;
    bool known = false;
    for (size_t i = least; i < states.size() && !known; ++i) known = states[i] == found;
    CHECK(known);
    auto t = db.Begin();                       // and it can be written and closed
    MakeNode(*t, "After");
    Must(t->Commit());
    Must(db.store->Close());
  }
}

TEST_CASE("after a failed write the store takes no more commits, says so, and reads go on") {
  const Fault fault = GENERATE(Fault::kIoError, Fault::kNoSpace, Fault::kFailedSync, Fault::kShortWrite);
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  {
    TestStore db(disk, kPath, Small(true));
    auto t = db.Begin();
    const NodeId id = MakeNode(*t, "A", {{"x", 1}});
    Must(t->Commit());
    disk.FailCall(0, fault, true);
    t = db.Begin();
    Must(t->SetProperty(id, P(*t, "x"), 2));
    Status status = t->Commit().status();
    CHECK(status.code() == Code::kIoError);
    CHECK(status.message().find("no more commits") != std::string::npos);
    disk.StopFailing();
    t = db.Begin();
    CHECK(t->view().Property(id, P(*t, "x")) == Value(1));
    MakeNode(*t, "A");
    CHECK(t->Commit().status().code() == Code::kIoError);
  }
  TestStore db(disk, kPath, Small(true));
  auto t = db.Begin();
  CHECK(AllNodes(t->view()).size() == 1);
  MakeNode(*t, "A");
  Must(t->Commit());
}

TEST_CASE("random transactions agree with a map, snapshots, checkpoints and reopenings too, on a real disk and in the background") {
  const uint64_t seed = GENERATE(21, 22, 23, 24, 25, 26);
  std::cout << "seed=" << seed << "\n";
  Random random(seed);
  const std::string dir = (std::filesystem::temp_directory_path() / ("fornix-store-test-" + std::to_string(SystemRandom64()))).string();
  std::filesystem::create_directory(dir);
  Model model;
  for (int session = 0; session < 4; ++session) {
    StoreOptions options;
    options.checkpoint_on_close = session % 2 == 1;
    options.checkpoint_log_bytes = session < 2 ? 0 : 8 << 10;   // in the background, every few transactions
    TestStore db(PosixFileSystem(), dir + "/x.fornix", options);
    CHECK(Dump(db, false) == model.Dump());
    std::vector<std::pair<std::unique_ptr<Transaction>, std::string>> snapshots;
    for (int i = 0; i < 40; ++i) {
      auto t = db.Begin();
      Model own = model;
      RandomWrites(*t, random, &own);
      CHECK(DumpView(t->view(), false) == own.Dump());   // own writes, before the commit
      if (random.OneIn(6)) continue;
      Must(t->Commit());
      model = own;
      if (random.OneIn(8)) Must(db.store->Checkpoint().status());
      for (auto& [snapshot, text] : snapshots) CHECK(DumpView(snapshot->view(), false) == text);
      if (random.OneIn(5)) snapshots.emplace_back(db.Begin(true), model.Dump());
      if (snapshots.size() > 3) snapshots.erase(snapshots.begin() + static_cast<long>(random.Below(3)));
    }
    CHECK(Dump(db, false) == model.Dump());
    snapshots.clear();
    if (session != 2) Must(db.store->Close());           // else as after a crash
  }
  std::filesystem::remove_all(dir);
}

TEST_CASE("what concurrent writers were told is durable is there after a crash, each transaction whole") {
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  StoreOptions options;
  options.log_segment_bytes = 64 << 10;
  constexpr int kThreads = 4, kRounds = 60;
  std::atomic<int> acknowledged{0};
  {
    TestStore db(disk, kPath, options);
    NodeId hub;
    {
      auto t = db.Begin();
      hub = MakeNode(*t, "Hub", {{"n", 0}});
      Must(t->Commit());
    }
    std::vector<std::thread> threads;
    for (int w = 0; w < kThreads; ++w) {
      threads.emplace_back([&] {
        for (int i = 0; i < kRounds; ++i) {
          auto t = std::move(db.store->Begin()).value();
          const LabelId label[] = {t->InternLabel("Leaf").value()};
          const NodeId leaf = t->CreateNode(label, {}).value();
          static_cast<void>(t->CreateRelationship(hub, t->InternType("R").value(), leaf, {}).value());
          const PropertyId n = t->InternProperty("n").value();
          const bool counts = i % 3 == 0;
          if (counts && !t->SetProperty(hub, n, t->view().Property(hub, n).AsInteger() + 1).ok()) std::abort();
          const auto result = t->Commit();
          if (result.ok()) {
            ++acknowledged;
          } else if (!result.status().retryable()) {
            std::abort();
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  TestStore db(disk, kPath, options);
  auto r = db.Begin(true);
  CHECK(r->view().CountRelationships({}) == static_cast<uint64_t>(acknowledged));
  CHECK(r->view().CountLabel(L(*r, "Leaf")) == static_cast<uint64_t>(acknowledged));
  CHECK(Around(r->view(), NodeId(0), Direction::kOutgoing).size() == static_cast<size_t>(acknowledged));
}

TEST_CASE("asynchronous commits are acknowledged in order, and become visible before they are") {
  FaultFileSystem disk;
  Must(disk.CreateDir("/d"));
  StoreOptions options = Small(true);
  options.background_threads = true;
  TestStore db(disk, kPath, options);
  std::mutex mutex;
  std::vector<Timestamp> order;
  bool all_visible = true;
  for (int i = 0; i < 50; ++i) {
    auto t = db.Begin();
    MakeNode(*t, "A");
    t->CommitAsync([&](Result<CommitResult> result) {
      std::lock_guard lock(mutex);
      order.push_back(result.ok() ? result->timestamp : 0);
      all_visible = all_visible && result.ok() && db.store->statistics().NodeCount() >= order.size();
    });
  }
  Must(db.store->Close());
  CHECK(order.size() == 50);
  CHECK(std::is_sorted(order.begin(), order.end()));
  CHECK(order.front() == 1);
  CHECK(all_visible);
}

}  // namespace fornix::storage

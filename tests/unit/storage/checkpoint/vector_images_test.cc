// Vector indexes over the opening of a database: what the checkpoint wrote is loaded, what the log has is put behind it, and nothing is
// encoded or linked a second time.
#include "storage/checkpoint/vector_images.h"

#include <algorithm>
#include <map>

#include "base/fault_file.h"
#include "base/limits.h"
#include "base/random.h"
#include "storage/check/check.h"
#include "storage/page/extent_header.h"
#include "storage/txn/transaction_impl.h"
#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {

const std::string kPath = "/d/x.fornix";
constexpr uint32_t kDimensions = 8;

List RandomVector(Random& random) {
  List list;
  for (uint32_t i = 0; i < kDimensions; ++i) list.emplace_back(static_cast<double>(static_cast<float>(random.Unit() * 2 - 1)));
  return list;
}

struct Disk {
  FaultFileSystem files;
  StoreOptions options;
  std::unique_ptr<TestStore> db;
  Random random{7};
  std::map<uint64_t, List> vectors;            // that are there
  std::vector<std::string> indexes;

  explicit Disk(bool background = false) {
    Must(files.CreateDir("/d"));
    options.background_threads = background;
  }
  TestStore& Open() {
    db = std::make_unique<TestStore>(files, kPath, options);
    return *db;
  }
  void Close() {
    Must(db->store->Close());
    db.reset();
  }
  void MakeIndex(const std::string& name, Metric metric = Metric::kCosine, vector::Quantization quantization = vector::Quantization::kNone) {
    auto ddl = db->Begin();
    IndexDefinition d;
    d.name = name;
    d.kind = IndexKind::kVector;
    d.tokens = {L(*ddl, "M").value};
    d.properties = {P(*ddl, "of " + name)};    // a and b: every node has the same vector twice
    d.vector.dimensions = kDimensions;
    d.vector.metric = metric;
    d.vector.quantization = quantization;
    CHECK(Must(ddl->CreateIndex(d, false)));
    Must(ddl->Commit());
    indexes.push_back(name);
  }
  void Insert(int n) {
    auto t = db->Begin();
    for (int i = 0; i < n; ++i) {
      List v = RandomVector(random);
      const uint64_t id = MakeNode(*t, "M", {{"of a", v}, {"of b", v}}).value;
      vectors[id] = std::move(v);
    }
    Must(t->Commit());
  }
  // One vector is changed and one deleted.
  void ChangeAndDelete() {
    auto t = db->Begin();
    auto at = std::next(vectors.begin(), static_cast<ptrdiff_t>(random.Below(vectors.size() - 1)));
    at->second = RandomVector(random);
    for (const char* property : {"of a", "of b"}) Must(t->SetProperty(NodeId(at->first), P(*t, property), at->second));
    at = std::next(at);
    Must(t->DeleteNode(NodeId(at->first), true));
    vectors.erase(at);
    Must(t->Commit());
  }
  std::shared_ptr<VectorIndex> Index(const std::string& name) {
    auto t = db->Begin(true);
    const SchemaState& schema = static_cast<TransactionImpl&>(*t).schema_state();
    return schema.FindVector(schema.version->FindIndex(name)->id)->index;
  }
  std::vector<VectorHit> Search(const std::string& name, const List& query, size_t k) {
    auto t = db->Begin(true);
    std::vector<float> q;
    for (const Value& x : query) q.push_back(static_cast<float>(x.AsNumber()));
    std::vector<VectorHit> hits;
    Must(t->view().SearchVector(t->view().schema().FindIndex(name)->id, {.vector = q, .k = k}, &hits, nullptr));
    return hits;
  }
  // All that are in each index, by a search for more than there are.
  void CheckIds() {
    std::vector<uint64_t> expected;
    for (const auto& [id, v] : vectors) expected.push_back(id);
    for (const std::string& name : indexes) {
      std::vector<uint64_t> found;
      for (const VectorHit& hit : Search(name, RandomVector(random), vectors.size() + 10)) found.push_back(hit.id);
      std::sort(found.begin(), found.end());
      INFO(name);
      CHECK(found == expected);
    }
  }
  std::vector<std::pair<uint64_t, float>> Answers() {
    Random queries(99);
    std::vector<std::pair<uint64_t, float>> answers;
    for (int i = 0; i < 20; ++i) {
      for (const std::string& name : indexes) {
        for (const VectorHit& hit : Search(name, RandomVector(queries), 10)) answers.emplace_back(hit.id, hit.score);
      }
    }
    return answers;
  }
  void CheckFile() {
    CheckResult result;
    Must(CheckFiles(files, kPath, {}, &result));
    for (const std::string& problem : result.problems) UNSCOPED_INFO(problem);
    CHECK(result.problem_count == 0);
    CHECK(result.vectors_unreachable == 0);
  }
};

// Damages the first extent of the kind.
void Damage(FileSystem& files, ExtentKind kind) {
  OpenOptions options;
  options.write = true;
  auto file = Must(files.Open(kPath, options));
  std::vector<std::byte> bytes(Must(file->Size()));
  Must(file->ReadExactAt(0, bytes));
  bool found = false;
  for (size_t at = 2 * kPageBytes; at + kPageBytes <= bytes.size() && !found; at += kPageBytes) {
    if (bytes[at] != static_cast<std::byte>(kind) || bytes[at + 1] > std::byte{1} || bytes[at + 2] != std::byte{0}) continue;
    found = true;
    const std::byte wrong[] = {bytes[at + 40] ^ std::byte{1}};
    Must(file->WriteAt(at + 40, wrong));
  }
  REQUIRE(found);
}

}  // namespace

TEST_CASE("a database that is opened again has its vector indexes without encoding or linking anything") {
  Disk disk(GENERATE(false, true));
  disk.Open();
  disk.MakeIndex("a");
  disk.MakeIndex("b", Metric::kEuclidean);
  disk.Insert(500);
  for (int i = 0; i < 20; ++i) disk.ChangeAndDelete();
  Must(disk.db->store->AwaitIndexes());
  const auto before = disk.Answers();
  disk.CheckIds();
  disk.Close();
  disk.CheckFile();
  for (int round = 0; round < 2; ++round) {
    disk.Open();
    CHECK(disk.Answers() == before);
    Must(disk.db->store->AwaitIndexes());
    for (const std::string& name : disk.indexes) {
      CHECK(disk.Index(name)->encoded_here() == 0);
      CHECK(disk.Index(name)->linked_here() == 0);
      CHECK(disk.Index(name)->unlinked() == 0);
    }
    disk.CheckIds();
    disk.Close();
    disk.CheckFile();
  }
}

TEST_CASE("after a crash the image is loaded and only what the log has behind it is stored again") {
  Disk disk(GENERATE(false, true));
  disk.Open();
  disk.MakeIndex("a");
  disk.Insert(400);
  Must(disk.db->store->AwaitIndexes());
  Must(disk.db->store->Checkpoint().status());
  disk.Insert(30);
  for (int i = 0; i < 5; ++i) disk.ChangeAndDelete();
  disk.db.reset();                             // without closing
  disk.CheckFile();
  disk.Open();
  disk.CheckIds();
  Must(disk.db->store->AwaitIndexes());
  CHECK(disk.Index("a")->encoded_here() == 35);
  CHECK(disk.Index("a")->linked_here() <= 35);
  CHECK(disk.Index("a")->unlinked() == 0);
  for (int i = 0; i < 5; ++i) disk.ChangeAndDelete();
  disk.CheckIds();
  Must(disk.db->store->Checkpoint().status());
  disk.CheckFile();
  disk.db.reset();
  disk.Open();
  disk.CheckIds();
  disk.Close();
  disk.CheckFile();
}

TEST_CASE("an index that was being filled when the database was closed is filled on, and what it had isn't done again") {
  Disk disk(true);
  disk.Open();
  const int nodes = static_cast<int>(kOnlineSchemaElements) + 4000;   // so many that it is filled in the background
  disk.Insert(nodes);
  Must(disk.db->store->Checkpoint().status());
  disk.MakeIndex("a");
  uint32_t had = 0;
  while (had < 1000) had = disk.Index("a")->size();
  disk.Close();
  disk.CheckFile();
  disk.Open();
  disk.CheckIds();                             // by a scan, if it must be
  Must(disk.db->store->AwaitIndexes());
  CHECK(disk.Index("a")->size() == static_cast<uint32_t>(nodes));
  CHECK(disk.Index("a")->encoded_here() <= static_cast<uint64_t>(nodes) - had);
  disk.CheckIds();
  // What came of it is worth a checkpoint, though nothing was committed.
  Must(disk.db->store->Checkpoint().status());
  disk.db.reset();
  disk.CheckFile();
  disk.Open();
  Must(disk.db->store->AwaitIndexes());
  CHECK(disk.Index("a")->encoded_here() == 0);
  CHECK(disk.Index("a")->linked_here() == 0);
  disk.CheckIds();
  disk.Close();
}

TEST_CASE("checkpoints between commits, drops and new indexes leave images of what there is, and their space is used again") {
  Disk disk;
  disk.Open();
  disk.MakeIndex("a");
  disk.Insert(300);
  uint64_t pages = 0;
  for (int round = 0; round < 12; ++round) {
    if (round == 3) disk.MakeIndex("b", Metric::kDot);
    if (round == 6) {
      auto ddl = disk.db->Begin();
      CHECK(Must(ddl->DropIndex("a", false)));
      Must(ddl->Commit());
      disk.indexes.erase(disk.indexes.begin());
    }
    disk.Insert(3);
    disk.ChangeAndDelete();
    disk.CheckIds();
    Must(disk.db->store->Checkpoint().status());
    disk.CheckIds();
    disk.CheckFile();
    if (round % 4 == 3) {
      disk.db.reset();
      disk.Open();
    }
    const uint64_t now = Must(Must(disk.files.Open(kPath, {}))->Size()) / kPageBytes;
    if (round == 7) pages = now;
    if (round > 7) CHECK(now <= pages + pages / 4);
  }
  disk.Close();
  disk.CheckFile();
}

TEST_CASE("a damaged image is named by searches and by the check, everything else goes on, and the next opening fills the index") {
  const ExtentKind kind = GENERATE(ExtentKind::kVectorDirectory, ExtentKind::kVectorCodes, ExtentKind::kVectorBaseLinks, ExtentKind::kVectorElements);
  Disk disk;
  disk.Open();
  disk.MakeIndex("a");
  disk.Insert(200);
  disk.Close();
  Damage(disk.files, kind);
  CheckResult result;
  Must(CheckFiles(disk.files, kPath, {}, &result));
  CHECK(result.problem_count > 0);
  disk.Open();
  {
    auto t = disk.db->Begin(true);
    std::vector<VectorHit> hits;
    const std::vector<float> q(kDimensions, 0.5f);
    const Status status = t->view().SearchVector(t->view().schema().FindIndex("a")->id, {.vector = q, .k = 3}, &hits, nullptr);
    INFO(status.ToString());
    CHECK(status.code() == Code::kCorruption);
    CHECK(status.message().find("vector index 'a'") != std::string::npos);
    CHECK(status.message().find(kPath) != std::string::npos);
    CHECK(AllNodes(t->view()).size() == 200);
  }
  disk.Insert(5);
  disk.ChangeAndDelete();
  Must(disk.db->store->Checkpoint().status());
  disk.Close();
  disk.Open();
  disk.CheckIds();
  CHECK(disk.Index("a")->encoded_here() == 204);
  disk.Close();
  disk.Open();
  disk.CheckIds();
  CHECK(disk.Index("a")->encoded_here() == 0);
  disk.Close();
}

TEST_CASE("a process that only reads loads the images, follows the writer, and holds its root only while it reads") {
  Disk disk(true);
  disk.Open();
  disk.MakeIndex("a");
  disk.Insert(300);
  Must(disk.db->store->AwaitIndexes());
  Must(disk.db->store->Checkpoint().status());
  StoreOptions reading;
  reading.read_only = true;
  const auto reader = Must(Store::Open(disk.files, kPath, reading));
  const auto ids = [&](const GraphView& view) {
    std::vector<VectorHit> hits;
    const std::vector<float> q(kDimensions, 0.5f);
    Must(view.SearchVector(view.schema().FindIndex("a")->id, {.vector = q, .k = 1000}, &hits, nullptr));
    return hits.size();
  };
  const auto held = Must(reader->Begin(true));
  CHECK(ids(held->view()) == 300);
  for (int round = 0; round < 6; ++round) {
    disk.Insert(20);
    disk.ChangeAndDelete();
    if (round % 2 == 0) Must(disk.db->store->Checkpoint().status());
    CHECK(ids(Must(reader->Begin(true))->view()) == disk.vectors.size());
    CHECK(ids(held->view()) == 300);
  }
  disk.Close();
}

}  // namespace fornix::storage

// Huge values and many of everything: a text at and above its limit, a node with thousands of properties, names up to their limit, a hub, a
// chain, loops and parallel relationships, one large transaction, an index key of a megabyte. Twins of a size for every
// run; FORNIX_LONG has the full one. Where there is a limit, the error names it and the next transaction works.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/limits.h"
#include "storage/store.h"
#include "tests/corrupt/must.h"
#include "tests/counts.h"

namespace fornix::corrupt {
namespace {

using namespace storage;   // NOLINT: a test

uint64_t Sized(uint64_t routine, uint64_t full) { return Counted(routine, routine, full); }

// A database on disk that is reopened at will.
struct Db {
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("fornix-huge-" + std::to_string(getpid()));
  std::unique_ptr<Store> store;
  Db() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    Open();
  }
  ~Db() {
    store.reset();
    std::filesystem::remove_all(folder);
  }
  void Open() { store = Must(Store::Open(PosixFileSystem(), (folder / "x.fornix").string(), {})); }
  void Reopen() {
    Must(store->Close());
    Open();
  }
  std::unique_ptr<Transaction> Begin() { return Must(store->Begin()); }
};

void LimitNamed(const Status& status, uint64_t limit) {
  INFO(status.ToString());
  REQUIRE(status.code() == Code::kLimitExceeded);
  REQUIRE(status.message().find(std::to_string(limit)) != std::string::npos);
}

uint64_t CountAround(const GraphView& view, NodeId id, Direction direction) {
  std::vector<Neighbour> step;
  uint64_t total = 0;
  ScanPosition position;
  for (bool done = false; !done; total += step.size()) {
    step.clear();
    done = view.Expand(id, {}, direction, &position, 1000, &step);
  }
  return total;
}

}  // namespace

TEST_CASE("a text of 16 MB is kept; one above the limit is refused by its name") {
  Db db;
  const std::string text(Sized(2'000'000, 16'000'000), 'q');
  auto t = db.Begin();
  const PropertyId key = Must(t->InternProperty("text"));
  const NodeId node = Must(t->CreateNode({}, {{key, Value(text)}}));
  Must(t->Commit().status());
  t.reset();
  for (int i = 0; i < 2; ++i) {
    db.Reopen();
    CHECK(db.Begin()->view().Property(node, key).AsString() == text);
  }
  t = db.Begin();
  LimitNamed(t->CreateNode({}, {{key, Value(std::string(Sized(kPropertyBytesMax + 1, uint64_t{1} << 30), 'q'))}}).status(), kPropertyBytesMax);
  t.reset();
  t = db.Begin();
  Must(t->SetProperty(node, key, Value("small")));
  Must(t->Commit().status());
}

TEST_CASE("a node with thousands of properties, up to the limit of their names") {
  Db db;
  auto t = db.Begin();
  PropertyList list;
  Status status;
  const uint64_t wanted = Sized(3'000, 100'000);
  for (uint64_t i = 0; i < wanted && status.ok(); ++i) {
    const auto key = t->InternProperty("p" + std::to_string(i));
    status = key.status();
    if (key.ok()) list.emplace_back(*key, static_cast<int64_t>(i));
  }
  if (wanted > kTokensMax) LimitNamed(status, kTokensMax);
  const PropertyList expected = list;
  const NodeId node = Must(t->CreateNode({}, std::move(list)));
  Must(t->Commit().status());
  t.reset();
  for (int i = 0; i < 2; ++i) {
    PropertyList found;
    db.Begin()->view().Properties(node, &found);
    CHECK(found == expected);
    db.Reopen();
  }
}

TEST_CASE("labels and types up to their limit, which the next one is told") {
  Db db;
  const uint64_t nodes = Sized(300, 3'000);
  auto t = db.Begin();
  NodeId first;
  for (uint64_t i = 0; i < nodes; ++i) {
    const LabelId label = Must(t->InternLabel("L" + std::to_string(i)));
    const NodeId node = Must(t->CreateNode({&label, 1}, {}));
    if (i == 0) first = node;
    Must(t->CreateRelationship(first, Must(t->InternType("T" + std::to_string(i))), node, {}));
  }
  Must(t->Commit().status());
  t.reset();
  db.Reopen();
  t = db.Begin();
  CHECK(CountAround(t->view(), first, Direction::kOutgoing) == nodes);
  CHECK(t->view().CountLabel(*t->view().tokens().labels.Find("L7")) == 1);
  CHECK(t->view().CountRelationships(*t->view().tokens().types.Find("T7")) == 1);
  Status label, type;
  for (uint64_t i = 0; i <= kTokensMax && label.ok(); ++i) label = t->InternLabel("M" + std::to_string(i)).status();
  for (uint64_t i = 0; i <= kTokensMax && type.ok(); ++i) type = t->InternType("U" + std::to_string(i)).status();
  LimitNamed(label, kTokensMax);
  LimitNamed(type, kTokensMax);
}

TEST_CASE("a hub: create, match, roll back, delete") {
  Db db;
  const uint64_t spokes = Sized(12'000, 10'000'000), batch = 100'000;
  auto t = db.Begin();
  const TypeId type = Must(t->InternType("AT"));
  const NodeId hub = Must(t->CreateNode({}, {}));
  Must(t->Commit().status());
  for (uint64_t made = 0; made < spokes; made += batch) {
    t = db.Begin();
    for (uint64_t i = made; i < std::min(spokes, made + batch); ++i) {
      const NodeId node = Must(t->CreateNode({}, {}));
      Must(i % 2 == 0 ? t->CreateRelationship(hub, type, node, {}).status() : t->CreateRelationship(node, type, hub, {}).status());
    }
    Must(t->Commit().status());
  }
  t.reset();
  const auto all = [&](uint64_t expected) {
    t = db.Begin();
    CHECK(t->view().Degree(hub, {}, Direction::kBoth) == expected);
    CHECK(CountAround(t->view(), hub, Direction::kBoth) == expected);
    t.reset();
  };
  all(spokes);
  db.Reopen();
  all(spokes);
  t = db.Begin();
  for (int i = 0; i < 1000; ++i) Must(t->CreateRelationship(hub, type, hub, {}).status());
  CHECK(t->view().Degree(hub, {}, Direction::kOutgoing) == spokes / 2 + 1000);
  t->Rollback();
  all(spokes);
  t = db.Begin();
  Must(t->DeleteNode(hub, true));
  t->Rollback();
  all(spokes);
  t = db.Begin();
  Must(t->DeleteNode(hub, true));
  Must(t->Commit().status());
  t.reset();
  for (int i = 0; i < 2; ++i) {
    t = db.Begin();
    CHECK(t->view().StateOf(hub) == ElementState::kAbsent);
    CHECK(t->view().CountRelationships({}) == 0);
    CHECK(t->view().CountNodes() == spokes);
    t.reset();
    db.Reopen();
  }
}

TEST_CASE("a path of many hops is walked to its end, from memory and from the file") {
  Db db;
  const uint64_t hops = Sized(5'000, 100'000);
  auto t = db.Begin();
  const TypeId type = Must(t->InternType("NEXT"));
  const NodeId start = Must(t->CreateNode({}, {}));
  NodeId last = start;
  for (uint64_t i = 0; i < hops; ++i) {
    const NodeId next = Must(t->CreateNode({}, {}));
    Must(t->CreateRelationship(last, type, next, {}).status());
    last = next;
  }
  Must(t->Commit().status());
  t.reset();
  for (int round = 0; round < 2; ++round) {
    t = db.Begin();
    NodeId at = start;
    uint64_t walked = 0;
    std::vector<Neighbour> step;
    for (; walked <= hops; ++walked) {
      step.clear();
      ScanPosition position;
      (void)t->view().Expand(at, {&type, 1}, Direction::kOutgoing, &position, 10, &step);
      if (step.empty()) break;
      at = step[0].node;
    }
    CHECK(walked == hops);
    CHECK(at == last);
    t.reset();
    db.Reopen();
  }
}

TEST_CASE("loops and parallel relationships are each one, in every direction") {
  Db db;
  const uint64_t n = Sized(3'000, 300'000);
  auto t = db.Begin();
  const TypeId type = Must(t->InternType("R"));
  const NodeId a = Must(t->CreateNode({}, {})), b = Must(t->CreateNode({}, {}));
  std::vector<RelId> loops;
  for (uint64_t i = 0; i < n; ++i) {
    loops.push_back(Must(t->CreateRelationship(a, type, a, {})));
    Must(t->CreateRelationship(a, type, b, {}).status());
  }
  Must(t->Commit().status());
  t.reset();
  for (int round = 0; round < 2; ++round) {
    t = db.Begin();
    CHECK(CountAround(t->view(), a, Direction::kOutgoing) == 2 * n);
    CHECK(CountAround(t->view(), a, Direction::kIncoming) == n);
    CHECK(CountAround(t->view(), a, Direction::kBoth) == 2 * n);
    CHECK(t->view().Degree(a, {}, Direction::kBoth) == 2 * n);
    CHECK(CountAround(t->view(), b, Direction::kIncoming) == n);
    t.reset();
    db.Reopen();
  }
  t = db.Begin();
  for (const RelId loop : loops) Must(t->DeleteRelationship(loop));
  Must(t->Commit().status());
  t.reset();
  db.Reopen();
  t = db.Begin();
  CHECK(CountAround(t->view(), a, Direction::kIncoming) == 0);
  CHECK(CountAround(t->view(), a, Direction::kOutgoing) == n);
  t.reset();
}

TEST_CASE("one large transaction is there whole, or refused by name and gone") {
  Db db;
  const uint64_t n = Sized(50'000, 10'000'000);
  auto t = db.Begin();
  const PropertyId key = Must(t->InternProperty("n"));
  Status status;
  uint64_t made = 0;
  for (; made < n && status.ok(); ++made) status = t->CreateNode({}, {{key, static_cast<int64_t>(made)}}).status();
  if (status.ok()) status = t->Commit().status();
  t.reset();
  std::cout << "a transaction of " << made << " nodes: " << status.ToString() << "\n";
  if (!status.ok()) REQUIRE((status.code() == Code::kResourceExhausted || status.code() == Code::kLimitExceeded));
  for (int round = 0; round < 2; ++round) {
    t = db.Begin();
    CHECK(t->view().CountNodes() == (status.ok() ? n : 0));
    t.reset();
    db.Reopen();
  }
  t = db.Begin();
  Must(t->CreateNode({}, {}).status());
  Must(t->Commit().status());
}

TEST_CASE("an index key of a megabyte is refused by name, and the database can be closed and goes on") {
  Db db;
  auto t = db.Begin();
  IndexDefinition index;
  index.name = "by_text";
  const LabelId label = Must(t->InternLabel("A"));
  const PropertyId key = Must(t->InternProperty("text"));
  index.tokens = {label.value};
  index.properties = {key};
  Must(t->CreateIndex(index, false).status());
  Must(t->Commit().status());
  for (const size_t bytes : {kIndexKeyBytesMax + 1, size_t{1} << 20}) {
    t = db.Begin();
    Status status = t->CreateNode({&label, 1}, {{key, Value(std::string(bytes, 'k'))}}).status();
    if (status.ok()) status = t->Commit().status();
    LimitNamed(status, kIndexKeyBytesMax);
    CHECK(status.message().find("by_text") != std::string::npos);
    t.reset();
  }
  t = db.Begin();
  const NodeId fits = Must(t->CreateNode({&label, 1}, {{key, Value(std::string(kIndexKeyBytesMax - 100, 'k'))}}));
  const NodeId other = Must(t->CreateNode({}, {{key, Value(std::string(1 << 20, 'k'))}}));   // not of the index
  Must(t->Commit().status());
  t.reset();
  Must(db.store->Checkpoint().status());
  db.Reopen();
  CHECK(db.Begin()->view().StateOf(fits) == ElementState::kVisible);
  // The label brings the long text into the index.
  t = db.Begin();
  Status status = t->AddLabel(other, label);
  if (status.ok()) status = t->Commit().status();
  LimitNamed(status, kIndexKeyBytesMax);
  t.reset();
  db.Reopen();
}

}  // namespace fornix::corrupt

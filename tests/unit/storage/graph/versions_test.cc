#include "storage/graph/versions.h"

#include <memory>
#include <vector>

#include "storage/graph/adjacency.h"
#include "storage/txn/retire.h"
#include "storage/txn/sequencer.h"
#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {

struct Counted {
  static inline int alive = 0;
  explicit Counted(Timestamp ts) : begin(ts) { ++alive; }
  ~Counted() { --alive; }
  Timestamp begin = 0, trimmed_at = 0;
  Counted* older = nullptr;
  size_t memory_bytes() const { return 1; }
};

}  // namespace

TEST_CASE("a property that is updated for ever keeps one version more than its readers need") {
  std::atomic<Counted*> head{nullptr};
  for (Timestamp ts = 1; ts <= 1000; ++ts) {
    InstallVersion(&head, new Counted(ts), ts - 1);
    CHECK(Counted::alive <= 3);
  }
  // A snapshot at 1000 lives on: what it needs stays, and installing costs no walk.
  for (Timestamp ts = 1001; ts <= 1100; ++ts) InstallVersion(&head, new Counted(ts), 1000);
  CHECK(VersionAt(head, 1000)->begin == 1000);
  CHECK(VersionAt(head, 1050)->begin == 1050);
  CHECK(Counted::alive <= 103);
  InstallVersion(&head, new Counted(1101), 1100);
  CHECK(Counted::alive <= 3);
  CHECK(VersionAt(head, 1100)->begin == 1100);
  FreeVersions(&head);
  CHECK(Counted::alive == 0);
}

TEST_CASE("the floor is the oldest live snapshot, and never above what new ones will see") {
  Sequencer sequencer;
  sequencer.StartAt(5);
  LiveSnapshot a, b;
  sequencer.Register(&a);
  CHECK(a.timestamp == 5);
  sequencer.NextTimestamp();
  CHECK(sequencer.floor() == 5);
  sequencer.SetVisible(6);
  sequencer.Register(&b);
  CHECK(b.timestamp == 6);
  CHECK(sequencer.floor() == 5);
  sequencer.Unregister(&a);
  CHECK(sequencer.floor() == 6);
  sequencer.NextTimestamp();
  sequencer.Unregister(&b);
  CHECK(sequencer.floor() == 6);               // 7 is not durable yet
}

TEST_CASE("what was retired is freed when the snapshots of that time are gone") {
  Sequencer sequencer;
  RetireList retired;
  LiveSnapshot a, b;
  sequencer.Register(&a);
  retired.set_next_snapshot(sequencer.next_serial());
  retired.Push(new Counted(1));
  sequencer.Register(&b);
  retired.FreeBefore(sequencer.oldest_serial());
  CHECK(Counted::alive == 1);
  sequencer.Unregister(&a);
  retired.FreeBefore(sequencer.oldest_serial());   // b came later and can't reach it
  CHECK(Counted::alive == 0);
  sequencer.Unregister(&b);
}

TEST_CASE("a list of relationships that come and go stays as long as the live ones") {
  AdjacencyList list;
  RetireList retired;
  Timestamp ts = 1;
  for (uint64_t rel = 0; rel < 5000; ++rel) {
    list.Reserve(NodeId(9), 1, 0, ts - 1, &retired);
    list.Append(NodeId(9), NodeId(7), RelId(rel), ts++);
    if (rel >= 3) list.End(NodeId(9), RelId(rel - 3), ts++);
    retired.FreeBefore(~uint64_t{0});
  }
  CHECK(list.block()->capacity <= 16);
  uint64_t live = 0;
  for (const AdjacencyEntry& e : list.block()->view()) live += e.LiveAt(ts);
  CHECK(live == 3);
}

TEST_CASE("a reader that holds an old block of a list still sees its snapshot") {
  AdjacencyList list;
  RetireList retired;
  list.Reserve(NodeId(9), 2, 0, 0, &retired);
  list.Append(NodeId(9), NodeId(1), RelId(1), 1);
  list.Append(NodeId(9), NodeId(2), RelId(2), 2);
  const AdjacencyBlock* old = list.block();
  list.End(NodeId(9), RelId(1), 3);
  list.Reserve(NodeId(9), 100, 0, 0, &retired);
  list.Append(NodeId(9), NodeId(3), RelId(3), 4);
  list.End(NodeId(9), RelId(2), 5);                       // in the new block only
  CHECK(old->view().size() == 2);
  CHECK(old->view()[0].LiveAt(2));
  CHECK_FALSE(old->view()[0].LiveAt(3));
  CHECK(old->view()[1].LiveAt(4));
  CHECK(list.block()->view().size() == 3);
  CHECK_FALSE(list.block()->view()[1].LiveAt(5));
}

TEST_CASE("a degree is right at every snapshot, loops told apart") {
  AdjacencyList list;
  RetireList retired;
  for (uint64_t rel = 0; rel < 10; ++rel) {    // at 1..10, every third a loop
    list.Reserve(NodeId(9), 1, 0, 0, &retired);
    list.Append(NodeId(9), NodeId(rel % 3 == 0 ? 9 : 1), RelId(rel), rel + 1);
  }
  list.End(NodeId(9), RelId(0), 20);
  list.End(NodeId(9), RelId(1), 21);
  list.Reserve(NodeId(9), 100, 0, 0, &retired);
  for (Timestamp s = 0; s <= 22; ++s) {
    uint64_t degree = 0, loops = 0;
    for (const AdjacencyEntry& e : list.block()->view()) {
      degree += e.LiveAt(s);
      loops += e.LiveAt(s) && e.neighbour == 9;
    }
    const AdjacencyBlock::Counts counts = list.block()->CountAt(s, 9);
    CHECK(counts.degree == degree);
    CHECK(counts.loops == loops);
  }
  CHECK(list.block()->CountAt(30, 9).degree == 8);
  CHECK(list.block()->CountAt(30, 9).loops == 3);
}

}  // namespace fornix::storage

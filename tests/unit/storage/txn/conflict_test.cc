#include <thread>

#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {

struct Pair {
  TestStore db;
  NodeId a, b;
  RelId r;
  std::unique_ptr<Transaction> one, two;
  Pair() {
    auto setup = db.Begin();
    a = MakeNode(*setup, "A", {{"x", 1}});
    b = MakeNode(*setup, "B", {{"x", 1}});
    r = MakeRelationship(*setup, a, "T", b);
    Must(setup->Commit());
    one = db.Begin();
    two = db.Begin();
  }
  void ExpectConflict(const std::string& words) {
    Must(one->Commit());
    const Status status = two->Commit().status();
    CHECK(status.code() == Code::kTransactionConflict);
    CHECK(status.retryable());
    INFO(status.message());
    CHECK(status.message().find(words) != std::string::npos);
  }
  void ExpectBoth() {
    Must(one->Commit());
    Must(two->Commit());
  }
};

}  // namespace

TEST_CASE("the first committer wins a node's properties, and the loser's error names node and both sides") {
  Pair p;
  Must(p.one->SetProperty(p.a, P(*p.one, "x"), 2));
  Must(p.two->SetProperty(p.a, P(*p.two, "y"), 3));
  p.ExpectConflict("(snapshot 1) lost to the commit at timestamp 2: both changed the properties of node 0 (:A)");
}

TEST_CASE("properties and labels of one node may be changed by two transactions") {
  Pair p;
  Must(p.one->SetProperty(p.a, P(*p.one, "x"), 2));
  Must(p.two->AddLabel(p.a, L(*p.two, "C")));
  p.ExpectBoth();
}

TEST_CASE("two transactions that change the labels of one node conflict") {
  Pair p;
  Must(p.one->AddLabel(p.a, L(*p.one, "C")));
  Must(p.two->AddLabel(p.a, L(*p.two, "D")));
  p.ExpectConflict("both changed the labels of node 0");
}

TEST_CASE("relationships added to one node by two transactions never conflict") {
  Pair p;
  MakeRelationship(*p.one, p.a, "T", p.b);
  MakeRelationship(*p.two, p.a, "T", p.b);
  p.ExpectBoth();
  auto after = p.db.Begin(true);
  const auto around = Around(after->view(), p.a, Direction::kOutgoing);
  CHECK(around.size() == 3);
  CHECK(std::is_sorted(around.begin(), around.end()));
}

TEST_CASE("a relationship can't be added to a node that was deleted meanwhile") {
  Pair p;
  Must(p.one->DeleteNode(p.a, true));
  MakeRelationship(*p.two, p.b, "T", p.a);
  p.ExpectConflict("it deleted what we changed or connected: node 0");
}

TEST_CASE("a node can't be deleted when it got a relationship meanwhile") {
  Pair p;
  MakeRelationship(*p.one, p.b, "T", p.a);
  Must(p.two->DeleteNode(p.a, true));
  p.ExpectConflict("it added a relationship to what we deleted: node 0");
}

TEST_CASE("a relationship that both delete is deleted once") {
  Pair p;
  Must(p.one->DeleteRelationship(p.r));
  Must(p.two->DeleteRelationship(p.r));
  p.ExpectConflict("both deleted relationship 0 [:T]");
}

TEST_CASE("a node pattern that MERGE did not find and that appeared meanwhile is a conflict") {
  Pair p;
  MakeNode(*p.one, "C", {{"k", 1}});
  MergeMiss miss;
  miss.labels = {L(*p.two, "C")};
  miss.properties = {{P(*p.two, "k"), Value(1.0)}};
  p.two->RecordMergeMiss(miss);
  MakeNode(*p.two, "C", {{"k", 1}});
  p.ExpectConflict("MERGE found nothing, and meanwhile there is node");
}

TEST_CASE("a node that got the missed pattern by SET is a conflict, one that nearly did is not") {
  Pair p;
  Must(p.one->SetProperty(p.a, P(*p.one, "x"), 7));
  MergeMiss near_miss;
  near_miss.labels = {L(*p.two, "A")};
  near_miss.properties = {{P(*p.two, "x"), Value(8)}};
  p.two->RecordMergeMiss(near_miss);
  MakeNode(*p.two, "A", {{"x", 8}});
  p.ExpectBoth();
  p.one = p.db.Begin();
  p.two = p.db.Begin();
  Must(p.one->SetProperty(p.a, P(*p.one, "x"), 9));
  near_miss.properties = {{P(*p.two, "x"), Value(9)}};
  p.two->RecordMergeMiss(near_miss);
  MakeNode(*p.two, "A", {{"x", 9}});
  p.ExpectConflict("meanwhile there is node 0 :A");
}

TEST_CASE("a relationship that MERGE did not find and that appeared meanwhile is a conflict in either direction") {
  const bool reversed = GENERATE(false, true);
  Pair p;
  MakeRelationship(*p.one, reversed ? p.b : p.a, "S", reversed ? p.a : p.b);
  MergeMiss miss;
  miss.relationship = true;
  miss.start = p.a;
  miss.end = p.b;
  miss.type = T(*p.two, "S");
  miss.either_direction = true;
  p.two->RecordMergeMiss(miss);
  MakeRelationship(*p.two, p.a, "S", p.b);
  p.ExpectConflict("MERGE found nothing, and meanwhile there is relationship");
}

TEST_CASE("concurrent writers lose no increment and no relationship") {
  TestStore db;
  NodeId counter;
  {
    auto setup = db.Begin();
    counter = MakeNode(*setup, "Counter", {{"n", 0}});
    Must(setup->Commit());
  }
  constexpr int kThreads = 4, kRounds = 200;
  std::atomic<int> conflicts{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        for (;;) {
          auto txn = std::move(db.store->Begin()).value();
          const PropertyId n = txn->InternProperty("n").value();
          const int64_t value = txn->view().Property(counter, n).AsInteger();
          const NodeId leaf = txn->CreateNode({}, {}).value();
          if (!txn->SetProperty(counter, n, value + 1).ok()) std::abort();
          if (!txn->CreateRelationship(counter, txn->InternType("R").value(), leaf, {}).ok()) std::abort();
          auto result = txn->Commit();
          if (result.ok()) break;
          if (!result.status().retryable()) std::abort();
          ++conflicts;
        }
      }
    });
  }
  // A reader checks meanwhile that each snapshot is whole: the counter is the number of relationships.
  for (int i = 0; i < 200; ++i) {
    auto reader = db.Begin(true);
    const auto n = reader->view().Property(counter, P(*reader, "n"));
    CHECK(static_cast<uint64_t>(n.AsInteger()) == reader->view().Degree(counter, {}, Direction::kOutgoing));
    CHECK(reader->view().CountNodes() == static_cast<uint64_t>(n.AsInteger()) + 1);
  }
  for (std::thread& thread : threads) thread.join();
  auto reader = db.Begin(true);
  CHECK(reader->view().Property(counter, P(*reader, "n")) == Value(kThreads * kRounds));
  CHECK(Around(reader->view(), counter, Direction::kOutgoing, {}, 9).size() == kThreads * kRounds);
}

}  // namespace fornix::storage

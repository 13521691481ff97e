// What may enter a vector index, and what may ask it: lengths, values, kinds of lists, places.
#include "tests/unit/storage/index/vector_fixture.h"

namespace fornix::storage {
namespace {

void Make(TestStore& db, const std::string& name, EntityKind entity, const std::vector<std::string>& names, const std::string& property,
          VectorIndexOptions options) {
  auto ddl = db.Begin();
  IndexDefinition d;
  d.name = name;
  d.kind = IndexKind::kVector;
  d.entity = entity;
  for (const std::string& one : names) d.tokens.push_back(entity == EntityKind::kNode ? L(*ddl, one).value : T(*ddl, one).value);
  d.properties = {P(*ddl, property)};
  options.quantization = Quantization::kByte;
  d.vector = std::move(options);
  CHECK(Must(ddl->CreateIndex(d, false)));
  Must(ddl->Commit());
}
std::vector<VectorHit> SearchIn(const Transaction& t, const std::string& name, const std::vector<float>& q, size_t k) {
  return Search(t.view(), t.view().schema().FindIndex(name)->id, {.vector = q, .k = k});
}
VectorIndexOptions Of(uint32_t dimensions, Metric metric = Metric::kCosine) {
  VectorIndexOptions options;
  options.dimensions = dimensions;
  options.metric = metric;
  return options;
}

}  // namespace

TEST_CASE("vectors have from 1 to 16,384 dimensions, with codes too") {
  for (const uint32_t dimensions : {1u, 2u, 3u, 16'384u}) {
    TestStore db;
    Make(db, "i", EntityKind::kNode, {"M"}, "e", Of(dimensions, Metric::kEuclidean));
    Source source(1, dimensions);
    Vectors model;
    Insert(db, &source, 40, &model);
    Must(db.store->AwaitIndexes());
    auto r = db.Begin(true);
    const std::vector<float> q = source.Next();
    CHECK(Common(SearchIn(*r, "i", q, 5), Nearest(model, q, 5, Metric::kEuclidean)) == 5);
  }
  TestStore db;
  auto ddl = db.Begin();
  IndexDefinition d;
  d.kind = IndexKind::kVector;
  d.tokens = {L(*ddl, "M").value};
  d.properties = {P(*ddl, "e")};
  d.vector.dimensions = 16'385;
  const Status status = ddl->CreateIndex(d, false).status();
  CHECK(status.code() == Code::kArgumentError);
  CHECK(status.message().find("16385") != std::string::npos);
}

TEST_CASE("a query of another length is refused with both numbers, NaN, infinity and zero by name") {
  TestStore db;
  Make(db, "emb", EntityKind::kNode, {"M"}, "e", Of(3));
  auto t = db.Begin();
  MakeNode(*t, "M", {{"e", List{1, 2, 3}}});
  Must(t->Commit());
  auto r = db.Begin(true);
  auto refused = [&](const std::vector<float>& q, const std::string& words) {
    std::vector<VectorHit> hits;
    const Status status = r->view().SearchVector(r->view().schema().FindIndex("emb")->id, {.vector = q}, &hits, nullptr);
    INFO(status.message());
    CHECK(status.code() == Code::kArgumentError);
    CHECK(status.message().find("'emb'") != std::string::npos);
    CHECK(status.message().find(words) != std::string::npos);
  };
  refused({1, 2}, "2 dimensions, expected 3");
  refused({1, NAN, 2}, "nan");
  refused({1, INFINITY, 2}, "inf");
  refused({0, 0, 0}, "zero");
}

TEST_CASE("lists of integers, lists of floats and VECTORs are one kind of vector") {
  TestStore db;
  Make(db, "emb", EntityKind::kNode, {"M"}, "e", Of(2));
  auto t = db.Begin();
  const uint64_t a = MakeNode(*t, "M", {{"e", List{3, 4}}}).value;
  const uint64_t b = MakeNode(*t, "M", {{"e", List{3.0, 4.0}}}).value;
  const uint64_t c = MakeNode(*t, "M", {{"e", Value::Vector({3, 4})}}).value;
  Must(t->Commit());
  auto r = db.Begin(true);
  const auto hits = SearchIn(*r, "emb", {3, 4}, 5);
  REQUIRE(hits.size() == 3);
  CHECK(hits[0].id == a);
  CHECK(hits[1].id == b);
  CHECK(hits[2].id == c);
  for (const VectorHit& hit : hits) CHECK(hit.score == Approx(1.0));
}

TEST_CASE("several properties of one node, several labels of one index, and relationships") {
  TestStore db;
  Make(db, "title", EntityKind::kNode, {"M"}, "t", Of(2));
  Make(db, "body", EntityKind::kNode, {"M", "N"}, "b", Of(3));
  Make(db, "rel", EntityKind::kRelationship, {"R", "S"}, "e", Of(2));
  auto t = db.Begin();
  const NodeId both = MakeNode(*t, "M", {{"t", List{1, 0}}, {"b", List{0, 0, 1}}});
  const NodeId other = MakeNode(*t, "N", {{"t", List{1, 0}}, {"b", List{0, 1, 0}}});
  const RelId r1 = MakeRelationship(*t, both, "R", other), r2 = MakeRelationship(*t, other, "S", both), r3 = MakeRelationship(*t, both, "U", other);
  Must(t->SetProperty(r1, P(*t, "e"), List{1, 1}));
  Must(t->SetProperty(r2, P(*t, "e"), List{1, 0}));
  Must(t->SetProperty(r3, P(*t, "e"), List{1, 2, 3}));   // its type has no index
  CHECK(t->SetProperty(r1, P(*t, "e"), List{1, 1, 1}).code() == Code::kArgumentError);
  Must(t->Commit());
  Must(db.store->AwaitIndexes());
  {
    auto r = db.Begin(true);
    REQUIRE(SearchIn(*r, "title", {1, 0}, 5).size() == 1);
    CHECK(SearchIn(*r, "title", {1, 0}, 5)[0].id == both.value);
    const auto bodies = SearchIn(*r, "body", {0, 1, 0}, 5);
    REQUIRE(bodies.size() == 2);
    CHECK(bodies[0].id == other.value);
    const auto rels = SearchIn(*r, "rel", {1, 0.1f}, 5);
    REQUIRE(rels.size() == 2);
    CHECK(rels[0].id == r2.value);
    CHECK(rels[1].id == r1.value);
    const std::vector<uint64_t> ids = {r1.value};
    CHECK(Search(r->view(), r->view().schema().FindIndex("rel")->id, {.vector = std::vector<float>{1, 0}, .k = 5, .ids = ids}).size() == 1);
  }
  auto gone = db.Begin();
  Must(gone->DeleteRelationship(r2));
  Must(gone->Commit());
  auto r = db.Begin(true);
  CHECK(SearchIn(*r, "rel", {1, 0}, 5).size() == 1);
}

}  // namespace fornix::storage

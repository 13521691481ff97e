#include "storage/recover.h"

#include <iostream>

#include "base/limits.h"
#include "base/random.h"
#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {

// Records that use every operation.
std::vector<std::vector<std::byte>> SampleRecords() {
  StoreState store;
  Tokens& tokens = store.tokens;
  const LabelId a = *tokens.labels.Intern("A"), b = *tokens.labels.Intern("B");
  const TypeId r = *tokens.types.Intern("R");
  const PropertyId x = *tokens.properties.Intern("x"), e = *tokens.properties.Intern("e");
  List floats;
  for (int i = 0; i < 9; ++i) floats.emplace_back(i / 4.0);
  std::vector<std::vector<std::byte>> records;
  Timestamp ts = 1;
  auto finish = [&](RecordWriter& writer) {
    records.push_back(writer.Finish(ts++));
    writer.MarkLogged(&store.logged);
  };
  {
    WriteSet own;
    own.CreateNode(NodeId(0), {a, b}, {{x, 1}, {e, floats}});
    own.CreateNode(NodeId(1), {b}, {{x, DateTime{1, 2, 0, "Europe/Paris"}}, {e, Value::Vector({1, 2, 3, 4, 5, 6, 7, 8, 9})}});
    own.CreateRelationship(RelId(0), NodeId(0), r, NodeId(1), {{x, "w"}});
    own.CreateRelationship(RelId(1), NodeId(1), r, NodeId(1), {});
    RecordWriter writer(tokens, store.logged);
    writer.Write(own);
    finish(writer);
  }
  {
    SchemaVersion schema;
    schema.epoch = 1;
    schema.next_id = 5;
    IndexDefinition range;
    range.id = IndexId(1);
    range.name = "range";
    range.tokens = {b.value};
    range.properties = {x};
    range.owner = ConstraintId(2);
    IndexDefinition vectors = range;
    vectors.id = IndexId(3);
    vectors.name = "vectors";
    vectors.kind = IndexKind::kVector;
    vectors.properties = {e};
    vectors.owner = ConstraintId();
    vectors.options = Map{{"indexConfig", Map{{"m", 16}}}};
    schema.indexes = {range, vectors};
    ConstraintDefinition unique;
    unique.id = ConstraintId(2);
    unique.name = "range";
    unique.token = b.value;
    unique.properties = {x};
    unique.index = IndexId(1);
    ConstraintDefinition typed = unique;
    typed.id = ConstraintId(4);
    typed.kind = ConstraintKind::kPropertyType;
    typed.type.text = "LIST<INTEGER NOT NULL> | STRING";
    schema.constraints = {unique, typed};
    schema.graph_type.declared = true;
    schema.graph_type.labels = {"A", "B"};
    schema.graph_type.endpoints = {{"R", "A", "B"}};
    RecordWriter writer(tokens, store.logged);
    writer.Schema(schema);
    finish(writer);
  }
  {
    WriteSet own;
    OwnNode* node = own.Touch(NodeId(0));
    node->properties = {{x, 1}, {e, floats}};
    own.SetProperty(node, x, Value());
    own.SetLabels(node, {a, b}, {a});
    OwnRelationship* rel = own.Touch(RelId(0), {NodeId(0), NodeId(1), r});
    own.SetProperty(rel, x, 5.5);
    own.DeleteRelationship(own.Touch(RelId(1), {NodeId(1), NodeId(1), r}));
    RecordWriter writer(tokens, store.logged);
    writer.Write(own);
    IdAllocator ids;
    for (int i = 0; i < 3; ++i) static_cast<void>(ids.NewNode({b}).value());
    for (int i = 0; i < 2; ++i) static_cast<void>(ids.NewRelationship(r).value());
    writer.Ids(ids.Save());
    finish(writer);
  }
  {
    WriteSet own;
    own.CreateNode(NodeId(5), {}, {});
    own.DeleteRelationship(own.Touch(RelId(0), {NodeId(0), NodeId(1), r}));
    own.DeleteNode(own.Touch(NodeId(0)), {a});
    RecordWriter writer(tokens, store.logged);
    writer.Write(own);
    finish(writer);
  }
  return records;
}

Status Replay(StoreState* store, const std::vector<std::vector<std::byte>>& records) {
  Recovery recovery(store);
  Lsn lsn = 1;
  for (const auto& record : records) RETURN_IF_ERROR(recovery.Apply(lsn++, record));
  return Status::Ok();
}

}  // namespace

TEST_CASE("records replay into the state they describe") {
  StoreState store;
  Must(Replay(&store, SampleRecords()));
  const WriteSet none;
  const Overlay head(*store.generations.current(), store.sequencer.last(), &none);
  CHECK(head.StateOf(NodeId(0)) == ElementState::kAbsent);
  CHECK(head.StateOf(NodeId(1)) == ElementState::kVisible);
  CHECK(head.StateOf(NodeId(5)) == ElementState::kVisible);
  CHECK(head.StateOf(RelId(0)) == ElementState::kAbsent);
  CHECK(head.NodeCount() == 2);
  CHECK(head.LabelCount(LabelId(1)) == 1);
  CHECK(store.schemas.newest()->version->constraints[1].type.Accepts("text"));
  CHECK_FALSE(store.schemas.newest()->version->constraints[1].type.Accepts(1.5));
  CHECK(store.schemas.newest()->version->indexes[1].options.Find("indexConfig")->AsMap().Find("m")->AsInteger() == 16);
  CHECK(head.active().RangeOf(store.schemas.newest()->ranges[0].definition->id)->live() == 1);
}

// Earlier versions took keys that are too long for a page of the tree.
TEST_CASE("keys that no tree takes are left out, and their index is offline from then on") {
  StoreState store;
  const LabelId label = *store.tokens.labels.Intern("A");
  const PropertyId x = *store.tokens.properties.Intern("x");
  const std::string large(kIndexKeyBytesMax + 1000, 'x');
  std::vector<std::vector<std::byte>> records;
  Timestamp ts = 1;
  const auto write = [&](const WriteSet& own) {
    RecordWriter writer(store.tokens, store.logged);
    writer.Write(own);
    records.push_back(writer.Finish(ts++));
    writer.MarkLogged(&store.logged);
  };
  const auto create = [&](uint64_t id, const std::string& text) {
    WriteSet own;
    own.CreateNode(NodeId(id), {label}, {{x, Value(text)}});
    write(own);
  };
  const bool large_first = GENERATE(true, false);   // it was there when the index was made, or came later
  create(0, large_first ? large : "a");
  create(1, "small");
  SchemaVersion schema;
  schema.epoch = 1;
  schema.next_id = 5;
  IndexDefinition range;
  range.id = IndexId(1);
  range.name = "range";
  range.tokens = {label.value};
  range.properties = {x};
  schema.indexes = {range};
  RecordWriter writer(store.tokens, store.logged);
  writer.Schema(schema);
  records.push_back(writer.Finish(ts++));
  create(2, large_first ? "b" : large);
  {
    WriteSet own;                              // and what was left out goes again
    OwnNode* node = own.Touch(NodeId(large_first ? 0 : 2));
    node->properties = {{x, Value(large)}};
    own.SetProperty(node, x, Value("short now"));
    write(own);
  }
  StoreState fresh;
  Must(Replay(&fresh, records));
  const IndexDefinition& found = fresh.schemas.newest()->version->indexes[0];
  CHECK_FALSE(found.online);
  std::vector<std::string> keys;
  fresh.generations.current()->active->RangeOf(found.id)->VisitChanges(kNever - 1, [&](std::string_view key, uint64_t, bool remove) {
    CHECK_FALSE(remove);
    keys.emplace_back(key);
  });
  CHECK(keys.size() == 3);
  for (const std::string& key : keys) CHECK(key.size() < 100);
}

TEST_CASE("a record that doesn't fit the state is Corruption and says which") {
  auto records = SampleRecords();
  StoreState twice;
  Must(Replay(&twice, {records[0]}));
  Recovery again(&twice);
  const Status status = again.Apply(9, records[0]);
  CHECK(status.code() == Code::kCorruption);
  INFO(status.message());
  CHECK(status.message().find("log record 9") != std::string::npos);
  CHECK(status.message().find("node 0 is created twice") != std::string::npos);
  StoreState without;
  CHECK(Replay(&without, {records[2]}).code() == Code::kCorruption);
}

TEST_CASE("names with numbers that no name can have are Corruption, and no memory is taken for them") {
  const std::vector<std::byte> sample = SampleRecords()[0];
  for (const uint8_t operation : {1, 2, 3}) {              // a label, a type, a property
    for (const uint32_t id : {kTokensMax, uint32_t{1} << 31, ~uint32_t{0} - 63, ~uint32_t{0}}) {
      ByteWriter record;
      record.Bytes(std::span(sample).first(9));            // version and timestamp
      record.U8(operation);
      record.Varint(id);
      record.String("name");
      StoreState store;
      const Status status = Replay(&store, {record.Take()});
      INFO(status.ToString());
      CHECK(status.code() == Code::kCorruption);
      CHECK(status.message().find("token " + std::to_string(id)) != std::string::npos);
    }
  }
}

TEST_CASE("relationships of two types in one chunk, and two types that would take the same ids, are Corruption") {
  Tokens tokens;
  auto logged = std::make_unique<LoggedTokens>();
  const TypeId r = *tokens.types.Intern("R"), s = *tokens.types.Intern("S");
  auto record = [&](Timestamp ts, const WriteSet& own, const IdAllocator::Snapshot* ids) {
    RecordWriter writer(tokens, *logged);
    writer.Write(own);
    if (ids != nullptr) writer.Ids(*ids);
    auto body = writer.Finish(ts);
    writer.MarkLogged(logged.get());
    return body;
  };
  WriteSet first, second;
  first.CreateNode(NodeId(0), {}, {});
  first.CreateRelationship(RelId(0), NodeId(0), r, NodeId(0), {});
  second.CreateRelationship(RelId(7), NodeId(0), s, NodeId(0), {});
  StoreState mixed;
  const Status status = Replay(&mixed, {record(1, first, nullptr), record(2, second, nullptr)});
  INFO(status.ToString());
  CHECK(status.code() == Code::kCorruption);
  CHECK(status.message().find("relationship 7 of type S in a chunk of type R") != std::string::npos);

  logged = std::make_unique<LoggedTokens>();
  IdAllocator::Snapshot ids;
  ids.node_chunks = ids.relationship_chunks = 1;
  ids.types = {{r, 1, kChunkElements}, {s, 1, kChunkElements}};
  StoreState shared;
  CHECK(Replay(&shared, {record(1, first, &ids)}).code() == Code::kCorruption);
  logged = std::make_unique<LoggedTokens>();
  ids.types = {{r, 1, kChunkElements}, {s, kChunkElements, kChunkElements}};   // used up
  StoreState apart;
  Must(Replay(&apart, {record(1, first, &ids)}));
}

TEST_CASE("a schema that gives the number of a dropped index to another is Corruption") {
  const auto records = SampleRecords();
  Tokens tokens;
  LoggedTokens logged;
  SchemaVersion dropped;
  dropped.epoch = 2;
  dropped.next_id = 5;
  RecordWriter writer(tokens, logged);
  writer.Schema(dropped);
  StoreState store;
  Recovery recovery(&store);
  Must(recovery.Apply(1, records[0]));
  Must(recovery.Apply(2, records[1]));
  Must(recovery.Apply(3, writer.Finish(2)));
  const Status status = recovery.Apply(4, records[1]);
  INFO(status.ToString());
  CHECK(status.code() == Code::kCorruption);
  CHECK(status.message().find("index range has the number of one that was dropped") != std::string::npos);
}

TEST_CASE("elements with the last ids replay, and then there are no more") {
  Tokens tokens;
  LoggedTokens logged;
  const TypeId r = *tokens.types.Intern("R");
  WriteSet own;
  own.CreateNode(NodeId(kIdsMax - 1), {}, {});
  own.CreateRelationship(RelId(kIdsMax - 1), NodeId(kIdsMax - 1), r, NodeId(kIdsMax - 1), {});
  RecordWriter writer(tokens, logged);
  writer.Write(own);
  StoreState store;
  Must(Replay(&store, {writer.Finish(1)}));
  const WriteSet none;
  const Overlay head(*store.generations.current(), store.sequencer.last(), &none);
  CHECK(head.StateOf(NodeId(kIdsMax - 1)) == ElementState::kVisible);
  CHECK(head.EndsOf(RelId(kIdsMax - 1))->end == NodeId(kIdsMax - 1));
  CHECK(store.ids.NewNode({}).status().code() == Code::kLimitExceeded);
  CHECK(store.ids.NewRelationship(r).status().code() == Code::kLimitExceeded);
}

TEST_CASE("damaged records never stop the process") {
  const uint64_t seed = 31;
  std::cout << "seed=" << seed << "\n";
  Random random(seed);
  const auto good = SampleRecords();
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    auto records = good;
    auto& record = records[random.Below(records.size())];
    for (uint64_t n = 1 + random.Below(3); n > 0; --n) {
      const size_t at = random.Below(record.size());
      switch (random.Below(5)) {
        case 0: record[at] ^= std::byte{1} << random.Below(8); break;
        case 1: record[at] = static_cast<std::byte>(random.Next()); break;
        case 2: record.resize(at + 1); break;
        case 3: record.insert(record.begin() + static_cast<long>(at), static_cast<std::byte>(random.Next())); break;
        default: record[at] = std::byte{0xff}; break;
      }
    }
    StoreState store;
    const Status status = Replay(&store, records);
    refused += !status.ok();
    if (status.ok()) {                         // then all of it can be read
      const WriteSet none;
      const Overlay head(*store.generations.current(), store.sequencer.last(), &none);
      PropertyList properties;
      head.VisitNodes(std::nullopt, 0, [&](NodeId id) {
        head.Properties(id, &properties);
        return true;
      });
      head.VisitRelationships(std::nullopt, 0, [&](RelId id) {
        head.Properties(id, &properties);
        return head.EndsOf(id).has_value();
      });
    }
  }
  CHECK(refused > 1000);
}

}  // namespace fornix::storage

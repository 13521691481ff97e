// Checkpoints that can't do all that they should.
#include "storage/checkpoint/checkpointer.h"

#include <algorithm>

#include "base/fault_file.h"
#include "base/limits.h"
#include "base/random.h"
#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {

const std::string kPath = "/d/x.fornix";
constexpr size_t kNodes = kOnlineSchemaElements + 1000;   // so many that the tree is built by a checkpoint

// Changes one byte of the file in the middle of `text`.
void Damage(FileSystem& files, const std::string& text) {
  OpenOptions options;
  options.write = true;
  auto file = Must(files.Open(kPath, options));
  std::vector<std::byte> bytes(Must(file->Size()));
  Must(file->ReadExactAt(0, bytes));
  const auto at = std::search(bytes.begin(), bytes.end(), text.begin(), text.end(), [](std::byte b, char c) { return b == static_cast<std::byte>(c); });
  REQUIRE(at != bytes.end());
  const std::byte wrong[] = {std::byte{0}};
  Must(file->WriteAt(static_cast<uint64_t>(at - bytes.begin()) + text.size() / 2, wrong));
}

IndexDefinition TextIndex(Transaction& t) {
  IndexDefinition definition;
  definition.name = "texts";
  definition.tokens = {L(t, "Thing").value};
  definition.properties = {P(t, "text")};
  return definition;
}

}  // namespace

TEST_CASE("an index whose tree can't be built is taken back, and the checkpoints after that go without it") {
  FaultFileSystem files;
  Must(files.CreateDir("/d"));
  StoreOptions options;
  options.background_threads = false;
  const std::string marker = "QZXJKVBPYGFWQMDHQCLTNR";
  {
    TestStore db(files, kPath, options);
    Random random(7);
    auto t = db.Begin();
    for (size_t i = 0; i < kNodes; ++i) {
      std::string text(24, ' ');
      for (char& c : text) c = static_cast<char>('a' + random.Below(26));
      MakeNode(*t, "Thing", {{"text", Value(i == kNodes / 2 ? marker : text)}, {"n", Value(static_cast<int64_t>(i))}});
    }
    Must(t->Commit());
    Must(db.store->Close());
  }
  Damage(files, marker);
  {
    TestStore db(files, kPath, options);
    auto t = db.Begin();
    Must(t->CreateIndex(TextIndex(*t), false));
    CHECK(t->Commit().status().code() == Code::kCorruption);
    t.reset();
    CHECK(db.store->schema()->indexes.empty());
    auto more = db.Begin();
    MakeNode(*more, "Other");
    Must(more->Commit());
    more.reset();
    Must(db.store->Checkpoint());
    auto last = db.Begin();
    MakeNode(*last, "Other");
    Must(last->Commit());
    last.reset();
    Must(db.store->Close());
  }
  TestStore db(files, kPath, options);
  CHECK(db.store->schema()->indexes.empty());
  CHECK(AllNodes(db.Begin(true)->view()).size() == kNodes + 2);
  Must(db.store->Close());
}

TEST_CASE("what was committed behind a checkpoint that failed is in the next one, and in the one that closes") {
  const bool closed_at_once = GENERATE(true, false);
  FaultFileSystem files;
  Must(files.CreateDir("/d"));
  StoreOptions options;
  options.background_threads = false;
  {
    TestStore db(files, kPath, options);
    auto first = db.Begin();
    MakeNode(*first, "Thing");
    Must(first->Commit());
    first.reset();
    files.FailCall(0, Fault::kNoSpace, false);
    CHECK_FALSE(db.store->Checkpoint().ok());
    REQUIRE(files.fault_hit());
    auto second = db.Begin();
    MakeNode(*second, "Thing");
    Must(second->Commit());
    second.reset();
    if (!closed_at_once) {
      Must(db.store->Checkpoint().status());
      CHECK(Must(db.store->Checkpoint()).bytes_written == 0);   // everything was written
    }
    Must(db.store->Close());
  }
  TestStore db(files, kPath, options);
  CHECK(AllNodes(db.Begin(true)->view()).size() == 2);
  Must(db.store->Close());
}

}  // namespace fornix::storage

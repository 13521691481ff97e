// The ordered index against a plain set: any batch of changes, any range in both directions, no page lost or freed twice.
#include <atomic>
#include <thread>

#include "tests/unit/storage/index/tree/tree_fixture.h"

namespace fornix::storage {
namespace {

std::string Number(uint64_t n) {
  std::string key(9, '\x30');
  for (int i = 0; i < 8; ++i) key[8 - i] = static_cast<char>(n >> (8 * i));
  return key;
}

// Keys of one shape: numbers, few different ones, words with long common beginnings, very long ones.
std::string RandomKey(Random& random, int shape) {
  switch (shape) {
    case 0: return Number(random.Below(1'000'000));
    case 1: return Number(random.Below(20));
    case 2: return std::string(200, static_cast<char>('a' + random.Below(3))) + std::to_string(random.Below(1'000'000));
    case 3: return std::string(1 + random.Below(8000), static_cast<char>('a' + random.Below(26))) + std::to_string(random.Below(1000));
    default: return RandomKey(random, static_cast<int>(random.Below(4)));
  }
}

void CheckRanges(const IndexTree& tree, const TreeModel& model, Random& random, int shape) {
  const auto bound = [&]() -> std::string {
    if (random.OneIn(8)) return "";
    if (model.empty() || random.OneIn(3)) return RandomKey(random, shape);
    auto it = model.lower_bound({RandomKey(random, shape), 0});
    return it == model.end() ? std::prev(it)->first : it->first;
  };
  for (int i = 0; i < 12; ++i) {
    const std::string lower = bound(), upper = bound();
    const uint64_t id = random.OneIn(2) ? 0 : random.Below(2000);
    const size_t most = random.OneIn(2) ? ~size_t{0} : 1 + random.Below(100);
    std::vector<std::pair<std::string, uint64_t>> expected, found;
    for (auto it = model.lower_bound({lower, id}); it != model.end() && (upper.empty() || it->first < upper) && expected.size() < most; ++it) {
      expected.push_back(*it);
    }
    tree.Visit(lower, id, upper, [&](const TreeEntry& entry) { return found.emplace_back(entry.key, entry.id), found.size() < most; });
    REQUIRE((found == expected));
    found.clear(), expected.clear();
    for (auto it = upper.empty() ? model.end() : model.lower_bound({upper, id}); it != model.begin() && expected.size() < most;) {
      if ((--it)->first < lower) break;
      expected.push_back(*it);
    }
    tree.VisitDown(lower, upper, id, [&](const TreeEntry& entry) { return found.emplace_back(entry.key, entry.id), found.size() < most; });
    REQUIRE((found == expected));
  }
}

TEST_CASE("batches of any kind leave the entries of a plain set, and every page accounted for") {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed=" << seed);
    Random random(seed);
    const int shape = static_cast<int>(seed % 5);
    const uint64_t scale = shape == 3 ? 60 : 1500;
    TreeFixture f;
    TreeRoot old_root;
    TreeModel old_model;
    for (int round = 0; round < 14; ++round) {
      INFO("round=" << round);
      TreeModel add, remove;
      const uint64_t weight = random.Below(4);             // 0: only removals, up to all
      for (uint64_t i = weight == 0 ? 0 : random.Below(scale); i > 0; --i) {
        std::pair<std::string, uint64_t> entry(RandomKey(random, shape), random.Below(5000));
        if (!f.model.count(entry)) add.insert(std::move(entry));
      }
      const uint64_t keep = random.Below(10);
      for (const auto& entry : f.model) {
        if (weight < 2 && random.Below(10) >= keep) remove.insert(entry);
      }
      if (weight == 0 && random.OneIn(2)) remove = f.model;
      f.BeginKeeping(old_root.height == 0 ? f.root_seq : f.root_seq - 1);
      const Status status = f.Apply(add, remove);
      INFO(status.ToString());
      REQUIRE(status.ok());
      f.Commit();
      if (random.OneIn(3)) f.cache.EvictTo(random.Below(f.cache.bytes() + 1));
      f.Verify();
      CheckRanges(f.tree(), f.model, random, shape);
      REQUIRE(TreeFixture::All(IndexTree(f.file.get(), &f.cache, f.kIndex, old_root)) == std::vector(old_model.begin(), old_model.end()));
      old_root = f.root;
      old_model = f.model;
    }
    f.Begin();
    REQUIRE(IndexTree::FreeAll(f.file.get(), &f.cache, f.kIndex, f.root).ok());
    f.Commit();
    f.root = {};
    f.model.clear();
    f.Verify();
  }
}

TEST_CASE("a tree that was built is that of the same entries put in, with pages nine tenths full") {
  for (const size_t entries : {size_t{0}, size_t{1}, size_t{700}, size_t{40'000}}) {
    TreeFixture f;
    for (size_t i = 0; i < entries; ++i) f.model.emplace(Number(i / 2 * 7919 % 1'000'003), i);
    f.Begin();
    f.Build();
    f.Commit();
    f.Verify();
    CHECK(f.root.entries == f.model.size());
    size_t pages = 0;
    REQUIRE(f.tree().Check([&](const ExtentRef& ref) { return pages += ref.pages, Status::Ok(); }).ok());
    if (entries == 40'000) CHECK(pages * kPageBytes < 40'000 * 11);   // 8 bytes of key, 5 of id before packing
  }
}

TEST_CASE("few changes in a large tree rewrite few pages") {
  TreeFixture f;
  for (uint64_t i = 0; i < 60'000; ++i) f.model.emplace(Number(i * 100), i);
  f.Begin();
  f.Build();
  f.Commit();
  CHECK(f.root.height == 2);
  const uint64_t before = f.fs.counters().bytes_written;
  f.Begin();
  REQUIRE(f.Apply({{Number(5), 1}, {Number(6), 1}, {Number(3'000'001), 2}}, {{Number(5'999'900), 59'999}}).ok());
  f.Commit();
  CHECK(f.fs.counters().bytes_written - before < 8 * 16'384);
  f.Verify();
}

TEST_CASE("a tree that shrinks gets lower and joins its pages") {
  TreeFixture f;
  for (uint64_t i = 0; i < 60'000; ++i) f.model.emplace(Number(i), i);
  f.Begin();
  f.Build();
  f.Commit();
  Random random(5);
  size_t pages = 0;
  for (int round = 0; round < 12; ++round) {
    TreeModel remove;
    for (const auto& entry : f.model) {
      if (!random.OneIn(3)) remove.insert(entry);
    }
    f.Begin();
    REQUIRE(f.Apply({}, remove).ok());
    f.Commit();
    f.Verify();
    pages = 0;
    REQUIRE(f.tree().Check([&](const ExtentRef&) { return ++pages, Status::Ok(); }).ok());
    CHECK(pages <= 2 + f.model.size() / 200);
  }
  CHECK(f.root.height <= 1);
}

TEST_CASE("a batch that contradicts the tree is damage, and the tree stays as it was") {
  TreeFixture f;
  for (uint64_t i = 0; i < 3000; ++i) f.model.emplace(Number(i * 2), i);
  f.Begin();
  f.Build();
  f.Commit();
  const auto fails = [&](const TreeModel& add, const TreeModel& remove) {
    f.Begin();
    const Status status = f.Apply(add, remove);
    f.file->Abandon();
    INFO(status.ToString());
    CHECK(status.code() == Code::kCorruption);
    CHECK(status.message().find("index 7") != std::string::npos);
    f.Verify();
  };
  fails({{Number(10), 5}}, {});
  fails({{Number(11), 5}}, {{Number(11), 6}});
  fails({}, {{Number(10), 6}});
  fails({}, {{Number(90'000), 6}});
  f.Begin();
  const Status status = f.Apply({{std::string(8193, 'x'), 1}}, {});
  CHECK(status.code() == Code::kLimitExceeded);
  REQUIRE(f.Apply({{std::string(8192, 'x'), 1}, {std::string(8191, 'x') + "y", 1}, {std::string(8192, 'a'), 1}}, {}).ok());
  f.Commit();
  f.Verify();
}

TEST_CASE("what is built must ascend") {
  TreeFixture f;
  const std::vector<TreeEntry> entries = {{"b", 1}, {"b", 2}, {"b", 2}};
  size_t at = 0;
  f.Begin();
  const auto built = IndexTree::Build(f.file.get(), f.kIndex, [&]() -> Result<std::optional<TreeEntry>> { return std::optional(entries[at++]); });
  CHECK(built.status().code() == Code::kCorruption);
  const auto failed = IndexTree::Build(f.file.get(), f.kIndex, [&]() -> Result<std::optional<TreeEntry>> { return Status(Code::kIoError, "no"); });
  CHECK(failed.status().code() == Code::kIoError);
  f.file->Abandon();
}

TEST_CASE("a visitor may read the tree itself, stop, and throw; a small cache serves a large scan") {
  TreeFixture f(300'000);
  for (uint64_t i = 0; i < 20'000; ++i) f.model.emplace(Number(i), i);
  f.Begin();
  f.Build();
  f.Commit();
  uint64_t n = 0, wrong = 0;
  const IndexTree tree = f.tree();
  tree.Visit("", 0, "", [&](const TreeEntry& entry) {
    if (n++ % 50 == 0) tree.Visit(Number(entry.id), 0, "", [&](const TreeEntry& inner) { return wrong += inner.id != entry.id, false; });
    wrong += entry.id + 1 != n;
    return true;
  });
  CHECK(n == 20'000);
  CHECK(wrong == 0);
  CHECK(f.budget.used(MemoryUse::kCache) <= 320'000);
  CHECK_THROWS_AS(tree.Visit("", 0, "", [&](const TreeEntry&) -> bool { throw std::bad_alloc(); }), std::bad_alloc);
  CHECK_THROWS_AS(tree.VisitDown("", "", 0, [&](const TreeEntry&) -> bool { throw std::bad_alloc(); }), std::bad_alloc);
  f.cache.EvictTo(0);
  CHECK(f.cache.bytes() == 0);
}

TEST_CASE("readers of an old root see it whole while checkpoints go on") {
  TreeFixture f(400'000);
  for (uint64_t i = 0; i < 6'000; ++i) f.model.emplace(Number(i * 10), i);
  f.Begin();
  f.Build();
  f.Commit();
  const uint64_t kept = f.root_seq;
  const TreeRoot old_root = f.root;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> wrong{0}, scans{0};
  std::vector<std::thread> readers;
  for (uint64_t t = 0; t < 3; ++t) {
    readers.emplace_back([&, t] {
      const IndexTree tree(f.file.get(), &f.cache, f.kIndex, old_root);
      Random random(t);
      while (!stop || scans < 6) {
        const uint64_t from = random.Below(6'000);
        uint64_t next = from;
        tree.Visit(Number(from * 10), 0, "", [&](const TreeEntry& entry) {
          wrong += entry.id != next++ || entry.key != Number(entry.id * 10);
          return true;
        });
        wrong += next != 6'000;
        tree.VisitDown("", "", 0, [&](const TreeEntry& entry) {
          wrong += entry.id != --next;
          return next > 5'000;
        });
        ++scans;
      }
    });
  }
  Random random(77);
  for (int round = 0; round < 15; ++round) {
    TreeModel add, remove;
    for (int i = 0; i < 200; ++i) {
      std::pair<std::string, uint64_t> entry(Number(random.Below(60'000)), 1'000'000);
      (f.model.count(entry) ? remove : add).insert(std::move(entry));
    }
    for (const auto& entry : f.model) {
      if (random.OneIn(20)) remove.insert(entry);
    }
    f.BeginKeeping(kept);
    const Status status = f.Apply(add, remove);
    if (!status.ok()) wrong += 1'000'000;
    f.Commit();
  }
  stop = true;
  for (auto& reader : readers) reader.join();
  CHECK(wrong == 0);
  CHECK(scans >= 6);
  f.Verify();
}

TEST_CASE("ids at both ends of their range are found") {
  TreeFixture f;
  for (const uint64_t id : {uint64_t{0}, uint64_t{1}, ~uint64_t{0} - 1, ~uint64_t{0}}) {
    for (uint64_t i = 0; i < 40; ++i) f.model.emplace(Number(i), id);
  }
  f.Begin();
  f.Build();
  f.Commit();
  f.Verify();
  Random random(1);
  for (int i = 0; i < 30; ++i) CheckRanges(f.tree(), f.model, random, 1);
}

}  // namespace
}  // namespace fornix::storage

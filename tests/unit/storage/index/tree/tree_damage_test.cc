// Damaged pages of the ordered index: an error that says where, never a crash and never an endless scan.
#include "storage/index/tree/tree_page.h"
#include "storage/page/extent_header.h"
#include "tests/unit/storage/index/tree/tree_fixture.h"

namespace fornix::storage {
namespace {

void Fill(TreeFixture* f, size_t entries) {
  Random random(9);
  for (size_t i = 0; i < entries; ++i) f->model.emplace("word " + std::to_string(random.Below(100'000)), i);
  f->Begin();
  f->Build();
  f->Commit();
}

std::vector<ExtentRef> Pages(TreeFixture& f) {
  std::vector<ExtentRef> pages;
  REQUIRE(f.tree().Check([&](const ExtentRef& ref) { return pages.push_back(ref), Status::Ok(); }).ok());
  return pages;
}

// What bytes decode to is in order and within its arrays, or it is Corruption.
void CheckDecode(const std::vector<std::byte>& bytes, uint32_t level) {
  TreeContent content;
  const Status status = DecodeTreePage(bytes, level, &content);
  if (!status.ok()) {
    if (status.code() != Code::kCorruption) FAIL(status.ToString());
    return;
  }
  bool sound = content.size() > 0 && content.offsets.size() == content.size() + 1 && content.offsets.back() == content.keys.size() &&
               content.children.size() == (level == 0 ? 0 : content.size());
  for (size_t i = 1; i < content.size(); ++i) {
    sound &= CompareEntry(content.key(i - 1), content.ids[i - 1], content.key(i), content.ids[i]) < 0;
  }
  if (!sound) FAIL("a page decoded to something unsound");
}

TEST_CASE("an index page decodes to a sound page or to an error, whichever bits are wrong") {
  TreeFixture f;
  Fill(&f, 9000);
  REQUIRE(f.root.height == 2);
  for (const uint32_t level : {0u, 1u}) {
    const TreeContent root = CopyTreePage(*f.file, nullptr, f.kIndex, 1, f.root.root);
    const ExtentRef ref = level == 1 ? f.root.root : root.children[2];
    const std::vector<std::byte> good = f.file->Read(ref, TreeKind(level), TreeOwner(f.kIndex, level)).value().bytes;
    TreeContent content;
    REQUIRE(DecodeTreePage(good, level, &content).ok());
    CHECK(EncodeTreePage(content, 0, content.size()) == good);
    for (size_t bit = 0; bit < 8 * std::min<size_t>(good.size(), 100); ++bit) {
      auto bytes = good;
      bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      CheckDecode(bytes, level);
    }
    for (uint64_t seed = 1; seed <= 300; ++seed) {
      Random random(seed);
      auto bytes = good;
      for (uint64_t n = 1 + random.Below(4); n > 0; --n) bytes[random.Below(bytes.size())] = static_cast<std::byte>(random.Next());
      if (random.OneIn(3)) bytes.resize(random.Below(bytes.size()));
      CheckDecode(bytes, level);
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.OneIn(2) ? random.Next() : random.Below(4));
      CheckDecode(bytes, level);
      if (!bytes.empty()) bytes[0] = static_cast<std::byte>(level);
      CheckDecode(bytes, level);
    }
  }
}

TEST_CASE("keys that unpack to more than a page may hold are refused") {
  ByteWriter out;
  out.U8(0);
  out.Varint(3000);
  for (int i = 0; i < 3000; ++i) {
    out.Varint(i == 0 ? 0 : 8000);
    out.Varint(i == 0 ? 8000 : 0);
    if (i == 0) out.Zeros(8000);
    out.SignedVarint(1);
  }
  TreeContent content;
  const Status status = DecodeTreePage(out.bytes(), 0, &content);
  CHECK(status.code() == Code::kCorruption);
  CHECK(content.keys.size() < 100'000);
}

TEST_CASE("a flipped bit of a leaf in the file is an error that names file and offset") {
  TreeFixture f;
  Fill(&f, 4000);
  const ExtentRef leaf = Pages(f)[1];
  f.cache.EvictTo(0);
  for (uint64_t bit = 0; bit < 8 * 64; ++bit) {
    const uint64_t offset = leaf.page * kPageBytes + bit / 8;
    f.Flip(offset, static_cast<uint8_t>(1 << bit % 8));
    try {
      TreeFixture::All(f.tree());
      FAIL("bit " << bit << " of the leaf at page " << leaf.page << " wasn't noticed");
    } catch (const ReadFailure& failure) {
      if (failure.status().message().find("x.fornix: offset " + std::to_string(leaf.page * kPageBytes)) != 0) FAIL(failure.what());
    }
    f.Flip(offset, static_cast<uint8_t>(1 << bit % 8));
  }
  CHECK(TreeFixture::All(f.tree()) == std::vector(f.model.begin(), f.model.end()));
}

TEST_CASE("wrong pages under right checksums end every call, with an answer or an error") {
  TreeFixture f;
  Fill(&f, 6000);
  const std::vector<ExtentRef> pages = Pages(f);
  auto raw = f.OpenRaw();
  uint64_t errors = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed=" << seed);
    Random random(seed);
    const ExtentRef ref = random.OneIn(3) ? pages[0] : pages[random.Below(pages.size())];
    std::vector<std::byte> good(ref.pages * kPageBytes);
    REQUIRE(raw->ReadAt(ref.page * kPageBytes, good).ok());
    auto bytes = good;
    const uint32_t stored = LoadFixed<uint32_t>(good.data() + 8), level = ref == pages[0] ? 1 : 0;
    for (uint64_t n = 1 + random.Below(3); n > 0; --n) bytes[32 + random.Below(stored)] ^= static_cast<std::byte>(1 << random.Below(8));
    StampExtent({TreeKind(level), ExtentCodec::kRaw, stored, stored, TreeOwner(f.kIndex, level), ref.seq}, bytes);
    REQUIRE(raw->WriteAt(ref.page * kPageBytes, bytes).ok());
    f.cache.EvictTo(0);
    const IndexTree tree = f.tree();
    const auto run = [&](const std::function<void()>& call) {
      try {
        call();
      } catch (const ReadFailure& failure) {
        ++errors;
        if (failure.status().code() != Code::kCorruption) FAIL(failure.what());
      }
    };
    uint64_t seen = 0;
    run([&] { tree.Visit("", 0, "", [&](const TreeEntry&) { return ++seen < 1'000'000; }); });
    run([&] { tree.VisitDown("", "", 0, [&](const TreeEntry&) { return ++seen < 1'000'000; }); });
    run([&] { tree.Visit("word 5", 3, "word 6", [&](const TreeEntry&) { return ++seen < 1'000'000; }); });
    CHECK(seen < 100'000);
    errors += !tree.Check([](const ExtentRef&) { return Status::Ok(); }).ok();
    f.Begin();
    std::vector<TreeChange> changes;
    for (auto it = f.model.begin(); it != f.model.end(); std::advance(it, std::min<ptrdiff_t>(500, std::distance(it, f.model.end())))) {
      changes.push_back({it->first, it->second, true});
    }
    (void)IndexTree::Update(f.file.get(), &f.cache, f.kIndex, f.root, changes);
    (void)IndexTree::FreeAll(f.file.get(), &f.cache, f.kIndex, f.root);
    f.file->Abandon();
    REQUIRE(raw->WriteAt(ref.page * kPageBytes, good).ok());
    f.cache.EvictTo(0);
  }
  CHECK(errors > 200);
  f.Verify();
}

TEST_CASE("a tree's root decodes to what it was, or to a damage") {
  for (const TreeRoot& root : {TreeRoot{}, TreeRoot{{5, 4, 9}, 3, 1000, 10}}) {
    ByteWriter out;
    EncodeTreeRoot(root, &out);
    ByteReader in(out.bytes());
    const TreeRoot again = DecodeTreeRoot(&in, 100).value();
    CHECK((again.root == root.root && again.height == root.height && again.entries == root.entries && again.distinct == root.distinct));
    CHECK(in.empty());
  }
  for (const TreeRoot& root : {TreeRoot{{}, 1, 0, 0}, TreeRoot{{5, 4, 9}, 0, 5, 5}, TreeRoot{{5, 4, 9}, 1, 0, 0}, TreeRoot{{5, 4, 9}, 1, 5, 6},
                               TreeRoot{{5, 4, 9}, 41, 5, 5}, TreeRoot{{98, 4, 9}, 1, 5, 5}}) {
    ByteWriter out;
    EncodeTreeRoot(root, &out);
    ByteReader in(out.bytes());
    CHECK(DecodeTreeRoot(&in, 100).status().code() == Code::kCorruption);
  }
}

}  // namespace
}  // namespace fornix::storage

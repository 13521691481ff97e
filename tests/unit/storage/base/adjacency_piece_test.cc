#include "tests/unit/storage/base/fixture.h"

#include "storage/base/adjacency_piece.h"

namespace fornix::storage::base_test {
namespace {

struct Lists {
  unsigned first = 0;
  std::vector<Entry> entries;
  std::vector<uint32_t> ends;
  std::vector<HubEntry> hubs;
  std::vector<std::byte> Encode() const {
    ByteWriter out;
    EncodeAdjacency(first, entries, ends, hubs, &out);
    out.Zeros(kPackedTail);
    return out.Take();
  }
};

Result<AdjacencyPiece> DecodePiece(const std::vector<std::byte>& bytes) {
  ByteReader in(std::span<const std::byte>(bytes).first(bytes.size() - kPackedTail));
  return AdjacencyPiece::Decode(&in, 1000);
}

Lists RandomLists(Random& random, unsigned slots, uint64_t one_in, uint64_t ids) {
  Lists lists;
  lists.first = static_cast<unsigned>(random.Below(kChunkSlots - slots + 1));
  for (unsigned i = 0; i < slots; ++i) {
    std::vector<Entry> list;
    if (random.OneIn(one_in)) {
      for (uint64_t n = random.Below(6); n > 0; --n) list.push_back({random.Below(ids), random.Below(ids)});
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (list.empty() && random.OneIn(200)) lists.hubs.push_back({lists.first + i, 5000 + random.Below(9), {3 + i % 7, 1, 2}});
    lists.entries.insert(lists.entries.end(), list.begin(), list.end());
    lists.ends.push_back(static_cast<uint32_t>(lists.entries.size()));
  }
  return lists;
}

}  // namespace

TEST_CASE("adjacency pieces give back their lists, dense and sparse, with narrow and wide ids") {
  Random random(3);
  for (const uint64_t one_in : {1, 2, 40}) {
    for (const uint64_t ids : {uint64_t{50}, uint64_t{1} << 31, kElementIdMax + 1}) {
      for (const unsigned slots : {1u, 63u, 64u, 1000u, 4096u}) {
        const Lists lists = RandomLists(random, slots, one_in, ids);
        const AdjacencyPiece piece = Must(DecodePiece(lists.Encode()));
        uint32_t begin = 0;
        size_t hub = 0;
        for (unsigned i = 0; i < slots; ++i) {
          const auto [from, to] = piece.List(lists.first + i);
          REQUIRE(to - from == lists.ends[i] - begin);
          for (uint32_t k = 0; k < to - from; ++k) {
            const Entry& entry = lists.entries[begin + k];
            if (piece.neighbours()[from + k] != entry.neighbour || piece.relationships()[from + k] != entry.relationship)
              FAIL("slot " << i);
          }
          begin = lists.ends[i];
          const HubEntry* found = piece.Hub(lists.first + i);
          const bool expected = hub < lists.hubs.size() && lists.hubs[hub].slot == lists.first + i;
          REQUIRE((found != nullptr) == expected);
          if (expected) REQUIRE(found->degree == lists.hubs[hub++].degree);
        }
        REQUIRE(piece.List(lists.first + slots).second == piece.List(lists.first + slots).first);
      }
    }
  }
}

TEST_CASE("an adjacency piece of 10 million nodes takes a quarter of the plain ids") {
  Random random(8);
  Lists lists;
  for (unsigned i = 0; i < 4096; ++i) {
    std::vector<Entry> list;
    for (int k = 0; k < 3; ++k) list.push_back({random.Below(10'000'000), random.Below(30'000'000)});
    std::sort(list.begin(), list.end());
    lists.entries.insert(lists.entries.end(), list.begin(), list.end());
    lists.ends.push_back(static_cast<uint32_t>(lists.entries.size()));
  }
  const double bytes = static_cast<double>(lists.Encode().size()) / static_cast<double>(lists.entries.size());
  INFO(bytes);
  REQUIRE(bytes < 6.8);   // 24 + 25 bits, and 14 bits of offset for three
}

TEST_CASE("hub roots and leaves come back, out of order they don't") {
  std::vector<Entry> entries;
  for (uint64_t i = 0; i < 5000; ++i) entries.push_back({i / 3, i});
  ByteWriter out;
  EncodeHubLeaf(entries, &out);
  out.Zeros(kPackedTail);
  ByteReader in(out.bytes().first(out.size() - kPackedTail));
  const HubLeaf leaf = Must(HubLeaf::Decode(&in));
  REQUIRE(leaf.count == entries.size());
  REQUIRE(leaf.At(4999) == entries[4999]);
  std::swap(entries[10], entries[11]);
  ByteWriter wrong;
  EncodeHubLeaf(entries, &wrong);
  wrong.Zeros(kPackedTail);
  ByteReader bad(wrong.bytes().first(wrong.size() - kPackedTail));
  REQUIRE(HubLeaf::Decode(&bad).status().code() == Code::kCorruption);

  HubRoot root;
  root.slot = 77;
  root.fences = {{{1, 2}, 0, 10, {5, 2, 1}}, {{1, 3}, 0, 20, {7, 2, 1}}};
  ByteWriter root_bytes;
  EncodeHubRoot(root, &root_bytes);
  ByteReader root_in(root_bytes.bytes());
  const HubRoot back = Must(HubRoot::Decode(&root_in, 1000));
  REQUIRE(back.degree == 30);
  REQUIRE(back.fences[1].before == 10);
  REQUIRE(back.fences[1].leaf == root.fences[1].leaf);
}

TEST_CASE("a neighbour is found in a leaf however its ids are spread, narrow and wide, once and in runs") {
  Random random(11);
  for (const uint32_t count : {1u, 2u, 128u, 129u, 4608u, 6144u}) {
    for (int spread = 0; spread < 6; ++spread) {
      std::vector<Entry> entries(count);
      for (uint32_t i = 0; i < count; ++i) {
        const uint64_t neighbours[] = {random.Below(5), random.Below(10'000), random.Below(kElementIdMax + 1), i < count - 1 ? i : kElementIdMax,
                                       i == 0 ? 0 : kElementIdMax - i, uint64_t{1} << random.Below(40)};
        entries[i] = {neighbours[spread], i};
      }
      std::sort(entries.begin(), entries.end());
      ByteWriter out;
      EncodeHubLeaf(entries, &out);
      out.Zeros(kPackedTail);
      const std::vector<std::byte> bytes = out.Take();
      ByteReader in(std::span<const std::byte>(bytes).first(bytes.size() - kPackedTail));
      const auto leaf = HubLeaf::Decode(&in);
      INFO("count " << count << ", spread " << spread << ": " << leaf.status().ToString());
      REQUIRE(leaf.ok());
      auto check = [&](uint64_t id, uint32_t begin, uint32_t end) {
        const auto from = std::lower_bound(entries.begin() + begin, entries.begin() + end, Entry{id, 0});
        const auto to = std::lower_bound(from, entries.begin() + end, Entry{id + 1, 0});
        const uint32_t found = leaf->neighbours.LowerBound(begin, end, id);
        return found == static_cast<uint32_t>(from - entries.begin()) &&
               leaf->neighbours.EndOfRun(found, end, id) == static_cast<uint32_t>(to - entries.begin());
      };
      bool right = true;
      for (const Entry& entry : entries) {
        for (const uint64_t id : {entry.neighbour - (entry.neighbour > 0), entry.neighbour, entry.neighbour + 1}) right = right && check(id, 0, count);
      }
      for (int i = 0; i < 500; ++i) {
        const uint32_t begin = static_cast<uint32_t>(random.Below(count)), end = begin + static_cast<uint32_t>(random.Below(count - begin + 1));
        right = right && check(random.Below(kElementIdMax + 2), begin, end) && check(entries[random.Below(count)].neighbour, begin, end);
      }
      CHECK(right);
    }
  }
}

TEST_CASE("damaged adjacency pieces give Corruption or other lists, never a crash") {
  Random random(17);
  for (int round = 0; round < 60; ++round) {
    const std::vector<std::byte> whole = RandomLists(random, 300, 1 + random.Below(20), uint64_t{1} << (8 + random.Below(32))).Encode();
    for (int damage = 0; damage < 200; ++damage) {
      std::vector<std::byte> bytes = whole;
      bytes[random.Below(bytes.size() - kPackedTail)] ^= std::byte(1u << random.Below(8));
      if (random.OneIn(4)) bytes.resize(std::max<size_t>(random.Below(bytes.size()), kPackedTail));
      const Result<AdjacencyPiece> piece = DecodePiece(bytes);
      if (!piece.ok()) continue;
      uint64_t sum = 0;
      for (unsigned slot = 0; slot < kChunkSlots; ++slot) {
        const auto [from, to] = piece->List(slot);
        for (uint32_t i = from; i < to; ++i) sum += piece->neighbours()[i] + piece->relationships()[i];
        (void)piece->Hub(slot);
      }
      REQUIRE(sum < ~uint64_t{0});
    }
  }
}

}  // namespace fornix::storage::base_test

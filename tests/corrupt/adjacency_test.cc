// Lists of relationships that lie under right checksums: entries that point outside of all ids, to their own node, to nodes and relationships
// that were deleted or never were, and list extents that name themselves. In short lists and in leaves of long ones, of both directions.
//
// Reading everything gives Corruption, or an answer in which the two sides of a relationship are seen to disagree; `check` finds it; and
// deleting the node with all that its list names is done or refused, never a crash.
#include <algorithm>
#include <iostream>
#include <optional>

#include "storage/base/adjacency_piece.h"
#include "storage/base/chunk_access.h"
#include "storage/check/check.h"
#include "tests/corrupt/content.h"
#include "tests/corrupt/forge.h"
#include "tests/corrupt/must.h"
#include "tests/corrupt/sample.h"

namespace fornix::corrupt {
namespace {

using namespace storage;   // NOLINT: a test

// A closed file with short and long lists, and ids that its elements have left.
struct Sample {
  std::vector<std::byte> file;
  uint64_t deleted_node = 0, deleted_relationship = 0;
};

template <typename Id, typename Scan>
uint64_t FirstGap(Scan scan) {
  Id ids[256];
  ScanPosition position;
  for (uint64_t expected = 0; size_t n = scan(&position, ids, 256);) {
    for (size_t i = 0; i < n; ++i, ++expected) {
      if (ids[i].value != expected) return expected;
    }
  }
  FAIL("nothing was deleted");
  return 0;
}

Sample MakeSample() {
  Sample sample;
  const auto disk = EmptyDisk();
  {
    const auto store = Must(Store::Open(*disk, kSamplePath, SampleOptions()));
    SampleSize size;
    size.nodes = 900;                            // so that the lists' pieces are extents of their own
    size.hub = 5'000;                            // 2,500 in each direction, less those of deleted nodes: leaves
    Must(FillSample(*store, size));
    const auto transaction = Must(store->Begin(true));
    const GraphView& view = transaction->view();
    sample.deleted_node = FirstGap<NodeId>([&](auto* p, auto* out, size_t max) { return view.ScanNodes(p, out, max); });
    sample.deleted_relationship = FirstGap<RelId>([&](auto* p, auto* out, size_t max) { return view.ScanRelationships({}, p, out, max); });
  }
  const auto store = Must(Store::Open(*disk, kSamplePath, SampleOptions()));
  Must(store->Close());
  sample.file = Must(FileBytes(*disk, kSamplePath));
  return sample;
}

std::span<const std::byte> WithoutTail(std::span<const std::byte> payload) { return payload.first(payload.size() - kPackedTail); }
uint32_t PartOfExtent(const PlacedExtent& extent) { return static_cast<uint32_t>(extent.header.owner & 0xFFFFF); }
bool IsList(const PlacedExtent& extent) {
  const ChunkPart kind = PartKind(PartOfExtent(extent));
  return extent.header.kind == ExtentKind::kPiece && (kind == ChunkPart::kOutgoing || kind == ChunkPart::kIncoming);
}
ExtentRef RefOf(const PlacedExtent& extent) {
  return {extent.page, PagesFor(kExtentHeaderBytes + extent.header.stored_bytes), extent.header.seq};
}

// A change of the last entry of a list; the list is put in order again. `own`: the node whose list it is, if it is known.
using Change = std::function<void(Entry*, uint64_t own)>;

bool ChangeShortList(Forge* forge, size_t place, uint64_t file_pages, const Change& change, uint64_t* node) {
  std::vector<std::byte> payload = forge->Payload(place);
  ByteReader in(WithoutTail(payload), "piece");
  const AdjacencyPiece piece = Must(AdjacencyPiece::Decode(&in, file_pages));
  std::vector<Entry> entries;
  std::vector<uint32_t> ends;
  bool changed = false;
  const uint64_t chunk = forge->extents()[place].header.owner >> 20 & 0xFFFFFFFFFF;
  for (unsigned slot = piece.first(); slot < piece.end(); ++slot) {
    const auto [begin, end] = piece.List(slot);
    const size_t first = entries.size();
    for (uint32_t i = begin; i < end; ++i) entries.push_back({piece.neighbours()[i], piece.relationships()[i]});
    if (!changed && end > begin && slot > piece.first() + 100) {
      *node = chunk * kChunkSlots + slot;
      change(&entries.back(), *node);
      std::sort(entries.begin() + static_cast<ptrdiff_t>(first), entries.end());
      changed = true;
    }
    ends.push_back(static_cast<uint32_t>(entries.size()));
  }
  ByteWriter out;
  EncodeAdjacency(piece.first(), entries, ends, piece.hubs(), &out);
  std::vector<std::byte> forged(out.bytes().begin(), out.bytes().end());
  forged.resize(forged.size() + kPackedTail);
  return changed && forge->SetPayload(place, forged);
}

bool ChangeLeaf(Forge* forge, size_t place, const Change& change) {
  const std::vector<std::byte> payload = forge->Payload(place);
  ByteReader in(WithoutTail(payload), "leaf");
  const HubLeaf leaf = Must(HubLeaf::Decode(&in));
  std::vector<Entry> entries;
  for (uint32_t i = 0; i < leaf.count; ++i) entries.push_back(leaf.At(i));
  change(&entries.back(), ~uint64_t{0});
  std::sort(entries.begin(), entries.end());
  ByteWriter out;
  EncodeHubLeaf(entries, &out);
  std::vector<std::byte> forged(out.bytes().begin(), out.bytes().end());
  forged.resize(forged.size() + kPackedTail);
  return forge->SetPayload(place, forged);
}

struct Findings {
  uint64_t files = 0, errors = 0, disagreements = 0;
};

void DetachDelete(FileSystem& files, uint64_t node) try {
  const auto store = Must(Store::Open(files, kSamplePath, SampleOptions()));
  const auto transaction = Must(store->Begin());
  Status status = transaction->DeleteNode(NodeId(node), true);
  if (status.ok()) status = transaction->Commit().status();
  if (status.ok()) status = store->Checkpoint().status();
  INFO(status.ToString());
  REQUIRE(status.code() != Code::kInternal);
} catch (const ReadFailure& failure) {
  REQUIRE(failure.status().code() == Code::kCorruption);
}

// `named`: what an error of reading must name.
void Judge(const Forge& forge, std::optional<uint64_t> node, const std::string& named, Findings* findings) {
  Forge copy = forge;
  const auto disk = EmptyDisk();
  Must(PutFile(*disk, kSamplePath, copy.bytes()));
  ++findings->files;
  const auto visit = ReadDatabase(*disk, kSamplePath, SampleOptions());
  INFO(visit.status().ToString());
  if (visit.ok()) {
    REQUIRE(visit->content.find("DISAGREES") != std::string::npos);
    ++findings->disagreements;
  } else {
    REQUIRE(visit.status().code() == Code::kCorruption);
    REQUIRE(visit.status().message().find(kSamplePath) != std::string::npos);
    REQUIRE(visit.status().message().find(named) != std::string::npos);
    ++findings->errors;
  }
  CheckResult check;
  Must(CheckFiles(*disk, kSamplePath, {}, &check));
  REQUIRE(check.problem_count > 0);
  if (node) DetachDelete(*disk, *node);
}

// `files_min`: a change that takes other pages can't be forged into a short list.
void WithEveryList(const Sample& sample, const Change& change, const std::string& named, const std::string& what, uint64_t files_min) {
  const Forge whole(sample.file);
  const uint64_t file_pages = sample.file.size() / kPageBytes;
  Findings findings;
  for (size_t place = 0; place < whole.extents().size(); ++place) {
    Forge forge = whole;
    std::optional<uint64_t> node;
    uint64_t owner = 0;
    if (IsList(whole.extents()[place])) {
      if (!ChangeShortList(&forge, place, file_pages, change, &owner)) continue;
      node = owner;
    } else if (whole.extents()[place].header.kind != ExtentKind::kHubLeaf || !ChangeLeaf(&forge, place, change)) {
      continue;
    }
    INFO(what << ", extent " << place << " of kind " << static_cast<int>(whole.extents()[place].header.kind));
    Judge(forge, node, named, &findings);
  }
  std::cout << what << ": " << findings.files << " files, " << findings.errors << " errors, " << findings.disagreements << " disagreements\n";
  CHECK(findings.files >= files_min);
}

}  // namespace

TEST_CASE("lists that name a node or a relationship outside of all ids, that was deleted, or the list's own node, are seen and survived") {
  const Sample sample = MakeSample();
  WithEveryList(sample, [](Entry* e, uint64_t) { e->neighbour = kElementIdMax; }, "", "a neighbour outside", 2);
  WithEveryList(sample, [](Entry* e, uint64_t) { e->relationship |= kChunkSlots - 1; }, "relationship ", "a relationship that never was", 2);
  // Short and long, outgoing and incoming.
  WithEveryList(sample, [&](Entry* e, uint64_t) { e->neighbour = sample.deleted_node; }, "", "a deleted neighbour", 4);
  WithEveryList(sample, [](Entry* e, uint64_t own) { e->neighbour = own == ~uint64_t{0} ? 3 : own; }, "", "the node itself", 4);
  WithEveryList(sample, [&](Entry* e, uint64_t) { e->relationship = sample.deleted_relationship; },
                "relationship " + std::to_string(sample.deleted_relationship), "a deleted relationship", 4);
}

TEST_CASE("a long list whose root names itself, another list's leaf or the same leaf twice is damage") {
  const Sample sample = MakeSample();
  const Forge whole(sample.file);
  const uint64_t file_pages = sample.file.size() / kPageBytes;
  const auto roots = whole.Of(ExtentKind::kHubRoot), leaves = whole.Of(ExtentKind::kHubLeaf);
  REQUIRE(roots.size() == 2);
  Findings findings;
  for (const size_t place : roots) {
    const std::vector<std::byte> payload = whole.Payload(place);
    ByteReader in(payload, "root");
    const HubRoot root = Must(HubRoot::Decode(&in, file_pages));
    const auto with = [&](const HubRoot& changed) {
      ByteWriter out;
      EncodeHubRoot(changed, &out);
      Forge forge = whole;
      if (forge.SetPayload(place, out.bytes())) Judge(forge, std::nullopt, "", &findings);
    };
    HubRoot itself = root;
    itself.fences[0].leaf = RefOf(whole.extents()[place]);
    with(itself);
    for (const size_t leaf : leaves) {
      HubRoot other = root;
      if (other.fences[0].leaf == RefOf(whole.extents()[leaf])) continue;
      other.fences[0].leaf = RefOf(whole.extents()[leaf]);
      with(other);
    }
    HubRoot twice = root;
    twice.fences.push_back(twice.fences.back());
    with(twice);
  }
  CHECK(findings.files >= 6);
  CHECK(findings.errors == findings.files);
}

}  // namespace fornix::corrupt

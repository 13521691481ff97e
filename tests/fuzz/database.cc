// Changes of a small valid database, with right checksums: a sequence of
//
//   u8 operation, then its fields:
//   0  payload of an extent: u8 which, u16 offset, u8 length, bytes          4  a root slot: u8 which, u16 offset, u8 length, bytes
//   1  the same as a number: u8 which, u16 offset, u8 length (1-8), u64      5  bytes as they are, checksums left wrong: u16 page, u16 offset, u8 length, bytes
//   2  header: u8 which, u8 field, u64 value                                 6  two pages change places: u16, u16
//   3  payload is cut or grows: u8 which, u16 size                           7  the file ends at a page: u16
//   8  one page becomes a copy of another: u16, u16                          9  payload of another extent: u8, u8
//
// `which` counts the extents of the file in its order. Two databases: without a hub (the first byte is 1) and with one (2).
#include <algorithm>
#include <map>

#include "base/read_failure.h"
#include "storage/check/check.h"
#include "tests/corrupt/content.h"
#include "tests/corrupt/forge.h"
#include "tests/corrupt/sample.h"
#include "tests/fuzz/target.h"

namespace fornix::fuzz {
namespace {

using namespace corrupt;   // NOLINT: a test
using storage::kPageBytes;

const Forge& Valid(bool hub) {
  static std::map<bool, Forge> made;
  const auto it = made.find(hub);
  if (it != made.end()) return it->second;
  const auto disk = EmptyDisk();
  auto store = storage::Store::Open(*disk, kSamplePath, SampleOptions());
  Expect(store.ok(), store.status().ToString());
  SampleSize size;
  size.nodes = 24;
  size.hub = hub ? 2'400 : 0;                  // more than storage::kListEntriesMax, also without those of deleted nodes: leaves
  size.hub_outgoing = true;
  size.text_bytes = 5'000;
  Expect(FillSample(**store, size).ok(), "no sample");
  Expect((*store)->Close().ok(), "no close");
  auto bytes = FileBytes(*disk, kSamplePath);
  Expect(bytes.ok(), "no file");
  return made.emplace(hub, Forge(std::move(bytes).value())).first->second;
}

void Write(std::vector<std::byte>* bytes, size_t offset, std::span<const std::byte> change) {
  for (size_t i = 0; i < change.size() && offset + i < bytes->size(); ++i) (*bytes)[offset + i] = change[i];
}
std::span<std::byte> Page(std::vector<std::byte>* bytes, uint16_t page) {
  const size_t pages = bytes->size() / kPageBytes;
  return pages == 0 ? std::span<std::byte>() : std::span(*bytes).subspan(page % pages * kPageBytes, kPageBytes);
}

void Change(Input& in, Forge* forge) {
  const size_t extents = forge->extents().size();
  const uint8_t operation = in.U8() % 10;
  if (operation <= 3 || operation == 9) {
    const size_t which = in.U8() % extents;
    std::vector<std::byte> payload = forge->Payload(which);
    if (operation == 2) {
      storage::ExtentHeader header = forge->extents()[which].header;
      const uint8_t field = in.U8() % 6;
      const uint64_t value = in.Little(8);
      if (field == 0) header.kind = static_cast<storage::ExtentKind>(value);
      if (field == 1) header.codec = static_cast<storage::ExtentCodec>(value);
      if (field == 2) header.raw_bytes = static_cast<uint32_t>(value);
      if (field == 3) header.stored_bytes = static_cast<uint32_t>(value);
      if (field == 4) header.owner = value;
      if (field == 5) header.seq = value;
      forge->SetHeader(which, header);
      return;
    }
    const uint16_t at = in.U16();
    if (operation == 0) {
      Write(&payload, at, in.Bytes(in.U8()));
    } else if (operation == 1) {
      const size_t n = 1 + in.U8() % 8;
      std::byte number[8];
      StoreFixed(number, in.Little(8));
      Write(&payload, at, std::span(number).first(n));
    } else if (operation == 3) {
      payload.resize(at);
    } else {
      payload = forge->Payload(at % extents);
    }
    (void)forge->SetPayload(which, payload);
  } else if (operation == 4) {
    const int slot = in.U8() % 3;                // 2: both
    const uint16_t at = in.U16() % 508;
    const auto change = in.Bytes(in.U8());
    for (int i = 0; i < 2; ++i) {
      if (slot != 2 && slot != i) continue;
      forge->ChangeRoot(i, [&](std::span<std::byte> root) {
        for (size_t k = 0; k < change.size() && at + k < 508; ++k) root[at + k] = change[k];
      });
    }
  } else if (operation == 5) {
    const size_t at = size_t{in.U16()} * kPageBytes + in.U16() % kPageBytes;
    Write(&forge->bytes(), at, in.Bytes(in.U8()));
  } else {
    // What moves pages comes last: the places of the extents aren't known any more.
    const auto a = Page(&forge->bytes(), in.U16());
    if (operation == 7) {
      forge->bytes().resize(static_cast<size_t>(a.data() - forge->bytes().data()));
    } else {
      const auto b = Page(&forge->bytes(), in.U16());
      if (operation == 6) std::swap_ranges(a.begin(), a.end(), b.begin());
      else std::copy(b.begin(), b.end(), a.begin());
    }
  }
}

// Whatever can be done to the elements that such a database shows, one transaction each; what is refused is refused.
Status Use(FileSystem& files) try {
  ASSIGN_OR_RETURN(const auto store, storage::Store::Open(files, kSamplePath, SampleOptions()));
  std::vector<NodeId> nodes(48);
  {
    ASSIGN_OR_RETURN(const auto transaction, store->Begin(true));
    storage::ScanPosition position;
    nodes.resize(transaction->view().ScanNodes(&position, nodes.data(), nodes.size()));
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    ASSIGN_OR_RETURN(const auto transaction, store->Begin());
    const auto name = transaction->InternProperty("name");
    const auto label = transaction->InternLabel("Person");
    const auto type = transaction->InternType("KNOWS");
    if (!name.ok() || !label.ok() || !type.ok()) continue;
    Status status;
    switch (i % 5) {
      case 0: status = transaction->SetProperty(nodes[i], *name, Value("changed")); break;
      case 1: status = transaction->DeleteNode(nodes[i], true); break;
      case 2: status = transaction->RemoveLabel(nodes[i], *label); break;
      case 3: status = transaction->CreateRelationship(nodes[i], *type, nodes[i / 2], {}).status(); break;
      default: {
        std::vector<storage::Neighbour> around;
        storage::ScanPosition position;
        (void)transaction->view().Expand(nodes[i], {}, storage::Direction::kBoth, &position, 3, &around);
        for (const storage::Neighbour& n : around) {
          if (status.ok()) status = transaction->DeleteRelationship(n.relationship);
        }
      }
    }
    if (status.ok()) (void)transaction->Commit();
  }
  RETURN_IF_ERROR(store->Checkpoint().status());
  RETURN_IF_ERROR(Content(*store).status());
  return store->Close();
} catch (const ReadFailure& failure) {
  return failure.status();
}

void NotOurs(const Status& status) { Expect(status.code() != Code::kInternal, status.ToString()); }

}  // namespace

void FuzzDatabase(std::span<const uint8_t> input) {
  Input in(input);
  const uint8_t mode = in.U8() % 3;
  const auto disk = EmptyDisk();
  if (mode == 0) {
    (void)PutFile(*disk, kSamplePath, in.Bytes(1 << 20));
  } else {
    Forge forge = Valid(mode == 2);
    bool moved = false;
    for (int i = 0; i < 64 && !in.empty() && !moved && forge.bytes().size() >= 3 * kPageBytes; ++i) {
      Input look = in;
      const uint8_t operation = look.U8() % 10;
      moved = operation >= 6 && operation <= 8;
      Change(in, &forge);
    }
    (void)PutFile(*disk, kSamplePath, forge.bytes());
  }
  // Forged bytes may tell another story, and one that contradicts itself; only they must tell it, or be refused.
  NotOurs(ReadDatabase(*disk, kSamplePath, SampleOptions()).status());
  storage::CheckResult found;
  NotOurs(storage::CheckFiles(*disk, kSamplePath, {}, &found));
  NotOurs(Use(*disk->Copy()));
  NotOurs(WriteDatabase(*disk, kSamplePath, SampleOptions()).status());
}

}  // namespace fornix::fuzz

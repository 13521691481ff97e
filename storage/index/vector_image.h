// The image of one vector index in the data file: what its Hnsw keeps of each row, and which element each row is of, so that opening
// reads it instead of encoding and linking every vector again. docs/format.md, "Vector index".
//
//   directory    what loading needs to know (VectorDirectory), and where the groups are; a chain of extents
//   groups       rows in a row of one array: codes, fine codes, links of the base layer and of the upper ones, the slots' own words, elements
//
// A group is written anew only where it changed: codes never do once written, links by the dirty flags of their rows, the tables by a
// hash. What was found dirty is kept until the root that names the new group is durable: a checkpoint that is given up loses nothing.
// Links are written less often than codes (LinksDue): rows and slots beyond `head.linked` are linked again after loading.
// Links are copied while others link. No list of an image leads to a slot whose own list isn't in it: such a slot may join a chain of equal
// vectors when it is linked again, and no list may hold a member of one (vector/hnsw/hnsw.h).
// Threads: VectorImage by one, the checkpoint's; the free functions by any.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "storage/page/extent_file.h"
#include "vector/hnsw/hnsw.h"

namespace fornix::storage {

// In the order of their extents' kinds; the first five are those of vector::Hnsw::Array.
inline constexpr size_t kVectorArrays = 6;
inline constexpr size_t kElementBytes = 5;     // an id is below 2^40
enum class VectorArray : uint8_t { kCodes, kFineCodes, kBaseLinks, kUpperLinks, kSlots, kElements };
ExtentKind KindOf(VectorArray array);
// Rows of `row_bytes` that one extent has; all but the last of an array are full.
size_t RowsInGroup(VectorArray array, size_t row_bytes);

struct VectorDirectory {
  Timestamp timestamp = 0;                     // the elements are those of this commit
  bool complete = false;                       // all of them; false: the index is being filled
  vector::HnswOptions options;                 // dimensions 0: no vector has come yet, and there are no rows
  vector::Hnsw::ImageHead head;
  uint32_t link_rows[2] = {0, 0};              // of base and upper links that were written; those behind are empty
  std::array<std::vector<ExtentRef>, kVectorArrays> groups;
};

// `links`: all extents of the chain.
Result<VectorDirectory> ReadVectorDirectory(const ExtentFile& file, IndexId index, const ExtentRef& first, std::vector<ExtentRef>* links);

// An image as it was read.
struct LoadedVectors {
  std::unique_ptr<vector::Hnsw> graph;         // null: there are no rows
  std::vector<uint64_t> ids;                   // the element of each slot; of one that isn't live 0
  std::vector<bool> live;
  std::array<std::vector<uint64_t>, kVectorArrays> hashes;
};
// Reads and judges everything. `go_on` is called between extents, with the part done; a status of it ends the reading.
Result<LoadedVectors> LoadVectors(const ExtentFile& file, IndexId index, const VectorDirectory& directory,
                                  const std::function<Status(double part)>& go_on);

// Frees the extents of an image, each one that is what the directory says: what is damaged stays lost, and nothing else is freed for it.
void FreeVectorImage(ExtentFile* file, IndexId index, const ExtentRef& first);

class VectorImage {
 public:
  explicit VectorImage(IndexId index) : index_(index) {}
  // Of what was loaded.
  VectorImage(IndexId index, const ExtentRef& first, std::vector<ExtentRef> links, VectorDirectory directory, const LoadedVectors& loaded);

  struct Source {
    vector::Hnsw* graph = nullptr;             // null: no vector has come yet
    Timestamp timestamp = 0;
    bool complete = false;
    uint32_t rows = 0;                         // stored by then; those behind have no element yet
    std::function<bool(uint32_t slot, uint64_t* id)> live;   // whether it has one at `timestamp`; called for slots below `rows`
    uint64_t repairs = 0;
    bool closing = false;                      // the links too, however few they are
  };
  // Writes what has changed since the durable image; no Repair may run. The reference of the directory: the old one if nothing did.
  Result<ExtentRef> Write(ExtentFile* file, const Source& source);
  // The root is durable, or the checkpoint was given up.
  void Committed();
  void Abandoned();

  // Of the durable image.
  bool complete() const { return durable_.directory.complete; }
  uint32_t linked() const { return durable_.directory.head.linked; }
  // Whether links are worth writing for the slots that were linked since.
  static bool LinksLag(uint32_t linked, uint32_t before);
  // Of the last Write, for tests and reports.
  uint64_t extents_written() const { return extents_written_; }
  bool wrote_links() const { return wrote_links_; }

 private:
  struct State {
    ExtentRef first;
    std::vector<ExtentRef> links;
    VectorDirectory directory;
    std::array<std::vector<uint64_t>, kVectorArrays> hashes;   // of the tables' groups
    const vector::Hnsw* graph = nullptr;
    uint64_t repairs = 0;
  };
  class Writing;

  bool LinksDue(const Source& source, uint32_t linked) const;

  const IndexId index_;
  State durable_, next_;
  bool writing_ = false;
  // Groups of base and upper links that the durable image has otherwise; and those that stay so when the running one is durable.
  std::array<std::vector<bool>, 2> dirty_, stays_dirty_;
  uint64_t extents_written_ = 0;
  bool wrote_links_ = false;
};

}  // namespace fornix::storage

// Forge: changes a data file and makes its checksums right again, so that what stands behind the checksums is tested: what a bug, or
// somebody who means it, could have written. One thread.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fornix/status.h"
#include "storage/page/extent_header.h"

namespace fornix::corrupt {

struct PlacedExtent {
  uint32_t page = 0;
  storage::ExtentHeader header;
};

class Forge {
 public:
  // Finds the extents: wherever a page begins with a header whose checksum is right.
  explicit Forge(std::vector<std::byte> file);

  const std::vector<PlacedExtent>& extents() const { return extents_; }
  std::vector<std::byte>& bytes() { return bytes_; }
  // Places of all extents of a kind, in the order of the file.
  std::vector<size_t> Of(storage::ExtentKind kind) const;

  // Unpacked. Empty if it can't be.
  std::vector<std::byte> Payload(size_t extent) const;
  // Written as it is or, where that takes more pages, packed; false, and nothing is changed, if it takes other pages than before.
  bool SetPayload(size_t extent, std::span<const std::byte> payload);
  // The same header with other fields, whatever they say; the lengths decide what the checksum is over.
  void SetHeader(size_t extent, const storage::ExtentHeader& header);
  // Changes the 512 bytes of a root slot; the checksum follows.
  void ChangeRoot(int slot, const std::function<void(std::span<std::byte>)>& change);

 private:
  size_t Offset(size_t extent) const { return size_t{extents_[extent].page} * storage::kPageBytes; }
  std::vector<std::byte> bytes_;
  std::vector<PlacedExtent> extents_;
};

}  // namespace fornix::corrupt

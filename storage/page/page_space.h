// PageSpace: which pages of the data file are in use, pending or free, and what the running checkpoint has done to that.
//
//            Allocate                Free                 Begin, once no root that reaches it is read
//   free ---------------> in use ------------> pending(seq) ------------------------------------> free
//            Abandon: both arrows back
// A page that one checkpoint both takes and frees was never reachable, so it is free again as soon as the checkpoint's runs
// are written (ReleaseOwn). docs/format.md, "Free map". One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "storage/page/extent.h"
#include "storage/page/page_ranges.h"

namespace fornix::storage {

class PageSpace {
 public:
  explicit PageSpace(uint64_t file_pages) : file_pages_(file_pages) {}

  uint64_t file_pages() const { return file_pages_; }
  const PageRanges& free() const { return free_; }
  const std::map<uint64_t, PageRanges>& pending() const { return pending_; }   // by the checkpoint that freed them
  size_t ranges() const;

  // While loading: false if the range contradicts the others or the file's size.
  bool PutFree(PageRange range);
  bool PutPending(uint64_t seq, PageRange range);
  bool Holds(PageRange range) const;                     // some page of it is free or pending

  void Begin(uint64_t seq, uint64_t oldest_root_seq);
  Result<PageRange> Allocate(uint32_t pages);
  Status Free(PageRange range, bool own);                // own: taken by this checkpoint. Corruption if it isn't in use
  void ReleaseOwn();
  void CutTail();                                        // free pages at the file's end leave it
  void Commit();
  void Abandon();

 private:
  PageRange Take(PageRange from, uint32_t pages);

  uint64_t file_pages_;
  PageRanges free_;
  std::map<uint64_t, PageRanges> pending_;

  // The running checkpoint.
  uint64_t seq_ = 0;
  uint64_t file_pages_before_ = 0;
  PageRanges open_;            // at most one range: taken, to be given out page by page
  PageRanges taken_;           // all that it allocated
  PageRanges own_freed_;       // of those
};

}  // namespace fornix::storage

// PageMaker: takes ascending entries of one level of the tree and makes pages of them, and of each page an entry for the level above.
//
// Pages are full by their stored bytes (kTreePageBytes) or by their keys' bytes unpacked. While more entries come, pages are filled
// to nine tenths; what is left at the end is shared out evenly, so that no tiny page ends a run. An inner page has two children
// at least where there are two, so every level is at most half as long as the one below.
// One thread, the checkpoint's. Throws ReadFailure if a page can't be written.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "storage/index/tree/tree_page.h"

namespace fornix::storage {

class PageMaker {
 public:
  using Sink = std::function<void(TreeChild)>;
  PageMaker(ExtentFile* file, IndexId index, uint32_t level, Sink sink);

  // A new run: the bound of its first page. REQUIRES: empty.
  void Start(std::string_view key, uint64_t id);
  void Add(std::string_view key, uint64_t id, const ExtentRef& child = {});
  void AddAll(const TreeContent& content);
  void Flush();                                   // all that is left, and the run ends
  void MoveTo(PageMaker* other);                  // instead of Flush, if nothing was made yet of this run

  bool empty() const { return first_ == entries_.size(); }
  size_t entries() const { return entries_.size() - first_; }
  size_t bytes() const { return bytes_; }         // stored, about
  bool made_pages() const { return made_; }       // in this run
  const TreeContent& content() const { return entries_; }
  size_t first() const { return first_; }         // of content(): where what isn't made yet begins

 private:
  size_t Cost(size_t i) const;
  size_t Fitting(size_t limit) const;
  void Make(size_t count);

  ExtentFile* const file_;
  const IndexId index_;
  const Sink sink_;
  TreeContent entries_;
  size_t first_ = 0;                              // those before have been made
  size_t bytes_ = 0, key_bytes_ = 0;              // of those that haven't
  TreeChild start_;
  bool made_ = false;
  std::string last_key_;                          // of the page made last
};

}  // namespace fornix::storage

// What a store shows, as text: equal texts, equal stores. The judge of tests with damaged and forged files.
//
// Content reads everything through the view as any query would, each thing by every way that leads to it (scan, label, type,
// adjacency from both ends, degree, property, index, vector search, counts). Damage ends in a Status and never in another text;
// what the ways disagree about stands in the text as a line that begins with DISAGREES. One thread.
#pragma once

#include <string>

#include "base/file.h"
#include "storage/store.h"

namespace fornix::corrupt {

// A ReadFailure on the way is handed out as its Status.
Result<std::string> Content(storage::Store& store);
// Opens, reads, closes. With `write` there is a commit before the close and all is opened and read again: `after` is that text
// without what the commit added, and must equal the first.
struct Visit {
  std::string content;
  bool opened = false;             // so an error is of reading or writing, not of opening
  std::string after;               // with write
};
Result<Visit> ReadDatabase(FileSystem& files, const std::string& path, const storage::StoreOptions& options);
Result<Visit> WriteDatabase(FileSystem& files, const std::string& path, const storage::StoreOptions& options);

}  // namespace fornix::corrupt

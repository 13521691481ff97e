// The integrity check of a database's files.
//
//   roots      both slots can be read
//   catalog    names, schema, ids
//   chunks     checksums of all that is reached; values, lists in order, both directions, counts (base/base_writer.h, CheckBase)
//   space      every extent reached once; reached and free are all pages
//   indexes    trees in order (IndexTree::Check); every element has its entry, every entry its element; unique keys are
//   vectors    images of vector indexes can be loaded; every linked slot is reached; every element has its vector, every vector its element
//   log        readable up to its end
// It looks at what the newest root says, and registers as a reader, so a writer may go on beside it; of the log only that it can be
// read. What is damaged becomes a problem, and the check goes on with the rest. Nothing is changed.
// Threads: one call; any number beside each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/file.h"

namespace fornix::storage {

struct CheckOptions {
  uint64_t memory_bytes = uint64_t{256} << 20;     // of the cache
  size_t problems_shown_max = 100;
  std::function<void(std::string_view stage, uint64_t done, uint64_t all)> progress;
};

struct CheckResult {
  std::vector<std::string> problems;               // the first ones
  uint64_t problem_count = 0;
  uint64_t nodes = 0, relationships = 0, index_entries = 0;   // of range and vector indexes
  uint64_t vector_slots = 0, vectors_linked = 0;   // of all versions that images have
  uint64_t vectors_unreachable = 0;                // live and linked, but no way leads to them
  uint64_t extents = 0, pages = 0, free_pages = 0;
  uint64_t log_records = 0;
};

// An error only where nothing could be checked: no such file, or it can't be read at all.
Status CheckFiles(FileSystem& files, const std::string& path, const CheckOptions& options, CheckResult* result);

}  // namespace fornix::storage

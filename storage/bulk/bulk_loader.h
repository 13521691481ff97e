// BulkLoader: a new data file made in one go: nodes first, then relationships, then everything is written once.
//
//   Create      takes the lock; temporary files beside the data file, in X.fornix-import/
//   AddNode     by one thread, in order; the id counts at once, for the relationships
//   relationship writers, one a thread
//   Finish      chunks, token lists, catalog, root into X.fornix.import; synced, then renamed
// So the database is there whole or not at all. There is no log: the file is as after a clean close.
// Threads: as said; tokens() and label_sets() from any.
#pragma once

#include <memory>
#include <string>

#include "storage/bulk/chunk_builder.h"
#include "storage/catalog/catalog.h"
#include "storage/process/lock_file.h"

namespace fornix::storage {

struct BulkOptions {
  uint64_t memory_bytes = uint64_t{1} << 30;   // for sorting, buffers and the cache; what AddNode's caller keeps is its own matter
};

class BulkLoader {
 public:
  // Busy if somebody has the database open. A data file that is there is replaced by Finish, without a question.
  static Result<std::unique_ptr<BulkLoader>> Create(FileSystem& files, const std::string& path, const BulkOptions& options);
  ~BulkLoader();

  Tokens& tokens() { return tokens_; }
  LabelSets& label_sets() { return label_sets_; }

  uint64_t PeekNode(const LabelSet* labels) const { return nodes_->PeekId(labels); }
  Result<uint64_t> AddNode(const LabelSet* labels, std::span<const std::byte> row) { return nodes_->Add(labels, row); }
  // No more nodes come. `memory_bytes`: how much of the options' memory sorting may have.
  Status BeginRelationships(uint64_t memory_bytes);
  std::unique_ptr<RunSorter::Writer> NewWriter() { return std::make_unique<RunSorter::Writer>(relationships_.get()); }
  // All writers are closed.
  Status Finish(const BuildProgress& progress);

  uint64_t nodes() const { return nodes_->nodes(); }

 private:
  BulkLoader(FileSystem& files, std::string path, const BulkOptions& options);
  Status WriteFile(const std::string& path, const BuildProgress& progress);

  FileSystem& files_;
  const std::string path_;
  const BulkOptions options_;
  std::unique_ptr<WriterLock> lock_;
  std::unique_ptr<TempFiles> temp_;
  Tokens tokens_;
  LabelSets label_sets_;
  std::unique_ptr<NodeSpool> nodes_;
  std::unique_ptr<RunSorter> relationships_;
};

}  // namespace fornix::storage

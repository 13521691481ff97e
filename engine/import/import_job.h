// ImportJob: what the threads of one import share, and how they go through a file.
//
// Each worker takes the next batch (one at a time: that is the quick part), makes rows of it, and where order matters gives
// them on in the order of the batches. The first error ends all.
// Threads: one ImportJob, several workers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

#include "engine/import/bad_rows.h"
#include "engine/import/id_map.h"
#include "fornix/import.h"
#include "storage/bulk/bulk_loader.h"

namespace fornix::engine {

class ImportJob {
 public:
  ImportJob(FileSystem& files, const ImportOptions& options, uint64_t memory_bytes, storage::BulkLoader* loader);

  Status ReadNodes(std::vector<std::string>* schema);
  Status ReadRelationships();
  Status Close() { return bad_.Close(); }

  FileSystem& files() { return files_; }
  const ImportOptions& options() const { return options_; }
  storage::BulkLoader& loader() { return *loader_; }
  BadRows& bad() { return bad_; }
  CsvFormat format() const { return {options_.delimiter, options_.quote}; }
  // The map of an id space; made where there is none yet.
  IdMap* Ids(const std::string& space);
  const IdMap* FindIds(const std::string& space) const;
  uint64_t id_bytes() const;

  // Lets batches through in their order.
  class Turns {
   public:
    void Await(uint64_t number);
    void Done(uint64_t number);
    void Fail();
    bool failed() const { return failed_; }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t next_ = 0;
    std::atomic<bool> failed_{false};
  };
  // Runs `work(worker)` in as many threads as the options say; the first error.
  Status RunWorkers(const std::function<Status(int worker)>& work, Turns* turns);
  // The next batch, under the mutex; reports progress now and then. `first_row`: how many rows of this stage came before.
  Result<bool> NextBatch(CsvReader* reader, CsvBatch* batch, ImportStage stage, uint64_t* first_row);

  uint64_t bytes_read() const { return bytes_done_; }
  uint64_t relationships() const { return relationships_.load(); }
  void CountRow() { ++rows_; }
  uint64_t rows() const { return rows_; }
  void CountRelationships(uint64_t n) { relationships_ += n; }

 private:
  void ReportEnd(ImportStage stage);
  Status SumBytes(const std::vector<ImportFiles>& groups);
  FileSystem& files_;
  const ImportOptions& options_;
  const uint64_t memory_bytes_;
  storage::BulkLoader* const loader_;
  BadRows bad_;
  std::map<std::string, std::unique_ptr<IdMap>> spaces_;
  std::mutex read_mutex_;
  uint64_t bytes_before_ = 0, bytes_stage_ = 0, bytes_done_ = 0, rows_ = 0;
  uint64_t last_report_ns_ = 0;
  bool counted_end_ = false;                   // the end of the present files was seen
  std::atomic<uint64_t> relationships_{0};
};

// One group of files each: csv_nodes.cc, csv_relationships.cc.
Status ReadNodeFiles(ImportJob* job, const ImportFiles& files);
Status ReadRelationshipFiles(ImportJob* job, const ImportFiles& files);

// One file of JSON Lines: its nodes, then its relationships: json_lines.cc. Statements go to *schema.
Status ReadJsonLinesNodes(ImportJob* job, const std::string& path, std::vector<std::string>* schema);
Status ReadJsonLinesRelationships(ImportJob* job, const std::string& path);

// ImportDatabase with a file system of the caller's choice.
Status ImportInto(FileSystem& files, const std::string& path, const ImportOptions& options, ImportReport* report);

}  // namespace fornix::engine

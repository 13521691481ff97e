// The parts of the check, one after the other; see check.h.
#include "storage/check/check.h"

#include <new>

#include "storage/base/base_writer.h"
#include "storage/check/index_check.h"
#include "storage/check/space_map.h"
#include "storage/check/vector_check.h"
#include "storage/checkpoint/catalog.h"
#include "storage/page/root_slots.h"
#include "storage/process/lock_file.h"
#include "wal/reader.h"

namespace fornix::storage {
namespace {

// A log is well if its records can be read and decoded; whether they fit the base shows when it is opened.
class RecordCounter final : public wal::LogApplier {
 public:
  Status Apply(Lsn, std::span<const std::byte>) override {
    ++records;
    return Status::Ok();
  }
  uint64_t records = 0;
};

class Checker {
 public:
  Checker(FileSystem& files, const std::string& path, const CheckOptions& options, CheckResult* result)
      : files_(files), path_(path), options_(options), result_(*result), budget_(options.memory_bytes), cache_(&budget_) {}

  Status Run() {
    ASSIGN_OR_RETURN(const FileKind kind, files_.Kind(path_));
    if (kind != FileKind::kFile) return Status(Code::kIoError, path_ + ": there is no such file");
    ASSIGN_OR_RETURN(const auto slot, ReaderSlot::Take(files_, path_));
    auto slots = RootSlots::Open(files_, path_, /*read_only=*/true);
    if (!slots.ok()) {
      Problem(slots.status().message());
      return Status::Ok();
    }
    root_ = (*slots)->root();
    Log();
    if (slot) RETURN_IF_ERROR(slot->Set({root_.seq, false}));
    if (root_.catalog.none()) return Status::Ok();
    ASSIGN_OR_RETURN(auto file, files_.Open(path_, {}));
    ASSIGN_OR_RETURN(const uint64_t size, file->Size());
    if (size < root_.file_pages * kPageBytes) {
      Problem(path_ + ": the file has " + std::to_string(size) + " bytes, expected at least " + std::to_string(root_.file_pages * kPageBytes));
    }
    extents_ = ExtentFile::Open(std::move(file), root_.free_map, root_.file_pages);
    return Base();
  }

 private:
  void Problem(std::string text) {
    ++result_.problem_count;
    if (result_.problems.size() < options_.problems_shown_max) result_.problems.push_back(std::move(text));
  }
  void Progress(std::string_view stage, uint64_t done, uint64_t all) {
    if (options_.progress) options_.progress(stage, done, all);
  }

  void Log() {
    if (root_.closed) return;
    Progress("log", 0, 1);
    wal::ReadOptions read;
    read.floor = root_.log;
    read.known_end_lsn = root_.clean_end_lsn;
    RecordCounter counter;
    const auto end = wal::ReadLog(files_, path_ + "-log", root_.uuid, read, counter);
    result_.log_records = counter.records;
    if (!end.ok()) Problem(end.status().message());
    Progress("log", 1, 1);
  }

  Status Base() {
    SpaceMap space(root_.file_pages, [this](std::string text) { Problem(std::move(text)); });
    result_.pages = root_.file_pages;
    std::vector<ExtentRef> links;
    auto catalog = ReadCatalog(*extents_, root_.catalog, &links);
    for (const ExtentRef& link : links) space.Reach(link, ExtentKind::kCatalog);
    const bool free_map = FreeMap(&space);
    if (!catalog.ok()) {
      Problem("catalog: " + catalog.status().message());
      return Status::Ok();                     // nothing else can be reached
    }
    auto content = CatalogContent::Of(catalog->record, path_ + " catalog");
    if (!content.ok()) Problem(content.status().message());
    if (catalog->base.timestamp != root_.checkpoint_ts) {
      Problem("the root's checkpoint is of commit " + std::to_string(root_.checkpoint_ts) + ", the catalog it names of " + std::to_string(catalog->base.timestamp));
    }
    result_.nodes = catalog->base.nodes;
    result_.relationships = catalog->base.relationships;

    const uint64_t before = result_.problem_count;
    const BaseContext context{extents_.get(), &cache_, &label_sets_};
    BaseCheck check;
    check.extent = [&](const ExtentRef& ref, ExtentKind kind, uint64_t) {
      space.Reach(ref, kind);
      return Status::Ok();
    };
    check.problem = [this](std::string text) { Problem(std::move(text)); };
    check.progress = [this](uint64_t done, uint64_t all) { Progress("chunks", done, all); };
    if (Status status = CheckBase(context, catalog->base, check); !status.ok()) Problem(status.message());
    Trees(context, catalog->base, &space);
    VectorCheck vectors;
    vectors.problem = check.problem;
    vectors.extent = [&](const ExtentRef& ref, ExtentKind kind) { space.Reach(ref, kind); };
    vectors.progress = [this](uint64_t done, uint64_t all) { Progress("vector indexes", done, all); };
    ReachVectorImages(*extents_, catalog->base, &vectors);
    // Below something that can't be read nothing is reached, so only a file that is whole otherwise can tell what was lost.
    if (free_map && result_.problem_count == before) space.TellLost();
    result_.extents = space.extents();
    result_.free_pages = space.free_pages();
    if (content.ok()) {
      IndexCheck indexes;
      indexes.problem = check.problem;
      indexes.progress = [this](uint64_t done, uint64_t all) { Progress("indexes", done, all); };
      const auto base = OpenBase(context, catalog->base);
      CheckIndexes(context, catalog->base, *base, *content, &indexes);
      CheckVectorImages(*extents_, catalog->base, *base, *content, &vectors);
      result_.index_entries = indexes.entries + vectors.live;
      result_.vector_slots = vectors.slots;
      result_.vectors_linked = vectors.linked;
      result_.vectors_unreachable = vectors.unreachable;
    }
    return Status::Ok();
  }

  bool FreeMap(SpaceMap* space) {
    const auto own = extents_->FreeMapExtents();
    const auto ranges = extents_->FreeRanges();
    if (!own.ok() || !ranges.ok()) {
      Problem("free map: " + (own.ok() ? ranges.status() : own.status()).message());
      return false;
    }
    for (const ExtentRef& ref : *own) space->Reach(ref, ExtentKind::kFreeMap);
    for (const auto& [first, pages] : *ranges) space->Free(first, pages);
    return true;
  }

  void Trees(const BaseContext& context, const BaseRoots& roots, SpaceMap* space) {
    uint64_t done = 0;
    for (const auto& [id, root_of_tree] : roots.trees) {
      const TreeRoot& root = root_of_tree;       // for the lambda
      const IndexTree tree(context.file, context.cache, IndexId(id), root);
      Status status;
      try {
        status = tree.Check([&](const ExtentRef& ref) {
          space->Reach(ref, ref == root.root && root.height > 1 ? ExtentKind::kTreeInner : ExtentKind::kTreeLeaf);
          return Status::Ok();
        });
      } catch (const ReadFailure& failure) {
        status = failure.status();
      }
      if (!status.ok()) Problem("index " + std::to_string(id) + ": " + status.message());
      Progress("index pages", ++done, roots.trees.size());
    }
  }

  FileSystem& files_;
  const std::string& path_;
  const CheckOptions& options_;
  CheckResult& result_;
  MemoryBudget budget_;
  LabelSets label_sets_;
  std::unique_ptr<ExtentFile> extents_;        // before the cache's frames go
  FrameCache cache_;
  Root root_;
};

}  // namespace

Status CheckFiles(FileSystem& files, const std::string& path, const CheckOptions& options, CheckResult* result) {
  *result = {};
  try {
    return Checker(files, path, options, result).Run();
  } catch (const ReadFailure& failure) {
    return failure.status();
  } catch (const std::bad_alloc&) {
    return Status(Code::kResourceExhausted, "the check ran out of memory");
  }
}

}  // namespace fornix::storage

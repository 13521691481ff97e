// Imports and backups on a disk where any call may fail: an error, and no half of a database under the name.
#include <catch2/catch.hpp>

#include "base/bytes.h"
#include "base/fault_file.h"
#include "engine/import/import_job.h"
#include "storage/backup/backup.h"
#include "storage/check/check.h"

namespace fornix::engine {
namespace {

void Put(FileSystem& files, const std::string& path, std::string_view text) {
  auto file = files.Open(path, {.write = true, .create = true});
  REQUIRE(file.ok());
  REQUIRE((*file)->WriteAt(0, AsBytes(text)).ok());
  REQUIRE((*file)->Sync().ok());
}

ImportOptions Prepare(FaultFileSystem& files) {
  Put(files, "n.csv", "id:ID,v:int\n1,1\n2,2\n3,3\n");
  Put(files, "r.csv", ":START_ID,:END_ID\n1,2\n2,3\n3,1\n");
  ImportOptions options;
  options.nodes = {{"A", {"n.csv"}}};
  options.relationships = {{"T", {"r.csv"}}};
  options.threads = 1;
  return options;
}

void MustBeSound(FileSystem& files, const std::string& path, uint64_t nodes) {
  storage::CheckResult result;
  REQUIRE(storage::CheckFiles(files, path, {}, &result).ok());
  for (const std::string& problem : result.problems) UNSCOPED_INFO(problem);
  REQUIRE(result.problem_count == 0);
  REQUIRE(result.nodes == nodes);
}

}  // namespace

TEST_CASE("import: whichever call fails, there is an error and no database, or a whole one; the next import works") {
  for (Fault fault : {Fault::kIoError, Fault::kNoSpace, Fault::kShortWrite, Fault::kFailedSync}) {
    for (uint64_t n = 0;; ++n) {
      FaultFileSystem files;
      const ImportOptions options = Prepare(files);
      files.FailCall(n, fault, /*for_ever=*/false);
      ImportReport report;
      const Status status = ImportInto(files, "g.fornix", options, &report);
      if (status.ok()) {
        files.StopFailing();
        MustBeSound(files, "g.fornix", 3);
        if (!files.fault_hit()) break;         // past the last call that this fault can hit
        continue;
      }
      files.StopFailing();
      INFO("call " << n << ": " << status.ToString());
      if (*files.Kind("g.fornix") == FileKind::kFile) {
        MustBeSound(files, "g.fornix", 3);     // only what came behind the renaming failed
        continue;
      }
      REQUIRE(ImportInto(files, "g.fornix", options, &report).ok());
      MustBeSound(files, "g.fornix", 3);
      CHECK(*files.Kind("g.fornix-import") == FileKind::kNone);
      CHECK(*files.Kind("g.fornix.import") == FileKind::kNone);
    }
  }
}

TEST_CASE("import: a power cut at any moment leaves no database or a whole one, and what was left doesn't hinder the next import") {
  FaultFileSystem files;
  const ImportOptions options = Prepare(files);
  ImportReport report;
  REQUIRE(ImportInto(files, "g.fornix", options, &report).ok());
  for (uint64_t n = 0; n <= files.op_count(); ++n) {
    for (Damage damage : kAllDamage) {
      auto image = files.ImageAt(n, damage, n);
      if (*image->Kind("n.csv") == FileKind::kNone || *image->Kind("r.csv") == FileKind::kNone) continue;   // before the files were there
      INFO("cut before operation " << n);
      if (*image->Kind("g.fornix") == FileKind::kFile) {
        MustBeSound(*image, "g.fornix", 3);
      } else {
        Put(*image, "n.csv", "id:ID,v:int\n1,1\n2,2\n3,3\n");
        Put(*image, "r.csv", ":START_ID,:END_ID\n1,2\n2,3\n3,1\n");
        const Status status = ImportInto(*image, "g.fornix", options, &report);
        INFO(status.ToString());
        REQUIRE(status.ok());
        MustBeSound(*image, "g.fornix", 3);
      }
    }
  }
}

TEST_CASE("backup: whichever call fails, the original is untouched and the copy whole or not there") {
  for (Fault fault : {Fault::kIoError, Fault::kNoSpace, Fault::kFailedSync}) {
    for (uint64_t n = 0;; ++n) {
      FaultFileSystem files;
      const ImportOptions options = Prepare(files);
      ImportReport report;
      REQUIRE(ImportInto(files, "g.fornix", options, &report).ok());
      files.FailCall(n, fault, /*for_ever=*/false);
      const Status status = storage::Backup(files, "g.fornix", "copy.fornix", {});
      files.StopFailing();
      MustBeSound(files, "g.fornix", 3);
      if (*files.Kind("copy.fornix") == FileKind::kFile) MustBeSound(files, "copy.fornix", 3);
      else CHECK(!status.ok());
      if (!files.fault_hit()) break;
    }
  }
}

}  // namespace fornix::engine

#include "tools/check/command.h"

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "fornix/maintenance.h"
#include "tools/import/command.h"
#include "tools/shell/json.h"
#include "tools/shell/progress.h"

namespace fornix::tools {
namespace {

int Fail(const Status& status, bool json) {
  if (json) std::printf("%s\n", shell::Dump(shell::ToJson(status)).c_str());
  else std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.code() == Code::kUsage ? 2 : 1;
}

MaintenanceProgress ShowOn(shell::Progress* progress, const char* unit) {
  return [progress, unit](std::string_view stage, uint64_t done, uint64_t all) {
    progress->Update(std::string(stage), done, unit, all == 0 ? -1.0 : static_cast<double>(done) / static_cast<double>(all));
  };
}

void PrintText(const std::string& file, const DatabaseCheckReport& report, double seconds) {
  using shell::Grouped;
  for (const std::string& problem : report.problems) std::printf("%s\n", problem.c_str());
  if (report.problem_count > report.problems.size()) {
    std::printf("... and %s more\n", Grouped(report.problem_count - report.problems.size()).c_str());
  }
  std::printf("%s: %s: %s nodes, %s relationships, %s index entries, %s extents in %s pages (%s free), %s log records, %s\n", file.c_str(),
              report.problem_count == 0 ? "ok" : (Grouped(report.problem_count) + (report.problem_count == 1 ? " problem" : " problems")).c_str(),
              Grouped(report.nodes).c_str(), Grouped(report.relationships).c_str(), Grouped(report.index_entries).c_str(), Grouped(report.extents).c_str(),
              Grouped(report.pages).c_str(), Grouped(report.free_pages).c_str(), Grouped(report.log_records).c_str(), shell::Duration(seconds).c_str());
}

int Check(const std::string& file, const DatabaseCheckOptions& given, bool json) {
  shell::Progress progress;
  DatabaseCheckOptions options = given;
  if (!json) options.progress = ShowOn(&progress, "steps");
  DatabaseCheckReport report;
  const uint64_t begin = MonotonicNanos();
  const Status status = CheckDatabase(file, options, &report);
  progress.Finish();
  if (!status.ok()) return Fail(status, json);
  const double seconds = static_cast<double>(MonotonicNanos() - begin) / 1e9;
  if (json) {
    const nlohmann::ordered_json out = {{"file", file}, {"ok", report.problem_count == 0}, {"problem_count", report.problem_count},
                                        {"problems", report.problems}, {"nodes", report.nodes}, {"relationships", report.relationships},
                                        {"index_entries", report.index_entries}, {"extents", report.extents}, {"pages", report.pages},
                                        {"free_pages", report.free_pages}, {"log_records", report.log_records}, {"seconds", seconds}};
    std::printf("%s\n", shell::Dump(out).c_str());
  } else {
    PrintText(file, report, seconds);
  }
  return report.problem_count == 0 ? 0 : 1;
}

}  // namespace

int RunCheck(const CheckCommand& command) {
  DatabaseCheckOptions options;
  if (!command.memory.empty()) {
    const Result<uint64_t> bytes = ParseBytes(command.memory);
    if (!bytes.ok()) return Fail(bytes.status(), command.json);
    options.memory_bytes = *bytes;
  }
  return Check(command.file, options, command.json);
}

int RunBackup(const BackupCommand& command) {
  shell::Progress progress;
  BackupOptions options;
  options.progress = ShowOn(&progress, "pages");
  const Status status = BackupDatabase(command.file, command.to, options);
  progress.Finish();
  if (!status.ok()) return Fail(status, false);
  if (command.check) return Check(command.to, {}, false);
  std::printf("%s: a copy of %s\n", command.to.c_str(), command.file.c_str());
  return 0;
}

}  // namespace fornix::tools

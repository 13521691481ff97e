#include "tools/export/command.h"

#include "base/errors.h"
#include "tools/export/export.h"
#include "tools/shell/progress.h"

namespace fornix::tools {
namespace {

Result<ExportFormat> FormatOf(const std::string& word) {
  if (word == "csv") return ExportFormat::kCsv;
  if (word == "jsonl") return ExportFormat::kJsonLines;
  if (word == "cypher") return ExportFormat::kCypher;
  return UsageError("--format is csv, jsonl or cypher, not '" + word + "'");
}

Status Run(const ExportCommand& command, ExportReport* report) {
  ExportOptions options;
  ASSIGN_OR_RETURN(options.format, FormatOf(command.format));
  options.out = command.out;
  shell::Progress progress;
  options.progress = [&progress](uint64_t done, uint64_t all) {
    progress.Update("exporting", done, "elements", all == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all));
  };
  DatabaseOptions database_options;
  database_options.read_only = true;
  database_options.create = false;
  ASSIGN_OR_RETURN(const auto database, Database::Open(command.file, database_options));
  Status status;
  {
    const auto connection = database->Connect();
    status = Export(connection.get(), options, report);
  }
  progress.Finish();
  const Status closed = database->Close();
  return status.ok() ? closed : status;
}

}  // namespace

int RunExport(const ExportCommand& command) {
  ExportReport report;
  if (Status status = Run(command, &report); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return status.code() == Code::kUsage ? 2 : 1;
  }
  std::fprintf(stderr, "%s nodes, %s relationships", shell::Grouped(report.nodes).c_str(), shell::Grouped(report.relationships).c_str());
  if (command.out != "-") std::fprintf(stderr, ": %s", command.out.c_str());
  std::fputc('\n', stderr);
  return 0;
}

}  // namespace fornix::tools

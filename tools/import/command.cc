#include "tools/import/command.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/clock.h"
#include "base/errors.h"
#include "fornix/database.h"
#include "fornix/script.h"
#include "tools/shell/progress.h"

namespace fornix::tools {
namespace {

// A character, or a word for one that shells make hard to write.
Result<char> CharacterOf(const std::string& text, const char* option) {
  if (text == "TAB" || text == "\\t") return '\t';
  if (text.size() == 1) return text[0];
  return UsageError(std::string(option) + " takes one character (or TAB), not '" + text + "'");
}

std::vector<std::string> Split(const std::string& text, char delimiter) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, delimiter);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

// "Person:Actor=header.csv,1.csv" -> name and paths. A '=' that belongs to a path ("dir=1/f.csv") is told by the '/' before it.
Result<ImportFiles> FilesOf(const std::string& text, const char* option) {
  ImportFiles files;
  std::string paths = text;
  const size_t equals = text.find('=');
  if (equals != std::string::npos && text.substr(0, equals).find('/') == std::string::npos) {
    files.name = text.substr(0, equals);
    paths = text.substr(equals + 1);
  }
  files.paths = Split(paths, ',');
  if (files.paths.empty()) return UsageError(std::string(option) + " '" + text + "' names no file");
  return files;
}

Status AddDirectory(const std::string& directory, ImportOptions* options, std::string* schema_file) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) names.push_back(entry.path().filename().string());
  if (error) return IoError(directory + ": " + error.message());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::string path = directory + "/" + name;
    if (name == "schema.cypher" && schema_file->empty()) *schema_file = path;
    if (!name.ends_with(".csv")) continue;
    if (name.starts_with("nodes-")) options->nodes.push_back({"", {path}});
    if (name.starts_with("relationships-")) options->relationships.push_back({"", {path}});
  }
  if (options->nodes.empty()) return UsageError(directory + " has no files nodes-*.csv, as `fornix export --format csv` makes them");
  return Status::Ok();
}

const char* StageName(ImportStage stage) {
  switch (stage) {
    case ImportStage::kNodes: return "reading nodes";
    case ImportStage::kRelationships: return "reading relationships";
    case ImportStage::kWritingRelationships: return "writing relationships";
    case ImportStage::kWritingNodes: return "writing nodes";
    case ImportStage::kFinishing: return "finishing";
  }
  return "";
}

Status RunStatements(const std::string& file, const std::vector<std::string>& statements, shell::Progress* progress) {
  if (statements.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(const auto database, Database::Open(file));
  Status status;
  {
    const auto connection = database->Connect();
    for (size_t i = 0; i < statements.size() && status.ok(); ++i) {
      progress->Update("schema", i + 1, "statements", static_cast<double>(i) / static_cast<double>(statements.size()));
      status = connection->Query(statements[i]).status();
      if (!status.ok()) status = Status(status.code(), statements[i] + ": " + status.message());
    }
  }
  const Status closed = database->Close();
  return status.ok() ? closed : status;
}

Status ReadStatements(const std::string& path, std::vector<std::string>* statements) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return IoError(path + ": can't be read");
  std::stringstream content;
  content << in.rdbuf();
  std::string text = content.str();
  while (text.find_first_not_of(" \t\r\n") != std::string::npos) {
    size_t length = FirstStatementLength(text);
    if (length == 0) length = text.size();
    statements->push_back(text.substr(0, length));
    text.erase(0, length);
  }
  return Status::Ok();
}

int Fail(const Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.code() == Code::kUsage ? 2 : 1;
}

}  // namespace

Result<uint64_t> ParseBytes(const std::string& text) {
  size_t end = 0;
  uint64_t number = 0;
  for (; end < text.size() && text[end] >= '0' && text[end] <= '9' && number < uint64_t{1} << 50; ++end) {
    number = number * 10 + static_cast<uint64_t>(text[end] - '0');
  }
  std::string unit = text.substr(end);
  for (char& c : unit) c = static_cast<char>(c | 0x20);
  const int shift = unit.empty() || unit == "b" ? 0 : unit == "k" || unit == "kib" ? 10 : unit == "m" || unit == "mib" ? 20 : unit == "g" || unit == "gib" ? 30 : -1;
  if (end == 0 || shift < 0) return UsageError("'" + text + "' is no size in memory; write it as 512m or 4g");
  return number << shift;
}

Result<ImportOptions> OptionsOf(const ImportCommand& command, std::string* schema_file) {
  ImportOptions options;
  *schema_file = command.schema;
  for (const std::string& text : command.nodes) {
    ASSIGN_OR_RETURN(ImportFiles files, FilesOf(text, "--nodes"));
    options.nodes.push_back(std::move(files));
  }
  for (const std::string& text : command.relationships) {
    ASSIGN_OR_RETURN(ImportFiles files, FilesOf(text, "--relationships"));
    options.relationships.push_back(std::move(files));
  }
  options.json_lines = command.json_lines;
  if (!command.from.empty()) RETURN_IF_ERROR(AddDirectory(command.from, &options, schema_file));
  ASSIGN_OR_RETURN(options.delimiter, CharacterOf(command.delimiter, "--delimiter"));
  ASSIGN_OR_RETURN(options.array_delimiter, CharacterOf(command.array_delimiter, "--array-delimiter"));
  ASSIGN_OR_RETURN(options.quote, CharacterOf(command.quote, "--quote"));
  if (command.id_type != "string" && command.id_type != "integer") return UsageError("--id-type is string or integer, not '" + command.id_type + "'");
  options.integer_ids = command.id_type == "integer";
  options.bad_file = command.bad.empty() ? command.file + ".bad.csv" : command.bad;
  options.bad_tolerance = command.bad_tolerance;
  options.skip_bad_relationships = command.skip_bad_relationships;
  options.skip_duplicate_nodes = command.skip_duplicate_nodes;
  options.ignore_extra_columns = command.ignore_extra_columns;
  options.threads = command.threads;
  if (!command.memory.empty()) {
    ASSIGN_OR_RETURN(options.memory_bytes, ParseBytes(command.memory));
  }
  return options;
}

int RunImport(const ImportCommand& command) {
  std::string schema_file;
  Result<ImportOptions> options = OptionsOf(command, &schema_file);
  if (!options.ok()) return Fail(options.status());
  std::vector<std::string> statements;
  if (!schema_file.empty()) {
    if (Status status = ReadStatements(schema_file, &statements); !status.ok()) return Fail(status);
  }
  shell::Progress progress;
  options->progress = [&progress](const ImportProgress& p) {
    progress.Update(StageName(p.stage), p.rows, p.stage == ImportStage::kWritingNodes ? "chunks" : "rows", p.stage == ImportStage::kFinishing ? -1 : p.fraction);
  };
  const uint64_t begin = MonotonicNanos();
  ImportReport report;
  Status status = ImportDatabase(command.file, *options, &report);
  progress.Finish();
  if (status.ok()) {
    statements.insert(statements.end(), report.schema.begin(), report.schema.end());
    status = RunStatements(command.file, statements, &progress);
    progress.Finish();
    if (!status.ok()) std::fprintf(stderr, "the data is imported; a statement of the schema failed:\n");
  }
  if (!status.ok()) return Fail(status);
  const double seconds = static_cast<double>(MonotonicNanos() - begin) / 1e9;
  std::printf("%s: %s nodes, %s relationships in %s\n", command.file.c_str(), shell::Grouped(report.nodes).c_str(),
              shell::Grouped(report.relationships).c_str(), shell::Duration(seconds).c_str());
  if (report.bad_rows > 0) std::printf("%s rows were put aside: see %s\n", shell::Grouped(report.bad_rows).c_str(), options->bad_file.c_str());
  return 0;
}

}  // namespace fornix::tools

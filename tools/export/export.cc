// Choosing the format, and the schema as statements; see export.h.
#include "tools/export/export.h"

#include "base/value_format.h"
#include "tools/export/formats.h"

namespace fornix::tools {
namespace {

// CREATE CONSTRAINT name FOR ... -> CREATE CONSTRAINT name IF NOT EXISTS FOR ...: those of a graph type are there already.
std::string IfNotExists(std::string statement, const std::string& name) {
  const std::string quoted = " " + QuoteName(name) + " ";
  const size_t at = statement.find(quoted);
  if (at != std::string::npos) statement.insert(at + quoted.size(), "IF NOT EXISTS ");
  return statement;
}

}  // namespace

Result<std::vector<std::string>> SchemaStatements(Connection* connection) {
  std::vector<std::string> out;
  ASSIGN_OR_RETURN(const auto types, connection->Query("SHOW CURRENT GRAPH TYPE YIELD specification, closed"));
  for (const Row& row : types) {
    if (row[0].type() == Type::kString) out.push_back("ALTER CURRENT GRAPH TYPE SET " + row[0].AsString() + (row[1].is_true() ? " CLOSED" : ""));
  }
  ASSIGN_OR_RETURN(const auto constraints, connection->Query("SHOW CONSTRAINTS YIELD name, createStatement"));
  for (const Row& row : constraints) out.push_back(IfNotExists(row[1].AsString(), row[0].AsString()));
  ASSIGN_OR_RETURN(const auto indexes, connection->Query("SHOW INDEXES YIELD name, owningConstraint, createStatement"));
  for (const Row& row : indexes) {
    if (row[1].is_null() && row[2].type() == Type::kString) out.push_back(row[2].AsString());
  }
  return out;
}

Status Export(Connection* connection, const ExportOptions& options, ExportReport* report) {
  GraphSource source(connection);
  RETURN_IF_ERROR(source.Open());
  if (options.progress) {
    // CSV looks at everything twice: its columns have to be known before their values.
    const uint64_t all = (source.nodes() + source.relationships()) * (options.format == ExportFormat::kCsv ? 2 : 1);
    source.set_progress([&options, all](uint64_t done) { options.progress(done, all); });
  }
  report->nodes = source.nodes();
  report->relationships = source.relationships();
  switch (options.format) {
    case ExportFormat::kCsv: return ExportCsv(&source, options.out);
    case ExportFormat::kJsonLines: return ExportJsonLines(&source, options.out);
    case ExportFormat::kCypher: return ExportCypher(&source, options.out);
  }
  return Status::Ok();
}

}  // namespace fornix::tools

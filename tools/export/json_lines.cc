// JSON Lines: a line an object:
//   {"type": "node", "id": 1, "labels": ["A"], "properties": {...}}
//   {"type": "relationship", "id": 1, "label": "KNOWS", "start": 1, "end": 2, "properties": {...}}
//   {"type": "schema", "statement": "CREATE ..."}
#include "tools/export/formats.h"
#include "tools/export/out_file.h"
#include "tools/export/typed_text.h"

namespace fornix::tools {
namespace {

void AppendProperties(const Map& properties, std::string* line) {
  *line += ", \"properties\": {";
  bool first = true;
  for (const auto& [key, value] : properties) {
    if (!first) *line += ", ";
    first = false;
    AppendJsonString(key, line);
    *line += ": ";
    AppendTypedJson(value, line);
  }
  *line += "}}\n";
}

}  // namespace

Status ExportJsonLines(GraphSource* source, const std::string& path) {
  ASSIGN_OR_RETURN(const auto out, OutFile::Open(path));
  std::string line;
  for (const std::string& statement : source->schema()) {
    line = "{\"type\": \"schema\", \"statement\": ";
    AppendJsonString(statement, &line);
    line += "}\n";
    RETURN_IF_ERROR(out->Write(line));
  }
  RETURN_IF_ERROR(source->Nodes([&](const Node& node) {
    line = "{\"type\": \"node\", \"id\": " + std::to_string(node.id) + ", \"labels\": [";
    for (size_t i = 0; i < node.labels.size(); ++i) {
      if (i > 0) line += ", ";
      AppendJsonString(node.labels[i], &line);
    }
    line += ']';
    AppendProperties(node.properties, &line);
    return out->Write(line);
  }));
  RETURN_IF_ERROR(source->Relationships([&](const Relationship& r) {
    line = "{\"type\": \"relationship\", \"id\": " + std::to_string(r.id) + ", \"label\": ";
    AppendJsonString(r.type, &line);
    line += ", \"start\": " + std::to_string(r.start) + ", \"end\": " + std::to_string(r.end);
    AppendProperties(r.properties, &line);
    return out->Write(line);
  }));
  return out->Close();
}

}  // namespace fornix::tools

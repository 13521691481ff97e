// Reading examples/memory; see memory_data.h and examples/memory/README.md.
#include "tools/demo/memory_data.h"

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fornix/script.h"
#include "tools/shell/json.h"

namespace fornix::demo {
namespace {

using Json = nlohmann::json;
constexpr size_t kDimensions = 384;

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Status(Code::kIoError, "can't read " + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Result<std::vector<Json>> ReadLines(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  std::vector<Json> out;
  std::istringstream in(text);
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded()) return Status(Code::kIoError, path + ":" + std::to_string(number) + ": not JSON");
    out.push_back(std::move(json));
  }
  return out;
}

std::string Joined(const Json& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line.get<std::string>();
  return text;
}

std::string Replaced(std::string text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

Result<std::vector<std::string>> ReadScript(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  std::vector<std::string> out;
  std::string_view rest = text;
  while (size_t n = FirstStatementLength(rest)) {
    out.emplace_back(rest.substr(0, n));
    rest.remove_prefix(n);
  }
  return out;
}

Value Row(const std::string& bytes, size_t row) {
  List list;
  for (size_t i = 0; i < kDimensions; ++i) {
    float f;
    std::memcpy(&f, bytes.data() + (row * kDimensions + i) * sizeof f, sizeof f);   // little-endian, as the machines we run on
    list.push_back(Value(static_cast<double>(f)));
  }
  return Value(std::move(list));
}

Result<Map> ToMap(const Json& json) {
  ASSIGN_OR_RETURN(Value value, shell::FromJson(json.dump()));
  return value.AsMap();
}

}  // namespace

Result<MemoryData> ReadMemoryData(const std::string& folder) {
  MemoryData data;
  ASSIGN_OR_RETURN(std::vector<Json> nodes, ReadLines(folder + "/nodes.jsonl"));
  ASSIGN_OR_RETURN(std::vector<Json> relationships, ReadLines(folder + "/relationships.jsonl"));
  ASSIGN_OR_RETURN(std::vector<Json> questions, ReadLines(folder + "/questions.jsonl"));
  ASSIGN_OR_RETURN(std::vector<Json> refused, ReadLines(folder + "/refused.jsonl"));
  ASSIGN_OR_RETURN(std::string vectors, ReadFile(folder + "/embeddings.bin"));
  ASSIGN_OR_RETURN(data.schema, ReadScript(folder + "/schema.cypher"));
  ASSIGN_OR_RETURN(std::vector<std::string> load, ReadScript(folder + "/load.cypher"));
  if (load.size() != 4) return Status(Code::kIoError, folder + "/load.cypher: expected four statements");
  if (vectors.size() != (nodes.size() + questions.size()) * kDimensions * sizeof(float)) {
    return Status(Code::kIoError, folder + "/embeddings.bin: " + std::to_string(vectors.size()) + " bytes don't fit " +
                                      std::to_string(nodes.size()) + " nodes and " + std::to_string(questions.size()) + " questions");
  }
  data.nodes = nodes.size();
  data.relationships = relationships.size();

  std::map<std::string, RowGroup> by_label, by_type;
  for (size_t i = 0; i < nodes.size(); ++i) {
    ASSIGN_OR_RETURN(Map row, ToMap(nodes[i]));
    std::string label = nodes[i].at("label");
    if (label != "Episode") row.Set("embedding", Row(vectors, i));
    RowGroup& group = by_label[label];
    group.name = label;
    group.text = label == "Episode" ? load[1] : label == "DuplicateRecord" ? load[2] : Replaced(load[0], "LABEL", label);
    group.rows.push_back(Value(std::move(row)));
  }
  for (const Json& relationship : relationships) {
    ASSIGN_OR_RETURN(Map row, ToMap(relationship));
    std::string type = relationship.at("type"), from = relationship.at("from"), start = "Memory", end = "Memory";
    bool duplicate = from.starts_with("dup-");
    if (duplicate) start = "DuplicateRecord";
    if (type == "EXTRACTED_FROM") end = "Episode";
    RowGroup& group = by_type[type + (duplicate ? " of duplicates" : "")];
    group.name = type;
    group.relationships = true;
    group.text = Replaced(Replaced(Replaced(load[3], ":FROM ", ":" + start + " "), ":TO ", ":" + end + " "), "[:TYPE ", "[:" + type + " ");
    group.rows.push_back(Value(std::move(row)));
  }
  for (auto& [name, group] : by_label) data.groups.push_back(std::move(group));
  for (auto& [name, group] : by_type) data.groups.push_back(std::move(group));

  for (size_t i = 0; i < questions.size(); ++i) {
    Question q;
    q.id = questions[i].at("id");
    q.title = questions[i].at("title");
    q.question = questions[i].at("question");
    q.cypher = Joined(questions[i].at("cypher"));
    ASSIGN_OR_RETURN(q.parameters, ToMap(questions[i].at("parameters")));
    q.embedding = Row(vectors, nodes.size() + i);
    data.questions.push_back(std::move(q));
  }
  for (const Json& write : refused) data.refused.push_back({write.at("id"), write.at("title"), Joined(write.at("cypher"))});
  return data;
}

Status LoadSchema(Connection& connection, const MemoryData& data) {
  for (const std::string& statement : data.schema) RETURN_IF_ERROR(connection.Query(statement).status());
  return Status::Ok();
}

Status LoadRows(Connection& connection, const MemoryData& data) {
  for (const RowGroup& group : data.groups) {
    Result<std::vector<fornix::Row>> rows = connection.Query(group.text, Map({{"rows", Value(group.rows)}}));
    if (!rows.ok()) return Status(rows.status().code(), "loading " + group.name + ": " + rows.status().message());
  }
  return Status::Ok();
}

Map ParametersOf(const Question& question) {
  Map parameters = question.parameters;
  parameters.Set("q", question.embedding);
  return parameters;
}

}  // namespace fornix::demo

#include "bench/common/social_graph.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "fornix/import.h"

namespace fornix::bench {
namespace {

namespace fs = std::filesystem;

Result<std::string> ReadAll(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");   // reads plain files too
  if (file == nullptr) return Status(Code::kIoError, "can't read " + path);
  std::string text, piece(1 << 20, '\0');
  int n = 0;
  while ((n = gzread(file, piece.data(), static_cast<unsigned>(piece.size()))) > 0) text.append(piece.data(), static_cast<size_t>(n));
  gzclose(file);
  return text;
}

// "Person_likes_Post" -> LIKES, "Comment_hasTag_Tag" -> HAS_TAG.
std::string TypeOf(const std::string& word) {
  std::string type;
  for (char c : word) {
    if (std::isupper(static_cast<unsigned char>(c))) type += '_';
    type += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return type;
}

std::vector<std::string> Words(const std::string& name, char separator) {
  std::vector<std::string> words(1);
  for (char c : name) {
    if (c == separator) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

bool IsHeader(const std::string& line) { return line.find(":START_ID") != std::string::npos || line.find(":ID") != std::string::npos; }

}  // namespace

const std::vector<CountQuery>& CountQueries() {
  static const std::vector<CountQuery> queries = {
      {1,
       "MATCH (:Country)<-[:IS_PART_OF]-(:City)<-[:IS_LOCATED_IN]-(:Person)<-[:HAS_MEMBER]-(:Forum)-[:CONTAINER_OF]->(:Post)"
       "<-[:REPLY_OF]-(:Comment)-[:HAS_TAG]->(:Tag)-[:HAS_TYPE]->(:TagClass) RETURN count(*) AS count"},
      {2,
       "MATCH (p1:Person)-[:KNOWS]-(p2:Person), (p1)<-[:HAS_CREATOR]-(c:Comment)-[:REPLY_OF]->(post:Post)-[:HAS_CREATOR]->(p2) "
       "RETURN count(*) AS count"},
      {3,
       "MATCH (country:Country) MATCH (p1:Person)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(country) "
       "MATCH (p2:Person)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(country) "
       "MATCH (p3:Person)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(country) "
       "MATCH (p1)-[:KNOWS]-(p2)-[:KNOWS]-(p3)-[:KNOWS]-(p1) RETURN count(*) AS count"},
      {4,
       "MATCH (:Tag)<-[:HAS_TAG]-(m:Post|Comment)-[:HAS_CREATOR]->(:Person), (m)<-[:LIKES]-(:Person), (m)<-[:REPLY_OF]-(:Comment) "
       "RETURN count(*) AS count"},
      {5,
       "MATCH (t1:Tag)<-[:HAS_TAG]-(m:Post|Comment)<-[:REPLY_OF]-(c:Comment)-[:HAS_TAG]->(t2:Tag) WHERE t1 <> t2 RETURN count(*) AS count"},
      {6,
       "MATCH (p1:Person)-[:KNOWS]-(p2:Person)-[:KNOWS]-(p3:Person)-[:HAS_INTEREST]->(t:Tag) WHERE p1 <> p3 RETURN count(*) AS count"},
      {7,
       "MATCH (:Tag)<-[:HAS_TAG]-(m:Post|Comment)-[:HAS_CREATOR]->(:Person) OPTIONAL MATCH (m)<-[:LIKES]-(l:Person) "
       "OPTIONAL MATCH (m)<-[:REPLY_OF]-(r:Comment) RETURN count(*) AS count"},
      {8,
       "MATCH (t1:Tag)<-[:HAS_TAG]-(m:Post|Comment)<-[:REPLY_OF]-(c:Comment)-[:HAS_TAG]->(t2:Tag) "
       "WHERE NOT (c)-[:HAS_TAG]->(t1) AND t1 <> t2 RETURN count(*) AS count"},
      {9,
       "MATCH (p1:Person)-[:KNOWS]-(p2:Person)-[:KNOWS]-(p3:Person)-[:HAS_INTEREST]->(t:Tag) "
       "WHERE NOT (p1)-[:KNOWS]-(p3) AND p1 <> p3 RETURN count(*) AS count"},
  };
  return queries;
}

Status ImportSocialGraph(const std::string& folder, const std::string& temporary, const std::string& path) {
  // Parts by name: "Comment_hasTag_Tag" -> its files in order.
  std::map<std::string, std::vector<std::string>> tables;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    const size_t csv = name.find(".csv");
    if (csv == std::string::npos || name == "expected_counts.csv") continue;
    name.resize(csv);
    if (name.ends_with("_1")) name.resize(name.size() - 2);
    tables[name].push_back(entry.path().string());
  }
  if (error) return Status(Code::kIoError, "can't read " + folder + ": " + error.message());
  ImportOptions options;
  options.delimiter = '|';
  options.quote = '\x01';                      // titles hold quotes, and none is quoted
  options.integer_ids = true;
  std::set<std::string> missing;               // nodes that have no file: their ids come from their creators
  for (const char* label : {"Comment", "Post"}) {
    if (tables.count(label) == 0) missing.insert(label);
  }
  for (auto& [name, parts] : tables) {
    std::sort(parts.begin(), parts.end());
    const std::vector<std::string> words = Words(name, '_');
    const std::string file = temporary + "/" + name + ".csv";
    std::ofstream out(file, std::ios::binary);
    std::ofstream nodes;
    if (words.size() == 3 && words[1] == "hasCreator" && missing.count(words[0])) {
      nodes.open(temporary + "/" + words[0] + ".csv", std::ios::binary);
      nodes << "id:ID(" << words[0] << ")\n";
    }
    bool first = true, labels = false;
    for (const std::string& part : parts) {
      ASSIGN_OR_RETURN(const std::string text, ReadAll(part));
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        if (IsHeader(line)) {
          labels |= line.find(":LABEL") != std::string::npos;
          if (first) out << line << '\n';
          first = false;
          continue;
        }
        out << line << '\n';
        if (nodes.is_open()) nodes << line.substr(0, line.find('|')) << '\n';
      }
    }
    if (words.size() == 3) {
      options.relationships.push_back({TypeOf(words[1]), {file}});
    } else {
      options.nodes.push_back({labels ? "" : name, {file}});
    }
    if (nodes.is_open()) options.nodes.push_back({words[0], {temporary + "/" + words[0] + ".csv"}});
  }
  ImportReport report;
  return ImportDatabase(path, options, &report);
}

Result<std::map<int, int64_t>> ExpectedCounts(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::string text, ReadAll(folder + "/expected_counts.csv"));
  std::map<int, int64_t> counts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t comma = line.find(',');
    if (comma == std::string::npos || !std::isdigit(static_cast<unsigned char>(line[0]))) continue;
    counts[std::stoi(line)] = std::stoll(line.substr(comma + 1));
  }
  return counts;
}

}  // namespace fornix::bench

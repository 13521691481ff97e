// WordNet; see wordnet.h.
#include "tools/demo/wordnet.h"

#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

#include "base/clock.h"
#include "fornix/database.h"
#include "tools/shell/table.h"

namespace fornix::demo {
namespace {

// One CSV line (RFC 4180 quotes, no line breaks inside) into fields.
std::vector<std::string> SplitCsv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') fields.back() += '"', ++i;
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) fields.emplace_back();
    else fields.back() += c;
  }
  return fields;
}

Status ForEachLine(const std::string& path, const std::function<Status(const std::vector<std::string>&)>& f) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) return Status(Code::kIoError, "can't read " + path + "; set FORNIX_SHARED to the folder that holds data/graph-wordnet30");
  std::string line;
  char buffer[1 << 16];
  bool header = true;
  Status status;
  while (status.ok() && gzgets(file, buffer, sizeof buffer)) {
    line += buffer;
    if (line.empty() || line.back() != '\n') continue;
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    if (!header) status = f(SplitCsv(line));
    header = false;
    line.clear();
  }
  gzclose(file);
  return status;
}

// Collects rows and runs a statement over 10,000 of them at a time, with a bar on a terminal.
class Batcher {
 public:
  Batcher(Connection* connection, std::string text, std::string what, size_t total)
      : connection_(connection), text_(std::move(text)), what_(std::move(what)), total_(total) {}
  Status Add(Map row) {
    rows_.push_back(Value(std::move(row)));
    return rows_.size() == 10000 ? Flush() : Status::Ok();
  }
  Status Flush() {
    if (rows_.empty()) return Status::Ok();
    done_ += rows_.size();
    Map parameters;
    parameters.Set("rows", Value(std::move(rows_)));
    rows_ = {};
    RETURN_IF_ERROR(connection_->Query(text_, parameters).status());
    if (isatty_) std::fprintf(stderr, "\r%s %zu of %zu", what_.c_str(), done_, total_);
    return Status::Ok();
  }
  size_t done() const { return done_; }

 private:
  Connection* connection_;
  std::string text_, what_;
  size_t total_, done_ = 0;
  List rows_;
  bool isatty_ = std::getenv("TERM") != nullptr && std::getenv("CI") == nullptr;
};

Status Show(Connection& connection, const std::string& text) {
  uint64_t start = MonotonicNanos();
  ASSIGN_OR_RETURN(auto rows, connection.Execute(text));
  std::vector<Row> all;
  while (!rows->done()) RETURN_IF_ERROR(rows->Fetch(1024, &all));
  std::printf("\n%s\n\n%s%zu rows, %.2f ms\n", text.c_str(), shell::FormatTable(rows->columns(), all, {false, 150}).c_str(), all.size(),
              static_cast<double>(MonotonicNanos() - start) / 1e6);
  return Status::Ok();
}

}  // namespace

Status RunWordnet(const std::string& path) {
  const char* shared = std::getenv("FORNIX_SHARED");
  std::string folder = std::string(shared ? shared : "../shared") + "/data/graph-wordnet30";
  ASSIGN_OR_RETURN(auto database, Database::Open(path));
  auto connection = database->Connect();
  uint64_t start = MonotonicNanos();
  RETURN_IF_ERROR(connection->Query("CREATE CONSTRAINT synset_id FOR (s:Synset) REQUIRE s.id IS UNIQUE").status());
  Batcher nodes(connection.get(), "UNWIND $rows AS row CREATE (:Synset {id: row.id, pos: row.pos, words: row.words, gloss: row.gloss})", "synsets", 117659);
  RETURN_IF_ERROR(ForEachLine(folder + "/synsets.csv.gz", [&](const std::vector<std::string>& f) {
    List words;
    for (size_t from = 0; from <= f[3].size();) {
      size_t bar = std::min(f[3].find('|', from), f[3].size());
      words.push_back(Value(f[3].substr(from, bar - from)));
      from = bar + 1;
    }
    return nodes.Add(Map({{"id", Value(f[0])}, {"pos", Value(f[1])}, {"words", Value(std::move(words))}, {"gloss", Value(f[4])}}));
  }));
  RETURN_IF_ERROR(nodes.Flush());
  std::map<std::string, Batcher> types;
  RETURN_IF_ERROR(ForEachLine(folder + "/edges.csv.gz", [&](const std::vector<std::string>& f) {
    auto it = types.find(f[1]);
    if (it == types.end()) {
      it = types.emplace(f[1], Batcher(connection.get(), "UNWIND $rows AS row MATCH (a:Synset {id: row.a}), (b:Synset {id: row.b}) CREATE (a)-[:`" + f[1] + "`]->(b)",
                                       "relationships", 377592)).first;
    }
    return it->second.Add(Map({{"a", Value(f[0])}, {"b", Value(f[2])}}));
  }));
  size_t relationships = 0;
  for (auto& [type, batcher] : types) {
    RETURN_IF_ERROR(batcher.Flush());
    relationships += batcher.done();
  }
  std::printf("\nloaded %zu synsets and %zu relationships in %.1f s\n", nodes.done(), relationships, static_cast<double>(MonotonicNanos() - start) / 1e9);
  RETURN_IF_ERROR(Show(*connection, "MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS n ORDER BY n DESC, type LIMIT 8"));
  RETURN_IF_ERROR(Show(*connection, "MATCH (s:Synset) WHERE 'whale' IN s.words MATCH p = (s)-[:hypernym*]->(top) WHERE NOT (top)-[:hypernym]->()\n"
                                    "RETURN s.gloss AS whale, length(p) AS steps, [n IN nodes(p) | n.words[0]] AS up LIMIT 3"));
  RETURN_IF_ERROR(Show(*connection, "MATCH (:Synset {id: 'n02084071'})-[:hyponym*1..2]->(d) RETURN count(DISTINCT d) AS kinds_of_dog"));
  RETURN_IF_ERROR(Show(*connection, "MATCH (a:Synset)-[:hyponym]->(b)-[:hyponym]->(c) RETURN count(*) AS two_steps_down"));
  connection.reset();
  return database->Close();
}

}  // namespace fornix::demo

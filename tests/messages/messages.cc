// Transcripts of errors: tests/messages/*.txt show statements and exactly what a user reads when they fail.
//
//   # a heading starts an empty database in memory
//   > CREATE (:Person {name: 'Ada'})             a statement; ". " continues it on the next line
//   > MATCH (p:Person) RETURN q.name
//   SyntaxError (line 1, column 25): ...         what `fornix query` prints: the error, or the notifications
//     42001 42N62 Neo.ClientError.Statement.SyntaxError     and what drivers get: GQLSTATUS, that of the cause, Neo4j's code
//
// Beside the shell's :param NAME JSON, :begin, :commit and :rollback there are `:begin read-only`, `:other STATEMENT` (by a second
// connection), `:memory BYTES` and `:timeout MS` (of the statements below), `:file read-only` (goes on with an empty file), `:open PATH`,
// `:close`, `:close all`, and `:node NAME`, `:reference NAME`, `:text NAME TEXT` and `:key NAME TEXT` (a map with this key) for
// parameters that no JSON can be. {{3*ab}} in a statement stands for ababab, {{byte ff}} for that byte. A statement without output has to succeed in silence.
// `messages FOLDER` or FILE... prints the differences; with --write in front what came out goes into the files, for a person to judge.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include "base/error_table.h"
#include "fornix/database.h"
#include "tools/shell/json.h"

namespace {

using fornix::Status;

std::string Expanded(std::string text) {
  for (size_t at = 0; (at = text.find("{{", at)) != std::string::npos;) {
    const size_t end = text.find("}}", at);
    const std::string inner = text.substr(at + 2, end - at - 2);
    std::string made;
    if (inner.starts_with("byte ")) {
      made = static_cast<char>(std::stoul(inner.substr(5), nullptr, 16));
    } else {
      const size_t star = inner.find('*'), count = std::stoull(inner);
      made.reserve(count * (inner.size() - star - 1));
      for (size_t i = 0; i < count; ++i) made += std::string_view(inner).substr(star + 1);
    }
    text.replace(at, end + 2 - at, made);
    at += made.size();
  }
  return text;
}

class Session {
 public:
  Session() { Use(std::move(fornix::Database::Open(":memory:")).value()); }
  ~Session() {
    connection_.reset();
    other_.reset();
    database_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  std::string Run(std::string_view text) {
    if (!text.starts_with(":")) return Execute(*connection_, text);
    const size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space), rest = text.substr(std::min(space + 1, text.size()));
    if (word == ":begin") return Shown(connection_->Begin({.read_only = rest == "read-only", .timeout = {}}));
    if (word == ":commit") return Shown(connection_->Commit().status());
    if (word == ":rollback") return Shown(connection_->Rollback());
    if (word == ":other") return Execute(*other_, rest);
    if (word == ":open") return Shown(fornix::Database::Open(std::string(rest), {.create = false}).status());
    if (word == ":close") return Close(rest == "all");
    if (word == ":node") return parameters_.Set(rest, fornix::Value(fornix::Node{})), "";
    if (word == ":reference") return parameters_.Set(rest, fornix::Value::NodeRef(0)), "";
    if (word == ":text") return parameters_.Set(rest.substr(0, rest.find(' ')), fornix::Value(rest.substr(rest.find(' ') + 1))), "";
    if (word == ":key") return parameters_.Set(rest.substr(0, rest.find(' ')), fornix::Value(fornix::Map({{std::string(rest.substr(rest.find(' ') + 1)), fornix::Value(1)}}))), "";
    if (word == ":file") return UseFile();
    if (word == ":memory") options_.memory_bytes_max = std::stoull(std::string(rest));
    else if (word == ":timeout") options_.timeout = std::chrono::milliseconds(std::stoull(std::string(rest)));
    else if (word == ":param") return SetParameter(rest);
    else return "the transcript has an unknown command " + std::string(word) + "\n";
    return "";
  }

 private:
  static std::string Shown(const Status& status) {
    if (status.ok()) return "";
    const fornix::ErrorNames names = fornix::NamesOf(status);
    return status.ToString() + "\n  " + std::string(names.gql_status) + (names.gql_cause.empty() ? "" : " " + std::string(names.gql_cause)) + " " +
           std::string(names.neo4j_code) + "\n";
  }

  void Use(std::unique_ptr<fornix::Database> database) {
    connection_.reset();
    other_.reset();
    database_ = std::move(database);
    connection_ = database_->Connect();
    other_ = database_->Connect();
  }

  // With `all`, the connections close before, and new ones are made behind.
  std::string Close(bool all) {
    if (!all) return Shown(database_->Close());
    connection_.reset();
    other_.reset();
    const Status status = database_->Close();
    connection_ = database_->Connect();
    other_ = database_->Connect();
    return Shown(status);
  }

  // An empty database in a file, opened for reading.
  std::string UseFile() {
    folder_ = std::filesystem::temp_directory_path() / ("fornix-messages-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
    const std::string path = folder_ / "empty.fornix";
    if (auto made = fornix::Database::Open(path); !made.ok()) return Shown(made.status());
    auto opened = fornix::Database::Open(path, {.read_only = true});
    if (!opened.ok()) return Shown(opened.status());
    Use(std::move(*opened));
    return "";
  }

  std::string Execute(fornix::Connection& connection, std::string_view text) {
    auto cursor = connection.Execute(text, parameters_, options_);
    if (!cursor.ok()) return Shown(cursor.status());
    std::vector<fornix::Row> rows;
    while (!(*cursor)->done()) {
      if (const Status status = (*cursor)->Fetch(1024, &rows); !status.ok()) return Shown(status);
    }
    std::string out;
    for (const auto& n : (*cursor)->summary().notifications) out += n.severity + ": " + n.title + ": " + n.description + "\n";
    return out;
  }

  std::string SetParameter(std::string_view text) {
    const size_t space = std::min(text.find(' '), text.size());
    auto value = fornix::shell::FromJson(text.substr(space));
    if (!value.ok()) return "the transcript's parameter is wrong: " + value.status().message() + "\n";
    parameters_.Set(text.substr(0, space), *value);
    return "";
  }

  std::filesystem::path folder_;     // of the database, if it is in a file
  std::unique_ptr<fornix::Database> database_;
  std::unique_ptr<fornix::Connection> connection_, other_;
  fornix::Map parameters_;
  fornix::ExecuteOptions options_;
};

struct Entry {
  int line = 0;
  std::string heading;               // or a statement with what it should print
  std::string statement, expected;
};

std::vector<Entry> Read(const std::string& path) {
  std::vector<Entry> entries;
  std::ifstream in(path);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    text.erase(text.find_last_not_of(" \r") + 1);
    if (text.starts_with("#")) entries.push_back({line, text, "", ""});
    else if (text.starts_with("> ")) entries.push_back({line, "", text.substr(2), ""});
    else if (text.empty() || entries.empty()) continue;
    else if (text.starts_with(". ")) entries.back().statement += "\n" + text.substr(2);
    else entries.back().expected += text + "\n";
  }
  return entries;
}

std::string WithoutBlanks(const std::string& text) {
  std::istringstream in(text);
  std::string line, out;
  while (std::getline(in, line)) {
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) out += line + "\n";
  }
  return out;
}

// Each statement beside what came out.
std::vector<std::string> RunAll(const std::vector<Entry>& entries) {
  std::vector<std::string> outputs;
  std::optional<Session> session;
  for (const Entry& entry : entries) {
    if (entry.heading.starts_with("# ")) session.emplace();
    outputs.push_back(entry.heading.empty() && session ? WithoutBlanks(session->Run(Expanded(entry.statement))) : "");
  }
  return outputs;
}

int Compare(const std::string& path, const std::vector<Entry>& entries, const std::vector<std::string>& outputs) {
  int different = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].heading.empty() || entries[i].expected == outputs[i]) continue;
    ++different;
    std::cout << path << ":" << entries[i].line << ": " << entries[i].statement << "\n--- expected\n" << entries[i].expected << "--- printed\n" << outputs[i];
  }
  return different;
}

void Write(const std::string& path, const std::vector<Entry>& entries, const std::vector<std::string>& outputs) {
  std::ofstream out(path);
  bool blank = true;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].heading.empty()) {
      out << (blank ? "" : "\n") << entries[i].heading << "\n";
      blank = entries[i].heading.starts_with("##");
      continue;
    }
    std::string statement = entries[i].statement;
    for (size_t at = 0; (at = statement.find('\n', at)) != std::string::npos; at += 3) statement.replace(at, 1, "\n. ");
    out << "> " << statement << "\n" << outputs[i] << (outputs[i].empty() ? "" : "\n");
    blank = !outputs[i].empty();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool write = argc > 1 && std::string_view(argv[1]) == "--write";
  std::vector<std::string> files;
  for (int i = write ? 2 : 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      files.push_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".txt") && name != "elsewhere.txt" && name != "suites.txt" && name != "CMakeLists.txt") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  int different = 0, count = 0;
  for (const std::string& file : files) {
    const std::vector<Entry> entries = Read(file);
    const std::vector<std::string> outputs = RunAll(entries);
    if (write) Write(file, entries, outputs);
    else different += Compare(file, entries, outputs);
    for (const std::string& output : outputs) count += !output.empty();
  }
  std::cout << count << " messages, " << different << " different\n";
  return different == 0 && count > 0 ? 0 : 1;
}

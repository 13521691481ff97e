// Running statements and commands; see runner.h.
#include "tools/shell/runner.h"

#include <nlohmann/json.hpp>

#include "base/value_format.h"
#include "fornix/script.h"
#include "tools/shell/json.h"
#include "tools/shell/table.h"

namespace fornix::shell {
namespace {

constexpr char kHelp[] =
    "A statement ends with ';' and may run over several lines. Commands:\n"
    "  :help                    this page\n"
    "  :schema                  labels, relationship types, indexes and constraints\n"
    "  :begin :commit :rollback an explicit transaction\n"
    "  :param NAME JSON         sets the parameter $NAME; :params shows them all\n"
    "  :timing on|off           whether times are shown\n"
    "  :quit                    ends the shell (so does end of input)\n"
    "EXPLAIN or PROFILE before a statement shows its plan.\n";

std::string Millis(uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ms", static_cast<double>(ns) / 1e6);
  return text;
}

std::string_view Trim(std::string_view s) {
  size_t first = s.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return s.substr(first, s.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

bool StatementRunner::Say(const std::string& text) {
  if (options_.json) {
    std::fprintf(out_, "%s\n", Dump({{"message", text}}).c_str());
  } else {
    std::fputs(text.c_str(), out_);
    if (text.empty() || text.back() != '\n') std::fputc('\n', out_);
  }
  std::fflush(out_);
  return true;
}

bool StatementRunner::Fail(const Status& status, std::string_view) {
  if (options_.json) {
    std::fprintf(out_, "%s\n", Dump(ToJson(status)).c_str());
  } else {
    std::fflush(out_);
    const char *red = options_.colour ? "\x1b[31m" : "", *plain = options_.colour ? "\x1b[0m" : "";
    std::fprintf(stderr, "%s%s%s\n", red, status.ToString().c_str(), plain);
  }
  std::fflush(out_);
  return false;
}

bool StatementRunner::RunStatement(std::string_view text) {
  Result<std::unique_ptr<Cursor>> cursor = connection_->Execute(text, options_.parameters);
  if (!cursor.ok()) return Fail(cursor.status(), text);
  std::vector<Row> rows;
  while (!(*cursor)->done()) {
    if (Status status = (*cursor)->Fetch(1024, &rows); !status.ok()) return Fail(status, text);
  }
  const Summary& summary = (*cursor)->summary();
  const std::vector<std::string>& columns = (*cursor)->columns();
  if (options_.json) {
    nlohmann::ordered_json out;
    out["columns"] = columns;
    out["rows"] = nlohmann::ordered_json::array();
    for (const Row& row : rows) {
      auto cells = nlohmann::ordered_json::array();
      for (const Value& v : row) cells.push_back(ToJson(v));
      out["rows"].push_back(std::move(cells));
    }
    out["summary"] = ToJson(summary);
    std::fprintf(out_, "%s\n", Dump(out).c_str());
    std::fflush(out_);
    return true;
  }
  std::string text_out;
  bool explained = summary.plan && !summary.profiled;
  if (!explained) text_out += FormatTable(columns, rows, {options_.colour, options_.width_max});
  text_out += summary.plan_text;
  for (const Notification& n : summary.notifications) text_out += n.severity + ": " + n.title + ": " + n.description + "\n";
  std::string tail;
  auto add = [&tail](const std::string& part) { tail += (tail.empty() ? "" : ", ") + part; };
  if (!columns.empty() && !explained) add(std::to_string(rows.size()) + (rows.size() == 1 ? " row" : " rows"));
  if (std::string counters = summary.counters.ToString(); !counters.empty()) add(counters);
  if (options_.timing) add(Millis(summary.compile_ns + summary.run_ns));
  if (!tail.empty()) {
    const char *dim = options_.colour ? "\x1b[2m" : "", *plain = options_.colour ? "\x1b[0m" : "";
    text_out += dim + tail + plain + "\n";
  }
  std::fputs(text_out.c_str(), out_);
  std::fflush(out_);
  return true;
}

bool StatementRunner::RunCommand(std::string_view line) {
  line = Trim(line);
  std::string_view word = line.substr(0, line.find_first_of(" \t"));
  std::string_view rest = Trim(line.substr(word.size()));
  if (word == ":help") return Say(kHelp);
  if (word == ":quit" || word == ":exit") {
    quit_ = true;
    return true;
  }
  if (word == ":begin") {
    Status status = connection_->Begin();
    return status.ok() ? Say("transaction started") : Fail(status, line);
  }
  if (word == ":commit") {
    Result<uint64_t> result = connection_->Commit();
    return result.ok() ? Say("committed") : Fail(result.status(), line);
  }
  if (word == ":rollback") {
    if (!connection_->in_transaction()) return Fail(Status(Code::kUsage, "there is no open transaction to roll back"), line);
    Status status = connection_->Rollback();
    return status.ok() ? Say("rolled back") : Fail(status, line);
  }
  if (word == ":timing") {
    if (rest != "on" && rest != "off") return Fail(Status(Code::kUsage, ":timing takes on or off"), line);
    options_.timing = rest == "on";
    return Say(std::string("timing is ") + (options_.timing ? "on" : "off"));
  }
  if (word == ":params") return Say(ToText(Value(options_.parameters)));
  if (word == ":param") {
    size_t end = rest.find_first_of(" \t=");
    if (rest.empty() || end == std::string_view::npos) return Fail(Status(Code::kUsage, ":param takes a name and a JSON value, as in :param limit 10"), line);
    std::string_view value = Trim(rest.substr(end));
    if (value.starts_with("=>")) value = Trim(value.substr(2));
    else if (value.starts_with("=")) value = Trim(value.substr(1));
    Result<Value> parsed = FromJson(value);
    if (!parsed.ok()) return Fail(parsed.status(), line);
    options_.parameters.Set(rest.substr(0, end), *parsed);
    return true;
  }
  if (word == ":schema") {
    bool ok = RunStatement("CALL db.labels() YIELD label MATCH (n) WHERE label IN labels(n) RETURN label, count(*) AS nodes ORDER BY label");
    ok &= RunStatement("MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS relationships ORDER BY type");
    ok &= RunStatement("SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, state");
    return RunStatement("SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties") && ok;
  }
  return Fail(Status(Code::kUsage, "unknown command " + std::string(word) + "; :help lists them"), line);
}

void ScriptFeeder::Feed(std::string_view text) {
  // Without a ';' or a line's end nothing can have become complete, so a long statement isn't looked through at every piece.
  bool complete = text.find(';') != std::string_view::npos || (buffer_.empty() || buffer_[0] == ':');
  buffer_ += text;
  if (complete) Drain(false);
}
void ScriptFeeder::Finish() { Drain(true); }
bool ScriptFeeder::pending() const { return !Trim(buffer_).empty(); }

void ScriptFeeder::Drain(bool end) {
  while (!runner_->wants_quit()) {
    buffer_.erase(0, std::min(buffer_.find_first_not_of(" \t\r\n"), buffer_.size()));
    if (buffer_.empty()) return;
    size_t length;
    if (buffer_[0] == ':') {
      size_t newline = buffer_.find('\n');
      if (newline == std::string::npos && !end) return;
      length = std::min(newline, buffer_.size());
      failed_ |= !runner_->RunCommand(std::string_view(buffer_).substr(0, length));
    } else {
      length = FirstStatementLength(buffer_);
      if (length == 0 && !end) return;
      if (length == 0) length = buffer_.size();
      failed_ |= !runner_->RunStatement(std::string_view(buffer_).substr(0, length));
    }
    buffer_.erase(0, length);
  }
}

}  // namespace fornix::shell

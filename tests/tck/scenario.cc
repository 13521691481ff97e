// Running one scenario; see scenario.h.
#include "tests/tck/scenario.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/value_format.h"
#include "engine/api/database_impl.h"
#include "tests/tck/cell.h"
#include "tests/tck/procedures.h"
#include "tools/server/bolt/remote.h"
#include "tools/server/bolt/server.h"

namespace fornix::tck {
namespace {

struct Rows {
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::vector<std::string> notifications;     // their codes' last words, sorted: "CartesianProduct"
};

// What a graph holds, for the difference that "side effects" means.
struct Snapshot {
  std::set<uint64_t> nodes, relationships;
  std::set<std::string> labels;
  std::multiset<std::string> properties;      // "n12.key=value"
};

std::string_view TypeOf(const Status& status) {
  switch (status.code()) {
    case Code::kSyntaxError: return "SyntaxError";
    case Code::kTypeError: return "TypeError";
    case Code::kArgumentError: return "ArgumentError";
    case Code::kEntityNotFound: return "EntityNotFound";
    case Code::kSemanticError: return "SemanticError";
    case Code::kProcedureNotFound: case Code::kProcedureError: return "ProcedureError";
    case Code::kParameterMissing: return "ParameterMissing";
    case Code::kDeleteConnected: return "ConstraintVerificationFailed";
    case Code::kConstraintViolation: return "ConstraintValidationFailed";
    case Code::kArithmeticError: return "ArithmeticError";
    // Beyond the TCK's words: our own scenarios name these.
    case Code::kSchemaConflict: return "SchemaConflict";
    case Code::kSchemaNotFound: return "SchemaNotFound";
    case Code::kTransactionClosed: return "TransactionClosed";
    case Code::kNotAvailable: return "NotAvailable";
    case Code::kParameterInvalid: return "ParameterInvalid";
    case Code::kLimitExceeded: return "LimitExceeded";
    default: return "?";
  }
}

class Runner {
 public:
  Runner(const Scenario& scenario, const RunOptions& options) : scenario_(scenario), options_(options) {}

  Outcome Run() {
    Status status = RunSteps();
    if (!status.ok()) outcome_.why = status.message();
    outcome_.passed = status.ok();
    connection_.reset();
    server_.reset();
    database_.reset();
    if (options_.on_file) std::filesystem::remove_all(options_.scratch);
    return outcome_;
  }

 private:
  static Status Fail(std::string why) { return Status(Code::kUsage, std::move(why)); }

  std::string Path() const { return options_.on_file ? options_.scratch + "/tck.fornix" : ":memory:"; }
  Status OpenDatabase() {
    connection_.reset();
    server_.reset();
    if (database_) RETURN_IF_ERROR(database_->Close());
    database_.reset();
    if (options_.on_file) std::filesystem::create_directories(options_.scratch);
    DatabaseOptions database_options;
    database_options.log_segment_bytes = 64 << 10;   // thousands of databases are made; each zeroes its first segment
    database_options.memory_bytes_max = options_.memory_bytes;
    ASSIGN_OR_RETURN(database_, engine::OpenDatabase(PosixFileSystem(), Path(), database_options, catalog_));
    engine::CoreOf(*database_).use_indexes = options_.use_indexes;
    if (!options_.bolt) {
      connection_ = database_->Connect();
      return Status::Ok();
    }
    server_.reset();
    bolt::ServerOptions server_options;
    server_options.port = 0;
    server_options.io_threads = 1;
    server_options.workers = 2;
    ASSIGN_OR_RETURN(server_, bolt::Server::Start(database_.get(), "tck", server_options));
    ASSIGN_OR_RETURN(connection_, bolt::ConnectRemote({"127.0.0.1", server_->port(), "", "", ""}));
    return Status::Ok();
  }

  Result<Rows> Execute(std::string_view text) {
    if (options_.restart && !connection_->in_transaction()) RETURN_IF_ERROR(OpenDatabase());
    ExecuteOptions options;
    options.timeout = std::chrono::seconds(20);
    options.optimize = options_.optimize;
    options.batch_rows = options_.batch_rows;
    ASSIGN_OR_RETURN(auto cursor, connection_->Execute(text, parameters_, options));
    Rows out;
    out.columns = cursor->columns();
    while (!cursor->done()) RETURN_IF_ERROR(cursor->Fetch(1000, &out.rows));
    for (const Notification& n : cursor->summary().notifications) out.notifications.push_back(n.code.substr(n.code.rfind('.') + 1));
    std::sort(out.notifications.begin(), out.notifications.end());
    return out;
  }

  Result<Snapshot> TakeSnapshot() {
    Snapshot s;
    ASSIGN_OR_RETURN(auto nodes, connection_->Query("MATCH (n) RETURN n"));
    for (const Row& row : nodes) {
      const Node& n = row[0].AsNode();
      s.nodes.insert(n.id);
      s.labels.insert(n.labels.begin(), n.labels.end());
      for (const auto& [key, value] : n.properties) s.properties.insert("n" + std::to_string(n.id) + "." + key + "=" + ToText(value));
    }
    ASSIGN_OR_RETURN(auto relationships, connection_->Query("MATCH ()-[r]->() RETURN r"));
    for (const Row& row : relationships) {
      const Relationship& r = row[0].AsRelationship();
      s.relationships.insert(r.id);
      for (const auto& [key, value] : r.properties) s.properties.insert("r" + std::to_string(r.id) + "." + key + "=" + ToText(value));
    }
    return s;
  }

  Status RunScript(const std::string& path) {
    std::ifstream in(path);
    if (!in) return Fail("can't read " + path);
    std::stringstream text;
    text << in.rdbuf();
    std::string statement;
    for (std::string script = text.str(); !script.empty();) {
      size_t end = script.find(';');
      statement = script.substr(0, end);
      script = end == std::string::npos ? "" : script.substr(end + 1);
      if (statement.find_first_not_of(" \r\n\t") == std::string::npos) continue;
      ASSIGN_OR_RETURN(Rows ignored, Execute(statement));
      (void)ignored;
    }
    return Status::Ok();
  }
  Status LoadGraph(const std::string& name) {
    std::string folder = options_.shared + "/tck/graphs/" + name + "/";
    std::ifstream in(folder + name + ".json");
    if (!in) return Fail("no graph " + folder);
    const nlohmann::json graph = nlohmann::json::parse(in);   // outlives the loop over a part of it
    for (const auto& script : graph["scripts"]) {
      RETURN_IF_ERROR(RunScript(folder + script.get<std::string>() + ".cypher"));
    }
    return Status::Ok();
  }

  Status Given(const Step& step) {
    if (step.text == "an empty graph") return Status::Ok();
    if (step.text == "any graph") return options_.tree_for_any_graph ? LoadGraph("binary-tree-1") : Status::Ok();
    if (step.text.starts_with("the ") && step.text.ends_with(" graph")) return LoadGraph(step.text.substr(4, step.text.size() - 10));
    if (step.text == "having executed:") {
      Result<Rows> rows = Execute(step.docstring);
      return rows.ok() ? Status::Ok() : Fail("set-up failed: " + rows.status().ToString());
    }
    if (step.text == "parameters are:") {
      for (const auto& row : step.table) {
        ASSIGN_OR_RETURN(Expected cell, ParseCell(row.at(1)));
        ASSIGN_OR_RETURN(Value value, ToParameter(cell));
        parameters_.Set(row.at(0), std::move(value));
      }
      return Status::Ok();
    }
    if (step.text.starts_with("there exists a procedure ")) {
      return RegisterProcedure(&catalog_, step.text.substr(25), step.table);
    }
    if (step.text == "a transaction is open") return connection_->Begin();
    return Fail("unknown step: " + step.text);
  }

  Status When(const Step& step) {
    if (step.text == "executing query:" && connection_->in_transaction()) {
      result_ = Execute(step.docstring);   // an error dooms the transaction, so nothing can be counted before its end
      return Status::Ok();
    }
    if (step.text == "the transaction is committed") {
      ASSIGN_OR_RETURN(uint64_t log_number, connection_->Commit());
      (void)log_number;
      return Status::Ok();
    }
    if (step.text == "the transaction is rolled back") return connection_->Rollback();
    if (step.text == "executing query:") {
      if (options_.on_file) RETURN_IF_ERROR(OpenDatabase());
      ASSIGN_OR_RETURN(before_, TakeSnapshot());
      result_ = Execute(step.docstring);
      ASSIGN_OR_RETURN(after_, TakeSnapshot());
      return Status::Ok();
    }
    if (step.text == "executing control query:") {
      result_ = Execute(step.docstring);
      return Status::Ok();
    }
    return Fail("unknown step: " + step.text);
  }

  Status ExpectRows(const Step& step, bool in_order, bool ignore_list_order) {
    if (!result_->ok()) return Fail("unexpected error: " + result_->status().ToString());
    const Rows& actual = **result_;
    if (actual.columns != step.table.at(0)) {
      std::string columns;
      for (const std::string& c : actual.columns) columns += "|" + c;
      return Fail("columns differ: " + columns);
    }
    std::vector<std::vector<Expected>> expected;
    for (size_t i = 1; i < step.table.size(); ++i) {
      expected.emplace_back();
      for (const std::string& cell : step.table[i]) {
        ASSIGN_OR_RETURN(Expected e, ParseCell(cell));
        expected.back().push_back(std::move(e));
      }
    }
    auto row_matches = [&](const std::vector<Expected>& e, const Row& row) {
      for (size_t c = 0; c < e.size(); ++c) {
        if (!Matches(e[c], row[c], ignore_list_order)) return false;
      }
      return true;
    };
    bool equal = expected.size() == actual.rows.size();
    std::vector<bool> used(actual.rows.size());
    for (size_t i = 0; equal && i < expected.size(); ++i) {
      if (in_order) {
        equal = row_matches(expected[i], actual.rows[i]);
        continue;
      }
      bool found = false;
      for (size_t j = 0; j < actual.rows.size() && !found; ++j) {
        if (!used[j] && row_matches(expected[i], actual.rows[j])) used[j] = found = true;
      }
      equal = found;
    }
    if (equal) return Status::Ok();
    std::string text;
    for (size_t i = 0; i < actual.rows.size() && i < 6; ++i) {
      text += "\n      ";
      for (const Value& v : actual.rows[i]) text += " | " + ToText(v);
    }
    return Fail("rows differ: expected " + std::to_string(expected.size()) + ", got " + std::to_string(actual.rows.size()) + ":" + text);
  }

  Status ExpectSideEffects(const std::map<std::string, int64_t>& expected) {
    auto minus = [](const auto& a, const auto& b) {
      std::vector<typename std::decay_t<decltype(a)>::value_type> out;
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
      return static_cast<int64_t>(out.size());
    };
    std::map<std::string, int64_t> actual = {
        {"+nodes", minus(after_.nodes, before_.nodes)}, {"-nodes", minus(before_.nodes, after_.nodes)},
        {"+relationships", minus(after_.relationships, before_.relationships)},
        {"-relationships", minus(before_.relationships, after_.relationships)},
        {"+labels", minus(after_.labels, before_.labels)}, {"-labels", minus(before_.labels, after_.labels)},
        {"+properties", minus(after_.properties, before_.properties)},
        {"-properties", minus(before_.properties, after_.properties)}};
    for (const auto& [key, count] : actual) {
      auto it = expected.find(key);
      int64_t wanted = it == expected.end() ? 0 : it->second;
      if (wanted != count) return Fail("side effects differ: " + key + " " + std::to_string(count) + ", expected " + std::to_string(wanted));
    }
    return Status::Ok();
  }

  Status ExpectError(std::string_view text) {   // "a TYPE should be raised at PHASE: DETAIL"; also "an"
    outcome_.error_expected = true;
    size_t type_end = text.find(" should be raised at ");
    size_t colon = text.find(": ", type_end);
    if (type_end == std::string_view::npos || colon == std::string_view::npos) return Fail("unknown step: " + std::string(text));
    const size_t type_start = text.find(' ') + 1;
    std::string_view type = text.substr(type_start, type_end - type_start);
    std::string_view phase = text.substr(type_end + 21, colon - type_end - 21);
    std::string_view detail = text.substr(colon + 2);
    if (result_->ok()) return Fail("no error was raised, expected " + std::string(text));
    const Status& status = result_->status();
    outcome_.any_error = true;
    outcome_.error_type_matched = TypeOf(status) == type;
    std::string_view actual_phase = status.compile_time() ? "compile time" : "runtime";
    if (TypeOf(status) != type || (phase != "any time" && phase != actual_phase) || (detail != "*" && detail != status.detail())) {
      return Fail("expected " + std::string(type) + "/" + std::string(phase) + "/" + std::string(detail) + ", got " +
                  std::string(TypeOf(status)) + "/" + std::string(actual_phase) + "/" + status.detail() + ": " + status.ToString());
    }
    return connection_->in_transaction() ? Status::Ok() : ExpectSideEffects({});
  }

  Status ExpectNotifications(const Step& step) {
    if (!result_->ok()) return Fail("unexpected error: " + result_->status().ToString());
    std::vector<std::string> expected;
    for (const auto& row : step.table) expected.push_back(row.at(0));
    std::sort(expected.begin(), expected.end());
    if ((*result_)->notifications == expected) return Status::Ok();
    std::string text;
    for (const std::string& code : (*result_)->notifications) text += " " + code;
    return Fail("notifications differ:" + text);
  }

  Status Then(const Step& step) {
    const std::string& t = step.text;
    if (t == "the result should be, in any order:") return ExpectRows(step, false, false);
    if (t == "the result should be, in order:") return ExpectRows(step, true, false);
    if (t == "the result should be (ignoring element order for lists):") return ExpectRows(step, false, true);
    if (t == "the result should be, in order (ignoring element order for lists):") return ExpectRows(step, true, true);
    if (t == "the result should be empty") {
      if (!result_->ok()) return Fail("unexpected error: " + result_->status().ToString());
      if (!(*result_)->columns.empty() || !(*result_)->rows.empty()) return Fail("the result is not empty");
      return Status::Ok();
    }
    if (t == "no side effects") return ExpectSideEffects({});
    if (t == "the side effects should be:") {
      std::map<std::string, int64_t> expected;
      for (const auto& row : step.table) expected[row.at(0)] = std::stoll(row.at(1));
      return ExpectSideEffects(expected);
    }
    if (t == "the notifications should be:") return ExpectNotifications(step);
    if (t == "there should be no notifications") return ExpectNotifications(Step{});
    if (t.starts_with("a ") || t.starts_with("an ")) return ExpectError(t);
    return Fail("unknown step: " + t);
  }

  Status RunSteps() {
    RETURN_IF_ERROR(OpenDatabase());
    for (const Step& step : scenario_.steps) {
      if (step.kind == "given") RETURN_IF_ERROR(Given(step));
      if (step.kind == "when") RETURN_IF_ERROR(When(step));
      if (step.kind == "then") RETURN_IF_ERROR(Then(step));
    }
    if (!result_) return Fail("the scenario executes no query");
    return Status::Ok();
  }

  const Scenario& scenario_;
  const RunOptions& options_;
  Outcome outcome_;
  engine::ProcedureCatalog catalog_;           // before the database, which uses it
  std::unique_ptr<Database> database_;
  std::unique_ptr<bolt::Server> server_;         // with --bolt
  std::unique_ptr<Connection> connection_;
  Map parameters_;
  std::optional<Result<Rows>> result_;
  Snapshot before_, after_;
};

}  // namespace

Scenario FromJson(const nlohmann::json& record) {
  Scenario s;
  s.id = record["id"];
  s.name = record["name"];
  for (const auto& tag : record["tags"]) s.ignored |= tag == "@ignore" || tag == "ignore";
  for (const auto& step : record["steps"]) {
    Step out;
    out.kind = step["kind"];
    out.text = step["text"];
    if (!step["docstring"].is_null()) out.docstring = step["docstring"];
    if (!step["table"].is_null()) {
      out.table = step["table"].get<std::vector<std::vector<std::string>>>();
      out.has_table = true;
    }
    s.steps.push_back(std::move(out));
  }
  return s;
}

Outcome Run(const Scenario& scenario, const RunOptions& options) { return Runner(scenario, options).Run(); }

}  // namespace fornix::tck

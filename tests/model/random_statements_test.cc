// Random histories on the engine, through its public interface, and on the reference model: rows, counters, errors or
// not, and after each write the whole graph must be equal. A second connection holds a snapshot while the first goes on;
// some statements run in explicit transactions that are rolled back.
//
// A difference prints the history that leads to it, as a script, and ends the program with 1.
//   test_random_statements [--seed=N] [--histories=N] [--statements=N] [--model-only] [--echo]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/value_format.h"
#include "fornix/database.h"
#include "tests/model/generator.h"
#include "tests/model/model.h"

namespace fornix::model {
namespace {

struct Options {
  uint64_t seed = 0;
  uint64_t histories = 40;
  uint64_t statements = 60;
  bool model_only = false;   // judges the generator: how many statements the model takes
  bool echo = false;
};

// A statement's outcome as lines of text, comparable between both sides.
struct Outcome {
  Status status;
  std::vector<std::string> rows;
  Counters counters;
};

std::string LineOf(const Row& row) {
  std::string line;
  for (const Value& value : row) line += (line.empty() ? "" : " | ") + ToText(value);
  return line;
}

Outcome OnEngine(Connection* connection, const RandomStatement& statement, uint32_t batch_rows, bool optimize) {
  Outcome out;
  ExecuteOptions options;
  options.batch_rows = batch_rows;
  options.optimize = optimize;
  auto cursor = connection->Execute(statement.text, statement.parameters, options);
  if (!cursor.ok()) {
    out.status = cursor.status();
    return out;
  }
  std::vector<Row> rows;
  while (!(*cursor)->done()) {
    const size_t before = rows.size();
    if (Status status = (*cursor)->Fetch(64, &rows); !status.ok()) {
      out.status = status;
      return out;
    }
    if (rows.size() == before) break;
  }
  for (const Row& row : rows) out.rows.push_back(LineOf(row));
  out.counters = (*cursor)->summary().counters;
  return out;
}

Outcome OnModel(Model* model, const RandomStatement& statement) {
  Outcome out;
  Result<Answer> answer = model->Execute(statement.text, statement.parameters);
  if (!answer.ok()) {
    out.status = answer.status();
    return out;
  }
  for (const Row& row : answer->rows) out.rows.push_back(LineOf(row));
  out.counters = answer->counters;
  return out;
}

std::string CountersOf(const Counters& c) {
  return "nodes +" + std::to_string(c.nodes_created) + " -" + std::to_string(c.nodes_deleted) + ", relationships +" +
         std::to_string(c.relationships_created) + " -" + std::to_string(c.relationships_deleted) + ", labels +" +
         std::to_string(c.labels_added) + " -" + std::to_string(c.labels_removed) + ", properties " +
         std::to_string(c.properties_set);
}

class History {
 public:
  History(uint64_t seed, const Options& options) : seed_(seed), options_(options), generator_(seed) {}
  ~History() {
    connection_.reset();
    reader_.reset();
    database_.reset();
    std::error_code ignored;
    for (const char* suffix : {"", "-log", "-lock"}) {
      if (!path_.empty()) std::filesystem::remove_all(path_ + suffix, ignored);
    }
  }
  uint64_t refused() const { return refused_; }
  uint64_t rows() const { return rows_; }

  bool Run() {
    if (!options_.model_only) {
      on_disk_ = generator_.OneIn(2);
      if (on_disk_)
        path_ =
            (std::filesystem::temp_directory_path() / ("random_statements_" + std::to_string(::getpid()) + ".fornix")).string();
      if (!Open()) return false;
    }
    for (const std::string& command : generator_.Schema()) {
      if (!Step({command, {}, false, false}, nullptr)) return false;
    }
    for (uint64_t i = 0; i < options_.statements; ++i) {
      if (!OneStep(i)) return false;
    }
    if (in_transaction_ && !EndTransaction()) return false;
    if (snapshot_ && !EndSnapshot()) return false;
    return true;
  }

 private:
  bool Open() {
    DatabaseOptions options;
    options.checkpoint_on_close = generator_.OneIn(2);
    auto opened = Database::Open(on_disk_ ? path_ : ":memory:", options);
    if (!opened.ok()) return Differ("open: " + opened.status().ToString());
    database_ = std::move(*opened);
    connection_ = database_->Connect();
    reader_ = database_->Connect();
    return true;
  }
  bool Reopen() {
    script_ += ":close, then open again\n";
    connection_.reset();
    reader_.reset();
    if (Status status = database_->Close(); !status.ok()) return Differ("Close: " + status.ToString());
    database_.reset();
    return Open() && SameGraph();
  }

  bool Checkpoint() {
    script_ += ":checkpoint\n";
    const Status status = database_->Checkpoint().status();
    return status.ok() || Differ("Checkpoint: " + status.ToString());
  }

  bool OneStep(uint64_t i) {
    if (in_transaction_ ? generator_.OneIn(4) : generator_.OneIn(10)) {
      if (!(in_transaction_ ? EndTransaction() : BeginTransaction())) return false;
    }
    if (snapshot_ ? generator_.OneIn(12) : generator_.OneIn(15)) {
      if (!(snapshot_ ? EndSnapshot() : BeginSnapshot())) return false;
    }
    // Beside open transactions and snapshots too: they must not notice.
    if (on_disk_ && generator_.OneIn(8) && !Checkpoint()) return false;
    const bool growing = i < options_.statements / 5;
    if (snapshot_ && generator_.OneIn(4)) return Step(generator_.Query(), &snapshot_model_);
    const RandomStatement statement = growing || generator_.OneIn(3) ? generator_.Update(growing) : generator_.Query();
    if (statement.schema && in_transaction_) return true;   // schema and data don't share a transaction
    if (on_disk_ && !in_transaction_ && !snapshot_ && generator_.OneIn(15) && !Reopen()) return false;
    return Step(statement, nullptr);
  }

  // One statement on both sides; `snapshot`: on the reader's transaction and the model kept since it began.
  bool Step(const RandomStatement& statement, Model* snapshot) {
    script_ += (snapshot ? "(reader) " : "") + statement.text + ";";
    if (!statement.parameters.empty()) script_ += "   // " + ToText(Value(statement.parameters));
    script_ += "\n";
    if (options_.echo) std::printf("%s;\n", statement.text.c_str());
    Model* model = snapshot ? snapshot : &model_;
    const Model before = *model;
    Outcome expected = OnModel(model, statement);
    if (expected.status.code() == Code::kLimitExceeded) {
      *model = before;
      script_ += "// the last one was left out\n";
      return true;
    }
    refused_ += !expected.status.ok();
    rows_ += expected.rows.size();
    if (options_.model_only) {
      if (!expected.status.ok() && options_.echo) std::printf("   -> %s\n", expected.status.ToString().c_str());
      if (!expected.status.ok() && in_transaction_) EndDoomed();
      return true;
    }
    static constexpr uint32_t kBatches[] = {0, 1, 3, 64};
    const uint32_t batch_rows = kBatches[generator_.Below(4)];
    const bool optimize = !generator_.OneIn(4);
    Connection* connection = snapshot ? reader_.get() : connection_.get();
    Outcome got = OnEngine(connection, statement, batch_rows, optimize);
    how_ = "batches of " + std::to_string(batch_rows) + (optimize ? "\n" : ", not optimized\n") + PlanOf(connection, statement);
    if (expected.status.ok() != got.status.ok()) {
      return Differ("model: " + (expected.status.ok() ? "ok" : expected.status.ToString()) +
                    "\nengine: " + (got.status.ok() ? "ok" : got.status.ToString()));
    }
    if (!expected.status.ok()) {
      if (expected.status.code() != got.status.code()) {
        return Differ("other errors\nmodel: " + expected.status.ToString() + "\nengine: " + got.status.ToString());
      }
      return !in_transaction_ || snapshot || EndDoomed();
    }
    if (!statement.ordered) {
      std::sort(expected.rows.begin(), expected.rows.end());
      std::sort(got.rows.begin(), got.rows.end());
    }
    if (expected.rows != got.rows) return Differ("rows" + Lines("model", expected.rows) + Lines("engine", got.rows));
    if (!statement.writes) return true;
    if (CountersOf(expected.counters) != CountersOf(got.counters)) {
      return Differ("counters\nmodel: " + CountersOf(expected.counters) + "\nengine: " + CountersOf(got.counters));
    }
    return SameGraph();
  }

  static std::string PlanOf(Connection* connection, const RandomStatement& statement) {
    if (statement.text.starts_with("PROFILE") || connection->in_transaction()) return {};
    auto cursor = connection->Execute("EXPLAIN " + statement.text, statement.parameters);
    return cursor.ok() ? (*cursor)->summary().plan_text : std::string();
  }

  bool SameGraph() {
    for (const char* text : {"MATCH (n) RETURN n", "MATCH (a)-[r]->(b) RETURN a.k, r, b.k", "MATCH (n:A) RETURN n.k, n.a",
                             "MATCH (n:B) WHERE n.s = 'x' RETURN n.k"}) {
      Outcome expected = OnModel(&model_, {text, {}, false, false}), got = OnEngine(connection_.get(), {text, {}, false, false}, 0, true);
      std::sort(expected.rows.begin(), expected.rows.end());
      std::sort(got.rows.begin(), got.rows.end());
      if (got.status.ok() && expected.rows == got.rows) continue;
      return Differ("the graph after it, by " + std::string(text) + " " + got.status.ToString() + Lines("model", expected.rows) +
                    Lines("engine", got.rows));
    }
    return true;
  }

  bool BeginTransaction() {
    script_ += ":begin\n";
    in_transaction_ = true;
    model_.Begin();
    if (options_.model_only) return true;
    Status status = connection_->Begin();
    return status.ok() || Differ("Begin: " + status.ToString());
  }
  bool EndTransaction() {
    in_transaction_ = false;
    const bool commit = !generator_.OneIn(3);
    script_ += commit ? ":commit\n" : ":rollback\n";
    Status expected = Status::Ok();
    if (commit) {
      expected = model_.Commit();
    } else {
      model_.Rollback();
    }
    if (options_.model_only) return true;
    Status got = commit ? connection_->Commit().status() : connection_->Rollback();
    if (expected.code() != got.code()) return Differ("end of a transaction\nmodel: " + expected.ToString() + "\nengine: " + got.ToString());
    if (connection_->in_transaction()) (void)connection_->Rollback();
    return SameGraph();
  }
  // After an error inside a transaction only a rollback is taken.
  bool EndDoomed() {
    script_ += ":rollback\n";
    in_transaction_ = false;
    model_.Rollback();
    if (options_.model_only) return true;
    Status status = connection_->Rollback();
    return status.ok() ? SameGraph() : Differ("Rollback: " + status.ToString());
  }
  // The snapshot is taken by the reader's first statement at the latest; the model's is a copy without an open transaction.
  bool BeginSnapshot() {
    if (in_transaction_) return true;
    script_ += "(reader) :begin\n";
    snapshot_ = true;
    snapshot_model_ = model_;
    if (options_.model_only) return true;
    TransactionOptions read_only;
    read_only.read_only = true;
    Status status = reader_->Begin(read_only);
    if (!status.ok()) return Differ("Begin of a reader: " + status.ToString());
    return Step({"MATCH (n) RETURN count(*) AS c", {}, false, false}, &snapshot_model_);
  }
  bool EndSnapshot() {
    script_ += "(reader) :rollback\n";
    snapshot_ = false;
    if (options_.model_only) return true;
    Status status = reader_->Rollback();
    return status.ok() || Differ("Rollback of a reader: " + status.ToString());
  }

  static std::string Lines(const char* side, const std::vector<std::string>& rows) {
    constexpr size_t kLinesMax = 30;
    std::string out = "\n" + std::string(side) + ", " + std::to_string(rows.size()) + ":";
    for (size_t i = 0; i < rows.size() && i < kLinesMax; ++i) out += "\n  " + rows[i];
    return out;
  }
  bool Differ(const std::string& what) {
    std::printf("--- history %llu ---\n%s--- differs: %s\n", static_cast<unsigned long long>(seed_), script_.c_str(),
                (what + "\n" + how_).c_str());
    std::printf("seed=%llu rerun: test_random_statements --seed=%llu --histories=1\n", static_cast<unsigned long long>(seed_),
                static_cast<unsigned long long>(seed_));
    return false;
  }

  uint64_t seed_;
  const Options& options_;
  Generator generator_;
  Model model_, snapshot_model_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Connection> connection_, reader_;
  std::string path_;
  bool on_disk_ = false, in_transaction_ = false, snapshot_ = false;
  uint64_t refused_ = 0, rows_ = 0;
  std::string script_;
  std::string how_;      // the last statement ran: options and plan
};

int Main(const Options& options) {
  std::printf("seed=%llu rerun: ./dev test model.random --seed=%llu\n", static_cast<unsigned long long>(options.seed),
              static_cast<unsigned long long>(options.seed));
  uint64_t refused = 0, rows = 0, failed = 0;
  for (uint64_t i = 0; i < options.histories; ++i) {
    History history(options.seed + i, options);
    if (!history.Run()) ++failed;
    refused += history.refused();
    rows += history.rows();
    constexpr uint64_t kFailuresMax = 5;  // more say no more
    if (failed >= kFailuresMax) break;
  }
  std::printf("%llu histories of %llu statements: %llu rows, %llu statements refused by the model, %llu histories differ\n",
              static_cast<unsigned long long>(options.histories), static_cast<unsigned long long>(options.statements),
              static_cast<unsigned long long>(rows), static_cast<unsigned long long>(refused),
              static_cast<unsigned long long>(failed));
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace fornix::model

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a crash of the engine must not swallow what led to it
  fornix::model::Options options;
  options.seed = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) % 1'000'000'000;
  if (const char* seed = std::getenv("FORNIX_SEED")) options.seed = std::strtoull(seed, nullptr, 10);
  if (std::getenv("FORNIX_LONG")) options.histories = 2'000;
  for (int i = 1; i < argc; ++i) {
    auto number = [&](const char* name, uint64_t* to) {
      const size_t length = std::strlen(name);
      if (std::strncmp(argv[i], name, length) == 0) *to = std::strtoull(argv[i] + length, nullptr, 10);
    };
    number("--seed=", &options.seed);
    number("--histories=", &options.histories);
    number("--statements=", &options.statements);
    options.model_only |= std::strcmp(argv[i], "--model-only") == 0;
    options.echo |= std::strcmp(argv[i], "--echo") == 0;
  }
  return fornix::model::Main(options);
}

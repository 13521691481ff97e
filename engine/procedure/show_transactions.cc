// show.transactions and show.terminate: what SHOW TRANSACTIONS and TERMINATE TRANSACTIONS run on, over the database's registry of open
// transactions (engine/session/transaction_registry.h). Columns that only a server could fill (addresses, users, locks, pages) are empty, or
// null as in Neo4j where nothing counts them.
#include <algorithm>

#include "base/clock.h"
#include "base/value_format.h"
#include "engine/exec/context.h"
#include "engine/exec/expression.h"
#include "engine/procedure/procedure_catalog.h"
#include "engine/procedure/signature.h"
#include "engine/session/transaction_registry.h"

namespace fornix::engine {
namespace {

using Entry = TransactionRegistry::Shown;

Value TimeText(int64_t micros) {
  DateTime time;
  time.seconds = micros / 1000000;
  time.nanos = static_cast<int32_t>(micros % 1000000) * 1000;
  time.zone = "";
  return Value(FormatDateTime(time));
}

Value Since(uint64_t start_ns) {
  const uint64_t ns = MonotonicNanos() - start_ns;
  Duration duration{};
  duration.seconds = static_cast<int64_t>(ns / 1000000000);
  duration.nanos = static_cast<int32_t>(ns % 1000000000);
  return Value(duration);
}

// The names of transactions in `ids`: strings, and lists of them. Null names none.
Status Names(const Value& ids, std::string_view command, std::vector<std::string>* out) {
  if (ids.is_null()) return Status::Ok();
  if (ids.type() == Type::kList) {
    for (const Value& id : ids.AsList()) RETURN_IF_ERROR(Names(id, command, out));
    return Status::Ok();
  }
  if (ids.type() != Type::kString) {
    return Status(Code::kTypeError, std::string(command) + " TRANSACTIONS takes ids, each a STRING or a LIST<STRING>, not " + Shown(ids))
        .Detail("InvalidArgumentType");
  }
  bool here = false;
  uint64_t number = 0;
  if (!ParseTransactionName(ids.AsString(), &here, &number)) {
    return Status(Code::kArgumentError, "'" + ids.AsString() + "' is no id of a transaction; SHOW TRANSACTIONS shows them, neo4j-transaction-7 for example")
        .Detail("InvalidArgumentValue");
  }
  out->push_back(ids.AsString());
  return Status::Ok();
}

List RowOf(const Entry& t) {
  const bool runs = t.query != 0;
  const std::string connection = "connection-" + std::to_string(t.connection);
  const Value none, no_text(""), query_state = runs ? Value("running") : no_text;
  List row{Value("neo4j"), Value(TransactionName(t.number)), runs ? Value("query-" + std::to_string(t.query)) : no_text, Value(connection), no_text, no_text,
           Value(t.text), TimeText(t.started_micros), Value(t.terminated ? "Terminated" : "Running"), Since(t.started_ns),
           t.outer != 0 ? Value(TransactionName(t.outer)) : no_text, Value(Map()), Value(Map()), no_text, no_text, Value(List()),
           runs ? TimeText(t.query_micros) : no_text, Value("embedded"), none, query_state, no_text, Value(Map()), Value(0), none};
  for (int i = 0; i < 3; i++) row.push_back(none);                         // cpuTime, waitTime, idleTime
  row.push_back(runs ? Since(t.query_ns) : none);
  while (row.size() < 39) row.push_back(none);                             // what a server would count
  return row;
}

Result<std::vector<List>> Transactions(ExecutionContext& context, std::span<const Value> arguments) {
  std::vector<std::string> names;
  RETURN_IF_ERROR(Names(arguments[0], "SHOW", &names));
  std::vector<List> rows;
  if (context.options().registry == nullptr) return rows;
  for (const Entry& t : context.options().registry->All()) {
    const bool wanted = arguments[0].is_null() || std::find(names.begin(), names.end(), TransactionName(t.number)) != names.end();
    if (wanted) rows.push_back(RowOf(t));
  }
  return rows;
}

Result<std::vector<List>> Terminate(ExecutionContext& context, std::span<const Value> arguments) {
  std::vector<std::string> names;
  RETURN_IF_ERROR(Names(arguments[0], "TERMINATE", &names));
  std::vector<List> rows;
  for (const std::string& name : names) {
    bool here = false;
    uint64_t number = 0;
    const bool found = ParseTransactionName(name, &here, &number) && here && context.options().registry != nullptr &&
                       context.options().registry->Terminate(number);
    rows.push_back({Value(name), found ? Value("") : Value(), Value(found ? "Transaction terminated." : "Transaction not found.")});
  }
  return rows;
}

}  // namespace

void AddTransactionProcedures(ProcedureCatalog* catalog) {
  const auto any = [](const char* name, const char* type) { return Field(name, kAnyType, type); };
  const planner::ProcedureField ids = any("ids", "STRING | LIST<STRING>");
  catalog->AddBuiltin(
      Signature("show.transactions", {ids},
                {StringField("database"), StringField("transactionId"), StringField("currentQueryId"), StringField("connectionId"),
                 StringField("clientAddress"), StringField("username"), StringField("currentQuery"), StringField("startTime"), StringField("status"),
                 Field("elapsedTime", kDurationType, "DURATION"), StringField("outerTransactionId"), MapField("metaData"), MapField("parameters"),
                 StringField("planner"), StringField("runtime"), any("indexes", "LIST<MAP>"), StringField("currentQueryStartTime"),
                 StringField("protocol"), StringField("requestUri"), StringField("currentQueryStatus"), StringField("statusDetails"),
                 MapField("resourceInformation"), IntegerField("activeLockCount"), IntegerField("currentQueryActiveLockCount"),
                 any("cpuTime", "DURATION"), any("waitTime", "DURATION"), any("idleTime", "DURATION"), any("currentQueryElapsedTime", "DURATION"),
                 any("currentQueryCpuTime", "DURATION"), any("currentQueryWaitTime", "DURATION"), any("currentQueryIdleTime", "DURATION"),
                 IntegerField("currentQueryAllocatedBytes"), IntegerField("allocatedDirectBytes"), IntegerField("estimatedUsedHeapMemory"),
                 IntegerField("pageHits"), IntegerField("pageFaults"), IntegerField("currentQueryPageHits"), IntegerField("currentQueryPageFaults"),
                 StringField("initializationStackTrace")},
                "The open transactions, oldest first."),
      std::make_unique<RowsProcedure>(Transactions));
  planner::ProcedureSignature terminate = Signature(
      "show.terminate", {ids}, {StringField("transactionId"), StringField("username"), StringField("message")}, "End transactions by their ids.");
  terminate.at_once = true;
  catalog->AddBuiltin(std::move(terminate), std::make_unique<RowsProcedure>(Terminate));
}

}  // namespace fornix::engine

#include "tools/server/bolt/metadata.h"

#include <algorithm>
#include <charconv>

#include "base/error_table.h"

namespace fornix::bolt {
namespace {

Value Count(uint64_t n) { return Value(static_cast<int64_t>(n)); }

Map StatsOf(const Counters& c) {
  const std::pair<const char*, uint64_t> counts[] = {{"nodes-created", c.nodes_created},
                                                     {"nodes-deleted", c.nodes_deleted},
                                                     {"relationships-created", c.relationships_created},
                                                     {"relationships-deleted", c.relationships_deleted},
                                                     {"properties-set", c.properties_set},
                                                     {"labels-added", c.labels_added},
                                                     {"labels-removed", c.labels_removed},
                                                     {"indexes-added", c.indexes_added},
                                                     {"indexes-removed", c.indexes_removed},
                                                     {"constraints-added", c.constraints_added},
                                                     {"constraints-removed", c.constraints_removed}};
  Map stats;
  for (const auto& [name, count] : counts) {
    if (count != 0) stats.Set(name, Count(count));
  }
  if (c.contains_updates()) stats.Set("contains-updates", Value(true));
  return stats;
}

Map PlanOf(const PlanNode& node, bool profiled) {
  Map args{{"Details", Value(node.details)}, {"EstimatedRows", Value(node.estimated_rows)}};
  List children;
  for (const PlanNode& child : node.children) children.push_back(Value(PlanOf(child, profiled)));
  Map plan{{"operatorType", Value(node.op)}, {"identifiers", Value(List())}, {"children", Value(std::move(children))}};
  if (profiled) {
    args.Set("Rows", Count(node.rows));
    args.Set("DbHits", Count(node.db_hits));
    args.Set("Memory", Count(node.memory_bytes));
    if (node.distance_computations != 0) args.Set("DistanceComputations", Count(node.distance_computations));
    plan.Set("dbHits", Count(node.db_hits));
    plan.Set("rows", Count(node.rows));
    plan.Set("pageCacheHits", Count(0));
    plan.Set("pageCacheMisses", Count(0));
    plan.Set("pageCacheHitRatio", Value(0.0));
    plan.Set("time", Count(node.time_ns));
  }
  plan.Set("args", Value(std::move(args)));
  return plan;
}

struct Kind {
  std::string_view part;                     // of the notification's code
  const char* category;
};
constexpr Kind kKinds[] = {{"Deprecated", "DEPRECATION"}, {"Unknown", "UNRECOGNIZED"}, {"Cartesian", "PERFORMANCE"}, {"Exhaustive", "PERFORMANCE"},
                           {"Unbounded", "PERFORMANCE"}, {"Scan", "PERFORMANCE"}, {"Unsupported", "UNSUPPORTED"}, {"Hint", "HINT"}, {"Schema", "SCHEMA"}};

const char* CategoryOf(const Notification& n) {
  for (const Kind& kind : kKinds) {
    if (n.code.find(kind.part) != std::string::npos) return kind.category;
  }
  return "GENERIC";
}

bool Wanted(const Notification& n, const Filters& filters) {
  const std::string& severity = !filters.severity->empty() ? *filters.severity : *filters.connection_severity;
  if (severity == "OFF" || (severity == "WARNING" && n.severity != "WARNING")) return false;
  const std::vector<std::string>& disabled = !filters.disabled->empty() ? *filters.disabled : *filters.connection_disabled;
  return std::find(disabled.begin(), disabled.end(), CategoryOf(n)) == disabled.end();
}

Map PositionOf(const SourcePosition& p) { return Map{{"offset", Count(p.offset)}, {"line", Count(p.line)}, {"column", Count(p.column)}}; }

std::string PlaceText(const SourcePosition& at) {
  return " (line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + " (offset: " + std::to_string(at.offset) + "))";
}

Map Diagnostic() { return Map{{"OPERATION", Value("")}, {"OPERATION_CODE", Value("0")}, {"CURRENT_SCHEMA", Value("/")}}; }

Map StatusOf(const Notification& n) {
  Map record = Diagnostic();
  record.Set("_classification", Value(CategoryOf(n)));
  record.Set("_severity", Value(n.severity));
  if (n.position.line != 0) record.Set("_position", Value(PositionOf(n.position)));
  const bool warning = n.severity == "WARNING";
  return Map{{"gql_status", Value(warning ? "01N00" : "03N00")},
             {"status_description", Value((warning ? "warn: " : "info: ") + n.description)},
             {"neo4j_code", Value(n.code)},
             {"title", Value(n.title)},
             {"description", Value(n.description)},
             {"diagnostic_record", Value(std::move(record))}};
}

// How the statement as a whole ended.
Map OutcomeOf(const Summary& summary, bool no_columns) {
  const char* status = no_columns ? "00001" : summary.rows == 0 ? "02000" : "00000";
  const char* text = no_columns ? "note: successful completion - omitted result" : summary.rows == 0 ? "note: no data" : "note: successful completion";
  return Map{{"gql_status", Value(status)}, {"status_description", Value(text)}, {"diagnostic_record", Value(Diagnostic())}};
}

// What Bolt alone can refuse.
struct Own {
  std::string_view detail, neo4j_code, gql_status;
};
constexpr Own kOwn[] = {{"Unauthorized", "Neo.ClientError.Security.Unauthorized", "42NFF"},
                        {"DatabaseNotFound", "Neo.ClientError.Database.DatabaseNotFound", "22N51"},
                        {"InvalidBookmark", "Neo.ClientError.Transaction.InvalidBookmark", "08N06"}};

}  // namespace

Map SummaryMap(const Summary& summary, Version version, const Filters& filters, bool no_columns) {
  Map out{{"type", Value(QueryTypeName(summary.query_type))}};
  if (Map stats = StatsOf(summary.counters); !stats.empty()) out.Set("stats", Value(std::move(stats)));
  if (summary.plan) {
    out.Set(summary.profiled ? "profile" : "plan", Value(PlanOf(*summary.plan, summary.profiled)));
    out.Set("plan_text", Value(summary.plan_text));            // for our own shell
  }
  List notes;
  const bool statuses = version >= Version{5, 6};
  if (statuses) notes.push_back(Value(OutcomeOf(summary, no_columns)));
  for (const Notification& n : summary.notifications) {
    if (!Wanted(n, filters)) continue;
    if (statuses) {
      notes.push_back(Value(StatusOf(n)));
      continue;
    }
    Map note{{"code", Value(n.code)}, {"title", Value(n.title)}, {"description", Value(n.description)}, {"severity", Value(n.severity)}, {"category", Value(CategoryOf(n))}};
    if (n.position.line != 0) note.Set("position", Value(PositionOf(n.position)));
    notes.push_back(Value(std::move(note)));
  }
  if (!notes.empty()) out.Set(statuses ? "statuses" : "notifications", Value(std::move(notes)));
  return out;
}

Map FailureMap(const Status& status, Version version) {
  const ErrorNames names = NamesOf(status);
  std::string_view code = names.neo4j_code, gql = names.gql_status;
  for (const Own& own : kOwn) {
    if (own.detail == status.detail()) code = own.neo4j_code, gql = own.gql_status;
  }
  if (version < Version{5, 7}) return Map{{"code", Value(code)}, {"message", Value(status.message())}};
  const auto described = [&](std::string_view gql_status) {
    Map record = Diagnostic();
    record.Set("_classification", Value(code.find("ClientError") != std::string_view::npos      ? "CLIENT_ERROR"
                                        : code.find("TransientError") != std::string_view::npos ? "TRANSIENT_ERROR"
                                                                                                : "DATABASE_ERROR"));
    if (status.position().line != 0) record.Set("_position", Value(PositionOf(status.position())));
    record.Set("_fornix_code", Value(NamesOf(status.code()).name));
    record.Set("_detail", Value(status.detail()));
    record.Set("_compile_time", Value(status.compile_time()));
    return Map{{"message", Value(status.message())},
               {"gql_status", Value(gql_status)},
               {"description", Value("error: " + status.message().substr(0, status.message().find('\n')))},
               {"diagnostic_record", Value(std::move(record))}};
  };
  Map failure = described(gql);
  failure.Set("neo4j_code", Value(code));
  if (!names.gql_cause.empty()) failure.Set("cause", Value(described(names.gql_cause)));
  return failure;
}

Status WithText(const Status& status, std::string_view text) {
  const SourcePosition at = status.position();
  if (at.line == 0 || at.offset > text.size()) return status;
  // The message's first line says what is wrong; the text and a caret follow.
  std::string message = status.message();
  const std::string place = PlaceText(at);
  message.insert(std::min(message.find('\n'), message.size()), place);
  Status shown = Status(status.code(), std::move(message)).Detail(status.detail()).At(at);
  return status.compile_time() ? Status(std::move(shown).CompileTime()) : shown;
}

namespace {
constexpr std::string_view kBookmarkPrefix = "fornix:";
}  // namespace

std::string BookmarkOf(uint64_t commit) { return std::string(kBookmarkPrefix) + std::to_string(commit); }

bool IsBookmark(std::string_view text) {
  if (!text.starts_with(kBookmarkPrefix)) return false;
  text.remove_prefix(kBookmarkPrefix.size());
  uint64_t commit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), commit);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

uint64_t CommitOf(std::string_view bookmark) {
  uint64_t commit = 0;
  if (IsBookmark(bookmark)) std::from_chars(bookmark.data() + kBookmarkPrefix.size(), bookmark.data() + bookmark.size(), commit);
  return commit;
}

namespace {

const Value* At(const Map& map, std::string_view key, Type type) {
  const Value* v = map.Find(key);
  return v != nullptr && v->type() == type ? v : nullptr;
}
std::string TextAt(const Map& map, std::string_view key) {
  const Value* v = At(map, key, Type::kString);
  return v == nullptr ? "" : v->AsString();
}
uint64_t CountAt(const Map& map, std::string_view key) {
  const Value* v = At(map, key, Type::kInteger);
  return v == nullptr || v->AsInteger() < 0 ? 0 : static_cast<uint64_t>(v->AsInteger());
}
SourcePosition PositionAt(const Map& map, std::string_view key) {
  const Value* v = At(map, key, Type::kMap);
  if (v == nullptr) return {};
  const auto number = [&](std::string_view name) { return static_cast<uint32_t>(CountAt(v->AsMap(), name)); };
  return {number("line"), number("column"), number("offset")};
}

PlanNode PlanAt(const Map& map, int depth) {
  PlanNode node;
  node.op = TextAt(map, "operatorType");
  if (const Value* args = At(map, "args", Type::kMap)) {
    node.details = TextAt(args->AsMap(), "Details");
    node.memory_bytes = CountAt(args->AsMap(), "Memory");
    node.distance_computations = CountAt(args->AsMap(), "DistanceComputations");
    if (const Value* rows = At(args->AsMap(), "EstimatedRows", Type::kFloat)) node.estimated_rows = rows->AsFloat();
  }
  node.rows = CountAt(map, "rows");
  node.db_hits = CountAt(map, "dbHits");
  node.time_ns = CountAt(map, "time");
  const Value* children = At(map, "children", Type::kList);
  if (children == nullptr || depth > kNestingMax) return node;
  for (const Value& child : children->AsList()) {
    if (child.type() == Type::kMap) node.children.push_back(PlanAt(child.AsMap(), depth + 1));
  }
  return node;
}

Notification NotificationAt(const Map& map) {
  Notification n;
  n.code = TextAt(map, map.Find("neo4j_code") != nullptr ? "neo4j_code" : "code");
  n.title = TextAt(map, "title");
  n.description = TextAt(map, "description");
  n.severity = TextAt(map, "severity");
  n.position = PositionAt(map, "position");
  if (const Value* record = At(map, "diagnostic_record", Type::kMap)) {
    n.severity = TextAt(record->AsMap(), "_severity");
    n.position = PositionAt(record->AsMap(), "_position");
  }
  return n;
}

}  // namespace

Summary SummaryOf(const Map& metadata) {
  Summary summary;
  const std::string type = TextAt(metadata, "type");
  for (const QueryType known : {QueryType::kRead, QueryType::kReadWrite, QueryType::kWrite, QueryType::kSchema}) {
    if (QueryTypeName(known) == type) summary.query_type = known;
  }
  if (const Value* stats = At(metadata, "stats", Type::kMap)) {
    const auto count = [&](std::string_view name) { return CountAt(stats->AsMap(), name); };
    Counters& c = summary.counters;
    c.nodes_created = count("nodes-created"), c.nodes_deleted = count("nodes-deleted");
    c.relationships_created = count("relationships-created"), c.relationships_deleted = count("relationships-deleted");
    c.properties_set = count("properties-set"), c.labels_added = count("labels-added"), c.labels_removed = count("labels-removed");
    c.indexes_added = count("indexes-added"), c.indexes_removed = count("indexes-removed");
    c.constraints_added = count("constraints-added"), c.constraints_removed = count("constraints-removed");
  }
  for (const char* key : {"plan", "profile"}) {
    const Value* plan = At(metadata, key, Type::kMap);
    if (plan == nullptr) continue;
    summary.plan = std::make_shared<PlanNode>(PlanAt(plan->AsMap(), 0));
    summary.profiled = key == std::string_view("profile");
    summary.plan_text = TextAt(metadata, "plan_text");
  }
  for (const char* key : {"notifications", "statuses"}) {
    const Value* list = At(metadata, key, Type::kList);
    if (list == nullptr) continue;
    for (const Value& item : list->AsList()) {
      // A status without a code of a notification tells how the statement ended.
      if (item.type() == Type::kMap && (item.AsMap().Find("neo4j_code") != nullptr || item.AsMap().Find("code") != nullptr)) {
        summary.notifications.push_back(NotificationAt(item.AsMap()));
      }
    }
  }
  summary.commit = CommitOf(TextAt(metadata, "bookmark"));
  return summary;
}

Status StatusOfFailure(const Map& failure) {
  const std::string neo4j_code = TextAt(failure, failure.Find("neo4j_code") != nullptr ? "neo4j_code" : "code");
  const Value* record = At(failure, "diagnostic_record", Type::kMap);
  const std::string name = record == nullptr ? "" : TextAt(record->AsMap(), "_fornix_code");
  Code code = Code::kOk;
  for (int i = 1; i <= static_cast<int>(Code::kInternal) && code == Code::kOk; ++i) {
    const ErrorNames& names = NamesOf(static_cast<Code>(i));
    if (name.empty() ? names.neo4j_code == neo4j_code : names.name == name) code = static_cast<Code>(i);
  }
  std::string message = TextAt(failure, "message");
  if (code == Code::kOk) code = Code::kProcedureError, message = neo4j_code + ": " + message;   // another server's own
  if (record == nullptr) return Status(code, std::move(message));
  // Whoever shows the status says the place himself.
  const SourcePosition position = PositionAt(record->AsMap(), "_position");
  if (const size_t place = message.find(PlaceText(position)); place != std::string::npos) message.erase(place, PlaceText(position).size());
  Status status = Status(code, std::move(message)).Detail(TextAt(record->AsMap(), "_detail")).At(position);
  const Value* compile_time = At(record->AsMap(), "_compile_time", Type::kBoolean);
  return compile_time != nullptr && compile_time->AsBoolean() ? Status(std::move(status).CompileTime()) : status;
}

bool IsExplain(std::string_view text) {
  const auto word = [&](std::string_view wanted) {
    return text.size() > wanted.size() && std::equal(wanted.begin(), wanted.end(), text.begin(), [](char a, char b) { return a == (b & ~0x20); }) &&
           (static_cast<unsigned char>(text[wanted.size()]) <= ' ' || text[wanted.size()] == '/');
  };
  for (;;) {
    const size_t blank = text.find_first_not_of(" \t\r\n");
    if (blank == std::string_view::npos) return false;
    text.remove_prefix(blank);
    if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      const size_t end = text.find("*/", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    } else if (word("CYPHER")) {
      text.remove_prefix(6);
      const size_t version = text.find_first_not_of(" \t\r\n0123456789");
      text.remove_prefix(std::min(version, text.size()));
    } else {
      return word("EXPLAIN");
    }
  }
}

}  // namespace fornix::bolt

// Database: opening, closing, and the way from text to plan through the cache.
#include <malloc.h>

#include <algorithm>

#include "base/clock.h"
#include "base/limits.h"
#include "engine/api/database_impl.h"
#include "engine/api/guard.h"
#include "grammar/parse.h"

namespace fornix::engine {
namespace {

// A quarter of the budget leaves room for three more; of a small one it is half, up to 32 MiB, or a value of 16 MiB wouldn't pass.
uint64_t DefaultStatementBytes(uint64_t budget) {
  constexpr uint64_t kSmall = uint64_t{32} << 20;
  return std::max(budget / 4, std::min(budget / 2, kSmall));
}

// The C library gives each thread an arena, and each keeps what was freed in it: with a small budget that is more than the budget. One
// arena serves all from then on, in the whole process; where another allocator is linked in, nothing changes.
void ShareOneArena(uint64_t budget) {
  constexpr uint64_t kSmall = uint64_t{256} << 20;
#ifdef __GLIBC__
  if (budget <= kSmall) mallopt(M_ARENA_MAX, 1);
#endif
}

class DatabaseImpl : public Database {
 public:
  explicit DatabaseImpl(std::shared_ptr<DatabaseCore> core) : core_(std::move(core)) {}
  ~DatabaseImpl() override {
    // In a fork the store's threads aren't there to be ended, and its files are the parent's: it is left alone.
    if (core_->process != ProcessId()) {
      static_cast<void>(core_->reaper.release());
      static_cast<void>(core_->store.release());
    }
    if (core_->reaper) core_->reaper->Close();
    if (core_->store) (void)Guarded([&] { return core_->store->Close(); });
  }
  std::unique_ptr<Connection> Connect() override { return NewConnection(core_); }
  DatabaseCore& core() { return *core_; }
  Result<CheckpointSummary> Checkpoint() override {
    if (!core_->store) return Status(Code::kUsage, "the database is closed");
    ASSIGN_OR_RETURN(const storage::CheckpointReport report, Guarded([&] { return core_->store->Checkpoint(); }));
    return CheckpointSummary{report.bytes_written, static_cast<double>(report.nanos) / 1e9};
  }
  Status Close() override {
    if (!core_->store) return Status::Ok();
    RETURN_IF_ERROR(CheckProcess(core_->process));
    if (int open = core_->connections.load(); open > 0) {
      return Status(Code::kUsage, "the database can't close while " + std::to_string(open) + " connection(s) are open");
    }
    core_->reaper->Close();
    Status status = Guarded([&] { return core_->store->Close(); });
    core_->store.reset();
    core_->spill.reset();
    core_->plans.Clear();
    core_->shared_plans.Clear();
    return status;
  }

 private:
  std::shared_ptr<DatabaseCore> core_;
};

}  // namespace

DatabaseCore& CoreOf(Database& database) { return static_cast<DatabaseImpl&>(database).core(); }

Result<std::unique_ptr<Database>> OpenDatabase(FileSystem& files, const std::string& path, const DatabaseOptions& options,
                                               const planner::FunctionCatalog& catalog) {
  if (path.empty()) return Status(Code::kUsage, "a database needs a path; \":memory:\" keeps everything in memory");
  if (!options.create && path != ":memory:") {
    ASSIGN_OR_RETURN(FileKind kind, files.Kind(path));
    if (kind == FileKind::kNone) return Status(Code::kIoError, "there is no database at " + path);
  }
  auto core = std::make_shared<DatabaseCore>();
  core->options = options;
  core->budget = std::make_unique<MemoryBudget>(options.memory_bytes_max ? options.memory_bytes_max : DefaultMemoryBudget());
  const uint64_t limit = core->budget->limit();
  core->statement_memory_bytes_max = options.statement_memory_bytes_max ? std::min(options.statement_memory_bytes_max, limit) : DefaultStatementBytes(limit);
  core->catalog = &catalog;
  ShareOneArena(limit);
  storage::StoreOptions store_options;
  store_options.read_only = options.read_only;
  store_options.log_segment_bytes = options.log_segment_bytes;
  store_options.checkpoint_on_close = options.checkpoint_on_close;
  store_options.async = options.durability == Durability::kAsync;
  store_options.budget = core->budget.get();
  ASSIGN_OR_RETURN(core->store, Guarded([&] { return storage::Store::Open(files, path, store_options); }));
  const bool beside = path != ":memory:" && !options.read_only;
  core->spill = std::make_unique<SpillFolder>(files, beside ? path : "");
  // Left-overs that can't be removed take space and do no harm.
  if (beside) (void)core->spill->RemoveLeftOvers();
  return std::unique_ptr<Database>(std::make_unique<DatabaseImpl>(std::move(core)));
}

Status Planned::Moved(Status status, std::string_view text) const {
  if (status.ok() || spans.empty() || status.position().line == 0) return status;
  const SourcePosition position = grammar::MovePosition(status.position(), spans_planned, spans, text);
  Status moved = Status(status.code(), status.message()).At(position).Detail(status.detail());   // At keeps a place that is there
  return status.compile_time() ? std::move(moved).CompileTime() : moved;
}

Result<Planned> PlanText(DatabaseCore& core, std::string_view text, bool optimize, const storage::SchemaVersion* schema) {
  RETURN_IF_ERROR(CheckProcess(core.process));
  const storage::Statistics& statistics = core.store->statistics();
  std::shared_ptr<const storage::SchemaVersion> newest;
  if (schema == nullptr) {
    newest = core.store->schema();
    schema = newest.get();
  }
  const PlanKey key{schema->epoch, statistics.Epoch(), optimize};
  Planned out;
  if (const auto found = core.plans.Find(text, key)) {
    out.plan = found->plan;
    return out;
  }
  grammar::LiftedText lifted;
  if (optimize && text.size() <= kPlanCacheTextBytesMax) lifted = grammar::LiftLiterals(text);
  auto use_lifted = [&](const CachedPlan& cached) {
    out.plan = cached.plan;
    out.literals = std::move(lifted.values);
    out.spans = std::move(lifted.spans);
    out.spans_planned = cached.spans;
  };
  if (!lifted.values.empty()) {
    if (const auto found = core.shared_plans.Find(lifted.key, key)) {
      use_lifted(*found);
      return out;
    }
  }

  uint64_t start = MonotonicNanos();
  ASSIGN_OR_RETURN(auto statement, grammar::Parse(text));
  std::vector<uint32_t> offsets;
  for (const auto& span : lifted.spans) offsets.push_back(span.offset);
  planner::PlannerInput input;
  input.tokens = &core.store->tokens();
  input.schema = schema;
  input.statistics = &statistics;
  input.functions = core.catalog;
  input.optimize = optimize;
  input.use_indexes = core.use_indexes;
  if (!offsets.empty()) {
    input.lifted = &offsets;
    ASSIGN_OR_RETURN(out.plan, planner::Plan(std::move(statement), input));
    // Shared only if every literal became a parameter; a notification speaks of places in this text, and
    // EXPLAIN and PROFILE show it.
    const bool plain = out.plan->mode == ast::Statement::Mode::kNormal && out.plan->notifications.empty();
    if (plain && out.plan->literals.size() == offsets.size()) {
      CachedPlan cached{out.plan, lifted.spans};
      core.shared_plans.Insert(lifted.key, key, cached);
      use_lifted(cached);
      out.compile_ns = MonotonicNanos() - start;
      return out;
    }
    input.lifted = nullptr;
    ASSIGN_OR_RETURN(statement, grammar::Parse(text));
  }
  ASSIGN_OR_RETURN(out.plan, planner::Plan(std::move(statement), input));
  out.compile_ns = MonotonicNanos() - start;
  core.plans.Insert(text, key, {out.plan, {}});
  return out;
}

}  // namespace fornix::engine

namespace fornix {

Result<std::unique_ptr<Database>> Database::Open(const std::string& path, const DatabaseOptions& options) {
  return engine::OpenDatabase(PosixFileSystem(), path, options, engine::DefaultCatalog());
}

std::string_view Database::Version() { return "0.1.0"; }

}  // namespace fornix

// All interleavings of a small history, with a power cut at every operation of the disk, and a second cut at every
// operation of the recovery after it. The database is the smallest that has the commit protocol: a list of texts, made of the
// real log writer, log reader and root slots over the simulated disk; only the store above them is a toy.
//
// Actors, each a row of steps that the scheduler may interleave in any order:
//   writer        append (order decided, applied) | wait (group written, acknowledged, published)
//   asker         append | kick: acknowledged by its completion, nobody waits
//   checkpoint    snapshot | base file written and synced | root switched | old segments and base removed
//   close         log closed | new generation with the compacted list | root switched | old generation removed
//   reader        looks at what is published
//   fault         the next sync fails
// Invariants, at every cut:
//   the database opens; what it holds is a prefix of the commit order, each text whole;
//   every acknowledged commit and everything a reader has seen is in it;
//   a second recovery, after a cut inside the first, gives at least the same; after the first has ended, exactly the same;
//   the reopened database takes commits.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fault_file.h"
#include "storage/page/root_slots.h"
#include "tests/crash/model_check/exhaustive.h"
#include "wal/reader.h"
#include "wal/writer.h"

namespace fornix {
namespace {

const std::string kFile = "m.fornix";
const std::string kLog = "m.fornix-log";
constexpr uint64_t kSegment = 8 << 10;

wal::WriterOptions LogOptions() {
  wal::WriterOptions options;
  options.segment_bytes_first = options.segment_bytes_max = kSegment;
  options.background_thread = false;
  return options;
}

std::string BaseName(uint64_t number) { return "base-" + std::to_string(number); }

// The toy store: a list of texts = base file + log.
class Database : wal::LogApplier {
 public:
  explicit Database(FaultFileSystem& fs) : fs_(fs) {}

  Status Create() {
    uuid_.bytes.fill(std::byte{7});
    ASSIGN_OR_RETURN(log, wal::LogWriter::Create(fs_, kLog, uuid_, {}, LogOptions()));
    storage::Root root;
    root.uuid = uuid_;
    ASSIGN_OR_RETURN(slots, storage::RootSlots::Create(fs_, kFile, root));
    return Status::Ok();
  }

  Status Open() {
    ASSIGN_OR_RETURN(slots, storage::RootSlots::Open(fs_, kFile));
    const storage::Root& root = slots->root();
    uuid_ = root.uuid;
    if (root.next_node_id != 0) RETURN_IF_ERROR(ReadBase(BaseName(root.next_node_id)));
    wal::ReadOptions options;
    options.floor = root.log;
    options.known_end_lsn = root.clean_end_lsn;
    compacted_ = root.log.generation > 1;
    ASSIGN_OR_RETURN(wal::LogEnd end, wal::ReadLog(fs_, kLog, uuid_, options, *this));
    ASSIGN_OR_RETURN(log, wal::LogWriter::Continue(fs_, kLog, uuid_, std::move(end), LogOptions()));
    return Status::Ok();
  }

  Status WriteBase(uint64_t number, const std::vector<std::string>& list) {
    ByteWriter out;
    WriteList(list, &out);
    OpenOptions options;
    options.write = options.create = true;
    ASSIGN_OR_RETURN(const auto file, fs_.Open(BaseName(number), options));
    RETURN_IF_ERROR(file->WriteAt(0, out.bytes()));
    RETURN_IF_ERROR(file->Sync());
    return fs_.SyncDir(".");
  }

  static void WriteList(const std::vector<std::string>& list, ByteWriter* out) {
    out->Varint(list.size());
    for (const std::string& text : list) out->String(text);
  }

  const Uuid& uuid() const { return uuid_; }
  std::unique_ptr<storage::RootSlots> slots;
  std::unique_ptr<wal::LogWriter> log;
  std::vector<std::string> texts;

 private:
  Status ReadList(std::span<const std::byte> bytes, std::string_view source) {
    ByteReader in(bytes, source);
    ASSIGN_OR_RETURN(const uint32_t n, in.ReadCount(1));
    for (uint32_t i = 0; i < n; ++i) {
      ASSIGN_OR_RETURN(const auto text, in.ReadString());
      texts.emplace_back(text);
    }
    return in.ExpectEnd();
  }
  Status ReadBase(const std::string& path) {
    ASSIGN_OR_RETURN(const auto file, fs_.Open(path, {}));
    ASSIGN_OR_RETURN(const uint64_t size, file->Size());
    std::vector<std::byte> bytes(size);
    RETURN_IF_ERROR(file->ReadExactAt(0, bytes));
    return ReadList(bytes, path);
  }
  // In a compacted generation the first record is the whole list.
  Status Apply(Lsn, std::span<const std::byte> body) override {
    if (compacted_) {
      compacted_ = false;
      return ReadList(body, "compacted record");
    }
    texts.emplace_back(AsText(body));
    return Status::Ok();
  }

  FaultFileSystem& fs_;
  Uuid uuid_;
  bool compacted_ = false;
};

enum class Actor : uint8_t { kWriter, kAsker, kCheckpoint, kClose, kReader, kFault };
uint32_t StepsOf(Actor actor) {
  switch (actor) {
    case Actor::kWriter:
    case Actor::kAsker: return 2;
    case Actor::kCheckpoint:
    case Actor::kClose: return 4;
    default: return 1;
  }
}
const char* WordOf(Actor actor) {
  static constexpr const char* kWords[] = {"writer", "asker", "checkpoint", "close", "reader", "fault"};
  return kWords[static_cast<size_t>(actor)];
}

struct Model {
  const char* name;
  std::vector<Actor> actors;
  std::vector<size_t> text_bytes;  // of the writers' texts: 6,000 spans two segments
};

// Says what broke, and the way there.
std::string trail;
void Violation(const std::string& what) {
  std::fprintf(stderr, "model_check: %s\nhistory: %s\n", what.c_str(), trail.c_str());
  std::exit(1);
}
void Must(const Status& status, const char* where) {
  if (!status.ok()) Violation(std::string(where) + ": " + status.ToString());
}

// One history, step by step, in one thread.
class History {
 public:
  explicit History(const Model& model) : model_(model), next_step_(model.actors.size()), db_(fs) { Must(db_.Create(), "create"); }

  bool Enabled(size_t i) const {
    const uint32_t step = next_step_[i];
    if (step == StepsOf(model_.actors[i])) return false;
    switch (model_.actors[i]) {
      case Actor::kWriter:
      case Actor::kAsker: return !closing_ && (step > 0 || !broken_);
      case Actor::kClose: return !broken_ && (step > 0 || open_commits_ == 0);
      case Actor::kCheckpoint: return !closing_ && !broken_;
      default: return !closing_;
    }
  }

  void Step(size_t i) {
    const uint32_t step = next_step_[i]++;
    trail += std::string(" ") + WordOf(model_.actors[i]) + std::to_string(i) + "." + std::to_string(step);
    switch (model_.actors[i]) {
      case Actor::kWriter:
      case Actor::kAsker: CommitStep(i, step); break;
      case Actor::kCheckpoint: CheckpointStep(step); break;
      case Actor::kClose: CloseStep(step); break;
      case Actor::kReader: seen_.push_back({fs.op_count(), published_}); break;
      case Actor::kFault: fs.FailCall(0, Fault::kFailedSync, false); break;
    }
  }

  // How many commits any recovery of a disk cut at `op` must hold.
  size_t PromisedAt(uint64_t op) const {
    size_t n = 0;
    for (const auto& promises : {acknowledged_, seen_}) {
      for (const auto& [at, count] : promises) {
        if (at <= op) n = std::max(n, count);
      }
    }
    return n;
  }
  const std::vector<std::string>& order() const { return order_; }
  bool faulty() const { return fs.fault_hit(); }

  FaultFileSystem fs;

 private:
  void CommitStep(size_t i, uint32_t step) {
    if (step == 0) {
      auto entry = std::make_unique<wal::LogEntry>();
      const std::string text = std::to_string(i) + std::string(model_.text_bytes[i], static_cast<char>('a' + i));
      const auto bytes = AsBytes(text);
      entry->body.assign(bytes.begin(), bytes.end());
      const size_t count = order_.size() + 1;
      entry->done = [this, count](const Status& status) {
        --open_commits_;
        if (!status.ok()) {
          broken_ = true;
          return;
        }
        if (published_ + 1 != count) Violation("published out of order");
        published_ = count;
        acknowledged_.push_back({fs.op_count(), count});
      };
      const auto lsn = db_.log->Append(std::move(entry));
      Must(lsn.status(), "append");
      order_.push_back(text);
      lsn_[i % 8] = *lsn;
      ++open_commits_;
    } else if (model_.actors[i] == Actor::kWriter) {
      const Status status = db_.log->WaitDurable(lsn_[i % 8]);
      if (!status.ok() && !broken_) Violation("an error that no completion saw: " + status.ToString());
    } else {
      db_.log->Kick();
    }
  }

  void CheckpointStep(uint32_t step) {
    switch (step) {
      case 0:
        snapshot_.assign(order_.begin(), order_.begin() + static_cast<ptrdiff_t>(published_));
        break;
      case 1:
        if (!db_.WriteBase(1, snapshot_).ok()) broken_ = true;
        break;
      case 2: {
        storage::Root root = db_.slots->root();
        root.next_node_id = 1;
        root.log = db_.log->FloorFor(snapshot_.size() + 1);
        if (!db_.slots->Write(root).ok()) broken_ = true;
        break;
      }
      default: static_cast<void>(db_.log->RemoveBelow(db_.slots->root().log).ok()); break;
    }
  }

  void CloseStep(uint32_t step) {
    switch (step) {
      case 0:
        closing_ = true;
        Must(db_.log->Close(), "close");
        break;
      case 1: {
        // A checkpoint may have moved the beginning; LSNs go on.
        const Lsn lsn = order_.size() + 1;
        auto next = wal::LogWriter::Create(fs, kLog, db_.uuid(), {2, 1, lsn}, LogOptions());
        Must(next.status(), "new generation");
        db_.log = std::move(next).value();
        ByteWriter list;
        Database::WriteList(order_, &list);
        auto entry = std::make_unique<wal::LogEntry>();
        entry->body = list.Take();
        Must(db_.log->Append(std::move(entry)).status(), "append");
        Must(db_.log->Close(), "close");
        break;
      }
      case 2: {
        storage::Root root = db_.slots->root();
        root.next_node_id = 0;
        root.log = {2, 1, order_.size() + 1};
        root.clean_end_lsn = order_.size() + 1;
        Must(db_.slots->Write(root), "root");
        break;
      }
      default: Must(db_.log->RemoveOthers(), "remove the old generation"); break;
    }
  }

  const Model& model_;
  std::vector<uint32_t> next_step_;
  std::vector<std::string> order_;     // of the commits, as the sequencer decided
  Lsn lsn_[8] = {};
  size_t published_ = 0;
  int open_commits_ = 0;
  bool closing_ = false;
  bool broken_ = false;                // a write failed: the database takes no more commits
  std::vector<std::string> snapshot_;
  std::vector<std::pair<uint64_t, size_t>> acknowledged_, seen_;  // (operations, commits)
  Database db_;                        // last: its log completes what is queued when it goes
};

struct Counts {
  uint64_t histories = 0, images = 0, second_images = 0;
};

void CheckState(const Database& db, const std::vector<std::string>& order, size_t at_least) {
  if (db.texts.size() < at_least) {
    Violation("lost: " + std::to_string(db.texts.size()) + " commits of " + std::to_string(at_least) + " promised");
  }
  if (db.texts.size() > order.size() || !std::equal(db.texts.begin(), db.texts.end(), order.begin())) {
    Violation("half, foreign or reordered commits");
  }
}

// Recovers the disk, then cuts inside that recovery and recovers again.
void CheckDisk(FaultFileSystem& disk, const History& history, size_t promised, Counts* counts) {
  const uint64_t begin = disk.op_count();
  Database db(disk);
  Must(db.Open(), "open");
  CheckState(db, history.order(), promised);
  const uint64_t opened = disk.op_count();
  const std::string way = trail;
  for (uint64_t cut = begin; cut <= opened; ++cut) {
    const Damage damage = kAllDamage[(cut + counts->images) % 4];  // all four come about, each many times
    trail = way + ", second cut before " + disk.DescribeOp(cut) + " damage " + std::to_string(static_cast<int>(damage));
    auto image = disk.ImageAt(cut, damage, counts->second_images);
    Database again(*image);
    Must(again.Open(), "second open");
    CheckState(again, history.order(), cut == opened ? db.texts.size() : promised);
    if (cut == opened && again.texts.size() != db.texts.size()) Violation("recovered twice is not recovered once");
    ++counts->second_images;
  }
  trail = way + ", commit after recovery";
  auto entry = std::make_unique<wal::LogEntry>();
  entry->body.resize(10, std::byte{'z'});
  const auto lsn = db.log->Append(std::move(entry));
  Must(lsn.status(), "append after recovery");
  Must(db.log->WaitDurable(*lsn), "commit after recovery");
  auto image = disk.ImageAt(disk.op_count(), Damage::kDropUnsynced, 0);
  Database last(*image);
  Must(last.Open(), "last open");
  if (last.texts.size() != db.texts.size() + 1) Violation("the commit after a recovery is lost");
  trail = way;
}

void Check(const Model& model, Counts* counts) {
  Exhaustive all;
  while (all.Next()) {
    // Each prefix of each interleaving is a case of its own: cuts inside its last step.
    trail = std::string(model.name) + ":";
    History history(model);
    uint64_t before = history.fs.op_count();
    for (;;) {
      std::vector<size_t> enabled;
      for (size_t i = 0; i < model.actors.size(); ++i) {
        if (history.Enabled(i)) enabled.push_back(i);
      }
      const uint32_t choice = enabled.empty() ? 0 : all.Below(static_cast<uint32_t>(enabled.size()) + 1);
      if (choice == enabled.size() || enabled.empty()) break;
      before = history.fs.op_count();
      history.Step(enabled[choice]);
    }
    history.fs.StopFailing();
    ++counts->histories;
    const uint64_t after = history.fs.op_count();
    const std::string way = trail;
    // A cut before the step's first operation belongs to the step before, unless this one only promised something.
    for (uint64_t cut = before == after ? after : before + 1; cut <= after; ++cut) {
      for (const Damage damage : kAllDamage) {
        if (before == after && damage != kAllDamage[counts->histories % 4]) continue;
        trail = way + ", cut before " + history.fs.DescribeOp(cut) + " damage " + std::to_string(static_cast<int>(damage));
        auto image = history.fs.ImageAt(cut, damage, counts->images);
        ++counts->images;
        CheckDisk(*image, history, history.PromisedAt(cut), counts);
      }
    }
    // Killed and opened again on the running machine: the cache is whole, the disk is not.
    trail = way + ", process killed";
    if (history.faulty()) CheckDisk(history.fs, history, history.PromisedAt(after), counts);
  }
}

}  // namespace

int Main() {
  using A = Actor;
  const Model models[] = {
      {"two writers, checkpoint, reader", {A::kWriter, A::kWriter, A::kCheckpoint, A::kReader}, {50, 6000}},
      {"writer, asker, failing sync, reader", {A::kWriter, A::kAsker, A::kFault, A::kReader}, {6000, 6000}},
      {"two writers, compacting close, reader", {A::kWriter, A::kAsker, A::kClose, A::kReader}, {50, 6000}},
      {"writer, checkpoint, failing sync", {A::kWriter, A::kCheckpoint, A::kFault}, {6000}},
  };

  for (const Model& model : models) {
    Counts counts;
    Check(model, &counts);
    std::printf("model_check: %-40s %7llu prefixes, %8llu cuts, %9llu second cuts, 0 violations\n", model.name,
                static_cast<unsigned long long>(counts.histories), static_cast<unsigned long long>(counts.images),
                static_cast<unsigned long long>(counts.second_images));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace fornix

int main() { return fornix::Main(); }

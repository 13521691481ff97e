// Power cuts and failing calls over the log: everything acknowledged is recovered, what is recovered is a prefix in order,
// whatever was cut, damaged or failed, also during recovery. Images come from one recording (base/fault_file.h).
#include <catch2/catch.hpp>

#include "base/random.h"
#include "tests/unit/wal/log_harness.h"

namespace fornix::wal {
namespace {

// What was appended, in order, and at which operation each was acknowledged.
struct History {
  std::vector<std::string> appended;
  std::vector<uint64_t> acknowledged_at;  // op_count; parallel to the first acknowledged records

  size_t AcknowledgedBy(uint64_t cut) const {
    size_t n = 0;
    while (n < acknowledged_at.size() && acknowledged_at[n] <= cut) ++n;
    return n;
  }
};

// Appends groups of records of all sizes; stops at the first error.
void RunWorkload(FaultFileSystem& fs, LogWriter& log, Random& random, int groups, const std::string& prefix,
                 History* history) {
  for (int g = 0; g < groups; ++g) {
    Lsn last = 0;
    const uint64_t n = 1 + random.Below(4);
    for (uint64_t i = 0; i < n; ++i) {
      const size_t size = random.OneIn(15) ? random.Below(30000) : random.Below(700);
      const std::string text = prefix + std::to_string(history->appended.size()) + std::string(size, 'w');
      const auto lsn = log.Append(Entry(text));
      if (!lsn.ok()) return;
      history->appended.push_back(text);
      last = *lsn;
    }
    if (!log.WaitDurable(last).ok()) return;
    while (history->acknowledged_at.size() < history->appended.size()) {
      history->acknowledged_at.push_back(fs.op_count());
    }
  }
}

void CheckRecovered(const std::vector<std::string>& got, const History& history, size_t acknowledged) {
  REQUIRE(got.size() >= acknowledged);
  REQUIRE(got.size() <= history.appended.size());
  REQUIRE(std::equal(got.begin(), got.end(), history.appended.begin()));
}

constexpr uint64_t kSmall = 8 << 10;  // so that segments change often

TEST_CASE("a power cut at every operation, in every damage mode: acknowledged is recovered, in order") {
  uint64_t images = 0;
  for (const uint64_t seed : {101, 102, 103}) {
    FaultFileSystem fs;
    Random random(seed);
    History history;
    auto log = NewLog(fs, TestOptions(kSmall, 4 * kSmall));
    const uint64_t created = fs.op_count();
    RunWorkload(fs, *log, random, 60, "r", &history);
    REQUIRE(history.acknowledged_at.size() == history.appended.size());
    log.reset();
    for (uint64_t cut = created; cut <= fs.op_count(); ++cut) {
      for (const Damage damage : kAllDamage) {
        for (uint64_t draw = 0; draw < 2; ++draw) {
          const uint64_t image_seed = seed * 1000003 + cut * 7 + draw;
          INFO("seed=" << seed << " cut=" << cut << " before " << fs.DescribeOp(cut) << " damage="
                       << static_cast<int>(damage) << " image seed=" << image_seed);
          auto image = fs.ImageAt(cut, damage, image_seed);
          const Recovered got = Recover(*image);
          INFO(got.status.ToString());
          REQUIRE(got.status.ok());
          CheckRecovered(got.texts, history, history.AcknowledgedBy(cut));
          ++images;
        }
      }
    }
  }
  CHECK(images > 2000);
}

TEST_CASE("a second cut during recovery and after it loses nothing that either life acknowledged") {
  const uint64_t seed = 211;
  Random random(seed);
  uint64_t images = 0;
  for (int round = 0; round < 60; ++round) {
    FaultFileSystem fs;
    History history;
    auto log = NewLog(fs, TestOptions(kSmall, 2 * kSmall));
    const uint64_t created = fs.op_count();
    RunWorkload(fs, *log, random, 20, "a", &history);
    log.reset();
    const uint64_t cut = created + random.Below(fs.op_count() - created + 1);
    const Damage damage = kAllDamage[random.Below(4)];
    auto first = fs.ImageAt(cut, damage, random.Next());
    INFO("seed=" << seed << " round=" << round << " cut=" << cut << " before " << fs.DescribeOp(cut));
    // The second life: recovers, goes on, and is cut everywhere, the recovery included.
    Recovered got = Recover(*first);
    REQUIRE(got.status.ToString() == "ok");
    CheckRecovered(got.texts, history, history.AcknowledgedBy(cut));
    History second;
    second.appended = got.texts;
    second.acknowledged_at.assign(got.texts.size(), 0);  // once recovered, they stay
    const uint64_t recovered_count = got.texts.size();
    const size_t acknowledged_before = history.AcknowledgedBy(cut);
    auto next = LogWriter::Continue(*first, kDir, TestUuid(), std::move(got.end), TestOptions(kSmall, 2 * kSmall)).value();
    const uint64_t opened = first->op_count();
    RunWorkload(*first, *next, random, 6, "b", &second);
    next.reset();
    for (uint64_t cut2 = 0; cut2 <= first->op_count(); ++cut2) {
      auto image = first->ImageAt(cut2, kAllDamage[random.Below(4)], random.Next());
      INFO("second cut=" << cut2 << " before " << first->DescribeOp(cut2));
      got = Recover(*image);
      REQUIRE(got.status.ToString() == "ok");
      // Before Continue returned nothing of the first life's unacknowledged end was promised to anyone.
      CheckRecovered(got.texts, second, cut2 >= opened ? std::max<size_t>(second.AcknowledgedBy(cut2), recovered_count)
                                                       : acknowledged_before);
      // And a third life works.
      auto third = LogWriter::Continue(*image, kDir, TestUuid(), std::move(got.end), TestOptions(kSmall, 2 * kSmall));
      REQUIRE(third.ok());
      REQUIRE(Commit(**third, "third life").ok());
      REQUIRE(Recover(*image).texts.back() == "third life");
      ++images;
    }
  }
  CHECK(images > 1000);
}

TEST_CASE("every call fails, once and for ever, with every fault: an error or success, and the log stays readable") {
  uint64_t runs = 0;
  for (const Fault fault : {Fault::kIoError, Fault::kNoSpace, Fault::kShortWrite, Fault::kFailedSync}) {
    for (const bool for_ever : {false, true}) {
      for (uint64_t nth = 0;; ++nth) {
        INFO("fault=" << static_cast<int>(fault) << " nth=" << nth << " for ever=" << for_ever);
        FaultFileSystem fs;
        Random random(nth);
        History history;
        auto log = NewLog(fs, TestOptions(kSmall, 2 * kSmall));
        fs.FailCall(nth, fault, for_ever);
        RunWorkload(fs, *log, random, 8, "r", &history);
        const bool hit = fs.fault_hit();
        const size_t acknowledged = history.acknowledged_at.size();
        if (hit) {
          // A failure is never swallowed: the writer has stopped, and stays so when the disk is well again.
          REQUIRE(acknowledged < history.appended.size());
          fs.StopFailing();
          REQUIRE_FALSE(Commit(*log, "more").ok());
        }
        log.reset();
        fs.StopFailing();
        // Reopened on the same machine; then the power goes.
        Recovered got = Recover(fs);
        REQUIRE(got.status.ToString() == "ok");
        CheckRecovered(got.texts, history, acknowledged);
        const std::vector<std::string> before = got.texts;
        auto next = LogWriter::Continue(fs, kDir, TestUuid(), std::move(got.end), TestOptions(kSmall, 2 * kSmall));
        REQUIRE(next.ok());
        REQUIRE(Commit(**next, "next").ok());
        auto image = fs.ImageAt(fs.op_count(), kAllDamage[nth % 4], nth);
        got = Recover(*image);
        REQUIRE(got.status.ToString() == "ok");
        REQUIRE(got.texts.size() == before.size() + 1);
        REQUIRE(std::equal(before.begin(), before.end(), got.texts.begin()));
        ++runs;
        if (!hit) break;
      }
    }
  }
  CHECK(runs > 100);
}

TEST_CASE("a recovery that fails half way can be done again") {
  FaultFileSystem fs;
  Random random(5);
  History history;
  auto log = NewLog(fs, TestOptions(kSmall, 2 * kSmall));
  RunWorkload(fs, *log, random, 20, "r", &history);
  log.reset();
  for (const Fault fault : {Fault::kIoError, Fault::kNoSpace, Fault::kShortWrite, Fault::kFailedSync}) {
    for (uint64_t nth = 0;; ++nth) {
      auto disk = fs.Copy();
      disk->FailCall(nth, fault, false);
      Recovered got = Recover(*disk);
      Status status = got.status;
      std::unique_ptr<LogWriter> next;
      if (status.ok()) {
        auto made = LogWriter::Continue(*disk, kDir, TestUuid(), std::move(got.end), TestOptions(kSmall, 2 * kSmall));
        status = made.status();
        if (made.ok()) next = std::move(made).value();
      }
      const bool hit = disk->fault_hit();
      REQUIRE(status.ok() == !hit);
      next.reset();
      disk->StopFailing();
      got = Recover(*disk);
      REQUIRE(got.status.ToString() == "ok");
      REQUIRE(got.texts == history.appended);
      if (!hit) break;
    }
  }
}

TEST_CASE("cuts around the removal of old segments and their recycling lose nothing above the floor") {
  const uint64_t seed = 301;
  FaultFileSystem fs;
  Random random(seed);
  History history;
  auto log = NewLog(fs, TestOptions(kSmall, kSmall));
  const uint64_t created = fs.op_count();
  // (operations from which the floor may be relied on, floor)
  std::vector<std::pair<uint64_t, LogPosition>> floors{{created, LogPosition{}}};
  for (int round = 0; round < 6; ++round) {
    RunWorkload(fs, *log, random, 10, "r", &history);
    floors.emplace_back(fs.op_count(), log->FloorFor(log->next_lsn() - random.Below(3)));
    REQUIRE(log->RemoveBelow(floors.back().second).ok());
  }
  log.reset();
  for (uint64_t cut = created; cut <= fs.op_count(); ++cut) {
    for (const Damage damage : kAllDamage) {
      auto image = fs.ImageAt(cut, damage, cut + seed);
      ReadOptions options;
      for (const auto& [from, floor] : floors) {
        if (from <= cut) options.floor = floor;
      }
      INFO("seed=" << seed << " cut=" << cut << " before " << fs.DescribeOp(cut) << " damage=" << static_cast<int>(damage));
      Recovered got = Recover(*image, options);
      REQUIRE(got.status.ToString() == "ok");
      const size_t skipped = options.floor.lsn - 1;
      REQUIRE(got.texts.size() + skipped >= history.AcknowledgedBy(cut));
      REQUIRE(std::equal(got.texts.begin(), got.texts.end(), history.appended.begin() + static_cast<ptrdiff_t>(skipped)));
      auto next = LogWriter::Continue(*image, kDir, TestUuid(), std::move(got.end), TestOptions(kSmall, kSmall));
      REQUIRE(next.ok());
      REQUIRE(Commit(**next, "next").ok());
    }
  }
}

}  // namespace
}  // namespace fornix::wal

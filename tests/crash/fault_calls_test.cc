// F4: the N-th I/O call fails, for every N, once and for ever: EIO, ENOSPC, a short write, a failed sync.
//
// A workload runs until a step fails. Then, with the failure still on or gone by itself, the rest of it runs: each step succeeds or
// gives an error. Checked:
//   - a step that failed changed nothing that can be seen, and reads go on
//   - once the store has said that it takes no more commits, it takes none
//   - opened again on the disk as it is, and as a power cut would leave it, it holds what was acknowledged; of a step that failed,
//     all or nothing
// Counts: what fits into 20 seconds, spread over all N; with FORNIX_MANY every N; with FORNIX_LONG the image after it in twelve ways. FORNIX_SEED repeats a run.
#include <catch2/catch.hpp>
#include <ctime>
#include <set>

#include "base/random.h"
#include "tests/crash/workload.h"

namespace {

using namespace fornix;
using namespace fornix::crash;

constexpr const char* kFaultNames[] = {"EIO", "ENOSPC", "short write", "failed sync"};
constexpr Fault kFaults[] = {Fault::kIoError, Fault::kNoSpace, Fault::kShortWrite, Fault::kFailedSync};

struct Flat {                                   // the steps one by one
  const Step* step;
  int i;
};

std::vector<Flat> Flatten(const Workload& workload) {
  std::vector<Flat> flat;
  for (const Step& step : workload.steps) {
    if (step.text == std::string_view("WAIT")) continue;
    for (int i = 0; i < step.times; ++i) flat.push_back({&step, i});
  }
  return flat;
}

struct Case {
  Fault fault;
  uint64_t nth;
  bool for_ever;
};

bool TakesNoMore(const Status& status) { return status.message().find("takes no more commits") != std::string::npos; }

// What is wrong with the run, or nothing. `states`: of the run without faults, before each step and after the last.
// *hit: whether the fault came.
std::string RunWith(const Workload& workload, const std::vector<Flat>& flat, const std::vector<std::string>& states, const Case& c,
                    uint64_t image_seed, bool* hit) {
  FaultFileSystem disk;
  std::set<std::string> allowed;                // what may be found in the file
  std::string shown;                            // what the running database shows
  {
    Run run(disk, workload);
    disk.FailCall(c.nth, c.fault, c.for_ever);
    Status status = run.Open();
    size_t at = 0;
    while (status.ok() && at < flat.size()) {
      status = run.Do(*flat[at].step, flat[at].i);
      if (status.ok()) ++at;
    }
    *hit = disk.fault_hit();
    if (status.ok()) {
      allowed = {states.back()};
    } else {
      if (status.code() == Code::kInternal) return "step " + std::to_string(at) + ": " + status.ToString();
      // In doubt: before or after the step. In async mode, what came before, too.
      for (size_t i = workload.durability == Durability::kFull ? at : 0; i <= std::min(at + 1, flat.size()); ++i) allowed.insert(states[i]);
    }
    if (!status.ok() && run.is_open()) {
      disk.Pause(true);
      auto seen = run.Describe();
      disk.Pause(false);
      if (!seen.ok()) return "reads don't go on after " + status.ToString() + ": " + seen.status().ToString();
      shown = *seen;
      // In async mode a close that fails, and opens anew, has lost what was queued.
      const bool reopened = at < flat.size() && flat[at].step->text == std::string_view("CLOSE");
      const bool lost = workload.durability == Durability::kAsync && reopened;
      if (shown != states[at] && !(lost && allowed.contains(shown))) return "a failed step shows (" + status.ToString() + "):" + Difference(shown, states[at]);
      bool ended = TakesNoMore(status) && !reopened, changed = false, doubt = false;
      for (size_t next = at + 1; next < flat.size() && run.is_open(); ++next) {
        const std::string_view text = flat[next].step->text;
        if (text == "CLOSE" || text == "HOLD" || text == "LOOK" || text == "RELEASE") continue;   // Close comes below
        const Status later = run.Do(*flat[next].step, flat[next].i);
        if (later.code() == Code::kInternal) return later.ToString();
        doubt = doubt || (!ended && TakesNoMore(later));   // the commit that the failure ended may be on the disk
        ended = ended || TakesNoMore(later);
        if (!later.ok()) continue;
        disk.Pause(true);
        seen = run.Describe();
        disk.Pause(false);
        if (!seen.ok()) return "reads don't go on: " + seen.status().ToString();
        if (*seen == shown) continue;           // a statement that found nothing to write
        if (ended) return "a commit was taken after the store had said that it takes none: " + std::string(text);
        changed = true;
        shown = *seen;
        if (workload.durability == Durability::kFull) allowed.clear();
        allowed.insert(shown);
      }
      // A step that failed behind the last success may be found, all of it; which one can't be told from outside.
      if (doubt || (ended && changed)) allowed.insert("");
    }
    const Status closed = run.Close();
    *hit = *hit || disk.fault_hit();
    if (!closed.ok() && workload.durability == Durability::kAsync) allowed.insert(states.begin(), states.end());
  }
  disk.StopFailing();
  const bool any = allowed.contains("");
  for (const bool power_cut : {false, true}) {
    std::unique_ptr<FaultFileSystem> image = power_cut ? disk.ImageAt(disk.op_count(), kAllDamage[image_seed % 4], image_seed) : disk.Copy();
    Run run(*image, workload);
    const std::string where = power_cut ? "after a power cut " : "opened again ";
    if (Status opened = run.Open(); !opened.ok()) return where + "it doesn't open: " + opened.ToString();
    auto state = run.Describe();
    if (!state.ok()) return where + "it can't be read: " + state.status().ToString();
    if (state->find("DISAGREES") != std::string::npos) return where + *state;
    if (!any && !allowed.contains(*state)) return where + "it holds another state:" + Difference(*state, *allowed.rbegin());
    if (auto written = run.Query("CREATE (:AfterFault)"); !written.ok()) return where + "it takes no commit: " + written.status().ToString();
    if (Status closed = run.Close(); !closed.ok()) return where + "it doesn't close: " + closed.ToString();
  }
  return "";
}

}  // namespace

TEST_CASE("whichever call to the disk fails, once or for ever, a step succeeds or errs, the file stays valid and reads go on") {
  Random random(Seed("crash.faults"));
  const double seconds = LongRun() || ManyRuns() ? 1e9 : 20.0 / static_cast<double>(Workloads().size());   // of this processor, not of the day
  uint64_t runs = 0, hits = 0, failures = 0;
  for (const Workload& workload : Workloads()) {
    const std::vector<Flat> flat = Flatten(workload);
    std::vector<std::string> states;
    std::vector<Case> cases;
    {
      FaultFileSystem disk;
      Run run(disk, workload);
      REQUIRE(run.Open().ok());
      for (const Flat& f : flat) {
        states.push_back(run.Describe().value());
        REQUIRE(run.Do(*f.step, f.i).ok());
      }
      states.push_back(run.Describe().value());
      REQUIRE(run.Close().ok());
      for (const Fault fault : kFaults) {
        for (uint64_t nth = 0; nth < disk.call_count(fault); ++nth) {
          for (uint64_t image = 0; image < Counted(1, 1, 12); ++image) {
            cases.push_back({fault, nth, false});
            cases.push_back({fault, nth, true});
          }
        }
      }
    }
    for (size_t i = cases.size(); i > 1; --i) std::swap(cases[i - 1], cases[random.Below(i)]);
    const std::clock_t began = std::clock();
    size_t done = 0;
    for (const Case& c : cases) {
      if (static_cast<double>(std::clock() - began) > seconds * CLOCKS_PER_SEC || failures >= 5) break;
      const uint64_t image_seed = random.Next();
      bool hit = false;
      const std::string wrong = RunWith(workload, flat, states, c, image_seed, &hit);
      ++done;
      hits += hit;
      if (wrong.empty()) continue;
      ++failures;
      std::printf("F4 FAILED %s: %s at call %llu%s, image seed %llu: %s\n", workload.name, kFaultNames[static_cast<int>(c.fault)],
                  static_cast<unsigned long long>(c.nth), c.for_ever ? " and ever after" : "", static_cast<unsigned long long>(image_seed),
                  wrong.c_str());
    }
    runs += done;
    std::printf("F4 %s: %zu of %zu faults\n", workload.name, done, cases.size());
  }
  std::printf("F4: %llu runs with a failing call (%llu met it), %llu failures\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(hits), static_cast<unsigned long long>(failures));
  CHECK(failures == 0);
  CHECK(hits > runs / 2);
}

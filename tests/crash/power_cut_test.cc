// F1 and F2: the power goes at any write or sync boundary of a recorded run; what the machine then finds on its disk must open, hold
// every acknowledged commit, hold none by half, and have indexes that agree with the store. Every fourth time it goes again
// during that recovery.
//
// Each workload runs once on a simulated disk. After every acknowledged commit its state is written down. Then images of the
// disk are built at cut points spread over the whole run, in four damage modes, opened, compared, written to once more and
// opened again. With durability `async` a cut may take the last commits: the state must be one that was, and not older than
// the last time the log had come to rest.
// F11 is the same with vector indexes alone: what each has is asked for by searches for more than there is.
// Counts: 1,000 images in a sanitized build, 20,000 with FORNIX_MANY, 100,000 with FORNIX_LONG; of F11 60, 400, 2,000. FORNIX_SEED
// repeats a run.
#include <catch2/catch.hpp>

#include "base/random.h"
#include "tests/crash/workload.h"

namespace {

using namespace fornix;
using namespace fornix::crash;

struct Acknowledged {
  uint64_t op_count;       // of the disk when the commit was acknowledged
  std::string state;
  bool safe;               // durable from then on
};
using States = std::vector<Acknowledged>;

// Runs the workload and returns the state after every step, the empty one before the first included.
States Record(FaultFileSystem& disk, const Workload& workload) {
  States states;
  Run run(disk, workload);
  Status opened = run.Open();
  INFO(opened.ToString());
  REQUIRE(opened.ok());
  auto note = [&](bool safe) {
    const uint64_t ops = disk.op_count();
    Result<std::string> state = run.Describe();
    INFO(state.status().ToString());
    REQUIRE(state.ok());
    REQUIRE(state->find("DISAGREES") == std::string::npos);
    states.push_back({ops, *state, safe || workload.durability == Durability::kFull});
  };
  note(true);
  for (const Step& step : workload.steps) {
    for (int i = 0; i < step.times; ++i) {
      const Status status = run.Do(step, i);
      INFO(step.text << ": " << status.ToString());
      REQUIRE(status.ok());
      const bool rest = step.text == std::string_view("WAIT") || step.text == std::string_view("CLOSE");
      note(rest);
      if (rest) REQUIRE(states.back().state == states[states.size() - 2].state);
    }
  }
  REQUIRE(run.Close().ok());
  return states;
}

struct Counts {
  uint64_t images = 0, second_cuts = 0;
};

// Empty if the image is right, else what is wrong with it.
std::string CheckImage(FaultFileSystem& image, const Workload& workload, const States& states, uint64_t cut, Random* again, Counts* counts) {
  // Commits acknowledged before the cut must be there; the one that was running may be.
  size_t acknowledged = 0, safe = 0;
  for (size_t i = 1; i < states.size() && states[i].op_count <= cut; ++i) {
    acknowledged = i;
    if (states[i].safe) safe = i;
  }
  ++counts->images;
  size_t found = 0;
  uint64_t recovered = 0;
  {
    Run run(image, workload);
    if (Status opened = run.Open(); !opened.ok()) return "doesn't open: " + opened.ToString();
    recovered = image.op_count();
    Result<std::string> state = run.Describe();
    if (!state.ok()) return "can't be read: " + state.status().ToString();
    found = std::min(acknowledged + 1, states.size() - 1);
    while (found > safe && states[found].state != *state) --found;
    if (states[found].state != *state) {
      for (size_t i = 0; i < states.size(); ++i) {
        if (states[i].state == *state) {
          return "holds state " + std::to_string(i) + ", acknowledged was " + std::to_string(acknowledged) + ", safe " + std::to_string(safe);
        }
      }
      return "holds a state that never was (acknowledged: " + std::to_string(acknowledged) + "):" + Difference(*state, states[acknowledged].state);
    }
    // Life goes on: a commit, a close, an open.
    auto written = run.Query("CREATE (:AfterCut {n: 1})");
    if (!written.ok()) return "takes no commit: " + written.status().ToString();
    if (Status closed = run.Close(); !closed.ok()) return "doesn't close: " + closed.ToString();
    if (Status opened = run.Open(); !opened.ok()) return "doesn't open again: " + opened.ToString();
    auto removed = run.Query("MATCH (n:AfterCut) DELETE n RETURN count(*)");
    if (!removed.ok() || (*removed)[0][0] != Value(static_cast<int64_t>(1))) return "lost the commit after the cut";
    Result<std::string> after = run.Describe();
    if (!after.ok() || *after != states[found].state) return "changed after the second open";
    if (Status closed = run.Close(); !closed.ok()) return "doesn't close again: " + closed.ToString();
  }
  if (again == nullptr || again->Below(4) != 0) return "";
  // The same, but the power goes again before the first recovery has ended: it must come to the same state.
  ++counts->second_cuts;
  const uint64_t second = again->Below(recovered + 1);
  const auto damage = kAllDamage[again->Below(4)];
  auto cut_again = image.ImageAt(second, damage, again->Next());
  Run run(*cut_again, workload);
  const std::string where = "after a second cut before operation " + std::to_string(second) + " of its recovery (" + image.DescribeOp(second) + ") it ";
  if (Status opened = run.Open(); !opened.ok()) return where + "doesn't open: " + opened.ToString();
  Result<std::string> state = run.Describe();
  if (!state.ok()) return where + "can't be read: " + state.status().ToString();
  if (*state != states[found].state) return where + "holds another state:" + Difference(*state, states[found].state);
  if (Status closed = run.Close(); !closed.ok()) return where + "doesn't close: " + closed.ToString();
  if (Status opened = run.Open(); !opened.ok()) return where + "doesn't open again: " + opened.ToString();
  state = run.Describe();
  if (!state.ok() || *state != states[found].state) return where + "changes with the next open";
  return "";
}

// Cuts each workload's run at `images_all` places together. The number of images that are wrong.
uint64_t Cut(const char* test, const std::vector<Workload>& workloads, uint64_t images_all, Random& random, Counts* counts) {
  uint64_t failures = 0;
  for (const Workload& workload : workloads) {
    FaultFileSystem disk;
    const States states = Record(disk, workload);
    const uint64_t ops = disk.op_count(), images = images_all / workloads.size();
    const uint64_t first = random.Next();
    for (uint64_t i = 0; i < images && failures < 5; ++i) {
      // Every boundary in turn when there are fewer than images, else evenly spread ones, from a random start.
      const uint64_t cut = images >= ops ? (i + first) % (ops + 1) : (i * ops / images + random.Below(ops / images + 1)) % (ops + 1);
      const Damage damage = kAllDamage[random.Below(4)];
      const uint64_t image_seed = random.Next();
      auto image = disk.ImageAt(cut, damage, image_seed);
      const std::string wrong = CheckImage(*image, workload, states, cut, &random, counts);
      if (wrong.empty()) continue;
      ++failures;
      std::printf("%s FAILED %s: cut before op %llu of %llu (%s), damage %d, image seed %llu: %s\n", test, workload.name,
                  static_cast<unsigned long long>(cut), static_cast<unsigned long long>(ops), disk.DescribeOp(cut).c_str(),
                  static_cast<int>(damage), static_cast<unsigned long long>(image_seed), wrong.c_str());
    }
    std::printf("%s %s: %llu operations, %zu states\n", test, workload.name, static_cast<unsigned long long>(ops), states.size());
  }
  return failures;
}

}  // namespace

TEST_CASE("after a power cut at any write or sync boundary all acknowledged commits are there, whole, with their indexes") {
  Random random(Seed("crash"));
  Counts counts;
  const uint64_t failures = Cut("F1", Workloads(), Counted(1000, 20'000, 100'000), random, &counts);
  std::printf("F1: %llu power cuts, F2: %llu second cuts, %llu failures\n", static_cast<unsigned long long>(counts.images),
              static_cast<unsigned long long>(counts.second_cuts), static_cast<unsigned long long>(failures));
  CHECK(failures == 0);
}

TEST_CASE("after a power cut every vector index has the vectors of the store, each once, and no other") {
  Random random(Seed("crash"));
  Counts counts;
  const uint64_t failures = Cut("F11", {VectorWorkload()}, Counted(60, 400, 2000), random, &counts);
  std::printf("F11: %llu power cuts, %llu second cuts, %llu failures\n", static_cast<unsigned long long>(counts.images),
              static_cast<unsigned long long>(counts.second_cuts), static_cast<unsigned long long>(failures));
  CHECK(failures == 0);
}

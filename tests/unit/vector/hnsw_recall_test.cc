// Recall on real data: Fashion-MNIST's 10,000 images of 784 pixels, 9,500 stored, 500 asked for, one in a
// hundred deleted. Looks for the set below $FORNIX_SHARED (default ../shared from the current directory or
// the one above); its absence is said aloud, and fails when CI=true.
#include <cstring>

#include "tests/unit/vector/vector_test_util.h"

namespace fornix::vector {
namespace {

constexpr uint32_t kImages = 10000;
constexpr uint32_t kPixels = 784;
constexpr uint32_t kStored = 9500;

std::string ImagesPath() {
  const char* shared = std::getenv("FORNIX_SHARED");
  const std::vector<std::string> roots = shared != nullptr
                                             ? std::vector<std::string>{shared}
                                             : std::vector<std::string>{"../shared", "../../shared"};
  for (const std::string& root : roots) {
    std::string path = root + "/data/vectors-fashion-mnist-10k/t10k-images-idx3-ubyte.gz";
    if (std::filesystem::exists(path)) return path;
  }
  return "";
}

// IDX: a header of 16 bytes, then a byte a pixel.
bool LoadImages(const std::string& path, Dataset* data) {
  FILE* pipe = popen(("gzip -dc '" + path + "'").c_str(), "r");
  if (pipe == nullptr) return false;
  std::vector<unsigned char> bytes(16 + size_t{kImages} * kPixels);
  const size_t read = std::fread(bytes.data(), 1, bytes.size(), pipe);
  if (pclose(pipe) != 0 || read != bytes.size()) return false;
  data->dimensions = kPixels;
  data->values.assign(bytes.begin() + 16, bytes.end());
  return true;
}

}  // namespace

TEST_CASE(
    "recall@10 on Fashion-MNIST is at least 0.98 with at most 2,000 distances a query at the defaults") {
  const std::string path = ImagesPath();
  if (path.empty()) {
    std::printf(
        "SKIPPED: vectors-fashion-mnist-10k not found; set FORNIX_SHARED to the folder that holds data/\n");
    const char* ci = std::getenv("CI");
    CHECK((ci == nullptr || std::strcmp(ci, "true") != 0));
    return;
  }
  Dataset data;
  REQUIRE(LoadImages(path, &data));
  const auto visible = [](uint32_t slot) { return slot % 100 != 7; };
  for (Metric metric : {Metric::kEuclidean, Metric::kCosine}) {
    auto index = Build(data, {.metric = metric}, kStored);
    const Measured measured = Measure(*index, data, kStored, kImages, visible);
    const GraphReport report = index->CheckGraph();
    std::printf(
        "fashion-mnist %s: recall@10 %.4f (worst query %.1f), %.0f distances, %.0f hops, %u of %u "
        "reachable\n",
        std::string(MetricName(metric)).c_str(), measured.recall, measured.recall_min, measured.distances,
        measured.hops, report.reachable, report.linked);
    CHECK(measured.recall >= 0.98);
    CHECK(measured.distances <= 2000);
    CHECK(report.reachable == kStored);
  }
}

}  // namespace fornix::vector

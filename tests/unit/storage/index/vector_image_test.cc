// The image of a vector index as extents: written while others link, again only where it changed, and read with every number judged.
#include "storage/index/vector_image.h"

#include <set>
#include <thread>

#include "base/fault_file.h"
#include "base/random.h"
#include "tests/unit/storage/fixture.h"

namespace fornix::storage {
namespace {

using vector::Hnsw;
using vector::Quantization;

constexpr IndexId kIndex{7};
constexpr uint32_t kDimensions = 12;

std::vector<float> RandomVector(Random& random) {
  std::vector<float> v;
  for (uint32_t i = 0; i < kDimensions; ++i) v.push_back(static_cast<float>(random.Unit() * 2 - 1));
  return v;
}

// A data file without a database around it.
struct ImageFile {
  FaultFileSystem files;
  std::unique_ptr<ExtentFile> extents;
  uint64_t seq = 0;
  ImageFile() {
    OpenOptions options;
    options.write = options.create = true;
    extents = ExtentFile::New(Must(files.Open("x.fornix", options)));
  }
  void Begin() {
    ++seq;
    Must(extents->BeginWriting(seq, seq));
  }
  void Commit() {
    Must(extents->FinishWriting().status());
    extents->Committed();
  }
};

// An index of which slot i is element 10 i, but those in `dead`.
struct Built {
  std::unique_ptr<Hnsw> graph;
  std::set<uint32_t> dead;
  vector::SearchScratch scratch;
  explicit Built(vector::HnswOptions options = {}) {
    options.dimensions = kDimensions;
    graph = std::move(Hnsw::Create(options)).value();
  }
  void Add(Random& random, uint32_t count, bool link = true) {
    for (uint32_t i = 0; i < count; ++i) {
      // Every fifth is equal to others.
      std::vector<float> v = RandomVector(random);
      if (random.Below(5) == 0) v.assign(kDimensions, 0.5f + static_cast<float>(random.Below(3)));
      REQUIRE(graph->Store(graph->size(), v).ok());
    }
    while (link && graph->LinkNext(&scratch)) {
    }
  }
  VectorImage::Source Source(bool closing = false) {
    VectorImage::Source source;
    source.graph = graph.get();
    source.timestamp = 5;
    source.complete = true;
    source.rows = graph->size();
    source.live = [this](uint32_t slot, uint64_t* id) {
      *id = uint64_t{slot} * 10;
      return !dead.contains(slot);
    };
    source.closing = closing;
    return source;
  }
};

ExtentRef Save(ImageFile& file, VectorImage& image, const VectorImage::Source& source) {
  file.Begin();
  const ExtentRef first = Must(image.Write(file.extents.get(), source));
  file.Commit();
  image.Committed();
  return first;
}

VectorDirectory Directory(ImageFile& file, const ExtentRef& first) {
  std::vector<ExtentRef> links;
  return Must(ReadVectorDirectory(*file.extents, kIndex, first, &links));
}
LoadedVectors Load(ImageFile& file, const ExtentRef& first) { return Must(LoadVectors(*file.extents, kIndex, Directory(file, first), {})); }

std::vector<vector::Hit> Find(const Hnsw& graph, std::span<const float> query, vector::SearchScratch* scratch) {
  vector::SearchRequest request;
  request.query = query;
  request.k = 10;
  const auto hits = Must(graph.Search(request, scratch));
  return {hits.begin(), hits.end()};
}

void SameAnswers(const Hnsw& a, const Hnsw& b, Random& random) {
  vector::SearchScratch scratch;
  for (int i = 0; i < 20; ++i) {
    const std::vector<float> query = RandomVector(random);
    CHECK(Find(a, query, &scratch) == Find(b, query, &scratch));
  }
}

}  // namespace

TEST_CASE("an image that is loaded answers as the index did, for every quantization, with nothing linked again") {
  for (Quantization quantization : {Quantization::kNone, Quantization::kHalf, Quantization::kByte, Quantization::kRabitq4, Quantization::kRabitq8}) {
    Random random(3);
    ImageFile file;
    vector::HnswOptions options;
    options.quantization = quantization;
    if (quantization != Quantization::kNone) options.centre.assign(kDimensions, 0.125f);
    Built built(options);
    built.Add(random, 6000);
    built.dead = {3, 4096, 5999};
    VectorImage image(kIndex);
    const ExtentRef first = Save(file, image, built.Source());
    const LoadedVectors loaded = Load(file, first);
    REQUIRE(loaded.graph != nullptr);
    CHECK(loaded.graph->linked_watermark() == 6000);
    CHECK(loaded.graph->options().quantization == quantization);
    CHECK(loaded.graph->options().centre == options.centre);
    REQUIRE(loaded.ids.size() == 6000);
    for (uint32_t slot = 0; slot < 6000; ++slot) {
      CHECK(loaded.live[slot] == !built.dead.contains(slot));
      CHECK(loaded.ids[slot] == (loaded.live[slot] ? uint64_t{slot} * 10 : 0));
    }
    SameAnswers(*built.graph, *loaded.graph, random);
  }
}

TEST_CASE("what hasn't changed keeps its extents, and an image of which nothing did is the same") {
  Random random(4);
  ImageFile file;
  Built built;
  built.Add(random, 30'000);
  VectorImage image(kIndex);
  const ExtentRef first = Save(file, image, built.Source());
  const uint64_t all = image.extents_written();
  CHECK(Save(file, image, built.Source()) == first);
  CHECK(image.extents_written() == 0);
  CHECK(Save(file, image, built.Source(/*closing=*/true)) == first);

  built.dead = {17};
  const ExtentRef changed = Save(file, image, built.Source());
  CHECK(changed != first);
  CHECK(image.extents_written() == 2);                          // one table of elements, and the directory
  CHECK_FALSE(Load(file, changed).live[17]);

  // A few more: codes and tables at the end, and no links until there are enough of them, or it is closed.
  built.Add(random, 100);
  const ExtentRef lagging = Save(file, image, built.Source());
  CHECK_FALSE(image.wrote_links());
  CHECK(image.extents_written() <= 5);
  LoadedVectors loaded = Load(file, lagging);
  CHECK(loaded.graph->size() == 30'100);
  CHECK(loaded.graph->linked_watermark() == 30'000);
  vector::SearchScratch scratch;
  while (loaded.graph->LinkNext(&scratch)) {
  }
  CHECK(loaded.graph->CheckGraph().reachable == 30'100);
  const ExtentRef closed = Save(file, image, built.Source(/*closing=*/true));
  CHECK(image.wrote_links());
  CHECK(image.extents_written() < all);
  loaded = Load(file, closed);
  CHECK(loaded.graph->linked_watermark() == 30'100);
  SameAnswers(*built.graph, *loaded.graph, random);
  built.Add(random, 4096);
  Save(file, image, built.Source());
  CHECK(image.wrote_links());
}

TEST_CASE("a checkpoint that is given up loses no change") {
  Random random(5);
  ImageFile file;
  Built built;
  built.Add(random, 5000);
  VectorImage image(kIndex);
  Save(file, image, built.Source());
  built.Add(random, 300);
  for (int attempt = 0; attempt < 2; ++attempt) {               // each takes the dirty flags
    file.Begin();
    Must(image.Write(file.extents.get(), built.Source(/*closing=*/true)).status());
    file.extents->Abandon();
    image.Abandoned();
  }
  const ExtentRef first = Save(file, image, built.Source(/*closing=*/true));
  const LoadedVectors loaded = Load(file, first);
  CHECK(loaded.graph->linked_watermark() == 5300);
  SameAnswers(*built.graph, *loaded.graph, random);
  // What was loaded goes on as what was written.
  std::vector<ExtentRef> links;
  VectorDirectory directory = Must(ReadVectorDirectory(*file.extents, kIndex, first, &links));
  VectorImage again(kIndex, first, links, std::move(directory), loaded);
  VectorImage::Source source = built.Source();
  source.graph = loaded.graph.get();
  CHECK(Save(file, again, source) == first);
}

TEST_CASE("images that are written while two threads link and one stores can all be loaded, and lose nothing") {
  Random random(11);
  ImageFile file;
  Built built;
  built.Add(random, 1000);
  std::atomic<bool> stop{false};
  std::thread storer([&] {
    Random own(12);
    for (uint32_t i = 0; i < 6000; ++i) {
      std::vector<float> v = RandomVector(own);
      if (own.Below(3) == 0) v.assign(kDimensions, 0.5f + static_cast<float>(own.Below(2)));
      if (!built.graph->Store(built.graph->size(), v).ok()) std::abort();
    }
    stop = true;
  });
  std::vector<std::thread> linkers;
  for (int i = 0; i < 2; ++i) {
    linkers.emplace_back([&] {
      vector::SearchScratch scratch;
      while (built.graph->LinkNext(&scratch) || !stop) {
      }
    });
  }
  VectorImage image(kIndex);
  for (bool last = false; !last;) {
    last = stop;
    VectorImage::Source source = built.Source(/*closing=*/true);
    const ExtentRef first = Save(file, image, source);
    LoadedVectors loaded = Load(file, first);
    if (loaded.graph == nullptr) continue;
    const uint32_t slots = loaded.graph->size();
    CHECK(slots >= source.rows);
    vector::SearchScratch scratch;
    while (loaded.graph->LinkNext(&scratch)) {
    }
    const vector::GraphReport report = loaded.graph->CheckGraph();
    CHECK(report.bad_links == 0);
    CHECK(report.reachable >= slots - slots / 1000);            // linkers that race may strand one
    // What was linked again can be written and loaded.
    ImageFile other;
    VectorImage copy(kIndex);
    source.graph = loaded.graph.get();
    source.rows = slots;
    Load(other, Save(other, copy, source));
  }
  for (std::thread& linker : linkers) linker.join();
  storer.join();
  const ExtentRef first = Save(file, image, built.Source(/*closing=*/true));
  const LoadedVectors loaded = Load(file, first);
  CHECK(loaded.graph->linked_watermark() == 7000);
  SameAnswers(*built.graph, *loaded.graph, random);
}

TEST_CASE("an index without vectors has an image too") {
  ImageFile file;
  VectorImage image(kIndex);
  VectorImage::Source source;
  source.timestamp = 9;
  source.complete = true;
  const ExtentRef first = Save(file, image, source);
  const VectorDirectory directory = Directory(file, first);
  CHECK(directory.timestamp == 9);
  CHECK(directory.complete);
  CHECK(Must(LoadVectors(*file.extents, kIndex, directory, {})).graph == nullptr);
}

TEST_CASE("all extents of an image are freed with it, and loading can be stopped") {
  Random random(6);
  ImageFile file;
  Built built;
  built.Add(random, 3000);
  VectorImage image(kIndex);
  const ExtentRef first = Save(file, image, built.Source());
  int calls = 0;
  const auto stopped = LoadVectors(*file.extents, kIndex, Directory(file, first), [&](double) {
    return ++calls == 3 ? Status(Code::kCancelled, "enough") : Status::Ok();
  });
  CHECK(stopped.status().code() == Code::kCancelled);
  file.Begin();
  FreeVectorImage(file.extents.get(), kIndex, first);
  file.Commit();
  file.Begin();
  file.Commit();
  uint64_t used = file.extents->file_pages() - 2 - file.extents->free_pages();
  for (const ExtentRef& ref : Must(file.extents->FreeMapExtents())) used -= ref.pages;
  CHECK(used <= 2);                                             // the free map before
}

}  // namespace fornix::storage

// VectorLoad: reads the images of vector indexes in the background, so that opening doesn't wait for them.
//
// One index after the other, those that are `loading` (vector_index.h). When its rows are in, what commits brought meanwhile is put behind
// them, and the linker goes on where the image ends. An index whose image is damaged finds nothing, and says why; the others aren't touched.
// Threads: Start once, or again after Stop; Stop from any but the loader's own.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <thread>

#include "storage/graph/base.h"
#include "storage/page/extent_file.h"
#include "storage/schema_state.h"

namespace fornix::storage {

struct StoreState;

// What an opening loads from. `base` keeps the extents readable, where it isn't null.
struct ImagesToLoad {
  const ExtentFile* file = nullptr;
  std::map<uint32_t, ExtentRef> directories;   // by the number of the index
  std::shared_ptr<const Base> base;
  // Whether a failed read is the image's fault; another process may have written over what we read. Empty: it is.
  std::function<bool()> in_place;
  std::function<void(const std::atomic<bool>& stop)> ended;   // by the loader's thread, at its end; may be empty
};

class VectorLoad {
 public:
  ~VectorLoad() { Stop(); }
  // In a thread, or before it returns.
  void Start(StoreState* store, std::shared_ptr<const SchemaState> schema, ImagesToLoad images, bool background);
  // What isn't loaded by then is given up: such an index is scanned.
  void Stop();
  bool running() const { return running_.load(std::memory_order_acquire); }

 private:
  void LoadAll(const SchemaState& schema);
  void LoadOne(const VectorBinding& binding);
  Status Read(const VectorBinding& binding);

  StoreState* store_ = nullptr;
  ImagesToLoad images_;
  std::atomic<bool> stop_{false}, running_{false};
  std::thread thread_;
};

}  // namespace fornix::storage

// VectorImages: the checkpoint's part that concerns vector indexes: which image belongs to the new root, and what goes with the old one.
//
//   AwaitLoads   before the freeze: an index whose rows are still being read can't be written. At a closing it needn't be, if nothing has
//                come for it: the image that the file has is that of now
//   Capture      in the freeze's callback: how many rows each index has, and whether they are all
//   Write        the images, and frees those of indexes that are gone, that are others now, or that couldn't be read: the next opening fills
//                an index that has none from its elements
// Until Committed no index retires a slot that the frozen state sees: it would be freed, and the image would miss it.
// Threads: one, the checkpoint's.
#pragma once

#include <map>
#include <vector>

#include "storage/index/vector_image.h"
#include "storage/index/vector_index.h"
#include "storage/page/extent_file.h"
#include "storage/schema_state.h"
#include "storage/txn/sequencer.h"

namespace fornix::storage {

class VectorImages {
 public:
  // Throws Interruption.
  static void AwaitLoads(const SchemaState& schema, std::mutex* sequencer, bool closing);
  // Whether an index has come so far beyond its image that a checkpoint is worth while, though nothing was committed: it was filled, or linked.
  static bool Behind(const SchemaState& schema);
  // REQUIRES: the sequencer's mutex; `ts` is the frozen generation's.
  void Capture(const SchemaState& schema, Timestamp ts);
  // Of what was captured; `newest`: what was dropped since gets none. *directories is that of the root before, and becomes that of the new one.
  Status Write(ExtentFile* file, const SchemaState& newest, bool closing, std::map<uint32_t, ExtentRef>* directories);
  void Committed();
  void Abandoned();

 private:
  struct Captured {
    IndexId id;
    std::shared_ptr<VectorIndex> index;
    uint32_t rows;
    bool complete;
    bool keep;                                 // what the file has
  };
  Status WriteOne(ExtentFile* file, const Captured& one, bool closing, ExtentRef* directory);

  Timestamp timestamp_ = 0;
  std::vector<Captured> captured_;
  std::vector<std::pair<std::shared_ptr<VectorIndex>, std::unique_ptr<VectorImage>>> fresh_;   // of indexes that had none, until it is durable
};

}  // namespace fornix::storage

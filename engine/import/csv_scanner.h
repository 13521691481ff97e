// CsvScanner: finds rows and fields in the bytes of a batch; the inner loop of csv_reader.h.
#pragma once

#include "engine/import/csv_reader.h"

namespace fornix::engine {

class CsvScanner {
 public:
  explicit CsvScanner(const CsvFormat& format) : format_(format) {}
  struct Outcome {
    size_t consumed = 0;                       // bytes of whole rows
    uint64_t lines = 0;                        // that they span
  };
  // Appends the rows of bytes [0, filled) of the batch. `last`: no more bytes come, so a row without its line's end is whole.
  Outcome Scan(CsvBatch* batch, size_t filled, bool last) const;

 private:
  const CsvFormat format_;
};

}  // namespace fornix::engine

// A procedure: arguments in, a stream of rows out.
//
// The signature (planner/bind/function_catalog.h) holds a pointer to one of these as its `implementation`. Call is made
// once for each input row of kCallProcedure, with arguments already coerced to the signature's types (coerce.h); the stream it returns
// is pulled and then dropped, perhaps before its end. A void procedure does its work in Call and returns a null stream.
// Thread safety: a Procedure is immutable and called from many threads; a stream belongs to one run.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fornix/status.h"
#include "fornix/value.h"

namespace fornix::engine {

class ExecutionContext;

class ProcedureStream {
 public:
  virtual ~ProcedureStream() = default;
  // Appends at most `max_rows` rows, each with a value for every output field. Appending none means the end.
  virtual Status Next(size_t max_rows, std::vector<List>* rows) = 0;
};

class Procedure {
 public:
  virtual ~Procedure() = default;
  virtual Result<std::unique_ptr<ProcedureStream>> Call(ExecutionContext& context, std::span<const Value> arguments) const = 0;
};

// A stream over rows that are all there.
std::unique_ptr<ProcedureStream> TableStream(std::vector<List> rows);

}  // namespace fornix::engine

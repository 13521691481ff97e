// The procedures that scenarios declare: a signature, and a table that is the procedure's whole behaviour. Registered while
// the object lives.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fornix/status.h"

namespace fornix::tck {

class TestProcedures {
 public:
  TestProcedures() = default;
  ~TestProcedures();
  TestProcedures(const TestProcedures&) = delete;
  TestProcedures& operator=(const TestProcedures&) = delete;
  // "test.my.proc(in :: INTEGER?) :: (out :: STRING?):"; the table's header names inputs, then outputs.
  Status Register(std::string_view signature, const std::vector<std::vector<std::string>>& table);

 private:
  std::vector<std::string> names_;
};

}  // namespace fornix::tck

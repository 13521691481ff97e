// The workloads of the crash tests: what is run on a disk that will be cut, killed or made to fail, and how the result is told.
// The truth is kept outside the file: after each acknowledged commit the running database says in words what it holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/fault_file.h"
#include "fornix/database.h"
#include "tests/counts.h"

namespace fornix::crash {

inline constexpr char kPath[] = "db/test.fornix";

// Words instead of a statement: "CLOSE": a clean close and a new open; "CHECKPOINT"; "HOLD": two others begin a reading transaction and
// look, one at another connection, one at a database of its own that is opened for reading, as another process would; "LOOK": they look
// again and must see the same; "RELEASE": they end; "WAIT": until nothing is due any more (the times of the
// log); "FAIL ...": the statement must be refused.
struct Step {
  const char* text;
  int times = 1;                       // with $i = 0, 1, ...
};
struct Workload {
  const char* name;
  std::vector<Step> steps;
  Durability durability = Durability::kFull;
};
std::vector<Workload> Workloads();     // FORNIX_WORKLOAD=NAME: that one alone
Workload VectorWorkload();

// A database on a disk and the step it has come to.
class Run {
 public:
  Run(FileSystem& disk, const Workload& workload) : disk_(disk), workload_(workload) {}
  ~Run();
  Status Open();                       // makes the folder, too
  // One statement or word; `i` its parameter. Must-fail statements that fail are Ok; Internal if the database did something wrong.
  Status Do(const Step& step, int i);
  Status Close();
  // Everything a user can see, as sorted lines. Asks each index as well and adds a line with DISAGREES where it differs from the store.
  Result<std::string> Describe();
  Result<std::vector<Row>> Query(std::string_view text);
  bool is_open() const { return connection_ != nullptr; }

 private:
  Result<std::unique_ptr<Database>> OpenOne(bool read_only);
  Status Look();
  void Release();
  FileSystem& disk_;
  const Workload& workload_;
  std::unique_ptr<Database> database_, reader_;
  std::unique_ptr<Connection> connection_, holder_, reader_holder_;
  std::string held_;
};

// The lines that only one of two descriptions has, the first twelve of them.
std::string Difference(const std::string& found, const std::string& expected);

// FORNIX_SEED, or one from the clock; printed.
uint64_t Seed(const char* suite);

}  // namespace fornix::crash

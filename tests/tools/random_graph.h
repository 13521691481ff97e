// A random graph with values of every type, and a graph's content as text that doesn't depend on ids.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "fornix/database.h"

namespace fornix::test {

// Nodes have the property `uid`, 0, 1, ..., which tells them apart.
void FillRandomly(Connection* connection, uint64_t seed, int nodes, int relationships);
Value RandomValue(Random* random, bool in_list = false);
// A line a node, relationship and schema statement, sorted.
std::vector<std::string> ContentOf(Connection* connection);

// A directory of its own that goes with the object.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// FORNIX_SEED or a new one; printed.
uint64_t TestSeed();

}  // namespace fornix::test

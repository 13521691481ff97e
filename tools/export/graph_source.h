// GraphSource: all elements of one snapshot, one after the other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fornix/database.h"

namespace fornix::tools {

class GraphSource {
 public:
  explicit GraphSource(Connection* connection) : connection_(connection) {}
  ~GraphSource() { if (connection_->in_transaction()) (void)connection_->Rollback(); }

  // Begins the transaction and counts.
  Status Open();
  uint64_t nodes() const { return nodes_; }
  uint64_t relationships() const { return relationships_; }
  Status Nodes(const std::function<Status(const Node&)>& take);
  Status Relationships(const std::function<Status(const Relationship&)>& take);
  const std::vector<std::string>& schema() const { return schema_; }
  // Called with the number of elements since Open.
  void set_progress(std::function<void(uint64_t)> progress) { progress_ = std::move(progress); }

 private:
  Status Stream(const char* text, const std::function<Status(const Value&)>& take);
  Connection* connection_;
  uint64_t nodes_ = 0, relationships_ = 0, done_ = 0;
  std::vector<std::string> schema_;
  std::function<void(uint64_t)> progress_;
};

}  // namespace fornix::tools
